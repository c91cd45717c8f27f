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
    /// A further point: the logarithms of multiplicity and paths so far.
    pub(crate) fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The coefficients, for a logarithm of a multiplicity; points of one multiplicity say nothing about
    /// its exponent.
    pub(crate) fn estimate(&self, log_m: f64) -> Option<PathEstimate> {
        if self.n == 0.0 {
            return None;
        }
        let spread = self.n * self.xx - self.x * self.x;
        let c2 = if spread > 1e-9 { (self.n * self.xy - self.x * self.y) / spread } else { 1.0 };
        let c1 = (self.y - c2 * self.x) / self.n;
        Some(estimate(c1, c2, log_m))
    }
}

/// The estimate for the logarithm of a multiplicity.
pub(crate) fn estimate(c1: f64, c2: f64, log_m: f64) -> PathEstimate {
    PathEstimate { c1, c2, paths: (c1 + c2 * log_m).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found() {
        let mut fit = Fit::default();
        assert_eq!(fit.estimate(5.0), None);
        for m in [1.0f64, 4.0, 16.0, 256.0, 1048576.0] {
            fit.add(m.ln(), m.sqrt().ln());
        }
        let found = fit.estimate(f64::from(40) * std::f64::consts::LN_2).unwrap();
        assert!((found.c2 - 0.5).abs() < 1e-9 && found.c1.abs() < 1e-9);
        assert!((found.paths / f64::from(1 << 20) - 1.0).abs() < 1e-6);
        let mut flat = Fit::default();
        flat.add(8f64.ln(), 2f64.ln());
        assert_eq!(flat.estimate(8f64.ln()).unwrap().paths.round(), 2.0);
    }
}
