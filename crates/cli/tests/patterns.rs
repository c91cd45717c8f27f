//! What patterns are made of, kind by kind: for each a program whose path condition does not grow with the
//! capacity under `--merge pattern`, and does under `--merge loops`.

mod common;

use common::Run;

/// The program of a kind, with a capacity. Whether patterns pay is not the question here, so none is taken back.
fn run(kind: &str, capacity: u32, flags: &[&str]) -> Run {
    let cflags = format!("-DM={capacity}");
    let flags: Vec<&str> = [flags, &["--cflags", &cflags, "--merge-worth", "1000000"]].concat();
    let run = Run::new(&flags, &common::programs("patterns").join(format!("{kind}.c")), &[]);
    let summary = run.summary();
    assert_eq!(
        (&summary["status"], &summary["fallbacks"]),
        (&"exhaustive".into(), &0.into()),
        "{}",
        run.stderr
    );
    run
}

fn nodes(run: &Run) -> u64 {
    run.summary()["condition_nodes"].as_u64().unwrap()
}

fn stays_constant(kind: &str) {
    stays_constant_between(kind, [12, 36]);
}

fn stays_constant_between(kind: &str, capacities: [u32; 2]) {
    let [small, large] = capacities.map(|capacity| run(kind, capacity, &["--merge", "pattern"]));
    assert!(small.summary()["pattern_merges"].as_u64().unwrap() > 0, "{kind}");
    assert_eq!(nodes(&small), nodes(&large), "{kind}: grows under pattern");
    let [small, large] = capacities.map(|capacity| run(kind, capacity, &["--merge", "loops"]));
    assert!(nodes(&small) < nodes(&large), "{kind}: does not grow under loops");
    // Theorem 3.7, and the same ends as without merging.
    let checked = run(kind, 6, &["--merge", "pattern", "--validate"]);
    let plain = run(kind, 6, &["--merge", "none"]);
    assert_eq!(checked.exits(), plain.exits(), "{kind}");
}

#[test]
fn independent_holes() {
    stays_constant("independent");
}

#[test]
fn polynomial_terms() {
    stays_constant("polynomial");
}

#[test]
fn remainders_of_k() {
    stays_constant("modular");
}

#[test]
fn comprehensions_of_what_a_loop_writes() {
    stays_constant("comprehension");
}

#[test]
fn scans_of_what_a_loop_sums() {
    stays_constant("scan");
}

/// Each iteration of the outer loop has a loop with as many iterations.
#[test]
fn repetitions_within_repetitions() {
    stays_constant_between("rectangle", [6, 12]);
}

/// No pattern fits the whole tree.
#[test]
fn patterns_of_subtrees() {
    stays_constant("subtree");
}
