//! Which states merge.
//!
//! Three things are kept apart. *Policy*, whether a merge pays, is here, one relation per file in
//! `similar/`. The *precondition* and the *construction* belong to the machine
//! ([`rejoin_exec::Machine::compatible`], [`rejoin_exec::Machine::unite`]): whatever a policy says,
//! the outcomes are those of plain symbolic execution.

mod dsm;
mod joins;
mod similar;

pub use dsm::{Dsm, History};
pub use joins::Joins;
pub use similar::{Always, Live, Paying, Qce, QceFull, Similarity};
