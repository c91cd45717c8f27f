//! Questions about what is less than what, decided by transitivity.
//!
//! A point is an unsigned number that is compared: a variable, or several in a row. Each point gets the
//! least value that its bounds allow, and is raised as long as a comparison asks for more. What comes out is
//! the least solution of all comparisons; if a point has to exceed its bound there is none. Conditions of
//! other kinds are not looked at: they can not undo a contradiction, and values are tried on all conditions
//! before they are believed.

use rejoin_expr::{Binary, ByteSet, Node, Pool, Term, Unary, Var};
use rustc_hash::FxHashMap;

use crate::enumerate::Found;
use crate::independence::Part;
use crate::path::byte_condition;

/// So often all comparisons are gone through: once for each value of a byte, and then some.
const ROUNDS: usize = 300;

/// A number that is compared.
struct Point {
    term: Term,
    /// The variables that it consists of, the highest first.
    vars: Vec<Var>,
    /// The values that a single byte may have.
    set: ByteSet,
    least: u128,
    most: u128,
}

impl Point {
    /// Raises the least value; `false` if that is too much.
    fn raise(&mut self, to: u128) -> bool {
        self.least = self.least.max(to);
        if self.set != ByteSet::FULL {
            self.least = next(self.set, self.least);
        }
        self.least <= self.most
    }

    /// Bounds a row of bytes by what each of them may be.
    fn confine(&mut self, pool: &Pool, sets: &FxHashMap<Var, ByteSet>) {
        let (mut least, mut most) = (0, 0);
        for &var in &self.vars {
            let width = pool.width(pool.var_term(var));
            let whole = (0, u128::MAX >> (128 - width));
            let set = sets.get(&var).map(|s| (s.min().map_or(1, u128::from), s.max().map_or(0, u128::from)));
            let (low, high) = set.unwrap_or(whole);
            (least, most) = (least << width | low, most << width | high);
        }
        self.least = self.least.max(least);
        self.most = self.most.min(most);
    }
}

/// A side of a comparison.
enum Side {
    Constant(u128),
    Point(usize),
}

/// The points of a part, and pairs of which the second is greater by at least so much.
#[derive(Default)]
struct Order {
    points: Vec<Point>,
    pairs: Vec<(usize, usize, u128)>,
}

/// Values that satisfy all comparisons of the part, or that there are none. `None` if nothing is compared.
pub(crate) fn solve(pool: &mut Pool, part: &Part) -> Option<Found> {
    let mut order = Order::default();
    let mut possible = true;
    for &cond in &part.conditions {
        possible &= order.add(pool, cond, true);
    }
    if !possible {
        return Some(Found::Nothing);
    }
    if order.points.is_empty() {
        return None;
    }
    order.confine(pool, part);
    order.settle(pool)
}

impl Order {
    /// Adds a condition, or its negation, if it is a comparison; `false` if it contradicts itself.
    fn add(&mut self, pool: &Pool, cond: Term, holds: bool) -> bool {
        match (pool.node(cond), holds) {
            (Node::Unary(Unary::Not, inner), _) => self.add(pool, inner, !holds),
            (Node::Binary(Binary::Ult, a, b), true) => self.compare(pool, a, b, 1),
            (Node::Binary(Binary::Ult, a, b), false) => self.compare(pool, b, a, 0),
            (Node::Binary(Binary::Ule, a, b), true) => self.compare(pool, a, b, 0),
            (Node::Binary(Binary::Ule, a, b), false) => self.compare(pool, b, a, 1),
            (Node::Binary(Binary::Eq, a, b), true) if pool.width(a) > 1 => {
                self.compare(pool, a, b, 0) && self.compare(pool, b, a, 0)
            }
            _ => true,
        }
    }

    /// Adds that `a` and `by` are not above `b`.
    fn compare(&mut self, pool: &Pool, a: Term, b: Term, by: u128) -> bool {
        let (Some(a), Some(b)) = (self.side(pool, a), self.side(pool, b)) else { return true };
        match (a, b) {
            (Side::Constant(a), Side::Constant(b)) => a.checked_add(by).is_some_and(|a| a <= b),
            (Side::Constant(a), Side::Point(b)) => match a.checked_add(by) {
                Some(least) => self.points[b].raise(least),
                None => false,
            },
            (Side::Point(a), Side::Constant(b)) => match b.checked_sub(by) {
                Some(most) => {
                    self.points[a].most = self.points[a].most.min(most);
                    self.points[a].least <= self.points[a].most
                }
                None => false,
            },
            (Side::Point(a), Side::Point(b)) => {
                self.pairs.push((a, b, by));
                true
            }
        }
    }

    fn side(&mut self, pool: &Pool, t: Term) -> Option<Side> {
        if let Node::ZExt(inner) = pool.node(t) {
            return self.side(pool, inner);
        }
        if let Some(value) = pool.as_const(t) {
            return Some(Side::Constant(value));
        }
        if let Some(known) = self.points.iter().position(|p| p.term == t) {
            return Some(Side::Point(known));
        }
        let vars = row(pool, t)?;
        let most = u128::MAX >> (128 - pool.width(t));
        self.points.push(Point { term: t, vars, set: ByteSet::FULL, least: 0, most });
        Some(Side::Point(self.points.len() - 1))
    }

