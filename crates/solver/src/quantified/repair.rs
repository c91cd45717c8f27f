//! Third stage: where duplication contradicts a clause, what is said of the bytes in question is said, and
//! only arrays are chosen anew.

use rejoin_expr::{Assignment, Node, Pool, Term, Var};
use rustc_hash::FxHashSet;

use super::duplicate::cell;
use super::{Query, accesses, mentions};

impl Query {
    /// Third stage: the bytes that violated clauses and indices read. Says what the quantifiers say
    /// of the indices that read them.
    pub(super) fn conflicts(&mut self, pool: &mut Pool, a: &Assignment) -> FxHashSet<Var> {
        let mut conflicts: FxHashSet<Var> = FxHashSet::default();
        for (n, j) in self.violations(pool, a) {
            conflicts.extend(self.cells(pool, a, n, j));
        }
        for &clause in &self.clauses {
            if !pool.is_quantified(clause) && pool.eval(clause, a) != 1 {
                conflicts.extend(read_by(pool, clause, a));
            }
        }
        for (n, k) in self.required(pool, a) {
            for j in 2..=k {
                if self.cells(pool, a, n, j).iter().any(|v| conflicts.contains(v)) {
                    self.instantiate(pool, n, j);
                }
            }
        }
        conflicts
    }

    /// Equations that leave only the arrays to be chosen that quantifiers range over.
    pub(super) fn all_but_arrays(&self, pool: &mut Pool, a: &Assignment) -> Vec<Term> {
        let mut free: FxHashSet<Var> = FxHashSet::default();
        for q in &self.quantifiers {
            for (array, _) in accesses(pool, q.body, |pool, at| mentions(pool, at, q.index)) {
                free.extend(pool.support_vars(pool.support(array)));
            }
        }
        let fixed: Vec<Var> = self.variables(pool).into_iter().filter(|v| !free.contains(v)).collect();
        fixed
            .into_iter()
            .map(|v| {
                let x = pool.var_term(v);
                let value = pool.constant(pool.width(x), a.get(v).unwrap_or(0));
                pool.eq(x, value)
            })
            .collect()
    }
}

/// The bytes of arrays of inputs that `t` reads.
fn read_by(pool: &Pool, t: Term, a: &Assignment) -> Vec<Var> {
    let mut cells = Vec::new();
    for u in pool.postorder(&[t]) {
        match pool.node(u) {
            Node::Var(v) if pool.input_place(v).is_some() => cells.push(v),
            Node::Select(array, at) => cells.extend(cell(pool, array, pool.eval(at, a))),
            _ => {}
        }
    }
    cells
}
