//! Value summaries through the command line: the figures of MultiSE, values that no solver knows, limits.

mod common;

use common::{Run, programs};
use serde_json::Value as Json;

/// Runs a program of the folder `summaries`, which may have loops but ends on all inputs.
fn run(program: &str, flags: &str) -> Run {
    let path = programs("summaries").join(program);
    let source = std::fs::read_to_string(&path).expect("a program of the tests");
    let libc = if source.contains("// libc: musl") { "musl" } else { "none" };
    let flags: Vec<&str> = ["--libc", libc, "--merge"].into_iter().chain(flags.split_whitespace()).collect();
    Run::new(&flags, &path, &[])
}

fn number(run: &Run, field: &str) -> u64 {
    run.summary()[field].as_u64().unwrap_or_else(|| panic!("{field}: {}", run.stderr))
}

fn figure(run: &Run, name: &str) -> f64 {
    run.summary()["value_summaries"][name].as_f64().unwrap_or_else(|| panic!("{name}: {}", run.stderr))
}

/// What `klee_print_expr` says of a variable.
fn shown(run: &Run, name: &str) -> String {
    let log = run.read("run.log");
    let line = log.lines().find_map(|l| l.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("{name}: {log}")).to_owned()
}

const PROGRAMS: [&str; 4] = ["alias.c", "values.c", "large.c", "descriptors.c"];

#[test]
fn with_and_without_coalescing_the_outcomes_are_those_of_plain_symbolic_execution() {
    for program in PROGRAMS {
        let plain = run(program, "none --outcomes");
        for flags in ["summaries", "summaries --no-coalesce", "summaries --validate"] {
            let other = run(program, &format!("{flags} --outcomes"));
            assert_eq!(other.json("outcomes.json"), plain.json("outcomes.json"), "{program} {flags}");
            assert_eq!(other.code, plain.code, "{program} {flags}: {}", other.stderr);
        }
        assert_eq!(number(&run(program, "summaries"), "paths_completed"), 1 + u64::from(plain.code == 1));
    }
}

/// The final state of section 2.3: one program counter, `x` without guards, `z` and `r` as there.
#[test]
fn figure_1_ends_in_one_state_with_the_values_of_the_paper() {
    let one = run("figure1.c", "summaries");
    assert_eq!(number(&one, "paths_completed"), 1);
    assert_eq!(number(&run("figure1.c", "summaries --no-coalesce"), "paths_completed"), 5);
    let shown = |name: &str| shown(&one, name);
    let entries = |name: &str| shown(name).matches("), (").count() + 1;
    assert!(!shown("x").starts_with('{'));
    assert_eq!((entries("z"), entries("r")), (3, 2));
    assert!(shown("z").contains("0x3)") && shown("r").contains("0xd)"));
}

/// Section 2.4, 2: which function is called is known without asking.
#[test]
fn a_call_through_a_summary_costs_no_call_of_the_solver() {
    let without = number(&run("function.c", "summaries"), "solver_calls");
    assert!(without > 0, "the branch itself needs the solver");
    let with = run("function.c", "summaries --cflags -DCALL");
    assert_eq!((number(&with, "paths_completed"), number(&with, "solver_calls")), (1, without));
}

/// Section 2.4, 3: strong updates of both arrays.
#[test]
fn a_store_through_a_merged_pointer_updates_each_object_under_its_guard() {
    let one = run("alias.c", "summaries");
    assert_eq!(number(&one, "paths_completed"), 1);
    assert_eq!(number(&one, "splits"), 0);
    let [r, s, t] = ["r", "s", "t"].map(|name| shown(&one, name));
    for (text, values) in [(&r, ["0x2)", "0x4)"]), (&s, ["0x3)", "0x4)"])] {
        assert!(values.iter().all(|v| text.contains(v)), "{text}");
    }
    assert_eq!(t, "0x4");
}

#[test]
fn values_that_no_solver_knows_need_no_split_and_are_counted() {
    let one = run("values.c", "summaries");
    assert_eq!((number(&one, "paths_completed"), number(&one, "splits")), (1, 0));
    assert!(figure(&one, "merges_beyond_terms") >= 2.0);
    assert!(figure(&one, "merges") > figure(&one, "merges_beyond_terms"));
    assert!(figure(&one, "size") > 1.0 && figure(&one, "sharing") > 1.0);
    let dse = run("values.c", "summaries --no-coalesce");
    assert_eq!((figure(&dse, "size"), figure(&dse, "merges")), (1.0, 0.0));
    assert!(figure(&dse, "operations") > figure(&one, "operations"));
}

