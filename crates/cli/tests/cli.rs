//! The command line: exit codes, files, limits, signals, and that modes agree.

mod common;

use common::{Run, decoded, files, json_lines, programs, rejoin, text, write};
use rejoin_report::KTest;
use serde_json::Value as Json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FINE: &str = "int main(void) { return 3; }\n";
const WRONG: &str = "int main(void) { int *p = 0; return *p; }\n";
const UNKNOWN: &str = "int f(void);\nint main(void) { return f(); }\n";

/// Linux's flag of `open`.
const O_NONBLOCK: i32 = 0o4000;

/// More paths than anyone can wait for.
const ENDLESS: &str = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char b[64];
    int n = 0;
    klee_make_symbolic(b, sizeof b, "b");
    for (int i = 0; i < 64; i++)
        if (b[i])
            n++;
    return n;
}
"#;

/// The factors of a large number, which no solver finds.
const HARD: &str = r#"
#include <klee/klee.h>
#include <stdint.h>
int main(void) {
    uint64_t a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume((a > 1) & (b > 1) & (a < 1ull << 31) & (b < 1ull << 31));
    klee_assume(a * b == 2305842992033824769);
    return a > b;
}
"#;

/// A little of everything, over two bytes.
const MIXED: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int twice(int n) { return 2 * n; }
static int half(int n) { return n / 2; }
int main(void) {
    unsigned char a, b;
    klee_make_symbolic(&a, 1, "a");
    klee_make_symbolic(&b, 1, "b");
    int (*f)(int) = a & 1 ? twice : half;
    switch (a >> 4) {
    case 0:
    case 3:
        return f(table[b & 15]);
    case 1:
        return 100 / (b % 5);
    case 2: {
        char *p = malloc(1 + (b & 3));
        p[b & 3] = 7;
        if (b == 77)
            free(p);
        int r = p[b & 3];
        return r;
    }
    default:
        for (int i = 0; i < (b & 7); i++)
            if (i * i == a % 20)
                return 50 + i;
        return b > a;
    }
}
"#;

// ---- exit codes and bad input

#[test]
fn exit_codes_tell_what_was_found() {
    assert_eq!(Run::source(&[], FINE).code, 0);
    assert_eq!(Run::source(&[], WRONG).code, 1);
    assert_eq!(Run::source(&[], UNKNOWN).code, 3);
    assert_eq!(Run::source(&[], "this is not C\n").code, 2);
}

/// Runs on bad input; gives what was said.
fn refused(arguments: &[&str]) -> String {
    let output = rejoin().args(arguments).output().expect("rejoin starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?} wrote to stdout");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn bad_programs_are_refused() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = |p: PathBuf| p.to_str().expect("a path of text").to_owned();
    let missing = path(dir.path().join("missing.c"));
    assert!(refused(&["run", &missing]).contains("no such file"));
    assert!(refused(&["run", dir.path().to_str().expect("text")]).contains("is a directory"));
    let junk = path(write(dir.path(), "junk.bc", "junk"));
    assert!(refused(&["run", &junk]).contains("bitcode"));
    let strange = path(write(dir.path(), "strange.xyz", "junk"));
    assert!(refused(&["run", &strange]).contains("strange.xyz"));
    let library = path(write(dir.path(), "library.c", "int f(void) { return 1; }\n"));
    assert!(refused(&["run", "--libc", "none", &library]).contains("main"));
    let ir = path(write(dir.path(), "broken.ll", "define i32 @main() { ret i64 0 }\n"));
    assert!(refused(&["run", "--libc", "none", &ir]).contains("broken.ll"));
}

