//! Functions that the machine implements itself, as tables of names.
//!
//! One file per family. A table says per name whether the machine's version also replaces a
//! definition in the program (as for `abort`, which libc implements by system calls).

mod harness;
mod heap;
mod jump;
mod klee;
mod output;
mod process;
mod string;
mod syscall;
mod ubsan;
mod verifier;

use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_ir::{FuncId, Type};
use rejoin_memory::Value;

/// An implementation.
pub(crate) type Builtin = fn(&mut Machine, &mut State, &Call) -> Flow<Done>;

/// A call of a builtin.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) callee: FuncId,
    pub(crate) args: Vec<Value>,
    pub(crate) types: Vec<Type>,
    pub(crate) rets: Vec<Type>,
}

impl Call {
    /// An argument; one that is missing (a call through a wrong declaration) reads as zero.
    pub(crate) fn arg(&self, i: usize) -> Value {
        self.args.get(i).copied().unwrap_or(Value::Bits(0))
    }

    /// The width of an argument.
    pub(crate) fn width(&self, i: usize) -> u16 {
        self.types.get(i).map_or(64, |t| t.bits())
    }
}

/// What a builtin did.
#[derive(Debug)]
pub(crate) enum Done {
    /// It returns a value.
    Value(Value),
    /// It returns nothing.
    Void,
    /// The state goes on somewhere else, which is already set.
    Elsewhere,
}

/// Whether a definition in the program is replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Replaces {
    Declaration,
    Definition,
}

type Row = (&'static str, Replaces, Builtin);

/// The machine's implementation of `name`, if it has one.
#[must_use]
pub(crate) fn lookup(name: &str, is_declaration: bool) -> Option<Builtin> {
    let tables = [
        heap::TABLE,
        string::TABLE,
        process::TABLE,
        jump::TABLE,
        harness::TABLE,
        klee::TABLE,
        verifier::TABLE,
        syscall::TABLE,
    ];
    let found = tables
        .iter()
        .flat_map(|t| t.iter())
        .find(|(n, replaces, _)| *n == name && (is_declaration || *replaces == Replaces::Definition))
        .map(|row| row.2);
    found.or_else(|| is_declaration.then(|| ubsan::lookup(name)).flatten())
}

impl Machine {
    /// A C string, whose bytes are fixed first. At most `max` bytes.
    fn c_string(&mut self, s: &mut State, address: Value, max: u64) -> Flow<String> {
        let address = self.fork_value(s, address)?;
        let mut bytes = Vec::new();
        for i in 0..u128::from(max) {
            let byte = self.load_value(s, Value::Bits(address + i), 1)?;
            match self.fork_value(s, byte)? as u8 {
                0 => break,
                b => bytes.push(b),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// An argument as a condition: not zero.
    fn condition(&mut self, call: &Call, i: usize) -> Term {
        let w = call.width(i);
        let t = self.term_of(call.arg(i), w);
        let zero = self.pool.constant(u32::from(w), 0);
        self.pool.ne(t, zero)
    }
}

/// A constant result.
fn value(bits: u64) -> Flow<Done> {
    Ok(Done::Value(Value::Bits(u128::from(bits))))
}
