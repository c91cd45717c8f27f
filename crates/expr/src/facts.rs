//! What is known of a term's value: bits, and an unsigned interval.
//!
//! Facts are computed once, when a term is made, from the facts of its operands. Terms wider than
//! 128 bits have no facts.

use crate::node::{Binary, Unary};
use crate::semantics::{self, NARROW, mask};

/// Bits whose value is the same under every assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KnownBits {
    /// The bits that are 0.
    pub zeros: u128,
    /// The bits that are 1.
    pub ones: u128,
}

/// Known bits and an interval, each already refined by the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Facts {
    pub(crate) known: KnownBits,
    pub(crate) lo: u128,
    pub(crate) hi: u128,
}

impl Facts {
    /// Nothing is known but the width.
    pub(crate) fn unknown(width: u32) -> Self {
        let zeros = if width > NARROW { 0 } else { !mask(width) };
        Facts { known: KnownBits { zeros, ones: 0 }, lo: 0, hi: mask(width) }
    }

    pub(crate) fn constant(bits: u128) -> Self {
        Facts { known: KnownBits { zeros: !bits, ones: bits }, lo: bits, hi: bits }
    }

    /// The value, when only one is possible.
    pub(crate) fn value(&self) -> Option<u128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn known(width: u32, zeros: u128, ones: u128) -> Self {
        let known = KnownBits { zeros: zeros | !mask(width), ones };
        Facts { known, ..Self::unknown(width) }.refined()
    }

    fn range(width: u32, lo: u128, hi: u128) -> Self {
        Facts { lo, hi, ..Self::unknown(width) }.refined()
    }

    fn bool(b: Option<bool>) -> Self {
        b.map_or(Self::unknown(1), |b| Self::constant(u128::from(b)))
    }

