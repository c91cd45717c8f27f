//! Is a condition possible on a path? A chain of cheap answers, with SMT solvers at its end.
//!
//! [`Path`] is the path condition, persistent and indexed; [`Solver::check`] asks whether a further
//! condition can hold on it, and the [`Answer`] brings values that show it. `chain.rs` is the
//! chain, one link after the other; only `backend/` knows solvers.

mod backend;
mod chain;
mod chart;
mod effort;
mod enumerate;
mod independence;
mod order;
mod path;
mod placed;
mod quantified;
mod ranges;
mod scratch;
mod special;
mod statistics;
mod trie;
mod validate;
mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use chain::Solver;
pub use path::{Model, Path, conjuncts};
pub use special::Special;
pub use statistics::{Link, Statistics};
pub use values::Values;

/// The answer to the question whether a condition is possible.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Yes, with these values.
    Sat(Model),
    /// No.
    Unsat,
    /// Nobody knows.
    Unknown(Why),
}

impl Answer {
    /// The values that show that the condition is possible.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        match self {
            Answer::Sat(model) => Some(model),
            _ => None,
        }
    }

    /// Is the condition certainly possible?
    #[must_use]
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Is the condition certainly impossible?
    #[must_use]
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The query's time limit.
    Timeout,
    /// The run's time is over, or somebody wants it to end.
    Interrupted,
    /// The solver stopped by itself.
    GaveUp,
    /// The solver's values do not satisfy the condition.
    BadModel,
    /// There is no solver to ask.
    NoBackend(Arc<str>),
    /// The other solver contradicts: one of them is wrong, and nothing should be believed.
    Mismatch(Arc<str>),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Timeout => f.write_str("solver timeout"),
            Why::Interrupted => f.write_str("interrupted"),
            Why::GaveUp => f.write_str("the solver gave up"),
            Why::BadModel => f.write_str("the solver's model is wrong"),
            Why::NoBackend(text) => write!(f, "no solver: {text}"),
            Why::Mismatch(text) => write!(f, "solvers contradict each other: {text}"),
        }
    }
}

/// Both sides of a branch.
#[derive(Clone, Debug)]
pub struct Fork {
    /// Can the condition be true?
    pub then: Answer,
    /// Can it be false?
    pub els: Answer,
}

/// The solvers there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// Bitwuzla, linked in.
    #[default]
    Bitwuzla,
    /// Z3, loaded when first needed.
    Z3,
}

impl Backend {
    /// The one to check answers with.
    #[must_use]
    pub fn other(self) -> Backend {
        match self {
            Backend::Bitwuzla => Backend::Z3,
            Backend::Z3 => Backend::Bitwuzla,
        }
    }
}

/// How to solve.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The solver at the end of the chain.
    pub backend: Backend,
    /// The limit of one backend call.
    pub timeout: Option<Duration>,
    /// When the run ends.
    pub deadline: Option<Instant>,
    /// Set by others to end the run.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Leave quantifiers to a solver that knows them, instead of the solving procedure.
    pub no_procedure: bool,
    /// Decision diagrams answer nothing.
    pub no_diagrams: bool,
    /// Cross-check every answer with the other solver.
    pub validate: bool,
}

impl Options {
    /// Whether the run has to end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
            || self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
