//! Modules, functions and their tables.

use crate::{
    BlockId, ConstId, EdgeId, FileId, FuncId, GlobalId, Inst, LocId, Operand, Range, Reg, TextId, Type,
};
use serde::{Deserialize, Serialize};

/// A whole program.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Defined and declared functions.
    pub functions: Vec<Function>,
    /// Defined and declared global variables.
    pub globals: Vec<Global>,
    /// Constants; one wider than 64 bits takes consecutive entries, least significant first.
    pub consts: Vec<Const>,
    /// Source locations.
    pub locs: Vec<Loc>,
    /// Source files, as paths.
    pub files: Vec<String>,
    /// Strings: names of variables, texts of gaps.
    pub texts: Vec<String>,
    /// Functions to call before `main`, in order.
    pub constructors: Vec<FuncId>,
    /// Functions to call after `main`, in order.
    pub destructors: Vec<FuncId>,
}

/// One 64-bit entry of the constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Const {
    /// These bits.
    Bits(u64),
    /// The address of something.
    Address(Address),
    /// No particular value (`undef`, `poison`): reads as zero.
    Undef,
}

/// An address that is only known when the program is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Address {
    /// That many bytes behind the start of a global.
    Global(GlobalId, i64),
    /// That many bytes behind a function's address.
    Function(FuncId, i64),
    /// A block whose address is taken.
    Block(FuncId, BlockId),
}

/// A global variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Writing to it is an error.
    pub constant: bool,
    /// A weak declaration has no `init`: its address is null. A strong one is `Some` or external.
    pub weak: bool,
    /// The initial content; `None` for a declaration.
    pub init: Option<Init>,
    /// Where it is declared.
    pub loc: LocId,
}

/// The initial content of a global.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Init {
    /// The leading bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses (8 bytes each) to put over the bytes, by increasing offset.
    pub relocs: Vec<Reloc>,
}

/// An address in the content of a global.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reloc {
    /// Where.
    pub offset: u64,
    /// What.
    pub address: Address,
}

/// A function. `blocks` is empty for a declaration; the entry block is block 0.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Parameters, in slots from register 0 on.
    pub params: Vec<Param>,
    /// Scalar results.
    pub rets: Vec<Type>,
    /// Takes more arguments than `params`.
    pub variadic: bool,
    /// A weak declaration: its address is null.
    pub weak: bool,
    /// Register slots of a frame.
    pub slots: u32,
    /// Basic blocks.
    pub blocks: Vec<Block>,
    /// Instructions of all blocks, block by block.
    pub insts: Vec<Inst>,
    /// Per instruction: its source location.
    pub locs: Vec<LocId>,
    /// Per instruction: how many LLVM instructions it stands for.
    pub weights: Vec<u16>,
    /// Edges of all terminators.
    pub edges: Vec<Edge>,
    /// Copies of all edges.
    pub copies: Vec<Copy>,
    /// Arguments of all calls, values of all returns.
    pub args: Vec<Arg>,
    /// Result types of all calls.
    pub types: Vec<Type>,
    /// Tables of all switches.
    pub switches: Vec<Switch>,
    /// Edges of all indirect jumps.
    pub indirect: Vec<EdgeId>,
    /// Source variables, for reports.
    pub debug_vars: Vec<DebugVar>,
    /// Where it is defined.
    pub loc: LocId,
}

impl Function {
    /// Whether only a declaration is there.
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Its type.
    pub ty: Type,
    /// Its first slot.
    pub reg: Reg,
}

/// A basic block: a run of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its instructions.
    pub insts: Range,
    /// Its name, if the bitcode had one.
    pub name: Option<TextId>,
}

/// A control-flow edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// Where it leads.
    pub target: BlockId,
    /// Copies done on the way, all at once (every source is read before any destination is
    /// written).
    pub copies: Range,
}

/// A copy on an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Copy {
    /// Width in bits.
    pub w: u16,
    /// The destination.
    pub dst: Reg,
    /// The source.
    pub src: Operand,
}

/// An argument of a call or a value of a return.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Arg {
    /// The value.
    pub value: Operand,
    /// Its type.
    pub ty: Type,
    /// For a variadic aggregate passed in memory (`byval`): size and alignment of what `value`
    /// points to; its bytes are the argument. Otherwise size 0.
    pub byval_size: u32,
    /// See `byval_size`.
    pub byval_align: u32,
}

/// A switch: sorted, distinct cases; all values of the switch's width.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// Case values (zero-extended) with their edges, by increasing value.
    pub cases: Vec<(u128, EdgeId)>,
    /// Taken when no case fits.
    pub default: EdgeId,
}

/// A position in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Loc {
    /// The file.
    pub file: FileId,
    /// 1-based line; 0 if unknown.
    pub line: u32,
    /// 1-based column; 0 if unknown.
    pub col: u32,
}

/// A source variable of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DebugVar {
    /// Its name.
    pub name: TextId,
    /// Where it lives.
    pub place: DebugVarPlace,
    /// Where it is declared.
    pub line: u32,
}

/// Where a source variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DebugVarPlace {
    /// Its value is in this register.
    Value(Reg),
    /// It is in the object whose address this register holds (an alloca's result).
    Object(Reg),
}

impl Module {
    /// The function with this symbol.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(|i| FuncId(i as u32))
    }

    /// The bits of a constant without addresses.
    #[must_use]
    pub fn const_bits(&self, c: ConstId) -> Option<u64> {
        match self.consts[c.index()] {
            Const::Bits(b) => Some(b),
            Const::Undef => Some(0),
            Const::Address(_) => None,
        }
    }

    /// The source file and line of a location.
    #[must_use]
    pub fn place(&self, loc: LocId) -> Option<(&str, Loc)> {
        let l = *self.locs.get(loc.index())?;
        Some((self.files.get(l.file.index())?, l))
    }
}
