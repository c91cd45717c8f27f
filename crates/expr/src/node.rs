//! What a term is made of.
//!
//! Booleans are bit-vectors of width 1. Widths are 1 to 8192 bits. Division follows SMT-LIB
//! (`x udiv 0` = all ones, `x urem 0` = x, signed forms by sign cases); a shift by the width or
//! more gives 0 (`ashr`: copies of the sign). An array maps 32-bit indices to bytes; its width is
//! reported as 0.

/// A term: an index into the pool. Equal terms have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The position in the pool, for side tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// As a number that fits a 64-bit register slot; `from_raw` gives the term back.
    #[must_use]
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The term with this number, which must have come from `raw` of the same pool.
    #[must_use]
    pub fn from_raw(raw: u32) -> Self {
        Term(raw)
    }
}

/// A symbolic input byte, or an auxiliary variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Bitwise complement.
    Not,
    /// Two's complement.
    Neg,
}

/// Operators of two operands of the same width; comparisons give width 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // SMT-LIB's names
pub enum Binary {
    Add,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
}

/// The outermost operator of a term with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant of at most 128 bits.
    Const(u128),
    /// A variable.
    Var(Var),
    /// `op a`
    Unary(Unary, Term),
    /// `a op b`
    Binary(Binary, Term, Term),
    /// `if c then a else b`; `a` and `b` may be arrays.
    Ite(Term, Term, Term),
    /// `hi` in the upper bits, `lo` in the lower.
    Concat(Term, Term),
    /// The bits from `lo` on, as many as the term's width.
    Extract(Term, u32),
    /// Zero extension to the term's width.
    ZExt(Term),
    /// Sign extension to the term's width.
    SExt(Term),
    /// An array whose content is given by this table of the pool: constant bytes, zero beyond.
    ConstArray(u32),
    /// An array whose bytes are the variables of this table of the pool, zero beyond.
    Inputs(u32),
    /// `array` with the byte at `index` replaced.
    Store(Term, Term, Term),
    /// The byte of `array` at `index` (32 bits).
    Select(Term, Term),
    /// `∀ i. 1 ≤ i ≤ k → body`: the index variable `i`, the bound `k`, the body.
    Forall(Term, Term, Term),
}

impl Node {
    /// The operands that are terms, from left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = Term> {
        let operands = match self {
            Node::Const(_) | Node::Var(_) | Node::ConstArray(_) | Node::Inputs(_) => [None; 3],
            Node::Unary(_, a) | Node::Extract(a, _) | Node::ZExt(a) | Node::SExt(a) => [Some(a), None, None],
            Node::Binary(_, a, b) | Node::Concat(a, b) | Node::Select(a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) | Node::Store(a, b, c) | Node::Forall(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }
}