#[test]
fn truncated_bitcode_is_refused_at_any_length() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let source = write(dir.path(), "program.c", FINE);
    let bitcode = dir.path().join("program.bc");
    let clang = Command::new("clang-22").args(["-c", "-emit-llvm", "-o"]).arg(&bitcode).arg(&source).status();
    assert!(clang.expect("clang-22 starts").success());
    let whole = std::fs::read(&bitcode).expect("bitcode");
    assert_eq!(Run::new(&["--libc", "none"], &bitcode, &[]).code, 0);
    for part in [3, 4, 40, 41, whole.len() / 2, whole.len() - 4] {
        let cut = write(dir.path(), "cut.bc", &whole[..part]);
        refused(&["run", "--libc", "none", cut.to_str().expect("text")]);
    }
}

#[test]
fn bad_options_are_refused() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "program.c", FINE);
    let program = program.to_str().expect("text");
    let absurd: &[&[&str]] = &[
        &["--search", "sideways"],
        &["--max-time", "yesterday"],
        &["--max-time=-1s"],
        &["--max-memory", "0"],
        &["--max-tests", "many"],
        &["--max-instructions", "18446744073709551616"],
        &["--max-depth=-1"],
        &["--solver", "abacus"],
        &["--merge", "perhaps"],
        &["--follow", "some"],
        &["--passes", "no-such-pass"],
        &["--cflags", "\"open quote"],
        &["--no-such-option"],
    ];
    for options in absurd {
        let mut arguments = vec!["run", "--libc", "none"];
        arguments.extend_from_slice(options);
        arguments.push(program);
        refused(&arguments);
    }
    refused(&[]);
    refused(&["run"]);
    refused(&["replay"]);
    refused(&["replay", dir.path().to_str().expect("text")]);
}

#[test]
fn words_that_are_no_text_are_refused() {
    let no_text = OsStr::from_bytes(b"\xff");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = dir.path().join(OsStr::from_bytes(b"\xff.c"));
    std::fs::write(&program, FINE).expect("a file");
    let words: [&[&OsStr]; 3] =
        [&[no_text], &["run".as_ref(), no_text], &["run".as_ref(), program.as_os_str()]];
    for words in words {
        let output = rejoin().args(words).current_dir(dir.path()).output().expect("rejoin starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
        assert!(!message.contains("Serde"), "{message}");
    }
}

#[test]
fn results_never_go_over_others() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "program.c", FINE);
    let program = program.to_str().expect("text");
    let full = dir.path().join("full");
    std::fs::create_dir(&full).expect("a directory");
    write(&full, "mine", "precious");
    assert!(
        refused(&["run", "--libc", "none", "--out", full.to_str().expect("text"), program]).contains("full")
    );
    assert_eq!(files(&full).len(), 1);
    let below_a_file = format!("{program}/out");
    refused(&["run", "--libc", "none", "--out", &below_a_file, program]);
}

// ---- output

#[test]
fn json_is_all_that_standard_output_holds() {
    let program = programs("semantics").join("libc-output.c");
    let run = Run::new(&["--json"], &program, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let printed: Json = serde_json::from_str(&run.stdout).expect("JSON and nothing else");
    assert_eq!(printed, run.summary());
    let tests = run.tests();
    assert_eq!(decoded(&tests[0]["stdout"]), "7 text 2.50 ff");
    assert_eq!(decoded(&tests[0]["stderr"]), "elsewhere");
    assert!(!run.stderr.contains("elsewhere"));
}

#[test]
fn quiet_is_quiet() {
    let run = Run::source(&["--quiet"], WRONG);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (1, "", ""));
}

