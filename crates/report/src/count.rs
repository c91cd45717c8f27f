//! Counts that stay exact at any size: a merged state can stand for more paths than 2^128.

use std::{fmt, ops::AddAssign, str::FromStr};

use num_bigint::BigUint;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// A natural number; in JSON a plain number with all its digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(BigUint);

impl Count {
    /// Zero.
    pub fn zero() -> Self {
        Self::default()
    }

    /// One.
    pub fn one() -> Self {
        Self::from(1u64)
    }

    /// For people: all digits, or the first two and the exponent where nobody would read them all.
    pub fn readable(&self) -> String {
        let digits = self.to_string();
        match digits.len() {
            0..=18 => digits,
            n => format!("{}.{}e{}", &digits[..1], &digits[1..2], n - 1),
        }
    }

    /// The value, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(&self.0).ok()
    }
}

impl From<u64> for Count {
    fn from(n: u64) -> Self {
        Self(n.into())
    }
}

impl From<u128> for Count {
    fn from(n: u128) -> Self {
        Self(n.into())
    }
}

impl From<BigUint> for Count {
    fn from(n: BigUint) -> Self {
        Self(n)
    }
}

impl FromStr for Count {
    type Err = num_bigint::ParseBigIntError;

    fn from_str(digits: &str) -> Result<Self, Self::Err> {
        digits.parse().map(Self)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        self.0 += &other.0;
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        Self(counts.map(|c| c.0).sum())
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_string()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(|_| de::Error::custom(format!("not a natural number: {}", raw.get())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_every_digit() {
        let mut n = Count::from(u128::MAX);
        n += &Count::one();
        let json = serde_json::to_string(&n).unwrap();
        assert_eq!(json, "340282366920938463463374607431768211456");
        assert_eq!(serde_json::from_str::<Count>(&json).unwrap(), n);
        assert_eq!(n.to_u64(), None);
    }

    #[test]
    fn what_is_not_a_natural_number_is_refused() {
        for bad in ["-1", "1.5", "\"7\"", "null", "[]"] {
            assert!(serde_json::from_str::<Count>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn large_numbers_are_short_for_people() {
        assert_eq!(Count::from(999_999_999_999_999_999u64).readable(), "999999999999999999");
        assert_eq!(Count::from(1_690_000_000_000_000_000u64).readable(), "1.6e18");
        assert_eq!(Count::zero().readable(), "0");
    }

    #[test]
    fn sums() {
        let total: Count = [1u64, 2, 3].into_iter().map(Count::from).sum();
        assert_eq!(total.to_u64(), Some(6));
    }
}
