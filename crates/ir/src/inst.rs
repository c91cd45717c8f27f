//! Instructions. `w` is a width in bits; operands and results have that width unless said otherwise.
//!
//! No instruction has flags such as `nsw`: arithmetic wraps, and what is undefined in C and worth
//! reporting (division by zero, over-wide shifts, …) is checked by the machine. docs/semantics.md
//! gives the rules.

use crate::{ConstId, EdgeId, FloatType, FuncId, Operand, Range, Reg, TextId, Type};
use serde::{Deserialize, Serialize};

/// Integer operations with two operands and one result of the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // LLVM's names; the min/max/saturating/funnel ones are LLVM's intrinsics
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    UShlSat,
    SShlSat,
}

/// Integer operations with one operand; the result has the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // LLVM's intrinsics of these names; ctlz(0) = cttz(0) = w, abs(MIN) = MIN
pub enum UnOp {
    Ctpop,
    Ctlz,
    Cttz,
    BSwap,
    BitReverse,
    Abs,
}

/// Arithmetic that also tells whether it overflowed (`llvm.*.with.overflow`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum OverflowOp {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

/// Integer and pointer comparisons; the result has width 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum IntPred {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Width changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CastOp {
    ZExt,
    SExt,
    Trunc,
}

/// Floating-point operations with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // MinNum/MaxNum: llvm.minnum/maxnum; Minimum/Maximum: llvm.minimum/maximum
pub enum FloatBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    CopySign,
}

/// Floating-point operations with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // Rint and NearbyInt round to nearest even: the rounding mode never changes
pub enum FloatUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    Rint,
    NearbyInt,
    Canonicalize,
}

/// Floating-point comparisons, `O` false and `U` true on a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// Conversions that involve floating point. Integer types are `Type::Int`, the others `Type::Float`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // the Sat forms are llvm.fptoui.sat / llvm.fptosi.sat
pub enum FloatCastOp {
    FpToFp,
    FpToUi,
    FpToSi,
    FpToUiSat,
    FpToSiSat,
    UiToFp,
    SiToFp,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// Whom a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A function of the module; a declared one is answered by the machine, by name.
    Direct(FuncId),
    /// The function at this address.
    Indirect(Operand),
}

