//! `<klee/klee.h>`: KLEE's names with KLEE's meanings, except that part of an object may be made
//! symbolic.

use super::Replaces::Declaration;
use super::harness::{
    concretize, int, is_symbolic, nothing, prefer, range, report_error, silent_exit, symbolic, warning, zero,
};
use super::{Call, Done, Row};
use crate::access::Access;
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::State;
use rejoin_memory::{Kind, ObjectId, Value};
use std::rc::Rc;

pub(super) const TABLE: &[Row] = &[
    ("klee_make_symbolic", Declaration, symbolic),
    ("klee_int", Declaration, int),
    ("klee_range", Declaration, range),
    ("klee_choose", Declaration, choose),
    ("klee_assume", Declaration, assume),
    ("klee_prefer_cex", Declaration, prefer),
    ("klee_posix_prefer_cex", Declaration, nothing),
    ("klee_silent_exit", Declaration, silent_exit),
    ("klee_abort", Declaration, abort),
    ("klee_report_error", Declaration, report_error),
    ("klee_is_symbolic", Declaration, is_symbolic),
    ("klee_is_replay", Declaration, zero),
    ("klee_get_obj_size", Declaration, object_size),
    ("klee_check_memory_access", Declaration, check_access),
    ("klee_get_errno", Declaration, zero),
    ("klee_get_valuef", Declaration, concretize),
    ("klee_get_valued", Declaration, concretize),
    ("klee_get_valuel", Declaration, concretize),
    ("klee_get_valuell", Declaration, concretize),
    ("klee_get_value_i32", Declaration, concretize),
    ("klee_get_value_i64", Declaration, concretize),
    ("klee_define_fixed_object", Declaration, define_fixed_object),
    ("klee_mark_global", Declaration, mark_global),
    ("klee_set_forking", Declaration, set_forking),
    ("klee_open_merge", Declaration, ignored_merge),
    ("klee_close_merge", Declaration, ignored_merge),
    ("klee_warning", Declaration, warning),
    ("klee_warning_once", Declaration, warning_once),
    ("klee_print_expr", Declaration, print_expr),
    ("klee_print_range", Declaration, print_range),
    ("klee_stack_trace", Declaration, stack_trace),
];

fn choose(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.input_choice(s, call, "klee_choose")
}

fn assume(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let cond = m.condition(call, 0);
    let never = m.error(s, ErrorKind::User, "invalid klee_assume call (provably false)");
    m.constrain(s, cond, never)
}

fn abort(m: &mut Machine, s: &mut State, _: &Call) -> Flow<Done> {
    m.fail(s, ErrorKind::Abort, "the program calls klee_abort")
}

/// The object that the first argument points into.
fn object(m: &mut Machine, s: &mut State, call: &Call) -> Flow<ObjectId> {
    let address = Value::Bits(m.fork_value(s, call.arg(0))?);
    let address = m.ours(s, address).bits().map_or(0, |bits| bits as u64);
    Ok(ObjectId::of_address(address).0)
}

fn object_size(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let id = object(m, s, call)?;
    let message = "klee_get_obj_size of what is no object";
    m.certify(s, id, |m, s| m.error(s, ErrorKind::Ptr, message))?;
    match s.memory.get(id) {
        Some(object) => Ok(Done::Value(object.len())),
        None => m.fail(s, ErrorKind::Ptr, message),
    }
}

fn check_access(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let len = m.fork_value(s, call.arg(1))? as u64;
    if len > 0 {
        m.resolve(s, call.arg(0), len, Access::Read)?;
    }
    Ok(Done::Void)
}

fn define_fixed_object(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let start = m.fork_value(s, call.arg(0))? as u64;
    let len = m.fork_value(s, call.arg(1))? as u64;
    m.define_fixed(s, start, len)?;
    Ok(Done::Void)
}

/// From here on the object is nobody's to free, and no leak.
fn mark_global(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let id = object(m, s, call)?;
    let message = "klee_mark_global of what is no object";
    m.certify(s, id, |m, s| m.error(s, ErrorKind::Ptr, message))?;
    match s.memory.get_mut(id) {
        Some(object) if object.kind == Kind::Heap => object.kind = Kind::Global,
        Some(_) => {}
        None => return m.fail(s, ErrorKind::Ptr, message),
    }
    Ok(Done::Void)
}

fn set_forking(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let enable = m.fork_value(s, call.arg(0))?;
    Rc::make_mut(&mut s.world).forks_disabled = enable == 0;
    Ok(Done::Void)
}

/// States merge as `--merge` says, not where the program says; so does KLEE's without `--use-merge`.
fn ignored_merge(m: &mut Machine, _: &mut State, _: &Call) -> Flow<Done> {
    let text = "klee_open_merge and klee_close_merge are ignored: --merge says where states merge";
    if m.warned.insert(text.to_owned()) {
        m.messages.push(text.to_owned());
    }
    Ok(Done::Void)
}

fn warning_once(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let text = m.c_string(s, call.arg(0), 1000)?;
    if m.warned.insert(text.clone()) {
        m.messages.push(text);
    }
    Ok(Done::Void)
}

fn print_expr(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let name = m.c_string(s, call.arg(0), 1000)?;
    let text = m.in_words(call.arg(1));
    m.messages.push(format!("{name}: {text}"));
    Ok(Done::Void)
}

/// `(name, value)`: the least and the largest value.
fn print_range(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let name = m.c_string(s, call.arg(0), 1000)?;
    let text = match m.plain_value(call.arg(1)) {
        Value::Bits(bits) => bits.to_string(),
        Value::Term(t) => {
            let last = u128::from(u32::MAX);
            let not = m.pool.not(t);
            let (least, most) = (last - m.largest(s, not, last)?, m.largest(s, t, last)?);
            format!("[{least}, {most}]")
        }
    };
    m.messages.push(format!("{name}: {text}"));
    Ok(Done::Void)
}

fn stack_trace(m: &mut Machine, s: &mut State, _: &Call) -> Flow<Done> {
    for (i, f) in m.stack(s).into_iter().enumerate() {
        let name = &m.module.functions[f.func.index()].name;
        let line = format!("#{i} {name} at {}", m.describe_loc(f.loc));
        m.messages.push(line);
    }
    Ok(Done::Void)
}
