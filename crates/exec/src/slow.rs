//! Everything the fast path leaves over: dispatch by class of instruction.

use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{GapKind, State};
use rejoin_expr::{Node, Term};
use rejoin_fault::planted;
use rejoin_ir::{BinOp, Function, Inst, Operand, Reg};
use rejoin_memory::Value;

/// The largest choice between constants, in nodes, that is not fixed to one of them.
const MAX_CHOICES: u32 = 128;

impl Machine {
    /// Executes one instruction of any kind.
    pub(crate) fn slow(&mut self, s: &mut State, func: &Function, inst: Inst) -> Flow {
        if self.summaries.is_some() {
            self.on_paths(&s.multiplicity);
            self.count_reads(s, func, inst);
        }
        match inst {
            Inst::Call { .. } => return self.call(s, func, inst),
            Inst::Return { values } => return self.ret(s, func, values),
            Inst::Jump { edge } => {
                self.take(s, func, edge);
                return Ok(());
            }
            Inst::Branch { cond, then, els } => return self.branch(s, func, cond, then, els),
            Inst::Switch { w, value, table } => return self.switch(s, func, w, value, table),
            Inst::IndirectJump { addr, edges } => return self.indirect_jump(s, func, addr, edges),
            Inst::Unreachable => {
                return self.fail(s, ErrorKind::UnreachableCall, "reached code that must not be reached");
            }
            Inst::Trap => return self.fail(s, ErrorKind::Abort, "reached a trap"),
            Inst::Unsupported { what } => {
                let name = self.module.texts[what.index()].clone();
                return self.give_up(s, GapKind::UnknownInstruction, name);
            }
            Inst::Bin { op, w, dst, a, b } => self.bin(s, op, w, dst, a, b)?,
            Inst::FloatBin { .. }
            | Inst::FloatUn { .. }
            | Inst::FloatMulAdd { .. }
            | Inst::FloatCmp { .. }
            | Inst::FloatCast { .. }
            | Inst::FloatClass { .. } => self.float(s, inst)?,
            Inst::Un { .. }
            | Inst::Overflow { .. }
            | Inst::Funnel { .. }
            | Inst::Cmp { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::Move { .. }
            | Inst::PtrAdd { .. }
            | Inst::PtrAddWide { .. } => self.pure(s, inst),
            _ => self.memory_op(s, func, inst)?,
        }
        if self.summaries.is_some() {
            self.settle(s, func, inst);
        }
        s.frame.pc += 1;
        Ok(())
    }

    /// Integer arithmetic with its checks.
    fn bin(&mut self, s: &mut State, op: BinOp, w: u16, dst: Reg, a: Operand, b: Operand) -> Flow {
        let (x, y) = (self.value(&s.frame, a, w), self.value(&s.frame, b, w));
        match op {
            _ if planted("no-division-check") && is_division(op) => {}
            BinOp::UDiv | BinOp::URem => self.check_nonzero(s, w, y)?,
            BinOp::SDiv | BinOp::SRem => {
                self.check_nonzero(s, w, y)?;
                if !planted("no-quotient-check") {
                    self.check_quotient(s, w, x, y)?;
                }
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr if !planted("no-shift-check") => {
                self.check_shift(s, w, y)?
            }
            _ => {}
        }
        let result = match (x, y) {
            (Value::Bits(x), Value::Bits(y)) => Value::Bits(rejoin_ops::bin(op, w, x, y)),
            _ => {
                let (x, y) = (self.term_of(x, w), self.term_of(y, w));
                let t = self.bin_term(op, x, y);
                self.value_of(t)
            }
        };
        s.frame.set(dst, w, result);
        Ok(())
    }

    fn check_nonzero(&mut self, s: &mut State, w: u16, y: Value) -> Flow {
        let y = self.term_of(y, w);
        let zero = self.pool.constant(u32::from(w), 0);
        let ok = self.pool.ne(y, zero);
        self.require(s, ok, |m, s| m.error(s, ErrorKind::Div, "division by zero"))
    }

    /// The most negative number divided by -1 overflows.
    fn check_quotient(&mut self, s: &mut State, w: u16, x: Value, y: Value) -> Flow {
        let (x, y) = (self.term_of(x, w), self.term_of(y, w));
        let min = self.pool.constant(u32::from(w), 1 << (w - 1));
        let minus_one = self.pool.constant(u32::from(w), u128::MAX);
        let (a, b) = (self.pool.eq(x, min), self.pool.eq(y, minus_one));
        let both = self.pool.and(a, b);
        let ok = self.pool.not(both);
        self.require(s, ok, |m, s| {
            m.error(s, ErrorKind::Overflow, "the quotient of the most negative number and -1 overflows")
        })
    }

    fn check_shift(&mut self, s: &mut State, w: u16, y: Value) -> Flow {
        let y = self.term_of(y, w);
        let width = self.pool.constant(u32::from(w), u128::from(w));
        // A width that does not fit its own type (w = 1, 2) cannot be exceeded by more than it shows.
        if u32::from(w) < 16 && u128::from(w) >> w != 0 {
            return Ok(());
        }
        let ok = self.pool.ult(y, width);
        self.require(s, ok, |m, s| {
            m.error(s, ErrorKind::Overshift, format!("shift by at least the width of {w} bits"))
        })
    }

    /// Operations without checks: bits if all operands are, else a term.
    fn pure(&mut self, s: &mut State, inst: Inst) {
        match inst {
            Inst::Un { op, w, dst, a } => {
                let v = match self.value(&s.frame, a, w) {
                    Value::Bits(x) => Value::Bits(rejoin_ops::un(op, w, x)),
                    Value::Term(x) => {
                        let t = self.un_term(op, x);
                        self.value_of(t)
                    }
                };
                s.frame.set(dst, w, v);
            }
            Inst::Overflow { op, w, dst, flag, a, b } => {
                let (x, y) = (self.value(&s.frame, a, w), self.value(&s.frame, b, w));
                let (r, f) = match (x, y) {
                    (Value::Bits(x), Value::Bits(y)) => {
                        let (r, f) = rejoin_ops::overflow(op, w, x, y);
                        (Value::Bits(r), Value::Bits(u128::from(f)))
                    }
                    _ => {
                        let (x, y) = (self.term_of(x, w), self.term_of(y, w));
                        let (r, f) = self.overflow_terms(op, x, y);
                        (self.value_of(r), self.value_of(f))
                    }
                };
                s.frame.set(dst, w, r);
                s.frame.set(flag, 1, f);
            }
            Inst::Funnel { left, w, dst, hi, lo, amount } => {
                let [h, l, n] = [hi, lo, amount].map(|o| self.value(&s.frame, o, w));
                let v = match (h, l, n) {
                    (Value::Bits(h), Value::Bits(l), Value::Bits(n)) => {
                        Value::Bits(rejoin_ops::funnel(left, w, h, l, n))
                    }
                    _ => {
                        let [h, l, n] = [h, l, n].map(|v| self.term_of(v, w));
                        let t = self.funnel_term(left, h, l, n);
                        self.value_of(t)
                    }
                };
                s.frame.set(dst, w, v);
            }
            Inst::Cmp { pred, w, dst, a, b } => {
                let (x, y) = (self.value(&s.frame, a, w), self.value(&s.frame, b, w));
                let v = match (x, y) {
                    (Value::Bits(x), Value::Bits(y)) => {
                        Value::Bits(u128::from(rejoin_ops::cmp(pred, w, x, y)))
                    }
                    _ => {
                        let (x, y) = (self.term_of(x, w), self.term_of(y, w));
                        let t = self.cmp_term(pred, x, y);
                        self.value_of(t)
                    }
                };
                s.frame.set(dst, 1, v);
            }
            Inst::Cast { op, from, to, dst, a } => {
                let v = match self.value(&s.frame, a, from) {
                    Value::Bits(x) if to <= 128 => Value::Bits(rejoin_ops::cast(op, from, to, x)),
                    x => {
                        let x = self.term_of(x, from);
                        let t = self.cast_term(op, to, x);
                        self.value_of(t)
                    }
                };
                s.frame.set(dst, to, v);
            }
            Inst::Select { w, dst, cond, a, b } => {
                let (x, y) = (self.value(&s.frame, a, w), self.value(&s.frame, b, w));
                let v = match self.value(&s.frame, cond, 1) {
                    Value::Bits(c) if c != 0 => x,
                    Value::Bits(_) => y,
                    Value::Term(c) => {
                        let (x, y) = if planted("swapped-select") { (y, x) } else { (x, y) };
                        self.either(c, w, x, y)
                    }
                };
                s.frame.set(dst, w, v);
            }
            Inst::Move { w, dst, a } => {
                let v = self.value(&s.frame, a, w);
                s.frame.set(dst, w, v);
            }
            Inst::PtrAdd { w, dst, base, index, scale } => {
                self.ptr_add(s, w, dst, base, index, i64::from(scale) as u64);
            }
            Inst::PtrAddWide { w, dst, base, index, scale } => {
                let scale = self.code.consts[scale.index()];
                self.ptr_add(s, w, dst, base, index, scale);
            }
            _ => unreachable!("not a pure instruction: {inst:?}"),
        }
    }

    fn ptr_add(&mut self, s: &mut State, w: u16, dst: Reg, base: Operand, index: Operand, scale: u64) {
        let b = self.term(&s.frame, base, 64);
        let i = self.term(&s.frame, index, w);
        let i = self.as_i64(i);
        let i = self.settled_bit(s, i);
        let scale = self.pool.constant(64, u128::from(scale));
        let offset = self.pool.mul(i, scale);
        let t = self.pool.add(b, offset);
        let v = self.value_of(t);
        s.frame.set(dst, 64, v);
    }

    /// An index that is the result of a comparison, as its value if the path knows it: `p += (*a == *b)` after a
    /// loop that compared them. Left to itself the pointer would choose between two objects at every access.
    fn settled_bit(&mut self, s: &State, i: Term) -> Term {
        let known = self.pool.known_bits(i);
        let unknown = !(known.zeros | known.ones) as u64;
        if unknown.count_ones() != 1
            || self.summaries.is_some() && self.options.merging
            || s.path.witness_value(&self.pool, i).is_none()
        {
            return i;
        }
        let value = self.ask(s, |m, path| m.solver.unique_value(&mut m.pool, path, i));
        value.map_or(i, |value| self.pool.constant(64, value))
    }

    /// Sign-extended or cut to 64 bits.
    fn as_i64(&mut self, t: Term) -> Term {
        if self.pool.width(t) > 64 { self.pool.extract(t, 0, 64) } else { self.pool.sext(t, 64) }
    }

    /// Whether `t` chooses between constants, in at most `left` nodes.
    pub(crate) fn is_choice_of_constants(&self, t: Term, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self.pool.node(t) {
            Node::Ite(_, a, b) => {
                self.is_choice_of_constants(a, left) && self.is_choice_of_constants(b, left)
            }
            _ => self.pool.as_const(t).is_some(),
        }
    }

    /// Floating point is computed on bits. A summary of bits stays one. A symbolic operand that chooses
    /// between a few constants becomes a state for each; any other is fixed to one value.
    fn float(&mut self, s: &mut State, inst: Inst) -> Flow {
        if self.summaries.is_some() && self.float_on_entries(s, inst) {
            return Ok(());
        }
        let mut fixed = |o: Operand, w: u16| -> Flow<u128> {
            match self.plain_operand(&s.frame, o, w) {
                Value::Term(t) if self.is_choice_of_constants(t, &mut { MAX_CHOICES }) => {
                    self.fork_value(s, Value::Term(t))
                }
                Value::Term(t) if self.options.merging => {
                    let t = self.split(s, t)?;
                    self.concretise(s, self.value_of(t), "floating point")
                }
                v => self.concretise(s, v, "floating point"),
            }
        };
        let (operands, w) = float_operands(inst);
        let mut bits = [0; 3];
        for (bits, o) in bits.iter_mut().zip(operands) {
            *bits = fixed(o, w)?;
        }
        let (dst, w) = float_result(inst);
        s.frame.set_bits(dst, w, float_bits(inst, bits));
        Ok(())
    }

    fn plain_operand(&mut self, frame: &crate::frame::Frame, o: Operand, w: u16) -> Value {
        let v = self.value(frame, o, w);
        self.plain_value(v)
    }

    /// Floating point on summaries: computed for every combination of entries.
    fn float_on_entries(&mut self, s: &mut State, inst: Inst) -> bool {
        let (operands, from) = float_operands(inst);
        let operands: Vec<(Value, u16)> =
            operands.into_iter().map(|o| (self.value(&s.frame, o, from), from)).collect();
        let (dst, w) = float_result(inst);
        let compute = |row: &[u128]| {
            let mut bits = [0; 3];
            bits[..row.len()].copy_from_slice(row);
            float_bits(inst, bits)
        };
        let result = self.on_entries(s, &operands, w, &compute);
        if let Some(v) = result {
            s.frame.set(dst, w, v);
        }
        result.is_some()
    }
}

/// The operands of a floating-point instruction, and their width.
fn float_operands(inst: Inst) -> (Vec<Operand>, u16) {
    match inst {
        Inst::FloatBin { ty, a, b, .. } | Inst::FloatCmp { ty, a, b, .. } => (vec![a, b], ty.bits()),
        Inst::FloatUn { ty, a, .. } | Inst::FloatClass { ty, a, .. } => (vec![a], ty.bits()),
        Inst::FloatMulAdd { ty, a, b, c, .. } => (vec![a, b, c], ty.bits()),
        Inst::FloatCast { from, a, .. } => (vec![a], from.bits()),
        _ => unreachable!("not a floating-point instruction: {inst:?}"),
    }
}

/// The result of a floating-point instruction, and its width.
fn float_result(inst: Inst) -> (Reg, u16) {
    match inst {
        Inst::FloatBin { ty, dst, .. }
        | Inst::FloatUn { ty, dst, .. }
        | Inst::FloatMulAdd { ty, dst, .. } => (dst, ty.bits()),
        Inst::FloatCmp { dst, .. } | Inst::FloatClass { dst, .. } => (dst, 1),
        Inst::FloatCast { to, dst, .. } => (dst, to.bits()),
        _ => unreachable!("not a floating-point instruction: {inst:?}"),
    }
}

/// The bits of the result.
fn float_bits(inst: Inst, [x, y, z]: [u128; 3]) -> u128 {
    match inst {
        Inst::FloatBin { op, ty, .. } => rejoin_ops::float_bin(op, ty, x, y),
        Inst::FloatUn { op, ty, .. } => rejoin_ops::float_un(op, ty, x),
        Inst::FloatMulAdd { fused, ty, .. } => rejoin_ops::float_mul_add(fused, ty, x, y, z),
        Inst::FloatCmp { pred, ty, .. } => u128::from(rejoin_ops::float_cmp(pred, ty, x, y)),
        Inst::FloatCast { op, from, to, .. } => rejoin_ops::float_cast(op, from, to, x),
        Inst::FloatClass { ty, mask, .. } => u128::from(rejoin_ops::float_class(ty, mask, x)),
        _ => unreachable!("not a floating-point instruction: {inst:?}"),
    }
}

fn is_division(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}
