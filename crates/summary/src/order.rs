//! What comparisons say together: orders of terms, and whether they contradict each other.
//!
//! The points are terms. For each pair it is known whether the first is less, or not greater, than the
//! second; what follows by transitivity is added at once. Signed and unsigned comparison are two orders.
//! What is not found contradictory may still be.

use rejoin_expr::{Binary, Node, Pool, Term, Unary};

/// Points there can be; comparisons of further ones say nothing.
const MAX_POINTS: usize = 64;

/// A comparison of two points.
#[derive(Clone, Copy)]
pub(crate) enum Comparison {
    /// The first is less than the second.
    Less(usize, usize),
    /// The first is not greater than the second.
    NotGreater(usize, usize),
    /// They are equal, and so are these of the other order.
    Equal([(usize, usize); 2]),
}

/// The points, and the comparisons that atoms are.
#[derive(Default)]
pub(crate) struct Points {
    points: Vec<(Term, bool)>,
}

impl Points {
    fn point(&mut self, t: Term, signed: bool) -> Option<usize> {
        if let Some(known) = self.points.iter().position(|p| *p == (t, signed)) {
            return Some(known);
        }
        (self.points.len() < MAX_POINTS).then(|| {
            self.points.push((t, signed));
            self.points.len() - 1
        })
    }

    /// The point that a term is, compared without sign, if it is one.
    pub(crate) fn known(&self, t: Term) -> Option<usize> {
        self.points.iter().position(|p| *p == (t, false))
    }

    /// A term as a point, compared without sign.
    pub(crate) fn unsigned(&mut self, t: Term) -> Option<usize> {
        self.point(t, false)
    }

    /// The comparison that a Boolean term is, and whether it is negated.
    pub(crate) fn comparison(&mut self, pool: &Pool, t: Term) -> Option<(Comparison, bool)> {
        match pool.node(t) {
            Node::Unary(Unary::Not, a) => self.comparison(pool, a).map(|(c, not)| (c, !not)),
            Node::Binary(op @ (Binary::Ult | Binary::Slt), a, b) => {
                let signed = op == Binary::Slt;
                Some((Comparison::Less(self.point(a, signed)?, self.point(b, signed)?), false))
            }
            Node::Binary(op @ (Binary::Ule | Binary::Sle), a, b) => {
                let signed = op == Binary::Sle;
                Some((Comparison::NotGreater(self.point(a, signed)?, self.point(b, signed)?), false))
            }
            Node::Binary(Binary::Eq, a, b) if pool.width(a) > 1 => {
                let mut pair = |signed| Some((self.point(a, signed)?, self.point(b, signed)?));
                Some((Comparison::Equal([pair(false)?, pair(true)?]), false))
            }
            _ => None,
        }
    }

    /// What is known before any comparison: how constants compare.
    pub(crate) fn order(&self, pool: &Pool) -> Order {
        let mut order = Order::default();
        for (i, &(a, signed)) in self.points.iter().enumerate() {
            for (j, &(b, other)) in self.points.iter().enumerate() {
                let (Some(x), Some(y)) = (pool.as_const(a), pool.as_const(b)) else { continue };
                if signed == other && pool.width(a) == pool.width(b) {
                    let flip = u128::from(signed) << (pool.width(a) - 1);
                    if x ^ flip < y ^ flip {
                        order.add(i, j, true);
                    }
                }
            }
        }
        order
    }
}

/// Which points are less or not greater than which.
#[derive(Clone)]
pub(crate) struct Order {
    /// Per point, those that it is not greater than, and those that it is less than.
    at_most: [u64; MAX_POINTS],
    less: [u64; MAX_POINTS],
    /// Pairs that are not equal.
    apart: Vec<(usize, usize)>,
    contradiction: bool,
}

impl Default for Order {
    fn default() -> Self {
        let at_most = std::array::from_fn(|i| 1 << i);
        Order { at_most, less: [0; MAX_POINTS], apart: Vec::new(), contradiction: false }
    }
}

impl Order {
    /// Adds what follows from `i ≤ j`, or `i < j`.
    fn add(&mut self, i: usize, j: usize, strict: bool) {
        let known = if strict { self.less[i] } else { self.at_most[i] };
        if known >> j & 1 == 1 {
            return;
        }
        let (above, above_less) = (self.at_most[j], self.less[j]);
        for a in 0..MAX_POINTS {
            if self.at_most[a] >> i & 1 == 1 {
                let strictly = strict || self.less[a] >> i & 1 == 1;
                self.at_most[a] |= above;
                self.less[a] |= if strictly { above } else { above_less };
                self.contradiction |= self.less[a] >> a & 1 == 1;
            }
        }
    }

