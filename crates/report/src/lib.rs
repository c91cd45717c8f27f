//! What a run leaves behind: tests, errors, coverage, the ledger of approximations, the summary,
//! and their native replay.
//!
//! Everything here is plain data. The crate knows no terms, no solver and no LLVM: the engine hands
//! over bytes, numbers and source locations, and this crate decides how they look on disk, on a
//! terminal and to the native replay. Only this crate and the command line write files.
//!
//! | module | idea |
//! |---|---|
//! | [`count`] | counts that stay exact at any size |
//! | [`outcome`], [`test_record`] | how a path ended; one line of `tests.jsonl` |
//! | [`bug`], [`errors`] | an error with its stack; one report per (kind, location) |
//! | [`ledger`] | every approximation the engine made |
//! | [`summary`] | `summary.json` and the lines printed at the end |
//! | [`merging`] | what merging did, by source line |
//! | [`run_record`] | `run.json`: how the directory was made, which is what replay needs |
//! | [`coverage`] | line and branch coverage, and its lcov text |
//! | [`ktest`] | KLEE's binary test format |
//! | [`out_dir`], [`line_file`], `whole_file` | the output directory, crash-safe |
//! | [`render`], [`progress`] | for the eye |
//! | [`replay`] | building natively, running in a sandbox, comparing with the prediction |

pub mod bug;
pub mod command_line;
pub mod count;
pub mod coverage;
pub mod errors;
pub mod ktest;
pub mod ledger;
pub mod line_file;
pub mod merging;
pub mod out_dir;
pub mod outcome;
pub mod progress;
pub mod render;
pub mod replay;
pub mod run_record;
pub mod summary;
pub mod test_record;
mod whole_file;

pub use bug::{Bug, Frame};
pub use command_line::{CommandLine, Word};
pub use count::Count;
pub use coverage::{Coverage, CoverageTotals, FileCoverage};
pub use errors::{ErrorReport, Errors, ReplayStatus};
pub use ktest::{KObject, KTest};
pub use ledger::{Ledger, LedgerEntry};
pub use merging::{MergePlace, MergeRefusal};
pub use out_dir::{NewTest, OutDir};
pub use outcome::Outcome;
pub use progress::{Progress, ProgressLine};
pub use rejoin_kind::ErrorKind;
pub use run_record::RunRecord;
pub use summary::{PathEstimate, Status, Summary, Validation, ValueSummaries};
pub use test_record::TestRecord;
