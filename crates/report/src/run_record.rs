//! `run.json`: how an output directory was made. Written first; replay reads it to build the program.

use crate::CommandLine;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How an output directory was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// Rejoin's version.
    pub version: String,
    /// The directory the run was started in: relative paths below, and include paths in `cflags`,
    /// are relative to it.
    pub directory: PathBuf,
    /// The program: `.c`, `.cc`, `.cpp`, `.bc` or `.ll`.
    pub program: PathBuf,
    /// More files (`--with`).
    pub with: Vec<PathBuf>,
    /// Words for the compiler, already split (`--cflags`).
    pub cflags: Vec<String>,
    /// The program's name as it sees it (`argv[0]`).
    pub argv0: String,
    /// The program's command line after its name, `--sym-arg` and its kin included.
    pub args: Vec<String>,
    /// What the program reads from standard input (`--stdin`), unless that is symbolic.
    #[serde(with = "crate::test_record::base64_bytes")]
    pub stdin: Vec<u8>,
    /// Directories of the machine that the program may read (`--allow-read`).
    pub allow_read: Vec<PathBuf>,
    /// Where musl and the runtime are installed that `rejoin cc` builds with.
    pub sysroot: PathBuf,
    /// The function the run started in.
    pub entry: String,
}

impl RunRecord {
    /// The program and all files that come with it, as paths that hold in any directory.
    pub fn sources(&self) -> Vec<PathBuf> {
        std::iter::once(&self.program).chain(&self.with).map(|p| self.directory.join(p)).collect()
    }

    /// The directory the run was started in, if that is the program's too: the program may read it, and
    /// none of its files is symbolic, for those are made in a scratch directory.
    pub fn shared_directory(&self, line: &CommandLine) -> Option<&Path> {
        let readable = self.allow_read.iter().any(|dir| self.directory.starts_with(dir));
        (readable && line.files.is_none_or(|f| f.0 == 0)).then_some(&self.directory)
    }
}
