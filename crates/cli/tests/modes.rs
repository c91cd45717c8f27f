//! Merging modes and their parameters, through the command line.

mod common;

use common::{Run, list, programs, rejoin, text};
use serde_json::Value as Json;

/// Runs a program of the folder `modes` and writes outcomes.
fn run(program: &str, flags: &str) -> Run {
    let flags: Vec<&str> = ["--libc", "none"].into_iter().chain(flags.split_whitespace()).collect();
    Run::new(&flags, &programs("modes").join(program), &[])
}

/// How many inputs end in which way.
fn outcomes(program: &str, flags: &str) -> Json {
    run(program, &format!("--outcomes {flags}")).json("outcomes.json")
}

fn number(run: &Run, field: &str) -> u64 {
    run.summary()[field].as_u64().unwrap_or_else(|| panic!("{field}: {}", run.stderr))
}

const PROGRAMS: [&str; 5] = ["callees.c", "iterations.c", "sum.c", "bounded.c", "packet-short.c"];

const MODES: [&str; 12] = [
    "--merge ssm",
    "--merge ssm --similar always",
    "--merge ssm --similar live",
    "--merge ssm --similar qce-full --zeta 3",
    "--merge dsm",
    "--merge dsm --search dfs --similar always",
    "--merge dsm --search bfs --similar live",
    "--merge dsm --search random-state --alpha 0 --seed 3",
    "--merge dsm --search random-path --alpha inf --delta 1",
    "--merge dsm --search coverage --alpha 0.3 --beta 0.6 --kappa 3 --qce-sites branches",
    "--merge dsm --search bfs --search random-path --alpha 0.1 --delta 100",
    "--merge dsm --search topological --similar qce-full --alpha 0.5 --zeta 1.2",
];

#[test]
fn every_mode_has_the_outcomes_of_plain_symbolic_execution() {
    for program in PROGRAMS {
        let plain = outcomes(program, "--merge none");
        assert!(!list(&plain).is_empty());
        for mode in MODES {
            assert_eq!(outcomes(program, mode), plain, "{program} {mode}");
        }
    }
}

#[test]
fn a_run_repeats_itself() {
    for mode in ["--merge ssm", "--merge dsm --search coverage --seed 7", "--merge dsm --search random-path"]
    {
        let [a, b] = [(); 2].map(|()| run("iterations.c", mode));
        assert_eq!(a.test_files(), b.test_files(), "{mode}");
        assert!(number(&a, "merges") > 0);
    }
}

// ---- dynamic state merging

/// What a run did, up to time.
fn course(run: &Run) -> Vec<u64> {
    ["merges", "fast_forwards", "fast_forwards_merged", "instructions", "queries", "states_max", "forks"]
        .map(|field| number(run, field))
        .to_vec()
}

#[test]
fn hashes_do_what_the_abstractions_themselves_do() {
    let mut forwards = 0;
    for program in PROGRAMS {
        for search in ["bfs", "random-state", "random-path", "coverage", "topological"] {
            for parameters in ["--alpha 0.3", "--alpha 1e-12 --delta 2", "--similar live", "--similar always"]
            {
                let flags = format!("--merge dsm --search {search} {parameters}");
                let hashes = run(program, &flags);
                let precise = run(program, &format!("{flags} --history precise"));
                assert_eq!(course(&hashes), course(&precise), "{program} {flags}");
                forwards += number(&hashes, "fast_forwards_merged");
            }
        }
    }
    assert!(forwards > 20, "{forwards}");
}

/// The second merge of echo in PLDI'12, section 3: `arg` is equal again one iteration later.
#[test]
fn states_of_different_iterations_merge_where_no_hot_variable_tells_them_apart() {
    let ssm = run("iterations.c", "--merge ssm --alpha 0.3");
    let dsm = run("iterations.c", "--merge dsm --search topological --alpha 0.3");
    let strict = run("iterations.c", "--merge dsm --search topological --alpha 0");
    assert!(number(&dsm, "fast_forwards_merged") > 0);
    assert!(4 * number(&dsm, "instructions") < 3 * number(&ssm, "instructions"));
    assert_eq!(number(&strict, "instructions"), number(&ssm, "instructions"));
}

fn covers_handle_packet(run: &Run) -> bool {
    !run.read("coverage.info").contains("FNDA:0,handle_packet")
}

