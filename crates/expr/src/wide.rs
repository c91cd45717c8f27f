//! What each operator computes on numbers of any width (see `semantics.rs` for up to 128 bits).

use num_bigint::{BigInt, BigUint};

use crate::node::{Binary, Unary};

fn modulus(width: u32) -> BigUint {
    BigUint::from(1u32) << width
}

pub(crate) fn truncate(width: u32, x: BigUint) -> BigUint {
    if x.bits() <= u64::from(width) { x } else { x % modulus(width) }
}

/// The low 128 bits.
pub(crate) fn low(x: &BigUint) -> u128 {
    x.iter_u64_digits().take(2).enumerate().map(|(i, limb)| u128::from(limb) << (64 * i)).sum()
}

fn is_negative(width: u32, x: &BigUint) -> bool {
    x.bit(u64::from(width) - 1)
}

fn signed(width: u32, x: &BigUint) -> BigInt {
    let magnitude = BigInt::from(x.clone());
    if is_negative(width, x) { magnitude - BigInt::from(modulus(width)) } else { magnitude }
}

fn unsigned(width: u32, x: BigInt) -> BigUint {
    let modulus = BigInt::from(modulus(width));
    // The remainder lies in (-modulus, modulus); one more modulus makes it a natural number.
    let wrapped = (x % &modulus + &modulus) % &modulus;
    wrapped.to_biguint().unwrap_or_default()
}

pub(crate) fn sign_extend(from: u32, to: u32, x: BigUint) -> BigUint {
    unsigned(to, signed(from, &x))
}

pub(crate) fn unary(op: Unary, width: u32, x: BigUint) -> BigUint {
    match op {
        Unary::Not => modulus(width) - 1u32 - x,
        Unary::Neg => truncate(width, modulus(width) - x),
    }
}

pub(crate) fn binary(op: Binary, width: u32, x: BigUint, y: BigUint) -> BigUint {
    let zero = BigUint::default();
    let ones = || modulus(width) - 1u32;
    let signed = |x: &BigUint| signed(width, x);
    // The shift distance; any distance from the width on does the same.
    let distance = u32::try_from(&y).unwrap_or(width).min(width);
    let bool = |b: bool| BigUint::from(u32::from(b));
    let exact = match op {
        Binary::Add => x + y,
        Binary::Mul => x * y,
        Binary::UDiv if y == zero => ones(),
        Binary::UDiv => x / y,
        Binary::URem | Binary::SRem if y == zero => x,
        Binary::URem => x % y,
        Binary::SDiv if y == zero => {
            if is_negative(width, &x) {
                BigUint::from(1u32)
            } else {
                ones()
            }
        }
        Binary::SDiv => unsigned(width, signed(&x) / signed(&y)),
        Binary::SRem => unsigned(width, signed(&x) % signed(&y)),
        Binary::Shl => x << distance,
        Binary::LShr => x >> distance,
        Binary::AShr => unsigned(width, signed(&x) >> distance),
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Eq => bool(x == y),
        Binary::Ult => bool(x < y),
        Binary::Ule => bool(x <= y),
        Binary::Slt => bool(signed(&x) < signed(&y)),
        Binary::Sle => bool(signed(&x) <= signed(&y)),
    };
    truncate(width, exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics;

    const OPS: [Binary; 17] = [
        Binary::Add,
        Binary::Mul,
        Binary::UDiv,
        Binary::URem,
        Binary::SDiv,
        Binary::SRem,
        Binary::Shl,
        Binary::LShr,
        Binary::AShr,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Eq,
        Binary::Ult,
        Binary::Ule,
        Binary::Slt,
        Binary::Sle,
    ];

    #[test]
    fn wide_and_narrow_semantics_agree_on_all_small_values() {
        for width in 1..=4 {
            let values = || 0..1u128 << width;
            for x in values() {
                for op in [Unary::Not, Unary::Neg] {
                    assert_eq!(low(&unary(op, width, x.into())), semantics::unary(op, width, x));
                }
                for y in values() {
                    for op in OPS {
                        let wide = low(&binary(op, width, x.into(), y.into()));
                        assert_eq!(wide, semantics::binary(op, width, x, y), "{op:?} {width} {x} {y}");
                    }
                }
            }
        }
    }
}
