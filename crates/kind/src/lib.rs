//! The kinds of errors a program can have, in one table: the machine finds errors of these kinds, reports
//! name them, and replay looks for them.
//!
//! Names are KLEE's file suffixes wherever KLEE has the kind, so that a script looking for
//! `test000007.ptr.err` finds it. `leak`, `uninit` and `stack` are ours.

use serde::{Deserialize, Serialize};

/// What kind of error the analysed program made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// An access outside any live object: out of bounds, null, use after free.
    Ptr,
    /// Freeing what is not the start of a live heap object.
    Free,
    /// A write to constant memory.
    ReadOnly,
    /// `abort()` was called.
    Abort,
    /// An assertion failed.
    Assert,
    /// Division or remainder by zero, or the one signed quotient that overflows.
    Div,
    /// A shift by at least the width of its operand.
    Overshift,
    /// Signed overflow, in programs that ask for the check.
    Overflow,
    /// The harness API was misused.
    User,
    /// The program reported an error of its own through `klee_report_error`.
    ReportError,
    /// An `unreachable` instruction was reached.
    UnreachableCall,
    /// A function that returns a value ended without one.
    MissingReturn,
    /// Memory still allocated, and no longer reachable, at exit.
    Leak,
    /// A decision or an address depended on uninitialised memory.
    Uninit,
    /// The stack was exhausted.
    Stack,
    /// A vector element outside the vector was accessed.
    BadVectorAccess,
    /// A builtin got an argument it is undefined for.
    InvalidBuiltinUse,
    /// A conversion lost bits, in programs that ask for the check.
    ImplicitTruncation,
    /// A conversion changed a value, in programs that ask for the check.
    ImplicitConversion,
    /// A `bool` or enumeration held a value outside its type.
    InvalidLoad,
    /// A null pointer was passed or returned where it is declared never to be.
    NullableAttribute,
    /// A function was called through a pointer of another type.
    FunctionTypeMismatch,
}

/// Which native build can see an error of some kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Any build: the program itself says so, through a signal or the replay runtime.
    Plain,
    /// AddressSanitizer or a signal; also from bitcode.
    Address,
    /// UndefinedBehaviorSanitizer, which exists only when compiling from source.
    Undefined,
    /// MemorySanitizer.
    Memory,
    /// LeakSanitizer.
    Leak,
    /// None that we know of.
    Nowhere,
}

struct Row {
    kind: ErrorKind,
    name: &'static str,
    title: &'static str,
    seen: Seen,
}

const fn row(kind: ErrorKind, name: &'static str, title: &'static str, seen: Seen) -> Row {
    Row { kind, name, title, seen }
}

/// In the order of the enumeration, so that a kind is its own index.
const TABLE: [Row; 22] = [
    row(ErrorKind::Ptr, "ptr", "invalid memory access", Seen::Address),
    row(ErrorKind::Free, "free", "invalid free", Seen::Address),
    row(ErrorKind::ReadOnly, "read_only", "write to read-only memory", Seen::Address),
    row(ErrorKind::Abort, "abort", "abort", Seen::Plain),
    row(ErrorKind::Assert, "assert", "assertion failed", Seen::Plain),
    row(ErrorKind::Div, "div", "division by zero", Seen::Address),
    row(ErrorKind::Overshift, "overshift", "shift by too much", Seen::Undefined),
    row(ErrorKind::Overflow, "overflow", "integer overflow", Seen::Undefined),
    row(ErrorKind::User, "user", "misuse of the harness API", Seen::Plain),
    row(ErrorKind::ReportError, "report_error", "error reported by the program", Seen::Plain),
    row(ErrorKind::UnreachableCall, "unreachable_call", "unreachable code reached", Seen::Undefined),
    row(ErrorKind::MissingReturn, "missing_return", "missing return value", Seen::Undefined),
    row(ErrorKind::Leak, "leak", "memory leak", Seen::Leak),
    row(ErrorKind::Uninit, "uninit", "use of uninitialised memory", Seen::Memory),
    row(ErrorKind::Stack, "stack", "stack overflow", Seen::Address),
    row(ErrorKind::BadVectorAccess, "bad_vector_access", "vector index out of range", Seen::Nowhere),
    row(ErrorKind::InvalidBuiltinUse, "invalid_builtin_use", "invalid use of a builtin", Seen::Undefined),
    row(ErrorKind::ImplicitTruncation, "implicit_truncation", "implicit truncation", Seen::Nowhere),
    row(ErrorKind::ImplicitConversion, "implicit_conversion", "implicit conversion", Seen::Nowhere),
    row(ErrorKind::InvalidLoad, "invalid_load", "invalid value for its type", Seen::Undefined),
    row(ErrorKind::NullableAttribute, "nullable_attribute", "null where forbidden", Seen::Undefined),
    row(ErrorKind::FunctionTypeMismatch, "function_type_mismatch", "call of wrong type", Seen::Undefined),
];

impl ErrorKind {
    /// Every kind, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|r| r.kind)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The kind's name in every output, and the suffix of its `.err` file.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// A few words for people.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Which native build can see an error of this kind.
    pub fn seen(self) -> Seen {
        self.row().seen
    }

    /// The kind with this name, also for the suffix given to `klee_report_error` (`div.err`).
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".err").unwrap_or(name);
        TABLE.iter().find(|r| r.name == name).map(|r| r.kind)
    }
}

impl std::fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_its_own_index_and_serialises_as_its_name() {
        for (i, r) in TABLE.iter().enumerate() {
            assert_eq!(r.kind as usize, i);
            assert_eq!(serde_json::to_string(&r.kind).unwrap(), format!("\"{}\"", r.name));
            assert_eq!(ErrorKind::from_name(r.name), Some(r.kind));
        }
        assert_eq!(ErrorKind::all().count(), TABLE.len());
        assert_eq!(ErrorKind::from_name("div.err"), Some(ErrorKind::Div));
        assert_eq!(ErrorKind::from_name("nonsense"), None);
    }
}
