//! Every rule of docs/semantics.md has a program that shows it, and every program says what happens.
//!
//! A program's comments are its expectation, and nothing else may happen:
//! - `// error: KIND` at the end of a line: this error, in this line
//! - `// expect: error KIND`: this error, in no known line
//! - `// expect: exit N`: some path exits with N
//! - `// expect: ledger KIND TEXT`: a lossy entry of this kind whose name contains the text
//! - `// expect: stdout TEXT`: what an exiting path prints
//! - `// expect: paths N`: as many paths end
//! - `// expect: objects A B`: the inputs of the first test; `none` for none
//! - `// flags: …`, `// args: …`: of `rejoin run` and of the program; `// libc: musl`: with libc

mod common;

use common::{Run, decoded, list, programs, text};
use rejoin_report::KTest;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a program's comments say.
#[derive(Debug, Default)]
struct Expectation {
    errors: BTreeSet<(String, u64)>,
    exits: BTreeSet<u64>,
    ledger: BTreeSet<(String, String)>,
    stdout: BTreeSet<String>,
    paths: Option<u64>,
    objects: Option<Vec<String>>,
    libc: String,
    flags: Vec<String>,
    args: Vec<String>,
}

impl Expectation {
    fn parse(source: &str) -> Expectation {
        let mut e = Expectation { libc: "none".to_owned(), ..Expectation::default() };
        for (i, line) in source.lines().enumerate() {
            if let Some((code, kind)) = line.split_once("// error: ")
                && !code.is_empty()
            {
                e.errors.insert((kind.to_owned(), i as u64 + 1));
            }
            let comment = line.strip_prefix("// ").or_else(|| line.strip_prefix("; "));
            if let Some((key, value)) = comment.and_then(|c| c.split_once(": ")) {
                e.add(key, value);
            }
        }
        e
    }

    fn add(&mut self, key: &str, value: &str) {
        let words = || shell_words::split(value).expect("quoted as for a shell");
        match (key, value.split_once(' ').unwrap_or((value, ""))) {
            ("flags", _) => self.flags = words(),
            ("args", _) => self.args = words(),
            ("libc", _) => self.libc = value.to_owned(),
            ("expect", ("error", kind)) => drop(self.errors.insert((kind.to_owned(), 0))),
            ("expect", ("exit", code)) => drop(self.exits.insert(number(code))),
            ("expect", ("stdout", text)) => drop(self.stdout.insert(text.to_owned())),
            ("expect", ("paths", n)) => self.paths = Some(number(n)),
            ("expect", ("objects", "none")) => self.objects = Some(Vec::new()),
            ("expect", ("objects", names)) => {
                self.objects = Some(names.split(' ').map(str::to_owned).collect());
            }
            ("expect", ("ledger", entry)) => {
                let (kind, name) = entry.split_once(' ').unwrap_or((entry, ""));
                self.ledger.insert((kind.to_owned(), name.to_owned()));
            }
            ("expect", _) => panic!("unknown expectation: {value}"),
            _ => {}
        }
    }

    fn run(&self, program: &Path) -> Run {
        let mut flags = vec!["--quiet", "--libc", &self.libc];
        flags.extend(self.flags.iter().map(String::as_str));
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        Run::new(&flags, program, &args)
    }

    /// What differs.
    fn compare(&self, run: &Run) -> String {
        let mut differences = String::new();
        let mut check = |what: &str, same: bool, got: String| {
            if !same {
                let _ = writeln!(differences, "  {what}: {got}");
            }
        };
        let summary = run.summary();
        let errors: BTreeSet<_> = run.errors().into_iter().collect();
        check("errors", errors == self.errors, format!("{:?}", summary["errors"]));
        let exits: BTreeSet<u64> = run.exits().into_iter().collect();
        check("exit codes", exits == self.exits, format!("{exits:?}"));
        let ledger = run.json("ledger.json");
        let lossy: Vec<_> = list(&ledger).iter().filter(|l| l["lossy"] == true).collect();
        let listed = |(kind, name): &(String, String)| {
            lossy.iter().any(|l| text(&l["kind"]) == *kind && text(&l["name"]).contains(name.as_str()))
        };
        let same = lossy.len() == self.ledger.len() && self.ledger.iter().all(listed);
        check("ledger", same, format!("{lossy:?}"));
        let tests = run.tests();
        let exiting = tests.iter().filter(|t| t["outcome"] == "exit");
        let stdout: BTreeSet<String> = exiting.map(|t| decoded(&t["stdout"])).collect();
        check("stdout", self.stdout.is_empty() || stdout == self.stdout, format!("{stdout:?}"));
        let paths = summary["paths_completed"].as_u64();
        check("paths", self.paths.is_none() || paths == self.paths, format!("{paths:?}"));
        let objects = self.objects.as_ref().map(|_| first_objects(run));
        check("objects", objects == self.objects, format!("{objects:?}"));
        let code = match (self.errors.is_empty(), self.ledger.is_empty()) {
            (false, _) => 1,
            (true, false) => 3,
            (true, true) => 0,
        };
        check("code of rejoin", run.code == code, format!("{}", run.code));
        differences
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// The names of the inputs of the first test.
fn first_objects(run: &Run) -> Vec<String> {
    let bytes = std::fs::read(run.out().join("tests/test000001.ktest")).expect("a first test");
    let ktest = KTest::from_bytes(&bytes).expect("a well-formed test");
    ktest.objects.into_iter().map(|o| o.name).collect()
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(programs(folder)).expect("the programs");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Runs all programs of a folder, a few at a time.
fn check_all(folder: &str) {
    let queue = Mutex::new(sources(folder));
    let failures = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(path) = queue.lock().expect("no panic before").pop() else { break };
            let source = std::fs::read_to_string(&path).expect("a readable program");
            let expectation = Expectation::parse(&source);
            let run = expectation.run(&path);
            let differences = if run.out().join("summary.json").is_file() {
                expectation.compare(&run)
            } else {
                format!("  no summary, exit code {}: {}", run.code, run.stderr)
            };
            if !differences.is_empty() {
                let failure = format!("{}:\n{differences}", path.display());
                failures.lock().expect("no panic before").push(failure);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
            scope.spawn(work);
        }
    });
    let mut failures = failures.into_inner().expect("no panic before");
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_holds() {
    check_all("semantics");
}

#[test]
fn the_harness_apis_mean_what_they_say() {
    check_all("harness");
}

/// The rules that the document names: items that begin with a name in backticks.
#[test]
fn rules_and_programs_belong_together() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/semantics.md");
    let document = std::fs::read_to_string(path).expect("docs/semantics.md");
    let rules: Vec<&str> =
        document.lines().filter_map(|l| l.strip_prefix("- `")?.split('`').next()).collect();
    let named: BTreeSet<&str> = rules.iter().copied().collect();
    assert_eq!(named.len(), rules.len(), "a rule is named twice");
    let paths = sources("semantics");
    let shown: BTreeSet<&str> = paths.iter().filter_map(|p| p.file_stem()?.to_str()).collect();
    assert_eq!(named, shown, "left: rules in docs/semantics.md; right: programs in tests/semantics");
}
