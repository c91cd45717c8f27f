//! Arithmetic, comparisons, casts and selections, lane by lane.

use super::Gap;
use super::function::{Body, Leaves};
use crate::llvm::{Ty, Value};
use llvm_sys::LLVMIntPredicate as IP;
use llvm_sys::LLVMRealPredicate as RP;
use rejoin_ir::{
    BinOp, CastOp, FloatBinOp, FloatCastOp, FloatPred, FloatType, FloatUnOp, Inst, IntPred, Operand, Reg,
    Type,
};

impl Body<'_> {
    /// One instruction per lane of `a`, with results of type `to`.
    pub(super) fn map1(
        &mut self,
        a: Value,
        to: Type,
        inst: impl Fn(Reg, Operand) -> Inst,
    ) -> Result<Leaves, Gap> {
        let a = self.operands(a)?;
        let result = self.fresh(&vec![to; a.len as usize]);
        for i in 0..a.len as usize {
            if let Some(dst) = self.leaf(result, i).as_reg() {
                self.emit(inst(dst, self.leaf(a, i)));
            }
        }
        Ok(result)
    }

    /// One instruction per lane of `a` and `b`, with results of type `to`.
    pub(super) fn map2(
        &mut self,
        a: Value,
        b: Value,
        to: Type,
        inst: impl Fn(Reg, Operand, Operand) -> Inst,
    ) -> Result<Leaves, Gap> {
        let (a, b) = (self.operands(a)?, self.operands(b)?);
        let result = self.fresh(&vec![to; a.len.min(b.len) as usize]);
        for i in 0..result.len as usize {
            if let Some(dst) = self.leaf(result, i).as_reg() {
                self.emit(inst(dst, self.leaf(a, i), self.leaf(b, i)));
            }
        }
        Ok(result)
    }

    pub(super) fn int_binary(&mut self, op: BinOp, a: Value, b: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(a.ty())?;
        let is_shift = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        if is_shift && self.is_optimised && ty.bits() <= 64 {
            return self.speculated_shift(op, ty.bits(), a, b);
        }
        self.map2(a, b, ty, |dst, a, b| Inst::Bin { op, w: ty.bits(), dst, a, b })
    }

    /// A shift in optimised code. Optimisers compute shifts before they know whether the result is
    /// wanted, so one by too much is no error there; its result, which nobody looks at, is 0.
    fn speculated_shift(&mut self, op: BinOp, w: u16, a: Value, b: Value) -> Result<Leaves, Gap> {
        let (a, b) = (self.operands(a)?, self.operands(b)?);
        let result = self.fresh(&vec![Type::Int(w); a.len.min(b.len) as usize]);
        for i in 0..result.len as usize {
            let Some(dst) = self.leaf(result, i).as_reg() else { continue };
            let (a, b) = (self.leaf(a, i), self.leaf(b, i));
            if self.known_bits(b).is_some_and(|n| n < u64::from(w)) {
                self.emit(Inst::Bin { op, w, dst, a, b });
                continue;
            }
            let (width, zero) = (self.bits(u64::from(w)), self.bits(0));
            let fits = self.compare(IntPred::Ult, w, b, width);
            let amount = self.reg(Type::Int(w));
            self.emit(Inst::Select { w, dst: amount, cond: fits, a: b, b: zero });
            let shifted = self.binary(op, w, a, Operand::reg(amount));
            self.emit(Inst::Select { w, dst, cond: fits, a: shifted, b: zero });
        }
        Ok(result)
    }

    pub(super) fn float_binary(&mut self, op: FloatBinOp, a: Value, b: Value) -> Result<Leaves, Gap> {
        let ty = self.float_lane(a.ty())?;
        self.map2(a, b, Type::Float(ty), |dst, a, b| Inst::FloatBin { op, ty, dst, a, b })
    }

    pub(super) fn float_unary(&mut self, op: FloatUnOp, a: Value) -> Result<Leaves, Gap> {
        let ty = self.float_lane(a.ty())?;
        self.map1(a, Type::Float(ty), |dst, a| Inst::FloatUn { op, ty, dst, a })
    }

    /// The floating-point type of a scalar or of a vector's elements.
    pub(super) fn float_lane(&mut self, ty: Ty) -> Result<FloatType, Gap> {
        match self.p.lane(ty)? {
            Type::Float(f) => Ok(f),
            _ => Err(format!("{ty} as a floating-point type").into()),
        }
    }

    pub(super) fn int_cast(&mut self, op: CastOp, a: Value, to: Ty) -> Result<Leaves, Gap> {
        let (from, to) = (self.p.lane(a.ty())?, self.p.lane(to)?);
        self.map1(a, to, |dst, a| Inst::Cast { op, from: from.bits(), to: to.bits(), dst, a })
    }

    pub(super) fn float_cast(&mut self, op: FloatCastOp, a: Value, to: Ty) -> Result<Leaves, Gap> {
        let (from, to) = (self.p.lane(a.ty())?, self.p.lane(to)?);
        self.map1(a, to, |dst, a| Inst::FloatCast { op, from, to, dst, a })
    }

    /// Between pointers and integers: zeros are added or bits cut off, if any.
    pub(super) fn resize(&mut self, a: Value, to: Ty) -> Result<Leaves, Gap> {
        let (from, width) = (self.p.lane(a.ty())?.bits(), self.p.lane(to)?.bits());
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => self.operands(a),
            std::cmp::Ordering::Less => self.int_cast(CastOp::ZExt, a, to),
            std::cmp::Ordering::Greater => self.int_cast(CastOp::Trunc, a, to),
        }
    }

    /// A scalar brought to 64 bits.
    pub(super) fn extended_to_64(&mut self, op: CastOp, a: Operand, from: u16) -> Operand {
        match self.known_bits(a) {
            Some(b) if from < 64 => {
                let unused = 64 - u32::from(from);
                let wide = if op == CastOp::SExt {
                    (((b << unused).cast_signed()) >> unused).cast_unsigned()
                } else {
                    b
                };
                self.bits(wide)
            }
            _ if from == 64 => a,
            _ => {
                let op = if from > 64 { CastOp::Trunc } else { op };
                self.cast(op, a, from, 64)
            }
        }
    }

    /// `op a` in a new register.
    pub(super) fn cast(&mut self, op: CastOp, a: Operand, from: u16, to: u16) -> Operand {
        let dst = self.reg(Type::Int(to));
        self.emit(Inst::Cast { op, from, to, dst, a });
        Operand::reg(dst)
    }

    /// `a op b` in a new register.
    pub(super) fn binary(&mut self, op: BinOp, w: u16, a: Operand, b: Operand) -> Operand {
        let dst = self.reg(Type::Int(w));
        self.emit(Inst::Bin { op, w, dst, a, b });
        Operand::reg(dst)
    }

    /// `a pred b` in a new register.
    pub(super) fn compare(&mut self, pred: IntPred, w: u16, a: Operand, b: Operand) -> Operand {
        let dst = self.reg(Type::Int(1));
        self.emit(Inst::Cmp { pred, w, dst, a, b });
        Operand::reg(dst)
    }

    pub(super) fn int_compare(&mut self, v: Value) -> Result<Leaves, Gap> {
        let pred = match v.int_predicate() {
            IP::LLVMIntEQ => IntPred::Eq,
            IP::LLVMIntNE => IntPred::Ne,
            IP::LLVMIntUGT => IntPred::Ugt,
            IP::LLVMIntUGE => IntPred::Uge,
            IP::LLVMIntULT => IntPred::Ult,
            IP::LLVMIntULE => IntPred::Ule,
            IP::LLVMIntSGT => IntPred::Sgt,
            IP::LLVMIntSGE => IntPred::Sge,
            IP::LLVMIntSLT => IntPred::Slt,
            IP::LLVMIntSLE => IntPred::Sle,
        };
        let w = self.p.lane(v.operand(0).ty())?.bits();
        self.map2(v.operand(0), v.operand(1), Type::Int(1), |dst, a, b| Inst::Cmp { pred, w, dst, a, b })
    }

    pub(super) fn float_compare(&mut self, pred: RP, a: Value, b: Value) -> Result<Leaves, Gap> {
        let pred = match pred {
            RP::LLVMRealPredicateFalse => FloatPred::False,
            RP::LLVMRealOEQ => FloatPred::Oeq,
            RP::LLVMRealOGT => FloatPred::Ogt,
            RP::LLVMRealOGE => FloatPred::Oge,
            RP::LLVMRealOLT => FloatPred::Olt,
            RP::LLVMRealOLE => FloatPred::Ole,
            RP::LLVMRealONE => FloatPred::One,
            RP::LLVMRealORD => FloatPred::Ord,
            RP::LLVMRealUNO => FloatPred::Uno,
            RP::LLVMRealUEQ => FloatPred::Ueq,
            RP::LLVMRealUGT => FloatPred::Ugt,
            RP::LLVMRealUGE => FloatPred::Uge,
            RP::LLVMRealULT => FloatPred::Ult,
            RP::LLVMRealULE => FloatPred::Ule,
            RP::LLVMRealUNE => FloatPred::Une,
            RP::LLVMRealPredicateTrue => FloatPred::True,
        };
        let ty = self.float_lane(a.ty())?;
        self.map2(a, b, Type::Int(1), |dst, a, b| Inst::FloatCmp { pred, ty, dst, a, b })
    }

    /// A selection, of aggregates leaf by leaf; a vector condition chooses lane by lane.
    pub(super) fn select(&mut self, cond: Value, a: Value, b: Value) -> Result<Leaves, Gap> {
        let types = self.p.layout(a.ty())?;
        let (cond, a, b) = (self.operands(cond)?, self.operands(a)?, self.operands(b)?);
        let result = self.fresh(&types.leaves);
        for (i, ty) in types.leaves.iter().enumerate() {
            let cond = self.leaf(cond, if cond.len == 1 { 0 } else { i });
            if let Some(dst) = self.leaf(result, i).as_reg() {
                self.emit(Inst::Select { w: ty.bits(), dst, cond, a: self.leaf(a, i), b: self.leaf(b, i) });
            }
        }
        Ok(result)
    }
}
