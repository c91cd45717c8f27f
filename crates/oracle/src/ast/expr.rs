//! Expressions: free of side effects and of undefined behaviour, and convertible into each other.

use super::Int;

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// Bitwise complement.
    Not,
    /// Negation that wraps.
    Neg,
    /// Number of ones.
    Popcount,
    /// Bytes in reverse order.
    Bswap,
    /// Bits in reverse order.
    Bitreverse,
    /// Leading zeros of the operand with its lowest bit set.
    Clz,
    /// Trailing zeros of the operand with its highest bit set.
    Ctz,
    /// Absolute value of the operand cut to 16 bits.
    Abs,
}

/// Operators with two operands. The division family changes its divisor so that it can be neither 0 nor -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    /// Sum that wraps.
    Add,
    /// Difference that wraps.
    Sub,
    /// Product that wraps.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum of operands too narrow to overflow, in signed arithmetic.
    NarrowAdd,
    /// Difference of operands too narrow to overflow, in signed arithmetic.
    NarrowSub,
    /// Product of operands too narrow to overflow, in signed arithmetic.
    NarrowMul,
    /// Quotient.
    Div,
    /// Remainder.
    Rem,
    /// Quotient by a negative divisor.
    NegDiv,
    /// Remainder by a negative divisor.
    NegRem,
    /// Shift left by an amount below the width.
    Shl,
    /// Logical shift right.
    Shr,
    /// Arithmetic shift right.
    Sar,
    /// Rotation to the left.
    Rotl,
    /// Whether a sum overflows.
    AddOverflows,
    /// Whether a difference overflows.
    SubOverflows,
    /// Whether a product overflows.
    MulOverflows,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Operators that decide whether to look at their second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Something that can be read, and written unless it is a counter or a parameter's depth.
#[derive(Clone, Debug)]
pub enum Place {
    /// A local variable of the function.
    Local(usize),
    /// A parameter of the function.
    Param(usize),
    /// A global variable.
    Global(usize),
    /// An element of one of the function's arrays, the index reduced to fit.
    LocalElem(usize, Box<Expr>),
    /// An element of a global array, the index reduced to fit.
    GlobalElem(usize, Box<Expr>),
    /// A member of an instance of a structure: type, instance (reduced to fit), member.
    Field(usize, Box<Expr>, usize),
    /// Part of the global union: log2 of its bytes, index (reduced to fit).
    Part(u32, Box<Expr>),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(Int, u128),
    /// An input.
    Input(usize),
    /// The counter of a loop.
    Counter(usize),
    /// A place's value.
    Read(Place),
    /// One operand at a type.
    Un(UnOp, Int, Box<Expr>),
    /// Two operands at a type.
    Bin(BinOp, Int, Box<Expr>, Box<Expr>),
    /// A comparison at a type.
    Cmp(Cmp, Int, Box<Expr>, Box<Expr>),
    /// `&&` or `||`.
    Logic(Logic, Box<Expr>, Box<Expr>),
    /// `!`
    LogicNot(Box<Expr>),
    /// `c ? a : b` at a type.
    Cond(Int, Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion.
    Cast(Int, Box<Expr>),
}

impl Expr {
    /// A constant of type `int32_t`.
    pub fn int(value: u128) -> Expr {
        Expr::Const(super::I32, value)
    }
}
