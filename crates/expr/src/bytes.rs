//! Conditions on one symbolic byte, as the set of values for which they hold.

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::byteset::ByteSet;
use crate::eval::Evaluator;
use crate::node::{Binary, Node, Term, Unary, Var};
use crate::pool::Pool;
use crate::semantics::{self, NARROW, mask};

/// The values of a term for each value of the byte.
type Column = [u128; 256];

/// Up to how many terms a condition's columns are kept at once (4 KiB each).
const MAX_COLUMNS: usize = 1024;

impl Pool {
    /// For a boolean `t` whose only variable has 8 bits: the values of that variable that make it
    /// true. The sets of all conditions that `t` is composed of are kept, too.
    pub fn byte_set(&mut self, t: Term) -> Option<ByteSet> {
        if let Some(&set) = self.byte_sets.get(&t) {
            return Some(set);
        }
        let &[v] = self.support_vars(self.support(t)) else { return None };
        if self.width(t) != 1 || self.width(self.var_term(v)) != 8 {
            return None;
        }
        let is_leaf = |pool: &Pool, u: Term| pool.byte_sets.contains_key(&u) || !pool.is_connective(u);
        for u in self.postorder_until(&[t], |u| is_leaf(self, u)) {
            if !self.byte_sets.contains_key(&u) {
                let set = if self.is_connective(u) { self.connect(u) } else { self.tabulate(u, v) };
                self.byte_sets.insert(u, set);
            }
        }
        self.byte_sets.get(&t).copied()
    }

    /// That the byte `v` is in `set`: a disjunction of intervals, or the negation of one if that is
    /// shorter.
    pub fn in_set(&mut self, v: Var, set: ByteSet) -> Term {
        let (inside, outside) = (intervals(set), intervals(set.complement()));
        let x = self.var_term(v);
        if inside.len() <= outside.len() {
            in_intervals(self, x, &inside)
        } else {
            let not_in = in_intervals(self, x, &outside);
            self.not(not_in)
        }
    }

    /// Is `t` a boolean made of booleans by `not`, `and`, `or`?
    fn is_connective(&self, t: Term) -> bool {
        self.width(t) == 1
            && matches!(
                self.node(t),
                Node::Unary(Unary::Not, _) | Node::Binary(Binary::And | Binary::Or, _, _)
            )
    }

    fn connect(&self, t: Term) -> ByteSet {
        let set = |u: Term| self.byte_sets[&u];
        match self.node(t) {
            Node::Binary(Binary::And, a, b) => set(a).intersect(set(b)),
            Node::Binary(_, a, b) => set(a).union(set(b)),
            Node::Unary(_, a) => set(a).complement(),
            _ => set(t),
        }
    }

    fn tabulate(&self, t: Term, v: Var) -> ByteSet {
        let order = self.postorder(&[t]);
        let set = if order.len() <= MAX_COLUMNS { self.column(&order) } else { None };
        set.map_or_else(|| self.evaluate_each(t, v), |column| members(|byte| column[byte] == 1))
    }

    fn evaluate_each(&self, t: Term, v: Var) -> ByteSet {
        let mut evaluator = Evaluator::new();
        members(|byte| {
            let a = Assignment::from_iter([(v, byte as u128)]);
            evaluator.under(self, &a).is_true(t)
        })
    }

    /// The column of the last term of `order`, computed operator by operator; none if a term is
    /// wide or an array that is written to.
    fn column(&self, order: &[Term]) -> Option<Box<Column>> {
        let mut columns: FxHashMap<Term, Box<Column>> = FxHashMap::default();
        for &t in order {
            let width = self.width(t);
            if width > NARROW {
                return None;
            }
            let of = |u: Term| columns.get(&u);
            let each = |f: &dyn Fn(usize) -> u128| Box::new(std::array::from_fn(f));
            let column = match self.node(t) {
                Node::Const(bits) => each(&|_| bits),
                Node::Var(_) => each(&|byte| byte as u128),
                Node::Unary(op, a) => {
                    let x = of(a)?;
                    each(&|i| semantics::unary(op, width, x[i]))
                }
                Node::Binary(op, a, b) => {
                    let (x, y, w) = (of(a)?, of(b)?, self.width(a));
                    each(&|i| semantics::binary(op, w, x[i], y[i]))
                }
                Node::Ite(c, a, b) => {
                    let (c, x, y) = (of(c)?, of(a)?, of(b)?);
                    each(&|i| if c[i] == 1 { x[i] } else { y[i] })
                }
                Node::Concat(hi, lo) => {
                    let (x, y, w) = (of(hi)?, of(lo)?, self.width(lo));
                    each(&|i| x[i] << w | y[i])
                }
                Node::Extract(a, lo) => {
                    let x = of(a)?;
                    each(&|i| x[i] >> lo & mask(width))
                }
                Node::ZExt(a) => of(a)?.clone(),
                Node::SExt(a) => {
                    let (x, w) = (of(a)?, self.width(a));
                    each(&|i| semantics::sign_extend(w, width, x[i]))
                }
                Node::Select(array, index) => {
                    let (Node::ConstArray(id), x) = (self.node(array), of(index)?) else { return None };
                    let byte = |at: u128| usize::try_from(at).ok().and_then(|i| self.table(id).get(i));
                    each(&|i| byte(x[i]).copied().unwrap_or(0).into())
                }
                Node::ConstArray(_) => continue,
                Node::Store(..) | Node::Inputs(_) | Node::Forall(..) => return None,
            };
            columns.insert(t, column);
        }
        columns.remove(order.last()?)
    }
}

