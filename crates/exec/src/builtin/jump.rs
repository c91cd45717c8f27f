//! `setjmp` and `longjmp`: a mark of the frame is kept, its number put into the buffer.

use super::Replaces::Definition;
use super::{Call, Done, Row, value};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{JumpMark, State};
use rejoin_memory::Value;
use std::rc::Rc;

pub(super) const TABLE: &[Row] = &[
    ("setjmp", Definition, setjmp),
    ("_setjmp", Definition, setjmp),
    ("__setjmp", Definition, setjmp),
    ("sigsetjmp", Definition, setjmp),
    ("__sigsetjmp", Definition, setjmp),
    ("longjmp", Definition, longjmp),
    ("_longjmp", Definition, longjmp),
    ("__longjmp_chk", Definition, longjmp),
    ("siglongjmp", Definition, longjmp),
];

/// What distinguishes a mark from other contents of a buffer.
const TAG: u64 = 0x7265_6a6f_0000_0000;

fn setjmp(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let mark = JumpMark { depth: s.callers.depth(), context: s.frame.context, pc: s.frame.pc };
    let token = s.world.jumps.iter().position(|j| *j == mark);
    let token = token.unwrap_or(s.world.jumps.len());
    m.store_value(s, call.arg(0), 8, Value::Bits(u128::from(TAG | token as u64)))?;
    if token == s.world.jumps.len() {
        Rc::make_mut(&mut s.world).jumps.push(mark);
    }
    value(0)
}

fn longjmp(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let token = m.load_value(s, call.arg(0), 8)?;
    let token = m.fork_value(s, token)? as u64;
    let mark = s.world.jumps.get((token ^ TAG) as usize).copied();
    let Some(mark) = mark.filter(|j| j.depth <= s.callers.depth()) else {
        return m.fail(s, ErrorKind::Ptr, "longjmp without a setjmp that is still active");
    };
    let w = call.width(1);
    let v = m.term_of(call.arg(1), w);
    let (zero, one) = (m.pool.constant(u32::from(w), 0), m.pool.constant(u32::from(w), 1));
    let is_zero = m.pool.eq(v, zero);
    let v = m.pool.ite(is_zero, one, v);
    let v = m.value_of(v);
    while s.callers.depth() > mark.depth {
        for local in std::mem::take(&mut s.frame.locals) {
            s.memory.remove(local);
        }
        let Some(frame) = s.callers.pop() else { break };
        s.frame = frame;
    }
    if s.frame.context != mark.context {
        return m.fail(s, ErrorKind::Ptr, "longjmp to a function that has returned");
    }
    let restores_mask = m.module.functions[call.callee.index()].name == "siglongjmp";
    m.end_handlers(s, restores_mask);
    s.frame.pc = mark.pc;
    m.finish_call(s, &[v])?;
    Ok(Done::Elsewhere)
}
