//! Aggregates and vectors: mostly renaming of leaves.

use super::Gap;
use super::constants::Scalar;
use super::function::{Body, Leaves};
use crate::llvm::{Ty, Value};
use rejoin_ir::{BinOp, CastOp, Inst, IntPred, Operand, Range, Type};

/// Integers wider than this cannot be expressed.
const MAX_WIDTH: u32 = 8192;

impl Body<'_> {
    pub(super) fn extract_value(&mut self, v: Value) -> Result<Leaves, Gap> {
        let (position, ty) = self.p.leaf_position(v.operand(0).ty(), &v.indices())?;
        let len = self.p.layout(ty)?.leaves.len() as u32;
        let all = self.operands(v.operand(0))?;
        Ok(Range { start: all.start + position as u32, len })
    }

    pub(super) fn insert_value(&mut self, v: Value) -> Result<Leaves, Gap> {
        let (position, _) = self.p.leaf_position(v.operand(0).ty(), &v.indices())?;
        let (all, part) = (self.operands(v.operand(0))?, self.operands(v.operand(1))?);
        let start = self.leaves.len();
        self.leaves.extend_from_within(all.indices());
        for i in 0..part.len as usize {
            self.leaves[start + position + i] = self.leaf(part, i);
        }
        Ok(self.since(start))
    }

    /// A variable index becomes a chain of selections.
    pub(super) fn extract_element(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.operand(0).ty())?;
        let (all, index) = (self.operands(v.operand(0))?, self.operand(v.operand(1))?);
        if let Some(i) = self.known_bits(index).filter(|&i| i < u64::from(all.len)) {
            return Ok(Range { start: all.start + i as u32, len: 1 });
        }
        let w = self.p.lane(v.operand(1).ty())?.bits();
        let mut found = self.leaf(all, 0);
        for i in 1..all.len as usize {
            let number = self.bits(i as u64);
            let here = self.compare(IntPred::Eq, w, index, number);
            let element = self.leaf(all, i);
            found = self.choose(ty, here, element, found);
        }
        Ok(self.one(found))
    }

    pub(super) fn insert_element(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.operand(0).ty())?;
        let all = self.operands(v.operand(0))?;
        let (element, index) = (self.operand(v.operand(1))?, self.operand(v.operand(2))?);
        let w = self.p.lane(v.operand(2).ty())?.bits();
        let known = self.known_bits(index);
        let mut lanes = Vec::with_capacity(all.len as usize);
        for i in 0..all.len as usize {
            let old = self.leaf(all, i);
            lanes.push(match known {
                Some(k) if k == i as u64 => element,
                Some(_) => old,
                None => {
                    let number = self.bits(i as u64);
                    let here = self.compare(IntPred::Eq, w, index, number);
                    self.choose(ty, here, element, old)
                }
            });
        }
        Ok(self.list(&lanes))
    }

    pub(super) fn shuffle(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.operand(0).ty())?;
        let (a, b) = (self.operands(v.operand(0))?, self.operands(v.operand(1))?);
        let undef = self.p.pooled(Scalar::Undef, ty);
        let lanes: Vec<Operand> = v
            .shuffle_mask()
            .into_iter()
            .map(|lane| match lane {
                Some(i) if i < a.len => self.leaf(a, i as usize),
                Some(i) if i < a.len + b.len => self.leaf(b, (i - a.len) as usize),
                _ => undef,
            })
            .collect();
        Ok(self.list(&lanes))
    }

    /// A change of type that keeps the bits, between any two shapes.
    pub(super) fn bitcast(&mut self, a: Value, to: Ty) -> Result<Leaves, Gap> {
        let (from, to) = (self.p.layout(a.ty())?, self.p.layout(to)?);
        let leaves = self.operands(a)?;
        let widths = |types: &[Type]| types.iter().map(|t| t.bits()).collect::<Vec<_>>();
        let (from, to) = (widths(&from.leaves), widths(&to.leaves));
        if from == to {
            return Ok(leaves);
        }
        let lanes: Vec<Operand> = self.leaves[leaves.indices()].to_vec();
        let whole = self.join(&lanes, &from)?;
        let parts = self.split(whole, &to)?;
        Ok(self.list(&parts))
    }

    /// Lanes as one integer, the first lane lowest.
    pub(super) fn join(&mut self, lanes: &[Operand], widths: &[u16]) -> Result<Operand, Gap> {
        let total = total_width(widths)?;
        let mut whole = None;
        let mut shift = 0u64;
        for (&lane, &w) in lanes.iter().zip(widths) {
            let mut part = if w == total { lane } else { self.cast(CastOp::ZExt, lane, w, total) };
            if shift > 0 {
                let amount = self.amount(shift, total);
                part = self.binary(BinOp::Shl, total, part, amount);
            }
            whole = Some(match whole {
                None => part,
                Some(lower) => self.binary(BinOp::Or, total, lower, part),
            });
            shift += u64::from(w);
        }
        whole.ok_or_else(|| "a value without bits".into())
    }

    /// One integer as lanes, the first lane lowest.
    pub(super) fn split(&mut self, whole: Operand, widths: &[u16]) -> Result<Vec<Operand>, Gap> {
        let total = total_width(widths)?;
        let mut lanes = Vec::with_capacity(widths.len());
        let mut shift = 0u64;
        for &w in widths {
            let mut part = whole;
            if shift > 0 {
                let amount = self.amount(shift, total);
                part = self.binary(BinOp::LShr, total, part, amount);
            }
            lanes.push(if w == total { part } else { self.cast(CastOp::Trunc, part, total, w) });
            shift += u64::from(w);
        }
        Ok(lanes)
    }

    fn amount(&mut self, shift: u64, w: u16) -> Operand {
        self.p.pooled(Scalar::Bits(shift), Type::Int(w))
    }

    /// `cond ? a : b` in a new register.
    pub(super) fn choose(&mut self, ty: Type, cond: Operand, a: Operand, b: Operand) -> Operand {
        let dst = self.reg(ty);
        self.emit(Inst::Select { w: ty.bits(), dst, cond, a, b });
        Operand::reg(dst)
    }

    /// Operands as leaves.
    pub(super) fn list(&mut self, operands: &[Operand]) -> Leaves {
        let start = self.leaves.len();
        self.leaves.extend_from_slice(operands);
        self.since(start)
    }
}

fn total_width(widths: &[u16]) -> Result<u16, Gap> {
    match widths.iter().map(|&w| u32::from(w)).sum::<u32>() {
        0 => Err("a value without bits".into()),
        total if total <= MAX_WIDTH => Ok(total as u16),
        total => Err(format!("an integer of {total} bits").into()),
    }
}
