//! Programs and the world around them: system calls, symbolic arguments, files and streams, and that
//! native replay agrees with what was predicted.

mod common;

use common::{Run, decoded, programs, rejoin, text, write};
use rejoin_report::KTest;
use std::collections::BTreeSet;

/// Replays all tests of a run; what it says.
fn replay(run: &Run) -> (i32, String) {
    let output = rejoin()
        .args(["replay", "--unsafe-replay", "--quiet"])
        .arg(run.out())
        .output()
        .expect("rejoin starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap_or(-1), said + &String::from_utf8_lossy(&output.stderr))
}

fn ktests(run: &Run) -> Vec<KTest> {
    let names = run.tests();
    let names = names.iter().map(|t| run.out().join("tests").join(text(&t["name"]) + ".ktest"));
    names.map(|path| KTest::from_bytes(&std::fs::read(path).expect("a test")).expect("a test")).collect()
}

#[test]
fn symbolic_bytes_pass_through_files_pipes_and_streams() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let stdin = write(dir.path(), "stdin", "one\ntwo\n");
    for merge in ["none", "ssm"] {
        let flags = ["--merge", merge, "--stdin", stdin.to_str().expect("text")];
        let run = Run::new(&flags, &programs("world").join("calls.c"), &["a", "b c"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.exits().iter().all(|code| [10, 11].contains(code)), "{:?}", run.exits());
        for test in run.tests() {
            let stdout = decoded(&test["stdout"]);
            let expected = "x\n/tmp/scratch 4 3 /usr/bin:/bin\none\ntwo\n";
            assert!(stdout.starts_with(expected), "{merge}: {stdout:?}");
        }
        assert_eq!(replay(&run).0, 0, "{}", replay(&run).1);
    }
}

#[test]
fn arguments_files_and_standard_input_are_symbolic() {
    let args = ["--sym-args", "0", "1", "1", "--sym-files", "1", "2", "--sym-stdin", "1"];
    let mut classes = Vec::new();
    for merge in ["none", "ssm"] {
        let run = Run::new(&["--merge", merge], &programs("world").join("inputs.c"), &args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let found: BTreeSet<(u64, String)> = run
            .tests()
            .iter()
            .map(|t| (t["exit_code"].as_u64().unwrap_or(99), decoded(&t["stdout"])))
            .collect();
        classes.push(found);
        for test in ktests(&run) {
            let names: Vec<&str> = test.objects.iter().map(|o| o.name.as_str()).collect();
            let rest = ["A_data", "A_data_stat", "stdin", "stdin_stat", "model_version"];
            let count = test.object("n_args").expect("n_args")[0];
            let expected: Vec<&str> =
                ["n_args", "arg00"][..1 + usize::from(count)].iter().chain(&rest).copied().collect();
            assert_eq!(names, expected);
            assert_eq!(test.object("A_data_stat").map(<[u8]>::len), Some(144));
        }
        let (code, said) = replay(&run);
        assert_eq!(code, 0, "{said}");
    }
    let told = |text: &str| classes[0].iter().any(|c| c.1.starts_with(text));
    for expected in ["error 2\n", "error 13\n", "file old\nx\n", "file executable\n", "directory\n"] {
        assert!(told(expected), "{expected:?} is not among {:?}", classes[0]);
    }
    // A merged test stands for several: none of its own may be new.
    assert!(classes[1].is_subset(&classes[0]), "{:?}", classes[1]);
}

/// Where the program may read, it is where its user is.
#[test]
fn relative_names_are_found_where_the_program_may_read() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(dir.path().join("below")).expect("a directory");
    let text = r#"
        #include <stdio.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
            char line[8] = "", where[4096];
            FILE *f = fopen(argv[1], "r");
            puts(f && fgets(line, sizeof line, f) ? line : "none");
            puts(getcwd(where, sizeof where));
            return argv[2][0] == 'x';
        }"#;
    write(dir.path(), "program.c", text);
    write(dir.path(), "x.txt", "text");
    let place = dir.path().canonicalize().expect("a directory").join("below");
    for (flags, more, line, place) in [
        (&["--allow-read", ".."][..], &[][..], "text", place.to_str().expect("text")),
        (&[], &[], "none", "/tmp/scratch"),
        (&["--allow-read", ".."], &["--sym-files", "1", "1"], "none", "/tmp/scratch"),
    ] {
        let out = tempfile::tempdir().expect("a temporary directory");
        let output = rejoin()
            .current_dir(dir.path().join("below"))
            .args(["run", "--no-replay", "--out"])
            .arg(out.path().join("out"))
            .args(flags)
            .args(["../program.c", "../x.txt", "--sym-arg", "1"])
            .args(more)
            .output()
            .expect("rejoin starts");
        let run = Run::ended(output, out);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.exits(), [0, 1], "{flags:?}");
        for test in run.tests() {
            assert_eq!(decoded(&test["stdout"]), format!("{line}\n{place}\n"));
        }
        // A scratch directory is elsewhere without a sandbox.
        if line == "text" {
            assert_eq!(replay(&run).0, 0, "{}", replay(&run).1);
        }
    }
}

#[test]
fn symbolic_words_that_make_no_sense_are_refused() {
    let program = programs("world").join("inputs.c");
    let run = Run::new(&[], &program, &["--sym-args", "2", "1", "4"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("above the greatest"), "{}", run.stderr);
    let run = Run::new(&["--allow-read", "/nowhere"], &program, &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("/nowhere"), "{}", run.stderr);
}
