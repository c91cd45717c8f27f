//! Objects of symbolic size: what `--sym-size lazy` finds is what a state for every size finds.

mod common;

use common::Run;

/// A size `n` of at most 5, a buffer `s` of 5 bytes below 4, an index `i` of at most 7.
const HEAD: &str = r"
#include <rejoin.h>
#include <stddef.h>
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
static unsigned char s[5], n, i;
static size_t length(const char *p) { size_t k = 0; while (p[k]) k++; return k; }
static void inputs(void) {
  rejoin_symbolic(s, 5, 's'), rejoin_symbolic(&n, 1, 'n'), rejoin_symbolic(&i, 1, 'i');
  rejoin_assume(n <= 5), rejoin_assume(i <= 7);
  for (int k = 0; k < 5; k++) rejoin_assume(s[k] < 4);
}
";

const PROGRAMS: &[(&str, &str)] = &[
    ("a write at an index", "char *p = malloc(n); p[i] = 7; return p[i];"),
    (
        "a write before and behind",
        "char *p = malloc(n + 2); p[n + 1] = 1; p[(int)i - 3] = 2; return p[n + 1];",
    ),
    ("words", "int *p = calloc(n, 4); if (n > 2) p[i] = 9; return n > 3 ? p[3] + p[0] : 1;"),
    ("half a word", "char *p = malloc(n); *(short *)(p + i) = 3; return *p;"),
    ("a variable-length array", "char a[n + 1]; memset(a, 1, n + 1); a[i] = 2; return a[n] + a[0];"),
    ("a copy", "char *p = malloc(n); memcpy(p, s, n); return n && p[n - 1] == 3;"),
    ("a copy of another length", "char *p = malloc(n); memcpy(p, s, i); return i > 1 ? p[0] + p[1] : 40;"),
    ("a copy into the middle", "char *p = calloc(n + 2, 1); memcpy(p + 2, s, i); return p[n + 1] + p[0];"),
    (
        "a fill",
        "char *p = calloc(n, 1); memset(p, 5, i); int sum = 0; for (int k = 0; k < n; k++) sum += p[k]; return sum;",
    ),
    (
        "growing",
        "char *p = malloc(n); memset(p, 2, n); p = realloc(p, n + i); memset(p + n, 3, i); return n + i ? p[n + i - 1] + p[0] : 9;",
    ),
    ("shrinking", "char *p = calloc(8, 1); p[i] = 4; p = realloc(p, n); return p[i];"),
    (
        "a string",
        "char *p = malloc(n + 1); memcpy(p, s, n); p[n] = 0; size_t l = length(p); char *q = malloc(l + 1); memcpy(q, p, l + 1); return 10 * l + length(q);",
    ),
    ("no end", "char *p = malloc(n); memcpy(p, s, n); return length(p);"),
    ("free", "char *p = malloc(n); free(p); if (i == 3) free(p); if (i == 4) return *p; return 0;"),
    ("no object, but nothing to copy", "char *p = (char *)8; memcpy(p, s, n); return n;"),
    ("sizes of two branches", "char *p = malloc(i > 3 ? 2 : n); p[1] = 1; return p[1] + (i > 3);"),
    (
        "objects that merge",
        "char *p; if (i & 1) { p = malloc(n); } else { p = malloc(3); } if (n > 1) p[1] = 1; return n > 2 ? p[1] : p[i];",
    ),
    ("far beyond, or not", "char *p = malloc(n); p[5000 * (s[0] == 1)] = 1; return n;"),
    (
        "a loop to the size",
        "char *p = malloc(n); int k = 0; while (k < n && s[k] == 1) { p[k] = 1; k++; } return k;",
    ),
];

#[test]
fn symbolic_sizes_end_in_the_same_ways() {
    for (name, body) in PROGRAMS {
        let text =
            format!("{HEAD}static int f(void) {{ {body} }}\nint main(void) {{ inputs(); return f(); }}\n")
                .replace('\'', "\"");
        let run = |flags: &[&str]| {
            let flags: Vec<&str> = ["--outcomes"].iter().chain(flags).copied().collect();
            let run = Run::source(&flags, &text);
            assert_eq!(run.summary()["status"], "exhaustive", "{name}: {flags:?} {}", run.stderr);
            run
        };
        let expected = run(&["--sym-size", "eager"]);
        for mode in ["none", "loops", "pattern", "ssm"] {
            let lazy = run(&["--merge", mode, "--validate"]);
            assert_eq!(lazy.json("outcomes.json"), expected.json("outcomes.json"), "{name}: {mode}");
            let ended = |r: &Run| r.summary()["paths_completed"].as_u64().unwrap();
            assert!(ended(&lazy) < ended(&expected), "{name}: {mode} keeps sizes together");
        }
    }
}

