//! How rules look at terms.

use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;
use crate::semantics::{NARROW, mask};

/// Up to how many constants a tree of `ite` may choose from for an operator to be applied to each.
const MAX_LEAVES: u32 = 16;

/// The first result of `f` for the operands in this order, then in the other.
pub(super) fn either(a: Term, b: Term, mut f: impl FnMut(Term, Term) -> Option<Term>) -> Option<Term> {
    f(a, b).or_else(|| f(b, a))
}

impl Pool {
    pub(super) fn as_not(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Unary(Unary::Not, a) => Some(a),
            _ => None,
        }
    }

    pub(super) fn as_neg(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Unary(Unary::Neg, a) => Some(a),
            _ => None,
        }
    }

    pub(super) fn as_binary(&self, op: Binary, t: Term) -> Option<(Term, Term)> {
        match self.node(t) {
            Node::Binary(found, a, b) if found == op => Some((a, b)),
            _ => None,
        }
    }

    /// `x op k` with a constant `k`.
    pub(super) fn as_with_constant(&self, op: Binary, t: Term) -> Option<(Term, u128)> {
        let (a, b) = self.as_binary(op, t)?;
        Some((a, self.as_const(b)?))
    }

    pub(super) fn as_ite(&self, t: Term) -> Option<(Term, Term, Term)> {
        match self.node(t) {
            Node::Ite(c, a, b) => Some((c, a, b)),
            _ => None,
        }
    }

    pub(super) fn as_concat(&self, t: Term) -> Option<(Term, Term)> {
        match self.node(t) {
            Node::Concat(hi, lo) => Some((hi, lo)),
            _ => None,
        }
    }

    pub(super) fn as_extract(&self, t: Term) -> Option<(Term, u32)> {
        match self.node(t) {
            Node::Extract(a, lo) => Some((a, lo)),
            _ => None,
        }
    }

    pub(super) fn as_zext(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::ZExt(a) => Some(a),
            _ => None,
        }
    }

    pub(super) fn as_sext(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::SExt(a) => Some(a),
            _ => None,
        }
    }

    pub(super) fn is_zero(&self, t: Term) -> bool {
        self.as_const(t) == Some(0)
    }

    pub(super) fn is_one(&self, t: Term) -> bool {
        self.as_const(t) == Some(1)
    }

    pub(super) fn is_ones(&self, t: Term) -> bool {
        self.as_const(t) == Some(mask(self.width(t)))
    }

    pub(super) fn zero(&mut self, width: u32) -> Term {
        self.constant(width, 0)
    }

    /// All bits set.
    pub(super) fn ones(&mut self, width: u32) -> Term {
        let zero = self.zero(width);
        self.not(zero)
    }

    /// Are the terms complements of each other, by their outermost operators?
    pub(super) fn is_complement(&self, a: Term, b: Term) -> bool {
        if self.as_not(a) == Some(b) || self.as_not(b) == Some(a) {
            return true;
        }
        let (Node::Binary(p, x, y), Node::Binary(q, u, v)) = (self.node(a), self.node(b)) else {
            return false;
        };
        let negations = [(Binary::Ult, Binary::Ule), (Binary::Slt, Binary::Sle)];
        (x, y) == (v, u) && (negations.contains(&(p, q)) || negations.contains(&(q, p)))
    }

    /// The bits of `t` that may be 1.
    pub(super) fn possible_ones(&self, t: Term) -> u128 {
        mask(self.width(t)) & !self.facts(t).known.zeros
    }

    pub(super) fn is_narrow(&self, t: Term) -> bool {
        self.width(t) <= NARROW
    }

    /// Is `t` a choice between few constants?
    fn is_tree(&self, t: Term) -> bool {
        if !matches!(self.node(t), Node::Ite(..) | Node::ZExt(_) | Node::SExt(_)) || !self.is_narrow(t) {
            return false;
        }
        let mut leaves = 0;
        let mut pending = vec![t];
        while let Some(t) = pending.pop() {
            match self.node(t) {
                Node::Const(_) => leaves += 1,
                Node::Ite(_, a, b) => pending.extend([a, b]),
                Node::ZExt(c) | Node::SExt(c) if self.width(c) == 1 => leaves += 2,
                _ => return false,
            }
            if leaves + pending.len() as u32 > MAX_LEAVES {
                return false;
            }
        }
        true
    }

    /// For a choice between few constants: the same choice between the images of the constants.
    pub(super) fn map_tree(&mut self, t: Term, f: &mut dyn FnMut(&mut Pool, u128) -> Term) -> Option<Term> {
        self.is_tree(t).then(|| self.map_leaves(t, f))
    }

    fn map_leaves(&mut self, t: Term, f: &mut dyn FnMut(&mut Pool, u128) -> Term) -> Term {
        let (c, a, b) = match self.node(t) {
            Node::Const(bits) => return f(self, bits),
            Node::Ite(c, a, b) => {
                let a = self.map_leaves(a, f);
                (c, a, self.map_leaves(b, f))
            }
            Node::ZExt(c) => {
                let a = f(self, 1);
                (c, a, f(self, 0))
            }
            Node::SExt(c) => {
                let a = f(self, mask(self.width(t)));
                (c, a, f(self, 0))
            }
            _ => return t,
        };
        self.ite(c, a, b)
    }

    /// The condition and the arms of a choice.
    fn as_choice(&mut self, t: Term) -> Option<(Term, Term, Term)> {
        let ones = match self.node(t) {
            Node::Ite(c, a, b) => return Some((c, a, b)),
            Node::ZExt(c) if self.width(c) == 1 => (c, 1),
            Node::SExt(c) if self.width(c) == 1 => (c, mask(self.width(t))),
            _ => return None,
        };
        let width = self.width(t);
        Some((ones.0, self.constant(width, ones.1), self.zero(width)))
    }

    /// `t op u` for two choices between few constants that depend on each other, as in merged states:
    /// the choice between what `op` makes of the constants, if there are no more of them than before.
    pub(super) fn two_trees(&mut self, op: Binary, t: Term, u: Term) -> Option<Term> {
        if !self.is_tree(t) || !self.is_tree(u) {
            return None;
        }
        let mut budget = self.leaves(t) + self.leaves(u);
        self.zip_trees(op, t, u, &mut Vec::new(), &mut budget)
    }

    fn leaves(&mut self, t: Term) -> u32 {
        self.as_choice(t).map_or(1, |(_, a, b)| self.leaves(a) + self.leaves(b))
    }

    /// The same under conditions that are decided already.
    fn zip_trees(
        &mut self,
        op: Binary,
        t: Term,
        u: Term,
        decided: &mut Vec<(Term, bool)>,
        budget: &mut u32,
    ) -> Option<Term> {
        let (t, u) = (self.arm(t, decided), self.arm(u, decided));
        let Some((c, _, _)) = self.as_choice(t).or_else(|| self.as_choice(u)) else {
            *budget = budget.checked_sub(1)?;
            return Some(self.binary(op, t, u));
        };
        let mut arms = [true, false].map(|holds| {
            decided.push((c, holds));
            let arm = self.zip_trees(op, t, u, decided, budget);
            decided.pop();
            arm
        });
        Some(self.ite(c, arms[0].take()?, arms[1].take()?))
    }

    /// What a choice comes to as far as conditions are decided.
    fn arm(&mut self, mut t: Term, decided: &[(Term, bool)]) -> Term {
        while let Some((c, a, b)) = self.as_choice(t)
            && let Some(&(_, holds)) = decided.iter().find(|d| d.0 == c)
        {
            t = if holds { a } else { b };
        }
        t
    }

    /// `t op k` for a choice `t` between few constants.
    pub(super) fn tree_with_constant(&mut self, op: Binary, t: Term, k: Term) -> Option<Term> {
        self.as_const(k)?;
        let width = self.width(t);
        self.map_tree(t, &mut |p, leaf| {
            let leaf = p.constant(width, leaf);
            p.binary(op, leaf, k)
        })
    }

    /// `k op t` for a choice `t` between few constants.
    pub(super) fn constant_with_tree(&mut self, op: Binary, k: Term, t: Term) -> Option<Term> {
        self.as_const(k)?;
        let width = self.width(t);
        self.map_tree(t, &mut |p, leaf| {
            let leaf = p.constant(width, leaf);
            p.binary(op, k, leaf)
        })
    }
}

/// Fresh variables of one width, for examples.
pub(super) fn vars<const N: usize>(p: &mut Pool, width: u32) -> [Term; N] {
    std::array::from_fn(|i| p.var(width, ["x", "y", "z"][i % 3]))
}

/// A choice between three constants, for examples.
pub(super) fn tree(p: &mut Pool, width: u32, [c, d]: [u128; 2]) -> Term {
    let [s, t] = vars(p, 1);
    let [k, l, m] = [c, d, c ^ d].map(|bits| p.constant(width, bits));
    let below = p.ite(t, l, m);
    p.ite(s, k, below)
}

/// An operation on two choices that depend on each other, for examples.
pub(super) fn trees(p: &mut Pool, op: Binary, width: u32, [c, d]: [u128; 2]) -> Term {
    let [s, t] = vars(p, 1);
    let [k, l, m] = [c, d, c ^ d].map(|bits| p.constant(width, bits));
    let below = p.ite(t, l, m);
    let left = p.ite(s, k, below);
    let right = p.ite(t, l, k);
    p.binary(op, left, right)
}
