//! Compiling, linking, passes, entries, and the errors of all of them.

mod common;

use common::{count, folder, function, here, load_text, text_of, verified};
use rejoin_bitcode::{Error, LibcDir, Options, Passes, load};
use rejoin_ir::{DebugVarPlace, Inst};
use std::path::PathBuf;

fn harness(program: &str) -> Options {
    Options { inputs: vec![here(program)], include_dirs: vec![here("include")], ..Options::default() }
}

/// Every branch of the source is still a branch, and none became a select.
#[test]
fn the_default_passes_merge_no_paths() {
    for (program, branches) in [("echo", 9), ("expr", 31), ("json", 49)] {
        let module = verified(load(&harness(&format!("../../../bench/programs/{program}.c"))));
        assert_eq!(count(&module, |i| matches!(i, Inst::Branch { .. })), branches, "{program}");
        assert_eq!(count(&module, |i| matches!(i, Inst::Select { .. })), 0, "{program}");
    }
}

#[test]
fn all_programs_lower_without_gaps_in_every_mode() {
    for program in ["bubble", "echo", "expr", "json", "lcg", "memspn", "sha256"] {
        for passes in [Passes::Default, Passes::None, Passes::List("sroa,simplifycfg".to_owned())] {
            for level in ["-O0", "-O2"] {
                let mut options = harness(&format!("../../../bench/programs/{program}.c"));
                options.cflags = vec![level.to_owned()];
                options.passes = passes.clone();
                let module = verified(load(&options));
                assert_eq!(count(&module, |i| matches!(i, Inst::Unsupported { .. })), 0, "{program}");
            }
        }
    }
}

/// Errors that the usual passes would remove.
#[test]
fn the_default_passes_hide_no_error() {
    let text = "
        int sink;
        int division(int c) { int x; if (c > 3) x = 0; else x = 5; return 10 / x; }
        void null(int c) { int *p; if (c > 3) p = 0; else p = &sink; *p = 1; }
        void outside(void) { int a[4]; a[0] = 1; a[5] = 2; }
        void unused(int c) { int a[4]; int y = a[c]; int z = 1 / c; }
        int choice(int c) { switch (c) { case 1: return 5; case 2: return 7; default: return 9; } }
        int main(void) { return 0; }";
    let module = verified(load_text("errors.c", text, &Options::default()));
    let has = |name, what: &str| text_of(&module, name).iter().any(|line| line.contains(what));
    assert!(has("division", "branch") && has("division", "sdiv"));
    assert!(has("null", "branch") && has("null", "store i32 1, %"));
    assert_eq!(text_of(&module, "outside").iter().filter(|l| l.starts_with("store")).count(), 2);
    assert!(has("unused", "load i32") && has("unused", "sdiv"));
    assert!(has("choice", "switch") && !has("choice", "select"));
}

#[test]
fn scalars_are_registers_by_default_and_memory_without_passes() {
    let text = "int main(int n, char **v) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }";
    let by_default = verified(load_text("sum.c", text, &Options::default()));
    assert_eq!(count(&by_default, |i| matches!(i, Inst::Alloca { .. })), 0);
    let plain = Options { passes: Passes::None, ..Options::default() };
    let as_it_is = verified(load_text("sum.c", text, &plain));
    assert!(count(&as_it_is, |i| matches!(i, Inst::Alloca { .. })) >= 4);
}

#[test]
fn locations_and_variables_come_from_the_source() {
    let text = "int main(int argc, char **argv) {\n  int a[2] = {1, 2};\n  int total = argc + 1;\n  return total / a[argc];\n}\n";
    let dir = folder(&[("vars.c", text.as_bytes())]);
    let path = dir.path().join("vars.c");
    let module = verified(load(&Options { inputs: vec![path.clone()], ..Options::default() }));
    let main = function(&module, "main");
    let division = main.insts.iter().position(is_division).expect("a division");
    let (file, loc) = module.place(main.locs[division]).expect("a location");
    assert_eq!((file, loc.line, loc.col), (path.to_str().expect("UTF-8"), 4, 16));
    let vars: Vec<_> =
        main.debug_vars.iter().map(|v| (module.texts[v.name.index()].as_str(), v.line, v.place)).collect();
    assert!(vars.iter().any(|v| v.0 == "argc" && matches!(v.2, DebugVarPlace::Value(r) if r.0 == 0)));
    assert!(vars.iter().any(|v| (v.0, v.1) == ("total", 3) && matches!(v.2, DebugVarPlace::Value(_))));
    assert!(vars.iter().any(|v| (v.0, v.1) == ("a", 2) && matches!(v.2, DebugVarPlace::Object(_))));
    assert_eq!(module.place(main.loc).map(|p| p.1.line), Some(1));
}

