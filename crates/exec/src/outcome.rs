//! Why a path ended. Three channels, never mixed: facts about the program ([`Outcome::Exit`],
//! [`Outcome::Error`]), gaps of ours ([`Outcome::Gap`]), and panics, which are our bugs.

use crate::state::Gap;
use rejoin_ir::{FuncId, LocId};
use rejoin_memory::Value;

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
    /// What happened, in a sentence.
    pub message: String,
    /// Where.
    pub loc: LocId,
    /// The call stack, innermost first: function and current location.
    pub stack: Vec<(FuncId, LocId)>,
}

/// Kinds of errors, with KLEE's names where KLEE has one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorKind {
    /// Out of bounds, null, use after free or return, misuse of a function pointer.
    Ptr,
    /// Double or invalid free.
    Free,
    /// A write to a constant.
    ReadOnly,
    /// Division by zero.
    Div,
    /// `INT_MIN / -1`, and what UBSan calls overflow.
    Overflow,
    /// A shift by the width or more.
    Overshift,
    /// `abort`, or a fatal signal to oneself.
    Abort,
    /// A failed `assert`.
    Assert,
    /// Unreachable code was reached, or a trap.
    Unreachable,
    /// The stack is too deep.
    Stack,
    /// Memory that nobody frees.
    Leak,
    /// A branch or an address depends on an uninitialised byte.
    Uninit,
    /// The harness is used wrongly, or reports an error of its own.
    User,
    /// A call that `__ubsan_*` instrumentation made.
    Undefined,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [ErrorKind; 14] = [
        ErrorKind::Ptr,
        ErrorKind::Free,
        ErrorKind::ReadOnly,
        ErrorKind::Div,
        ErrorKind::Overflow,
        ErrorKind::Overshift,
        ErrorKind::Abort,
        ErrorKind::Assert,
        ErrorKind::Unreachable,
        ErrorKind::Stack,
        ErrorKind::Leak,
        ErrorKind::Uninit,
        ErrorKind::User,
        ErrorKind::Undefined,
    ];

    /// The name in reports and file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Ptr => "ptr",
            ErrorKind::Free => "free",
            ErrorKind::ReadOnly => "read_only",
            ErrorKind::Div => "div",
            ErrorKind::Overflow => "overflow",
            ErrorKind::Overshift => "overshift",
            ErrorKind::Abort => "abort",
            ErrorKind::Assert => "assert",
            ErrorKind::Unreachable => "unreachable",
            ErrorKind::Stack => "stack",
            ErrorKind::Leak => "leak",
            ErrorKind::Uninit => "uninit",
            ErrorKind::User => "user",
            ErrorKind::Undefined => "undefined",
        }
    }
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
