//! The constructors of terms.
//!
//! Each folds constants, then looks its node up: a node that is in the pool was found irreducible when
//! it was made. Otherwise the operator's rules are tried in order; the first that matches makes the
//! result, through constructors again. When rules nest too deeply the node is
//! kept as it is, so that no input makes the stack overflow.

use crate::cell::Cell;
use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;
use crate::rules::{self, Rewrite};
use crate::semantics::{self, NARROW};

/// How deep rules may nest.
const MAX_NESTING: u32 = 100;

/// Defines constructors that are one binary operator each.
macro_rules! binary_constructors {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(&mut self, a: Term, b: Term) -> Term {
            self.binary(Binary::$op, a, b)
        })*
    };
}

impl Pool {
    /// Bitwise complement; negation of a boolean.
    pub fn not(&mut self, a: Term) -> Term {
        self.unary(Unary::Not, a)
    }

    /// Two's complement.
    pub fn neg(&mut self, a: Term) -> Term {
        self.unary(Unary::Neg, a)
    }

    binary_constructors! {
        /// Sum, modulo 2^width.
        add = Add;
        /// Product, modulo 2^width.
        mul = Mul;
        /// Unsigned quotient; all ones for a zero divisor.
        udiv = UDiv;
        /// Unsigned remainder; the dividend for a zero divisor.
        urem = URem;
        /// Signed quotient, toward zero; 1 or -1 for a zero divisor.
        sdiv = SDiv;
        /// Signed remainder, with the sign of the dividend; the dividend for a zero divisor.
        srem = SRem;
        /// Shift left; 0 for the width or more.
        shl = Shl;
        /// Logical shift right; 0 for the width or more.
        lshr = LShr;
        /// Arithmetic shift right; copies of the sign for the width or more.
        ashr = AShr;
        /// Bitwise conjunction.
        and = And;
        /// Bitwise disjunction.
        or = Or;
        /// Bitwise exclusive or.
        xor = Xor;
        /// Equality of bit-vectors.
        eq = Eq;
        /// Unsigned `a < b`.
        ult = Ult;
        /// Unsigned `a <= b`.
        ule = Ule;
        /// Signed `a < b`.
        slt = Slt;
        /// Signed `a <= b`.
        sle = Sle;
    }

