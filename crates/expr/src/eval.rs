//! The value of a term under an assignment.

use num_bigint::BigUint;

use crate::assignment::Assignment;
use crate::node::{Node, Term, Var};
use crate::pool::Pool;
use crate::semantics::{self, NARROW, mask};
use crate::wide;

/// Storage for evaluation that is kept from one use to the next.
#[derive(Default)]
pub struct Evaluator {
    /// Per term: the epoch in which it was evaluated, and the place of its value.
    marks: Vec<(u32, u32)>,
    epoch: u32,
    values: Vec<u128>,
    wide: Vec<BigUint>,
    pending: Vec<Term>,
    /// For the bodies of quantifiers.
    inner: Option<Box<Evaluator>>,
}

/// Evaluation under one assignment: what was computed for one term serves the next.
pub struct Evaluation<'a> {
    pool: &'a Pool,
    assignment: &'a Assignment,
    /// The index variable of the quantifier whose body this is, and its value.
    bound: Option<(Var, u128)>,
    storage: &'a mut Evaluator,
}

impl Pool {
    /// The value of `t`, its low 128 bits if it has more. A variable without a value counts as 0.
    /// `Evaluator` is the faster way to many values under one assignment.
    #[must_use]
    pub fn eval(&self, t: Term, a: &Assignment) -> u128 {
        self.evaluator.borrow_mut().under(self, a).eval(t)
    }
}

impl Evaluator {
    /// Empty storage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts to evaluate terms of `pool` under `assignment`.
    pub fn under<'a>(&'a mut self, pool: &'a Pool, assignment: &'a Assignment) -> Evaluation<'a> {
        if self.epoch == u32::MAX {
            self.marks.clear();
            self.epoch = 0;
        }
        self.epoch += 1;
        self.values.clear();
        self.wide.clear();
        self.again(pool, assignment)
    }

    /// Goes on with the last evaluation: `assignment` says of the variables of all terms that were
    /// evaluated what it said then.
    pub fn again<'a>(&'a mut self, pool: &'a Pool, assignment: &'a Assignment) -> Evaluation<'a> {
        if self.marks.len() < pool.len() {
            self.marks.resize(pool.len(), (0, 0));
        }
        Evaluation { pool, assignment, bound: None, storage: self }
    }
}

/// The value of a term, or a term whose value is needed first.
type Step<T> = Result<T, Missing>;
/// An operand has no value yet; it was put on the stack.
struct Missing;

