//! Runs of the `rejoin` binary and what they leave behind.

#![allow(dead_code, reason = "each test binary uses its part")]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary.
pub(crate) fn rejoin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rejoin"));
    command.stdin(Stdio::null());
    command
}

/// Where the programs of the tests are.
pub(crate) fn programs(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// A run that has ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    dir: tempfile::TempDir,
}

impl Run {
    /// `rejoin run FLAGS PROGRAM ARGS`, without replay, in a directory of its own.
    pub(crate) fn new(flags: &[&str], program: &Path, args: &[&str]) -> Run {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let output = rejoin()
            .args(["run", "--no-replay", "--out"])
            .arg(dir.path().join("out"))
            .args(flags)
            .arg(program)
            .args(args)
            .output()
            .expect("rejoin starts");
        Run::ended(output, dir)
    }

    /// A run without libc of a program given as text.
    pub(crate) fn source(flags: &[&str], text: &str) -> Run {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let program = write(dir.path(), "program.c", text);
        let flags: Vec<&str> = ["--libc", "none"].iter().chain(flags).copied().collect();
        Run::new(&flags, &program, &[])
    }

    pub(crate) fn ended(output: Output, dir: tempfile::TempDir) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            dir,
        }
    }

    /// The output directory.
    pub(crate) fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// A file of the output directory.
    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.out().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), self.stderr))
    }

    /// A JSON file of the output directory.
    pub(crate) fn json(&self, name: &str) -> Json {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn summary(&self) -> Json {
        self.json("summary.json")
    }

    /// The lines of `tests.jsonl`.
    pub(crate) fn tests(&self) -> Vec<Json> {
        json_lines(&self.read("tests.jsonl"))
    }

    /// The exit codes of the tests that exit.
    pub(crate) fn exits(&self) -> Vec<u64> {
        let mut codes: Vec<u64> = self.tests().iter().filter_map(|t| t["exit_code"].as_u64()).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Kind and line of every error.
    pub(crate) fn errors(&self) -> Vec<(String, u64)> {
        let summary = self.summary();
        let mut errors: Vec<(String, u64)> = list(&summary["errors"])
            .iter()
            .map(|e| (text(&e["kind"]), e["line"].as_u64().unwrap_or_default()))
            .collect();
        errors.sort();
        errors
    }

    /// Why the run is incomplete.
    pub(crate) fn reasons(&self) -> String {
        list(&self.summary()["reasons"]).iter().map(text).collect::<Vec<_>>().join("; ")
    }

    /// All files of the tests with their contents, by name.
    pub(crate) fn test_files(&self) -> Vec<(String, Vec<u8>)> {
        files(&self.out().join("tests"))
    }
}

/// Puts a file into a directory.
pub(crate) fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, content).expect("a file can be written");
    path
}

/// The files of a directory with their contents, by name.
pub(crate) fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|entry| entry.expect("an entry"))
        .map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

/// One JSON value per line.
pub(crate) fn json_lines(text: &str) -> Vec<Json> {
    text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect()
}

/// A JSON string.
pub(crate) fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

/// The bytes behind base64.
pub(crate) fn decoded(json: &Json) -> String {
    let bytes = BASE64_STANDARD.decode(text(json)).expect("base64");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A JSON list.
pub(crate) fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], |a| a)
}
