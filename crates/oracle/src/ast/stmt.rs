//! Statements.

// What the fields of a variant are is said in the line above it.
#![allow(missing_docs)]

use super::{Expr, Int, Place, WorldOp};

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// The three loops of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `for`
    For,
    /// `while`
    While,
    /// `do`
    Do,
}

/// One arm of a `switch`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// First and last label.
    pub labels: (u8, u8),
    /// Its code.
    pub body: Block,
    /// Whether it runs on into the next arm.
    pub falls: bool,
}

/// An operation on a character buffer (by index within the function).
#[derive(Clone, Debug)]
pub enum TextOp {
    /// Writes a character at an index.
    Put(usize, Expr, Expr),
    /// `memset` with a character and a length.
    Fill(usize, Expr, Expr),
    /// `strcpy` of a literal.
    Set(usize, &'static str),
    /// `memmove` inside of a buffer, by one.
    Slide(usize, bool),
    /// `memcpy` between buffers: to, from, length.
    Copy(usize, usize, Expr),
    /// `strlen`
    Length(Place, usize),
    /// The sign of `strcmp` with a literal.
    Compare(Place, usize, &'static str),
    /// The sign of `memcmp` of two buffers.
    CompareBytes(Place, usize, usize, usize),
    /// The index found by `strchr`, or 99.
    Find(Place, usize, Expr),
    /// A hash of the string, by a loop to its end.
    Hash(Place, usize),
    /// The number that its leading digits write.
    Number(Place, usize),
}

/// Where a block of symbolic size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// `malloc`
    Malloc,
    /// `calloc`
    Calloc,
    /// An array of variable length.
    Array,
}

/// A loop over the input, which is an array of letters, or a block whose size depends on it.
#[derive(Clone, Debug)]
pub enum BufferOp {
    /// Counts letters that are in a set, or are not, up to a length. The loop has another exit, where the program
    /// ends, if the letter after `fatal` of them is not.
    Span {
        to: Place,
        set: &'static str,
        not: bool,
        by_loop: bool,
        from: Option<Expr>,
        len: Option<Expr>,
        step: u32,
        fatal: Option<u32>,
    },
    /// Counts letters that are in a set from the end.
    SpanBack { to: Place, set: &'static str },
    /// Writes an array from letters that are in a set.
    Map { to: Place, set: &'static str, len: Expr },
    /// Makes a block, fills it from the input (by `memcpy` if there is a length), counts, and reads at an index.
    Block {
        to: Place,
        set: &'static str,
        kind: BlockKind,
        size: Expr,
        len: Option<Expr>,
        index: Expr,
        may_fail: bool,
    },
}

/// An operation on the program's list or tree.
#[derive(Clone, Debug)]
pub enum HeapOp {
    /// Adds a value at the front.
    Push(Expr),
    /// Adds a value where the order asks for it.
    Insert(Expr),
    /// Removes the front and stores its value.
    Pop(Place),
    /// Removes all elements equal to a value.
    Remove(Expr),
    /// Reverses the list.
    Reverse,
    /// A hash of the values.
    Sum(Place),
    /// Adds a key to the tree.
    Grow(Expr),
    /// The depth of a key in the tree, or 99.
    Depth(Place, Expr),
}

/// A planted error. Whether it happens depends on the operands, hence on the input.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Reads an element; the index runs from `low` to a little past the end.
    Load { global: bool, array: usize, low: i32, index: Expr, to: Place },
    /// Writes an element likewise.
    Store { global: bool, array: usize, low: i32, index: Expr, value: Expr },
    /// Reads or writes through a pointer that is null if the condition holds.
    Null { when: Expr, write: bool, value: Expr },
    /// Reads or writes a block that was freed if the condition holds.
    AfterFree { when: Expr, write: bool, value: Expr },
    /// Frees a block again if the condition holds.
    DoubleFree { when: Expr },
    /// Frees what is no block, or the inside of one, if the condition holds.
    BadFree { when: Expr, inside: bool },
    /// Divides by what may be zero or, if signed, a minimum by minus one.
    Divide { ty: Int, rem: bool, left: Expr, right: Expr },
    /// Divides the least number by minus one if the condition holds.
    MinByMinusOne { ty: Int, rem: bool, when: Expr },
    /// Shifts by an amount that may reach the width.
    Shift { ty: Int, left: bool, value: Expr, amount: Expr },
    /// Writes to a constant if the condition holds.
    Constant { when: Expr },
    /// Calls a function pointer that is null if the condition holds.
    NullCall { when: Expr, value: Expr },
    /// Reaches what is marked as unreachable if the condition holds.
    Unreachable { when: Expr },
    /// `assert`
    Assert { holds: Expr },
    /// `abort`
    Abort { when: Expr },
    /// An error that the program reports itself.
    Report { when: Expr },
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Stores a value.
    Assign(Place, Expr),
    /// Exchanges two local variables.
    Swap(usize, usize),
    /// `if`
    If(Expr, Block, Block),
    /// A loop of at most `limit` rounds; `bound`, if there, is reduced to at most that.
    Loop { form: Form, counter: usize, limit: u32, bound: Option<Expr>, body: Block },
    /// Leaves the loop or switch around it if the condition holds.
    Break(Expr),
    /// Next round if the condition holds.
    Continue(Expr),
    /// `switch` on the low byte cut by a mask.
    Switch { on: Expr, mask: u8, arms: Vec<Arm>, default: Block },
    /// Jumps over the block if the condition holds.
    Skip(Expr, Block),
    /// Runs the block again, by a jump back, while the condition holds and at most `limit` times.
    Again { counter: usize, limit: u32, when: Expr, body: Block },
    /// A cycle entered at its second half if the condition holds.
    Enter { counter: usize, limit: u32, when: Expr, first: Block, second: Block },
    /// Calls a function, and stores the result.
    Call { to: Place, callee: usize, depth: Expr, args: Vec<Expr> },
    /// Calls through a table of pointers.
    CallTable { to: Place, table: usize, select: Expr, args: Vec<Expr> },
    /// Calls a function with a variable number of arguments, and stores the result.
    Variadic { to: Place, args: Vec<Expr> },
    /// Adds up the elements of an array between two indices, by pointers.
    Walk { to: Place, global: bool, array: usize, from: Expr, end: Expr },
    /// Calls the function itself, one level less deep, and stores the result.
    Recur { to: Place, args: Vec<Expr> },
    /// Returns early if the condition holds.
    Return(Expr, Expr),
    /// Ends the program with an exit code if the condition holds.
    Exit(Expr, u8),
    /// Drops the input unless the condition holds.
    Assume(Expr),
    /// Shows a few bits of a value.
    Out { value: Expr, mask: u8, format: usize },
    /// Shows a character buffer.
    OutText(usize),
    /// Works on a character buffer.
    Text(TextOp),
    /// Works on the list or tree.
    Heap(HeapOp),
    /// Goes over the input, or makes a block of symbolic size.
    Buffer(BufferOp),
    /// Copies one instance of a structure onto another: type, to, from.
    CopyRecord(usize, Expr, Expr),
    /// Sends an instance through a function by value: type, to, from, value.
    Mix(usize, Expr, Expr, Expr),
    /// Writes a member through a pointer to one of two instances: type, which, the two, member, value.
    Through { record: usize, which: Expr, one: usize, two: usize, field: usize, value: Expr },
    /// Computes with floating-point numbers that two conditions choose.
    ChosenFloat { to: Place, one: Expr, two: Expr },
    /// Calls a member of a table through a variable that two conditions set.
    ChosenCall { to: Place, table: usize, one: Expr, two: Expr, args: Vec<Expr> },
    /// Jumps to a label that a condition chooses: over the first block, or not.
    ChosenJump { when: Expr, first: Block, second: Block },
    /// Works on files, streams, descriptors and arguments.
    World(WorldOp),
    /// May fail.
    Fault(Fault),
}