fn is_division(inst: &Inst) -> bool {
    matches!(inst, Inst::Bin { op: rejoin_ir::BinOp::SDiv, .. })
}

#[test]
fn several_files_are_linked() {
    let dir = folder(&[
        (
            "a.c",
            b"int helper(int); static int same(void) { return 1; } int main(void) { return helper(same()); }",
        ),
        ("b.c", b"static int same(void) { return 2; } int helper(int x) { return x + same(); }"),
        ("c.ll", b"define i32 @third() { ret i32 3 }"),
    ]);
    let inputs = ["a.c", "b.c", "c.ll"].map(|n| dir.path().join(n)).to_vec();
    let module = verified(load(&Options { inputs, ..Options::default() }));
    for name in ["main", "helper", "third", "same"] {
        assert!(!function(&module, name).is_declaration());
    }
}

/// A library for the tests: one function that the program defines too, one that it needs, one that
/// nobody needs, and the allocator that the engine provides.
const LIBRARY: &str = "
    int shared(void) { return 1; }
    int needed(void) { return shared(); }
    int unneeded(void) { return 3; }
    int wanted(void) { return 4; }
    void *malloc(unsigned long n) { return (void *)n; }
    void *duplicate(void) { return malloc(3); }";

#[test]
fn the_library_gives_what_is_needed_and_the_program_wins() {
    let dir = folder(&[
        ("lib.c", LIBRARY.as_bytes()),
        ("a.c", b"#include <here.h>\nint shared(void) { return 2; } int kept(void) { return 5; } int main(void) { duplicate(); return needed(); }"),
        ("here.h", b"int needed(void); void *duplicate(void);"),
    ]);
    let options = Options {
        inputs: vec![dir.path().join("a.c")],
        libc: Some(LibcDir {
            bitcode: dir.path().join("lib.c"),
            compat: None,
            include: dir.path().to_owned(),
        }),
        roots: vec!["wanted".to_owned()],
        ..Options::default()
    };
    let module = verified(load(&options));
    assert_eq!(text_of(&module, "shared"), ["return (i32 2)"]);
    assert_eq!(text_of(&module, "needed")[0], "%0 = call @shared() -> i32");
    assert!(module.function("unneeded").is_none());
    assert!(!function(&module, "wanted").is_declaration());
    assert!(!function(&module, "kept").is_declaration());
    assert!(function(&module, "malloc").is_declaration());
    assert_eq!(text_of(&module, "duplicate")[0], "%0 = call @malloc(i64 3) -> ptr");
}

#[test]
fn math_intrinsics_keep_the_library_function_they_become() {
    let dir = folder(&[
        ("lib.c", b"double sin(double x) { return x; } double cos(double x) { return x; }"),
        ("a.ll", b"declare double @llvm.sin.f64(double)\ndefine double @main(double %x) { %r = call double @llvm.sin.f64(double %x) ret double %r }"),
    ]);
    let options = Options {
        inputs: vec![dir.path().join("a.ll")],
        libc: Some(LibcDir {
            bitcode: dir.path().join("lib.c"),
            compat: None,
            include: dir.path().to_owned(),
        }),
        ..Options::default()
    };
    let module = verified(load(&options));
    assert!(!function(&module, "sin").is_declaration());
    assert!(module.function("cos").is_none());
}

#[test]
fn cxx_has_constructors() {
    let text = "struct S { int v; S() : v(3) {} ~S() {} int get() { return v; } };
        S global; int main() { return global.get(); }";
    let module = verified(load_text("a.cpp", text, &Options::default()));
    assert_eq!(module.constructors.len(), 1);
    assert!(module.function("_ZN1S3getEv").is_some());
}

fn error(options: &Options) -> Error {
    load(options).expect_err("an error")
}

fn error_of(name: &str, text: &str) -> Error {
    load_text(name, text, &Options::default()).expect_err("an error")
}

