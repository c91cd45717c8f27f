//! Comparisons, minima and maxima.

use super::format::Format;
use super::nan::{Tie, propagated};
use rejoin_ir::{FloatPred, FloatType};
use std::cmp::Ordering;

/// `a pred b`.
#[must_use]
pub fn float_cmp(pred: FloatPred, ty: FloatType, a: u128, b: u128) -> bool {
    let order = order(ty, a, b);
    match pred {
        FloatPred::False => false,
        FloatPred::True => true,
        FloatPred::Ord => order.is_some(),
        FloatPred::Uno => order.is_none(),
        FloatPred::Oeq => order.is_some_and(Ordering::is_eq),
        FloatPred::One => order.is_some_and(Ordering::is_ne),
        FloatPred::Ogt => order.is_some_and(Ordering::is_gt),
        FloatPred::Oge => order.is_some_and(Ordering::is_ge),
        FloatPred::Olt => order.is_some_and(Ordering::is_lt),
        FloatPred::Ole => order.is_some_and(Ordering::is_le),
        FloatPred::Ueq => order.is_none_or(Ordering::is_eq),
        FloatPred::Une => order.is_none_or(Ordering::is_ne),
        FloatPred::Ugt => order.is_none_or(Ordering::is_gt),
        FloatPred::Uge => order.is_none_or(Ordering::is_ge),
        FloatPred::Ult => order.is_none_or(Ordering::is_lt),
        FloatPred::Ule => order.is_none_or(Ordering::is_le),
    }
}

/// How `a` compares to `b`; `None` with a NaN. The zeros are equal.
fn order(ty: FloatType, a: u128, b: u128) -> Option<Ordering> {
    match ty {
        FloatType::Float => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        FloatType::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        _ => Some(rank(ty, a)?.cmp(&rank(ty, b)?)),
    }
}

/// A number that orders like `a`: sign, exponent and significand stand in that order.
fn rank(ty: FloatType, a: u128) -> Option<i128> {
    let format = Format::from(ty);
    if format.is_nan(a) {
        return None;
    }
    let magnitude = format.with_sign(false, format.canonical(a)) as i128;
    Some(if format.is_negative(a) { -magnitude } else { magnitude })
}

/// `llvm.minnum` and `llvm.maxnum`: a number beats a quiet NaN.
///
/// Of two equal zeros and of two NaNs either may come out; this gives the one that SSE's instruction
/// (`float`, `double`) or glibc's function does.
pub(super) fn min_max_num(max: bool, ty: FloatType, a: u128, b: u128) -> u128 {
    let second_of_equals = ty == FloatType::Half || ty == FloatType::X86Fp80 && max;
    match (order(ty, a, b), ty) {
        (Some(Ordering::Equal), _) if second_of_equals => b,
        (Some(Ordering::Equal), _) => a,
        (Some(order), _) if order.is_gt() == max => a,
        (Some(_), _) => b,
        (None, FloatType::Float | FloatType::Double) if Format::from(ty).is_nan(a) => b,
        (None, FloatType::Float | FloatType::Double) => a,
        (None, _) => library_min_max_nan(ty, a, b),
    }
}

/// What glibc's `fmin` and `fmax` make of a NaN: where they would signal, `a + b`.
fn library_min_max_nan(ty: FloatType, a: u128, b: u128) -> u128 {
    let format = Format::from(ty);
    let both = format.is_nan(a) && format.is_nan(b);
    let signaling = format.is_signaling(a) || format.is_signaling(b);
    let adds = match ty {
        FloatType::X86Fp80 => both || signaling,
        FloatType::Fp128 => signaling,
        _ => both,
    };
    match propagated(ty, Tie::First, a, b) {
        Some(nan) if adds => nan,
        _ if format.is_nan(b) => a,
        _ => b,
    }
}

/// `llvm.minimum` and `llvm.maximum`: a NaN wins, and -0 is below +0.
///
/// clang's code for `float` and `double` does not quiet the NaN; it has none for the wider types.
pub(super) fn min_max(max: bool, ty: FloatType, a: u128, b: u128) -> u128 {
    let format = Format::from(ty);
    // The order that makes SSE's asymmetric minimum right for zeros, and decides between two NaNs.
    let (first, second) = if format.is_negative(a) == max { (a, b) } else { (b, a) };
    match (order(ty, first, second), ty) {
        (None, FloatType::X86Fp80 | FloatType::Fp128) => propagated(ty, Tie::First, a, b).unwrap_or(a),
        (None, _) if format.is_nan(first) => first,
        (Some(order), _) if order.is_ne() && order.is_gt() == max => first,
        _ => second,
    }
}
