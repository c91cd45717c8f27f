//! `rejoin cc`: a small project with an archive, built as makefiles build, and what comes of it.

mod common;

use common::{Run, decoded, rejoin, write};
use std::path::Path;
use std::process::{Command, Output};

const MAIN: &str = r#"
#include <stdio.h>
#include "shape.h"
int main(int argc, char **argv) {
    printf("%d %s\n", area(argc, 3), name());
    return argc;
}
"#;
const HEADER: &str = "int area(int, int);\nconst char *name(void);\n";
const AREA: &str = "#include \"shape.h\"\nint area(int a, int b) { return a * b; }\n";
const NAME: &str = "#include \"shape.h\"\nconst char *name(void) { return NAME; }\n";
/// A member that nobody needs: it must stay out, as its `area` would clash.
const OTHER: &str = "int area(int a, int b) { return a + b; }\nint other(void) { return 1; }\n";

/// Runs `rejoin cc` in a directory, which must succeed.
fn cc(dir: &Path, line: &str) -> Output {
    let output = cc_any(dir, line);
    assert!(output.status.success(), "cc {line}:\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn cc_any(dir: &Path, line: &str) -> Output {
    rejoin().arg("cc").args(line.split_whitespace()).current_dir(dir).output().expect("rejoin starts")
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let files =
        [("main.c", MAIN), ("shape.h", HEADER), ("area.c", AREA), ("name.c", NAME), ("other.c", OTHER)];
    for (name, content) in files {
        write(dir.path(), name, content);
    }
    dir
}

fn tool(dir: &Path, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let status = Command::new(words[0]).args(&words[1..]).current_dir(dir).status();
    assert!(status.is_ok_and(|s| s.success()), "{line}");
}

/// Exit code and output of the executable, and of a run of its bitcode, must be these.
#[track_caller]
fn expect(dir: &Path, program: &str, args: &[&str], code: i32, stdout: &str) {
    let native = Command::new(dir.join(program)).args(args).output().expect("the program starts");
    assert_eq!(native.status.code(), Some(code));
    assert_eq!(String::from_utf8_lossy(&native.stdout), stdout);
    for input in [format!("{program}.bc"), program.to_owned()] {
        let run = Run::new(&[], &dir.join(&input), args);
        assert_eq!(run.code, 0, "{input}: {}", run.stderr);
        let tests = run.tests();
        assert_eq!(tests.len(), 1);
        assert_eq!(tests[0]["exit_code"], code);
        assert_eq!(decoded(&tests[0]["stdout"]), stdout);
    }
}

#[test]
fn an_archive_gives_the_members_that_the_linker_takes() {
    let dir = project();
    let dir = dir.path();
    cc(dir, "-O2 -Wall -MD -c main.c");
    assert!(dir.join("main.d").is_file());
    cc(dir, "-c area.c -o area.o");
    cc(dir, "-DNAME=\"box\" -c name.c");
    cc(dir, "-c other.c");
    tool(dir, "ar rc libshape.a area.o name.o other.o");
    tool(dir, "ranlib libshape.a");
    write(dir, "objects", "main.o\n-L. -lshape -lm");
    cc(dir, "-o shape @objects");
    expect(dir, "shape", &["x"], 2, "6 box\n");
}

#[test]
fn sources_are_compiled_and_linked_at_once() {
    let dir = project();
    let dir = dir.path();
    cc(dir, "-g -O3 -pthread -static main.c area.c name.c -DNAME=\"once\"");
    expect(dir, "a.out", &[], 1, "3 once\n");
}

#[test]
fn relocatable_and_shared_objects_carry_their_bitcode() {
    let dir = project();
    let dir = dir.path();
    cc(dir, "-c area.c");
    cc(dir, "-DNAME=\"r\" -c name.c");
    tool(dir, "ld -r area.o name.o -o both.o");
    cc(dir, "main.c both.o -o plain");
    expect(dir, "plain", &[], 1, "3 r\n");
    cc(dir, "-shared -fPIC -Wl,-soname,libboth.so.1 -o libboth.so area.o name.o -lm");
    cc(dir, "main.c -L. -lboth -Wl,-rpath,/nowhere -o shared");
    expect(dir, "shared", &["a", "b"], 3, "9 r\n");
}

#[test]
fn assembly_is_linked_and_missed_in_the_bitcode() {
    let dir = project();
    let dir = dir.path();
    write(
        dir,
        "area.s",
        ".globl area\narea: mov %edi, %eax\n imul %esi, %eax\n ret\n.section .note.GNU-stack\n",
    );
    cc(dir, "-c area.s");
    let output = cc(dir, "-DNAME=\"s\" main.c name.c area.o -o mixed");
    assert!(String::from_utf8_lossy(&output.stderr).contains("area.o has no bitcode"));
    let run = Run::new(&[], &dir.join("mixed.bc"), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.reasons().contains("area"), "{}", run.reasons());
}

#[test]
fn questions_are_answered_by_clang_for_our_library() {
    let dir = project();
    let dir = dir.path();
    let preprocessed = cc(dir, "-E main.c");
    assert!(String::from_utf8_lossy(&preprocessed.stdout).contains("musl"));
    assert!(String::from_utf8_lossy(&cc(dir, "-M main.c").stdout).contains("shape.h"));
    assert!(String::from_utf8_lossy(&cc(dir, "-dumpmachine").stdout).contains("musl"));
    assert!(String::from_utf8_lossy(&cc(dir, "--version").stdout).contains("clang"));
    cc(dir, "-S -o area.s area.c");
    cc(dir, "-DNAME=\"S\" main.c area.s name.c -o fromtext");
    expect(dir, "fromtext", &[], 1, "3 S\n");
}

#[test]
fn cxx_without_its_library() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    write(
        dir.path(),
        "a.cc",
        "struct S { int n; S(); ~S(); };\nextern \"C\" int puts(const char *);\nS::S() : n(4) { puts(\"in\"); }\n\
         S::~S() { puts(\"out\"); }\nint f() { static S s; int *p = new int(s.n); int r = *p; delete p; return r; }\n\
         int main() { return f() + f(); }\n",
    );
    let output =
        rejoin().args(["c++", "-fno-exceptions", "a.cc", "-o", "a"]).current_dir(dir.path()).output();
    let output = output.expect("rejoin starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    expect(dir.path(), "a", &[], 8, "in\nout\n");
}

#[test]
fn failures_are_a_compilers_failures() {
    let dir = project();
    let dir = dir.path();
    write(dir, "wrong.c", "int main(void) { return x; }\n");
    for line in ["wrong.c", "-c wrong.c", "nothing.c", "main.c -o m", "main.c nothing.o", "-o", ""] {
        let output = cc_any(dir, line);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{line}: {:?}", output.status);
        assert!(!output.stderr.is_empty(), "{line}");
    }
    assert!(!dir.join("m.bc").exists());
    let output = rejoin().args(["cc", "main.c"]).env("REJOIN_DEPS", dir).current_dir(dir).output();
    let output = output.expect("rejoin starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("scripts/install.sh"));
}

/// As a configure script asks: what links, it takes for usable, but these are in no header of musl.
#[test]
fn functions_that_only_glibc_has_do_not_link() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for name in ["renameat2", "error", "rawmemchr", "obstack_free", "__printf_chk"] {
        write(dir.path(), "asks.c", format!("char {name}();\nint main(void) {{ return {name}(); }}\n"));
        assert!(!cc_any(dir.path(), "asks.c -o asks").status.success(), "{name}");
    }
}

/// What replay needs is in every executable, and must not show where nothing is replayed.
#[test]
fn an_executable_has_its_environment_and_its_time() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let text = r#"
        #include <assert.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <time.h>
        int main(int argc, char **argv) {
            struct timespec pause = {0, 20000000}, before, after;
            assert(argc > 0);
            clock_gettime(CLOCK_MONOTONIC, &before);
            nanosleep(&pause, 0);
            clock_gettime(CLOCK_MONOTONIC, &after);
            long passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
            printf("%s %d\n", getenv("COLOUR"), passed >= 20000000);
            return 0;
        }"#;
    write(dir.path(), "main.c", text);
    cc(dir.path(), "main.c -o main");
    let output = Command::new(dir.path().join("main")).env("COLOUR", "red").output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "red 1\n");
}