#[test]
fn an_error_is_shown_with_its_source() {
    let run = Run::source(&[], WRONG);
    assert_eq!(run.stdout, "");
    for part in ["error[ptr]", "null pointer", "program.c:1", "int main(void) { int *p = 0; return *p; }"] {
        assert!(run.stderr.contains(part), "{part} is missing in\n{}", run.stderr);
    }
    assert!(!run.stderr.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn a_program_names_the_file_of_its_own_error() {
    let program =
        "#include <klee/klee.h>\nint main(void) { klee_report_error(\"f\", 1, \"own\", \"mine.err\"); }";
    let run = Run::source(&[], program);
    assert_eq!(run.summary()["errors"][0]["kind"], "report_error");
    assert!(run.read("tests/test000001.mine.err").contains("own"));
}

#[test]
fn all_files_are_there_and_well_formed() {
    let run = Run::source(&[], MIXED);
    assert_eq!(run.code, 1);
    let summary = run.summary();
    assert_eq!(summary["status"], "exhaustive");
    let tests = run.tests();
    assert_eq!(summary["tests"], tests.len());
    for t in &tests {
        let path = run.out().join(format!("tests/{}.ktest", text(&t["name"])));
        let ktest = KTest::from_bytes(&std::fs::read(path).expect("a test file")).expect("well-formed");
        assert_eq!(ktest.objects.len(), 2);
        let outcome = text(&t["outcome"]);
        if outcome != "exit" {
            let details = run.read(&format!("tests/{}.{outcome}.err", text(&t["name"])));
            assert!(details.contains("program.c"), "{details}");
        }
    }
    assert!(run.json("ledger.json").as_array().is_some_and(Vec::is_empty));
    assert_eq!(text(&run.json("run.json")["entry"]), "main");
    let coverage = run.read("coverage.info");
    assert!(
        coverage.contains("SF:")
            && coverage.contains("\nDA:")
            && coverage.trim_end().ends_with("end_of_record")
    );
    json_lines(&run.read("events.jsonl"));
    let _ = run.read("run.log");
    assert!(run.test_files().iter().all(|(name, _)| !name.contains("tmp")));
}

#[test]
fn warnings_of_the_harness_are_logged() {
    let run = Run::new(&["--libc", "none"], &programs("harness").join("questions.c"), &[]);
    assert!(run.read("run.log").contains("said"));
}

#[test]
fn ranges_and_what_is_ignored_are_logged() {
    let source = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    klee_assume((x > 2) & (x < 9) & (x != 4));
    klee_print_range("x", x);
    klee_print_range("five", 5);
    klee_open_merge();
    klee_close_merge();
    return 0;
}
"#;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let run = Run::new(&["--libc", "none"], &write(dir.path(), "program.c", source), &[]);
    let ignored = "klee_open_merge and klee_close_merge are ignored: --merge says where states merge";
    assert_eq!(run.read("run.log"), format!("x: [3, 8]\nfive: 5\n{ignored}\n"));
}

#[test]
fn tests_satisfy_what_the_program_prefers_as_far_as_they_can() {
    let source = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char x[2];
    klee_make_symbolic(x, sizeof x, "x");
    klee_prefer_cex(x, (x[0] >= 'a') & (x[0] <= 'z'));
    klee_prefer_cex(x, x[0] == 'A');
    klee_prefer_cex(x, x[1] == 7);
    klee_warning_once("preferred");
    if (x[1] == 9)
        return 1;
    if (x[0] < 'a')
        return 2;
    return 0;
}
"#;
    let run = Run::source(&[], source);
    for (name, bytes) in files(&run.out().join("tests")) {
        let x = KTest::from_bytes(&bytes).expect("a test").objects[0].bytes.clone();
        let (letter, number) = (x[0].is_ascii_lowercase() || x[0] == b'A', x[1] == 7 || x[1] == 9);
        assert!(letter && number, "{name}: {x:?}");
    }
    assert_eq!(run.summary()["tests"], 3);
    assert_eq!(run.read("run.log"), "preferred\n");
}

#[test]
fn errors_are_reported_once_per_place() {
    let source = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char a;
    int none = 0;
    klee_make_symbolic(&a, 1, "a");
    if (a == 1 || a == 2 || a == 3)
        none++;
    int *p = 0;
    return *p + none;
}
"#;
    let run = Run::source(&[], source);
    assert_eq!(run.errors(), [("ptr".to_owned(), 10)]);
    assert_eq!(run.summary()["tests"], 1);
    assert_eq!(run.summary()["paths_completed"], 4);
}

// ---- limits and signals

