//! What each opcode becomes, terminators aside. Also used for constant expressions.

use super::Gap;
use super::function::{Body, Leaves};
use crate::llvm::Value;
use llvm_sys::LLVMOpcode as Op;
use rejoin_ir::{BinOp, CastOp, FloatBinOp, FloatCastOp, FloatUnOp};

fn int_binary(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::LLVMAdd => BinOp::Add,
        Op::LLVMSub => BinOp::Sub,
        Op::LLVMMul => BinOp::Mul,
        Op::LLVMUDiv => BinOp::UDiv,
        Op::LLVMSDiv => BinOp::SDiv,
        Op::LLVMURem => BinOp::URem,
        Op::LLVMSRem => BinOp::SRem,
        Op::LLVMShl => BinOp::Shl,
        Op::LLVMLShr => BinOp::LShr,
        Op::LLVMAShr => BinOp::AShr,
        Op::LLVMAnd => BinOp::And,
        Op::LLVMOr => BinOp::Or,
        Op::LLVMXor => BinOp::Xor,
        _ => return None,
    })
}

fn float_binary(op: Op) -> Option<FloatBinOp> {
    Some(match op {
        Op::LLVMFAdd => FloatBinOp::Add,
        Op::LLVMFSub => FloatBinOp::Sub,
        Op::LLVMFMul => FloatBinOp::Mul,
        Op::LLVMFDiv => FloatBinOp::Div,
        Op::LLVMFRem => FloatBinOp::Rem,
        _ => return None,
    })
}

fn float_cast(op: Op) -> Option<FloatCastOp> {
    Some(match op {
        Op::LLVMFPToUI => FloatCastOp::FpToUi,
        Op::LLVMFPToSI => FloatCastOp::FpToSi,
        Op::LLVMUIToFP => FloatCastOp::UiToFp,
        Op::LLVMSIToFP => FloatCastOp::SiToFp,
        Op::LLVMFPTrunc | Op::LLVMFPExt => FloatCastOp::FpToFp,
        _ => return None,
    })
}

impl Body<'_> {
    /// Lowers an operation and returns the leaves of its result.
    pub(super) fn operator(&mut self, op: Op, v: Value) -> Result<Leaves, Gap> {
        if let Some(op) = int_binary(op) {
            return self.int_binary(op, v.operand(0), v.operand(1));
        }
        if let Some(op) = float_binary(op) {
            return self.float_binary(op, v.operand(0), v.operand(1));
        }
        if let Some(op) = float_cast(op) {
            return self.float_cast(op, v.operand(0), v.ty());
        }
        match op {
            Op::LLVMFNeg => self.float_unary(FloatUnOp::Neg, v.operand(0)),
            Op::LLVMTrunc => self.int_cast(CastOp::Trunc, v.operand(0), v.ty()),
            Op::LLVMZExt => self.int_cast(CastOp::ZExt, v.operand(0), v.ty()),
            Op::LLVMSExt => self.int_cast(CastOp::SExt, v.operand(0), v.ty()),
            Op::LLVMPtrToInt | Op::LLVMPtrToAddr | Op::LLVMIntToPtr => self.resize(v.operand(0), v.ty()),
            Op::LLVMBitCast => self.bitcast(v.operand(0), v.ty()),
            Op::LLVMFreeze => self.operands(v.operand(0)),
            Op::LLVMICmp => self.int_compare(v),
            Op::LLVMFCmp => self.float_compare(v.float_predicate(), v.operand(0), v.operand(1)),
            Op::LLVMSelect => self.select(v.operand(0), v.operand(1), v.operand(2)),
            Op::LLVMAlloca => self.alloca(v),
            Op::LLVMLoad => self.load(v),
            Op::LLVMStore => self.store(v),
            Op::LLVMGetElementPtr => self.gep(v),
            Op::LLVMAtomicRMW => self.atomic_rmw(v),
            Op::LLVMAtomicCmpXchg => self.cmpxchg(v),
            Op::LLVMFence => Ok(Self::none()),
            Op::LLVMExtractValue => self.extract_value(v),
            Op::LLVMInsertValue => self.insert_value(v),
            Op::LLVMExtractElement => self.extract_element(v),
            Op::LLVMInsertElement => self.insert_element(v),
            Op::LLVMShuffleVector => self.shuffle(v),
            Op::LLVMCall => self.call(v),
            _ => Err(format!("the instruction {}", v.text()).into()),
        }
    }
}
