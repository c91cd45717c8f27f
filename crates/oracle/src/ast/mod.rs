//! Generated programs as data.
//!
//! Every tree that these types can hold prints as a valid C program which terminates and whose only undefined
//! behaviour is planted. So the shrinker may drop any statement and replace any expression without asking:
//! objects are declared in tables apart from the code, operands are converted where they are used, and jumps
//! are written as statements that carry their own label.

mod expr;
mod int;
mod stmt;
mod visit;
mod world;

pub use expr::{BinOp, Cmp, Expr, Logic, Place, UnOp};
pub use int::*;
pub use stmt::{Arm, Block, BlockKind, BufferOp, Fault, Form, HeapOp, Stmt, TextOp};
pub use world::{Reading, World, WorldOp};

/// What a symbolic input looks like in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One variable per byte.
    Bytes,
    /// One array of bytes, made symbolic as a whole.
    Array,
    /// One 16-bit variable.
    Half,
}

/// The inputs of a program and the values they may take.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// How they are declared.
    pub shape: Shape,
    /// Whether byte variables (or the 16-bit one) have a sign.
    pub signed: bool,
    /// The inclusive range of each byte; `(0, 255)` needs no assumption.
    pub ranges: Vec<(u8, u8)>,
}

impl Inputs {
    /// The number of assignments within the ranges.
    pub fn domain(&self) -> u64 {
        self.ranges.iter().map(|&(low, high)| u64::from(high - low) + 1).product()
    }
}

/// How a program's results become visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Through `putchar`.
    Putchar,
    /// Through `printf` and `putchar`.
    Printf,
    /// Through the exit code alone.
    ExitCode,
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A global with an initialiser.
    Global,
    /// A local with an initialiser.
    Local,
    /// A block from `malloc`.
    Malloc,
    /// A block from `calloc`.
    Calloc,
}

/// A variable and its initial value.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// Its type.
    pub ty: Int,
    /// Its first value.
    pub init: u128,
}

/// An array and its initial elements.
#[derive(Clone, Debug)]
pub struct Array {
    /// The elements' type.
    pub ty: Int,
    /// The elements.
    pub init: Vec<u128>,
    /// Where it lives.
    pub storage: Storage,
}

/// A character buffer of `size` bytes that always ends in NUL.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its size in bytes.
    pub size: usize,
    /// The string in it at first.
    pub init: &'static str,
}

/// A member of a structure, maybe a bit-field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The declared type.
    pub ty: Int,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

/// A structure type; it comes with [`RECORDS`] global instances, which are an array.
#[derive(Clone, Debug)]
pub struct Record {
    /// The members.
    pub fields: Vec<Field>,
}

/// How many instances each structure type has.
pub const RECORDS: usize = 4;

/// A function; the first of a program is `main`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Types of the parameters; `main` has none.
    pub params: Vec<Int>,
    /// The type of the result.
    pub ret: Int,
    /// Whether it takes a depth and calls itself while that is above zero.
    pub recursive: bool,
    /// Its variables.
    pub locals: Vec<Scalar>,
    /// Its arrays.
    pub arrays: Vec<Array>,
    /// Its character buffers.
    pub texts: Vec<Text>,
    /// How many loop counters it needs.
    pub counters: usize,
    /// Its code.
    pub body: Block,
    /// What it returns at the end.
    pub result: Expr,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed that it was made from.
    pub seed: u64,
    /// Its inputs.
    pub inputs: Inputs,
    /// Where they come from, if not from the harness.
    pub world: Option<World>,
    /// How it shows results.
    pub output: Output,
    /// Further assumptions made at the start.
    pub assumptions: Vec<Expr>,
    /// Global variables.
    pub globals: Vec<Scalar>,
    /// Global arrays.
    pub arrays: Vec<Array>,
    /// Structure types.
    pub records: Vec<Record>,
    /// Tables of function pointers: indices of functions with one signature, a power of two of them.
    pub tables: Vec<Vec<usize>>,
    /// The functions; each calls only itself and later ones.
    pub functions: Vec<Function>,
}
