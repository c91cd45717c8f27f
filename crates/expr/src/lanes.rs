//! All 256 values of a byte in one pass.
//!
//! Some terms over a few bytes become straight-line code. The bytes have an order; what depends on
//! the last one is computed for all of its values at once (a *lane* is one of them), and the rest
//! once per value of the bytes before it. This enumerates the inputs of programs over two or three
//! bytes much faster than one evaluation after the other.

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::byteset::ByteSet;
use crate::node::{Binary, Node, Term, Unary, Var};
use crate::pool::Pool;
use crate::semantics::{self, NARROW, mask};

/// How many values a byte has.
const WIDTH: usize = 256;

/// A value per lane.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "almost all are narrow")]
enum Lanes {
    /// Of at most 64 bits.
    Narrow([u64; WIDTH]),
    /// Of more.
    Wide(Box<[u128; WIDTH]>),
}

impl Lanes {
    fn get(&self, lane: usize) -> u128 {
        match self {
            Lanes::Narrow(values) => values[lane].into(),
            Lanes::Wide(values) => values[lane],
        }
    }

    /// Sets every lane.
    fn fill(&mut self, value: impl Fn(usize) -> u128) {
        match self {
            Lanes::Narrow(values) => (0..WIDTH).for_each(|lane| values[lane] = value(lane) as u64),
            Lanes::Wide(values) => (0..WIDTH).for_each(|lane| values[lane] = value(lane)),
        }
    }
}

/// Where a term's value is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// One value for all lanes.
    One(usize),
    /// A value per lane.
    Many(usize),
}

/// An operation on values, or on lanes; operands are their positions.
#[derive(Clone, Copy)]
enum Op {
    /// The byte of the level.
    Byte,
    /// A value that all lanes share.
    Spread(usize),
    Unary(Unary, u32, usize),
    Binary(Binary, u32, usize, usize),
    Ite(usize, usize, usize),
    Concat(usize, usize, u32),
    Extract(usize, u32, u32),
    ZExt(usize),
    SExt(u32, u32, usize),
    /// The byte of a constant table.
    Table(u32, usize),
    /// A quantifier, or a term with parts wider than 128 bits or with stores into arrays: left to the
    /// evaluator.
    Whole(Term),
}

/// Some terms over some bytes, made ready to be evaluated often.
pub struct Tape<'a> {
    pool: &'a Pool,
    vars: Vec<Var>,
    /// Per level but the last: what is computed when its byte is set, and where it goes.
    ones: Vec<Vec<(usize, Op)>>,
    /// What is computed for all lanes, and whether it is wider than 64 bits.
    many: Vec<(Op, bool)>,
    values: Vec<u128>,
    lanes: Vec<Lanes>,
    assignment: Assignment,
    places: FxHashMap<Term, Place>,
    /// Lanes of values that all lanes share.
    spread: FxHashMap<usize, usize>,
}

impl<'a> Tape<'a> {
    /// Code for `terms`. Their variables must be among `vars`, which are bytes.
    #[must_use]
    pub fn new(pool: &'a Pool, vars: &[Var], terms: &[Term]) -> Self {
        let mut tape = Tape {
            pool,
            vars: vars.to_vec(),
            ones: vec![Vec::new(); vars.len()],
            many: Vec::new(),
            values: Vec::new(),
            lanes: Vec::new(),
            assignment: Assignment::new(),
            places: FxHashMap::default(),
            spread: FxHashMap::default(),
        };
        for t in pool.postorder_until(terms, |t| is_whole(pool, t)) {
            if pool.width(t) > 0 {
                let place = tape.add(t);
                tape.places.insert(t, place);
            }
        }
        tape
    }

    /// How many values are computed for every lane.
    #[must_use]
    pub fn lane_terms(&self) -> usize {
        self.many.len()
    }

    /// The level of the last of a term's variables; nothing for a constant.
    #[must_use]
    pub fn level(&self, t: Term) -> Option<usize> {
        let vars = self.pool.support_vars(self.pool.support(t));
        vars.iter().filter_map(|v| self.vars.iter().position(|w| w == v)).max()
    }

    /// Gives the byte of a level that is not the last its value; those of all levels before have one.
    pub fn set(&mut self, level: usize, byte: u8) {
        self.assignment.set(self.vars[level], byte.into());
        for i in 0..self.ones[level].len() {
            let (at, op) = self.ones[level][i];
            self.values[at] = self.one(op, byte);
        }
    }

