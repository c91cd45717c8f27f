//! `summary.json`, and its few lines for people.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::{Count, CoverageTotals, ErrorReport, MergePlace, ReplayStatus, merging};

/// Whether every behaviour was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every path was explored and nothing in the ledger is lossy.
    Exhaustive,
    /// Something may have been missed; `reasons` says why.
    #[default]
    Incomplete,
}

/// The whole of `summary.json`, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Whether every behaviour was seen.
    pub status: Status,
    /// Why not, if not.
    pub reasons: Vec<String>,
    /// The merging mode (`--merge`).
    pub mode: String,
    /// States that terminated.
    pub paths_completed: u64,
    /// Sum of the multiplicities of terminated states.
    pub paths_represented: Count,
    /// The most states alive at once.
    pub states_max: u64,
    /// Times a state became two or more.
    pub forks: u64,
    /// Times states became one.
    pub merges: u64,
    /// Candidate merges that were refused.
    pub merges_refused: u64,
    /// Regions in which merging was tried.
    pub merge_regions: u64,
    /// States picked early to catch up with a similar one.
    pub fast_forwards: u64,
    /// Those that did merge.
    pub fast_forwards_merged: u64,
    /// Merges of states that the hash of dynamic merging tells apart.
    pub merges_beyond_hash: u64,
    /// Merged states taken apart again.
    pub splits: u64,
    /// If-then-else terms made by merging.
    pub ites_introduced: u64,
    /// Merges into a quantified pattern.
    pub pattern_merges: u64,
    /// Times the exploration began again, because merging did not pay.
    pub trials: u64,
    /// Nodes of the guard diagrams.
    pub bdd_nodes: u64,
    /// LLVM instructions executed, after `--passes`.
    pub instructions: u64,
    /// Branches whose direction had to be decided.
    pub branch_decisions: u64,
    /// Feasibility questions.
    pub queries: u64,
    /// Questions that reached a backend.
    pub solver_calls: u64,
    /// Time spent in backends.
    pub solver_seconds: f64,
    /// Questions with a quantifier.
    pub quantified_queries: u64,
    /// Answered by stripping the quantifier.
    pub strip_hits: u64,
    /// Answered by duplicating a model.
    pub duplicate_hits: u64,
    /// Answered by repairing a model.
    pub repair_hits: u64,
    /// Answered by instantiation.
    pub instantiation_hits: u64,
    /// Handed to the solver's own quantifiers.
    pub fallbacks: u64,
    /// Time on the clock.
    pub wall_seconds: f64,
    /// Processor time.
    pub cpu_seconds: f64,
    /// Processor time without compiling, loading and start-up.
    pub explore_cpu_seconds: f64,
    /// The most memory held.
    pub memory_peak_bytes: u64,
    /// Tests written.
    pub tests: u64,
    /// Errors found.
    pub errors: Vec<ErrorReport>,
    /// Coverage of the program's own code.
    pub coverage: CoverageTotals,
    /// Rejoin's version.
    pub version: String,
    /// The seed of the search.
    pub seed: u64,
    /// What merging did, by source line.
    pub merging: Vec<MergePlace>,
    /// Figures of `--merge summaries`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_summaries: Option<ValueSummaries>,
    /// What `--validate` found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// The paths that the multiplicities hint at, if coefficients are known.
    pub path_estimate: Option<PathEstimate>,
    /// Terms in the largest path condition of a state that ended; with `--merge loops` or `pattern` only.
    pub condition_nodes: u64,
    /// Time of the slowest question to a backend.
    pub slowest_call_seconds: f64,
    /// Whether `paths_represented` is the number of feasible paths; else it is an upper bound.
    pub paths_exact: bool,
}

/// How many answers were compared with another solver's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// Answers that were looked at.
    pub answers: u64,
    /// Those that the other solver had no answer to in time.
    pub undecided: u64,
    /// Those that it contradicted.
    pub contradicted: u64,
}

