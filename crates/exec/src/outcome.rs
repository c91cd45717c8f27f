//! Why a path ended. Three channels, never mixed: facts about the program ([`Outcome::Exit`],
//! [`Outcome::Error`]), gaps of ours ([`Outcome::Gap`]), and panics, which are our bugs.

use crate::state::Gap;
use rejoin_ir::{FuncId, LocId};
use rejoin_memory::Value;

pub use rejoin_kind::ErrorKind;

/// How a path ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The program exited with this code (32 bits).
    Exit(Value),
    /// The program did something wrong.
    Error(Error),
    /// We could not go on.
    Gap(Gap),
    /// The harness asked to drop the path without a trace.
    Silent,
}

/// An error of the analysed program.
#[derive(Clone, Debug)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// The suffix of its file, if the program chose one of its own.
    pub suffix: Option<String>,
    /// What happened, in a sentence.
    pub message: String,
    /// Where.
    pub loc: LocId,
    /// The call stack, innermost first.
    pub stack: Vec<StackFrame>,
}

/// A frame of the call stack, as an error shows it.
#[derive(Clone, Debug)]
pub struct StackFrame {
    /// The function.
    pub func: FuncId,
    /// Where it is.
    pub loc: LocId,
    /// Its parameters that are still known by their names, with width and value.
    pub args: Vec<(String, u16, Value)>,
}

/// Why an instruction did not simply complete.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The path ends.
    Halt(Outcome),
    /// The state is not to be continued: its successors are in the step's list.
    Replaced,
}

pub(crate) type Flow<T = ()> = Result<T, Stop>;
