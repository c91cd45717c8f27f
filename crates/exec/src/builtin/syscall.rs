//! System calls. libc is compiled so that all of them are calls of `rejoin_syscall`; the model in
//! `rejoin-env` answers, and this is its border to the machine.
//!
//! The model reads memory and asks for decisions before it changes anything (restart semantics), and
//! it knows positions, sizes and descriptors: symbolic arguments fork here, except the length of what
//! is written to a stream ([`super::output`]). A bad pointer is an error
//! of the program, except a null pointer, for which the kernel's `EFAULT` is a documented answer.

use super::Replaces::Declaration;
use super::{Call, Done, Row, value};
use crate::access::Access;
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow, Stop};
use crate::state::{GapKind, State};
use rejoin_env::{Bytes, Errno, Fallible, Fault, Guest, Reply};
use rejoin_fault::planted;
use rejoin_memory::{Kind, MAX_SIZE, Object, ObjectId, Value};
use std::rc::Rc;

pub(super) const TABLE: &[Row] = &[("rejoin_syscall", Declaration, syscall)];

const WRITE: u64 = 1;
const WRITEV: u64 = 20;
const EXIT: u64 = 60;
const EXIT_GROUP: u64 = 231;

fn syscall(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let number = m.fork_value(s, call.arg(0))? as u64;
    if matches!(number, EXIT | EXIT_GROUP) {
        return exit(m, s, call.arg(1));
    }
    if matches!(number, WRITE | WRITEV)
        && let Some(written) = super::output::write_some(m, s, call, number == WRITEV)?
    {
        return Ok(Done::Value(written));
    }
    let mut args = [0; 6];
    for (i, arg) in args.iter_mut().enumerate() {
        *arg = m.fork_value(s, call.arg(i + 1))? as u64;
    }
    let mut os = s.world.os.clone();
    let mut program = Program { m, s, stop: None };
    let reply = os.call(&mut program, number, args);
    let Program { m, s, stop } = program;
    if let Some(stop) = stop {
        return Err(stop);
    }
    if !(planted("output-lost") && matches!(number, WRITE | WRITEV)) {
        Rc::make_mut(&mut s.world).os = os;
    }
    match reply {
        Reply::Value(v) => value(v as u64),
        Reply::Exit(code) => m.exit(s, Value::Bits(u128::from(code as u32))),
        Reply::Signal(signal) => {
            m.fail(s, ErrorKind::Abort, format!("the program is ended by signal {signal}"))
        }
        Reply::Handler { signal, address, value, mask } => {
            m.enter_handler(s, signal, address, value, mask)?;
            Ok(Done::Elsewhere)
        }
        Reply::Blocked => m.give_up(s, GapKind::Blocked, "the program waits for what nobody will do"),
        Reply::Unsupported => {
            let name =
                rejoin_env::name(number).map_or_else(|| format!("system call {number}"), str::to_owned);
            m.note(s, GapKind::UnknownSystemCall, name);
            value(-i64::from(Errno::ENOSYS.0) as u64)
        }
        Reply::Stopped => Err(Stop::Replaced),
    }
}

fn exit(m: &mut Machine, s: &mut State, code: Value) -> Flow<Done> {
    let code = m.term_of(code, 64);
    let code = m.pool.extract(code, 0, 8);
    let code = m.pool.zext(code, 32);
    let code = m.value_of(code);
    m.exit(s, code)
}

/// A state during a system call.
struct Program<'a> {
    m: &'a mut Machine,
    s: &'a mut State,
    /// Why the call was abandoned.
    stop: Option<Stop>,
}

impl Program<'_> {
    /// Passes on what the machine says.
    fn settle<T>(&mut self, flow: Flow<T>) -> Result<T, Fault> {
        flow.map_err(|stop| {
            self.stop = Some(stop);
            Fault::Stop
        })
    }

    /// Object and offset of a range.
    fn place(&mut self, address: u64, len: u64, access: Access) -> Result<(ObjectId, u64), Fault> {
        let address = self.m.ours(self.s, Value::Bits(u128::from(address)));
        if address.bits().is_some_and(|bits| ObjectId::of_address(bits as u64).0.0 == 0) {
            return Err(Fault::Error(Errno::EFAULT));
        }
        let place = self.m.fix_place(self.s, address, len, access);
        self.settle(place)
    }
}

