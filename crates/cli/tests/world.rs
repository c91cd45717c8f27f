//! Programs and the world around them: system calls, symbolic arguments, files and streams, and that
//! native replay agrees with what was predicted.

mod common;

use common::{Run, decoded, programs, rejoin, text, write};
use rejoin_report::KTest;
use std::collections::BTreeSet;

/// All ways to merge: what states did to files, descriptors and outputs must merge exactly in each.
const MODES: [&str; 6] = ["none", "ssm", "dsm", "loops", "pattern", "summaries"];

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
    for merge in MODES {
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
fn replay_has_temporary_files_and_random_bytes_as_the_model_does() {
    for program in ["temporary.c", "random.c"] {
        let run = Run::new(&[], &programs("world").join(program), &["--sym-arg", "2"]);
        assert_eq!((run.code, run.exits()), (0, vec![0]), "{program}: {}", run.stderr);
        let (code, said) = replay(&run);
        assert_eq!(code, 0, "{program}: {said}");
    }
}

#[test]
fn a_negative_length_among_symbolic_ones_is_the_kernels_to_answer() {
    for merge in MODES {
        let run = Run::new(&["--merge", merge], &programs("world").join("writev.c"), &["--sym-arg", "1"]);
        assert_eq!(run.code, 0, "{merge}: {}", run.stderr);
        assert_eq!(run.exits(), [1, 2], "{merge}");
        assert_eq!(replay(&run).0, 0, "{}", replay(&run).1);
    }
}

#[test]
fn arguments_files_and_standard_input_are_symbolic() {
    let args = ["--sym-args", "0", "1", "1", "--sym-files", "1", "2", "--sym-stdin", "1"];
    let mut classes = Vec::new();
    for merge in MODES {
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
    for merged in &classes[1..] {
        assert!(merged.is_subset(&classes[0]), "{merged:?}");
    }
}

/// With `--sym-file-sizes` a file may be shorter, down to empty, and so may standard input. Without, both have the size
/// that was given.
#[test]
fn files_may_be_shorter_where_their_sizes_are_symbolic() {
    let (program, args) = (programs("world").join("short.c"), ["--sym-files", "1", "3", "--sym-stdin", "2"]);
    let found = |run: &Run| -> Vec<(u64, String)> {
        let class = |t: &serde_json::Value| (t["exit_code"].as_u64().unwrap_or(99), decoded(&t["stdout"]));
        let mut all: Vec<_> = run.tests().iter().map(class).collect();
        all.sort();
        all
    };
    let fixed = Run::new(&[], &program, &args);
    assert_eq!(fixed.code, 0, "{}", fixed.stderr);
    assert!(found(&fixed).iter().all(|c| c.0 == 9 || c.1.starts_with("large\n")), "{:?}", found(&fixed));
    let args = [&args[..], &["--sym-file-sizes"]].concat();
    let plain = Run::new(&[], &program, &args);
    for text in ["empty\n", "no newline at the end\n", "", "large\n", "large\nno newline at the end\n"] {
        for lines in 0..3 {
            assert!(
                found(&plain).contains(&(lines, text.to_owned())),
                "{lines} {text:?}: {:?}",
                found(&plain)
            );
        }
    }
    for merge in MODES {
        let run = Run::new(&["--tests", "per-path", "--merge", merge], &program, &args);
        assert_eq!((run.code, run.errors()), (0, vec![]), "{}", run.stderr);
        assert_eq!(found(&run), found(&plain), "{merge}");
        for test in ktests(&run) {
            let stat = |name| {
                test.object(name).map(|s| u64::from_le_bytes(s[48..56].try_into().expect("eight bytes")))
            };
            assert!(
                stat("A_data_stat").is_some_and(|n| n <= 3) && stat("stdin_stat").is_some_and(|n| n <= 2)
            );
            assert_eq!(test.object("A_data").map(<[u8]>::len), Some(3));
        }
        let (code, said) = replay(&run);
        assert_eq!(code, 0, "{said}");
    }
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
            if (argv[2][0] == 'x')
                return 1;
            return 0;
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

/// What a program uses is a matter of the machine; in replay it is what it was in the engine.
#[test]
fn replay_uses_as_much_time_and_memory_as_was_predicted() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = r#"
        #include <stdio.h>
        #include <sys/resource.h>
        #include <sys/times.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
            struct rusage own, children;
            struct tms used;
            sleep(argv[1][0] == 'x' ? 7 : 2);
            getrusage(RUSAGE_SELF, &own);
            getrusage(RUSAGE_CHILDREN, &children);
            long ticks = times(&used);
            printf("%ld KB, %ld.%06ld s, %ld s, ", own.ru_maxrss, (long)own.ru_utime.tv_sec,
                   (long)own.ru_utime.tv_usec, (long)children.ru_utime.tv_sec);
            printf("%ld of %ld ticks, %d\n", (long)used.tms_utime, ticks, getrusage(9, &own));
            return 0;
        }"#;
    let program = write(dir.path(), "program.c", text);
    let run = Run::new(&[], &program, &["--sym-arg", "1"]);
    assert_eq!(run.tests().len(), 2, "{}", run.stderr);
    let (code, said) = replay(&run);
    assert_eq!(code, 0, "{said}");
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
    for (name, why) in [("/dev/zero", "more than 64 MiB"), ("/", "directory"), ("/nowhere", "No such file")] {
        let run = Run::new(&["--stdin", name], &program, &[]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

/// Functions that are nowhere end the paths that call them; the others are explored, and it says which.
#[test]
fn functions_that_are_nowhere_are_named() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text =
        "int missing(void); int main(int c, char **v) { if (v[1][0] == 'x') return missing(); return 7; }";
    let program = write(dir.path(), "program.c", text);
    let run = Run::new(&[], &program, &["--sym-arg", "1"]);
    assert_eq!((run.code, run.exits()), (3, vec![7]), "{}", run.stderr);
    assert!(run.stderr.contains("missing"), "{}", run.stderr);
}

/// Breadth first, this program reaches no end before memory is full. What was reached gets tests anyway.
#[test]
fn what_was_reached_has_tests_when_the_run_is_stopped() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = r#"
        #include <stdio.h>
        int main(void) {
            int odd = 0;
            char bytes[64];
            fread(bytes, 64, 1, stdin);
            if (bytes[0] == '7')
                puts("seven");
            for (int i = 0; i < 64; i++)
                if (bytes[i] & 1)
                    odd++;
            return odd > 32;
        }"#;
    let program = write(dir.path(), "program.c", text);
    let run = Run::new(&["--search", "bfs", "--max-memory", "256M"], &program, &["--sym-stdin", "64"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(run.summary()["paths_completed"], 0);
    let seven = |t: &serde_json::Value| decoded(&t["stdout"]) == "seven\n";
    let tests = run.tests();
    assert!(tests.iter().any(seven) && !tests.iter().all(seven), "{tests:?}");
    assert!(tests.iter().all(|t| t["outcome"] == "exit"), "{tests:?}");
    assert_eq!(replay(&run).0, 0, "{}", replay(&run).1);
}

#[test]
fn tests_that_cover_nothing_new_can_be_left_out() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = r#"
        #include <unistd.h>
        int main(void) {
            char input[4];
            int n = 0;
            read(0, input, 4);
            for (int i = 0; i < 4; i++)
                if (input[i] == 'x')
                    n++;
            if (n > 2)
                return 1;
            return 0;
        }"#;
    let program = write(dir.path(), "program.c", text);
    let all = Run::new(&[], &program, &["--sym-stdin", "4"]);
    let new = Run::new(&["--tests", "covering-new"], &program, &["--sym-stdin", "4"]);
    assert_eq!((all.tests().len(), all.exits()), (16, vec![0, 1]));
    assert_eq!(new.exits(), [0, 1]);
    assert!(new.tests().len() <= 4, "{:?}", new.tests());
    assert_eq!(new.summary()["paths_completed"], 16);
}
