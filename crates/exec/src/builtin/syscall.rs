//! System calls of a program that talks to its standard streams only.
//!
//! libc is compiled so that all its system calls are calls of `rejoin_syscall`. What is not listed
//! here returns `ENOSYS`, with a ledger entry.

use super::Replaces::Declaration;
use super::{Call, Done, Row, value};
use crate::access::Access;
use crate::fault::planted;
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{GapKind, State};
use rejoin_memory::{Kind, MAX_SIZE, Object, ObjectId, Value};
use std::rc::Rc;

pub(super) const TABLE: &[Row] = &[("rejoin_syscall", Declaration, syscall)];

const EBADF: i64 = -9;
const EINVAL: i64 = -22;
const ENOMEM: i64 = -12;
const ENOSYS: i64 = -38;
const ENOTTY: i64 = -25;

type Handler = fn(&mut Machine, &mut State, &Call) -> Flow<Done>;

/// x86-64's numbers.
const CALLS: &[(u64, &str, Handler)] = &[
    (0, "read", read),
    (1, "write", write),
    (3, "close", |_, _, _| value(0)),
    (9, "mmap", mmap),
    (10, "mprotect", |_, _, _| value(0)),
    (11, "munmap", munmap),
    (12, "brk", |_, _, _| value(0)),
    (13, "rt_sigaction", |_, _, _| value(0)),
    (14, "rt_sigprocmask", |_, _, _| value(0)),
    (16, "ioctl", |_, _, _| error(ENOTTY)),
    (20, "writev", writev),
    (39, "getpid", |_, _, _| value(1)),
    (60, "exit", exit),
    (62, "kill", |m, s, c| signal(m, s, c.arg(2))),
    (158, "arch_prctl", arch_prctl),
    (186, "gettid", |_, _, _| value(1)),
    (200, "tkill", |m, s, c| signal(m, s, c.arg(2))),
    (218, "set_tid_address", |_, _, _| value(1)),
    (231, "exit_group", exit),
    (234, "tgkill", |m, s, c| signal(m, s, c.arg(3))),
];

fn error(code: i64) -> Flow<Done> {
    value(code as u64)
}

fn syscall(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let number = m.fork_value(s, call.arg(0))? as u64;
    match CALLS.iter().find(|c| c.0 == number) {
        Some((_, _, handler)) => handler(m, s, call),
        None => {
            m.note(s, GapKind::UnknownSystemCall, format!("system call {number}"));
            error(ENOSYS)
        }
    }
}

fn read(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let fd = m.fork_value(s, call.arg(1))?;
    if fd == 0 { value(0) } else { error(EBADF) }
}

/// Appends bytes of memory to an output stream; `false` if `fd` is none.
fn put(m: &mut Machine, s: &mut State, fd: u64, address: Value, len: u64) -> Flow<bool> {
    if fd != 1 && fd != 2 {
        return Ok(false);
    }
    if len > 0 {
        let (id, offset) = m.fix_place(s, address, len, Access::Read)?;
        let Some(object) = s.memory.get(id) else { return Ok(true) };
        let bytes = match object.read_bytes(offset, len as usize) {
            Some(bytes) => bytes.into_iter().map(|b| Value::Bits(u128::from(b))).collect(),
            None => (0..len).map(|i| object.byte(&mut m.pool, offset + i)).collect(),
        };
        if planted("output-lost") {
            return Ok(true);
        }
        let world = Rc::make_mut(&mut s.world);
        if fd == 1 { world.stdout.push(bytes) } else { world.stderr.push(bytes) }
    }
    Ok(true)
}

fn write(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let fd = m.fork_value(s, call.arg(1))? as u64;
    let len = m.fork_value(s, call.arg(3))? as u64;
    if put(m, s, fd, call.arg(2), len)? { value(len) } else { error(EBADF) }
}

fn writev(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let fd = m.fork_value(s, call.arg(1))? as u64;
    let list = m.fork_value(s, call.arg(2))?;
    let count = m.fork_value(s, call.arg(3))?;
    let mut parts = Vec::new();
    for i in 0..count {
        let base = m.load_value(s, Value::Bits(list + 16 * i), 8)?;
        let base = m.fork_value(s, base)?;
        let len = m.load_value(s, Value::Bits(list + 16 * i + 8), 8)?;
        parts.push((base, m.fork_value(s, len)? as u64));
    }
    let mut total = 0;
    for (base, len) in parts {
        if !put(m, s, fd, Value::Bits(base), len)? {
            return error(EBADF);
        }
        total += len;
    }
    value(total)
}

fn exit(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let code = m.term_of(call.arg(1), 64);
    let code = m.pool.extract(code, 0, 8);
    let code = m.pool.zext(code, 32);
    let code = m.value_of(code);
    m.exit(s, code)
}

fn signal(m: &mut Machine, s: &mut State, number: Value) -> Flow<Done> {
    let number = m.fork_value(s, number)?;
    m.fail(s, ErrorKind::Abort, format!("the program sends itself signal {number}"))
}

fn arch_prctl(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    const ARCH_SET_FS: u128 = 0x1002;
    let what = m.fork_value(s, call.arg(1))?;
    let address = m.fork_value(s, call.arg(2))?;
    if what != ARCH_SET_FS {
        return error(EINVAL);
    }
    Rc::make_mut(&mut s.world).thread_pointer = address as u64;
    value(0)
}

/// Anonymous memory only.
fn mmap(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    const MAP_ANONYMOUS: u128 = 0x20;
    let len = m.fork_value(s, call.arg(2))?;
    let flags = m.fork_value(s, call.arg(4))?;
    if flags & MAP_ANONYMOUS == 0 {
        return error(ENOSYS);
    }
    if len == 0 {
        return error(EINVAL);
    }
    if len > u128::from(MAX_SIZE) {
        return error(ENOMEM);
    }
    let object = Object::new(len as u64, 4096, Kind::Environment, m.loc(&s.frame));
    let source = m.names.context(s.frame.context, 1 << 63 | u64::from(s.frame.pc));
    value(s.memory.allocate(&mut m.names, source, object).address())
}

fn munmap(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let address = m.fork_value(s, call.arg(1))? as u64;
    let (id, offset) = ObjectId::of_address(address);
    match s.memory.get(id) {
        Some(o) if o.kind == Kind::Environment && offset == 0 => {
            s.memory.remove(id);
            value(0)
        }
        _ => error(EINVAL),
    }
}
