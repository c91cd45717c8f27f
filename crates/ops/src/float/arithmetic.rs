//! The arithmetic of `float`, `double`, `x86_fp80` and `fp128`.

use super::format::{Format, Number, Value};
use super::nan::{Tie, propagated};
use rejoin_ir::FloatType;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};

/// Computes with the operands as numbers of type `$ty`: `$native` in the machine's formats, `$soft`
/// in the others. `None` for a NaN, whose sign and payload are not up to the host.
macro_rules! compute {
    ($ty:expr, [$($a:ident),+], $native:expr, $soft:expr) => {
        match $ty {
            FloatType::Half | FloatType::BFloat | FloatType::Float => {
                $(let $a = f32::from_bits($a as u32);)+
                let result = $native;
                (!result.is_nan()).then(|| result.to_bits().into())
            }
            FloatType::Double => {
                $(let $a = f64::from_bits($a as u64);)+
                let result = $native;
                (!result.is_nan()).then(|| result.to_bits().into())
            }
            FloatType::X86Fp80 => {
                $(let $a = X87DoubleExtended::from_bits(Format::from($ty).canonical($a));)+
                let result = $soft.value;
                (!result.is_nan()).then(|| result.to_bits())
            }
            FloatType::Fp128 => {
                $(let $a = Quad::from_bits($a);)+
                let result = $soft.value;
                (!result.is_nan()).then(|| result.to_bits())
            }
        }
    };
}

pub(super) fn add(ty: FloatType, a: u128, b: u128) -> u128 {
    compute!(ty, [a, b], a + b, a + b).unwrap_or_else(|| nan(ty, Tie::First, a, b))
}

pub(super) fn sub(ty: FloatType, a: u128, b: u128) -> u128 {
    compute!(ty, [a, b], a - b, a - b).unwrap_or_else(|| nan(ty, Tie::Second, a, b))
}

pub(super) fn mul(ty: FloatType, a: u128, b: u128) -> u128 {
    compute!(ty, [a, b], a * b, a * b).unwrap_or_else(|| nan(ty, Tie::First, a, b))
}

pub(super) fn div(ty: FloatType, a: u128, b: u128) -> u128 {
    compute!(ty, [a, b], a / b, a / b).unwrap_or_else(|| nan(ty, Tie::Second, a, b))
}

/// The NaN that comes out of an operation that gets or makes one.
fn nan(ty: FloatType, tie: Tie, a: u128, b: u128) -> u128 {
    propagated(ty, tie, a, b).unwrap_or_else(|| Format::from(ty).indefinite())
}

/// `a * b + c`, rounded once.
pub(super) fn fma(ty: FloatType, a: u128, b: u128, c: u128) -> u128 {
    compute!(ty, [a, b, c], a.mul_add(b, c), a.mul_add(b, c)).unwrap_or_else(|| fma_nan(ty, a, b, c))
}

fn fma_nan(ty: FloatType, a: u128, b: u128, c: u128) -> u128 {
    let format = Format::from(ty);
    // The order in which the processor's FMA unit, as glibc uses it, looks for a NaN.
    match [b, a, c].into_iter().find(|&x| format.is_nan(x)) {
        Some(_) if matches!(ty, FloatType::X86Fp80 | FloatType::Fp128) => add(ty, mul(ty, a, b), c),
        Some(nan) => format.quieted(nan),
        None => format.indefinite(),
    }
}

/// The remainder of `a / b` truncated; it has the sign of `a` and is exact.
pub(super) fn rem(ty: FloatType, a: u128, b: u128) -> u128 {
    let format = Format::from(ty);
    match (format.decode(a), format.decode(b)) {
        (Value::Finite(_), Value::Infinite { .. }) => a,
        (Value::Finite(x), Value::Finite(y)) if y.significand != 0 => format.encode(remainder(x, y)),
        _ => nan(ty, Tie::First, a, b),
    }
}

/// Long division, one bit of the quotient at a time.
fn remainder(a: Number, b: Number) -> Number {
    // Bring the operands to the exponent of `b`; if that is the higher one, `b` grows instead, and
    // beyond the range of `a` it is greater than `a` for sure.
    let distance = a.exponent - b.exponent;
    if distance < 0 {
        let Some(divisor) = checked_shift(b.significand, -distance) else { return a };
        return Number { significand: a.significand % divisor, ..a };
    }
    let mut rest = a.significand % b.significand;
    for _ in 0..distance {
        rest <<= 1;
        if rest >= b.significand {
            rest -= b.significand;
        }
    }
    Number { significand: rest, exponent: b.exponent, ..a }
}

/// `a << by` unless bits get lost.
fn checked_shift(a: u128, by: i32) -> Option<u128> {
    (by <= a.leading_zeros() as i32).then(|| a << by)
}