/// A merged pointer may lead to a constant place beyond all storage of an object whose size is symbolic, and inside
/// of another one.
#[test]
fn beyond_all_storage_on_one_side() {
    let body = "static char big[6000]; char *q = malloc(n * s[0]), *p = i > 3 ? q : big; p[5000] = 1; return p[5000];";
    let text = format!("{HEAD}int main(void) {{ inputs(); {body} }}\n").replace('\'', "\"");
    let run = Run::source(&["--merge", "ssm", "--similar", "always"], &text);
    let summary = run.summary();
    assert_eq!(summary["status"], "exhaustive", "{}", run.stderr);
    assert_eq!((&summary["merges"], summary["errors"].as_array().unwrap().len()), (&1.into(), 1));
}

#[test]
fn sizes_above_the_capacity_are_in_the_ledger() {
    let text = r#"
        #include <rejoin.h>
        #include <stddef.h>
        void *malloc(size_t);
        int main(void) {
          unsigned n, i;
          rejoin_symbolic(&n, sizeof n, "n");
          rejoin_symbolic(&i, sizeof i, "i");
          rejoin_assume(n >= 20);
          char *p = malloc(n);
          if (i < 20) p[i] = 1;
          if (i == 60) p[i] = 1;
          return 0;
        }"#;
    for (flags, reason) in [
        (&["--capacity", "50"][..], "capacity: sizes above 50 bytes"),
        (&["--capacity", "15"], "capacity: sizes above 30 bytes"),
        (&["--sym-size", "max"], "capacity: sizes other than the largest"),
    ] {
        let run = Run::source(flags, text);
        assert_eq!(run.summary()["status"], "incomplete");
        assert!(run.reasons().contains(reason), "{}", run.reasons());
        let errors = if flags[1] == "max" { vec![] } else { vec![("ptr".to_owned(), 12)] };
        assert_eq!(run.errors(), errors, "{flags:?}");
    }
}

/// A size that merging made of known ones is not cut: what is found does not depend on the mode.
#[test]
fn sizes_that_merging_made_have_no_capacity() {
    let body = "unsigned char *q; size_t k = length((char *)s), m = 0; while (m < k && s[m] == 1) m++; \
                q = malloc(3 * k + m + 2); memset(q, 1, 3 * k + m + 2); q[i] = 2; return q[3 * k + m + 1] + m;";
    let text = format!("{HEAD}int main(void) {{ inputs(); rejoin_assume(s[4] == 0); {body} }}\n");
    let text = text.replace('\'', "\"");
    let run = |mode: &str| {
        let run = Run::source(&["--merge", mode, "--capacity", "6", "--outcomes", "--validate"], &text);
        assert_eq!(run.summary()["status"], "exhaustive", "{mode}: {} {}", run.reasons(), run.stderr);
        run
    };
    let expected = run("none");
    for mode in ["loops", "pattern"] {
        let merged = run(mode);
        assert_eq!(merged.json("outcomes.json"), expected.json("outcomes.json"), "{mode}");
        let patterns = merged.summary()["pattern_merges"].as_u64().unwrap();
        assert_eq!(patterns > 0, mode == "pattern", "{mode}");
    }
}

/// The same for a difference of pointers that is too long to become a choice between constants.
#[test]
fn differences_of_merged_pointers_have_no_capacity() {
    let text = r#"
        #include <rejoin.h>
        #include <stdlib.h>
        int main(void) {
          char s[101], *e = s;
          rejoin_symbolic(s, sizeof s, "s");
          rejoin_assume(s[100] == 0);
          while (*e) e++;
          unsigned length = 1;
          length += e - s;
          char *p = malloc(length + 1);
          p[length] = 1;
          return 0;
        }"#;
    for mode in ["loops", "pattern"] {
        let run = Run::source(&["--merge", mode, "--capacity", "100"], text);
        assert_eq!(run.summary()["status"], "exhaustive", "{mode}: {}", run.reasons());
        assert_eq!(run.errors(), vec![], "{mode}");
    }
}

/// An input of symbolic length has in each test the bytes that the program asks for.
#[test]
fn inputs_of_symbolic_length_replay() {
    let text = r#"
        #include <rejoin.h>
        #include <stdlib.h>
        #include <string.h>
        int main(void) {
          size_t n;
          rejoin_symbolic(&n, sizeof n, "n");
          rejoin_assume(n <= 9);
          char *p = malloc(n);
          rejoin_symbolic(p, n, "text");
          if (n == 4 && memchr(p, 'x', n) == p + 2) return p[n];
          if (n > 6 && p[6] == 'y') return 3;
          return n;
        }"#;
    let dir = tempfile::tempdir().unwrap();
    let program = common::write(dir.path(), "program.c", text);
    for mode in ["none", "pattern"] {
        let out = dir.path().join(mode);
        let output = common::rejoin()
            .args(["run", "--unsafe-replay", "--merge", mode, "--out"])
            .args([&out, &program])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("1 error found, 1 confirmed by native replay"), "{stderr}");
        let replay = common::rejoin().args(["replay", "--unsafe-replay"]).arg(&out).output().unwrap();
        assert_eq!(replay.status.code(), Some(0), "{}", String::from_utf8_lossy(&replay.stdout));
    }
}
