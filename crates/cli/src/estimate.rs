//! How many paths a run stands for, from the multiplicities of its states.
//!
//! PLDI'12, section 5.2: multiplicity m over-approximates the number p of feasible paths, but
//! log p ≈ c1 + c2 · log m holds well for one program. `--exact-paths` counts both and fits the
//! coefficients; `--path-estimate` applies them to larger runs.

use rejoin_report::PathEstimate;

/// A line through the logarithms of the two counts as they grow, by least squares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Fit {
    /// A further point: multiplicity and paths so far.
    pub(crate) fn add(&mut self, m: u128, p: u128) {
        let (x, y) = ((m as f64).ln(), (p as f64).ln());
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The coefficients; points of one multiplicity say nothing about its exponent.
    pub(crate) fn estimate(&self, m: u128) -> Option<PathEstimate> {
        if self.n == 0.0 {
            return None;
        }
        let spread = self.n * self.xx - self.x * self.x;
        let c2 = if spread > 1e-9 { (self.n * self.xy - self.x * self.y) / spread } else { 1.0 };
        let c1 = (self.y - c2 * self.x) / self.n;
        Some(estimate(c1, c2, m))
    }
}

/// The estimate for a multiplicity.
pub(crate) fn estimate(c1: f64, c2: f64, m: u128) -> PathEstimate {
    PathEstimate { c1, c2, paths: (c1 + c2 * (m.max(1) as f64).ln()).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found() {
        let mut fit = Fit::default();
        assert_eq!(fit.estimate(5), None);
        for m in [1u128, 4, 16, 256, 1 << 20] {
            fit.add(m, (m as f64).sqrt() as u128);
        }
        let found = fit.estimate(1 << 40).unwrap();
        assert!((found.c2 - 0.5).abs() < 1e-9 && found.c1.abs() < 1e-9);
        assert!((found.paths / f64::from(1 << 20) - 1.0).abs() < 1e-6);
        let mut flat = Fit::default();
        flat.add(8, 2);
        assert_eq!(flat.estimate(8).unwrap().paths.round(), 2.0);
    }
}