    /// Difference, modulo 2^width: `a + -b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let minus_b = self.neg(b);
        self.add(a, minus_b)
    }

    /// Inequality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned `a > b`.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }

    /// Unsigned `a >= b`.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.ule(b, a)
    }

    /// Signed `a > b`.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }

    /// Signed `a >= b`.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.sle(b, a)
    }

    /// `not a or b`
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// The conjunction of booleans; true for none.
    pub fn and_all(&mut self, terms: &[Term]) -> Term {
        let all = self.tru();
        terms.iter().fold(all, |all, &t| self.and(all, t))
    }

    /// The disjunction of booleans; false for none.
    pub fn or_all(&mut self, terms: &[Term]) -> Term {
        let any = self.fals();
        terms.iter().fold(any, |any, &t| self.or(any, t))
    }

    /// `if c then a else b`; `a` and `b` of one width, or both arrays.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        debug_assert!(self.width(c) == 1 && self.width(a) == self.width(b));
        let node = Node::Ite(c, a, b);
        self.build(node, self.width(a), rules::ITE, |pool, rule| rule(pool, c, a, b))
    }

    /// `hi` above `lo`.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        let width = self.width(hi) + self.width(lo);
        self.build(Node::Concat(hi, lo), width, rules::CONCAT, |pool, rule| rule(pool, hi, lo))
    }

    /// The `width` bits of `t` from bit `lo` on.
    pub fn extract(&mut self, t: Term, lo: u32, width: u32) -> Term {
        debug_assert!(width >= 1 && lo + width <= self.width(t));
        self.build(Node::Extract(t, lo), width, rules::EXTRACT, |pool, rule| rule(pool, t, lo, width))
    }

    /// `t` with zeros above, `width` bits in all; `t` itself when it has them already.
    pub fn zext(&mut self, t: Term, width: u32) -> Term {
        debug_assert!(width >= self.width(t));
        if width == self.width(t) {
            return t;
        }
        self.build(Node::ZExt(t), width, rules::ZEXT, |pool, rule| rule(pool, t, width))
    }

    /// `t` with copies of its sign above, `width` bits in all; `t` itself when it has them already.
    pub fn sext(&mut self, t: Term, width: u32) -> Term {
        debug_assert!(width >= self.width(t));
        if width == self.width(t) {
            return t;
        }
        self.build(Node::SExt(t), width, rules::SEXT, |pool, rule| rule(pool, t, width))
    }

    /// `array` with `byte` (8 bits) at `index` (32 bits).
    pub fn store(&mut self, array: Term, index: Term, byte: Term) -> Term {
        debug_assert!(self.width(array) == 0 && self.width(index) == 32 && self.width(byte) == 8);
        self.build(Node::Store(array, index, byte), 0, rules::STORE, |pool, rule| {
            rule(pool, array, index, byte)
        })
    }

    /// The byte of `array` at `index` (32 bits).
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        debug_assert!(self.width(array) == 0 && self.width(index) == 32);
        self.build(Node::Select(array, index), 8, rules::SELECT, |pool, rule| rule(pool, array, index))
    }

    /// `op a`
    pub fn unary(&mut self, op: Unary, a: Term) -> Term {
        let rules = match op {
            Unary::Not => rules::NOT,
            Unary::Neg => rules::NEG,
        };
        self.build(Node::Unary(op, a), self.width(a), rules, |pool, rule| rule(pool, a))
    }

    /// `a op b`
    pub fn binary(&mut self, op: Binary, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.width(a), self.width(b));
        let (a, b) = if self.rewriting && op.is_commutative() { self.in_order(a, b) } else { (a, b) };
        let width = if op.is_comparison() { 1 } else { self.width(a) };
        self.build(Node::Binary(op, a, b), width, rules::of_binary(op), |pool, rule| rule(pool, a, b))
    }

    /// The operands of a commutative operator: a constant second, else the older term first.
    fn in_order(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t: Term| (self.as_const(t).is_some(), t);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// The term for `node`, rewritten unless the pool is raw.
    fn build<F>(
        &mut self,
        node: Node,
        width: u32,
        rules: &'static [Rewrite<F>],
        apply: impl Fn(&mut Pool, &F) -> Option<Term>,
    ) -> Term {
        if self.rewriting
            && let Some(bits) = self.fold(node, width)
        {
            return self.constant(width, bits);
        }
        let cell = Cell::of(node, width);
        if let Some(t) = self.lookup(&cell) {
            return t;
        }
        let terms = self.len();
        if self.rewriting && self.nesting < MAX_NESTING {
            self.nesting += 1;
            let rewritten = rules.iter().find_map(|rewrite| {
                let t = apply(self, &rewrite.apply)?;
                if let Some(trace) = &mut self.trace {
                    trace.push(rewrite.rule.name);
                }
                Some(t)
            });
            self.nesting -= 1;
            if let Some(t) = rewritten {
                return t;
            }
        }
        // A rule that declined in the end may have made this very term on the way.
        if self.len() == terms { self.insert(cell) } else { self.intern(cell) }
    }

    /// The value of an operator applied to constants.
    fn fold(&self, node: Node, width: u32) -> Option<u128> {
        if width > NARROW {
            return None;
        }
        let value = |t: Term| self.as_const(t);
        Some(match node {
            Node::Unary(op, a) => semantics::unary(op, width, value(a)?),
            Node::Binary(op, a, b) => semantics::binary(op, self.width(a), value(a)?, value(b)?),
            Node::Concat(hi, lo) => value(hi)? << self.width(lo) | value(lo)?,
            Node::Extract(t, lo) => value(t)? >> lo & semantics::mask(width),
            Node::ZExt(t) => value(t)?,
            Node::SExt(t) => semantics::sign_extend(self.width(t), width, value(t)?),
            _ => return None,
        })
    }

    /// Starts to record which rules fire.
    pub fn trace_rules(&mut self) {
        self.trace = Some(Vec::new());
    }

    /// The names of the rules that fired since `trace_rules`, in the order of their completion.
    #[must_use]
    pub fn fired_rules(&self) -> &[&'static str] {
        self.trace.as_deref().unwrap_or_default()
    }
}
