//! The errors of a run: one report per (kind, location), with how many ways lead there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Bug, ErrorKind, Frame};

/// What the native replay said about an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayStatus {
    /// The native program did exactly that.
    Confirmed,
    /// The native program did something else.
    Contradicted,
    /// No native build can see an error of this kind.
    NotObservable,
    /// It was not replayed.
    #[default]
    NotRun,
}

/// One element of `errors` in `summary.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// What kind of error.
    pub kind: ErrorKind,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line in it; 0 if unknown.
    pub line: u32,
    /// What happened, in words.
    pub message: String,
    /// The test that shows it; empty if none could be written.
    pub test: String,
    /// What the native replay said.
    pub replay: ReplayStatus,
    /// How many distinct call stacks reach it.
    pub stacks: u64,
}

type Place = (ErrorKind, String, u32);
type Stack = Vec<(String, String, u32)>;

/// Collects bugs in the order found.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    reports: Vec<ErrorReport>,
    places: BTreeMap<Place, (usize, BTreeSet<Stack>)>,
}

impl Errors {
    /// Whether this (kind, location) is still unreported. Ask before solving for a test.
    pub fn is_new(&self, bug: &Bug) -> bool {
        !self.places.contains_key(&place(bug))
    }

    /// Records a bug. The first one at its place gives the report its message and its test; later ones
    /// only add to the number of distinct stacks. Returns whether it was the first.
    pub fn record(&mut self, bug: &Bug, test: &str) -> bool {
        let new = self.is_new(bug);
        let next = self.reports.len();
        let (index, stacks) = self.places.entry(place(bug)).or_insert_with(|| (next, BTreeSet::new()));
        stacks.insert(bug.stack.iter().map(call).collect());
        if new {
            self.reports.push(ErrorReport {
                kind: bug.kind,
                file: bug.file.clone(),
                line: bug.line,
                message: bug.message.clone(),
                test: test.to_owned(),
                replay: ReplayStatus::NotRun,
                stacks: 1,
            });
        } else {
            self.reports[*index].stacks = stacks.len() as u64;
        }
        new
    }

    /// The reports so far, in the order found.
    pub fn reports(&self) -> &[ErrorReport] {
        &self.reports
    }

    /// The reports, to write down what replay said of them.
    pub fn reports_mut(&mut self) -> &mut [ErrorReport] {
        &mut self.reports
    }
}

fn place(bug: &Bug) -> Place {
    (bug.kind, bug.file.clone(), bug.line)
}

/// Arguments differ from path to path; the calls are what makes a stack.
fn call(frame: &Frame) -> (String, String, u32) {
    (frame.function.clone(), frame.file.clone(), frame.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bug(line: u32, caller: &str, value: &str) -> Bug {
        let args = vec![("x".into(), value.into())];
        let frame = Frame { function: caller.into(), file: "a.c".into(), line: 1, args };
        Bug { stack: vec![frame], ..Bug::new(ErrorKind::Div, "division by zero", "a.c", line) }
    }

    #[test]
    fn one_report_per_place_counting_distinct_stacks() {
        let mut errors = Errors::default();
        assert!(errors.record(&bug(3, "f", "1"), "test000001"));
        assert!(!errors.record(&bug(3, "f", "2"), "test000002"), "same calls, other arguments");
        assert!(!errors.record(&bug(3, "g", "1"), "test000003"));
        assert!(errors.record(&bug(4, "f", "1"), "test000004"));
        let seen: Vec<_> = errors.reports().iter().map(|r| (r.line, r.test.as_str(), r.stacks)).collect();
        assert_eq!(seen, [(3, "test000001", 2), (4, "test000004", 1)]);
        let json = serde_json::to_value(&errors.reports()[0]).unwrap();
        assert_eq!(json["replay"], "not-run");
    }
}