    /// Adds what the part says of single bytes; of several in a row, each one's least and greatest count.
    fn confine(&mut self, pool: &mut Pool, part: &Part) {
        let mut sets: FxHashMap<Var, ByteSet> = FxHashMap::default();
        for &cond in &part.conditions {
            if let Some((var, set)) = byte_condition(pool, cond) {
                let known = sets.entry(var).or_insert(ByteSet::FULL);
                *known = known.intersect(set);
            }
        }
        for point in &mut self.points {
            match point.vars[..] {
                [var] => point.set = sets.get(&var).copied().unwrap_or(ByteSet::FULL),
                _ => point.confine(pool, &sets),
            }
        }
    }

    /// Raises points until all comparisons hold.
    fn settle(mut self, pool: &Pool) -> Option<Found> {
        if !self.points.iter_mut().all(|p| p.raise(0)) {
            return Some(Found::Nothing);
        }
        let whole = self.points.iter().all(|p| p.set == ByteSet::FULL);
        for round in 0..ROUNDS {
            let mut raised = false;
            for &(a, b, by) in &self.pairs {
                let Some(needed) = self.points[a].least.checked_add(by) else {
                    return Some(Found::Nothing);
                };
                if self.points[b].least < needed {
                    raised = true;
                    if !self.points[b].raise(needed) {
                        return Some(Found::Nothing);
                    }
                }
            }
            if !raised {
                return Some(Found::Values(self.values(pool)));
            }
            // Without sets, a point is above so many others at most, or above itself.
            if whole && round >= self.points.len() {
                return Some(Found::Nothing);
            }
        }
        None
    }

    /// The values of the variables, by variable.
    fn values(&self, pool: &Pool) -> Vec<(Var, u128)> {
        let mut values = Vec::new();
        for point in &self.points {
            let mut rest = point.least;
            for &var in point.vars.iter().rev() {
                let width = pool.width(pool.var_term(var));
                values.push((var, rest & (u128::MAX >> (128 - width))));
                rest = rest.checked_shr(width).unwrap_or(0);
            }
        }
        values.sort_unstable_by_key(|v| v.0);
        // Points may share variables: then the values may be wrong, which will show.
        values.dedup_by_key(|v| v.0);
        values
    }
}

/// The first member of a set that is not below a number; the greatest number if there is none.
fn next(set: ByteSet, from: u128) -> u128 {
    let Ok(from) = u8::try_from(from) else { return u128::MAX };
    let first = usize::from(from / 64);
    let mask = u64::MAX << (from % 64);
    let words = (first..4).map(|i| (i, if i == first { set.0[i] & mask } else { set.0[i] }));
    let found = words.into_iter().find(|w| w.1 != 0);
    found.map_or(u128::MAX, |(i, word)| 64 * i as u128 + u128::from(word.trailing_zeros()))
}

/// The variables that a term is a row of.
fn row(pool: &Pool, t: Term) -> Option<Vec<Var>> {
    let (mut vars, mut todo) = (Vec::new(), vec![t]);
    while let Some(t) = todo.pop() {
        match pool.node(t) {
            Node::Var(var) => vars.push(var),
            Node::Concat(high, low) => todo.extend([low, high]),
            _ => return None,
        }
    }
    Some(vars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_member_is_the_first_that_is_not_below() {
        let mut set = ByteSet::EMPTY;
        [3, 63, 64, 200].into_iter().for_each(|b| set.insert(b));
        for from in 0..300u128 {
            let expected = set.iter().map(u128::from).find(|&b| b >= from).unwrap_or(u128::MAX);
            assert_eq!(next(set, from), expected, "{from}");
        }
    }

    /// All triples of comparisons of three numbers below 3, against trying all values.
    #[test]
    fn nothing_else_is_possible() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let three = pool.constant(8, 3);
        let bounds: Vec<Term> = v.iter().map(|&x| pool.ult(x, three)).collect();
        let mut all = Vec::new();
        for (a, b) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] {
            all.extend([pool.ult(v[a], v[b]), pool.ule(v[a], v[b]), pool.eq(v[a], v[b])]);
        }
        for i in 0..all.len().pow(3) {
            let n = all.len();
            let mut conditions = bounds.clone();
            conditions.extend([all[i % n], all[i / n % n], all[i / n / n]]);
            let part = Part { conditions, vars: (0..3).map(Var).collect() };
            let found = solve(&mut pool, &part);
            let holds = |values: [u128; 3]| {
                let values = (0..3).map(Var).zip(values).collect();
                part.conditions.iter().all(|&c| pool.eval(c, &values) == 1)
            };
            let possible = (0..27).any(|k| holds([k % 3, k / 3 % 3, k / 9]));
            match found {
                Some(Found::Values(found)) => {
                    assert!(possible && holds([found[0].1, found[1].1, found[2].1]))
                }
                Some(Found::Nothing) => assert!(!possible),
                None => panic!("these are comparisons"),
            }
        }
    }
}