    /// What both descriptions of the same value say together.
    fn both(self, other: Self) -> Self {
        Facts {
            known: KnownBits {
                zeros: self.known.zeros | other.known.zeros,
                ones: self.known.ones | other.known.ones,
            },
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
        .refined()
    }

    /// What holds of a value that is described by one of the two.
    fn either(self, other: Self) -> Self {
        Facts {
            known: KnownBits {
                zeros: self.known.zeros & other.known.zeros,
                ones: self.known.ones & other.known.ones,
            },
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Lets the bits bound the interval and the interval's common prefix fix bits.
    fn refined(self) -> Self {
        let lo = self.lo.max(self.known.ones);
        let hi = self.hi.min(!self.known.zeros);
        let prefix = match lo ^ hi {
            0 => u128::MAX,
            differing => !(u128::MAX >> differing.leading_zeros()),
        };
        let known =
            KnownBits { zeros: self.known.zeros | (!lo & prefix), ones: self.known.ones | (lo & prefix) };
        Facts { known, lo, hi }
    }

    /// The most significant bit of a `width`-bit value.
    fn sign(&self, width: u32) -> Option<bool> {
        let bit = semantics::sign_bit(width);
        match (self.known.zeros & bit != 0, self.known.ones & bit != 0) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// The least and greatest value in two's complement.
    pub(crate) fn signed_range(&self, width: u32) -> (i128, i128) {
        let top = semantics::signed(width, semantics::sign_bit(width));
        match self.sign(width) {
            Some(_) => (semantics::signed(width, self.lo), semantics::signed(width, self.hi)),
            None => (top, !top),
        }
    }
}

/// Facts of `op a`, of `width` bits.
pub(crate) fn unary(op: Unary, width: u32, a: Facts) -> Facts {
    let KnownBits { zeros, ones } = a.known;
    let top = mask(width);
    match op {
        Unary::Not => {
            let range = Facts::range(width, top - a.hi, top - a.lo);
            range.both(Facts::known(width, ones, zeros & top))
        }
        Unary::Neg => {
            let one = Facts::constant(1);
            let by_bits = add(width, unary(Unary::Not, width, a), one);
            if a.lo == 0 {
                return by_bits;
            }
            by_bits.both(Facts::range(width, top - a.hi + 1, top - a.lo + 1))
        }
    }
}

/// Facts of `a op b` for operands of `width` bits.
pub(crate) fn binary(op: Binary, width: u32, a: Facts, b: Facts) -> Facts {
    let (ka, kb) = (a.known, b.known);
    match op {
        Binary::Add => add(width, a, b),
        Binary::Mul => mul(width, a, b),
        Binary::UDiv if b.lo > 0 => Facts::range(width, a.lo / b.hi, a.hi / b.lo),
        Binary::URem if b.lo > 0 => {
            let lo = if a.hi < b.lo { a.lo } else { 0 };
            Facts::range(width, lo, a.hi.min(b.hi - 1))
        }
        Binary::URem => Facts::range(width, 0, a.hi),
        Binary::LShr => lshr(width, a, b),
        Binary::And => {
            let bits = Facts::known(width, ka.zeros | kb.zeros, ka.ones & kb.ones);
            bits.both(Facts::range(width, 0, a.hi.min(b.hi)))
        }
        Binary::Or => {
            let bits = Facts::known(width, ka.zeros & kb.zeros, ka.ones | kb.ones);
            bits.both(Facts::range(width, a.lo.max(b.lo), mask(width)))
        }
        Binary::Xor => Facts::known(
            width,
            (ka.zeros & kb.zeros) | (ka.ones & kb.ones),
            (ka.zeros & kb.ones) | (ka.ones & kb.zeros),
        ),
        Binary::Eq => Facts::bool(equal(a, b)),
        Binary::Ult => Facts::bool(below((a.lo, a.hi), (b.lo, b.hi))),
        Binary::Ule => Facts::bool(below((b.lo, b.hi), (a.lo, a.hi)).map(|above| !above)),
        Binary::Slt => Facts::bool(below(a.signed_range(width), b.signed_range(width))),
        Binary::Sle => Facts::bool(below(b.signed_range(width), a.signed_range(width)).map(|above| !above)),
        Binary::UDiv | Binary::SDiv | Binary::SRem | Binary::Shl | Binary::AShr => Facts::unknown(width),
    }
}

/// Is `a < b`, when all values agree?
fn below<T: Ord>(a: (T, T), b: (T, T)) -> Option<bool> {
    if a.1 < b.0 {
        Some(true)
    } else if a.0 >= b.1 {
        Some(false)
    } else {
        None
    }
}

fn equal(a: Facts, b: Facts) -> Option<bool> {
    let conflict = (a.known.zeros & b.known.ones) | (a.known.ones & b.known.zeros);
    if conflict != 0 || a.hi < b.lo || b.hi < a.lo {
        return Some(false);
    }
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => Some(x == y),
        _ => None,
    }
}

fn add(width: u32, a: Facts, b: Facts) -> Facts {
    let top = mask(width);
    let sum_bits = {
        // The carry into each bit is known where the least and the greatest sum agree on it.
        let least = a.known.ones.wrapping_add(b.known.ones);
        let most = (!a.known.zeros & top).wrapping_add(!b.known.zeros & top);
        let carry_least = least ^ a.known.ones ^ b.known.ones;
        let carry_most = most ^ (!a.known.zeros & top) ^ (!b.known.zeros & top);
        let operands = (a.known.zeros | a.known.ones) & (b.known.zeros | b.known.ones);
        let fixed = operands & !(carry_least ^ carry_most) & top;
        Facts::known(width, !least & fixed, least & fixed)
    };
    let (lo, overflow_lo) = overflowing_add(width, a.lo, b.lo);
    let (hi, overflow_hi) = overflowing_add(width, a.hi, b.hi);
    if overflow_lo == overflow_hi { sum_bits.both(Facts::range(width, lo, hi)) } else { sum_bits }
}

fn overflowing_add(width: u32, x: u128, y: u128) -> (u128, bool) {
    let (sum, overflow) = x.overflowing_add(y);
    (sum & mask(width), overflow || sum > mask(width))
}

fn mul(width: u32, a: Facts, b: Facts) -> Facts {
    let trailing = a.known.zeros.trailing_ones() + b.known.zeros.trailing_ones();
    let bits = Facts::known(width, mask(trailing.min(width)), 0);
    match a.hi.checked_mul(b.hi) {
        Some(hi) if hi <= mask(width) => bits.both(Facts::range(width, a.lo * b.lo, hi)),
        _ => bits,
    }
}

fn lshr(width: u32, a: Facts, b: Facts) -> Facts {
    let shifted = |x, by| semantics::binary(Binary::LShr, width, x, by);
    Facts::range(width, shifted(a.lo, b.hi), shifted(a.hi, b.lo))
}

/// Facts of `if c then a else b`.
pub(crate) fn ite(c: Facts, a: Facts, b: Facts) -> Facts {
    match c.value() {
        Some(0) => b,
        Some(_) => a,
        None => a.either(b),
    }
}

/// Facts of a concatenation of at most 128 bits.
pub(crate) fn concat(width: u32, low_width: u32, high: Facts, low: Facts) -> Facts {
    let join = |h: u128, l: u128| (h << low_width) | l;
    let zeros = join(high.known.zeros, low.known.zeros & mask(low_width));
    let bits = Facts::known(width, zeros, join(high.known.ones, low.known.ones));
    bits.both(Facts::range(width, join(high.lo, low.lo), join(high.hi, low.hi)))
}

/// Facts of the bits `lo .. lo + width` of a value of at most 128 bits.
pub(crate) fn extract(width: u32, lo: u32, a: Facts) -> Facts {
    let bits = Facts::known(width, (a.known.zeros >> lo) & mask(width), (a.known.ones >> lo) & mask(width));
    let (least, most) = (a.lo >> lo, a.hi >> lo);
    if most <= mask(width) { bits.both(Facts::range(width, least, most)) } else { bits }
}

/// Facts of a sign extension.
pub(crate) fn sext(from: u32, to: u32, a: Facts) -> Facts {
    let extend = |x| semantics::sign_extend(from, to, x);
    if a.sign(from).is_some() {
        return Facts::known(to, extend(a.known.zeros), extend(a.known.ones)).both(Facts::range(
            to,
            extend(a.lo),
            extend(a.hi),
        ));
    }
    let below_sign = mask(from - 1);
    Facts::known(to, a.known.zeros & below_sign, a.known.ones & below_sign)
}

/// Facts of a value that is one of `bytes`, or 0.
pub(crate) fn byte_of(bytes: &[u8]) -> Facts {
    bytes.iter().fold(Facts::constant(0), |facts, &byte| facts.either(Facts::constant(byte.into())))
}