fn is_incomplete(run: &Run, reason: &str) {
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(run.summary()["status"], "incomplete");
    assert!(run.reasons().contains(reason), "{} lacks {reason}", run.reasons());
}

#[test]
fn limits_end_the_run_and_say_so() {
    let limits: &[(&[&str], &str)] = &[
        (&["--max-instructions", "5000"], "--max-instructions"),
        (&["--max-tests", "5"], "--max-tests"),
        (&["--max-depth", "3"], "--max-depth"),
        (&["--max-loop", "2"], "--max-loop"),
        (&["--max-time", "1s"], "--max-time"),
        (&["--max-memory", "1M"], "--max-memory"),
    ];
    for (flags, reason) in limits {
        let started = Instant::now();
        let run = Run::source(flags, ENDLESS);
        is_incomplete(&run, reason);
        assert!(started.elapsed() < Duration::from_secs(30), "{flags:?}");
    }
    assert_eq!(Run::source(&["--max-tests", "5"], ENDLESS).summary()["tests"], 5);
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let run = Run::source(&["--max-tests", "1000", "--max-depth", "100", "--max-time", "1h"], MIXED);
    assert_eq!(run.summary()["status"], "exhaustive");
}

#[test]
fn the_time_is_over_within_an_instruction_too() {
    let copies = r#"
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *p = malloc(2000000000);
    for (;;)
        memset(p, 7, 2000000000);
}
"#;
    is_incomplete(&Run::source(&["--max-time", "1s"], copies), "--max-time");
    is_incomplete(&Run::source(&["--max-time", "1s", "--solver-timeout", "1h"], HARD), "--max-time");
}

#[test]
fn an_endless_loop_without_forks_is_stopped() {
    let source = "int main(void) { for (volatile int i = 0;; i++) ; }\n";
    is_incomplete(&Run::source(&["--max-time", "1s"], source), "--max-time");
    is_incomplete(&Run::source(&["--max-instructions", "1000000"], source), "--max-instructions");
}

/// What was reached when the time is over gets a test if it soon comes to an end. This does not.
#[test]
fn a_state_without_end_is_given_up_when_the_time_is_over() {
    let source = r#"
#include <rejoin.h>
int main(void) {
    unsigned x, n = 0;
    rejoin_symbolic(&x, sizeof x, "x");
    for (unsigned a = x, i = 0;; i++) {
        a = a * 3 + (a >> 3);
        if (i % 1000 == 999) n++;
    }
}
"#;
    let run = Run::source(&["--max-time", "1s"], source);
    is_incomplete(&run, "--max-time");
    // Where time does not matter, it is given up after 20 million instructions.
    assert!(run.summary()["instructions"].as_u64() < Some(20_000_000));
}

