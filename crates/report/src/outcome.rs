//! How a path ended: a fact about the analysed program.

use crate::ErrorKind;

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program ended by itself with this exit code, as its parent would see it.
    Exit(u8),
    /// The program made an error.
    Error {
        /// Its kind.
        kind: ErrorKind,
        /// The source file; empty if unknown.
        file: String,
        /// The line in it; 0 if unknown.
        line: u32,
        /// What happened, in words.
        message: String,
    },
    /// The engine stopped before the program did; the reason is also in the ledger.
    Early(String),
}

impl Outcome {
    /// The error kind, if the program made an error.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        match self {
            Outcome::Error { kind, .. } => Some(*kind),
            _ => None,
        }
    }

    /// The word for it in `tests.jsonl`: `exit`, `early` or the name of the error kind.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Exit(_) => "exit",
            Outcome::Error { kind, .. } => kind.name(),
            Outcome::Early(_) => "early",
        }
    }
}
