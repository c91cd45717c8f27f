//! Storage for evaluation, kept from one use to the next.

use rejoin_expr::{Assignment, Evaluation, Evaluator, Pool, Term, Var};

/// So many assignments are remembered with what was computed under them.
const SLOTS: usize = 4;
/// With more terms than this only one is: each needs room for all terms.
const MANY_TERMS: usize = 1 << 20;

/// The last few assignments, the latest first. Questions about one path are asked under one witness,
/// and long conditions share most of their terms: these are evaluated once.
#[derive(Default)]
pub(crate) struct Scratch {
    slots: Vec<Slot>,
    wanted: Vec<(Var, u128)>,
}

/// An assignment, and the values of terms under it.
#[derive(Default)]
struct Slot {
    evaluator: Evaluator,
    assignment: Assignment,
}

impl Slot {
    /// Whether the variables have these values; one that has none counts as 0.
    fn has(&self, values: &[(Var, u128)]) -> bool {
        values.iter().all(|&(v, value)| self.assignment.get(v).unwrap_or(0) == value)
    }
}

impl Scratch {
    /// The value of a term when variables have these values.
    pub(crate) fn eval(&mut self, pool: &Pool, t: Term, value: impl Fn(Var) -> u128) -> u128 {
        if let Some(constant) = pool.as_const(t) {
            return constant;
        }
        let vars = pool.support_vars(pool.support(t));
        self.under(pool, vars.iter().map(|&v| (v, value(v)))).eval(t)
    }

    /// Are all conditions true when their variables, all of which are given, have these values?
    pub(crate) fn satisfies(
        &mut self,
        pool: &Pool,
        values: impl Iterator<Item = (Var, u128)>,
        conditions: impl IntoIterator<Item = Term>,
    ) -> bool {
        let mut evaluation = self.under(pool, values);
        conditions.into_iter().all(|c| evaluation.is_true(c))
    }

    /// Evaluation when variables have these values. Other variables have any; nobody reads them.
    fn under<'a>(&'a mut self, pool: &'a Pool, values: impl Iterator<Item = (Var, u128)>) -> Evaluation<'a> {
        self.wanted.clear();
        self.wanted.extend(values);
        let wanted = &self.wanted;
        let known = self.slots.iter().position(|slot| slot.has(wanted));
        let limit = if pool.len() > MANY_TERMS { 1 } else { SLOTS };
        self.slots.truncate(limit.max(known.map_or(0, |at| at + 1)));
        if known.is_none() && self.slots.len() < limit {
            self.slots.push(Slot::default());
        }
        let last = self.slots.len() - 1;
        self.slots[..=known.unwrap_or(last)].rotate_right(1);
        let Slot { evaluator, assignment } = &mut self.slots[0];
        if known.is_some() {
            return evaluator.again(pool, assignment);
        }
        wanted.iter().for_each(|&(v, value)| assignment.set(v, value));
        evaluator.under(pool, assignment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_assignment_however_often_it_changes() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
        let sum = pool.add(x, y);
        let product = pool.mul(sum, y);
        let mut scratch = Scratch::default();
        let mut n = 1u128;
        for _ in 0..300 {
            n = n * 1_103_515_245 % 2_147_483_647;
            let (a, b) = (n % 3, n / 7 % 3);
            let value = |v: Var| if v == Var(0) { a } else { b };
            assert_eq!(scratch.eval(&pool, sum, value), (a + b) & 255);
            assert_eq!(scratch.eval(&pool, y, |_| b), b);
            assert_eq!(scratch.eval(&pool, product, value), ((a + b) * b) & 255);
        }
        assert_eq!(scratch.slots.len(), SLOTS);
    }
}