/// Starts a run without end and waits for its first tests.
fn start_endless(dir: &Path) -> Child {
    let program = write(dir, "endless.c", ENDLESS);
    let child = rejoin()
        .args(["run", "--no-replay", "--quiet", "--libc", "none", "--out"])
        .arg(dir.join("out"))
        .arg(program)
        .stdout(Stdio::null())
        .spawn()
        .expect("rejoin starts");
    let started = Instant::now();
    let tests = || std::fs::read_to_string(dir.join("out/tests.jsonl")).unwrap_or_default();
    while tests().lines().count() < 20 {
        assert!(started.elapsed() < Duration::from_secs(60), "no tests come");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Every test that is listed is there, and every file is whole.
fn tests_are_whole(out: &Path) -> usize {
    let listed = std::fs::read_to_string(out.join("tests.jsonl")).expect("tests.jsonl");
    assert!(listed.ends_with('\n'), "the last line is torn");
    let tests = json_lines(&listed);
    for t in &tests {
        assert!(out.join(format!("tests/{}.ktest", text(&t["name"]))).is_file());
    }
    let ktests: Vec<_> =
        files(&out.join("tests")).into_iter().filter(|(name, _)| name.ends_with(".ktest")).collect();
    for (name, bytes) in &ktests {
        assert!(KTest::from_bytes(bytes).is_ok(), "{name} is torn");
    }
    assert!(ktests.len() >= tests.len());
    tests.len()
}

#[test]
fn being_killed_loses_no_test() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut child = start_endless(dir.path());
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(tests_are_whole(&dir.path().join("out")) >= 20);
}

/// The limit on the size of files stands for a full disk: a write fails in the middle of a line.
#[test]
fn a_full_disk_is_told_and_leaves_whole_files() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "endless.c", ENDLESS);
    let output = Command::new("bash")
        .args(["-c", r#"ulimit -f 40; exec "$@""#, "bash", env!("CARGO_BIN_EXE_rejoin")])
        .args(["run", "--no-replay", "--libc", "none", "--max-time", "60s", "--out"])
        .arg(dir.path().join("out"))
        .arg(program)
        .output()
        .expect("bash starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("tests.jsonl: File too large"), "{message}");
    assert!(message.contains("results in"), "what was found is still said: {message}");
    assert!(tests_are_whole(&dir.path().join("out")) >= 20);
    let summary = std::fs::read_to_string(dir.path().join("out/summary.json")).expect("a summary");
    assert!(summary.contains("File too large"), "{summary}");
}

/// A pipe that nobody reads.
fn nobody() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn a_reader_that_is_gone_costs_no_results() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "wrong.c", WRONG);
    let run = |out: &str, stdout: Stdio| {
        let out = dir.path().join(out);
        let status = rejoin()
            .args(["run", "--json", "--no-replay", "--libc", "none", "--out"])
            .args([&out, &program])
            .stdout(stdout)
            .stderr(nobody())
            .status();
        assert!(out.join("summary.json").exists());
        status.expect("rejoin starts").code()
    };
    assert_eq!(run("gone", nobody()), Some(1));
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    assert_eq!(run("full", full.into()), Some(2));
    let replay = rejoin().arg("replay").arg(dir.path().join("gone")).stdout(nobody()).status();
    assert_eq!(replay.expect("rejoin starts").code(), Some(0));
}

#[test]
fn a_second_interrupt_ends_the_run_at_once() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "hard.c", HARD);
    let child = rejoin()
        .args(["run", "--no-replay", "--quiet", "--libc", "none", "--solver-timeout", "1h", "--out"])
        .arg(dir.path().join("out"))
        .arg(program)
        .spawn();
    let mut child = child.expect("rejoin starts");
    while !dir.path().join("out/events.jsonl").exists() {
        assert_eq!(child.try_wait().expect("it runs"), None);
        std::thread::sleep(Duration::from_millis(20));
    }
    // Both signals wait for the stopped process, so that it has no time to end in order.
    for signal in ["-STOP", "-INT", "-TERM", "-CONT"] {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill starts").success());
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn an_interrupt_ends_the_run_in_order() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut child = start_endless(dir.path());
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(3));
    let out = dir.path().join("out");
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    let summary: Json = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["status"], "incomplete");
    assert!(summary["reasons"].to_string().contains("interrupted"));
    assert_eq!(summary["tests"], tests_are_whole(&out));
}

// ---- modes agree

#[test]
fn runs_repeat_exactly() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "program.c", MIXED);
    for search in ["dfs", "random-path"] {
        let flags = ["--libc", "none", "--seed", "7", "--search", search];
        let (a, b) = (Run::new(&flags, &program, &[]), Run::new(&flags, &program, &[]));
        assert_eq!(a.read("tests.jsonl"), b.read("tests.jsonl"), "{search}");
        assert_eq!(a.test_files(), b.test_files(), "{search}");
    }
}

