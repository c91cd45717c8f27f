//! Bitcode that was compiled elsewhere, against the machine's own C library: it prints what it
//! prints natively.

mod common;

use common::{Run, decoded, programs, text};
use std::path::Path;
use std::process::{Command, Output};

const FLAGS: [&str; 4] = ["-O1", "-D_FORTIFY_SOURCE=2", "-w", "-std=gnu17"];

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let status =
        Command::new("clang-22").args(FLAGS).args(arguments).arg(source).arg("-o").arg(output).status();
    assert!(status.is_ok_and(|s| s.success()), "{}", source.display());
}

/// The native execution, and the run of the bitcode.
fn both(name: &str) -> (Output, Run) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let source = programs("glibc").join(name);
    let (native, bitcode) = (dir.path().join("native"), dir.path().join("program.bc"));
    clang(&["-lm"], &source, &native);
    clang(&["-emit-llvm", "-c"], &source, &bitcode);
    let output = Command::new("./native").current_dir(dir.path()).output().expect("it starts");
    (output, Run::new(&[], &bitcode, &[]))
}

#[track_caller]
fn same(name: &str) {
    let (native, run) = both(name);
    let tests = run.tests();
    assert_eq!(tests.len(), 1, "{name}: {}", run.stderr);
    assert_eq!(run.code, 0, "{name}: {}", run.read("ledger.json"));
    assert_eq!(decoded(&tests[0]["stdout"]), String::from_utf8_lossy(&native.stdout), "{name}");
    assert_eq!(tests[0]["exit_code"].as_i64(), native.status.code().map(i64::from), "{name}");
}

#[test]
fn names_that_musl_lacks_are_there() {
    same("fortified.c");
}

#[test]
fn the_library_prints_scans_sorts_jumps_and_matches_alike() {
    same("library.c");
}

#[test]
fn obstacks_are_laid_out_as_glibcs_macros_say() {
    same("obstack.c");
}

#[test]
fn a_fortified_overflow_aborts() {
    let (native, run) = both("overflow.c");
    assert!(String::from_utf8_lossy(&native.stderr).contains("buffer overflow detected"));
    let summary = run.summary();
    assert_eq!(text(&summary["errors"][0]["kind"]), "abort", "{summary}");
    assert!(decoded(&run.tests()[0]["stderr"]).contains("buffer overflow detected"));
}
