//! The names of SV-COMP: `__VERIFIER_nondet_*`, `__VERIFIER_assume`, `reach_error`.

use super::Replaces::Declaration;
use super::harness::assume;
use super::{Call, Done, Row};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow, Outcome};
use crate::state::State;
use rejoin_memory::Value;

pub(super) const TABLE: &[Row] = &[
    ("__VERIFIER_assume", Declaration, assume),
    ("__VERIFIER_error", Declaration, error),
    ("reach_error", Declaration, error),
    ("__VERIFIER_nondet_bool", Declaration, nondet_bool),
    ("__VERIFIER_nondet_char", Declaration, nondet),
    ("__VERIFIER_nondet_schar", Declaration, nondet),
    ("__VERIFIER_nondet_uchar", Declaration, nondet),
    ("__VERIFIER_nondet_short", Declaration, nondet),
    ("__VERIFIER_nondet_ushort", Declaration, nondet),
    ("__VERIFIER_nondet_int", Declaration, nondet),
    ("__VERIFIER_nondet_uint", Declaration, nondet),
    ("__VERIFIER_nondet_unsigned", Declaration, nondet),
    ("__VERIFIER_nondet_long", Declaration, nondet),
    ("__VERIFIER_nondet_ulong", Declaration, nondet),
    ("__VERIFIER_nondet_longlong", Declaration, nondet),
    ("__VERIFIER_nondet_ulonglong", Declaration, nondet),
    ("__VERIFIER_nondet_int128", Declaration, nondet),
    ("__VERIFIER_nondet_uint128", Declaration, nondet),
    ("__VERIFIER_nondet_size_t", Declaration, nondet),
    ("__VERIFIER_nondet_loff_t", Declaration, nondet),
    ("__VERIFIER_nondet_u8", Declaration, nondet),
    ("__VERIFIER_nondet_u16", Declaration, nondet),
    ("__VERIFIER_nondet_u32", Declaration, nondet),
    ("__VERIFIER_nondet_float", Declaration, nondet),
    ("__VERIFIER_nondet_double", Declaration, nondet),
    ("__VERIFIER_nondet_pointer", Declaration, nondet),
];

fn error(m: &mut Machine, s: &mut State, _: &Call) -> Flow<Done> {
    m.fail(s, ErrorKind::Assert, "the program calls reach_error")
}

/// An unknown value of the type that the call expects, named after the function.
fn nondet(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let Some(ty) = call.rets.first() else { return Ok(Done::Void) };
    let name = m.module.functions[call.callee.index()].name.clone();
    Ok(Done::Value(Value::Term(m.input_value(s, &name, ty.bits()))))
}

/// An unknown truth value: a byte that is 0 or 1.
fn nondet_bool(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let Some(ty) = call.rets.first() else { return Ok(Done::Void) };
    let byte = m.input_value(s, "__VERIFIER_nondet_bool", 8);
    let two = m.pool.constant(8, 2);
    let cond = m.pool.ult(byte, two);
    m.constrain(s, cond, Outcome::Silent)?;
    let w = u32::from(ty.bits());
    let t = if w < 8 { m.pool.extract(byte, 0, w) } else { m.pool.zext(byte, w) };
    Ok(Done::Value(Value::Term(t)))
}
