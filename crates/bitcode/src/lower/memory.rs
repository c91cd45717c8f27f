//! Allocas, loads, stores, address arithmetic, atomic operations.

use super::function::{Body, Leaves};
use super::{Gap, Program};
use crate::llvm::{TyKind, Value};
use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use rejoin_ir::{AtomicOp, CastOp, Const, FloatBinOp, Inst, Operand, Type};

/// The steps of a GEP: constant parts summed up, variable ones as (index, stride).
pub(super) struct Path {
    pub(super) offset: i64,
    pub(super) variable: Vec<(Value, u64)>,
}

impl Program {
    /// The steps of a GEP, also of a constant one.
    pub(super) fn gep_path(&mut self, gep: Value) -> Result<Path, Gap> {
        let mut path = Path { offset: 0, variable: Vec::new() };
        let mut ty = gep.gep_source();
        for i in 1..gep.operand_count() {
            let index = gep.operand(i);
            let stride = match ty.kind() {
                TyKind::Struct if i > 1 => {
                    let field = index.element(0).unwrap_or(index).int_low() as u32;
                    path.offset = path.offset.wrapping_add_unsigned(self.data.offset(ty, field));
                    ty = ty.field(field);
                    continue;
                }
                _ if i == 1 => ty,
                TyKind::Array | TyKind::Vector => {
                    ty = ty.element();
                    ty
                }
                _ => return Err(format!("an index into {ty}").into()),
            };
            if matches!(stride.kind(), TyKind::Other) {
                return Err(format!("an index over {stride}").into());
            }
            let stride = self.data.size(stride);
            match constant_index(index) {
                Some(n) => path.offset = path.offset.wrapping_add(n.wrapping_mul(stride.cast_signed())),
                None if stride == 0 => {}
                None => path.variable.push((index, stride)),
            }
        }
        Ok(path)
    }
}

/// A scalar constant index, sign-extended.
fn constant_index(index: Value) -> Option<i64> {
    let TyKind::Int(w) = index.ty().kind() else { return None };
    if !index.is_constant() || index.kind() != crate::llvm::ValueKind::Int {
        return None;
    }
    let unused = 64u32.saturating_sub(w);
    Some((index.int_low() << unused).cast_signed() >> unused)
}

