//! The engine as its users see it: a command and the files that it writes.

use crate::outcome::{Histogram, base64, parse_outcomes};
use crate::process::{self, Finished};
use serde::Deserialize;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How to call the engine.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The `rejoin` executable.
    pub path: PathBuf,
    /// How long one run may take.
    pub limit: Duration,
    /// The planted fault to switch on, in a build that has them.
    pub fault: Option<String>,
}

/// Why there is no agreement.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The engine took too long, which says nothing about what it would have answered.
    OutOfTime,
    /// It says itself that it has not explored everything: what it counted says nothing.
    Incomplete(String),
    /// It failed or answered something else.
    Wrong(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::OutOfTime => f.write_str("the engine ran out of time"),
            Trouble::Incomplete(why) => write!(f, "the engine's run is incomplete:\n{why}"),
            Trouble::Wrong(why) => f.write_str(why),
        }
    }
}

impl Trouble {
    /// Whether the engine answered, and not what was expected.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Trouble::Wrong(_))
    }
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Trouble::Wrong(why)
    }
}

/// What the engine predicts for a program without inputs.
#[derive(Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The exit code.
    pub exit: i64,
    /// What is written to stdout.
    pub stdout: Vec<u8>,
}

/// The fields of `tests.jsonl` that are looked at.
#[derive(Deserialize)]
struct Test {
    outcome: String,
    exit_code: Option<i64>,
    #[serde(default)]
    message: Option<String>,
    stdout: String,
}

/// How a run ended: the fields of `summary.json` that are looked at.
#[derive(Deserialize)]
struct Ending {
    status: String,
    #[serde(default)]
    reasons: Vec<String>,
}

/// How often states became one: the fields of `summary.json` that are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Merges {
    /// In all.
    pub merges: u64,
    /// By a pattern.
    pub pattern_merges: u64,
}

impl Engine {
    /// Runs the engine on `program` in `scratch`; its output directory is returned. Exit codes 0 and 1 are fine,
    /// errors of the program may have been found; but whether everything was explored is only in the summary.
    fn run(
        &self,
        program: &str,
        flags: &[&str],
        words: &[String],
        scratch: &Path,
    ) -> Result<PathBuf, Trouble> {
        let out = scratch.join("out");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|error| error.to_string())?;
        }
        let mut command = Command::new(&self.path);
        command
            .arg("run")
            .args(flags)
            .args(["--quiet", "--no-replay", "--out"])
            .arg(&out)
            .arg(program)
            .args(words);
        command.current_dir(scratch).env_remove("REJOIN_FAULT");
        if let Some(fault) = &self.fault {
            command.env("REJOIN_FAULT", fault);
        }
        let finished = process::run(&mut command, scratch, self.limit);
        match finished.map_err(|error| format!("{}: {error}", self.path.display()))? {
            Finished { timed_out: true, .. } => Err(Trouble::OutOfTime),
            Finished { code: Some(0 | 1 | 3), stderr, .. } => match incomplete(&out)? {
                None => Ok(out),
                Some(why) => Err(Trouble::Incomplete(format!("{why}\n{stderr}"))),
            },
            Finished { code, stderr, .. } => Err(format!("the engine ended with {code:?}:\n{stderr}").into()),
        }
    }

    /// The outcome classes of `prog.c` in `scratch`, called with these words, and the number of inputs in each.
    pub fn outcomes(&self, flags: &[String], words: &[String], scratch: &Path) -> Result<Histogram, Trouble> {
        let flags: Vec<&str> = ["--outcomes"].into_iter().chain(flags.iter().map(String::as_str)).collect();
        let out = self.run("prog.c", &flags, words, scratch)?;
        let json =
            fs::read_to_string(out.join("outcomes.json")).map_err(|e| format!("outcomes.json: {e}"))?;
        Ok(parse_outcomes(&json)?)
    }

    /// How often states became one in the run that ended last in `scratch`.
    pub fn merges(&self, scratch: &Path) -> Merges {
        let json = fs::read_to_string(scratch.join("out/summary.json")).unwrap_or_default();
        serde_json::from_str(&json).unwrap_or_default()
    }

    /// What the engine predicts for a program without inputs.
    pub fn predict(&self, program: &str, flags: &[&str], scratch: &Path) -> Result<Prediction, Trouble> {
        let out = self.run(program, flags, &[], scratch)?;
        let text = fs::read_to_string(out.join("tests.jsonl")).map_err(|e| format!("tests.jsonl: {e}"))?;
        let mut lines = text.lines();
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err(format!("one path expected, tests.jsonl has {} lines", text.lines().count()).into());
        };
        let test: Test = serde_json::from_str(line).map_err(|error| format!("tests.jsonl: {error}"))?;
        match (test.outcome.as_str(), test.exit_code) {
            ("exit", Some(exit)) => Ok(Prediction { exit, stdout: base64(&test.stdout)? }),
            (other, _) => {
                Err(format!("the engine predicts {other}: {}", test.message.unwrap_or_default()).into())
            }
        }
    }
}

/// Why the run that wrote to `out` has not explored everything, if it says so.
fn incomplete(out: &Path) -> Result<Option<String>, String> {
    let json = fs::read_to_string(out.join("summary.json")).map_err(|e| format!("summary.json: {e}"))?;
    let Ending { status, reasons } =
        serde_json::from_str(&json).map_err(|error| format!("summary.json: {error}"))?;
    if status == "exhaustive" {
        return Ok(None);
    }
    let ledger = fs::read_to_string(out.join("ledger.json")).unwrap_or_default();
    Ok(Some(format!("{}\n{}", reasons.join("\n"), ledger.trim())))
}
