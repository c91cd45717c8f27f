//! Last stage: lazy instantiation, which ends with a definite answer because bounds are finite.

use rejoin_expr::{Assignment, Pool, Var};
use rustc_hash::FxHashSet;

use super::{Query, Stage, sat};
use crate::Solver;
use crate::backend::{Outcome, Stop};

impl Query {
    /// Last stage: says what the quantifiers say of the violated indices.
    fn refine(&mut self, pool: &mut Pool, a: &Assignment) {
        for (n, j) in self.violations(pool, a) {
            self.instantiate(pool, n, j);
        }
    }

    /// Is some violated index one of which nothing was said?
    fn has_news(&self, pool: &Pool, a: &Assignment) -> bool {
        self.violations(pool, a).iter().any(|v| !self.instantiated.contains(v))
    }
}

impl Solver {
    /// Adds what the values violate until nothing is violated or nothing is left.
    pub(super) fn by_instantiation(
        &mut self,
        pool: &mut Pool,
        query: &mut Query,
        mut model: Assignment,
        vars: &[Var],
        stop: &Stop,
    ) -> Outcome {
        let mut progress = true;
        while progress {
            query.refine(pool, &model);
            model = match self.ask(pool, query, &[], vars, stop) {
                Stage::Done(outcome) => {
                    self.statistics.instantiation_hits += 1;
                    return outcome;
                }
                Stage::Model(model) => model,
            };
            let guess = query.duplicate(pool, &model, &FxHashSet::default());
            if query.holds(pool, &guess) {
                self.statistics.instantiation_hits += 1;
                return sat(&guess, vars);
            }
            progress = query.has_news(pool, &model);
        }
        Outcome::Unknown(crate::Why::GaveUp)
    }
}
