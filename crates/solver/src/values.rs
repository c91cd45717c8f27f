//! Which values can a term have on a path?

use rejoin_expr::{Pool, Term};

use crate::{Answer, Model, Path, Solver, Why};

/// Some values of a term, each with values of the variables that lead to it.
#[derive(Clone, Debug)]
pub struct Values {
    /// Different values, in the order in which they were found.
    pub found: Vec<(u128, Model)>,
    /// Are these all? If not: the limit was reached, or this is why nobody knows.
    pub complete: Result<(), Option<Why>>,
}

impl Solver {
    /// The value of `t`, of at most 128 bits, if it has only one on `path`.
    pub fn unique_value(&mut self, pool: &mut Pool, path: &Path, t: Term) -> Option<u128> {
        if let Some(value) = pool.as_const(t) {
            return Some(value);
        }
        let value = match path.witness_value(pool, t) {
            Some(value) => value,
            None => {
                let tru = pool.tru();
                self.check(pool, path, tru).model()?.eval(pool, t)
            }
        };
        let is_other = differs(pool, t, value);
        self.check(pool, path, is_other).is_unsat().then_some(value)
    }

    /// Up to `limit` values of `t`, which has at most 128 bits.
    pub fn values(&mut self, pool: &mut Pool, path: &Path, t: Term, limit: usize) -> Values {
        let mut found = Vec::new();
        let mut another = pool.tru();
        loop {
            let complete = match self.check(pool, path, another) {
                Answer::Sat(_) if found.len() == limit => Err(None),
                Answer::Sat(model) => {
                    let value = model.eval(pool, t);
                    found.push((value, model));
                    let is_other = differs(pool, t, value);
                    another = pool.and(another, is_other);
                    continue;
                }
                Answer::Unsat => Ok(()),
                Answer::Unknown(why) => Err(Some(why)),
            };
            return Values { found, complete };
        }
    }

    /// The least and the greatest value of `t` as an unsigned number of at most 128 bits; `None` if
    /// the path is impossible or a question has no answer.
    pub fn range(&mut self, pool: &mut Pool, path: &Path, t: Term) -> Option<(u128, u128)> {
        let (lo, hi) = pool.interval(t);
        let tru = pool.tru();
        let some = match path.witness_value(pool, t) {
            Some(value) => value,
            None => self.check(pool, path, tru).model()?.eval(pool, t),
        };
        let least = self.extreme(pool, path, t, lo, some, false)?;
        let greatest = self.extreme(pool, path, t, hi, some, true)?;
        Some((least, greatest))
    }

    /// The extreme value of `t` between a bound, which it cannot pass, and a value that it has.
    fn extreme(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        t: Term,
        mut bound: u128,
        mut reached: u128,
        up: bool,
    ) -> Option<u128> {
        let width = pool.width(t);
        while bound != reached {
            // The middle, nearer to the bound: the question is always a new one.
            let half = reached.abs_diff(bound).div_ceil(2);
            let middle = if up { reached + half } else { reached - half };
            let limit = pool.constant(width, middle);
            let further = if up { pool.ule(limit, t) } else { pool.ule(t, limit) };
            match self.check(pool, path, further) {
                Answer::Sat(model) => reached = model.eval(pool, t),
                Answer::Unsat => bound = if up { middle - 1 } else { middle + 1 },
                Answer::Unknown(_) => return None,
            }
        }
        Some(reached)
    }
}

fn differs(pool: &mut Pool, t: Term, value: u128) -> Term {
    let width = pool.width(t);
    let value = pool.constant(width, value);
    pool.ne(t, value)
}
