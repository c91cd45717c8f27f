//! Hash-consed terms: bit-vectors, booleans, arrays. Calls no solver.

mod assignment;
mod build;
mod bytes;
mod byteset;
mod cell;
mod choice;
mod cofactor;
mod diagram;
mod eval;
mod expand;
mod facts;
mod infix;
mod lanes;
mod node;
mod pool;
mod quantifier;
pub mod rules;
mod semantics;
mod smtlib;
mod solutions;
mod substitute;
mod support;
mod walk;
mod wide;

pub use assignment::Assignment;
pub use byteset::ByteSet;
pub use cofactor::Either;
pub use diagram::{Diagrams, QUESTION_WORK};
pub use eval::{Evaluation, Evaluator};
pub use facts::KnownBits;
pub use infix::Infix;
pub use lanes::Tape;
pub use node::{Binary, Node, Term, Unary, Var};
pub use pool::Pool;
pub use solutions::{Solution, Solutions};
pub use support::Support;
