//! Real native replays of small programs with tests made by hand.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::Duration,
};

use rejoin_report::{
    Count, ErrorKind, KObject, KTest, NewTest, OutDir, Outcome, RunRecord, TestRecord,
    out_dir::Written,
    replay::{self, ReplayOptions, Replayer, Verdict, sandbox::Limits},
    test_record::checksum,
};

const CASES: &str = include_str!("programs/cases.c");

fn options() -> ReplayOptions {
    let limits = Limits { wall: Duration::from_secs(4), memory_bytes: 256 << 20, file_bytes: 1 << 20 };
    ReplayOptions { limits, unsafe_replay: true, ..ReplayOptions::default() }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn run_of(program: impl Into<PathBuf>) -> RunRecord {
    RunRecord {
        directory: programs(),
        program: program.into(),
        argv0: "cases".into(),
        args: vec!["word".into()],
        entry: "main".into(),
        ..RunRecord::default()
    }
}

static FROM_C: LazyLock<Replayer> = LazyLock::new(|| Replayer::new(run_of("cases.c"), options()).unwrap());

fn ktest(objects: &[(&str, &[u8])]) -> KTest {
    let objects = objects.iter().map(|(n, b)| KObject { name: n.to_string(), bytes: b.to_vec() });
    KTest { args: vec!["cases".into()], objects: objects.collect() }
}

fn input(which: u8, index: u8) -> KTest {
    ktest(&[("which", &[which]), ("index", &[index])])
}

fn check(replayer: &Replayer, test: &KTest, outcome: Outcome, stdout: &str) -> Verdict {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.ktest");
    fs::write(&path, test.to_bytes()).unwrap();
    let record = TestRecord {
        name: "t".into(),
        outcome,
        stdout: stdout.into(),
        stderr: vec![],
        multiplicity: Count::one(),
        ledger: vec![],
        input: checksum(&test.to_bytes()),
    };
    replayer.check(&record, &path)
}

fn line_of(source: &str, marker: &str) -> u32 {
    let marker = format!("/* @{marker} */");
    source.lines().position(|l| l.contains(&marker)).unwrap_or_else(|| panic!("no {marker}")) as u32 + 1
}

fn error_at(kind: ErrorKind, line: u32) -> Outcome {
    Outcome::Error { kind, file: "some/where/cases.c".into(), line, message: "m".into() }
}

/// The error is confirmed where it is, and contradicted when the line or the kind is altered.
fn assert_error(replayer: &Replayer, which: u8, index: u8, kind: ErrorKind, marker: &str) {
    let line = line_of(CASES, marker);
    let stdout = format!("case {which}\n");
    let test = input(which, index);
    let verdict = |outcome| check(replayer, &test, outcome, &stdout);
    assert_eq!(verdict(error_at(kind, line)), Verdict::Agree, "{kind} @{marker}");
    let wrong_kind = if kind == ErrorKind::Free { ErrorKind::Div } else { ErrorKind::Free };
    for altered in [error_at(wrong_kind, line), Outcome::Exit(0)] {
        let got = verdict(altered.clone());
        assert!(matches!(got, Verdict::Differ(_)), "{marker} as {altered:?}: {got}");
    }
}

fn assert_line_matters(which: u8, index: u8, kind: ErrorKind, marker: &str) {
    let wrong = error_at(kind, line_of(CASES, marker) + 1);
    let got = check(&FROM_C, &input(which, index), wrong, &format!("case {which}\n"));
    assert!(matches!(got, Verdict::Differ(_)), "{marker} on the next line: {got}");
}

#[test]
fn a_plain_end_is_compared_by_exit_code_and_output() {
    let verdict = |code, out| check(&FROM_C, &input(0, 7), Outcome::Exit(code), out);
    assert_eq!(verdict(7, "case 0\n"), Verdict::Agree);
    assert!(matches!(verdict(8, "case 0\n"), Verdict::Differ(_)));
    assert!(matches!(verdict(7, "case 1\n"), Verdict::Differ(_)));
    assert!(matches!(verdict(7, ""), Verdict::Differ(_)));
}

#[test]
fn memory_errors() {
    use ErrorKind::{Free, Ptr, ReadOnly};
    for (which, index, kind, marker) in [
        (1, 10, Ptr, "heap"),
        (1, 200, Ptr, "heap"),
        (2, 4, Ptr, "local"),
        (3, 0, Ptr, "null"),
        (4, 0, Ptr, "after-free"),
        (5, 0, Free, "double-free"),
        (6, 0, ReadOnly, "read-only"),
    ] {
        assert_error(&FROM_C, which, index, kind, marker);
        assert_line_matters(which, index, kind, marker);
    }
}

#[test]
fn arithmetic_errors() {
    use ErrorKind::{Div, Overflow, Overshift};
    for (which, index, kind, marker) in [(9, 0, Div, "div"), (10, 40, Overshift, "overshift")] {
        assert_error(&FROM_C, which, index, kind, marker);
        assert_line_matters(which, index, kind, marker);
    }
    // Signed overflow is an error only in programs that ask for the check: both predictions hold.
    let verdict = |outcome| check(&FROM_C, &input(11, 1), outcome, "case 11\n");
    assert_eq!(verdict(error_at(Overflow, line_of(CASES, "overflow"))), Verdict::Agree);
    assert_eq!(verdict(Outcome::Exit(0)), Verdict::Agree);
    assert_line_matters(11, 1, Overflow, "overflow");
}

#[test]
fn errors_the_program_itself_tells_of() {
    use ErrorKind::{Abort, Assert, ReportError, User};
    for (which, index, kind, marker) in [
        (7, 0, Abort, "abort"),
        (8, 3, Assert, "assert"),
        (12, 0, ReportError, "report"),
        (14, 3, Assert, "rejoin-assert"),
        (15, 0, Assert, "reach"),
        (16, 0, User, "assume"),
    ] {
        let line = line_of(CASES, marker);
        let verdict = |kind, line| check(&FROM_C, &input(which, index), error_at(kind, line), "");
        assert_eq!(verdict(kind, line), Verdict::Agree, "{marker}");
        assert!(matches!(verdict(ErrorKind::Ptr, line), Verdict::Differ(_)), "{marker}");
        // An assumption knows no line natively.
        if kind != User {
            assert!(matches!(verdict(kind, line + 1), Verdict::Differ(_)), "{marker} on the next line");
        }
    }
}

#[test]
fn stack_overflow_leak_and_uninitialised_memory() {
    assert_error(&FROM_C, 13, 0, ErrorKind::Stack, "stack");
    let verdict = |which, kind| check(&FROM_C, &input(which, 0), error_at(kind, 0), "");
    assert_eq!(verdict(19, ErrorKind::Leak), Verdict::Agree);
    assert_eq!(
        check(&FROM_C, &input(23, 0), error_at(ErrorKind::Uninit, line_of(CASES, "uninit")), ""),
        Verdict::Agree
    );
    assert!(matches!(verdict(0, ErrorKind::Uninit), Verdict::Differ(_)));
}

#[test]
fn inputs_are_taken_by_name_in_order_and_the_command_line_is_passed_on() {
    let objects: [(&str, &[u8]); 6] = [
        ("which", &[20]),
        ("unused", &[1]),
        ("index", &[0]),
        ("pick", &[4, 0, 0, 0]),
        ("__VERIFIER_nondet_int", &[10, 0, 0, 0]),
        ("pick", &[2, 0, 0, 0]),
    ];
    let verdict = check(&FROM_C, &ktest(&objects), Outcome::Exit(16), "case 20\n16 word\n");
    assert_eq!(verdict, Verdict::Agree);
    let verdict = check(&FROM_C, &ktest(&objects[..5]), Outcome::Exit(16), "case 20\n16 word\n");
    assert!(verdict.to_string().contains("no further input pick"), "{verdict}");
    let wrong_size: [(&str, &[u8]); 1] = [("which", &[20, 0])];
    let verdict = check(&FROM_C, &ktest(&wrong_size), Outcome::Exit(16), "");
    assert!(verdict.to_string().contains("another size for input which"), "{verdict}");
}

#[test]
fn an_exit_code_that_looks_like_a_signal_is_none_and_a_kill_is_no_exit() {
    assert_eq!(check(&FROM_C, &input(21, 0), Outcome::Exit(139), ""), Verdict::Agree);
    let killed = check(&FROM_C, &input(22, 0), Outcome::Exit(137), "");
    assert!(killed.to_string().contains("SIGKILL"), "{killed}");
}

#[test]
fn an_endless_loop_and_a_memory_hog_are_ended() {
    let endless = check(&FROM_C, &input(17, 0), Outcome::Exit(0), "");
    assert!(
        endless.to_string().contains("still running") || endless.to_string().contains("SIGXCPU"),
        "{endless}"
    );
    assert_eq!(check(&FROM_C, &input(18, 0), Outcome::Exit(33), "case 18\n"), Verdict::Agree);
}

#[test]
fn from_bitcode_too() {
    let dir = tempfile::tempdir().unwrap();
    let bitcode = dir.path().join("cases.bc");
    let status = Command::new("clang-22")
        .args(["-g", "-c", "-emit-llvm", "-I"])
        .arg(programs().join("../../../../runtime/include"))
        .arg(programs().join("cases.c"))
        .arg("-o")
        .arg(&bitcode)
        .status();
    assert!(status.unwrap().success());
    let replayer = Replayer::new(run_of(bitcode), options()).unwrap();
    assert_eq!(check(&replayer, &input(0, 7), Outcome::Exit(7), "case 0\n"), Verdict::Agree);
    assert_error(&replayer, 1, 10, ErrorKind::Ptr, "heap");
    assert_error(&replayer, 2, 4, ErrorKind::Ptr, "local");
    assert_error(&replayer, 9, 0, ErrorKind::Div, "div");
    assert_error(&replayer, 8, 1, ErrorKind::Assert, "assert");
    let overshift = check(&replayer, &input(10, 40), error_at(ErrorKind::Overshift, 1), "");
    assert!(matches!(overshift, Verdict::NotObservable(_)), "{overshift}");
}

#[test]
fn arguments_standard_input_and_files_come_from_the_test() {
    let run = RunRecord {
        argv0: "posix".into(),
        args: ["--sym-args", "1", "2", "3", "--sym-files", "1", "4", "--sym-stdin", "3"]
            .map(String::from)
            .into(),
        ..run_of("posix.c")
    };
    let replayer = Replayer::new(run, options()).unwrap();
    // A regular file that its owner may read and write.
    let mut stat = [0; 144];
    (stat[24], stat[25]) = (0x80, 0x81);
    let objects: [(&str, &[u8]); 6] = [
        ("n_args", &[2, 0, 0, 0]),
        ("arg00", b"ab\0"),
        ("arg01", b"\xff\0x"),
        ("A_data", b"file"),
        ("A_data_stat", &stat),
        ("stdin", b"in!"),
    ];
    let stdout = "posix\nab\n?\nstdin in!\nA file fd 3\n";
    assert_eq!(check(&replayer, &ktest(&objects), Outcome::Exit(0), stdout), Verdict::Agree);
}

#[test]
fn c_plus_plus_from_source_and_from_bitcode() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("thrower.ll");
    let status = Command::new("clang++-22")
        .args(["-g", "-S", "-emit-llvm", "-I"])
        .arg(programs().join("../../../../runtime/include"))
        .arg(programs().join("thrower.cc"))
        .arg("-o")
        .arg(&text)
        .status();
    assert!(status.unwrap().success());
    for program in [PathBuf::from("thrower.cc"), text] {
        let replayer = Replayer::new(run_of(program), options()).unwrap();
        let verdict = |x: u8, outcome, out| check(&replayer, &ktest(&[("x", &[x])]), outcome, out);
        assert_eq!(verdict(1, Outcome::Exit(3), "caught 1\n"), Verdict::Agree);
        let line = line_of(include_str!("programs/thrower.cc"), "uncaught");
        let uncaught =
            Outcome::Error { kind: ErrorKind::Abort, file: "thrower.cc".into(), line, message: "m".into() };
        assert_eq!(verdict(2, uncaught, ""), Verdict::Agree);
    }
}

