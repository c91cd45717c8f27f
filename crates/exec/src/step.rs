//! The fast path: instructions whose operands are all concrete.
//!
//! [`Machine::run`] alternates between *bursts* — runs of common instructions on concrete values,
//! with everything they need in local variables — and `slow`, which handles one instruction of any
//! kind: symbolic operands, wide values, calls, errors.

use crate::code::FunctionCode;
use crate::facts::Mark;
use crate::frame::Frame;
use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::{GapKind, State};
use rejoin_fault::planted;
use rejoin_ir::{BinOp, BlockId, Copy, EdgeId, Function, Inst, Operand};
use rejoin_memory::{Kind, ObjectId, Space, Value};
use rejoin_ops::{bin64, cast64, cmp64};
use std::rc::Rc;

/// The result of an operation, unless it has to be checked. The commonest are spelled out, so that
/// one dispatch on the operation is enough.
#[inline(always)]
fn bin(op: BinOp, w: u16, a: u64, b: u64) -> Option<u64> {
    Some(match op {
        BinOp::Add => a.wrapping_add(b) & mask(w),
        BinOp::Sub => a.wrapping_sub(b) & mask(w),
        BinOp::Mul => a.wrapping_mul(b) & mask(w),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b < u64::from(w) => a << b & mask(w),
        BinOp::LShr if b < u64::from(w) => a >> b,
        BinOp::AShr if b < u64::from(w) => bin64(op, w, a, b),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => return None,
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => return None,
        _ => bin64(op, w, a, b),
    })
}

/// The lowest `w` bits, `w` from 1 to 64.
#[inline(always)]
fn mask(w: u16) -> u64 {
    u64::MAX >> ((64 - w) & 63)
}

#[inline(always)]
fn sext(bits: u64, w: u16) -> u64 {
    let shift = 64 - u32::from(w.min(64));
    ((bits << shift) as i64 >> shift) as u64
}

/// A load of concrete bytes from a living object.
#[inline(always)]
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
#[inline(always)]
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

/// Keeps count of the iterations of a loop; entering it anew starts from zero.
fn count_iteration(frame: &mut Frame, back: bool, header: BlockId, max: u32) {
    match frame.loops.iter_mut().find(|l| l.0 == header) {
        Some(l) if back => {
            l.1 += 1;
            frame.is_cut = l.1 > max;
        }
        Some(l) => l.1 = 0,
        None if back => {
            frame.loops.push((header, 1));
            frame.is_cut = max == 0;
        }
        None => {}
    }
}

/// What a burst works on.
struct Burst<'a> {
    func: &'a Function,
    consts: &'a [u64],
    code: &'a mut FunctionCode,
    memory: &'a mut Space,
    budget: i64,
    /// An edge was taken for the first time.
    news: bool,
    /// Whether the next iteration of a loop is anybody's business.
    stops_at_heads: bool,
}

/// How a burst reads and writes registers.
trait Registers {
    /// The bits of an operand, unless it is symbolic.
    fn get(&self, o: Operand, consts: &[u64]) -> Option<u64>;
    /// Writes a register.
    fn set(&mut self, r: rejoin_ir::Reg, bits: u64);
}

/// A frame without any term.
struct Concrete<'a>(&'a mut [u64]);

impl Registers for Concrete<'_> {
    #[inline(always)]
    fn get(&self, o: Operand, consts: &[u64]) -> Option<u64> {
        Some(match o.as_reg() {
            Some(r) => self.0[r.index()],
            None => consts[o.as_const().map_or(0, |c| c.index())],
        })
    }

    #[inline(always)]
    fn set(&mut self, r: rejoin_ir::Reg, bits: u64) {
        self.0[r.index()] = bits;
    }
}

/// A frame where some registers may be terms.
struct Mixed<'a>(&'a mut Frame);

impl Registers for Mixed<'_> {
    #[inline(always)]
    fn get(&self, o: Operand, consts: &[u64]) -> Option<u64> {
        match o.as_reg() {
            Some(r) => (!self.0.is_symbolic(r)).then(|| self.0.word(r)),
            None => Some(consts[o.as_const().map_or(0, |c| c.index())]),
        }
    }

    #[inline(always)]
    fn set(&mut self, r: rejoin_ir::Reg, bits: u64) {
        self.0.set_word(r, bits);
    }
}

