//! Instructions on memory, and those that ask the machine about its stack.

use crate::access::Access;
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{GapKind, State};
use rejoin_ir::{AtomicOp, Function, Inst, Operand, Reg};
use rejoin_memory::{Kind, MAX_SIZE, Object, ObjectId, Value};

/// Bytes of a `va_list` on x86-64.
const VA_LIST: u64 = 24;
/// Functions of libc that read as many arguments as the kernel could want, passed or not, and hand
/// them on; the kernel looks at what it needs. What was not passed reads as zero.
const HANDED_ON: [&str; 6] = ["fcntl", "ioctl", "mremap", "prctl", "ptrace", "syscall"];
const HANDED_ON_BYTES: u64 = 6 * 8;
/// An opaque address for `llvm.frameaddress`: inside the null object, so that nobody can use it.
const FRAME_ADDRESS: u64 = 0x7ff0;

impl Machine {
    /// Executes an instruction on memory.
    pub(crate) fn memory_op(&mut self, s: &mut State, func: &Function, inst: Inst) -> Flow {
        match inst {
            Inst::Alloca { dst, size, align, count } => self.alloca(s, func, dst, size, align, count)?,
            Inst::Load { w, dst, addr } => {
                let address = self.value(&s.frame, addr, 64);
                let v = self.load_bits(s, address, w)?;
                s.frame.set(dst, w, v);
            }
            Inst::Store { w, value, addr } => {
                let v = self.value(&s.frame, value, w);
                let address = self.value(&s.frame, addr, 64);
                self.store_bits(s, address, w, v)?;
            }
            Inst::AtomicRmw { op, w, dst, addr, value } => self.atomic_rmw(s, op, w, dst, addr, value)?,
            Inst::CmpXchg { w, dst, ok, addr, expected, new } => {
                let address = self.value(&s.frame, addr, 64);
                let old = self.load_bits(s, address, w)?;
                let [old_t, expected] = [old, self.value(&s.frame, expected, w)].map(|v| self.term_of(v, w));
                let new = self.term(&s.frame, new, w);
                let equal = self.pool.eq(old_t, expected);
                let written = self.pool.ite(equal, new, old_t);
                let written = self.value_of(written);
                self.store_bits(s, address, w, written)?;
                s.frame.set(dst, w, old);
                let equal = self.value_of(equal);
                s.frame.set(ok, 1, equal);
            }
            Inst::MemCopy { dst, src, len, .. } => {
                let [dst, src, len] = [dst, src, len].map(|o| self.value(&s.frame, o, 64));
                self.copy(s, dst, src, len)?;
            }
            Inst::MemSet { dst, value, len } => {
                let [dst, len] = [dst, len].map(|o| self.value(&s.frame, o, 64));
                let value = self.value(&s.frame, value, 8);
                self.fill(s, dst, value, len)?;
            }
            Inst::VaStart { list } => self.va_start(s, list)?,
            Inst::VaCopy { dst, src } => {
                let [dst, src] = [dst, src].map(|o| self.value(&s.frame, o, 64));
                self.copy(s, dst, src, Value::Bits(u128::from(VA_LIST)))?;
            }
            Inst::StackSave { dst } => {
                let mark = s.frame.locals.len() as u64 + 1;
                s.frame.set_word(dst, mark);
            }
            Inst::StackRestore { mark } => {
                let mark = self.value(&s.frame, mark, 64);
                let mark = self.fork_value(s, mark)? as usize;
                let keep = mark.saturating_sub(1).min(s.frame.locals.len());
                for id in s.frame.locals.split_off(keep) {
                    s.memory.remove(id);
                }
            }
            Inst::ThreadPointer { dst } => s.frame.set_word(dst, s.world.os.thread_pointer()),
            Inst::FrameAddress { dst, .. } => s.frame.set_word(dst, FRAME_ADDRESS),
            Inst::ObjectSize { dst, w, min, .. } => {
                let unknown = if min { 0 } else { u128::MAX >> (128 - u32::from(w)) };
                s.frame.set_bits(dst, w, unknown);
            }
            _ => return self.give_up(s, GapKind::UnknownInstruction, format!("{inst:?}")),
        }
        Ok(())
    }

