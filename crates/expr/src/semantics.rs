//! What each operator computes on numbers of at most 128 bits (see `node.rs` for the conventions).

use crate::node::{Binary, Unary};

/// The largest width whose values are plain numbers.
pub(crate) const NARROW: u32 = 128;

/// The low `width` bits set.
#[inline]
pub(crate) fn mask(width: u32) -> u128 {
    if width >= NARROW { u128::MAX } else { (1 << width) - 1 }
}

/// The number that the `width` low bits of `x` stand for in two's complement.
pub(crate) fn signed(width: u32, x: u128) -> i128 {
    let unused = NARROW - width;
    ((x << unused) as i128) >> unused
}

/// The most significant bit of a `width`-bit number, in place.
pub(crate) fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// `x` of `from` bits, sign extended to `to` bits.
pub(crate) fn sign_extend(from: u32, to: u32, x: u128) -> u128 {
    signed(from, x) as u128 & mask(to)
}

/// `op x`
pub(crate) fn unary(op: Unary, width: u32, x: u128) -> u128 {
    let wide = match op {
        Unary::Not => !x,
        Unary::Neg => x.wrapping_neg(),
    };
    wide & mask(width)
}

/// `x op y` for operands of `width` bits.
#[inline]
pub(crate) fn binary(op: Binary, width: u32, x: u128, y: u128) -> u128 {
    let (sx, sy) = (|| signed(width, x), || signed(width, y));
    let in_range = y < u128::from(width);
    let wide = match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Mul => x.wrapping_mul(y),
        Binary::UDiv => x.checked_div(y).unwrap_or(u128::MAX),
        Binary::URem => x.checked_rem(y).unwrap_or(x),
        Binary::SDiv if y == 0 => {
            if sx() < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Binary::SDiv => sx().wrapping_div(sy()) as u128,
        Binary::SRem if y == 0 => x,
        Binary::SRem => sx().wrapping_rem(sy()) as u128,
        Binary::Shl if in_range => x << y,
        Binary::LShr if in_range => x >> y,
        Binary::Shl | Binary::LShr => 0,
        Binary::AShr => (sx() >> y.min(u128::from(width - 1))) as u128,
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Eq => u128::from(x == y),
        Binary::Ult => u128::from(x < y),
        Binary::Ule => u128::from(x <= y),
        Binary::Slt => u128::from(sx() < sy()),
        Binary::Sle => u128::from(sx() <= sy()),
    };
    wide & mask(width)
}

impl Binary {
    /// Is the result one bit, whatever the width of the operands?
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle)
    }

    /// Does `a op b` equal `b op a`?
    #[must_use]
    pub fn is_commutative(self) -> bool {
        matches!(self, Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor | Binary::Eq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_follows_smt_lib() {
        assert_eq!(binary(Binary::UDiv, 8, 7, 0), 0xff);
        assert_eq!(binary(Binary::URem, 8, 7, 0), 7);
        assert_eq!(binary(Binary::SDiv, 8, 7, 0), 0xff);
        assert_eq!(binary(Binary::SDiv, 8, 0xf9, 0), 1);
        assert_eq!(binary(Binary::SRem, 8, 0xf9, 0), 0xf9);
    }

    #[test]
    fn signed_operators_wrap_and_truncate_toward_zero() {
        assert_eq!(binary(Binary::SDiv, 8, 0x80, 0xff), 0x80);
        assert_eq!(binary(Binary::SDiv, 8, 0xf9, 2), 0xfd);
        assert_eq!(binary(Binary::SRem, 8, 0xf9, 2), 0xff);
        assert_eq!(binary(Binary::SDiv, 128, 1 << 127, u128::MAX), 1 << 127);
    }

    #[test]
    fn over_wide_shifts_leave_nothing_but_the_sign() {
        assert_eq!(binary(Binary::Shl, 8, 0xff, 8), 0);
        assert_eq!(binary(Binary::LShr, 8, 0xff, 200), 0);
        assert_eq!(binary(Binary::AShr, 8, 0x80, 200), 0xff);
        assert_eq!(binary(Binary::AShr, 8, 0x40, 8), 0);
        assert_eq!(binary(Binary::AShr, 128, 1 << 127, 127), u128::MAX);
    }
}