/// Figure 2 of PLDI'12.
#[test]
fn with_a_budget_dynamic_merging_reaches_what_static_merging_does_not() {
    let ssm = run("packet.c", "--merge ssm --search coverage --max-instructions 1500");
    assert!(!covers_handle_packet(&ssm));
    assert!(covers_handle_packet(&run("packet.c", "--merge ssm")), "it is a matter of the budget only");
    for seed in 1..=5 {
        let flags = format!("--merge dsm --search coverage --max-instructions 1500 --seed {seed}");
        let dsm = run("packet.c", &flags);
        assert!(covers_handle_packet(&dsm), "seed {seed}");
        assert!(number(&dsm, "merges") > 0);
    }
}

// ---- query count estimation

#[test]
fn the_cost_of_ites_is_refused_by_the_full_estimate_only() {
    let qce = run("sum.c", "--merge ssm --similar qce");
    let full = run("sum.c", "--merge ssm --similar qce-full --zeta 100");
    let free = run("sum.c", "--merge ssm --similar qce-full --zeta 1");
    assert!(number(&full, "merges_refused") > number(&qce, "merges_refused"));
    assert!(number(&full, "states_max") > number(&qce, "states_max"));
    assert_eq!(course(&free), course(&qce));
}

#[test]
fn figure_1_comes_out_exactly() {
    let expected = [
        ("0.6", "1", "2.92 arg*=1.6 r=1.32"),
        ("0.8", "1", "3.88 r*=2.08 arg=1.8"),
        ("0.6", "2", "5.2148 arg*=3.5123 r=1.7025"),
        ("0.8", "2", "11.4003 arg*=6.5002 r=4.9001"),
        ("0.6", "10", "20.3264 arg*=16.1053 r=4.2211"),
        ("0.8", "10", "183076.7156 arg*=114422.3223 r=68654.3934"),
    ];
    for (beta, kappa, counts) in expected {
        let output = rejoin()
            .args(["qce", "--libc", "none", "--qce-sites", "branches", "--alpha", ".5"])
            .args(["--beta", beta, "--kappa", kappa])
            .arg(programs("../../analysis/tests/programs").join("figure1.c"))
            .output()
            .expect("rejoin starts");
        let shown = String::from_utf8_lossy(&output.stdout);
        let line = shown.lines().find(|l| l.trim_start().starts_with("7 ")).unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        for count in counts.split(' ') {
            assert!(words.contains(&count), "{beta} {kappa}: {count} in {line}");
        }
    }
}

// ---- bounded model checking

#[test]
fn one_formula_for_all_paths_up_to_a_bound() {
    let bounded =
        |n: u32| run("bounded.c", &format!("--merge ssm --similar always --follow all --max-loop {n}"));
    let short = bounded(3);
    assert_eq!(short.code, 3);
    assert!(short.errors().is_empty() && short.reasons().contains("cut-loop"), "{}", short.reasons());
    let long = bounded(4);
    assert_eq!(long.errors().len(), 1);
    // One merged state runs through each iteration, one question is asked where the error is.
    assert!(number(&long, "states_max") <= 3 && number(&long, "queries") <= 3);
    let whole = bounded(8);
    assert_eq!(text(&whole.summary()["status"]), "exhaustive");
    assert_eq!(whole.errors(), long.errors());
}

#[test]
fn bad_parameters_are_refused() {
    for flags in ["--zeta 0.5", "--delta -1", "--alpha -1", "--beta 2", "--kappa 0", "--history some"] {
        assert_eq!(run("sum.c", &format!("--merge dsm {flags}")).code, 2, "{flags}");
    }
}

/// 2^200 paths in one state: counts are exact at any size.
#[test]
fn more_paths_than_a_machine_word_holds_are_counted_exactly() {
    let text = "#include <rejoin.h>\nint main(void) { unsigned char b[200], odd = 0;\n\
        rejoin_symbolic(b, sizeof b, \"b\");\n\
        for (int i = 0; i < 200; i++) if (b[i] > 9) odd ^= 1;\nreturn odd; }";
    let run = Run::source(&["--merge", "ssm", "--similar", "always"], text);
    let paths = num_bigint::BigUint::from(1u8) << 200u32;
    let summary = run.read("summary.json");
    assert!(summary.contains(&format!("\"paths_represented\": {paths},")), "{summary}");
    assert!(run.stderr.contains("at most 1.6e60 paths"), "{}", run.stderr);
}
