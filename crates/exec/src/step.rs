//! The fast path: instructions whose operands are all concrete.
//!
//! [`Machine::run`] handles the common cases in place and leaves everything else — symbolic
//! operands, wide values, calls, errors — to `slow`.

use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::State;
use rejoin_ir::{BinOp, BlockId, EdgeId, Function, Inst, Operand, Reg};
use rejoin_memory::{Kind, ObjectId, Space, Value};
use rejoin_ops::{bin64, cast64, cmp64};
use std::rc::Rc;

/// Whether the operation always has a result.
#[inline]
fn is_total(op: BinOp, w: u16, b: u64) -> bool {
    match op {
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => false,
        BinOp::Shl | BinOp::LShr | BinOp::AShr => b < u64::from(w),
        _ => true,
    }
}

#[inline]
fn mask(w: u16) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

#[inline]
fn sext(bits: u64, w: u16) -> u64 {
    let shift = 64 - u32::from(w.min(64));
    ((bits << shift) as i64 >> shift) as u64
}

/// A load of concrete bytes from a living object.
#[inline]
fn load(memory: &Space, address: u64, w: u16) -> Option<u64> {
    let (id, offset) = ObjectId::of_address(address);
    let object = memory.get(id)?;
    let len = usize::from(w).div_ceil(8);
    if !object.contains(offset, len as u64) {
        return None;
    }
    object.read_concrete(offset, len).map(|bits| bits & mask(w))
}

/// A store of concrete bytes into a living, writable object.
#[inline]
fn store(memory: &mut Space, address: u64, w: u16, bits: u64) -> bool {
    let (id, offset) = ObjectId::of_address(address);
    let len = usize::from(w).div_ceil(8);
    match memory.get_mut(id) {
        Some(object) if object.kind != Kind::Constant && object.contains(offset, len as u64) => {
            object.write_concrete(offset, len, bits)
        }
        _ => false,
    }
}

impl Machine {
    /// Runs `s` until it forks, its slice is used up, or it ends.
    pub(crate) fn run(&mut self, s: &mut State) -> Flow {
        let module = Rc::clone(&self.module);
        while self.forked.is_empty() && self.budget >= 0 {
            let func = &module.functions[s.frame.func.index()];
            while self.fast(s, func) {}
            if self.budget < 0 {
                break;
            }
            let inst = func.insts[s.frame.pc as usize];
            self.slow(s, func, inst)?;
        }
        Ok(())
    }

    /// Executes the next instruction if it is a fast one.
    #[inline(always)]
    fn fast(&mut self, s: &mut State, func: &Function) -> bool {
        let frame = &mut s.frame;
        match func.insts[frame.pc as usize] {
            Inst::Bin { op, w, dst, a, b } if w <= 64 => {
                let (Some(x), Some(y)) = (self.concrete(frame, a), self.concrete(frame, b)) else {
                    return false;
                };
                if !is_total(op, w, y) {
                    return false;
                }
                frame.set_word(dst, bin64(op, w, x, y));
            }
            Inst::Cmp { pred, w, dst, a, b } if w <= 64 => {
                let (Some(x), Some(y)) = (self.concrete(frame, a), self.concrete(frame, b)) else {
                    return false;
                };
                frame.set_word(dst, u64::from(cmp64(pred, w, x, y)));
            }
            Inst::Load { w, dst, addr } if w <= 64 => {
                let Some(address) = self.concrete(frame, addr) else { return false };
                let Some(bits) = load(&s.memory, address, w) else { return false };
                frame.set_word(dst, bits);
            }
            Inst::Store { w, value, addr } if w <= 64 => {
                let (Some(bits), Some(address)) = (self.concrete(frame, value), self.concrete(frame, addr))
                else {
                    return false;
                };
                if !store(&mut s.memory, address, w, bits) {
                    return false;
                }
            }
            Inst::PtrAdd { w, dst, base, index, scale } => {
                let (Some(base), Some(index)) = (self.concrete(frame, base), self.concrete(frame, index))
                else {
                    return false;
                };
                let offset = sext(index, w).wrapping_mul(i64::from(scale) as u64);
                frame.set_word(dst, base.wrapping_add(offset));
            }
            Inst::Cast { op, from, to, dst, a } if from <= 64 && to <= 64 => {
                let Some(x) = self.concrete(frame, a) else { return false };
                frame.set_word(dst, cast64(op, from, to, x));
            }
            Inst::Move { w, dst, a } if w <= 64 => {
                let Some(x) = self.concrete(frame, a) else { return false };
                frame.set_word(dst, x);
            }
            Inst::Jump { edge } => {
                self.take(s, func, edge);
                return self.budget >= 0;
            }
            Inst::Branch { cond, then, els } => {
                let Some(c) = self.concrete(frame, cond) else { return false };
                let edge = if c != 0 { then } else { els };
                self.code.functions[frame.func.index()].taken[edge.index()] += 1;
                self.take(s, func, edge);
                return self.budget >= 0;
            }
            _ => return false,
        }
        s.frame.pc += 1;
        true
    }

    /// Goes along an edge: does its copies and enters its target.
    #[inline]
    pub(crate) fn take(&mut self, s: &mut State, func: &Function, edge: EdgeId) {
        let edge = func.edges[edge.index()];
        let copies = &func.copies[edge.copies.indices()];
        match copies {
            [] => {}
            [c] if c.w <= 64 => self.copy_word(s, c.dst, c.src),
            _ => self.copy_all(s, copies),
        }
        self.enter_block(s, edge.target);
    }

    #[inline]
    fn copy_word(&mut self, s: &mut State, dst: Reg, src: Operand) {
        match self.concrete(&s.frame, src) {
            Some(bits) => s.frame.set_word(dst, bits),
            None => {
                let v = self.value(&s.frame, src, 64);
                s.frame.set(dst, 64, v);
            }
        }
    }

    fn copy_all(&mut self, s: &mut State, copies: &[rejoin_ir::Copy]) {
        const SMALL: usize = 8;
        if copies.len() <= SMALL
            && copies.iter().all(|c| c.w <= 64)
            && !s.frame.any_symbolic
            && self.uninit.is_none()
        {
            let mut buffer = [0; SMALL];
            for (slot, c) in buffer.iter_mut().zip(copies) {
                *slot = self.concrete(&s.frame, c.src).unwrap_or(0);
            }
            for (bits, c) in buffer.iter().zip(copies) {
                s.frame.set_word(c.dst, *bits);
            }
            return;
        }
        let values: Vec<Value> = copies.iter().map(|c| self.value(&s.frame, c.src, c.w)).collect();
        for (v, c) in values.into_iter().zip(copies) {
            s.frame.set(c.dst, c.w, v);
        }
    }

    /// Puts `s` at the head of a block and counts.
    #[inline]
    pub(crate) fn enter_block(&mut self, s: &mut State, block: BlockId) {
        let code = &mut self.code.functions[s.frame.func.index()];
        let segment = code.block_segment[block.index()] as usize;
        self.enter_segment(s, segment);
    }

    /// Puts `s` at the head of a segment and counts.
    #[inline]
    pub(crate) fn enter_segment(&mut self, s: &mut State, segment: usize) {
        let code = &mut self.code.functions[s.frame.func.index()];
        code.hits[segment] += 1;
        let segment = code.segments[segment];
        s.frame.pc = segment.start;
        self.stats.instructions += u64::from(segment.weight);
        self.budget -= i64::from(segment.weight);
    }
}
