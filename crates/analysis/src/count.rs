//! Numbers for query counts: as large as a program makes them.
//!
//! Counts multiply with every branch and every iteration; those of a program that is linked with a
//! C library leave the range of `f64`, and only their ratio matters. So they carry a second
//! exponent. Up to 2^256 a count is computed exactly as an `f64` is.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul};

/// A number that is not negative: `m * 2^(512 * e)`. If `e` is not 0, `m` is from 2^-256 to 2^256,
/// so equal numbers have equal parts.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Count {
    m: f64,
    e: u32,
}

/// 2^256.
const LIMIT: f64 = f64::from_bits((1023 + 256) << 52);
/// 2^-256.
const FLOOR: f64 = 1.0 / LIMIT;

impl Count {
    /// Zero.
    pub const ZERO: Count = Count { m: 0.0, e: 0 };
    /// One.
    pub const ONE: Count = Count { m: 1.0, e: 0 };

    fn new(m: f64, e: u32) -> Self {
        if m >= LIMIT {
            Count { m: m * FLOOR * FLOOR, e: e.saturating_add(1) }
        } else if e > 0 && m < FLOOR && m > 0.0 {
            Count { m: m * LIMIT * LIMIT, e: e - 1 }
        } else {
            Count { m, e: if m > 0.0 { e } else { 0 } }
        }
    }

    /// As an `f64`; infinite if it is too large for one.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self.e {
            0 => self.m,
            1 => self.m * LIMIT * LIMIT,
            _ => f64::INFINITY,
        }
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.m == 0.0
    }

    /// The smaller of two counts.
    #[must_use]
    pub fn min(self, other: Count) -> Count {
        if other < self { other } else { self }
    }

    /// The larger of two counts.
    #[must_use]
    pub fn max(self, other: Count) -> Count {
        if other > self { other } else { self }
    }

    /// Which is larger; counts are never NaN.
    #[must_use]
    pub fn total_cmp(self, other: Count) -> Ordering {
        self.e.cmp(&other.e).then(self.m.total_cmp(&other.m))
    }

    /// The decimal logarithm; minus infinity for zero.
    #[must_use]
    pub fn log10(self) -> f64 {
        self.m.log10() + 512.0 * f64::from(self.e) * std::f64::consts::LOG10_2
    }
}

impl From<f64> for Count {
    /// Negative numbers and NaN become 0, an infinite one 2^512.
    fn from(x: f64) -> Self {
        if x > f64::MAX {
            Count { m: 1.0, e: 1 }
        } else if x > 0.0 {
            Count::new(x, 0)
        } else {
            Count::ZERO
        }
    }
}

impl Add for Count {
    type Output = Count;

    #[inline]
    fn add(self, other: Count) -> Count {
        let (large, small) = if self.e >= other.e { (self, other) } else { (other, self) };
        match large.e - small.e {
            0 => Count::new(large.m + small.m, large.e),
            1 => Count::new(large.m + small.m * FLOOR * FLOOR, large.e),
            _ => large,
        }
    }
}

impl AddAssign for Count {
    #[inline]
    fn add_assign(&mut self, other: Count) {
        *self = *self + other;
    }
}

impl Mul for Count {
    type Output = Count;

    #[inline]
    fn mul(self, other: Count) -> Count {
        Count::new(self.m * other.m, self.e.saturating_add(other.e))
    }
}

impl Mul<f64> for Count {
    type Output = Count;

    #[inline]
    fn mul(self, factor: f64) -> Count {
        self * Count::from(factor)
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::ZERO, Add::add)
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Count) -> Option<Ordering> {
        Some(self.total_cmp(*other))
    }
}

/// Up to four digits after the point, or a power of ten where that is shorter.
impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.is_zero() || (self.e == 0 && (1e-2..1e6).contains(&self.m)) {
            let text = format!("{:.4}", self.m);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            let log = self.log10();
            format!("{:.3}e{}", 10f64.powf(log - log.floor()), log.floor())
        };
        out.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    fn power(x: f64, n: u32) -> Count {
        (0..n).fold(Count::ONE, |p, _| p * x)
    }

    #[test]
    fn usual_numbers_are_those_of_f64() {
        let sum: Count = [0.1, 0.2, 1e50].into_iter().map(Count::from).sum();
        assert_eq!(sum.to_f64(), 0.1 + 0.2 + 1e50);
        assert_eq!((Count::from(0.6) * 0.6).to_f64(), 0.6 * 0.6);
        assert!(Count::from(-1.0).is_zero() && Count::from(f64::NAN).is_zero());
    }

    #[test]
    fn huge_numbers_keep_their_ratio() {
        let (a, b) = (power(1e10, 400), power(1e10, 400) * 1.5);
        assert!(b > a && a > power(1e10, 399));
        assert!((b.log10() - 4000.176).abs() < 1e-3);
        assert_eq!(b.to_string(), "1.500e4000");
        let back = (0..399).fold(a, |x, _| x * 1e-10);
        assert!((back.log10() - 10.0).abs() < 1e-6, "{back}");
        assert_eq!(a + Count::ONE, a);
        assert!(a.to_f64().is_infinite());
        assert!(((a + b) * 1e-12).log10() > 3988.0);
    }

    #[test]
    fn the_exponent_saturates() {
        let mut x = power(2.0, 512);
        for _ in 0..64 {
            x = x * x;
        }
        assert!((x * x + x).log10().is_finite() && x > power(1e100, 100));
    }

    #[test]
    fn counts_are_shown_short() {
        let shown = [2.92, 1.0, 0.0, 123456.7, 1.838e8, 1e-5].map(|x| Count::from(x).to_string());
        assert_eq!(shown, ["2.92", "1", "0", "123456.7", "1.838e8", "1.000e-5"]);
        assert_eq!(format!("{:>6}|", Count::ONE), "     1|");
    }
}
