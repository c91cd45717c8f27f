//! Rounding to an integral value of the same type.

use super::format::{Format, Number, Value, split};
use rejoin_ir::FloatType;

/// To which of the integers around a number.
#[derive(Clone, Copy)]
pub(super) enum Rounding {
    Down,
    Up,
    TowardZero,
    NearestEven,
    NearestAway,
}

/// `a` rounded to an integral value; a zero result has the sign of `a`.
pub(super) fn round(rounding: Rounding, ty: FloatType, a: u128) -> u128 {
    let format = Format::from(ty);
    match format.decode(a) {
        Value::Nan => format.quieted(a),
        Value::Finite(number) if number.exponent < 0 => format.encode(integral(rounding, number)),
        _ => a,
    }
}

/// The integer that `a`, whose exponent is negative, rounds to.
fn integral(rounding: Rounding, a: Number) -> Number {
    let (whole, dropped, half) = split(a.significand, -a.exponent);
    let away = match rounding {
        Rounding::Down => a.negative && dropped != 0,
        Rounding::Up => !a.negative && dropped != 0,
        Rounding::TowardZero => false,
        Rounding::NearestEven => dropped > half || dropped == half && whole & 1 == 1,
        Rounding::NearestAway => dropped >= half,
    };
    Number { significand: whole + u128::from(away), exponent: 0, ..a }
}

/// The integer part of a number, its sign apart; `None` from 2^128 on.
pub(super) fn truncated(a: Number) -> Option<u128> {
    if a.exponent < 0 {
        return Some(split(a.significand, -a.exponent).0);
    }
    let fits = a.significand == 0 || a.exponent <= a.significand.leading_zeros() as i32;
    fits.then(|| a.significand.checked_shl(a.exponent as u32).unwrap_or(0))
}
