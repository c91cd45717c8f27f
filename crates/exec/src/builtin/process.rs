//! The end of the process: `abort`, `assert`, `_exit`.

use super::Replaces::{Declaration, Definition};
use super::{Call, Done, Row};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::State;

pub(super) const TABLE: &[Row] = &[
    ("abort", Definition, abort),
    ("__assert_fail", Definition, assert_fail),
    ("__assert", Definition, assert_fail),
    ("__assert_rtn", Declaration, assert_rtn),
    ("exit", Declaration, exit),
    ("_exit", Declaration, exit_now),
    ("_Exit", Declaration, exit_now),
];

fn abort(m: &mut Machine, s: &mut State, _: &Call) -> Flow<Done> {
    m.fail(s, ErrorKind::Abort, "the program calls abort")
}

fn assert_fail(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let text = m.c_string(s, call.arg(0), 1000)?;
    m.fail(s, ErrorKind::Assert, text)
}

fn assert_rtn(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let text = m.c_string(s, call.arg(3), 1000)?;
    m.fail(s, ErrorKind::Assert, text)
}

fn exit(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.leave(s, call.arg(0))?;
    Ok(Done::Elsewhere)
}

fn exit_now(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.exit(s, call.arg(0))
}
