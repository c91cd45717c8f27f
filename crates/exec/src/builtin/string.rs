//! Memory functions that programs call by name; the same as the IR's instructions.

use super::Replaces::{Declaration, Definition};
use super::{Call, Done, Row};
use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::State;
use rejoin_memory::Value;

pub(super) const TABLE: &[Row] = &[
    ("memcpy", Definition, memcpy),
    ("memmove", Definition, memcpy),
    ("memset", Definition, memset),
    ("bzero", Declaration, bzero),
    ("__memcpy_chk", Declaration, memcpy),
    ("__memmove_chk", Declaration, memcpy),
    ("__memset_chk", Declaration, memset),
];

fn memcpy(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.copy(s, call.arg(0), call.arg(1), call.arg(2))?;
    Ok(Done::Value(call.arg(0)))
}

fn memset(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let byte = m.term_of(call.arg(1), call.width(1));
    let byte = m.pool.extract(byte, 0, 8);
    let byte = m.value_of(byte);
    m.fill(s, call.arg(0), byte, call.arg(2))?;
    Ok(Done::Value(call.arg(0)))
}

fn bzero(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.fill(s, call.arg(0), Value::Bits(0), call.arg(1))?;
    Ok(Done::Void)
}
