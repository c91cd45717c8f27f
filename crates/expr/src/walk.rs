//! The terms below a term.

use rustc_hash::FxHashSet;

use crate::node::Term;
use crate::pool::Pool;

impl Pool {
    /// Every term reachable from `roots`, once, operands before what they are operands of.
    #[must_use]
    pub fn postorder(&self, roots: &[Term]) -> Vec<Term> {
        self.postorder_until(roots, |_| false)
    }

    /// As `postorder`, without looking below the terms for which `stop` holds.
    pub(crate) fn postorder_until(&self, roots: &[Term], stop: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut pending: Vec<Term> = roots.to_vec();
        let mut order = Vec::new();
        while let Some(t) = pending.pop() {
            if seen.insert(t) {
                order.push(t);
                if !stop(t) {
                    pending.extend(self.node(t).operands());
                }
            }
        }
        // An operand is made before the term that uses it, so its number is smaller.
        order.sort_unstable();
        self.visited.set(self.visited.get() + order.len() as u64);
        order
    }

    /// How many different terms `t` consists of.
    #[must_use]
    pub fn size(&self, t: Term) -> usize {
        self.postorder(&[t]).len()
    }
}
