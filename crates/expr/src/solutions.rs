//! All values of a few bytes that satisfy some conditions.

use std::ops::ControlFlow;

use crate::byteset::ByteSet;
use crate::lanes::Tape;
use crate::node::{Term, Var};
use crate::pool::Pool;

/// An enumeration: every solution once, in an order that depends on the question alone.
pub struct Solutions<'a> {
    tape: Tape<'a>,
    /// The bytes with what they may be, those with the fewest values first.
    bytes: Vec<(Var, ByteSet)>,
    /// Per byte, the conditions that mention it and none that follows.
    conditions: Vec<Vec<Term>>,
    /// A condition without variables is false.
    none: bool,
    chosen: Vec<u8>,
    /// Whether to give up; asked before every sweep over the last byte.
    stop: Option<&'a dyn Fn() -> bool>,
}

/// Solutions that differ in the last byte only.
pub struct Solution<'s> {
    tape: &'s Tape<'s>,
    bytes: &'s [(Var, ByteSet)],
    chosen: &'s [u8],
    /// The values of the last byte.
    pub last: ByteSet,
}

impl<'a> Solutions<'a> {
    /// Prepares to enumerate the `bytes` within their sets under `conditions`; `terms` can be looked
    /// at for each solution. There must be a byte, and no term may have other variables.
    #[must_use]
    pub fn new(pool: &'a Pool, mut bytes: Vec<(Var, ByteSet)>, conditions: &[Term], terms: &[Term]) -> Self {
        bytes.sort_by_key(|&(v, set)| (set.len(), v));
        let vars: Vec<Var> = bytes.iter().map(|&(v, _)| v).collect();
        let all: Vec<Term> = conditions.iter().chain(terms).copied().collect();
        let tape = Tape::new(pool, &vars, &all);
        let mut by_level = vec![Vec::new(); bytes.len()];
        let mut none = false;
        for &c in conditions {
            match tape.level(c) {
                Some(level) => by_level[level].push(c),
                None => none |= tape.holds(c).is_empty(),
            }
        }
        Solutions { tape, bytes, conditions: by_level, none, chosen: Vec::new(), stop: None }
    }

    /// Gives up once `stop` says so.
    #[must_use]
    pub fn until(self, stop: &'a dyn Fn() -> bool) -> Self {
        Solutions { stop: Some(stop), ..self }
    }

    /// How many values have to be computed, if no condition rules anything out early.
    #[must_use]
    pub fn work(&self) -> u64 {
        let (_, outer) = self.bytes.split_last().unwrap_or((&(Var(0), ByteSet::FULL), &[]));
        let sweeps = outer.iter().fold(1u64, |n, (_, set)| n.saturating_mul(set.len().into()));
        sweeps.saturating_mul(256 * (self.tape.lane_terms() as u64 + 1))
    }

    /// Shows all solutions, until one of them is enough or it is time to stop.
    pub fn visit(&mut self, each: &mut dyn FnMut(&Solution) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.none { ControlFlow::Continue(()) } else { self.below(each) }
    }

