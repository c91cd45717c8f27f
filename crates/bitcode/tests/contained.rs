//! Loading in a child process: damaged bitcode must come back as an error, whatever LLVM does.
//!
//! The test runs itself as the child, so it has a `main` of its own.

mod common;

use common::{folder, here};
use rejoin_bitcode::{CHILD_COMMAND, Error, Options, child_main, load, load_cached, load_contained};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(CHILD_COMMAND) {
        return child_main();
    }
    let exe = std::env::current_exe().expect("a path to this test");
    a_child_gives_the_same_module(&exe);
    damaged_bitcode_is_an_error(&exe);
    a_child_that_cannot_run_is_an_error();
    a_cache_answers_until_something_changes(&exe);
    println!("contained: 4 tests passed");
    ExitCode::SUCCESS
}

fn options(path: &Path) -> Options {
    Options { inputs: vec![path.to_owned()], include_dirs: vec![here("include")], ..Options::default() }
}

fn a_child_gives_the_same_module(exe: &Path) {
    let options = options(&here("../../../bench/programs/json.c"));
    assert_eq!(load_contained(exe, &options), load(&options));
    let missing = Options { entry: "nowhere".to_owned(), ..options };
    assert!(matches!(load_contained(exe, &missing), Err(Error::NoEntry { .. })));
}

/// a.bc, made of a.c.
fn compiled(dir: &Path) -> PathBuf {
    let bitcode = dir.join("a.bc");
    let made = Command::new("clang-22")
        .args(["-c", "-emit-llvm", "-g", "-o"])
        .args([&bitcode, &dir.join("a.c")])
        .status();
    assert!(made.expect("clang-22").success());
    bitcode
}

fn damaged_bitcode_is_an_error(exe: &Path) {
    let dir = folder(&[("a.c", b"int f(int x) { return x * 3; } int main(void) { return f(2); }")]);
    let bitcode = compiled(dir.path());
    let good = std::fs::read(&bitcode).expect("bitcode");
    let is_error = |what: &str, bytes: &[u8]| {
        std::fs::write(&bitcode, bytes).expect("a file");
        let answer = load_contained(exe, &options(&bitcode));
        let text = answer.expect_err(what).to_string();
        assert!(text.contains("a.bc"), "{what}: {text}");
    };
    for part in [5, good.len() / 4, good.len() / 2, good.len() * 3 / 4] {
        is_error("cut short", &good[..part / 4 * 4]);
    }
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for _ in 0..4 {
        let mut bytes = b"BC\xc0\xde".to_vec();
        bytes.extend((0..2000).map(|_| noise()));
        is_error("noise", &bytes);
    }
    is_error("text", b"int main(void) { return 0; }");
    flipped_bits(exe, &bitcode, &good, noise);
}

/// A flipped bit may do no harm; but whatever it does, the parent gets an answer.
fn flipped_bits(exe: &Path, bitcode: &Path, good: &[u8], mut noise: impl FnMut() -> u8) {
    let mut errors = 0;
    for _ in 0..40 {
        let mut bytes = good.to_vec();
        let at = (usize::from(noise()) << 8 | usize::from(noise())) % bytes.len();
        bytes[at] ^= 1 << (noise() % 8);
        std::fs::write(bitcode, &bytes).expect("a file");
        errors += usize::from(load_contained(exe, &options(bitcode)).is_err());
    }
    assert!(errors > 0, "no damage was noticed");
}

fn a_child_that_cannot_run_is_an_error() {
    let answer = load_contained(Path::new("/nonexistent"), &Options::default());
    assert!(matches!(answer, Err(Error::Child { .. })));
    let other = load_contained(Path::new("/bin/false"), &Options::default());
    assert!(matches!(other, Err(Error::Crashed { .. })));
}

fn a_cache_answers_until_something_changes(exe: &Path) {
    let dir = folder(&[
        ("a.c", b"int main(void) { return 7; }"),
        ("b.c", b"#include \"b.h\"\nint main(void) { return N; }"),
        ("b.h", b"#define N 1\n"),
    ]);
    let cache = dir.path().join("cache");
    let files = || -> Vec<PathBuf> {
        std::fs::read_dir(&cache).map_or(Vec::new(), |d| d.map(|e| e.expect("an entry").path()).collect())
    };
    // A source is compiled each time, since what it includes may have changed.
    let source = options(&dir.path().join("b.c"));
    for (number, kept) in [(1, 1), (1, 1), (2, 2)] {
        std::fs::write(dir.path().join("b.h"), format!("#define N {number}\n")).expect("a file");
        assert_eq!(load_cached(exe, &source, &cache), load(&source));
        assert_eq!(files().len(), kept);
    }
    std::fs::remove_dir_all(&cache).expect("a folder");
    let bitcode = compiled(dir.path());
    let given = options(&bitcode);
    let expected = load(&given);
    for _ in 0..2 {
        assert_eq!(load_cached(exe, &given, &cache), expected);
        assert_eq!(files().len(), 1);
    }
    // A kept module is used: one of another program in its place is what comes back.
    let file = files().remove(0);
    let mut other = expected.clone().expect("a module");
    other.functions.truncate(0);
    other.globals.truncate(0);
    std::fs::write(&file, rejoin_ir::encode::to_bytes(&other)).expect("a file");
    assert_eq!(load_cached(exe, &given, &cache), Ok(other));
    // A damaged one is made again, whatever the damage.
    let good = rejoin_ir::encode::to_bytes(expected.as_ref().expect("a module"));
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    for damaged in [&b""[..], b"RJIR", &good[..good.len() / 2], &flipped] {
        std::fs::write(&file, damaged).expect("a file");
        assert_eq!(load_cached(exe, &given, &cache), expected);
        assert_eq!(std::fs::read(&file).expect("a file"), good);
    }
    // Other options and other contents are other modules.
    let entry = Options { passes: rejoin_bitcode::Passes::None, ..given.clone() };
    assert_eq!(load_cached(exe, &entry, &cache), load(&entry));
    assert_eq!(files().len(), 2);
    std::fs::write(dir.path().join("a.c"), "int main(void) { return 8; }").expect("a file");
    compiled(dir.path());
    assert_eq!(load_cached(exe, &given, &cache), load(&given));
    assert_ne!(load(&given), expected);
    // Where nothing can be written, there is no cache.
    assert_eq!(load_cached(exe, &given, Path::new("/proc/nowhere")), load(&given));
}