impl Body<'_> {
    pub(super) fn alloca(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = v.allocated();
        if matches!(ty.kind(), TyKind::Other) {
            return Err(format!("a variable of type {ty}").into());
        }
        let size = self.p.data.size(ty);
        let align = v.align().max(1);
        let w = self.p.lane(v.operand(0).ty())?.bits();
        let count = self.operand(v.operand(0))?;
        let count = self.extended_to_64(CastOp::ZExt, count, w);
        let (size, count) = match (u32::try_from(size), self.known_bits(count)) {
            (Ok(size), _) => (size, count),
            (Err(_), Some(n)) => (1, self.bits(size.wrapping_mul(n))),
            (Err(_), None) => return Err(format!("a variable array of {ty}").into()),
        };
        let dst = self.reg(Type::Ptr);
        self.emit(Inst::Alloca { dst, size, align, count });
        Ok(self.one(Operand::reg(dst)))
    }

    pub(super) fn load(&mut self, v: Value) -> Result<Leaves, Gap> {
        let layout = self.p.layout(v.ty())?;
        let base = self.operand(v.operand(0))?;
        let mut lanes = Vec::with_capacity(layout.leaves.len());
        for piece in &layout.pieces {
            let addr = self.at(base, piece.offset);
            let w = piece.bits() as u16;
            let dst = self.reg(if piece.lanes == 1 { piece.ty } else { Type::Int(w) });
            self.emit(Inst::Load { w, dst, addr });
            if piece.lanes == 1 {
                lanes.push(Operand::reg(dst));
            } else {
                lanes.extend(self.split(Operand::reg(dst), &vec![piece.ty.bits(); piece.lanes as usize])?);
            }
        }
        Ok(self.list(&lanes))
    }

    pub(super) fn store(&mut self, v: Value) -> Result<Leaves, Gap> {
        let layout = self.p.layout(v.operand(0).ty())?;
        let leaves = self.operands(v.operand(0))?;
        let base = self.operand(v.operand(1))?;
        let mut next = leaves.start as usize;
        for piece in &layout.pieces {
            let lanes = self.leaves[next..][..piece.lanes as usize].to_vec();
            next += lanes.len();
            let value = match lanes[..] {
                [lane] => lane,
                _ => self.join(&lanes, &vec![piece.ty.bits(); lanes.len()])?,
            };
            let addr = self.at(base, piece.offset);
            self.emit(Inst::Store { w: piece.bits() as u16, value, addr });
        }
        Ok(Self::none())
    }

    /// An address with a constant offset.
    pub(super) fn at(&mut self, base: Operand, offset: u64) -> Operand {
        if offset == 0 { base } else { self.shifted(base, offset.cast_signed()) }
    }

    fn shifted(&mut self, base: Operand, offset: i64) -> Operand {
        if let Some(c) = base.as_const() {
            use rejoin_ir::Address as A;
            let moved = match self.p.pool.consts[c.index()] {
                Const::Bits(b) => Some(Const::Bits(b.wrapping_add_signed(offset))),
                Const::Address(A::Global(id, o)) => {
                    Some(Const::Address(A::Global(id, o.wrapping_add(offset))))
                }
                Const::Address(A::Function(id, o)) => {
                    Some(Const::Address(A::Function(id, o.wrapping_add(offset))))
                }
                Const::Address(A::Block(..)) | Const::Undef => None,
            };
            if let Some(moved) = moved {
                return Operand::constant(self.p.pool.one(moved));
            }
        }
        let index = self.bits(offset.cast_unsigned());
        let dst = self.reg(Type::Ptr);
        self.emit(Inst::PtrAdd { w: 64, dst, base, index, scale: 1 });
        Operand::reg(dst)
    }

    /// Address arithmetic; if an operand is a vector, lane by lane.
    pub(super) fn gep(&mut self, v: Value) -> Result<Leaves, Gap> {
        let path = self.p.gep_path(v)?;
        let lanes = self.p.layout(v.ty())?.leaves.len();
        let base = self.operands(v.operand(0))?;
        let mut indices = Vec::with_capacity(path.variable.len());
        for &(index, stride) in &path.variable {
            let w = self.p.lane(index.ty())?.bits();
            indices.push((self.operands(index)?, w, stride));
        }
        let mut results = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let pick = |leaves: Leaves| if leaves.len == 1 { 0 } else { lane };
            let mut addr = self.leaf(base, pick(base));
            if path.offset != 0 {
                addr = self.shifted(addr, path.offset);
            }
            for &(index, w, stride) in &indices {
                let index = self.leaf(index, pick(index));
                addr = self.step(addr, index, w, stride);
            }
            results.push(addr);
        }
        Ok(self.list(&results))
    }

    /// `base + index * stride`
    fn step(&mut self, base: Operand, index: Operand, w: u16, stride: u64) -> Operand {
        let (index, w) = if w > 64 { (self.extended_to_64(CastOp::Trunc, index, w), 64) } else { (index, w) };
        let dst = self.reg(Type::Ptr);
        match i32::try_from(stride) {
            Ok(scale) => self.emit(Inst::PtrAdd { w, dst, base, index, scale }),
            Err(_) => {
                let scale = self.p.pool.one(Const::Bits(stride));
                self.emit(Inst::PtrAddWide { w, dst, base, index, scale });
            }
        }
        Operand::reg(dst)
    }

    /// There is one thread: an atomic operation is a load, an operation and a store.
    pub(super) fn atomic_rmw(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.ty())?;
        let (addr, value) = (self.operand(v.operand(0))?, self.operand(v.operand(1))?);
        let op = match v.atomic_op() {
            Rmw::LLVMAtomicRMWBinOpXchg => AtomicOp::Xchg,
            Rmw::LLVMAtomicRMWBinOpAdd => AtomicOp::Add,
            Rmw::LLVMAtomicRMWBinOpSub => AtomicOp::Sub,
            Rmw::LLVMAtomicRMWBinOpAnd => AtomicOp::And,
            Rmw::LLVMAtomicRMWBinOpNand => AtomicOp::Nand,
            Rmw::LLVMAtomicRMWBinOpOr => AtomicOp::Or,
            Rmw::LLVMAtomicRMWBinOpXor => AtomicOp::Xor,
            Rmw::LLVMAtomicRMWBinOpMax => AtomicOp::Max,
            Rmw::LLVMAtomicRMWBinOpMin => AtomicOp::Min,
            Rmw::LLVMAtomicRMWBinOpUMax => AtomicOp::UMax,
            Rmw::LLVMAtomicRMWBinOpUMin => AtomicOp::UMin,
            Rmw::LLVMAtomicRMWBinOpFAdd => return self.float_rmw(FloatBinOp::Add, ty, addr, value),
            Rmw::LLVMAtomicRMWBinOpFSub => return self.float_rmw(FloatBinOp::Sub, ty, addr, value),
            Rmw::LLVMAtomicRMWBinOpFMax => return self.float_rmw(FloatBinOp::MaxNum, ty, addr, value),
            Rmw::LLVMAtomicRMWBinOpFMin => return self.float_rmw(FloatBinOp::MinNum, ty, addr, value),
            _ => return Err(format!("the instruction {}", v.text()).into()),
        };
        let dst = self.reg(ty);
        self.emit(Inst::AtomicRmw { op, w: ty.bits(), dst, addr, value });
        Ok(self.one(Operand::reg(dst)))
    }

    fn float_rmw(&mut self, op: FloatBinOp, ty: Type, addr: Operand, value: Operand) -> Result<Leaves, Gap> {
        let Type::Float(float) = ty else { return Err("a floating-point operation on integers".into()) };
        let (old, new) = (self.reg(ty), self.reg(ty));
        self.emit(Inst::Load { w: ty.bits(), dst: old, addr });
        self.emit(Inst::FloatBin { op, ty: float, dst: new, a: Operand::reg(old), b: value });
        self.emit(Inst::Store { w: ty.bits(), value: Operand::reg(new), addr });
        Ok(self.one(Operand::reg(old)))
    }

    pub(super) fn cmpxchg(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.operand(1).ty())?;
        let addr = self.operand(v.operand(0))?;
        let (expected, new) = (self.operand(v.operand(1))?, self.operand(v.operand(2))?);
        let (dst, ok) = (self.reg(ty), self.reg(Type::Int(1)));
        self.emit(Inst::CmpXchg { w: ty.bits(), dst, ok, addr, expected, new });
        Ok(self.list(&[Operand::reg(dst), Operand::reg(ok)]))
    }
}