/// What MultiSE's table 1 has of a run with value summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueSummaries {
    /// The part of the exploration's time spent computing guards.
    pub guard_share: f64,
    /// The part spent in the solver.
    pub solver_share: f64,
    /// Mean entries of an operand that an instruction on symbolic values reads.
    pub size: f64,
    /// Paths to such a read (an upper bound) divided by the entries, on average.
    pub sharing: f64,
    /// Instructions, each counted once for every combination of its operands' entries.
    pub operations: u64,
    /// Times two states became one.
    pub merges: u64,
    /// Those that merged functions, pointers to different objects, or floating-point numbers.
    pub merges_beyond_terms: u64,
    /// Values that became summaries by that.
    pub values_merged: u64,
    /// Summaries that got too large and became terms.
    pub large_summaries: u64,
    /// Guards that got too large and became atoms.
    pub large_guards: u64,
}

/// log p ≈ c1 + c2 · log m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathEstimate {
    /// The factor's logarithm.
    pub c1: f64,
    /// The exponent.
    pub c2: f64,
    /// What they make of the multiplicity of this run.
    pub paths: f64,
}

impl PathEstimate {
    /// A line for people. Where the paths were counted, the coefficients are what is new.
    fn text(&self, exact: bool) -> String {
        let (c1, c2) = (self.c1, self.c2);
        match exact {
            true => {
                format!("paths grow as exp({c1:.3}) * multiplicity^{c2:.3} (--path-estimate {c1:.3},{c2:.3})")
            }
            false => format!("an estimated {:.3e} paths, as exp({c1:.3}) * multiplicity^{c2:.3}", self.paths),
        }
    }
}

impl Summary {
    /// The exit code of `rejoin run`: 1 an error was found, 3 none but incomplete, 0 otherwise.
    pub fn exit_code(&self) -> u8 {
        match (self.errors.is_empty(), self.status) {
            (false, _) => 1,
            (true, Status::Incomplete) => 3,
            (true, Status::Exhaustive) => 0,
        }
    }

