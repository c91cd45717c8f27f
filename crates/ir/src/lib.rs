//! Rejoin's own intermediate representation.
//!
//! A [`Module`] is made once from LLVM bitcode and never changes afterwards. It is a register
//! machine over scalars: vectors and first-class aggregates are taken apart while lowering, every
//! size and offset is known, phis are parallel copies on the edges. So a state that stands at a
//! block head has always passed its phis, and merging "before phis" cannot be expressed.
//!
//! Registers are 64-bit *slots*. A value of `w` bits takes `ceil(w / 64)` consecutive slots,
//! least significant first; the register that names the value is the first of them. Bits above
//! the value's width are zero in the slots.

pub mod builder;
mod canonical;
pub mod encode;
mod id;
mod index;
mod inst;
mod module;
mod names;
mod query;
mod table;
pub mod text;
mod ty;
pub mod verify;

pub use id::{BlockId, ConstId, EdgeId, FileId, FuncId, GlobalId, LocId, Operand, Range, Reg, TextId};
pub use inst::{
    AtomicOp, BinOp, Callee, CastOp, FloatBinOp, FloatCastOp, FloatPred, FloatUnOp, Inst, IntPred,
    OverflowOp, UnOp,
};
pub use module::{
    Address, Arg, Block, Const, Copy, DebugVar, DebugVarPlace, Edge, Function, Global, Init, Loc, Module,
    Param, Reloc, Switch,
};
pub use ty::{FloatType, Type};
