//! Says our terms in a solver's vocabulary.
//!
//! Terms of width 1 become Booleans and are turned into bit-vectors only where one is needed.
//! Reads of arrays are unfolded into ites as long as the array is built of few stores: constant
//! tables as balanced muxes over the index's bits, stores as comparisons of indices. That is far
//! faster than the solvers' theory of arrays, which takes over for long chains of stores.

use rejoin_expr::{Binary, Node, Pool, Term, Unary, Var};
use rustc_hash::FxHashMap;

use super::smt::{Op, Smt};
use super::stop::Stop;
use crate::Why;

/// Arrays of more stores and ites than this are left to the theory of arrays.
const UNFOLD: usize = 64;
/// After so many nodes the limits are looked at.
const LOOK_EVERY: u64 = 1024;

/// The terms said so far. One per solver: asts of one solver mean nothing to another.
pub(crate) struct Translator<S: Smt> {
    asts: FxHashMap<Term, S::Ast>,
    reads: FxHashMap<(Term, Term), S::Ast>,
    free: FxHashMap<Var, S::Ast>,
    nodes: u64,
    gates: u64,
}

/// A byte of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Known(u8),
    /// A variable, which has been said.
    Said(Term),
}

/// What is to be said next.
#[derive(Clone, Copy)]
enum Item {
    Term(Term),
    /// The byte of an array at an index, unfolded.
    Read(Term, Term),
}

impl<S: Smt> Translator<S> {
    pub(crate) fn new() -> Self {
        Translator {
            asts: FxHashMap::default(),
            reads: FxHashMap::default(),
            free: FxHashMap::default(),
            nodes: 0,
            gates: 0,
        }
    }

    /// How many nodes the solver has been given.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// About how many gates the solver makes of them.
    pub(crate) fn gates(&self) -> u64 {
        self.gates
    }

    /// How many of our terms it holds.
    pub(crate) fn terms(&self) -> u64 {
        self.asts.len() as u64
    }

    /// The constant that stands for a variable, if a term with it has been said.
    pub(crate) fn variable(&self, var: Var) -> Option<S::Ast> {
        self.free.get(&var).copied()
    }

    /// Says a term: a Boolean if its width is 1. Works without recursion, terms can be deep.
    pub(crate) fn term(&mut self, smt: &mut S, pool: &Pool, root: Term, stop: &Stop) -> Result<S::Ast, Why> {
        let mut todo = vec![Item::Term(root)];
        while let Some(&item) = todo.last() {
            if self.is_said(item) {
                todo.pop();
                continue;
            }
            let size = todo.len();
            for need in needs(pool, item) {
                if !self.is_said(need) {
                    todo.push(need);
                }
            }
            if todo.len() > size {
                continue;
            }
            self.nodes += 1;
            if self.nodes.is_multiple_of(LOOK_EVERY)
                && let Some(why) = stop.reason()
            {
                return Err(why);
            }
            self.gates += gates(pool, item);
            match item {
                Item::Term(t) => {
                    let ast = self.say(smt, pool, t);
                    self.asts.insert(t, ast);
                }
                Item::Read(array, index) => {
                    let ast = self.say_read(smt, pool, array, index);
                    self.reads.insert((array, index), ast);
                }
            }
            todo.pop();
        }
        Ok(self.asts[&root])
    }

    fn is_said(&self, item: Item) -> bool {
        match item {
            Item::Term(t) => self.asts.contains_key(&t),
            Item::Read(array, index) => self.reads.contains_key(&(array, index)),
        }
    }

    /// The ast of a term as a bit-vector.
    fn vector(&self, smt: &mut S, pool: &Pool, t: Term) -> S::Ast {
        let ast = self.asts[&t];
        if pool.width(t) != 1 {
            return ast;
        }
        let (one, zero) = (smt.bits(1, 1), smt.bits(1, 0));
        smt.ite(ast, one, zero)
    }

    /// A term of this width from its bit-vector.
    fn from_vector(smt: &mut S, width: u32, ast: S::Ast) -> S::Ast {
        if width != 1 {
            return ast;
        }
        let one = smt.bits(1, 1);
        smt.binary(Op::Eq, ast, one)
    }

