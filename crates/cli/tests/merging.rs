//! Merging changes how long a run takes and nothing else: programs under every similarity against
//! plain symbolic execution, with every merge checked by the solver.

mod common;

use common::{Run, list, programs};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The ways to merge.
const MODES: &[&[&str]] = &[
    &["--merge", "ssm", "--similar", "always"],
    &["--merge", "ssm", "--similar", "live"],
    &["--merge", "ssm", "--similar", "qce"],
    &["--merge", "ssm", "--similar", "qce", "--alpha", "0.4"],
];

fn run(program: &Path, flags: &[&str]) -> Run {
    let source = std::fs::read_to_string(program).expect("a program of the tests");
    let libc = if source.contains("// libc: musl") { "musl" } else { "none" };
    let flags: Vec<&str> = ["--libc", libc, "--outcomes"].iter().chain(flags).copied().collect();
    Run::new(&flags, program, &[])
}

fn all() -> Vec<PathBuf> {
    let files = std::fs::read_dir(programs("merging")).expect("the programs of the tests");
    let mut files: Vec<PathBuf> = files.filter_map(|f| Some(f.ok()?.path())).collect();
    files.sort();
    files
}

fn errors(summary: &Json) -> Vec<(String, u64)> {
    let text = |e: &Json| e["kind"].as_str().unwrap_or_default().to_owned();
    let mut errors: Vec<_> =
        list(&summary["errors"]).iter().map(|e| (text(e), e["line"].as_u64().unwrap_or(0))).collect();
    errors.sort();
    errors
}

#[test]
fn outcomes_and_leaks_are_those_of_plain_symbolic_execution() {
    for program in all() {
        let source = std::fs::read_to_string(&program).expect("a program of the tests");
        let leaks = source.contains("alloc(").then_some(Some("--check-leaks"));
        for leaks in [None].into_iter().chain(leaks) {
            let flags = |mode: &[&'static str]| [mode, leaks.as_slice()].concat();
            let plain = run(&program, &flags(&["--merge", "none"]));
            let mut merges = 0;
            for mode in MODES {
                let merged = run(&program, &flags(mode));
                let name = format!("{} {:?}", program.display(), flags(mode));
                assert_eq!(merged.read("outcomes.json"), plain.read("outcomes.json"), "{name}");
                assert_eq!(merged.code, plain.code, "{name}");
                assert_eq!(errors(&merged.summary()), errors(&plain.summary()), "{name}");
                merges += merged.summary()["merges"].as_u64().unwrap_or(0);
            }
            assert!(merges > 0, "{}: nothing merged", program.display());
        }
    }
}

#[test]
fn exact_paths_counts_the_paths_of_plain_symbolic_execution_and_tests_can_be_had_for_each() {
    for program in all() {
        let plain = run(&program, &["--merge", "none"]).summary();
        for mode in &MODES[..3] {
            let exact = run(&program, &[mode, &["--exact-paths"][..]].concat());
            let summary = exact.summary();
            let name = format!("{} {mode:?}", program.display());
            assert_eq!(summary["paths_represented"], plain["paths_completed"], "{name}");
            assert_eq!(summary["coverage"], plain["coverage"], "{name}");
            assert!(exact.code != 70, "{name}: {}", exact.stderr);
            assert!(summary["path_estimate"]["c2"].is_number(), "{name}");
            let each = run(&program, &[mode, &["--tests", "per-path"][..]].concat()).summary();
            assert_eq!(each["tests"], plain["tests"], "{name}");
        }
    }
}

#[test]
fn validate_proves_every_merge() {
    for program in all() {
        for mode in [MODES[0], MODES[2]] {
            let checked = run(&program, &[mode, &["--validate"][..]].concat());
            assert!(checked.code != 70, "{} {mode:?}: {}", program.display(), checked.stderr);
        }
    }
}

#[test]
fn the_summary_names_the_variable_that_keeps_states_apart() {
    let source = r#"
        #include <rejoin.h>
        int main(void) {
            unsigned char x;
            rejoin_symbolic(&x, 1, "x");
            int limit = 3, sum = 0;
            if (x & 1) limit = 5;
            for (int i = 0; i < limit; i++) sum += i;
            return sum;
        }"#;
    let run = Run::source(&["--merge", "ssm", "--similar", "qce"], source);
    let summary = run.summary();
    let refusals: Vec<&Json> = list(&summary["merging"]).iter().flat_map(|p| list(&p["refusals"])).collect();
    assert!(refusals.iter().any(|r| r["by"] == "limit"), "{summary}");
    assert!(run.read("events.jsonl").contains("\"merging\""));
    assert!(run.stderr.contains("mostly by limit"), "{}", run.stderr);
}

/// The places add up to the totals, and say what merged states asked and how long that took.
#[test]
fn the_summary_has_merges_refusals_ites_queries_and_time_by_place() {
    for program in all() {
        let run = run(&program, &["--merge", "ssm", "--similar", "always"]);
        let (summary, name) = (run.summary(), program.display());
        let places = list(&summary["merging"]);
        let sum = |field: &str| places.iter().filter_map(|p| p[field].as_u64()).sum::<u64>();
        assert_eq!(Some(sum("merges")), summary["merges"].as_u64(), "{name}");
        assert_eq!(Some(sum("ites")), summary["ites_introduced"].as_u64(), "{name}");
        assert_eq!(Some(sum("splits")), summary["splits"].as_u64(), "{name}");
        let refusals = places.iter().flat_map(|p| list(&p["refusals"])).filter_map(|r| r["count"].as_u64());
        assert_eq!(Some(refusals.sum()), summary["merges_refused"].as_u64(), "{name}");
        assert!(places.iter().all(|p| p["seconds"].is_number()), "{name}");
        let asked = |p: &&Json| p["queries"].as_u64() > Some(0);
        assert!(places.iter().any(|p| asked(&p)), "{name}");
        let events = run.read("events.jsonl");
        let told = events.lines().filter(|l| l.contains("\"merging\"")).count();
        assert_eq!(told, places.len(), "{name}");
    }
}
