//! Outcome classes, and how two counts of them differ.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// What an input leads to. Inputs with equal outcomes form a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// `exit`, or the kind of the error.
    pub kind: String,
    /// The line of the error; 0 for `exit`.
    pub line: u32,
    /// The exit code; 0 for errors.
    pub exit: i64,
    /// What was written to stdout.
    pub stdout: Vec<u8>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind.as_str() {
            "exit" => write!(f, "exit {}", self.exit)?,
            kind => write!(f, "{kind} at line {}", self.line)?,
        }
        write!(f, ", stdout \"{}\"", self.stdout.escape_ascii())
    }
}

/// How many inputs each class has.
pub type Histogram = BTreeMap<Outcome, u128>;

/// One entry of the engine's `outcomes.json`.
#[derive(Deserialize)]
struct Entry {
    kind: String,
    line: u32,
    #[serde(default)]
    exit: Option<i64>,
    stdout: String,
    inputs: u128,
}

/// Reads the engine's `outcomes.json`.
pub fn parse_outcomes(json: &str) -> Result<Histogram, String> {
    let entries: Vec<Entry> =
        serde_json::from_str(json).map_err(|error| format!("outcomes.json: {error}"))?;
    let mut histogram = Histogram::new();
    for entry in entries {
        let clean = entry.kind == "exit";
        let outcome = Outcome {
            line: if clean { 0 } else { entry.line },
            exit: if clean { entry.exit.unwrap_or(0) } else { 0 },
            stdout: base64(&entry.stdout)?,
            kind: entry.kind,
        };
        *histogram.entry(outcome).or_default() += entry.inputs;
    }
    Ok(histogram)
}

/// Decodes base64.
pub fn base64(text: &str) -> Result<Vec<u8>, String> {
    BASE64_STANDARD.decode(text).map_err(|error| format!("`{text}`: {error}"))
}

/// The lines that tell two histograms apart; empty if they agree.
pub fn differences(native: &Histogram, engine: &Histogram) -> Vec<String> {
    let mut lines = Vec::new();
    for (outcome, &expected) in native {
        let found = engine.get(outcome).copied().unwrap_or(0);
        if found != expected {
            lines.push(format!("{outcome}: natively {expected} inputs, in the engine {found}"));
        }
    }
    for (outcome, found) in engine.iter().filter(|(outcome, _)| !native.contains_key(outcome)) {
        lines.push(format!("{outcome}: natively never, in the engine {found} inputs"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_class_are_added_and_errors_have_no_exit_code() {
        let json = r#"[
            {"kind": "exit", "line": 0, "exit": 3, "stdout": "TQ==", "inputs": 5},
            {"kind": "exit", "line": 7, "exit": 3, "stdout": "TQ==", "inputs": 6},
            {"kind": "ptr", "line": 9, "exit": 139, "stdout": "", "inputs": 1}]"#;
        let histogram = parse_outcomes(json).unwrap();
        let exit = Outcome { kind: "exit".into(), line: 0, exit: 3, stdout: b"M".to_vec() };
        let ptr = Outcome { kind: "ptr".into(), line: 9, exit: 0, stdout: vec![] };
        assert_eq!(histogram, Histogram::from([(exit.clone(), 11), (ptr.clone(), 1)]));

        let other = Histogram::from([(exit, 10)]);
        assert_eq!(differences(&histogram, &histogram), Vec::<String>::new());
        assert_eq!(differences(&other, &histogram).len(), 2);
        assert_eq!(differences(&histogram, &other).len(), 2);
    }
}
