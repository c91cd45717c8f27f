//! The square root.

use super::format::{Format, Number, Value};
use rejoin_ir::FloatType;

/// The square root, correctly rounded.
pub(super) fn sqrt(ty: FloatType, a: u128) -> u128 {
    let format = Format::from(ty);
    match format.decode(a) {
        Value::Nan => format.quieted(a),
        Value::Infinite { negative: false } => a,
        Value::Finite(number) if number.significand == 0 => a,
        Value::Finite(number) if !number.negative => match ty {
            FloatType::Float => f32::from_bits(a as u32).sqrt().to_bits().into(),
            FloatType::Double => f64::from_bits(a as u64).sqrt().to_bits().into(),
            _ => format.encode(root(format, number)),
        },
        _ => format.indefinite(),
    }
}

/// The root with a bit more than the precision of `format`, the last bit saying whether it is
/// inexact: enough to round it correctly.
fn root(format: Format, a: Number) -> Number {
    // An even exponent halves exactly.
    let odd = a.exponent & 1;
    let length = u128::BITS - a.significand.leading_zeros() + odd as u32;
    let pairs = length.div_ceil(2);
    let radicand = a.significand << odd;
    let digits = format.precision + 2;
    let (mut root, mut rest) = (0_u128, 0_u128);
    for digit in 0..digits {
        // Two more bits of the radicand, zeros after its end, give one more of the root.
        let next = if digit < pairs { radicand >> (2 * (pairs - 1 - digit)) & 3 } else { 0 };
        rest = rest << 2 | next;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    let exponent = (a.exponent - odd) / 2 + pairs as i32 - digits as i32;
    Number { negative: false, significand: root << 1 | u128::from(rest != 0), exponent: exponent - 1 }
}