    /// A few lines for people, ending with where the rest is.
    pub fn text(&self, out: &str) -> String {
        let mut text = String::new();
        let verdict = match self.status {
            Status::Exhaustive => "exhaustive: every path was explored".to_owned(),
            Status::Incomplete if self.reasons.is_empty() => "incomplete".to_owned(),
            Status::Incomplete => format!("incomplete: {}", some(&self.reasons, 3)),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{verdict}");
        let merged = if self.paths_represented == Count::from(self.paths_completed) {
            String::new()
        } else {
            let at_most = if self.paths_exact { "" } else { "at most " };
            format!(" standing for {at_most}{} paths", self.paths_represented.readable())
        };
        let _ = writeln!(
            text,
            "{} ended{merged}, {}, {}, {:.1} s, {} MiB",
            plural(self.paths_completed, "state"),
            plural(self.tests, "test"),
            plural(self.instructions, "instruction"),
            self.wall_seconds,
            self.memory_peak_bytes >> 20,
        );
        if let Some(estimate) = &self.path_estimate {
            let _ = writeln!(text, "{}", estimate.text(self.paths_exact));
        }
        if self.merges + self.merges_refused > 0 {
            let _ = writeln!(
                text,
                "merging: {}, {} refused, {} ites",
                plural(self.merges, "merge"),
                self.merges_refused,
                self.ites_introduced
            );
            text += &merging::text(&self.merging, 5);
            text += &merging::slower(&self.merging, 5);
        }
        if let Some(Validation { answers, undecided, contradicted }) = self.validation {
            let answers = plural(answers, "answer");
            let _ =
                writeln!(text, "validation: {answers}, {contradicted} contradicted, {undecided} undecided");
        }
        let _ = writeln!(text, "coverage: {}", self.coverage);
        let confirmed = self.errors.iter().filter(|e| e.replay == ReplayStatus::Confirmed).count();
        let _ = match self.errors.len() {
            0 => writeln!(text, "no error found"),
            n => {
                writeln!(text, "{} found, {confirmed} confirmed by native replay", plural(n as u64, "error"))
            }
        };
        let _ = writeln!(text, "results in {out}");
        text
    }
}

fn some(reasons: &[String], limit: usize) -> String {
    let shown = reasons.iter().take(limit).map(String::as_str).collect::<Vec<_>>().join("; ");
    match reasons.len().saturating_sub(limit) {
        0 => shown,
        more => format!("{shown}; and {more} more (ledger.json)"),
    }
}

fn plural(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    /// The contract: acceptance checks rely on these names, scripts on their order.
    const NAMES: &str = "status reasons mode paths_completed paths_represented states_max forks merges \
        merges_refused merge_regions fast_forwards fast_forwards_merged merges_beyond_hash splits ites_introduced \
        pattern_merges trials bdd_nodes instructions branch_decisions queries solver_calls solver_seconds \
        quantified_queries strip_hits duplicate_hits repair_hits instantiation_hits fallbacks \
        wall_seconds cpu_seconds explore_cpu_seconds memory_peak_bytes tests errors coverage version seed merging path_estimate \
        condition_nodes slowest_call_seconds paths_exact";

    fn error() -> ErrorReport {
        ErrorReport {
            kind: ErrorKind::Ptr,
            file: "a.c".into(),
            line: 1,
            message: "m".into(),
            test: "test000001".into(),
            replay: ReplayStatus::NotObservable,
            stacks: 1,
        }
    }

    #[test]
    fn the_file_has_the_names_of_the_contract_in_order() {
        let summary = Summary { errors: vec![error()], ..Summary::default() };
        let json = serde_json::to_string(&summary).unwrap();
        let mut at = 0;
        for name in NAMES.split_whitespace() {
            let key = format!("\"{name}\":");
            at +=
                json[at..].find(&key).unwrap_or_else(|| panic!("{name} missing or out of order")) + key.len();
        }
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.as_object().unwrap().len(), NAMES.split_whitespace().count());
        assert_eq!(value["status"], "incomplete");
        assert_eq!(value["errors"][0]["replay"], "not-observable");
        assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
    }

    #[test]
    fn exit_codes() {
        let incomplete = Summary::default();
        let exhaustive = Summary { status: Status::Exhaustive, ..Summary::default() };
        let found = Summary { errors: vec![error()], ..exhaustive.clone() };
        assert_eq!([incomplete, exhaustive, found].map(|s| s.exit_code()), [3, 0, 1]);
    }

    #[test]
    fn the_text_says_what_matters() {
        let summary = Summary {
            reasons: ["a", "b", "c", "d"].map(String::from).to_vec(),
            paths_completed: 1,
            paths_represented: Count::from(1u64 << 40),
            errors: vec![error()],
            ..Summary::default()
        };
        let text = summary.text("rejoin-out/000");
        assert!(text.contains("incomplete: a; b; c; and 1 more"), "{text}");
        assert!(text.contains("1 state ended standing for at most 1099511627776 paths"), "{text}");
        let path_estimate = Some(PathEstimate { c1: -0.5, c2: 0.75, paths: 1234.0 });
        let guessed = Summary { path_estimate, ..summary.clone() }.text("o");
        let estimated = "an estimated 1.234e3 paths, as exp(-0.500) * multiplicity^0.750";
        assert!(guessed.contains(estimated), "{guessed}");
        let exact = Summary { paths_exact: true, ..Summary { path_estimate, ..summary.clone() } }.text("o");
        assert!(exact.contains("standing for 1099511627776 paths"), "{exact}");
        assert!(exact.contains("--path-estimate -0.500,0.750"), "{exact}");
        assert!(text.contains("1 error found, 0 confirmed"), "{text}");
        assert!(text.contains("rejoin-out/000"), "{text}");
    }
}