#[test]
fn the_sandbox_holds() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("target");
    fs::write(&target, "before").unwrap();
    fs::set_permissions(&target, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let run =
        RunRecord { args: vec![target.to_str().unwrap().into(), port.to_string()], ..run_of("escape.c") };
    let options = ReplayOptions { unsafe_replay: false, ..options() };
    let replayer = match Replayer::new(run, options) {
        Ok(replayer) => replayer,
        Err(e) => {
            assert!(e.to_string().contains("--unsafe-replay"), "{e}");
            return;
        }
    };
    let verdict = check(&replayer, &ktest(&[]), Outcome::Exit(0), "");
    assert_eq!(verdict, Verdict::Agree, "each bit of the exit code is one way out");
    assert_eq!(fs::read_to_string(&target).unwrap(), "before");
    assert!(!Path::new("/tmp/rejoin-escape").exists());
}

#[test]
fn a_program_that_cannot_be_built_is_not_run() {
    let mut run = run_of("nothing.c");
    let missing = Replayer::new(run.clone(), options()).unwrap();
    let verdict = check(&missing, &ktest(&[]), Outcome::Exit(0), "");
    assert!(verdict.to_string().contains("nothing.c"), "{verdict}");
    run.program = "cases.c".into();
    run.entry = "divide".into();
    let other = Replayer::new(run, options()).unwrap();
    assert!(matches!(check(&other, &ktest(&[]), Outcome::Exit(0), ""), Verdict::NotRun(_)));
}

