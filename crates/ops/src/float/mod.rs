//! Floating-point operations.
//!
//! `half` and `bfloat` compute in `float` and round the result; `float` and `double` are the
//! machine's; the wider formats are computed in software. Which NaN comes out is decided here in every
//! case, so the result never depends on what the host does with them.

mod arithmetic;
mod class;
mod compare;
mod convert;
mod format;
mod integral;
mod nan;
mod sqrt;

pub use class::float_class;
pub use compare::float_cmp;
pub use convert::float_cast;

use format::Format;
use rejoin_ir::{FloatBinOp, FloatCastOp, FloatType, FloatUnOp, Type};

/// `a op b`.
///
/// `Rem` is exact (C's `fmod`). An invalid operation gives x86's negative quiet NaN.
#[must_use]
pub fn float_bin(op: FloatBinOp, ty: FloatType, a: u128, b: u128) -> u128 {
    let format = Format::from(ty);
    let min_max_num = matches!(op, FloatBinOp::MinNum | FloatBinOp::MaxNum);
    match op {
        FloatBinOp::CopySign => format.with_sign(format.is_negative(b), a),
        _ if ty == FloatType::BFloat || ty == FloatType::Half && !min_max_num => {
            shortened(ty, float_bin(op, FloatType::Float, extended(ty, a), extended(ty, b)))
        }
        FloatBinOp::MinNum | FloatBinOp::MaxNum => compare::min_max_num(op == FloatBinOp::MaxNum, ty, a, b),
        FloatBinOp::Minimum | FloatBinOp::Maximum => compare::min_max(op == FloatBinOp::Maximum, ty, a, b),
        FloatBinOp::Add => arithmetic::add(ty, a, b),
        FloatBinOp::Sub => arithmetic::sub(ty, a, b),
        FloatBinOp::Mul => arithmetic::mul(ty, a, b),
        FloatBinOp::Div => arithmetic::div(ty, a, b),
        FloatBinOp::Rem => arithmetic::rem(ty, a, b),
    }
}

/// `op a`. `Neg` and `Abs` change nothing but the sign bit, of NaNs too.
#[must_use]
pub fn float_un(op: FloatUnOp, ty: FloatType, a: u128) -> u128 {
    let format = Format::from(ty);
    match op {
        FloatUnOp::Neg => a ^ format.sign_bit(),
        FloatUnOp::Abs => format.with_sign(false, a),
        FloatUnOp::Canonicalize => format.canonical(a),
        _ if matches!(ty, FloatType::Half | FloatType::BFloat) => {
            shortened(ty, float_un(op, FloatType::Float, extended(ty, a)))
        }
        FloatUnOp::Sqrt => sqrt::sqrt(ty, a),
        FloatUnOp::Floor => integral::round(integral::Rounding::Down, ty, a),
        FloatUnOp::Ceil => integral::round(integral::Rounding::Up, ty, a),
        FloatUnOp::Trunc => integral::round(integral::Rounding::TowardZero, ty, a),
        FloatUnOp::Round => integral::round(integral::Rounding::NearestAway, ty, a),
        FloatUnOp::RoundEven | FloatUnOp::Rint | FloatUnOp::NearbyInt => {
            integral::round(integral::Rounding::NearestEven, ty, a)
        }
    }
}

/// `a * b + c`, rounded once if `fused`, otherwise after each operation.
#[must_use]
pub fn float_mul_add(fused: bool, ty: FloatType, a: u128, b: u128, c: u128) -> u128 {
    if !fused {
        return float_bin(FloatBinOp::Add, ty, float_bin(FloatBinOp::Mul, ty, a, b), c);
    }
    match ty {
        // A double holds the exact product of two halfs, and their sum well enough to round again.
        FloatType::Half => {
            let double = |x| convert(ty, FloatType::Double, x);
            convert(
                FloatType::Double,
                ty,
                arithmetic::fma(FloatType::Double, double(a), double(b), double(c)),
            )
        }
        FloatType::BFloat => {
            let wide = |x| extended(ty, x);
            shortened(ty, arithmetic::fma(FloatType::Float, wide(a), wide(b), wide(c)))
        }
        _ => arithmetic::fma(ty, a, b, c),
    }
}

fn extended(ty: FloatType, a: u128) -> u128 {
    convert(ty, FloatType::Float, a)
}

fn shortened(ty: FloatType, a: u128) -> u128 {
    convert(FloatType::Float, ty, a)
}

fn convert(from: FloatType, to: FloatType, a: u128) -> u128 {
    float_cast(FloatCastOp::FpToFp, Type::Float(from), Type::Float(to), a)
}
