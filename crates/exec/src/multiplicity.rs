//! How many paths a state stands for (PLDI'12, section 5.2): 1 at the start, the sum at a merge, and
//! the same on both sides of a fork. Exact at any size: sums of sums soon pass every machine word.

use num_bigint::BigUint;
use std::rc::Rc;

/// A natural number that is cheap to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Multiplicity {
    /// Fits a word, as most do.
    Small(u64),
    /// Does not.
    Large(Rc<BigUint>),
}

impl Multiplicity {
    /// A single path.
    pub const ONE: Multiplicity = Multiplicity::Small(1);

    /// Whether this is a single path.
    #[must_use]
    pub fn is_one(&self) -> bool {
        *self == Multiplicity::ONE
    }

    /// The paths of two states.
    #[must_use]
    pub fn plus(&self, other: &Multiplicity) -> Multiplicity {
        let sum = match (self, other) {
            (Multiplicity::Small(a), Multiplicity::Small(b)) => a.checked_add(*b).map(Multiplicity::Small),
            _ => None,
        };
        sum.unwrap_or_else(|| Multiplicity::Large(Rc::new(self.to_big() + other.to_big())))
    }

    /// The number, to calculate with.
    #[must_use]
    pub fn to_big(&self) -> BigUint {
        match self {
            Multiplicity::Small(n) => BigUint::from(*n),
            Multiplicity::Large(n) => (**n).clone(),
        }
    }

    /// About the number; infinity if it is too large.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match self {
            Multiplicity::Small(n) => *n as f64,
            Multiplicity::Large(_) => self.ln().exp(),
        }
    }

    /// The natural logarithm; of zero, what it is of one.
    #[must_use]
    pub fn ln(&self) -> f64 {
        let n = self.to_big();
        let shift = n.bits().saturating_sub(64);
        let top = u64::try_from(n >> shift).unwrap_or(u64::MAX).max(1);
        (top as f64).ln() + shift as f64 * std::f64::consts::LN_2
    }
}

impl From<u64> for Multiplicity {
    fn from(n: u64) -> Self {
        Multiplicity::Small(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_exact_beyond_every_word() {
        let mut m = Multiplicity::ONE;
        for bits in 1..=300u32 {
            m = m.plus(&m);
            assert_eq!(m.to_big(), BigUint::from(1u8) << bits);
            assert!((m.to_f64().log2() - f64::from(bits)).abs() < 1e-9);
            assert!(!m.is_one());
        }
        assert_eq!(m.plus(&Multiplicity::ONE).to_big(), (BigUint::from(1u8) << 300u32) + 1u8);
        let huge = Multiplicity::Large(Rc::new(BigUint::from(1u8) << 5000u32));
        assert!((huge.ln() - 5000.0 * std::f64::consts::LN_2).abs() < 1e-6 && huge.to_f64().is_infinite());
    }
}