impl Burst<'_> {
    /// Executes instructions from `pc` on until one is not fast or the budget is used up; gives
    /// the position of the next one.
    #[inline(always)]
    fn run<R: Registers, const MARKED: bool>(&mut self, regs: &mut R, mut pc: usize) -> usize {
        let insts = &self.func.insts[..];
        let consts = self.consts;
        macro_rules! get {
            ($o:expr) => {
                match regs.get($o, consts) {
                    Some(bits) => bits,
                    None => return pc,
                }
            };
        }
        loop {
            match insts[pc] {
                Inst::Bin { op, w, dst, a, b } if w <= 64 => {
                    let Some(bits) = bin(op, w, get!(a), get!(b)) else { return pc };
                    regs.set(dst, bits);
                }
                Inst::Cmp { pred, w, dst, a, b } if w <= 64 => {
                    let (x, y) = (get!(a), get!(b));
                    regs.set(dst, u64::from(cmp64(pred, w, x, y)));
                }
                Inst::Load { w, dst, addr } if w <= 64 => {
                    let Some(bits) = load(self.memory, get!(addr), w) else { return pc };
                    regs.set(dst, bits);
                }
                Inst::Store { w, value, addr } if w <= 64 => {
                    let (bits, address) = (get!(value), get!(addr));
                    if !store(self.memory, address, w, bits) {
                        return pc;
                    }
                }
                Inst::PtrAdd { w, dst, base, index, scale } => {
                    let offset = sext(get!(index), w).wrapping_mul(i64::from(scale) as u64);
                    let base = get!(base);
                    regs.set(dst, base.wrapping_add(offset));
                }
                Inst::Cast { op, from, to, dst, a } if from <= 64 && to <= 64 => {
                    let x = get!(a);
                    regs.set(dst, cast64(op, from, to, x));
                }
                Inst::Move { w, dst, a } if w <= 64 => {
                    let x = get!(a);
                    regs.set(dst, x);
                }
                Inst::Select { w, dst, cond, a, b } if w <= 64 => {
                    let (c, x, y) = (get!(cond), get!(a), get!(b));
                    regs.set(dst, if c != 0 { x } else { y });
                }
                Inst::Jump { edge } => {
                    let Some(target) = self.take::<R, MARKED>(regs, edge) else { return pc };
                    pc = target;
                    if self.budget < 0 {
                        return pc;
                    }
                    continue;
                }
                Inst::Branch { cond, then, els } => {
                    let edge = if get!(cond) != 0 { then } else { els };
                    let Some(target) = self.take::<R, MARKED>(regs, edge) else { return pc };
                    pc = target;
                    if self.budget < 0 {
                        return pc;
                    }
                    continue;
                }
                _ => return pc,
            }
            pc += 1;
        }
    }

    /// Goes along an edge if all its copies are of concrete values of one slot and nothing else has
    /// to be done there.
    #[inline(always)]
    fn take<R: Registers, const MARKED: bool>(&mut self, regs: &mut R, edge: EdgeId) -> Option<usize> {
        const SMALL: usize = 8;
        let is_passed = |mark: Mark| mark == Mark::Plain || mark == Mark::Back && !self.stops_at_heads;
        if MARKED && !is_passed(self.code.marks[edge.index()]) {
            return None;
        }
        let copies = &self.func.copies[self.func.edges[edge.index()].copies.indices()];
        if planted("sequential-copies") && !copies.is_empty() {
            return None;
        }
        let read = |c: &Copy, regs: &R| if c.w <= 64 { regs.get(c.src, self.consts) } else { None };
        match copies {
            [] => {}
            [a] => {
                let x = read(a, regs)?;
                regs.set(a.dst, x);
            }
            [a, b] => {
                let (x, y) = (read(a, regs)?, read(b, regs)?);
                regs.set(a.dst, x);
                regs.set(b.dst, y);
            }
            _ if copies.len() <= SMALL => {
                let mut buffer = [0; SMALL];
                for (slot, c) in buffer.iter_mut().zip(copies) {
                    *slot = read(c, regs)?;
                }
                for (bits, c) in buffer.iter().zip(copies) {
                    regs.set(c.dst, *bits);
                }
            }
            _ => return None,
        }
        self.news |= self.code.taken[edge.index()] == 0;
        self.code.taken[edge.index()] += 1;
        let target = self.code.targets[edge.index()];
        self.budget -= i64::from(target.weight);
        Some(target.start as usize)
    }
}

