//! Uninitialised bytes, under `check_uninit`: variables that no input has.

use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::State;
use rejoin_expr::{Pool, Term, Var};

/// Variables in use. Neighbouring bytes differ, so that a comparison does not fold away because
/// all bytes of a word are the same variable.
const COUNT: u64 = 1024;

/// The variables that stand for bytes nobody wrote.
pub(crate) struct Uninit {
    bytes: Vec<Term>,
    first: Var,
    last: Var,
}

impl Uninit {
    pub(crate) fn new(pool: &mut Pool) -> Self {
        let bytes: Vec<Term> = (0..COUNT).map(|i| pool.var(8, &format!("uninitialised[{i}]"))).collect();
        let var = |t: Term| pool.support_vars(pool.support(t))[0];
        Uninit { first: var(bytes[0]), last: var(bytes[bytes.len() - 1]), bytes }
    }

    /// The byte at `offset` of a fresh object from `source`.
    pub(crate) fn byte(&self, source: u32, offset: u64) -> Term {
        self.bytes[(u64::from(source).wrapping_mul(61).wrapping_add(offset) % COUNT) as usize]
    }
}

impl Machine {
    /// An undefined constant; `None` if nobody asks.
    pub(crate) fn undef_bits(&mut self, w: u16) -> Option<Term> {
        let uninit = self.uninit.as_ref()?;
        let mut t = uninit.bytes[0];
        for byte in &uninit.bytes[1..usize::from(w).div_ceil(8)] {
            t = self.pool.concat(*byte, t);
        }
        Some(self.pool.extract(t, 0, u32::from(w)))
    }

    /// Reports a decision that depends on bytes that were never written.
    pub(crate) fn check_defined(&self, s: &State, t: Term, what: &str) -> Flow {
        let Some(uninit) = &self.uninit else { return Ok(()) };
        let vars = self.pool.support_vars(self.pool.support(t));
        if vars.iter().any(|v| (uninit.first..=uninit.last).contains(v)) {
            return self.fail(s, ErrorKind::Uninit, format!("{what} depends on uninitialised memory"));
        }
        Ok(())
    }
}
