//! The second opinion: the sanitized build has to agree with the fast one.

use super::{Native, SANITIZERS, Toolchain, bytes, finish, world};
use crate::outcome::Outcome;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How many inputs per kind and line of error are tried in a child of their own.
const SAMPLES: usize = 3;

const ASAN: &str =
    "detect_leaks=0:handle_abort=1:redzone=64:quarantine_size_mb=8:detect_stack_use_after_return=0";

/// What a sanitizer's report says, in the words of the fast build: first match of a phrase wins.
const PHRASES: &[(&str, &str)] = &[
    ("reported: ", "user"),
    ("Assertion `", "assert"),
    ("AddressSanitizer: ABRT", "abort"),
    ("division by zero", "div"),
    ("cannot be represented", "overflow"),
    ("shift exponent", "overshift"),
    ("attempting double-free", "free"),
    ("attempting free on address", "free"),
    ("out of bounds for type", "ptr"),
    ("null pointer", "ptr"),
    ("-buffer-overflow", "ptr"),
    ("heap-use-after-free", "ptr"),
    ("unreachable program point", "unreachable_call"),
    ("caused by a WRITE memory access", "read_only"),
    ("AddressSanitizer: SEGV", "ptr"),
];

/// Runs the program that [`Toolchain::brute_force`] left in `scratch` under sanitizers: on all inputs without an
/// error, and on a sample of those with one. Returns how many errors were tried, or the first disagreement.
pub fn confirm(tools: &Toolchain, native: &Native, scratch: &Path) -> Result<usize, String> {
    let program = tools.build(scratch, "sanitized", "native.h", SANITIZERS)?;
    let mut expected: BTreeMap<u64, &Outcome> = BTreeMap::new();
    let mut tried: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for class in native.classes.iter().filter(|class| class.outcome.kind != "exit") {
        let count = tried.entry((&class.outcome.kind, class.outcome.line)).or_default();
        if *count < SAMPLES {
            *count += 1;
            expected.insert(class.first, &class.outcome);
        }
    }
    let mut command = Command::new(program);
    command.env("ASAN_OPTIONS", ASAN).env("UBSAN_OPTIONS", "print_stacktrace=0");
    if let Some(symbolizer) = tools.symbolizer() {
        command.env("ASAN_SYMBOLIZER_PATH", symbolizer);
    }
    let world = world()?;
    command.current_dir(world.path());
    command.arg(scratch.join("digests")).args(expected.keys().map(u64::to_string));
    let output = finish(&mut command, scratch, "sanitized run")?;
    let text = String::from_utf8_lossy(&output);
    if let Some(line) = text.lines().find(|line| line.starts_with("differs ")) {
        return Err(format!("sanitized build {line}"));
    }
    if !text.ends_with("done\n") {
        return Err("sanitized build did not finish".into());
    }
    let mut rest = text.as_ref();
    while let Some(at) = rest.find("sample ") {
        let (header, report) = rest[at + 7..].split_once('\n').unwrap_or_default();
        let words: Vec<&str> = header.split(' ').collect();
        let length: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let report = report.get(..length).unwrap_or(report);
        let input: u64 = words[0].parse().unwrap_or(u64::MAX);
        let outcome = expected.get(&input).ok_or_else(|| format!("sample of input {}", words[0]))?;
        let found = (kind(report), line(report), bytes(words.get(2).copied().unwrap_or_default()));
        if found != (outcome.kind.as_str(), outcome.line, outcome.stdout.clone()) {
            return Err(format!(
                "input {input}: fast build says {outcome}, sanitizers say {found:?}:\n{report}"
            ));
        }
        rest = &rest[at + 7 + header.len() + 1 + report.len()..];
    }
    Ok(expected.len())
}

fn kind(report: &str) -> &'static str {
    PHRASES.iter().find(|(phrase, _)| report.contains(phrase)).map_or("unknown", |row| row.1)
}

/// The first line of the program that a report mentions.
fn line(report: &str) -> u32 {
    let digits = report.split("prog.c:").nth(1).unwrap_or_default();
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