    fn say(&mut self, smt: &mut S, pool: &Pool, t: Term) -> S::Ast {
        let width = pool.width(t);
        match pool.node(t) {
            Node::Const(value) if width == 1 => smt.truth(value == 1),
            Node::Const(value) => smt.bits(width, value),
            Node::Var(var) => {
                let free = smt.free(var.0, width);
                self.free.insert(var, free);
                Self::from_vector(smt, width, free)
            }
            Node::Unary(Unary::Not, a) => {
                let op = if width == 1 { Op::Not } else { Op::BvNot };
                smt.unary(op, self.asts[&a])
            }
            Node::Unary(Unary::Neg, a) if width == 1 => self.asts[&a],
            Node::Unary(Unary::Neg, a) => smt.unary(Op::BvNeg, self.asts[&a]),
            Node::Binary(op, a, b) => self.say_binary(smt, pool, op, a, b),
            Node::Ite(c, a, b) => smt.ite(self.asts[&c], self.asts[&a], self.asts[&b]),
            Node::Concat(hi, lo) => {
                let (hi, lo) = (self.vector(smt, pool, hi), self.vector(smt, pool, lo));
                smt.binary(Op::BvConcat, hi, lo)
            }
            Node::Extract(a, lo) => {
                let a = self.vector(smt, pool, a);
                let bits = smt.extract(a, lo + width - 1, lo);
                Self::from_vector(smt, width, bits)
            }
            Node::ZExt(a) | Node::SExt(a) => {
                let signed = matches!(pool.node(t), Node::SExt(_));
                let from = self.vector(smt, pool, a);
                let wide = smt.extend(from, width - pool.width(a), signed);
                Self::from_vector(smt, width, wide)
            }
            Node::ConstArray(table) => {
                let mut array = smt.zeros();
                for (index, &byte) in pool.table(table).iter().enumerate().filter(|(_, b)| **b != 0) {
                    let (index, byte) = (smt.bits(32, index as u128), smt.bits(8, byte.into()));
                    array = smt.store(array, index, byte);
                }
                array
            }
            Node::Inputs(table) => {
                let mut array = smt.zeros();
                for (index, var) in pool.input_table(table).iter().enumerate() {
                    let index = smt.bits(32, index as u128);
                    array = smt.store(array, index, self.asts[var]);
                }
                array
            }
            Node::Forall(i, k, body) => {
                let one = smt.bits(pool.width(i), 1);
                let above = smt.binary(Op::BvUle, one, self.asts[&i]);
                let below = smt.binary(Op::BvUle, self.asts[&i], self.asts[&k]);
                let inside = smt.binary(Op::And, above, below);
                let outside = smt.unary(Op::Not, inside);
                let body = smt.binary(Op::Or, outside, self.asts[&body]);
                smt.forall(self.asts[&i], body)
            }
            Node::Store(array, index, value) => {
                smt.store(self.asts[&array], self.asts[&index], self.asts[&value])
            }
            Node::Select(array, index) => match self.reads.get(&(array, index)) {
                Some(&read) => read,
                None => smt.binary(Op::Select, self.asts[&array], self.asts[&index]),
            },
        }
    }

    fn say_binary(&mut self, smt: &mut S, pool: &Pool, op: Binary, a: Term, b: Term) -> S::Ast {
        let width = pool.width(a);
        let boolean = match op {
            Binary::And if width == 1 => Some(Op::And),
            Binary::Or if width == 1 => Some(Op::Or),
            Binary::Xor if width == 1 => Some(Op::Xor),
            Binary::Eq => Some(Op::Eq),
            _ => None,
        };
        if let Some(op) = boolean {
            return smt.binary(op, self.asts[&a], self.asts[&b]);
        }
        let (op, compares) = match op {
            Binary::Add => (Op::BvAdd, false),
            Binary::Mul => (Op::BvMul, false),
            Binary::UDiv => (Op::BvUDiv, false),
            Binary::URem => (Op::BvURem, false),
            Binary::SDiv => (Op::BvSDiv, false),
            Binary::SRem => (Op::BvSRem, false),
            Binary::Shl => (Op::BvShl, false),
            Binary::LShr => (Op::BvLShr, false),
            Binary::AShr => (Op::BvAShr, false),
            Binary::And => (Op::BvAnd, false),
            Binary::Or => (Op::BvOr, false),
            Binary::Xor => (Op::BvXor, false),
            Binary::Eq => (Op::Eq, true),
            Binary::Ult => (Op::BvUlt, true),
            Binary::Ule => (Op::BvUle, true),
            Binary::Slt => (Op::BvSlt, true),
            Binary::Sle => (Op::BvSle, true),
        };
        let (a, b) = (self.vector(smt, pool, a), self.vector(smt, pool, b));
        let result = smt.binary(op, a, b);
        if compares { result } else { Self::from_vector(smt, width, result) }
    }

    fn say_read(&mut self, smt: &mut S, pool: &Pool, array: Term, index: Term) -> S::Ast {
        let at = self.asts[&index];
        match pool.node(array) {
            Node::Store(below, place, value) => {
                let hit = smt.binary(Op::Eq, at, self.asts[&place]);
                smt.ite(hit, self.asts[&value], self.reads[&(below, index)])
            }
            Node::Ite(c, a, b) => smt.ite(self.asts[&c], self.reads[&(a, index)], self.reads[&(b, index)]),
            Node::ConstArray(table) => {
                let bytes: Vec<Byte> = pool.table(table).iter().map(|&b| Byte::Known(b)).collect();
                self.say_table(smt, &bytes, at)
            }
            Node::Inputs(table) => {
                let bytes: Vec<Byte> = pool.input_table(table).iter().map(|&v| Byte::Said(v)).collect();
                self.say_table(smt, &bytes, at)
            }
            _ => unreachable!("an array is a table, inputs, a store or an ite"),
        }
    }

