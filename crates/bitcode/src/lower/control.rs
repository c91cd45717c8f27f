//! Terminators and the edges they lead along.

use super::Gap;
use super::constants::integer_u128;
use super::function::Body;
use crate::llvm::{Block, Value};
use llvm_sys::LLVMOpcode as Op;
use rejoin_ir::{Arg, Copy, Edge, EdgeId, Inst, Operand, Range, Switch, Type};

impl Body<'_> {
    pub(super) fn terminator(&mut self, v: Value) -> Result<(), Gap> {
        match v.opcode() {
            Op::LLVMRet => self.ret(v),
            Op::LLVMBr if v.is_conditional() => self.branch(v),
            Op::LLVMBr => self.jump(v.successors()[0]),
            Op::LLVMSwitch => self.switch(v),
            Op::LLVMIndirectBr => self.indirect_jump(v),
            Op::LLVMInvoke => {
                let leaves = self.call(v)?;
                self.define(v, Ok(leaves));
                self.jump(v.normal_dest())
            }
            Op::LLVMUnreachable => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            _ => Err(format!("the instruction {}", v.text()).into()),
        }
    }

    fn ret(&mut self, v: Value) -> Result<(), Gap> {
        let mut values = Vec::new();
        if v.operand_count() == 1 {
            let types = self.p.layout(v.operand(0).ty())?;
            let leaves = self.operands(v.operand(0))?;
            for (i, &ty) in types.leaves.iter().enumerate() {
                values.push(plain_arg(self.leaf(leaves, i), ty));
            }
        }
        let start = self.f.args.len() as u32;
        let values_range = Range { start, len: values.len() as u32 };
        self.f.args.extend(values);
        self.emit(Inst::Return { values: values_range });
        Ok(())
    }

    fn jump(&mut self, target: Block) -> Result<(), Gap> {
        let edge = self.edge(target)?;
        self.emit(Inst::Jump { edge });
        Ok(())
    }

    fn branch(&mut self, v: Value) -> Result<(), Gap> {
        let successors = v.successors();
        let cond = self.operand(v.condition())?;
        let (then, els) = (self.edge(successors[0])?, self.edge(successors[1])?);
        let inst = if then == els { Inst::Jump { edge: then } } else { Inst::Branch { cond, then, els } };
        self.emit(inst);
        Ok(())
    }

    /// Cases with the same successor share an edge; those that go where the default goes need no
    /// entry.
    fn switch(&mut self, v: Value) -> Result<(), Gap> {
        let w = self.p.lane(v.operand(0).ty())?.bits();
        if w > 128 {
            return Err(format!("a switch over {w} bits").into());
        }
        let value = self.operand(v.operand(0))?;
        let successors = v.successors();
        let default = self.edge(successors[0])?;
        let mut cases = Vec::with_capacity(successors.len());
        for (i, &target) in successors.iter().enumerate().skip(1) {
            let edge = self.edge(target)?;
            let case = integer_u128(v.case_value(i as u32)).ok_or("a switch over wide numbers")?;
            if edge != default {
                cases.push((case, edge));
            }
        }
        if cases.is_empty() {
            self.emit(Inst::Jump { edge: default });
            return Ok(());
        }
        cases.sort_by_key(|&(value, _)| value);
        let table = self.f.switches.len() as u32;
        self.f.switches.push(Switch { cases, default });
        self.emit(Inst::Switch { w, value, table });
        Ok(())
    }

    fn indirect_jump(&mut self, v: Value) -> Result<(), Gap> {
        let addr = self.operand(v.operand(0))?;
        let mut edges: Vec<EdgeId> = Vec::new();
        for target in v.successors() {
            let edge = self.edge(target)?;
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        let range = Range { start: self.f.indirect.len() as u32, len: edges.len() as u32 };
        self.f.indirect.extend(edges);
        self.emit(Inst::IndirectJump { addr, edges: range });
        Ok(())
    }

    /// The edge from the current block to `target`, with the copies for its phis.
    fn edge(&mut self, target: Block) -> Result<EdgeId, Gap> {
        if let Some(&edge) = self.edges_here.get(&target) {
            return Ok(edge);
        }
        let number = *self.shape.numbers.get(&target).ok_or("a jump into the middle of a block")?;
        let mut copies = Vec::new();
        let phis = self.phis.get(&target).cloned().unwrap_or_default();
        let values = self.incoming.get(&(self.current, target)).cloned().unwrap_or_default();
        for (phi, value) in phis.into_iter().zip(values) {
            let types = self.p.layout(phi.ty())?;
            let (to, from) = (self.operands(phi)?, self.operands(value)?);
            for (i, ty) in types.leaves.iter().enumerate() {
                let (dst, src) = (self.leaf(to, i), self.leaf(from, i));
                if let Some(reg) = dst.as_reg().filter(|_| src != dst) {
                    copies.push(Copy { w: ty.bits(), dst: reg, src });
                }
            }
        }
        let range = Range { start: self.f.copies.len() as u32, len: copies.len() as u32 };
        self.f.copies.extend(copies);
        let edge = EdgeId(self.f.edges.len() as u32);
        self.f.edges.push(Edge { target: number, copies: range });
        self.edges_here.insert(target, edge);
        Ok(edge)
    }
}

/// A value that is passed as it is.
pub(super) fn plain_arg(value: Operand, ty: Type) -> Arg {
    Arg { value, ty, byval_size: 0, byval_align: 0 }
}
