//! Bounded quantifiers and the arrays of inputs that they range over.
//!
//! `∀ i. 1 ≤ i ≤ k → body` is a boolean like any other: it has a value under an assignment, its
//! variables are those of `k` and of `body` without `i`, and substitution goes into it. The index
//! variable `i` belongs to the quantifier; it is never free in what others see. How far it can go is
//! a fact of `i`, so every quantifier is finite. A body has no quantifier of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cell::{Cell, Tag};
use crate::node::{Node, Term, Var};
use crate::pool::Pool;
use crate::support::Support;

/// What the pool knows of quantifiers.
#[derive(Default)]
pub(crate) struct Quantifiers {
    /// Index variables by width and largest value.
    indices: FxHashMap<(u32, u128), Term>,
    /// The largest value of an index variable.
    max: FxHashMap<Var, u128>,
    /// Terms with a quantifier in them.
    marked: FxHashSet<Term>,
    tables: Vec<Box<[Term]>>,
    table_index: FxHashMap<Box<[Term]>, u32>,
    /// Where a variable was put last.
    places: FxHashMap<Var, (Term, u32)>,
}

impl Pool {
    /// The array that holds these variables of 8 bits, and zeros beyond them.
    pub fn inputs(&mut self, vars: &[Term]) -> Term {
        let array = self.defined_array(vars);
        for (i, &t) in vars.iter().enumerate() {
            if let Node::Var(v) = self.node(t) {
                self.quantifiers.places.insert(v, (array, i as u32));
            }
        }
        array
    }

    /// The array of these bytes, terms without quantifiers, and zeros beyond them: an array of inputs or one
    /// that is defined by them. Putting other terms for variables leaves it as it is.
    pub fn defined_array(&mut self, bytes: &[Term]) -> Term {
        let next = self.quantifiers.tables.len() as u32;
        let id = *self.quantifiers.table_index.entry(bytes.into()).or_insert(next);
        if id == next {
            self.quantifiers.tables.push(bytes.into());
        }
        self.intern(Cell::new(Tag::Inputs, 0, [id, 0, 0]))
    }

    /// Are there arrays of inputs?
    #[must_use]
    pub fn has_inputs(&self) -> bool {
        !self.quantifiers.tables.is_empty()
    }

    /// The variables of the array of inputs with this number.
    #[must_use]
    pub fn input_table(&self, id: u32) -> &[Term] {
        &self.quantifiers.tables[id as usize]
    }

    /// The array of inputs that a variable is in, and at which index.
    #[must_use]
    pub fn input_place(&self, v: Var) -> Option<(Term, u32)> {
        self.quantifiers.places.get(&v).copied()
    }

    /// The variable that a quantifier binds to the values 1 to `max`, at most.
    pub fn index_var(&mut self, width: u32, max: u128) -> Term {
        if let Some(&t) = self.quantifiers.indices.get(&(width, max)) {
            return t;
        }
        let t = self.var(width, "i");
        self.quantifiers.indices.insert((width, max), t);
        if let Node::Var(v) = self.node(t) {
            self.quantifiers.max.insert(v, max);
        }
        t
    }

    /// The largest value that an index variable is bound to; 0 for other variables.
    #[must_use]
    pub fn index_max(&self, v: Var) -> u128 {
        self.quantifiers.max.get(&v).copied().unwrap_or(0)
    }

    pub(crate) fn set_index_max(&mut self, v: Var, max: u128) {
        if max > 0 {
            self.quantifiers.max.insert(v, max);
        }
    }

    /// Does `t` have a quantifier in it?
    #[must_use]
    pub fn is_quantified(&self, t: Term) -> bool {
        self.quantifiers.marked.contains(&t)
    }

    /// `∀ i. 1 ≤ i ≤ k → body`, for an index variable `i` of `k`'s width. The caller sees to it that
    /// `k` is never above the largest value of `i`.
    pub fn forall(&mut self, i: Term, k: Term, body: Term) -> Term {
        debug_assert!(self.width(i) == self.width(k) && self.width(body) == 1);
        debug_assert!(!self.is_quantified(body));
        if self.rewriting {
            if self.is_true(body) {
                return body;
            }
            if let Some(last) = self.as_const(k) {
                let mut all = self.tru();
                for value in 1..=last {
                    let instance = self.instance(i, value, body);
                    all = self.and(all, instance);
                }
                return all;
            }
            let Node::Var(v) = self.node(i) else { return body };
            if self.support_vars(self.support(body)).binary_search(&v).is_err() {
                let zero = self.constant(self.width(k), 0);
                let none = self.eq(k, zero);
                return self.or(none, body);
            }
        }
        self.intern(Cell::new(Tag::Forall, 1, [i.0, k.0, body.0]))
    }

