//! `<rejoin.h>`, and what the other harness APIs share with it.

use super::Replaces::Declaration;
use super::{Call, Done, Row, value};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow, Outcome, Stop};
use crate::region::Regions;
use crate::size::SymSize;
use crate::state::{GapKind, Input, State};
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_memory::{Kind, ObjectId, Value};
use rejoin_solver::{Answer, Model};
use std::rc::Rc;

pub(super) const TABLE: &[Row] = &[
    ("rejoin_symbolic", Declaration, symbolic),
    ("rejoin_int", Declaration, int),
    ("rejoin_range", Declaration, range),
    ("rejoin_choose", Declaration, choose),
    ("rejoin_assume", Declaration, assume),
    ("rejoin_assert_failed", Declaration, assert_failed),
    ("rejoin_report_error", Declaration, report_error),
    ("rejoin_silent_exit", Declaration, silent_exit),
    ("rejoin_prefer", Declaration, prefer),
    ("rejoin_is_symbolic", Declaration, is_symbolic),
    ("rejoin_is_replay", Declaration, zero),
    ("rejoin_concretize", Declaration, concretize),
    ("rejoin_warning", Declaration, warning),
];

impl Machine {
    /// Fresh input bytes. Two paths that make the same input share its variables.
    pub(crate) fn input(&mut self, s: &mut State, name: &str, len: u64) -> Vec<Term> {
        let base = if name.is_empty() { "unnamed" } else { name };
        let used = |n: &str| s.world.inputs.iter().any(|i| i.name == n);
        let mut unique = base.to_owned();
        let mut count = 0;
        while used(&unique) {
            count += 1;
            unique = format!("{base}_{count}");
        }
        let known = self.inputs.entry(unique.clone()).or_default();
        for i in known.len()..len as usize {
            known.push(self.pool.var(8, &format!("{unique}[{i}]")));
        }
        if matches!(self.options.regions, Some(Regions::Pattern { .. })) {
            self.pool.inputs(known);
        }
        let terms = known[..len as usize].to_vec();
        let bytes =
            terms.iter().flat_map(|t| self.pool.support_vars(self.pool.support(*t))).copied().collect();
        Rc::make_mut(&mut s.world).inputs.push(Input { name: unique, bytes, len: None });
        terms
    }

    /// A fresh input as one value.
    pub(crate) fn input_value(&mut self, s: &mut State, name: &str, bits: u16) -> Term {
        let bytes = self.input(s, name, u64::from(bits).div_ceil(8));
        let mut t = bytes[0];
        for byte in &bytes[1..] {
            t = self.pool.concat(*byte, t);
        }
        self.pool.extract(t, 0, u32::from(bits))
    }

    /// Goes on only where `cond` holds; where it cannot, the path ends with `never`.
    pub(super) fn constrain(&mut self, s: &mut State, cond: Term, never: Outcome) -> Flow<Done> {
        let cond = self.as_condition(s, cond);
        if self.pool.is_true(cond) {
            return Ok(Done::Void);
        }
        self.stats.branch_decisions += 1;
        match self.ask(s, |m, path| m.solver.check(&mut m.pool, path, cond)) {
            Answer::Sat(model) => self.assume_for_good(s, cond, model),
            Answer::Unsat => return Err(Stop::Halt(never)),
            Answer::Unknown(why) => return self.give_up(s, GapKind::SolverTimeout, why.to_string()),
        }
        Ok(Done::Void)
    }

    /// Assumes what no other path will ever deny: a bound on a number says that its upper bytes are 0, and what
    /// the state knows is written without them.
    fn assume_for_good(&mut self, s: &mut State, cond: Term, model: Model) {
        let before = s.path.fixed(&self.pool, cond).len();
        self.assume(s, cond, Some(model));
        let several = self.pool.support_vars(self.pool.support(cond)).len() > 1;
        if several && s.path.fixed(&self.pool, cond).len() > before {
            let path = s.path.clone();
            s.map_all_terms(&self.code.image, &mut self.pool, &mut |pool, t| path.simplify(pool, t));
        }
    }

    /// An input of 32 bits in `[begin, end)`.
    pub(super) fn input_range(&mut self, s: &mut State, call: &Call, name: usize) -> Flow<Done> {
        let name = self.c_string(s, call.arg(name), 1000)?;
        let begin = self.fork_value(s, call.arg(0))? as u32;
        let end = self.fork_value(s, call.arg(1))? as u32;
        if begin as i32 >= end as i32 {
            return self.fail(s, ErrorKind::User, format!("empty range [{}, {})", begin as i32, end as i32));
        }
        if end == begin + 1 {
            return value(u64::from(begin));
        }
        let x = self.input_value(s, &name, 32);
        let [b, e] = [begin, end].map(|v| self.pool.constant(32, u128::from(v)));
        let cond = if begin == 0 {
            self.pool.ult(x, e)
        } else {
            let (lo, hi) = (self.pool.sle(b, x), self.pool.slt(x, e));
            self.pool.and(lo, hi)
        };
        self.constrain(s, cond, Outcome::Silent)?;
        Ok(Done::Value(Value::Term(x)))
    }