    fn below(&mut self, each: &mut dyn FnMut(&Solution) -> ControlFlow<()>) -> ControlFlow<()> {
        let level = self.chosen.len();
        let allowed = self.bytes[level].1;
        if level + 1 == self.bytes.len() {
            if self.stop.is_some_and(|stop| stop()) {
                return ControlFlow::Break(());
            }
            self.tape.sweep();
            let last = self.conditions[level].iter().fold(allowed, |s, &c| s.intersect(self.tape.holds(c)));
            let (tape, bytes, chosen) = (&self.tape, &self.bytes[..], &self.chosen[..]);
            return match last.is_empty() {
                true => ControlFlow::Continue(()),
                false => each(&Solution { tape, bytes, chosen, last }),
            };
        }
        for byte in allowed.iter() {
            self.tape.set(level, byte);
            if self.conditions[level].iter().all(|&c| self.tape.value(c, 0) != 0) {
                self.chosen.push(byte);
                let flow = self.below(each);
                self.chosen.pop();
                flow?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Solution<'_> {
    /// The values of the bytes, when the last one is `last`.
    pub fn bytes(&self, last: u8) -> impl Iterator<Item = (Var, u8)> + '_ {
        let values = self.chosen.iter().copied().chain([last]);
        self.bytes.iter().zip(values).map(|(&(var, _), byte)| (var, byte))
    }

    /// The value of one of the terms, when the last byte is `last`.
    #[must_use]
    pub fn value(&self, t: Term, last: u8) -> u128 {
        self.tape.value(t, last)
    }

    /// Does the term's value depend on the last byte?
    #[must_use]
    pub fn varies(&self, t: Term) -> bool {
        self.tape.level(t) == Some(self.bytes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;

    /// Every operator, narrow and wide, over three bytes against plain evaluation.
    #[test]
    fn solutions_are_those_that_evaluation_finds() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let (a, b) = (pool.sext(v[0], 64), pool.zext(v[1], 64));
        let (c, k) = (pool.sext(v[2], 64), pool.constant(64, 12345));
        let product = pool.mul(a, k);
        let sum = pool.add(product, b);
        let quotient = pool.binary(crate::Binary::SDiv, sum, c);
        let (wide, wide_c) = (pool.sext(quotient, 128), pool.sext(c, 128));
        let shifted = pool.binary(crate::Binary::Shl, wide, wide_c);
        let huge = pool.concat(shifted, wide);
        let huge = pool.add(huge, huge);
        let part = pool.extract(huge, 100, 40);
        let table = pool.const_array(&[9, 8, 7, 6, 5]);
        let index = pool.zext(v[2], 32);
        let read = pool.select(table, index);
        let (first, last) = (pool.ult(v[0], v[1]), pool.binary(crate::Binary::Sle, c, sum));
        let mixed = pool.ite(last, read, v[0]);
        let (conditions, terms) = ([first, last], [quotient, shifted, part, mixed, v[1]]);
        let sets: [ByteSet; 3] = [
            [0, 7, 200].into_iter().collect(),
            (5..9).chain([255]).collect(),
            (0..=255).step_by(5).collect(),
        ];
        let value = |t, bytes: [u8; 3]| {
            let values = bytes.iter().enumerate().map(|(i, &b)| (Var(i as u32), b.into()));
            pool.eval(t, &Assignment::from_iter(values))
        };
        let mut expected = Vec::new();
        for (x, y) in sets[0].iter().flat_map(|x| sets[1].iter().map(move |y| (x, y))) {
            for bytes in sets[2].iter().map(|z| [x, y, z]) {
                if conditions.iter().all(|&c| value(c, bytes) == 1) {
                    expected.push((bytes, terms.map(|t| value(t, bytes))));
                }
            }
        }
        let bytes = (0..3).map(|i| (Var(i as u32), sets[i])).collect();
        let mut found = Vec::new();
        let flow = Solutions::new(&pool, bytes, &conditions, &terms).visit(&mut |solution| {
            for last in solution.last.iter() {
                let mut bytes: Vec<(Var, u8)> = solution.bytes(last).collect();
                bytes.sort_unstable();
                let bytes: Vec<u8> = bytes.into_iter().map(|(_, byte)| byte).collect();
                found.push(([bytes[0], bytes[1], bytes[2]], terms.map(|t| solution.value(t, last))));
            }
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        expected.sort_unstable();
        assert!(flow.is_continue() && !expected.is_empty());
        assert_eq!(found, expected);
    }

    #[test]
    fn an_enumeration_stops_when_it_is_told_to() {
        let mut pool = Pool::new();
        let bytes = (0..3)
            .map(|i| {
                pool.var(8, &format!("v{i}"));
                (Var(i), ByteSet::FULL)
            })
            .collect();
        let (asked, mut shown) = (std::cell::Cell::new(0), 0);
        let stop = || asked.replace(asked.get() + 1) >= 3;
        let flow = Solutions::new(&pool, bytes, &[], &[]).until(&stop).visit(&mut |_| {
            shown += 1;
            ControlFlow::Continue(())
        });
        assert!(flow.is_break());
        assert_eq!((asked.get(), shown), (4, 3));
    }

    #[test]
    fn a_false_constant_leaves_no_solution() {
        let mut pool = Pool::new();
        pool.var(8, "x");
        let no = pool.fals();
        let mut solutions = Solutions::new(&pool, vec![(Var(0), ByteSet::FULL)], &[no], &[]);
        assert!(solutions.visit(&mut |_| ControlFlow::Break(())).is_continue());
    }
}