impl Evaluation<'_> {
    /// Is the boolean `t` true?
    pub fn is_true(&mut self, t: Term) -> bool {
        self.eval(t) == 1
    }

    /// The value of `t`, its low 128 bits if it has more.
    pub fn eval(&mut self, t: Term) -> u128 {
        let known = self.storage.values.len();
        self.storage.pending.push(t);
        while let Some(&next) = self.storage.pending.last() {
            if self.place(next).is_some() {
                self.storage.pending.pop();
                continue;
            }
            // A term that lacks an operand stays on the stack, below the operand.
            if let Ok(value) = self.step(next) {
                let place = self.storage.values.len() as u32;
                self.storage.values.push(value);
                self.storage.marks[next.index()] = (self.storage.epoch, place);
                self.storage.pending.pop();
            }
        }
        let visited = &self.pool.visited;
        visited.set(visited.get() + (self.storage.values.len() - known) as u64);
        match self.pool.width(t) > NARROW {
            true => self.wide(t).map_or(0, |x| wide::low(&x)),
            false => self.narrow(t).unwrap_or(0),
        }
    }

    /// Where the value of `t` is.
    fn place(&self, t: Term) -> Option<u32> {
        let (epoch, place) = self.storage.marks[t.index()];
        (epoch == self.storage.epoch).then_some(place)
    }

    /// The value of `t`: a number, or for a wide term the place of one.
    fn narrow(&mut self, t: Term) -> Step<u128> {
        if let Some(bits) = self.pool.as_const(t) {
            return Ok(bits);
        }
        match self.place(t) {
            Some(place) => Ok(self.storage.values[place as usize]),
            None => {
                self.storage.pending.push(t);
                Err(Missing)
            }
        }
    }

    fn wide(&mut self, t: Term) -> Step<BigUint> {
        let value = self.narrow(t)?;
        Ok(if self.pool.width(t) > NARROW {
            self.storage.wide[value as usize].clone()
        } else {
            BigUint::from(value)
        })
    }

    /// The values of two operands; asks for both at once.
    fn pair(&mut self, a: Term, b: Term) -> Step<(u128, u128)> {
        let (x, y) = (self.narrow(a), self.narrow(b));
        Ok((x?, y?))
    }

    fn step(&mut self, t: Term) -> Step<u128> {
        let pool = self.pool;
        let (node, width) = (pool.node(t), pool.width(t));
        if width > NARROW || node.operands().any(|operand| pool.width(operand) > NARROW) {
            return self.wide_step(node, width);
        }
        Ok(match node {
            Node::Const(bits) => bits,
            Node::Var(v) => self.variable(v) & mask(width),
            Node::Unary(op, a) => semantics::unary(op, width, self.narrow(a)?),
            Node::Binary(op, a, b) => {
                let (x, y) = self.pair(a, b)?;
                semantics::binary(op, pool.width(a), x, y)
            }
            Node::Ite(c, a, b) => {
                let chosen = if self.narrow(c)? == 1 { a } else { b };
                self.narrow(chosen)?
            }
            Node::Concat(hi, lo) => {
                let (x, y) = self.pair(hi, lo)?;
                x << pool.width(lo) | y
            }
            Node::Extract(a, lo) => self.narrow(a)? >> lo & mask(width),
            Node::ZExt(a) => self.narrow(a)?,
            Node::SExt(a) => semantics::sign_extend(pool.width(a), width, self.narrow(a)?),
            Node::Select(array, index) => self.select(array, index)?,
            Node::Forall(i, k, body) => {
                let k = self.narrow(k)?;
                u128::from(self.holds_up_to(i, k, body))
            }
            // An array has no value of its own: `select` looks into it.
            Node::ConstArray(_) | Node::Inputs(_) | Node::Store(..) => 0,
        })
    }

    /// A step of a term that is wide or has wide operands. The result of a wide one is a place.
    fn wide_step(&mut self, node: Node, width: u32) -> Step<u128> {
        let pool = self.pool;
        let value = match node {
            Node::Const(bits) => BigUint::from(bits),
            Node::Var(v) => wide::truncate(width, self.variable(v).into()),
            Node::Unary(op, a) => wide::unary(op, width, self.wide(a)?),
            Node::Binary(op, a, b) => {
                self.pair(a, b)?;
                wide::binary(op, pool.width(a), self.wide(a)?, self.wide(b)?)
            }
            Node::Ite(c, a, b) => {
                let chosen = if self.narrow(c)? == 1 { a } else { b };
                self.wide(chosen)?
            }
            Node::Concat(hi, lo) => {
                self.pair(hi, lo)?;
                (self.wide(hi)? << pool.width(lo)) | self.wide(lo)?
            }
            Node::Extract(a, lo) => wide::truncate(width, self.wide(a)? >> lo),
            Node::ZExt(a) => self.wide(a)?,
            Node::SExt(a) => wide::sign_extend(pool.width(a), width, self.wide(a)?),
            Node::ConstArray(_) | Node::Inputs(_) | Node::Store(..) | Node::Select(..) | Node::Forall(..) => {
                BigUint::default()
            }
        };
        if width <= NARROW {
            return Ok(wide::low(&value));
        }
        self.storage.wide.push(value);
        Ok(self.storage.wide.len() as u128 - 1)
    }

    fn variable(&self, v: Var) -> u128 {
        match self.bound {
            Some((bound, value)) if bound == v => value,
            _ => self.assignment.get(v).unwrap_or(0),
        }
    }

    /// Whether the body of a quantifier holds for the indices 1 to `k`.
    fn holds_up_to(&mut self, i: Term, k: u128, body: Term) -> bool {
        let Node::Var(var) = self.pool.node(i) else { return false };
        let mut inner = self.storage.inner.take().unwrap_or_default();
        let last = k.min(self.pool.index_max(var));
        let holds = (1..=last).all(|value| {
            let mut evaluation = inner.under(self.pool, self.assignment);
            evaluation.bound = Some((var, value));
            evaluation.is_true(body)
        });
        self.storage.inner = Some(inner);
        holds
    }

    /// The byte of `array` at `index`. Asks for all missing store indices at once, so that a long
    /// chain is walked twice, not once per store.
    fn select(&mut self, mut array: Term, index: Term) -> Step<u128> {
        let index = self.narrow(index)?;
        let mut missing = false;
        loop {
            match self.pool.node(array) {
                Node::Store(below, i, byte) => {
                    match self.narrow(i) {
                        Ok(i) if i == index && !missing => return self.narrow(byte),
                        Ok(_) => {}
                        Err(Missing) => missing = true,
                    }
                    array = below;
                }
                Node::Ite(c, a, b) if !missing => array = if self.narrow(c)? == 1 { a } else { b },
                Node::Inputs(id) if !missing => {
                    let var = usize::try_from(index).ok().and_then(|i| self.pool.input_table(id).get(i));
                    return var.map_or(Ok(0), |v| self.narrow(*v));
                }
                Node::ConstArray(id) if !missing => {
                    let byte = usize::try_from(index).ok().and_then(|i| self.pool.table(id).get(i));
                    return Ok(byte.copied().unwrap_or(0).into());
                }
                _ => return Err(Missing),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Var;

    #[test]
    fn deep_terms_do_not_overflow_the_stack() {
        let mut p = Pool::with_rewriting(false);
        let x = p.var(8, "x");
        let mut t = x;
        for _ in 0..200_000 {
            t = p.add(t, x);
        }
        let a = Assignment::from_iter([(Var(0), 1)]);
        assert_eq!(p.eval(t, &a), 200_001 & 0xff);
    }

    #[test]
    fn arrays_are_read_through_stores_and_ites() {
        let mut p = Pool::with_rewriting(false);
        let (i, c) = (p.var(32, "i"), p.var(1, "c"));
        let base = p.const_array(b"abc");
        let byte = p.constant(8, 9);
        let stored = p.store(base, i, byte);
        let array = p.ite(c, stored, base);
        let two = p.constant(32, 2);
        let read = p.select(array, two);
        let at = |i, c| p.eval(read, &Assignment::from_iter([(Var(0), i), (Var(1), c)]));
        assert_eq!((at(2, 1), at(2, 0), at(1, 1)), (9, b'c'.into(), b'c'.into()));
        let beyond = p.constant(32, 3);
        let read = p.select(base, beyond);
        assert_eq!(p.eval(read, &Assignment::new()), 0);
    }

    #[test]
    fn terms_wider_than_128_bits_have_values() {
        let mut p = Pool::new();
        let x = p.var(100, "x");
        let wide = p.concat(x, x);
        let sum = p.add(wide, wide);
        let upper = p.extract(sum, 100, 64);
        let a = Assignment::from_iter([(Var(0), 1 << 99 | 5)]);
        // 2 * (x . x): the upper half doubles and takes the carry of the lower.
        assert_eq!(p.eval(upper, &a), 11);
    }

    #[test]
    fn one_storage_serves_many_assignments() {
        let mut p = Pool::new();
        let x = p.var(8, "x");
        let one = p.constant(8, 1);
        let t = p.add(x, one);
        let mut evaluator = Evaluator::new();
        for value in 0..256 {
            let a = Assignment::from_iter([(Var(0), value)]);
            assert_eq!(evaluator.under(&p, &a).eval(t), (value + 1) & 0xff);
        }
    }
}
