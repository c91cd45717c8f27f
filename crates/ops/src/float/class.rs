//! The classes of `llvm.is.fpclass`.

use super::format::{Format, Value};
use rejoin_ir::FloatType;

const SIGNALING_NAN: u16 = 1 << 0;
const QUIET_NAN: u16 = 1 << 1;
const NEGATIVE_INFINITY: u16 = 1 << 2;
const NEGATIVE_NORMAL: u16 = 1 << 3;
const NEGATIVE_SUBNORMAL: u16 = 1 << 4;
const NEGATIVE_ZERO: u16 = 1 << 5;
const POSITIVE_ZERO: u16 = 1 << 6;
const POSITIVE_SUBNORMAL: u16 = 1 << 7;
const POSITIVE_NORMAL: u16 = 1 << 8;
const POSITIVE_INFINITY: u16 = 1 << 9;

/// Whether `a` is in one of the classes of `mask`, by the bits of `llvm.is.fpclass`.
#[must_use]
pub fn float_class(ty: FloatType, mask: u16, a: u128) -> bool {
    mask & class(Format::from(ty), a) != 0
}

fn class(format: Format, a: u128) -> u16 {
    let by_sign = |negative, positive| if format.is_negative(a) { negative } else { positive };
    match format.decode(a) {
        Value::Nan if format.is_signaling(a) => SIGNALING_NAN,
        Value::Nan => QUIET_NAN,
        Value::Infinite { .. } => by_sign(NEGATIVE_INFINITY, POSITIVE_INFINITY),
        Value::Finite(number) if number.significand == 0 => by_sign(NEGATIVE_ZERO, POSITIVE_ZERO),
        Value::Finite(number) if format.is_subnormal(number) => {
            by_sign(NEGATIVE_SUBNORMAL, POSITIVE_SUBNORMAL)
        }
        Value::Finite(_) => by_sign(NEGATIVE_NORMAL, POSITIVE_NORMAL),
    }
}
