//! `__ubsan_handle_*`: what `-fsanitize=undefined` calls when it sees undefined behaviour.

use super::{Builtin, Call, Done};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::State;

/// The handler behind a name; the part after the prefix names the check.
pub(super) fn lookup(name: &str) -> Option<Builtin> {
    name.starts_with("__ubsan_handle_").then_some(handle as Builtin)
}

fn handle(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let name = &m.module.functions[call.callee.index()].name;
    let check = name.trim_start_matches("__ubsan_handle_").trim_end_matches("_abort");
    let kind = match check {
        "divrem_overflow" => ErrorKind::Div,
        "shift_out_of_bounds" => ErrorKind::Overshift,
        "builtin_unreachable" => ErrorKind::UnreachableCall,
        "missing_return" => ErrorKind::MissingReturn,
        "load_invalid_value" => ErrorKind::InvalidLoad,
        "function_type_mismatch" => ErrorKind::FunctionTypeMismatch,
        "invalid_builtin" => ErrorKind::InvalidBuiltinUse,
        "implicit_conversion" => ErrorKind::ImplicitConversion,
        c if c.starts_with("non") => ErrorKind::NullableAttribute,
        c if c.ends_with("_overflow") && c != "pointer_overflow" => ErrorKind::Overflow,
        _ => ErrorKind::Ptr,
    };
    let message = format!("undefined behaviour: {}", check.replace('_', " "));
    m.fail(s, kind, message)
}