    fn alloca(
        &mut self,
        s: &mut State,
        func: &Function,
        dst: Reg,
        size: u32,
        align: u32,
        count: Operand,
    ) -> Flow {
        let count = self.value(&s.frame, count, 64);
        if let Value::Term(count) = self.plain_value(count)
            && size > 0
        {
            let most = self.pool.constant(64, u128::from(MAX_SIZE / u64::from(size)));
            let fits = self.pool.ule(count, most);
            self.require(s, fits, |m, s| {
                let bytes = m.witnessed(s, count) * u128::from(size);
                m.error(s, ErrorKind::Stack, format!("a local of {bytes} bytes overflows the stack"))
            })?;
        }
        let size = self.size_of(s, count, u64::from(size))?;
        if size.bytes > u128::from(MAX_SIZE) {
            let message = format!("a local of {} bytes overflows the stack", size.bytes);
            return self.fail(s, ErrorKind::Stack, message);
        }
        let site = func.locs[s.frame.pc as usize];
        let object = self.sized_object(size, align, Kind::Stack, site);
        let source = self.names.context(s.frame.context, 1 << 63 | u64::from(s.frame.pc));
        let id = self.allocate(s, source, object);
        s.frame.locals.push(id);
        s.frame.set_word(dst, id.address());
        Ok(())
    }

    /// Makes an object whose bytes count as uninitialised.
    pub(crate) fn allocate(&mut self, s: &mut State, source: u32, mut object: Object) -> ObjectId {
        if let Some(uninit) = &self.uninit {
            for offset in 0..object.size {
                let byte = uninit.byte(source, offset);
                object.write(&mut self.pool, offset, 1, Value::Term(byte));
            }
        }
        s.memory.allocate(&mut self.names, source, object)
    }

    /// Loads `w` bits.
    pub(crate) fn load_bits(&mut self, s: &mut State, address: Value, w: u16) -> Flow<Value> {
        let len = u64::from(w).div_ceil(8);
        let v = self.load_value(s, address, len)?;
        Ok(match v {
            Value::Bits(b) if w < 128 => Value::Bits(b & ((1 << w) - 1)),
            Value::Term(t) if u64::from(w) < 8 * len => {
                let t = self.pool.extract(t, 0, u32::from(w));
                self.value_of(t)
            }
            v => v,
        })
    }

    /// Stores `w` bits, zero-extended to whole bytes.
    pub(crate) fn store_bits(&mut self, s: &mut State, address: Value, w: u16, v: Value) -> Flow {
        let len = u64::from(w).div_ceil(8);
        let v = match v {
            Value::Term(t) => {
                let t = self.pool.zext(t, 8 * len as u32);
                self.value_of(t)
            }
            v => v,
        };
        self.store_value(s, address, len, v)
    }

    fn atomic_rmw(
        &mut self,
        s: &mut State,
        op: AtomicOp,
        w: u16,
        dst: Reg,
        addr: Operand,
        value: Operand,
    ) -> Flow {
        let address = self.value(&s.frame, addr, 64);
        let old = self.load_bits(s, address, w)?;
        let v = self.value(&s.frame, value, w);
        let new = match (old, v) {
            (Value::Bits(old), Value::Bits(v)) => Value::Bits(rejoin_ops::atomic(op, w, old, v)),
            _ => {
                let (old, v) = (self.term_of(old, w), self.term_of(v, w));
                let t = self.atomic_term(op, old, v);
                self.value_of(t)
            }
        };
        self.store_bits(s, address, w, new)?;
        s.frame.set(dst, w, old);
        Ok(())
    }

    /// Fills a `va_list` whose register area is used up: all arguments are in memory.
    fn va_start(&mut self, s: &mut State, list: Operand) -> Flow {
        let list = self.value(&s.frame, list, 64);
        let (id, at) = self.fix_place(s, list, VA_LIST, Access::Write)?;
        let args = s.frame.variadic.clone();
        let mut pieces = Vec::new();
        let mut size = 0u64;
        for arg in args.iter().flat_map(|a| a.iter()) {
            size = size.next_multiple_of(arg.align);
            pieces.push((size, arg.pieces.clone()));
            size += arg.pieces.iter().map(|p| u64::from(p.0)).sum::<u64>().next_multiple_of(8);
        }
        if HANDED_ON.contains(&&*self.module.functions[s.frame.func.index()].name) {
            size = size.max(HANDED_ON_BYTES);
        }
        let mut area = Object::new(size, 16, Kind::Stack, self.loc(&s.frame));
        for (offset, pieces) in pieces {
            area.paste(&mut self.pool, offset, &pieces);
        }
        let source = self.names.context(s.frame.context, 1 << 63 | u64::from(s.frame.pc));
        let area = s.memory.allocate(&mut self.names, source, area);
        s.frame.locals.push(area);
        // gp_offset, fp_offset: past their ends; overflow_arg_area; reg_save_area.
        let words = [48u64 | 176 << 32, area.address(), 0];
        if let Some(object) = s.memory.get_mut(id) {
            for (i, word) in words.iter().enumerate() {
                object.write_bytes(&mut self.pool, at + 8 * i as u64, &word.to_le_bytes());
            }
        }
        Ok(())
    }
}
