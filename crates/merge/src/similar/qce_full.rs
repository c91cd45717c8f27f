//! Query count estimation with the cost of if-then-else terms, equation 7 of Kuznetsov et al., PLDI
//! 2012: states are similar if
//!
//! (ζ-1) · max { Q_ite(ℓ, v) : v differs, symbolic in one } + max { Q_add(ℓ, v) : v differs, concrete
//! in both } ≤ α · Q_t(ℓ)
//!
//! where Q_ite = Q_add. The paper has `<`; with `≤`, ζ = 1 is exactly equation 1.

use super::Similarity;
use super::qce::Qce;
use super::variables::{Difference, Pair};
use rejoin_analysis::qce::{self, Count};
use rejoin_exec::{Against, Machine, State};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Similarity by query counts and the cost of if-then-else terms.
pub struct QceFull {
    /// For abstractions: what differs in a hot variable costs more than is allowed, whatever ζ is.
    hot: Qce,
    zeta: f64,
    /// Per context and instruction: the counts, largest Q_add first.
    counts: FxHashMap<(u32, u32), Rc<qce::StackCounts>>,
}

impl QceFull {
    /// With counts of the machine's program.
    #[must_use]
    pub fn new(counts: qce::Qce, zeta: f64) -> Self {
        QceFull { hot: Qce::new(counts), zeta, counts: FxHashMap::default() }
    }

    fn counts(&mut self, m: &Machine, s: &State) -> Rc<qce::StackCounts> {
        let compute = || {
            let mut counts = self.hot.stack_counts(m, s);
            counts.q_add.sort_by(|a, b| b.1.total_cmp(a.1));
            Rc::new(counts)
        };
        Rc::clone(self.counts.entry((s.frame.context, s.frame.pc)).or_insert_with(compute))
    }
}

impl Similarity for QceFull {
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against> {
        let params = self.hot.params();
        if !params.alpha.is_finite() {
            return Ok(());
        }
        let allowed = params.alpha;
        let counts = self.counts(m, a);
        let pair = Pair::new(m, a, b);
        let (mut ite, mut add) = (None, None);
        for &(variable, q) in &counts.q_add {
            match pair.difference(variable) {
                Difference::None => {}
                Difference::Symbolic => ite = ite.or(Some((variable, q))),
                Difference::Concrete => add = add.or(Some((variable, q))),
            }
            // All others have smaller counts.
            if ite.is_some() && add.is_some() {
                break;
            }
        }
        let count = |of: Option<(_, Count)>| of.map_or(Count::ZERO, |(_, q)| q);
        let cost = count(ite) * (self.zeta - 1.0) + count(add);
        match add.or(ite) {
            Some((variable, _)) if cost > counts.q_t * allowed => Err(pair.against(variable)),
            _ => Ok(()),
        }
    }

    fn abstraction(&mut self, m: &Machine, s: &State, out: &mut Vec<u64>) {
        self.hot.abstraction(m, s, out);
    }
}