impl Machine {
    /// Runs `s` until it forks, its slice is used up, or it ends.
    pub(crate) fn run(&mut self, s: &mut State) -> Flow {
        let module = Rc::clone(&self.module);
        while self.forked.is_empty() && self.budget >= 0 && !self.arrived {
            s.at_join = false;
            if s.frame.is_cut {
                return self.give_up(s, GapKind::CutLoop, "--max-loop");
            }
            let func = &module.functions[s.frame.func.index()];
            self.burst(s, func);
            if self.budget < 0 {
                break;
            }
            let inst = func.insts[s.frame.pc as usize];
            self.slow(s, func, inst)?;
        }
        Ok(())
    }

    /// Executes what is fast. Under `check_uninit` nothing is: constants may be undefined.
    fn burst(&mut self, s: &mut State, func: &Function) {
        if self.uninit.is_some() {
            return;
        }
        let mut burst = Burst {
            func,
            consts: &self.code.consts,
            code: &mut self.code.functions[s.frame.func.index()],
            memory: &mut s.memory,
            budget: self.budget,
            news: false,
            stops_at_heads: !s.regions.is_empty() || self.options.max_loop.is_some(),
        };
        let pc = s.frame.pc as usize;
        let o = &self.options;
        let marked = o.merging || o.regions.is_some() || o.max_loop.is_some();
        let pc = match (marked, s.frame.any_symbolic) {
            (false, true) => burst.run::<_, false>(&mut Mixed(&mut s.frame), pc),
            (false, false) => burst.run::<_, false>(&mut Concrete(s.frame.words()), pc),
            (true, true) => burst.run::<_, true>(&mut Mixed(&mut s.frame), pc),
            (true, false) => burst.run::<_, true>(&mut Concrete(s.frame.words()), pc),
        };
        let news = burst.news;
        self.budget = burst.budget;
        s.frame.pc = pc as u32;
        if news {
            self.is_news(s);
        }
    }

    /// Goes along an edge: does its copies and enters its target.
    pub(crate) fn take(&mut self, s: &mut State, func: &Function, edge: EdgeId) {
        let copies = &func.copies[func.edges[edge.index()].copies.indices()];
        let group = if planted("sequential-copies") { 1 } else { copies.len().max(1) };
        for group in copies.chunks(group) {
            let values: Vec<Value> = group.iter().map(|c| self.value(&s.frame, c.src, c.w)).collect();
            for (v, c) in values.into_iter().zip(group) {
                s.frame.set(c.dst, c.w, v);
            }
        }
        if self.code.functions[s.frame.func.index()].taken[edge.index()] == 0 {
            self.is_news(s);
        }
        let code = &mut self.code.functions[s.frame.func.index()];
        code.taken[edge.index()] += 1;
        let target = code.targets[edge.index()];
        s.frame.pc = target.start;
        self.budget -= i64::from(target.weight);
        if let Some(max) = self.options.max_loop {
            let target = func.edges[edge.index()].target;
            count_iteration(&mut s.frame, code.is_back_edge[edge.index()], target, max);
        }
        match code.marks.get(edge.index()) {
            None | Some(Mark::Plain | Mark::Header) => {}
            Some(Mark::Exit) => self.arrived |= self.has_left(s),
            Some(Mark::Back) => self.come_back(s, func, edge),
            Some(&mark) => self.track(s, func, edge, mark),
        }
    }

    /// Puts `s` at the head of a function's block and counts.
    pub(crate) fn enter_block(&mut self, s: &mut State, block: BlockId) {
        let code = &self.code.functions[s.frame.func.index()];
        self.enter_segment(s, code.block_segment[block.index()] as usize);
    }

    /// Puts `s` at the head of a segment and counts.
    pub(crate) fn enter_segment(&mut self, s: &mut State, segment: usize) {
        let code = &mut self.code.functions[s.frame.func.index()];
        let first = code.is_unknown(segment);
        let segment = code.enter(segment);
        if first {
            self.is_news(s);
        }
        s.frame.pc = segment.start;
        self.budget -= i64::from(segment.weight);
    }
}