/// Section 3.3, without its loss.
#[test]
fn what_is_left_of_a_fixed_value_is_explored_later() {
    let all = run("rest.c", "summaries --outcomes");
    assert_eq!(all.summary()["status"], "exhaustive", "{}", all.stderr);
    let inputs = |code: u64| {
        let outcomes = all.json("outcomes.json");
        let of = |o: &Json| (o["exit"] == code).then(|| o["inputs"].as_u64().unwrap_or(0));
        common::list(&outcomes).iter().filter_map(of).sum::<u64>()
    };
    assert_eq!((inputs(0), inputs(1)), (201, 55), "{}", all.read("outcomes.json"));
    assert_eq!(run("rest.c", "none").summary()["status"], "incomplete");
}

#[test]
fn limits_are_in_the_ledger_and_lose_nothing() {
    let plain = run("large.c", "none --outcomes");
    for (limits, kind) in [("--max-summary 4", "large-summary"), ("--max-guard 2", "large-guard")] {
        let limited = run("large.c", &format!("summaries --outcomes {limits}"));
        assert_eq!(limited.json("outcomes.json"), plain.json("outcomes.json"), "{limits}");
        assert_eq!(limited.summary()["status"], "exhaustive", "{limits}");
        let ledger = limited.json("ledger.json");
        let entry = common::list(&ledger).iter().find(|e| e["kind"] == kind).cloned();
        assert_eq!(entry.unwrap_or_else(|| panic!("{limits}: {ledger}"))["lossy"], false);
        let checked = run("large.c", &format!("summaries --validate --cflags -DBITS=4 {limits}"));
        assert!(checked.code != 70, "{limits}: {}", checked.stderr);
    }
    let unlimited = run("large.c", "summaries --max-summary 1000");
    assert_eq!(common::list(&unlimited.json("ledger.json")).len(), 0);
}

#[test]
fn a_cut_loop_is_lossy() {
    let cut = run("large.c", "summaries --max-loop 2");
    assert_eq!(cut.summary()["status"], "incomplete");
    assert!(cut.read("ledger.json").contains("cut-loop"));
}

/// A descriptor splits the state for the call only.
#[test]
fn the_environment_is_called_for_each_value_and_paths_are_one_again() {
    let one = run("descriptors.c", "summaries");
    assert_eq!(number(&one, "paths_completed"), 1, "{}", one.stderr);
}

/// An entry of the program counter has its own store, so in a wrong order nothing goes wrong but that paths miss each
/// other. In the right one they meet, whichever part of the key says who waits.
#[test]
fn the_least_key_runs_first_so_that_all_paths_meet() {
    for (part, merges, apart) in [("BLOCKS", 4, 4), ("ITERATIONS", 4, 5), ("CALLS", 8, 25)] {
        let one = run("order.c", &format!("summaries --cflags -D{part}"));
        assert_eq!((number(&one, "paths_completed"), number(&one, "merges")), (1, merges), "{part}");
        let dse = run("order.c", &format!("summaries --no-coalesce --cflags -D{part}"));
        assert_eq!(number(&dse, "paths_completed"), apart, "{part}");
    }
}

/// A program of the benchmarks.
fn bench(program: &str, n: u32, flags: &str) -> Run {
    let path = programs("../../../bench/programs/multise").join(program);
    let size = format!("-DN={n}");
    let flags: Vec<&str> = ["--libc", "none", "--cflags", &size, "--merge"]
        .into_iter()
        .chain(flags.split_whitespace())
        .collect();
    Run::new(&flags, &path, &[])
}

/// Where pointers are read through symbolic addresses, too: the baseline splits as plain execution does.
#[test]
fn without_coalescing_there_are_the_paths_of_plain_execution() {
    let [plain, dse] = ["none", "summaries --no-coalesce"].map(|mode| bench("bdd.c", 3, mode));
    assert_eq!(number(&dse, "paths_completed"), number(&plain, "paths_completed"));
    assert_eq!(number(&dse, "instructions"), number(&plain, "instructions"));
}

/// The guards of a heap are sets of orders. Where merging costs too much it ends, which loses nothing.
#[test]
fn merging_that_costs_more_than_it_saves_ends_and_says_so() {
    let one = bench("priority_queue.c", 5, "summaries");
    assert_eq!(one.summary()["status"], "exhaustive", "{}", one.stderr);
    assert!(number(&one, "merges") > 20 && number(&one, "merges_refused") > 0);
    assert!(one.stderr.contains("kept apart, mostly by the cost of the merged values"), "{}", one.stderr);
    let again = bench("priority_queue.c", 5, "summaries");
    for field in ["merges", "merges_refused", "paths_completed", "bdd_nodes"] {
        assert_eq!(number(&again, field), number(&one, field), "no clock decides: {field}");
    }
}

/// Which object a merged pointer points into, and which inputs show new code, is asked of guards before the solver is
/// asked about all merged paths at once.
#[test]
fn whoever_asks_about_merged_paths_asks_guards_first() {
    let tree = bench("search_tree.c", 4, "summaries");
    assert!(number(&tree, "solver_calls") < 42, "{}", tree.stderr);
    let queue = bench("priority_queue.c", 6, "summaries");
    assert_eq!(number(&queue, "solver_calls"), 0, "{}", queue.stderr);
}