    /// Computes what depends on the last byte, for all of its values.
    pub fn sweep(&mut self) {
        if self.lanes.is_empty() {
            let empty = |&(_, wide): &(Op, bool)| match wide {
                true => Lanes::Wide(Box::new([0; WIDTH])),
                false => Lanes::Narrow([0; WIDTH]),
            };
            self.lanes = self.many.iter().map(empty).collect();
        }
        for at in 0..self.many.len() {
            let (operands, rest) = self.lanes.split_at_mut(at);
            let out = &mut rest[0];
            match self.many[at].0 {
                Op::Whole(t) => {
                    let last = self.vars[self.vars.len() - 1];
                    let mut values = [0; WIDTH];
                    for (lane, value) in values.iter_mut().enumerate() {
                        self.assignment.set(last, lane as u128);
                        *value = self.pool.eval(t, &self.assignment);
                    }
                    out.fill(|lane| values[lane]);
                }
                Op::Spread(value) => out.fill(|_| self.values[value]),
                Op::Table(id, index) => {
                    let table = self.pool.table(id);
                    out.fill(|lane| entry(table, operands[index].get(lane)));
                }
                op => many(op, operands, out),
            }
        }
    }

    /// The value of one of the terms, in a lane.
    #[must_use]
    pub fn value(&self, t: Term, lane: u8) -> u128 {
        match self.places[&t] {
            Place::One(at) => self.values[at],
            Place::Many(at) => self.lanes[at].get(lane.into()),
        }
    }

    /// The lanes in which one of the terms, a condition, holds.
    #[must_use]
    pub fn holds(&self, cond: Term) -> ByteSet {
        match self.places[&cond] {
            Place::One(at) if self.values[at] == 0 => ByteSet::EMPTY,
            Place::One(_) => ByteSet::FULL,
            Place::Many(at) => {
                let mut set = ByteSet::EMPTY;
                for lane in 0..WIDTH {
                    set.0[lane / 64] |= u64::from(self.lanes[at].get(lane) != 0) << (lane % 64);
                }
                set
            }
        }
    }

    fn add(&mut self, t: Term) -> Place {
        match self.level(t) {
            Some(level) if level + 1 == self.vars.len() => {
                let op = self.op(t, Self::lane_of);
                self.many.push((op, self.pool.width(t) > 64));
                Place::Many(self.many.len() - 1)
            }
            Some(level) => {
                let op = self.op(t, |tape, t| match tape.places[&t] {
                    Place::One(at) | Place::Many(at) => at,
                });
                self.values.push(0);
                self.ones[level].push((self.values.len() - 1, op));
                Place::One(self.values.len() - 1)
            }
            None => {
                self.values.push(self.pool.eval(t, &self.assignment));
                Place::One(self.values.len() - 1)
            }
        }
    }

    /// Where the lanes of an operand are.
    fn lane_of(&mut self, t: Term) -> usize {
        match self.places[&t] {
            Place::Many(at) => at,
            Place::One(value) => *self.spread.entry(value).or_insert_with(|| {
                self.many.push((Op::Spread(value), self.pool.width(t) > 64));
                self.many.len() - 1
            }),
        }
    }

    fn op(&mut self, t: Term, at: impl Fn(&mut Self, Term) -> usize) -> Op {
        let pool = self.pool;
        if is_whole(pool, t) {
            return Op::Whole(t);
        }
        match pool.node(t) {
            Node::Unary(op, a) => Op::Unary(op, pool.width(a), at(self, a)),
            Node::Binary(op, a, b) => Op::Binary(op, pool.width(a), at(self, a), at(self, b)),
            Node::Ite(c, a, b) => Op::Ite(at(self, c), at(self, a), at(self, b)),
            Node::Concat(a, b) => Op::Concat(at(self, a), at(self, b), pool.width(b)),
            Node::Extract(a, lo) => Op::Extract(at(self, a), lo, pool.width(t)),
            Node::ZExt(a) => Op::ZExt(at(self, a)),
            Node::SExt(a) => Op::SExt(pool.width(a), pool.width(t), at(self, a)),
            Node::Select(array, index) => match pool.node(array) {
                Node::ConstArray(id) => Op::Table(id, at(self, index)),
                _ => Op::Whole(t),
            },
            Node::Var(_) => Op::Byte,
            Node::Const(_) | Node::ConstArray(_) | Node::Inputs(_) | Node::Store(..) | Node::Forall(..) => {
                Op::Whole(t)
            }
        }
    }

