//! Storage for evaluation, kept from one use to the next.

use rejoin_expr::{Assignment, Evaluator, Pool, Term, Var};

/// An evaluator with an assignment that is filled as needed. Values of variables that a term does
/// not have may be left over from earlier uses; nobody reads them.
#[derive(Default)]
pub(crate) struct Scratch {
    evaluator: Evaluator,
    assignment: Assignment,
}

impl Scratch {
    /// The value of a term when variables have these values.
    pub(crate) fn eval(&mut self, pool: &Pool, t: Term, value: impl Fn(Var) -> u128) -> u128 {
        if let Some(constant) = pool.as_const(t) {
            return constant;
        }
        for &v in pool.support_vars(pool.support(t)) {
            self.assignment.set(v, value(v));
        }
        self.evaluator.under(pool, &self.assignment).eval(t)
    }

    /// Are all conditions true when their variables, all of which are given, have these values?
    pub(crate) fn satisfies(
        &mut self,
        pool: &Pool,
        values: impl Iterator<Item = (Var, u128)>,
        conditions: impl IntoIterator<Item = Term>,
    ) -> bool {
        for (v, value) in values {
            self.assignment.set(v, value);
        }
        let mut evaluation = self.evaluator.under(pool, &self.assignment);
        conditions.into_iter().all(|c| evaluation.is_true(c))
    }
}
