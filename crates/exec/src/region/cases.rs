//! What a merged value is for each value of k, read off the choices that merging made.
//!
//! Asking each of n words for each of n values of k by substitution goes over n choices every time, which is
//! cubic in the capacity where a loop writes a buffer. Here each condition on k alone is a set of values of
//! k, found once, and a word is gone through once for all of them.

use rejoin_expr::{Assignment, Binary, Node, Pool, Term, Unary, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set of places in the list of the values of k.
type Set = Rc<[u64]>;

/// Reads choices by one variable.
pub(super) struct Cases<'a> {
    k: Term,
    var: Var,
    ks: &'a [u128],
    /// Where conditions on k alone hold.
    known: FxHashMap<Term, Set>,
}

impl<'a> Cases<'a> {
    pub(super) fn new(k: Term, var: Var, ks: &'a [u128]) -> Self {
        Cases { k, var, ks, known: FxHashMap::default() }
    }

    /// Whether k occurs in `t`.
    pub(super) fn depends(&self, pool: &Pool, t: Term) -> bool {
        pool.support_vars(pool.support(t)).binary_search(&self.var).is_ok()
    }

    /// What `t` is for each value of k.
    pub(super) fn of(&mut self, pool: &mut Pool, t: Term) -> Vec<Term> {
        let mut values = vec![t; self.ks.len()];
        let all: Set = vec![u64::MAX; self.ks.len().div_ceil(64)].into();
        let mut todo = vec![(t, all)];
        while let Some((t, active)) = todo.pop() {
            if active.iter().all(|w| *w == 0) {
                continue;
            }
            if let Node::Ite(cond, then, els) = pool.node(t)
                && let Some(holds) = self.holds(pool, cond)
            {
                let side = |f: fn(u64, u64) -> u64| -> Set {
                    active.iter().zip(holds.iter()).map(|(a, h)| f(*a, *h)).collect()
                };
                todo.push((then, side(|a, h| a & h)));
                todo.push((els, side(|a, h| a & !h)));
                continue;
            }
            let depends = self.depends(pool, t);
            for n in (0..self.ks.len()).filter(|n| active[n / 64] >> (n % 64) & 1 == 1) {
                values[n] = if depends { self.fixed(pool, t, self.ks[n]) } else { t };
            }
        }
        values
    }

    fn fixed(&self, pool: &mut Pool, t: Term, value: u128) -> Term {
        let value = pool.constant(pool.width(self.k), value);
        pool.substitute(t, &mut |v| (v == self.var).then_some(value))
    }

    /// Where a condition holds, if it is one on k alone.
    fn holds(&mut self, pool: &Pool, cond: Term) -> Option<Set> {
        if pool.support_vars(pool.support(cond)) != [self.var] {
            return None;
        }
        let mut todo = vec![cond];
        while let Some(&t) = todo.last() {
            let found = match pool.node(t) {
                _ if self.known.contains_key(&t) => None,
                Node::Unary(Unary::Not, a) => match self.known.get(&a) {
                    Some(set) => Some(set.iter().map(|w| !w).collect()),
                    None => {
                        todo.push(a);
                        continue;
                    }
                },
                Node::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                    match (self.known.get(&a), self.known.get(&b)) {
                        (Some(x), Some(y)) => {
                            let both = |(x, y): (&u64, &u64)| if op == Binary::And { x & y } else { x | y };
                            Some(x.iter().zip(y.iter()).map(both).collect())
                        }
                        _ => {
                            todo.extend([a, b]);
                            continue;
                        }
                    }
                }
                _ => Some(self.evaluated(pool, t)),
            };
            todo.pop();
            if let Some(set) = found {
                self.known.insert(t, set);
            }
        }
        self.known.get(&cond).cloned()
    }

    fn evaluated(&self, pool: &Pool, cond: Term) -> Set {
        let mut set = vec![0u64; self.ks.len().div_ceil(64)];
        for (n, &value) in self.ks.iter().enumerate() {
            let given: Assignment = [(self.var, value)].into_iter().collect();
            set[n / 64] |= u64::from(pool.eval(cond, &given) != 0) << (n % 64);
        }
        set.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chains of choices give what substitution gives.
    #[test]
    fn choices_are_read_as_substitution_would() {
        let mut pool = Pool::new();
        let k = pool.var(8, "k");
        let Node::Var(var) = pool.node(k) else { panic!("a variable") };
        let s: Vec<Term> = (0..4).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        let ks: Vec<u128> = vec![70, 3, 2, 1, 0];
        let mut t = s[3];
        for (n, value) in [(0, 3u128), (0, 2), (1, 1), (2, 0)] {
            let value = pool.constant(8, value);
            let here = pool.eq(k, value);
            t = pool.ite(here, s[n], t);
        }
        let sum = pool.add(t, k);
        let two = pool.constant(8, 2);
        let (low, odd) = (pool.ult(k, two), pool.eq(s[0], k));
        let either = pool.ite(low, t, sum);
        let other = pool.ite(odd, t, s[1]);
        for t in [t, sum, either, other, s[2]] {
            let found = Cases::new(k, var, &ks).of(&mut pool, t);
            for (&value, &found) in ks.iter().zip(&found) {
                let value = pool.constant(8, value);
                let expected = pool.substitute(t, &mut |v| (v == var).then_some(value));
                assert_eq!(found, expected, "{}", pool.display(t));
            }
        }
    }
}