    /// A value, where `byte` is the newest of the bytes.
    fn one(&self, op: Op, byte: u8) -> u128 {
        let of = |at: usize| self.values[at];
        match op {
            Op::Byte => byte.into(),
            Op::Spread(a) | Op::ZExt(a) => of(a),
            Op::Unary(op, width, a) => semantics::unary(op, width, of(a)),
            Op::Binary(op, width, a, b) => semantics::binary(op, width, of(a), of(b)),
            Op::Ite(c, a, b) => of(if of(c) == 0 { b } else { a }),
            Op::Concat(a, b, width) => of(a) << width | of(b),
            Op::Extract(a, lo, width) => of(a) >> lo & mask(width),
            Op::SExt(from, to, a) => semantics::sign_extend(from, to, of(a)),
            Op::Table(id, a) => entry(self.pool.table(id), of(a)),
            Op::Whole(t) => self.pool.eval(t, &self.assignment),
        }
    }
}

/// Is the term left to the evaluator, with all below it?
fn is_whole(pool: &Pool, t: Term) -> bool {
    let wide = |t: Term| pool.width(t) > NARROW;
    match pool.node(t) {
        Node::Forall(..) => true,
        Node::Select(array, _) => !matches!(pool.node(array), Node::ConstArray(_)),
        node => wide(t) || node.operands().any(wide),
    }
}

fn entry(table: &[u8], index: u128) -> u128 {
    usize::try_from(index).ok().and_then(|i| table.get(i)).copied().unwrap_or(0).into()
}

/// All lanes of an operation.
fn many(op: Op, lanes: &[Lanes], out: &mut Lanes) {
    let of = |at: usize, lane: usize| lanes[at].get(lane);
    match op {
        Op::Byte => out.fill(|lane| lane as u128),
        Op::Unary(op, width, a) => unary(out, &lanes[a], |x| semantics::unary(op, width, x)),
        Op::Binary(op, width, a, b) => binary(op, width, &lanes[a], &lanes[b], out),
        Op::Ite(c, a, b) => ite(&lanes[c], &lanes[a], &lanes[b], out),
        Op::Concat(a, b, width) => out.fill(|lane| of(a, lane) << width | of(b, lane)),
        Op::Extract(a, lo, width) => unary(out, &lanes[a], |x| x >> lo & mask(width)),
        Op::ZExt(a) => unary(out, &lanes[a], |x| x),
        Op::SExt(from, to, a) => unary(out, &lanes[a], |x| semantics::sign_extend(from, to, x)),
        Op::Spread(_) | Op::Table(..) | Op::Whole(_) => {}
    }
}

/// One loop per operator, so that the choice is made once and not in every lane.
fn binary(op: Binary, width: u32, x: &Lanes, y: &Lanes, out: &mut Lanes) {
    macro_rules! each {
        ($($op:ident)*) => {
            match op {
                $(Binary::$op => zip(out, x, y, |x, y| semantics::binary(Binary::$op, width, x, y)),)*
            }
        };
    }
    each!(Add Mul UDiv URem SDiv SRem Shl LShr AShr And Or Xor Eq Ult Ule Slt Sle);
}

// Narrow lanes have loops of their own: there the compiler computes with 64 bits.

fn unary(out: &mut Lanes, x: &Lanes, f: impl Fn(u128) -> u128) {
    match (out, x) {
        (Lanes::Narrow(out), Lanes::Narrow(x)) => {
            (0..WIDTH).for_each(|lane| out[lane] = f(x[lane].into()) as u64);
        }
        (out, x) => out.fill(|lane| f(x.get(lane))),
    }
}

fn zip(out: &mut Lanes, x: &Lanes, y: &Lanes, f: impl Fn(u128, u128) -> u128) {
    match (out, x, y) {
        (Lanes::Narrow(out), Lanes::Narrow(x), Lanes::Narrow(y)) => {
            (0..WIDTH).for_each(|lane| out[lane] = f(x[lane].into(), y[lane].into()) as u64);
        }
        (out, x, y) => out.fill(|lane| f(x.get(lane), y.get(lane))),
    }
}

fn ite(c: &Lanes, x: &Lanes, y: &Lanes, out: &mut Lanes) {
    match (out, c, x, y) {
        (Lanes::Narrow(out), Lanes::Narrow(c), Lanes::Narrow(x), Lanes::Narrow(y)) => {
            (0..WIDTH).for_each(|lane| out[lane] = if c[lane] == 0 { y[lane] } else { x[lane] });
        }
        (out, c, x, y) => out.fill(|lane| if c.get(lane) == 0 { y.get(lane) } else { x.get(lane) }),
    }
}