#[test]
fn all_modes_find_the_same_outcomes() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "program.c", MIXED);
    let modes: &[&[&str]] = &[
        &[],
        &["--follow", "all"],
        &["--solver", "z3"],
        &["--validate"],
        &["--passes", "none"],
        &["--search", "bfs"],
        &["--search", "random-state", "--seed", "2"],
        &["--search", "random-path", "--seed", "3"],
        &["--search", "coverage"],
        &["--search", "dfs", "--search", "coverage", "--search", "random-path"],
    ];
    let outcomes = |flags: &[&str]| {
        let flags: Vec<&str> = ["--libc", "none", "--outcomes"].iter().chain(flags).copied().collect();
        let run = Run::new(&flags, &program, &[]);
        assert_eq!(run.code, 1, "{flags:?}: {}", run.stderr);
        assert_eq!(run.summary()["status"], "exhaustive", "{flags:?}: {}", run.reasons());
        run.json("outcomes.json")
    };
    let first = outcomes(modes[0]);
    let rows = first.as_array().expect("a list");
    let inputs: u64 = rows.iter().filter_map(|r| r["inputs"].as_u64()).sum();
    assert_eq!(inputs, 65_536, "every input ends in exactly one way");
    for mode in &modes[1..] {
        assert_eq!(outcomes(mode), first, "{mode:?}");
    }
}

/// Options that we do not have are the program's; behind `--` all are.
#[test]
fn arguments_are_handed_to_the_program() {
    let source = r#"
int main(int argc, char **argv) {
    int n = 0;
    for (int i = 1; i < argc; i++)
        for (char *p = argv[i]; *p; p++)
            n++;
    return n;
}
"#;
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = write(dir.path(), "program.c", source);
    for (args, length) in [(&["-x", "--their-own"][..], 13), (&["--", "--json", "--quiet"][..], 13), (&[], 0)]
    {
        let run = Run::new(&["--libc", "none"], &program, args);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{args:?}");
        assert_eq!(run.exits(), [length], "{args:?}");
    }
}

/// No answer in time is no answer: nothing may be reported that was not decided.
#[test]
fn a_solver_without_time_invents_nothing() {
    let run = Run::source(&["--solver-timeout", "1ms"], HARD);
    assert_eq!(run.errors(), []);
    is_incomplete(&run, "solver-timeout");
}

// ---- replay

#[test]
fn replay_sees_an_altered_prediction() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let source = r#"
#include <klee/klee.h>
int main(void) {
    unsigned char a;
    klee_make_symbolic(&a, 1, "a");
    if (a > 9)
        return 1;
    return 2;
}
"#;
    let program = write(dir.path(), "program.c", source);
    let run = Run::new(&["--libc", "none"], &program, &[]);
    let replay = || {
        let output =
            rejoin().args(["replay", "--unsafe-replay"]).arg(run.out()).output().expect("rejoin starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = replay();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 of 2 tests agree"), "{said}");
    let altered = run.read("tests.jsonl").replace("\"exit_code\":2", "\"exit_code\":5");
    write(&run.out(), "tests.jsonl", altered);
    let (code, said) = replay();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("1 of 2 tests agree"), "{said}");
}

/// While the input is read there is nothing to lose, so a signal ends the run.
#[test]
fn a_run_that_waits_for_its_input_can_be_ended() {
    let dir = tempfile::tempdir().expect("a folder");
    let fifo = dir.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let program = write(dir.path(), "a.c", FINE);
    let mut run = rejoin();
    run.args(["run", "--libc", "none", "--stdin"]).arg(&fifo).arg("--out").arg(dir.path().join("out"));
    let mut run = run.arg(&program).spawn().expect("rejoin starts");
    // The pipe can be opened for writing once somebody reads it; nothing is ever written.
    let mut writer = std::fs::OpenOptions::new();
    writer.write(true).custom_flags(O_NONBLOCK);
    let _pipe = loop {
        match writer.open(&fifo) {
            Ok(pipe) => break pipe,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
        assert!(run.try_wait().expect("a child").is_none(), "it does not wait");
    };
    let sent = Command::new("kill").args(["-TERM", &run.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    assert_eq!(run.wait().expect("it ends").code(), None, "ended by the signal");
}