fn in_intervals(pool: &mut Pool, x: Term, intervals: &[(u8, u8)]) -> Term {
    let mut parts = Vec::with_capacity(intervals.len());
    for &(lo, hi) in intervals {
        let (low, high) = (pool.constant(8, lo.into()), pool.constant(8, hi.into()));
        parts.push(match (lo, hi) {
            _ if lo == hi => pool.eq(x, low),
            (0, _) => pool.ule(x, high),
            (_, 255) => pool.ule(low, x),
            _ => {
                let (above, below) = (pool.ule(low, x), pool.ule(x, high));
                pool.and(above, below)
            }
        });
    }
    parts.into_iter().reduce(|a, b| pool.or(a, b)).unwrap_or(pool.fals())
}

/// The maximal runs of a set: from each member with none before it to the next one with none after it.
fn intervals(set: ByteSet) -> Vec<(u8, u8)> {
    let ByteSet(words) = set;
    let word = |n: usize| words.get(n).copied().unwrap_or(0);
    let before = ByteSet(std::array::from_fn(|n| words[n] << 1 | word(n.wrapping_sub(1)) >> 63));
    let after = ByteSet(std::array::from_fn(|n| words[n] >> 1 | word(n + 1) << 63));
    let without = |others: ByteSet| set.intersect(others.complement());
    without(before).iter().zip(without(after).iter()).collect()
}

fn members(mut holds: impl FnMut(usize) -> bool) -> ByteSet {
    (0..=u8::MAX).filter(|&byte| holds(usize::from(byte))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_set_go_on_where_words_end() {
        let of = |runs: &[(u8, u8)]| runs.iter().flat_map(|(low, high)| *low..=*high).collect::<ByteSet>();
        for runs in [
            &[][..],
            &[(0, 255)],
            &[(0, 0), (2, 63), (65, 255)],
            &[(1, 64), (127, 128), (130, 191), (255, 255)],
        ] {
            assert_eq!(intervals(of(runs)), runs);
        }
    }

    #[test]
    fn a_digit_is_one_of_ten() {
        let mut p = Pool::new();
        let c = p.var(8, "c");
        let wide = p.sext(c, 32);
        let [low, high] = [47, 58].map(|k| p.constant(32, k));
        let above = p.slt(low, wide);
        let below = p.slt(wide, high);
        let digit = p.and(above, below);
        assert_eq!(p.byte_set(digit), Some((b'0'..=b'9').collect()));
        let other = p.not(digit);
        assert_eq!(p.byte_set(other).map(ByteSet::len), Some(246));
    }

    #[test]
    fn only_conditions_on_one_byte_have_a_set() {
        let mut p = Pool::new();
        let (c, d, n) = (p.var(8, "c"), p.var(8, "d"), p.var(32, "n"));
        let two = p.eq(c, d);
        let zero = p.constant(32, 0);
        let word = p.eq(n, zero);
        assert_eq!((p.byte_set(two), p.byte_set(word), p.byte_set(c)), (None, None, None));
    }

    #[test]
    fn arrays_that_are_written_to_are_read() {
        let mut p = Pool::new();
        let c = p.var(8, "c");
        let table = p.const_array(b"no yes");
        let index = p.zext(c, 32);
        let nought = p.constant(32, 0);
        let written = p.store(table, index, c);
        let read = p.select(written, nought);
        let n = p.constant(8, b'n'.into());
        let unchanged = p.eq(read, n);
        assert_eq!(p.byte_set(unchanged).map(ByteSet::len), Some(255));
        let direct = p.select(table, index);
        let is_y = p.eq(direct, n);
        assert_eq!(p.byte_set(is_y), Some([0].into_iter().collect()));
    }
}
