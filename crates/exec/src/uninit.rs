//! Uninitialised bytes, under `check_uninit`: variables that no input has.

use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{GapKind, State};
use rejoin_expr::{Pool, Term, Var};
use rejoin_solver::Answer;

/// Variables in use. Neighbouring bytes differ, so that a comparison does not fold away because
/// all bytes of a word are the same variable.
const COUNT: u64 = 1024;

/// The variables that stand for bytes nobody wrote.
pub(crate) struct Uninit {
    bytes: Vec<Term>,
    /// Other values that they might have as well.
    twins: Vec<Term>,
    first: Var,
    last: Var,
}

impl Uninit {
    pub(crate) fn new(pool: &mut Pool) -> Self {
        let mut fresh =
            |name: &str| -> Vec<Term> { (0..COUNT).map(|i| pool.var(8, &format!("{name}[{i}]"))).collect() };
        let (bytes, twins) = (fresh("uninitialised"), fresh("twin"));
        let var = |t: Term| pool.support_vars(pool.support(t))[0];
        Uninit { first: var(bytes[0]), last: var(bytes[bytes.len() - 1]), bytes, twins }
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

    /// Reports a decision that depends on bytes that were never written: on some input of the path
    /// they can make a difference. That a term mentions them is not enough, as a read at an unknown
    /// index mentions the whole array.
    pub(crate) fn check_defined(&mut self, s: &mut State, t: Term, what: &str) -> Flow {
        if self.uninit.is_none() {
            return Ok(());
        }
        let t = self.plain(t);
        let Some(uninit) = &self.uninit else { return Ok(()) };
        let is_one = |v: &Var| (uninit.first..=uninit.last).contains(v);
        if !self.pool.support_vars(self.pool.support(t)).iter().any(is_one) {
            return Ok(());
        }
        let mut twin = |v: Var| is_one(&v).then(|| uninit.twins[(v.0 - uninit.first.0) as usize]);
        let other = self.pool.substitute(t, &mut twin);
        let differs = self.pool.ne(t, other);
        match self.solver.check(&mut self.pool, &s.path, differs) {
            Answer::Sat(model) => {
                // The input to show is one on which they matter; the path itself is not narrowed.
                let tru = self.pool.tru();
                self.assume(s, tru, Some(model));
            }
            Answer::Unsat => return Ok(()),
            Answer::Unknown(why) => return self.give_up(s, GapKind::SolverTimeout, why.to_string()),
        }
        self.fail(s, ErrorKind::Uninit, format!("{what} depends on uninitialised memory"))
    }
}
