//! Second stage: what a model has at index 1 is a guess for all indices.

use rejoin_expr::{Assignment, Node, Pool, Term, Var};
use rustc_hash::FxHashSet;

use super::{Query, accesses, mentions};

impl Query {
    /// The bytes that the body of a quantifier reads at an index.
    pub(super) fn cells(&self, pool: &Pool, a: &Assignment, n: usize, j: u128) -> Vec<Var> {
        let q = self.quantifiers[n];
        let mut a = a.clone();
        a.set(q.index, j);
        let reads = accesses(pool, q.body, |pool, at| mentions(pool, at, q.index));
        reads.into_iter().filter_map(|(array, at)| cell(pool, array, pool.eval(at, &a))).collect()
    }

    /// Second stage: what is read at index 1 is put where other indices read, but for `skipped`.
    pub(super) fn duplicate(&self, pool: &Pool, a: &Assignment, skipped: &FxHashSet<Var>) -> Assignment {
        let mut a = a.clone();
        for (n, k) in self.required(pool, &a) {
            if k < 2 {
                continue;
            }
            let first = self.cells(pool, &a, n, 1);
            for j in 2..=k {
                for (&from, to) in first.iter().zip(self.cells(pool, &a, n, j)) {
                    if !skipped.contains(&to) {
                        a.set(to, a.get(from).unwrap_or(0));
                    }
                }
            }
        }
        a
    }
}

/// The variable of an array of inputs at an index.
pub(super) fn cell(pool: &Pool, array: Term, at: u128) -> Option<Var> {
    let Node::Inputs(id) = pool.node(array) else { return None };
    let t = *pool.input_table(id).get(usize::try_from(at).ok()?)?;
    match pool.node(t) {
        Node::Var(v) => Some(v),
        _ => None,
    }
}
