//! Terms rebuilt from other leaves.

use rustc_hash::FxHashMap;

use crate::node::{Node, Term, Var};
use crate::pool::Pool;
use crate::support::Support;

impl Pool {
    /// `t` with each variable `v` for which `f(v)` is some term (of the same width) replaced by it.
    /// `f` is asked once per variable of `t`, in ascending order. An array of inputs keeps its
    /// variables: what is read from it by a symbolic index is not replaced.
    pub fn substitute(&mut self, t: Term, f: &mut dyn FnMut(Var) -> Option<Term>) -> Term {
        let vars = self.support_vars(self.support(t)).to_vec();
        let mut image: FxHashMap<Term, Term> = FxHashMap::default();
        for v in vars {
            if let Some(to) = f(v) {
                image.insert(self.var_term(v), to);
            }
        }
        if image.is_empty() {
            return t;
        }
        let mut touched: FxHashMap<Support, bool> = FxHashMap::default();
        for u in self.postorder(&[t]) {
            let support = self.support(u);
            let is_touched = *touched.entry(support).or_insert_with(|| {
                self.support_vars(support).iter().any(|&v| image.contains_key(&self.var_term(v)))
            });
            if is_touched && !image.contains_key(&u) {
                let (node, width) = (self.node(u), self.width(u));
                let rebuilt = self.make(node, width, |operand| *image.get(&operand).unwrap_or(&operand));
                image.insert(u, rebuilt);
            }
        }
        *image.get(&t).unwrap_or(&t)
    }

    /// `t` with `from`, a term of the same width as `to`, replaced by `to` wherever it occurs.
    pub fn replace(&mut self, t: Term, from: Term, to: Term) -> Term {
        let mut image: FxHashMap<Term, Term> = FxHashMap::default();
        image.insert(from, to);
        for u in self.postorder_until(&[t], |u| u == from) {
            let node = self.node(u);
            if u != from && node.operands().any(|o| image.contains_key(&o)) {
                let rebuilt =
                    self.make(node, self.width(u), |operand| *image.get(&operand).unwrap_or(&operand));
                image.insert(u, rebuilt);
            }
        }
        *image.get(&t).unwrap_or(&t)
    }

    /// The operator of `t`, which is no leaf, applied to other operands.
    pub fn with_operands(&mut self, t: Term, operands: &[Term]) -> Term {
        let (node, width) = (self.node(t), self.width(t));
        let next = std::cell::Cell::new(0);
        // `make` asks for the operands from left to right.
        self.make(node, width, |operand| {
            operands.get(next.replace(next.get() + 1)).copied().unwrap_or(operand)
        })
    }

    /// The operator of `node`, which is no leaf, applied to the images of its operands.
    pub(crate) fn make(&mut self, node: Node, width: u32, image: impl Fn(Term) -> Term) -> Term {
        match node {
            Node::Unary(op, a) => self.unary(op, image(a)),
            Node::Binary(op, a, b) => self.binary(op, image(a), image(b)),
            Node::Ite(c, a, b) => self.ite(image(c), image(a), image(b)),
            Node::Concat(hi, lo) => self.concat(image(hi), image(lo)),
            Node::Extract(a, lo) => self.extract(image(a), lo, width),
            Node::ZExt(a) => self.zext(image(a), width),
            Node::SExt(a) => self.sext(image(a), width),
            Node::Store(array, index, byte) => self.store(image(array), image(index), image(byte)),
            Node::Select(array, index) => self.select(image(array), image(index)),
            Node::Forall(i, k, body) => self.forall(image(i), image(k), image(body)),
            Node::Const(bits) => self.constant(width, bits),
            Node::Var(v) => self.var_term(v),
            Node::Inputs(id) => {
                let bytes = self.input_table(id).to_vec();
                self.defined_array(&bytes)
            }
            Node::ConstArray(id) => {
                let bytes = self.table(id).to_vec();
                self.const_array(&bytes)
            }
        }
    }
}