impl Guest for Program<'_> {
    fn read(&mut self, address: u64, len: u64) -> Result<Bytes, Fault> {
        if len == 0 {
            return Ok(Bytes::default());
        }
        let (id, offset) = self.place(address, len, Access::Read)?;
        let Some(object) = self.s.memory.get(id) else { return Err(Fault::Error(Errno::EFAULT)) };
        Ok(match object.read_bytes(offset, len as usize) {
            Some(bytes) => bytes.into(),
            None => {
                let bytes: Vec<Value> = (0..len).map(|i| object.byte(&mut self.m.pool, offset + i)).collect();
                // Outside the machine nobody knows summaries.
                bytes.into_iter().map(|v| self.m.plain_value(v)).collect()
            }
        })
    }

    fn write(&mut self, address: u64, bytes: &Bytes) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (id, offset) = self.place(address, bytes.len() as u64, Access::Write)?;
        let Some(object) = self.s.memory.get_mut(id) else { return Err(Fault::Error(Errno::EFAULT)) };
        object.write_bytes(&mut self.m.pool, offset, bytes.plain());
        for &(at, term) in bytes.symbols() {
            object.write(&mut self.m.pool, offset + u64::from(at), 1, Value::Term(term));
        }
        Ok(())
    }

    fn decide(&mut self, byte: Value) -> Result<u8, Fault> {
        let value = self.m.fork_value(self.s, byte);
        Ok(self.settle(value)? as u8)
    }

    /// Addresses are the machine's choice; where a program insists on one, only its own mappings
    /// can be had.
    fn map(&mut self, len: u64, at: Option<u64>) -> Result<u64, Fault> {
        if len > MAX_SIZE {
            return Err(Fault::Error(Errno::ENOMEM));
        }
        if let Some(address) = at {
            let (id, offset) = ObjectId::of_address(address);
            let Some(object) = self.s.memory.get_mut(id) else { return Err(Fault::Error(Errno::ENOMEM)) };
            if object.kind != Kind::Environment || !object.contains(offset, len) {
                return Err(Fault::Error(Errno::ENOMEM));
            }
            object.write_bytes(&mut self.m.pool, offset, &vec![0; len as usize]);
            return Ok(address);
        }
        let frame = &self.s.frame;
        let object = Object::new(len, 4096, Kind::Environment, self.m.loc(frame));
        let source = self.m.names.context(frame.context, 1 << 63 | u64::from(frame.pc));
        Ok(self.s.memory.allocate(&mut self.m.names, source, object).address())
    }

    /// A mapping goes as a whole; part of one stays where it is.
    fn unmap(&mut self, address: u64, len: u64) -> Result<(), Fault> {
        let (id, offset) = ObjectId::of_address(address);
        let whole = |o: &Object| o.kind == Kind::Environment && offset == 0 && o.size <= len;
        if self.s.memory.get(id).is_some_and(whole) {
            self.s.memory.remove(id);
        }
        Ok(())
    }

    fn decide_bits(&mut self, byte: Value, mask: u8) -> Result<u8, Fault> {
        let Value::Term(t) = byte else { return Ok(self.decide(byte)? & mask) };
        let mask = self.m.pool.constant(8, u128::from(mask));
        let bits = self.m.pool.and(t, mask);
        self.decide(self.m.value_of(bits))
    }

    fn matches(&mut self, bytes: &[Value], text: &[u8]) -> Result<bool, Fault> {
        let mut all = Vec::new();
        for (&byte, &expected) in bytes.iter().zip(text) {
            let [byte, expected] = [byte, Value::Bits(u128::from(expected))].map(|v| self.m.term_of(v, 8));
            all.push(self.m.pool.eq(byte, expected));
        }
        let same = self.m.pool.and_all(&all);
        let chosen = self.m.choose(self.s, same);
        self.settle(chosen)
    }

    fn at_least(&mut self, number: &[Value], least: u64) -> Result<bool, Fault> {
        let bytes: Vec<_> = number.iter().map(|byte| self.m.term_of(*byte, 8)).collect();
        let Some(value) = bytes.into_iter().reduce(|low, high| self.m.pool.concat(high, low)) else {
            return Ok(least == 0);
        };
        let value = self.m.pool.zext(value, 64);
        let least = self.m.pool.constant(64, u128::from(least));
        let enough = self.m.pool.uge(value, least);
        let chosen = self.m.choose(self.s, enough);
        self.settle(chosen)
    }

    fn sample(&mut self, byte: Value) -> Result<u8, Fault> {
        let Value::Term(t) = byte else { return self.decide(byte) };
        let sample = self.m.sample(self.s, t);
        Ok(self.settle(sample)? as u8)
    }

    /// A call fails whose number the input for its kind has, as in KLEE's model.
    fn fails(&mut self, call: Fallible, nth: u32) -> Result<bool, Fault> {
        let Some(which) = self.m.inputs.get(call.input_name()).cloned() else { return Ok(false) };
        let bytes: Vec<Value> = which.into_iter().map(Value::Term).collect();
        self.matches(&bytes, &nth.to_le_bytes())
    }
}
