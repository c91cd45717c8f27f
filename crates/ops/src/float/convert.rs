//! Conversions from, to and between floating-point types.

use super::format::{Format, Number, Value};
use super::integral::truncated;
use rejoin_ir::{FloatCastOp, FloatType, Type};

/// Converts `a` of type `from` to type `to`, rounding to nearest even towards a floating-point type
/// and towards zero to an integer. An integer becomes a `bfloat` by way of `float`, as clang does it.
///
/// The `Sat` forms saturate, a NaN giving 0. What else does not fit its integer type, undefined in C,
/// gives what the instruction or library function does that clang uses:
/// - `float` and `double`, and `half` and `bfloat` by way of `float`: `cvttss2si`/`cvttsd2si` of
///   32 bits below a width of 32 and for a signed 32, otherwise of 64 bits, cut to the width. They
///   give the least signed integer for what does not fit them either. Beyond 64 bits, libgcc
///   converts by halves, except from `half`.
/// - `x86_fp80`: the same with `fistp`, which also has 16 bits, for widths below 16 and a signed 16;
///   unsigned 64 bits give 0 for a NaN and from 2^64 on.
/// - `fp128`, and `half` beyond 64 bits: libgcc's nearest integer that fits 32, 64 or 128 bits.
#[must_use]
pub fn float_cast(op: FloatCastOp, from: Type, to: Type, a: u128) -> u128 {
    match (op, from, to) {
        (FloatCastOp::FpToFp, Type::Float(from), Type::Float(to)) => between(from, to, a),
        (FloatCastOp::UiToFp, _, Type::Float(to)) => from_integer(to, false, a),
        (FloatCastOp::SiToFp, from, Type::Float(to)) => {
            let unused = 128 - u32::from(from.bits());
            let a = (a << unused) as i128 >> unused;
            from_integer(to, a < 0, a.unsigned_abs())
        }
        (FloatCastOp::FpToUi, Type::Float(from), to) => to_integer(from, to.bits(), false, a),
        (FloatCastOp::FpToSi, Type::Float(from), to) => to_integer(from, to.bits(), true, a),
        (FloatCastOp::FpToUiSat, Type::Float(from), to) => saturated(from, to.bits(), false, a),
        (FloatCastOp::FpToSiSat, Type::Float(from), to) => saturated(from, to.bits(), true, a),
        // Not a conversion that a verified module has.
        _ => a,
    }
}

fn between(from: FloatType, to: FloatType, a: u128) -> u128 {
    let (source, target) = (Format::from(from), Format::from(to));
    match source.decode(a) {
        Value::Nan if (from, to) == (FloatType::BFloat, FloatType::Float) => a << 16,
        Value::Nan if source.is_unsupported(a) => target.indefinite(),
        Value::Nan => {
            let fraction =
                source.fraction(a) << (128 - (source.precision - 1)) >> (128 - (target.precision - 1));
            target.quiet_nan(source.is_negative(a), fraction)
        }
        Value::Infinite { negative } => target.infinity(negative),
        Value::Finite(number) => target.encode(number),
    }
}

fn from_integer(to: FloatType, negative: bool, magnitude: u128) -> u128 {
    if to == FloatType::BFloat {
        return between(FloatType::Float, to, from_integer(FloatType::Float, negative, magnitude));
    }
    Format::from(to).encode(Number { negative, significand: magnitude, exponent: 0 })
}

/// The magnitudes that fit at width `w` with this sign: up to here.
fn bound(w: u16, signed: bool, negative: bool) -> u128 {
    let ones = u128::MAX >> (128 - w);
    match (signed, negative) {
        (true, true) => (ones >> 1) + 1,
        (true, false) => ones >> 1,
        (false, true) => 0,
        (false, false) => ones,
    }
}

fn integer(w: u16, negative: bool, magnitude: u128) -> u128 {
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    value & u128::MAX >> (128 - w)
}

fn saturated(from: FloatType, w: u16, signed: bool, a: u128) -> u128 {
    let format = Format::from(from);
    if format.is_nan(a) { 0 } else { clamped(format, w, signed, a) }
}

/// The nearest integer that fits, a NaN being like an infinity of its sign.
fn clamped(format: Format, w: u16, signed: bool, a: u128) -> u128 {
    let negative = format.is_negative(a);
    let bound = bound(w, signed, negative);
    match format.decode(a) {
        Value::Finite(number) => integer(w, negative, truncated(number).unwrap_or(bound).min(bound)),
        _ => integer(w, negative, bound),
    }
}

/// `a` truncated, if it fits at width `w`.
fn fitting(format: Format, w: u16, signed: bool, a: u128) -> Option<u128> {
    let Value::Finite(number) = format.decode(a) else { return None };
    let magnitude = truncated(number).filter(|&magnitude| magnitude <= bound(w, signed, number.negative))?;
    Some(integer(w, number.negative, magnitude))
}

fn to_integer(from: FloatType, w: u16, signed: bool, a: u128) -> u128 {
    let format = Format::from(from);
    fitting(format, w, signed, a).unwrap_or_else(|| out_of_range(from, w, signed, a) & u128::MAX >> (128 - w))
}

/// What the conversion gives that clang uses for width `w`: a wider one as a rule.
fn out_of_range(from: FloatType, w: u16, signed: bool, a: u128) -> u128 {
    let format = Format::from(from);
    let instruction = |w: u16| fitting(format, w, true, a).unwrap_or(1 << (w - 1));
    match (from, w, signed) {
        (FloatType::Fp128, ..=31, _) | (FloatType::Fp128, 32, true) => clamped(format, 32, true, a),
        (FloatType::Fp128, 33..=63, _) | (FloatType::Fp128, 64, true) => clamped(format, 64, true, a),
        (FloatType::Fp128, ..=64, false) => clamped(format, w, false, a),
        (FloatType::Fp128 | FloatType::Half, 65.., _) => clamped(format, 128, signed, a),
        (FloatType::X86Fp80, 64, false) if !format.is_negative(a) || format.is_nan(a) => 0,
        (FloatType::X86Fp80, ..=15, _) | (FloatType::X86Fp80, 16, true) => instruction(16),
        (_, ..=31, _) | (_, 32, true) => instruction(32),
        (_, ..=64, _) => instruction(64),
        (_, _, true) => halves_signed(format, a),
        (_, _, false) => halves_unsigned(from, a),
    }
}

/// Both halves are what the instruction gives for a NaN.
const NAN_HALVES: u128 = 1 << 127 | 1 << 63;

/// libgcc where it converts the magnitude by halves.
fn halves_signed(format: Format, a: u128) -> u128 {
    match format.decode(a) {
        Value::Nan => NAN_HALVES,
        Value::Infinite { .. } => 0,
        Value::Finite(number) => integer(128, number.negative, truncated(number).unwrap_or(0)),
    }
}

fn halves_unsigned(from: FloatType, a: u128) -> u128 {
    let format = Format::from(from);
    match format.decode(a) {
        Value::Nan => NAN_HALVES,
        Value::Finite(number) if !number.negative => truncated(number).unwrap_or(0),
        _ if from == FloatType::X86Fp80 || !format.is_negative(a) => 0,
        Value::Infinite { .. } => NAN_HALVES,
        Value::Finite(number) => {
            let half = |exponent| {
                let part = Number { exponent, ..number };
                truncated(part)
                    .filter(|&half| half <= 1 << 63)
                    .map_or(1 << 63, |half| integer(64, true, half))
            };
            match half(number.exponent - 64) {
                0 => half(number.exponent),
                high => high << 64 | 1 << 63,
            }
        }
    }
}