    /// `body` with the index variable `i` at a value.
    pub fn instance(&mut self, i: Term, value: u128, body: Term) -> Term {
        let Node::Var(index) = self.node(i) else { return body };
        let value = self.constant(self.width(i), value);
        self.substitute(body, &mut |v| (v == index).then_some(value))
    }

    /// Remembers whether a new term has a quantifier in it.
    pub(crate) fn mark_quantified(&mut self, cell: &Cell, t: Term) {
        let is_forall = cell.tag == Tag::Forall;
        if !is_forall && self.quantifiers.marked.is_empty() {
            return;
        }
        if is_forall
            || cell.tag != Tag::WideConst && cell.node().operands().any(|operand| self.is_quantified(operand))
        {
            self.quantifiers.marked.insert(t);
        }
    }

    pub(crate) fn support_of_inputs(&mut self, id: u32) -> Support {
        let bytes = self.input_table(id).iter();
        let mut vars: Vec<Var> = bytes.flat_map(|&t| self.support_vars(self.support(t)).to_vec()).collect();
        vars.sort_unstable();
        vars.dedup();
        self.intern_support(&vars)
    }

    pub(crate) fn support_of_forall(&mut self, i: Term, k: Term, body: Term) -> Support {
        let all = self.support_union(self.support(k), self.support(body));
        let bound = self.support_vars(self.support(i)).to_vec();
        let vars: Vec<Var> = self.support_vars(all).iter().filter(|v| !bound.contains(v)).copied().collect();
        self.intern_support(&vars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Assignment;

    fn all_are(pool: &mut Pool, byte: u128) -> (Term, Term, Vec<Term>) {
        let s: Vec<Term> = (0..4).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        let (array, k, i) = (pool.inputs(&s), pool.var(8, "k"), pool.index_var(8, 4));
        let (wide, back) = (pool.zext(i, 32), pool.constant(32, u128::from(u32::MAX)));
        let at = pool.add(wide, back);
        let (read, byte) = (pool.select(array, at), pool.constant(8, byte));
        let body = pool.eq(read, byte);
        (pool.forall(i, k, body), k, s)
    }

    #[test]
    fn a_quantifier_is_the_conjunction_of_its_instances() {
        let mut pool = Pool::new();
        let (all, k, s) = all_are(&mut pool, 97);
        for n in 0..=4u128 {
            for odd in 0..4 {
                let a: Assignment =
                    (0..4).map(|i| (Var(i), if i == odd { 98 } else { 97 })).chain([(Var(4), n)]).collect();
                assert_eq!(pool.eval(all, &a) == 1, n <= u128::from(odd), "{n} {odd}");
            }
            let bound = pool.constant(8, n);
            let expanded = pool.replace(all, k, bound);
            assert!(!pool.is_quantified(expanded) && pool.is_quantified(all));
            let byte = pool.constant(8, 97);
            let equal: Vec<Term> = s[..n as usize].iter().map(|&x| pool.eq(x, byte)).collect();
            assert_eq!(expanded, pool.and_all(&equal));
        }
    }

    #[test]
    fn a_defined_array_has_the_variables_of_its_bytes() {
        let mut pool = Pool::new();
        let (x, y, k) = (pool.var(8, "x"), pool.var(8, "y"), pool.var(8, "k"));
        let sum = pool.add(x, y);
        let array = pool.defined_array(&[x, sum]);
        assert_eq!(pool.input_place(Var(0)), None, "a byte of it is no place of an input");
        let at = pool.zext(k, 32);
        let read = pool.select(array, at);
        assert_eq!(pool.support_vars(pool.support(read)), [0, 1, 2].map(Var));
        for (k, expected) in [(0, 7), (1, 12), (2, 0)] {
            let a: Assignment = [(Var(0), 7), (Var(1), 5), (Var(2), k)].into_iter().collect();
            assert_eq!(pool.eval(read, &a), expected);
        }
        let zero = pool.constant(8, 0);
        let cond = pool.eq(read, zero);
        let text = pool.smtlib(&[cond]);
        assert!(text.contains("(bvadd v0 v1)") && text.contains("(define-fun in0"), "{text}");
    }

    #[test]
    fn the_index_is_no_variable_of_the_quantifier() {
        let mut pool = Pool::new();
        let (all, ..) = all_are(&mut pool, 97);
        assert_eq!(pool.support_vars(pool.support(all)), [0, 1, 2, 3, 4].map(Var));
        let seven = pool.constant(8, 7);
        // Putting a value for an input changes the body.
        let fixed = pool.substitute(all, &mut |v| (v == Var(1)).then_some(seven));
        assert_eq!(fixed, all, "inputs are read by index, and stay what they are");
        let not = pool.not(all);
        assert!(pool.is_quantified(not));
        assert!(pool.smtlib(&[all]).contains("(forall ((v5 (_ BitVec 8)))"));
    }
}