/// One instruction. The last one of a block, and only that, is a terminator.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // the line above each variant names every field
pub enum Inst {
    /// `dst = a op b`
    Bin { op: BinOp, w: u16, dst: Reg, a: Operand, b: Operand },
    /// `dst = op a`
    Un { op: UnOp, w: u16, dst: Reg, a: Operand },
    /// `dst, flag = a op b`, `flag` of width 1.
    Overflow { op: OverflowOp, w: u16, dst: Reg, flag: Reg, a: Operand, b: Operand },
    /// Funnel shift: the upper (`left`) or lower half of `hi:lo` shifted by `amount mod w`.
    Funnel { left: bool, w: u16, dst: Reg, hi: Operand, lo: Operand, amount: Operand },
    /// `dst = a pred b`, operands of width `w`, `dst` of width 1.
    Cmp { pred: IntPred, w: u16, dst: Reg, a: Operand, b: Operand },
    /// `dst = op a`
    Cast { op: CastOp, from: u16, to: u16, dst: Reg, a: Operand },
    /// `dst = a op b`
    FloatBin { op: FloatBinOp, ty: FloatType, dst: Reg, a: Operand, b: Operand },
    /// `dst = op a`
    FloatUn { op: FloatUnOp, ty: FloatType, dst: Reg, a: Operand },
    /// `dst = a * b + c`; `fused`: rounded once (`llvm.fma`), otherwise twice (`llvm.fmuladd`).
    FloatMulAdd { fused: bool, ty: FloatType, dst: Reg, a: Operand, b: Operand, c: Operand },
    /// `dst = a pred b`, `dst` of width 1.
    FloatCmp { pred: FloatPred, ty: FloatType, dst: Reg, a: Operand, b: Operand },
    /// `dst = op a`
    FloatCast { op: FloatCastOp, from: Type, to: Type, dst: Reg, a: Operand },
    /// `dst` has width 1: whether `a` is in one of the classes of `mask` (`llvm.is.fpclass`).
    FloatClass { ty: FloatType, mask: u16, dst: Reg, a: Operand },
    /// `dst = cond ? a : b`, `cond` of width 1.
    Select { w: u16, dst: Reg, cond: Operand, a: Operand, b: Operand },
    /// `dst = a`, a change of type at most.
    Move { w: u16, dst: Reg, a: Operand },
    /// `dst = base + sext(index) * scale` (64 bits, wrapping); `index` has width `w`.
    PtrAdd { w: u16, dst: Reg, base: Operand, index: Operand, scale: i32 },
    /// Like `PtrAdd`, with a stride that does not fit 32 bits; `scale` is a 64-bit constant.
    PtrAddWide { w: u16, dst: Reg, base: Operand, index: Operand, scale: ConstId },
    /// `dst` = address of a new object of `count * size` bytes that lives until the function returns.
    /// `count` has width 64. A static alloca is in the entry block with a constant count.
    Alloca { dst: Reg, size: u32, align: u32, count: Operand },
    /// `dst = *addr`, `ceil(w / 8)` bytes.
    Load { w: u16, dst: Reg, addr: Operand },
    /// `*addr = value`, `ceil(w / 8)` bytes.
    Store { w: u16, value: Operand, addr: Operand },
    /// `dst = *addr; *addr = dst op value`
    AtomicRmw { op: AtomicOp, w: u16, dst: Reg, addr: Operand, value: Operand },
    /// `dst = *addr; ok = dst == expected; if ok { *addr = new }`, `ok` of width 1.
    CmpXchg { w: u16, dst: Reg, ok: Reg, addr: Operand, expected: Operand, new: Operand },
    /// Copies `len` (64 bits) bytes as if through a buffer; `overlap`: memmove, otherwise memcpy.
    MemCopy { overlap: bool, dst: Operand, src: Operand, len: Operand },
    /// Sets `len` (64 bits) bytes to `value` (8 bits).
    MemSet { dst: Operand, value: Operand, len: Operand },
    /// Calls `callee` with `args` (a range of the function's args); the results go to consecutive
    /// slots from `dst` on, by the types in `rets` (a range of the function's types).
    Call { callee: Callee, dst: Reg, args: Range, rets: Range },
    /// Initialises the `va_list` (x86-64 System V layout) at `list` from the variadic arguments.
    VaStart { list: Operand },
    /// Copies a `va_list`.
    VaCopy { dst: Operand, src: Operand },
    /// `dst` = the stack position, for `StackRestore`.
    StackSave { dst: Reg },
    /// Ends the life of all dynamic allocas made since `mark` was saved.
    StackRestore { mark: Operand },
    /// `dst` = the thread pointer.
    ThreadPointer { dst: Reg },
    /// `dst` = address of this frame (`level` 0) or of the caller's: an opaque non-null number.
    FrameAddress { dst: Reg, level: u32 },
    /// `dst` = size of the object behind `ptr` from there on if it is statically unknown: all ones
    /// (or 0 with `min`), as `llvm.objectsize` allows.
    ObjectSize { dst: Reg, w: u16, min: bool, ptr: Operand },
    /// A gap of the lowering, met at run time: the path ends with a ledger entry of this text.
    Unsupported { what: TextId },

    /// Goes along `edge`.
    Jump { edge: EdgeId },
    /// Goes along `then` if `cond` (width 1) is true, else along `els`.
    Branch { cond: Operand, then: EdgeId, els: EdgeId },
    /// Goes along the edge that the function's switch `table` has for `value`.
    Switch { w: u16, value: Operand, table: u32 },
    /// Goes to the block at `addr`, one of the targets of `edges` (a range of the function's
    /// `indirect` list of edges).
    IndirectJump { addr: Operand, edges: Range },
    /// Returns `values` (a range of the function's args).
    Return { values: Range },
    /// Reaching this is an error.
    Unreachable,
    /// `llvm.trap` and friends: ends the program abnormally.
    Trap,
}

impl Inst {
    /// Whether this ends a block.
    #[must_use]
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::Switch { .. }
                | Inst::IndirectJump { .. }
                | Inst::Return { .. }
                | Inst::Unreachable
                | Inst::Trap
        )
    }
}
