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

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorKind {
    /// Out of bounds, null, use after free or return, misuse of a function pointer.
    Ptr,
    /// Double or invalid free.
    Free,
    /// A write to a constant.
    ReadOnly,
    /// `abort`, or a fatal signal to oneself.
    Abort,
    /// A failed `assert`.
    Assert,
    /// Division by zero.
    Div,
    /// A shift by the width or more.
    Overshift,
    /// `INT_MIN / -1`, and what UBSan calls overflow.
    Overflow,
    /// The harness is used wrongly, or reports an error of its own.
    User,
    /// An error that the program reports, of no kind of ours.
    ReportError,
    /// Unreachable code was reached.
    Unreachable,
    /// A function that promises a value ended without one.
    MissingReturn,
    /// Memory that nobody frees.
    Leak,
    /// A branch or an address depends on an uninitialised byte.
    Uninit,
    /// The stack is too deep.
    Stack,
    /// A compiler builtin is given what it does not take.
    InvalidBuiltin,
    /// A conversion changed the value.
    ImplicitConversion,
    /// A value that its type does not have was loaded.
    InvalidLoad,
    /// Null where it is forbidden.
    Null,
    /// A call through a pointer of another type.
    FunctionType,
}

/// Each kind with its name in reports and file names: KLEE's where KLEE has one.
const KINDS: &[(ErrorKind, &str)] = &[
    (ErrorKind::Ptr, "ptr"),
    (ErrorKind::Free, "free"),
    (ErrorKind::ReadOnly, "read_only"),
    (ErrorKind::Abort, "abort"),
    (ErrorKind::Assert, "assert"),
    (ErrorKind::Div, "div"),
    (ErrorKind::Overshift, "overshift"),
    (ErrorKind::Overflow, "overflow"),
    (ErrorKind::User, "user"),
    (ErrorKind::ReportError, "report_error"),
    (ErrorKind::Unreachable, "unreachable_call"),
    (ErrorKind::MissingReturn, "missing_return"),
    (ErrorKind::Leak, "leak"),
    (ErrorKind::Uninit, "uninit"),
    (ErrorKind::Stack, "stack"),
    (ErrorKind::InvalidBuiltin, "invalid_builtin_use"),
    (ErrorKind::ImplicitConversion, "implicit_conversion"),
    (ErrorKind::InvalidLoad, "invalid_load"),
    (ErrorKind::Null, "nullable_attribute"),
    (ErrorKind::FunctionType, "function_type_mismatch"),
];

impl ErrorKind {
    /// Every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|k| k.0)
    }

    /// The name in reports and file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|k| k.0 == self).map_or("", |k| k.1)
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        KINDS.iter().find(|k| k.1 == name).map(|k| k.0)
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