    pub(super) fn input_choice(&mut self, s: &mut State, call: &Call, name: &str) -> Flow<Done> {
        let x = self.input_value(s, name, 64);
        let n = self.term_of(call.arg(0), 64);
        let cond = self.pool.ult(x, n);
        self.constrain(s, cond, Outcome::Silent)?;
        Ok(Done::Value(Value::Term(x)))
    }
}

/// `(p, n, name)`: makes bytes of an object symbolic; more than the object has is an error.
pub(super) fn symbolic(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let name = m.c_string(s, call.arg(2), 1000)?;
    let address = Value::Bits(m.fork_value(s, call.arg(0))?);
    let address = m.ours(s, address).bits().map_or(0, |bits| bits as u64);
    let len = m.plain_value(call.arg(1));
    if let (Value::Term(len), SymSize::Lazy) = (len, m.options.sym_size) {
        return m.symbolic_some(s, address, len, &name).map(|()| Done::Void);
    }
    let len = m.fork_value(s, len)? as u64;
    let (id, offset) = ObjectId::of_address(address);
    let message = "what is to become symbolic is no object";
    m.certify(s, id, |m, s| m.error(s, ErrorKind::User, message))?;
    let Some(object) = s.memory.get(id) else {
        return m.fail(s, ErrorKind::User, message);
    };
    if object.kind == Kind::Constant {
        return m.fail(s, ErrorKind::User, "a constant can not become symbolic");
    }
    if !object.contains(offset, len) {
        let message = format!("{len} bytes are to become symbolic in an object of {} bytes", object.size);
        return m.fail(s, ErrorKind::User, message);
    }
    let bytes = m.input(s, &name, len);
    if let Some(object) = s.memory.get_mut(id) {
        for (i, byte) in bytes.iter().enumerate() {
            object.write(&mut m.pool, offset + i as u64, 1, Value::Term(*byte));
        }
    }
    Ok(Done::Void)
}

pub(super) fn int(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let name = m.c_string(s, call.arg(0), 1000)?;
    Ok(Done::Value(Value::Term(m.input_value(s, &name, 32))))
}

pub(super) fn range(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.input_range(s, call, 2)
}

fn choose(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    m.input_choice(s, call, "rejoin_choose")
}

pub(super) fn assume(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let cond = m.condition(call, 0);
    if planted("assume-ignored") {
        return Ok(Done::Void);
    }
    m.constrain(s, cond, Outcome::Silent)
}

/// `(object, condition)`: the test of the path should satisfy the condition if it can.
pub(super) fn prefer(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let cond = m.condition(call, 1);
    let cond = m.as_condition(s, cond);
    if !m.pool.is_true(cond) && !m.pool.is_false(cond) && !s.world.preferences.contains(&cond) {
        Rc::make_mut(&mut s.world).preferences.push(cond);
    }
    Ok(Done::Void)
}

fn assert_failed(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let text = m.c_string(s, call.arg(0), 1000)?;
    m.fail(s, ErrorKind::Assert, text)
}

/// `(file, line, message, suffix)`: an error that the program itself reports.
pub(super) fn report_error(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let message = m.c_string(s, call.arg(2), 1000)?;
    let suffix = m.c_string(s, call.arg(3), 100)?;
    if let Some(kind) = ErrorKind::from_name(&suffix) {
        return m.fail(s, kind, message);
    }
    let mut outcome = m.error(s, ErrorKind::ReportError, message);
    if let Outcome::Error(error) = &mut outcome {
        error.suffix = Some(suffix);
    }
    Err(Stop::Halt(outcome))
}

pub(super) fn silent_exit(_: &mut Machine, _: &mut State, _: &Call) -> Flow<Done> {
    Err(Stop::Halt(Outcome::Silent))
}

pub(super) fn is_symbolic(_: &mut Machine, _: &mut State, call: &Call) -> Flow<Done> {
    value(u64::from(call.arg(0).bits().is_none()))
}

pub(super) fn concretize(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let bits = m.concretise(s, call.arg(0), "asked for by the program")?;
    Ok(Done::Value(Value::Bits(bits)))
}

pub(super) fn warning(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let text = m.c_string(s, call.arg(0), 1000)?;
    m.messages.push(text);
    Ok(Done::Void)
}

pub(super) fn nothing(_: &mut Machine, _: &mut State, _: &Call) -> Flow<Done> {
    Ok(Done::Void)
}

pub(super) fn zero(_: &mut Machine, _: &mut State, _: &Call) -> Flow<Done> {
    value(0)
}
