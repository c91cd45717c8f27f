//! What the chain falls back on: SMT solvers behind one interface.
//!
//! `smt` is the vocabulary every solver offers, `bitwuzla` and `z3` speak it, `translate` says our
//! terms in it, `session` keeps one long-lived solver per backend, and `aside` is for calls that may
//! overrun their time.

mod aside;
mod bitwuzla;
mod session;
mod smt;
mod stop;
mod translate;
mod z3;

pub(crate) use session::{Engine, Outcome, open, open_quantified};
pub(crate) use stop::Stop;
