//! The machine: it runs the IR on states whose values are bits or terms.
//!
//! `Machine::step` is the `switch instr(l)` of Algorithm 1 (Kuznetsov et al., PLDI 2012): it runs
//! a state to its next fork, its end, or the end of its time slice. Both-concrete operations never
//! touch the term pool.

mod access;
mod builtin;
mod bulk;
mod call;
mod code;
mod comprehension;
mod control;
mod decide;
mod distance;
mod entry;
mod facts;
mod fixed;
mod frame;
mod leak;
mod machine;
mod memops;
mod merge;
mod multiplicity;
mod news;
mod outcome;
mod pointer;
mod region;
mod size;
mod slow;
mod state;
mod step;
mod summaries;
mod symbolic;
mod uninit;
mod world;

pub use code::{Code, FunctionCode, Segment};
pub use entry::Entry;
pub use frame::{Callers, Frame};
pub use machine::{Follow, Machine, Options, Start, Stats};
pub use merge::{Against, Part, Parts, Refusal, Tallies, Tally};
pub use multiplicity::Multiplicity;
pub use news::News;
pub use outcome::{Error, ErrorKind, Outcome, StackFrame};
pub use region::{FoundPattern, Inside, Regions};
pub use size::SymSize;
pub use state::{Gap, GapKind, Gaps, Input, State, World};
pub use world::{Argument, Symbolic};