    /// The byte of a table at an index; zero beyond the table's end.
    fn say_table(&mut self, smt: &mut S, table: &[Byte], at: S::Ast) -> S::Ast {
        let bits = table.len().next_power_of_two().trailing_zeros().min(32);
        let tests: Vec<S::Ast> = (0..bits)
            .map(|bit| {
                let bit = smt.extract(at, bit, bit);
                Self::from_vector(smt, 1, bit)
            })
            .collect();
        let inside = self.mux(smt, table, 0, &tests);
        if bits == 32 {
            return inside;
        }
        let (above, none) = (smt.extract(at, 31, bits), smt.bits(32 - bits, 0));
        let in_range = smt.binary(Op::Eq, above, none);
        let zero = smt.bits(8, 0);
        smt.ite(in_range, inside, zero)
    }

    /// A mux over the `2^tests` bytes from `start` on.
    fn mux(&mut self, smt: &mut S, table: &[Byte], start: usize, tests: &[S::Ast]) -> S::Ast {
        let byte = |i: usize| table.get(i).copied().unwrap_or(Byte::Known(0));
        let range = start..start + (1usize << tests.len());
        let (Some((test, rest)), false) = (tests.split_last(), range.clone().all(|i| byte(i) == byte(start)))
        else {
            return match byte(start) {
                Byte::Known(byte) => smt.bits(8, byte.into()),
                Byte::Said(t) => self.asts[&t],
            };
        };
        self.nodes += 1;
        let low = self.mux(smt, table, start, rest);
        let high = self.mux(smt, table, start + (1 << rest.len()), rest);
        smt.ite(*test, high, low)
    }
}

/// About how many gates an item is, by its bits: products and quotients take the square.
fn gates(pool: &Pool, item: Item) -> u64 {
    const BYTE: u64 = 8;
    let entries = |array: Term| match pool.node(array) {
        Node::ConstArray(table) => pool.table(table).len() as u64,
        Node::Inputs(table) => pool.input_table(table).len() as u64,
        _ => 1,
    };
    match item {
        Item::Read(array, _) => BYTE * entries(array),
        Item::Term(t) => match pool.node(t) {
            Node::ConstArray(_) | Node::Inputs(_) => BYTE * entries(t),
            Node::Store(..) => BYTE,
            Node::Binary(op, a, _) => {
                let width = u64::from(pool.width(a));
                let squared =
                    matches!(op, Binary::Mul | Binary::UDiv | Binary::URem | Binary::SDiv | Binary::SRem);
                if squared { width * width } else { width }
            }
            _ => pool.width(t).into(),
        },
    }
}

/// What has to be said before an item.
fn needs(pool: &Pool, item: Item) -> Vec<Item> {
    use Item::{Read, Term as T};
    match item {
        T(t) => match pool.node(t) {
            Node::Const(_) | Node::Var(_) | Node::ConstArray(_) => vec![],
            Node::Inputs(table) => pool.input_table(table).iter().map(|&v| T(v)).collect(),
            Node::Unary(_, a) | Node::Extract(a, _) | Node::ZExt(a) | Node::SExt(a) => vec![T(a)],
            Node::Binary(_, a, b) | Node::Concat(a, b) => vec![T(a), T(b)],
            Node::Ite(a, b, c) | Node::Store(a, b, c) | Node::Forall(a, b, c) => vec![T(a), T(b), T(c)],
            Node::Select(array, index) if unfolds(pool, array) => vec![Read(array, index)],
            Node::Select(array, index) => vec![T(array), T(index)],
        },
        Read(array, index) => match pool.node(array) {
            Node::Store(below, place, value) => vec![T(index), T(place), T(value), Read(below, index)],
            Node::Ite(c, a, b) => vec![T(index), T(c), Read(a, index), Read(b, index)],
            Node::Inputs(table) => {
                let vars = pool.input_table(table).iter().map(|&v| T(v));
                vars.chain([T(index)]).collect()
            }
            _ => vec![T(index)],
        },
    }
}

/// Is the array built of so few stores and ites that reads are to be unfolded?
fn unfolds(pool: &Pool, array: Term) -> bool {
    let mut seen = vec![array];
    let mut next = 0;
    while let Some(&a) = seen.get(next) {
        next += 1;
        let below = match pool.node(a) {
            Node::Store(below, _, _) => [Some(below), None],
            Node::Ite(_, a, b) => [Some(a), Some(b)],
            _ => [None, None],
        };
        for a in below.into_iter().flatten() {
            if !seen.contains(&a) {
                seen.push(a);
            }
        }
        if seen.len() > UNFOLD {
            return false;
        }
    }
    true
}