    /// Adds a comparison, or its opposite; `false` if it contradicts the others.
    pub(crate) fn assume(&mut self, c: Comparison, holds: bool) -> bool {
        match (c, holds) {
            (Comparison::Less(a, b), true) => self.add(a, b, true),
            (Comparison::Less(a, b), false) => self.add(b, a, false),
            (Comparison::NotGreater(a, b), true) => self.add(a, b, false),
            (Comparison::NotGreater(a, b), false) => self.add(b, a, true),
            (Comparison::Equal(pairs), true) => {
                for (a, b) in pairs {
                    self.add(a, b, false);
                    self.add(b, a, false);
                }
            }
            (Comparison::Equal(pairs), false) => self.apart.extend(pairs),
        }
        for (a, b) in self.apart.clone() {
            for (a, b) in [(a, b), (b, a)] {
                if self.at_most[a] >> b & 1 == 1 {
                    self.add(a, b, true);
                }
            }
        }
        !self.contradiction
    }

    /// All that is known of these points, and of those that are known to be apart from others: equal lists
    /// are equal knowledge, whatever is added of these points.
    pub(crate) fn of(&self, mut points: u64) -> Vec<u64> {
        self.apart.iter().for_each(|&(a, b)| points |= 1 << a | 1 << b);
        let mut all = vec![points];
        for a in (0..MAX_POINTS).filter(|a| points >> a & 1 == 1) {
            all.extend([self.at_most[a] & points, self.less[a] & points]);
        }
        all.extend(self.apart.iter().map(|&(a, b)| (a.min(b) * MAX_POINTS + a.max(b)) as u64));
        all
    }
}

impl Comparison {
    /// The points that are compared.
    pub(crate) fn points(self) -> u64 {
        match self {
            Comparison::Less(a, b) | Comparison::NotGreater(a, b) => 1 << a | 1 << b,
            Comparison::Equal([(a, b), (c, d)]) => 1 << a | 1 << b | 1 << c | 1 << d,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of three numbers, told by comparisons: contradictory exactly if no numbers are so.
    #[test]
    fn contradictions_are_found() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..3).map(|i| pool.var(32, &format!("v{i}"))).collect();
        let pairs = [(0, 1), (1, 2), (0, 2)];
        for choice in 0..6u32.pow(3) {
            let mut points = Points::default();
            let mut asked = Vec::new();
            for (n, (a, b)) in pairs.into_iter().enumerate() {
                let what = choice / 6u32.pow(n as u32) % 6;
                let t = match what / 2 {
                    0 => pool.binary(Binary::Slt, v[a], v[b]),
                    1 => pool.binary(Binary::Sle, v[a], v[b]),
                    _ => pool.eq(v[a], v[b]),
                };
                asked.push((
                    points.comparison(&pool, t).expect("a comparison"),
                    what.is_multiple_of(2),
                    what / 2,
                    a,
                    b,
                ));
            }
            let mut order = points.order(&pool);
            let consistent = asked.iter().all(|((c, not), holds, ..)| order.assume(*c, holds ^ not));
            let fits = |x: [i32; 3]| {
                asked.iter().all(|(_, holds, what, a, b)| {
                    let truth = [x[*a] < x[*b], x[*a] <= x[*b], x[*a] == x[*b]][*what as usize];
                    truth == *holds
                })
            };
            let possible = (0..27).any(|n| fits([n % 3, n / 3 % 3, n / 9]));
            assert_eq!(consistent, possible, "{choice}");
        }
    }

    /// Answers are kept by what is known: without this, one of them would be given where it is wrong.
    #[test]
    fn that_points_are_apart_is_part_of_what_is_known() {
        let equal = Comparison::Equal([(0, 1), (2, 3)]);
        let (nothing, mut apart) = (Order::default(), Order::default());
        assert!(apart.assume(equal, false));
        for points in [0b1, 0b11, 1 << 9] {
            assert_ne!(apart.of(points), nothing.of(points));
        }
    }

    #[test]
    fn constants_are_ordered_and_signs_told_apart() {
        let mut pool = Pool::new();
        let x = pool.var(8, "x");
        let (low, high) = (pool.constant(8, 5), pool.constant(8, 0x80));
        for (op, possible) in [(Binary::Ult, false), (Binary::Slt, true)] {
            let mut points = Points::default();
            let (a, b) = (pool.binary(op, x, low), pool.binary(op, high, x));
            let all: Vec<_> = [a, b].iter().filter_map(|t| points.comparison(&pool, *t)).collect();
            let mut order = points.order(&pool);
            assert_eq!(all.iter().all(|(c, not)| order.assume(*c, !not)), possible);
        }
    }
}