#[test]
fn bad_paths_are_told_apart() {
    let dir = folder(&[("empty.c", b""), ("a.txt", b"x"), ("a.o", b"\x7fELF\x02"), ("text.bc", b"; text")]);
    let one = |name: &str| Options { inputs: vec![dir.path().join(name)], ..Options::default() };
    assert_eq!(error(&Options::default()), Error::NoInput);
    assert!(matches!(error(&one("missing.c")), Error::NotFound { .. }));
    assert!(matches!(error(&one("")), Error::IsDirectory { .. }));
    assert!(matches!(error(&one("empty.c")), Error::Empty { .. }));
    assert!(matches!(error(&one("a.txt")), Error::UnknownKind { .. }));
    assert!(matches!(error(&one("a.o")), Error::MachineCode { .. }));
    assert!(matches!(error(&one("text.bc")), Error::NotBitcode { .. }));
    let device = Options { inputs: vec![PathBuf::from("/dev/null")], ..Options::default() };
    assert!(matches!(error(&device), Error::Unreadable { .. }));
}

#[test]
fn errors_name_the_file_and_the_reason() {
    let syntax = error_of("broken.c", "int main(void) { return x; }").to_string();
    assert!(syntax.contains("broken.c") && syntax.contains("undeclared identifier 'x'"), "{syntax}");
    let parse = error_of("broken.ll", "define i32 @main() { ret i32 }").to_string();
    assert!(parse.contains("broken.ll") && parse.contains("expected"), "{parse}");
    let invalid =
        error_of("invalid.ll", "define i32 @main() { %a = add i32 %b, 1 %b = add i32 %a, 1 ret i32 %b }");
    assert!(invalid.to_string().contains("does not dominate"), "{invalid}");
}

#[test]
fn a_missing_entry_comes_with_suggestions() {
    let Error::NoEntry { entry, defined } = error_of("a.c", "int first(void) { return 1; } int second;")
    else {
        panic!("another error");
    };
    assert_eq!((entry.as_str(), defined), ("main", vec!["first".to_owned()]));
    assert!(
        matches!(error_of("b.c", "int main(void);"), Error::NoEntry { defined, .. } if defined.is_empty())
    );
}

#[test]
fn conflicts_between_files_are_errors() {
    let dir = folder(&[
        ("a.c", b"int f(void) { return 1; } int main(void) { return f(); }"),
        ("b.c", b"int f(void) { return 2; }"),
    ]);
    let inputs = ["a.c", "b.c"].map(|n| dir.path().join(n)).to_vec();
    let Error::Link { path, reason } = error(&Options { inputs, ..Options::default() }) else {
        panic!("another error");
    };
    assert!(path.ends_with("b.c") && reason.contains('f'), "{reason}");
}

#[test]
fn only_x86_64_is_accepted() {
    for (triple, layout) in [
        ("i386-pc-linux-gnu", "e-m:e-p:32:32-i64:64"),
        ("s390x-unknown-linux", "E-m:e-i1:8:16-i8:8:16-i64:64"),
        ("aarch64-linux-gnu", "e-m:e-i64:64-i128:128-n32:64-S128"),
    ] {
        let text = format!(
            "target datalayout = \"{layout}\"\ntarget triple = \"{triple}\"\ndefine i32 @main() {{ ret i32 0 }}"
        );
        assert!(matches!(error_of("other.ll", &text), Error::Target { .. }), "{triple}");
    }
}

#[test]
fn unknown_passes_are_an_error() {
    let options = Options { passes: Passes::List("no-such-pass".to_owned()), ..Options::default() };
    let found = load_text("a.c", "int main(void) { return 0; }", &options).expect_err("an error");
    assert!(matches!(&found, Error::Passes { reason, .. } if reason.contains("no-such-pass")), "{found}");
}

#[test]
fn loading_twice_gives_equal_modules() {
    let options = harness("../../../bench/programs/json.c");
    assert_eq!(load(&options), load(&options));
}

#[test]
fn a_library_that_is_not_needed_is_not_linked_and_main_comes_first() {
    let dir = folder(&[
        ("lib.c", b"int main(); int puts(const char *s) { return 1; } int _start_c(long *p) { return main(); } void abort(void) { for (;;) ; }"),
        ("a.c", b"void abort(void); int main(void) { abort(); }"),
        ("b.c", b"int puts(const char *); int main(void) { return puts(\"\"); }"),
    ]);
    let load = |name: &str| {
        load(&Options {
            inputs: vec![dir.path().join(name)],
            libc: Some(LibcDir {
                bitcode: dir.path().join("lib.c"),
                compat: None,
                include: dir.path().to_owned(),
            }),
            entry: "_start_c".to_owned(),
            ..Options::default()
        })
    };
    assert!(verified(load("a.c")).function("_start_c").is_none());
    assert!(verified(load("b.c")).function("_start_c").is_some());
}
