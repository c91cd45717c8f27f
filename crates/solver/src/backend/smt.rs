//! The vocabulary that a solver has to offer.

use super::stop::Stop;
use crate::Why;

/// Operators with one or two operands. Booleans and bit-vectors are different sorts here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// Boolean negation.
    Not,
    /// Boolean conjunction.
    And,
    /// Boolean disjunction.
    Or,
    /// Boolean exclusive or.
    Xor,
    /// Equality of two terms of any one sort.
    Eq,
    BvNot,
    BvNeg,
    BvAdd,
    BvMul,
    BvUDiv,
    BvURem,
    BvSDiv,
    BvSRem,
    BvShl,
    BvLShr,
    BvAShr,
    BvAnd,
    BvOr,
    BvXor,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    BvConcat,
    Select,
}

/// What a solver says of a conjunction.
#[derive(Debug)]
pub(crate) enum Verdict {
    Sat,
    Unsat,
    Unknown(Why),
}

/// A solver: builds terms of its own, and decides conjunctions of Booleans.
pub(crate) trait Smt: Sized + 'static {
    /// The solver's term.
    type Ast: Copy;

    /// Opens a fresh solver.
    fn open() -> Result<Self, String>;

    fn truth(&mut self, value: bool) -> Self::Ast;
    fn bits(&mut self, width: u32, value: u128) -> Self::Ast;
    /// A free constant; the number makes it distinct.
    fn free(&mut self, number: u32, width: u32) -> Self::Ast;
    fn unary(&mut self, op: Op, a: Self::Ast) -> Self::Ast;
    fn binary(&mut self, op: Op, a: Self::Ast, b: Self::Ast) -> Self::Ast;
    fn ite(&mut self, c: Self::Ast, a: Self::Ast, b: Self::Ast) -> Self::Ast;
    /// Bits `lo` to `hi`, both included.
    fn extract(&mut self, a: Self::Ast, hi: u32, lo: u32) -> Self::Ast;
    /// `by` more bits, copies of the sign or zeros.
    fn extend(&mut self, a: Self::Ast, by: u32, signed: bool) -> Self::Ast;
    /// The array from 32-bit indices to bytes that is zero everywhere.
    fn zeros(&mut self) -> Self::Ast;
    /// `body` for all values of the free constant `variable`. Only solvers that are opened for
    /// quantifiers are asked for it.
    fn forall(&mut self, variable: Self::Ast, body: Self::Ast) -> Self::Ast;
    fn store(&mut self, array: Self::Ast, index: Self::Ast, value: Self::Ast) -> Self::Ast;

    /// Decides the conjunction of the assumptions. They are all there is: nothing is asserted, so
    /// that the order in which paths are explored does not matter.
    fn check(&mut self, assumptions: &[Self::Ast], stop: &Stop) -> Verdict;
    /// A measure of all searches so far, without a clock, if the solver has one.
    fn effort(&self) -> u64 {
        0
    }
    /// After `Sat`: the value of a bit-vector of at most 128 bits.
    fn value(&mut self, a: Self::Ast) -> Option<u128>;
    /// After `Unsat`: positions of assumptions that contradict each other.
    fn core(&mut self, assumptions: &[Self::Ast]) -> Vec<usize>;
}