fn new_test(ktest: KTest, outcome: Outcome, stdout: &str) -> NewTest {
    NewTest {
        ktest,
        outcome,
        stdout: stdout.into(),
        stderr: vec![],
        multiplicity: Count::one(),
        ledger: vec![],
        bug: None,
    }
}

#[test]
fn a_whole_directory_and_what_tampering_does_to_it() {
    let base = tempfile::tempdir().unwrap();
    let mut out = OutDir::create(base.path(), None).unwrap();
    out.write_run(&run_of("cases.c")).unwrap();
    out.add_test(&new_test(input(0, 7), Outcome::Exit(7), "case 0\n")).unwrap();
    let null = error_at(ErrorKind::Ptr, line_of(CASES, "null"));
    out.add_test(&new_test(input(3, 0), null, "case 3\n")).unwrap();
    let codes = |paths: &[PathBuf]| {
        let checked = replay::replay(paths, &options(), |_| {}).unwrap();
        replay::exit_code(checked.iter().map(|c| &c.verdict))
    };
    let dir = out.path().to_owned();
    let second = dir.join("tests/test000002.ktest");
    assert_eq!(codes(std::slice::from_ref(&dir)), 0);
    assert_eq!(codes(&[second.clone(), dir.join("tests/test000001.ktest")]), 0);

    let lines = dir.join("tests.jsonl");
    let honest = fs::read_to_string(&lines).unwrap();
    for (from, to) in
        [("\"exit_code\":7", "\"exit_code\":8"), ("\"ptr\"", "\"div\""), ("Y2FzZSAwCg==", "YQ==")]
    {
        assert!(honest.contains(from));
        fs::write(&lines, honest.replace(from, to)).unwrap();
        assert_eq!(codes(std::slice::from_ref(&dir)), 1, "{from} altered to {to}");
    }
    fs::write(&lines, &honest).unwrap();
    let mut bytes = fs::read(&second).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&second, bytes).unwrap();
    assert_eq!(codes(&[second]), 1, "a byte that does not matter to the outcome was altered");
    assert!(Written::open(&dir).tests().unwrap().len() == 2);
}

#[test]
fn what_is_no_test_is_refused() {
    let base = tempfile::tempdir().unwrap();
    let stray = base.path().join("stray.ktest");
    fs::write(&stray, ktest(&[]).to_bytes()).unwrap();
    for path in [base.path().join("missing"), stray, base.path().to_owned()] {
        let refused = replay::replay(std::slice::from_ref(&path), &options(), |_| {});
        assert!(refused.is_err(), "{}", path.display());
    }
}
