//! Loops as merge regions: `--merge loops` and `--merge pattern` end in the same ways as plain
//! exploration, with fewer states.

mod common;

use common::Run;
use serde_json::Value as Json;

/// A buffer of `LEN` bytes below 4 and a size `n` of at most `LEN`.
const HEAD: &str = r#"
#include <rejoin.h>
#define LEN 4
static unsigned char s[LEN + 1];
static unsigned char n;
static void inputs(void) {
  rejoin_symbolic(s, LEN, "s");
  rejoin_symbolic(&n, 1, "n");
  rejoin_assume(n <= LEN);
  for (int i = 0; i < LEN; i++) rejoin_assume(s[i] < 4);
}
"#;

/// Name, body, whether patterns are found.
const PROGRAMS: &[(&str, &str, bool)] = &[
    ("span of one byte", "int i = 0; while (i < n && s[i] == 1) i++; return i;", true),
    (
        "span of a set, by a loop inside",
        "static const char set[] = {1, 2, 0}; int i = 0;
         while (i < n) { const char *a = set; while (*a && *a != s[i]) a++; if (!*a) break; i++; }
         return i;",
        true,
    ),
    (
        "two spans, the second from where the first ended",
        "int i = 0; while (i < n && s[i] == 1) i++;
         int j = i; while (j < n && s[j] == 2) j++;
         return 10 * i + j;",
        true,
    ),
    (
        "a search that returns from inside",
        "for (int i = 0; i < LEN; i++) if (s[i] == 3) return i; return 99;",
        true,
    ),
    ("from the end", "int i = n; while (i > 0 && s[i - 1] == 2) i--; return i;", true),
    (
        "a copy",
        "unsigned char out[LEN + 1] = {0}; int i = 0;
         while (i < n && s[i] != 0) { out[i] = s[i] + 1; i++; }
         return out[0] + 10 * out[2] + 40 * (out[3] == 2) + 100 * (i > 1);",
        true,
    ),
    ("pairs", "int i = 0; while (i + 1 < LEN && s[i] == s[i + 1]) i += 1; return i;", true),
    (
        "an error after some iterations",
        "int i = 0; while (i < n) { if (s[i] == 3 && i == 2) __builtin_trap(); if (s[i] == 0) break; i++; }
         return i;",
        true,
    ),
    (
        "an exit that one iteration has not",
        "int i = 0; while (i < n) { if (s[i] == 0) { if (i == 2) __builtin_trap(); break; } i++; } return i;",
        true,
    ),
    (
        "an error behind the loop",
        "int i = 0; int a[3] = {5, 6, 7}; while (i < n && s[i] == 1) i++; return a[i];",
        true,
    ),
    (
        "a sum of bytes",
        "int i = 0, sum = 0; while (i < n) { if (s[i] == 0) break; sum += s[i]; i++; } return sum;",
        true,
    ),
    (
        "a sum of numbers, and a hash",
        "unsigned i = 0, area = 0, hash = 7;
         while (i < n && s[i] != 3) { area += i; hash = hash * 31 ^ s[i]; i++; }
         if (area > 2) return hash % 50; return 60 + hash % 3;",
        true,
    ),
    (
        "sides that change",
        "int i = 0, side = 0; while (i < n && s[i] == side + 1) { i++; side = !side; } return 10 * i + side;",
        true,
    ),
    (
        "a copy that is read anywhere",
        "unsigned char out[LEN]; for (int j = 0; j < LEN; j++) out[j] = 9; int i = 0;
         while (i < n && s[i] != 0) { out[i] = s[i] + 1; i++; }
         return 10 * out[s[0]] + out[n % LEN];",
        true,
    ),
    ("a call that forks", "int i = 0; while (i < n && good(s[i])) i++; return i;", true),
    (
        "a loop around a loop",
        "int i = 0, words = 0;
         while (i < n) { while (i < n && s[i] == 0) i++; if (i < n) words++; while (i < n && s[i] != 0) i++; }
         return words;",
        false,
    ),
    (
        "the count in memory",
        "static unsigned count; while (count < n && s[count] >= 2) count++; return count;",
        true,
    ),
    (
        "a jump out of the loop",
        "int i = 0; for (;;) { if (i >= n) goto end; if (s[i] == 1) goto one; if (s[i] == 2) goto two; i++; }
         one: return 10 + i; two: return 20 + i; end: return 30 + i;",
        true,
    ),
    (
        "one turn with an exit of its own",
        "int i = 0; for (; i < n; i++) { int how = ending(s[i] == 1, i == 1); if (how == 1) break; if (how == 2) return 9; }
         return i;",
        true,
    ),
];

fn program(body: &str) -> String {
    let good = "static int good(int c) { if (c == 1) return 1; if (c == 3) return 1; return 0; }\n";
    let ending = "static int ending(int on, int other) { if (on) return 0; return other ? 2 : 1; }\n";
    format!(
        "{HEAD}{good}{ending}static int f(void) {{ {body} }}\nint main(void) {{ inputs(); return f(); }}\n"
    )
}

fn run(text: &str, flags: &[&str]) -> (Json, Json) {
    let flags: Vec<&str> = ["--outcomes"].iter().chain(flags).copied().collect();
    let run = Run::source(&flags, text);
    let summary = run.summary();
    assert_eq!(summary["status"], "exhaustive", "{}{text}", run.stderr);
    (run.json("outcomes.json"), summary)
}

#[test]
fn regions_end_in_the_same_ways() {
    let mut surprises = Vec::new();
    for (name, body, is_regular) in PROGRAMS {
        let text = program(body);
        let (expected, plain) = run(&text, &["--merge", "none"]);
        for (mode, search) in [("loops", "bfs"), ("pattern", "dfs")] {
            let (outcomes, summary) = run(&text, &["--merge", mode, "--search", search, "--validate"]);
            assert_eq!(outcomes, expected, "{name}: {mode}, {search}");
            let paths = |s: &Json| s["paths_completed"].as_u64().unwrap();
            assert!(paths(&summary) < paths(&plain), "{name}: {mode} merges something");
            assert_eq!(summary["fallbacks"], 0, "{name}");
            let patterns = summary["pattern_merges"].as_u64().unwrap();
            if (patterns > 0) != (mode == "pattern" && *is_regular) {
                surprises.push(format!("{name}: {mode} has {patterns} patterns"));
            }
        }
    }
    assert!(surprises.is_empty(), "{surprises:#?}");
}

/// A repetition within a repetition, of which every input is counted: the variables of inner patterns have one
/// value on each, also those of rows that are not reached.
#[test]
fn nested_patterns_have_each_input_once() {
    let program = |body: &str| {
        format!(
            r#"
#include <rejoin.h>
#define R 3
static unsigned char s[R * R], n, m;
static int f(void) {{ unsigned i, j = 0, sum = 0; {body} }}
int main(void) {{
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, 1, "n");
  rejoin_symbolic(&m, 1, "m");
  rejoin_assume(n <= R && m <= R);
  for (int i = 0; i < R * R; i++) rejoin_assume(s[i] < 2);
  return f();
}}
"#
        )
    };
    let bodies = [
        "for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (s[i * R + j]) goto end; end: return 10 * i + j;",
        "for (i = 0; i < n; i++) { for (j = 0; j < m; j++) if (s[i * R + j]) return 50 + i; sum += j; if (j == 2) break; }
         return 10 * i + sum;",
        "for (i = 0; i < n; i++) { for (j = 0; j < m; j++) if (s[i * R + j]) return 40 + sum; sum += 2 * j; } return sum;",
    ];
    for body in bodies {
        let text = program(body);
        let (expected, _) = run(&text, &["--merge", "none"]);
        for worth in ["1000000", "8", "0"] {
            let (outcomes, summary) =
                run(&text, &["--merge", "pattern", "--merge-worth", worth, "--validate"]);
            assert_eq!(outcomes, expected, "{worth}: {body}");
            assert!(worth != "1000000" || summary["pattern_merges"].as_u64().unwrap() >= 3, "{summary}");
        }
    }
}

/// With no worth, every merge is taken back as soon as its state asks something.
#[test]
fn merges_that_are_taken_back_end_in_the_same_ways() {
    let (mut splits, mut patterns) = (0, 0);
    for (name, body, _) in PROGRAMS {
        let text = program(body);
        let (expected, _) = run(&text, &["--merge", "none"]);
        for mode in ["loops", "pattern"] {
            let (outcomes, summary) = run(&text, &["--merge", mode, "--merge-worth", "0", "--validate"]);
            assert_eq!(outcomes, expected, "{name}: {mode}");
            splits += summary["splits"].as_u64().unwrap();
            patterns += summary["pattern_merges"].as_u64().unwrap();
        }
    }
    assert!(splits > 5, "{splits} merges were taken back");
    assert!(patterns > 20, "{patterns} of them were by patterns");
}

/// What a merge is taken apart into is asked about like states that never were merged: what its path decides is
/// no choice in its store. There are 15,791 questions otherwise, and 4,015 without merging.
#[test]
fn parts_of_a_merge_know_what_their_paths_decide() {
    let words = common::programs("../../../bench/programs").join("words.c");
    // With a limit to the tests nothing can be thrown away, so that merges are taken apart.
    let flags = ["--merge", "loops", "--merge-worth", "256", "--max-tests", "100000", "--cflags", "-DN=7"];
    let run = Run::new(&flags, &words, &[]);
    let summary = run.summary();
    assert_eq!(summary["status"], "exhaustive", "{}", run.stderr);
    assert!(summary["splits"].as_u64().unwrap() > 0);
    let questions = summary["queries"].as_u64().unwrap();
    assert!(questions < 12_000, "{questions} questions");
}

/// Where merging does not pay at the start, the exploration begins again. What was explored before that leaves no
/// trace in the results.
#[test]
fn what_does_not_pay_at_the_start_is_thrown_away() {
    let body = "int words = 0, k = 0; for (int i = 0; i < n; i++) { if (s[i] == 1) k = i; else if (s[i] == 2) words += s[k] == 3; } \
                for (int i = 0; i < words; i++) if (s[(k + i) % 3] == 2) return 9; return words;";
    let text = program(body);
    let (expected, _) = run(&text, &["--merge", "none"]);
    for mode in ["loops", "pattern"] {
        let (outcomes, summary) = run(&text, &["--merge", mode, "--merge-worth", "1"]);
        assert_eq!(outcomes, expected, "{mode}");
        let count = |field: &str| summary[field].as_u64().unwrap();
        assert!(count("trials") > 0 && count("splits") == 0, "{mode}: {summary}");
    }
}

/// Two merged states per call of memspn, whatever the size of the buffer.
#[test]
fn memspn_has_two_states() {
    let memspn = common::programs("../../../bench/programs").join("memspn.c");
    for (accept, capacity) in [("1", "10"), ("2", "10"), ("2", "40")] {
        let cflags = format!("-DM={capacity} -DACC={accept}");
        let run = Run::new(&["--merge", "pattern", "--cflags", &cflags], &memspn, &[]);
        let summary = run.summary();
        assert_eq!(summary["status"], "exhaustive", "{}", run.stderr);
        assert_eq!((&summary["paths_completed"], &summary["pattern_merges"]), (&2.into(), &2.into()));
        assert_eq!(summary["fallbacks"], 0);
    }
}

/// Table 1 of the paper, from compiled C: two groups of the exits of memspn(s, n, "a") with n at most 3.
#[test]
fn table_1_of_the_paper() {
    let memspn = common::programs("../../../bench/programs").join("memspn.c");
    let run = Run::new(&["--merge", "pattern", "--validate", "--cflags", "-DM=3 -DACC=1"], &memspn, &[]);
    assert_eq!(run.summary()["paths_completed"], 2, "{}", run.stderr);
    let events = common::json_lines(&run.read("events.jsonl"));
    let mut found: Vec<String> = events
        .iter()
        .filter(|e| e["event"] == "pattern")
        .map(|e| format!("{}: {} | {}", e["k"], common::text(&e["core"]), common::text(&e["end"])))
        .collect();
    found.sort();
    // That n is at most 3 leaves its lowest byte.
    let core = "((zext64(i) + 0xffffffffffffffff) <u zext64(n[0])) && (buf[(zext32(i) + 0xffffffff)] == 'a')";
    let all = format!("[0,1,2,3]: {core} | n[0] <=u k1");
    let other = format!("[0,1,2]: {core} | (k2 <u n[0]) && (buf[zext32(k2)] != 'a')");
    assert_eq!(found, [all, other]);
}

/// A body that branches doubles the states of an iteration; those with equal stores become one again.
#[test]
fn equal_states_are_merged_before_each_iteration() {
    let spans = common::programs("../../../bench/programs").join("spans.c");
    let run = |capacity: &str, flags: &[&str]| {
        let cflags = format!("-DM={capacity} -DKIND=EITHER");
        let flags: Vec<&str> = [flags, &["--merge", "pattern", "--cflags", &cflags]].concat();
        Run::new(&flags, &spans, &[]).summary()
    };
    let nodes: Vec<_> = ["8", "40"].iter().map(|c| run(c, &["--validate"])).collect();
    for summary in &nodes {
        assert_eq!((&summary["status"], &summary["pattern_merges"]), (&"exhaustive".into(), &2.into()));
    }
    assert_eq!(nodes[0]["condition_nodes"], nodes[1]["condition_nodes"], "it does not grow");
    let forks = |s: &Json| s["forks"].as_u64().unwrap();
    assert!(forks(&run("8", &["--no-incremental"])) > 10 * forks(&nodes[0]));
}

/// One test for each path that a quantified state stands for.
#[test]
fn tests_for_single_paths_of_patterns() {
    let memspn = common::programs("../../../bench/programs").join("memspn.c");
    let tests = |merge: &str, tests: &str| {
        let flags = ["--merge", merge, "--tests", tests, "--cflags", "-DM=4 -DACC=2"];
        let run = Run::new(&flags, &memspn, &[]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.tests().len()
    };
    assert_eq!(tests("pattern", "per-path"), tests("none", "per-state"));
}

/// Where no pattern is found, looking for one asks next to nothing: a question about the size of a block is not
/// asked again beside what is read at its end.
#[test]
fn patterns_that_are_not_found_cost_little() {
    let text = r#"
#include <rejoin.h>
#include <stdlib.h>
int main(void) {
  size_t n;
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n > 0 && n <= 6);
  char *t = malloc(n);
  rejoin_symbolic(t, n, "t");
  rejoin_assume(t[n - 1] == 0);
  for (; *t; t++) if (*t >= 'A' && *t <= 'Z') *t += 32;
  return 0;
}
"#;
    let calls = |mode: &str| {
        // With a larger capacity the block is read as an array, and not by diagrams.
        let summary = Run::source(&["--merge", mode, "--capacity", "20"], text).summary();
        assert_eq!((&summary["status"], &summary["pattern_merges"]), (&"exhaustive".into(), &0.into()));
        summary["solver_calls"].as_u64().unwrap()
    };
    assert!(calls("pattern") <= calls("loops") + 8);
}

/// One state of a region that stays long does not keep the others waiting: after a counted number of
/// instructions they are merged and go on without it.
#[test]
fn stragglers_are_left_behind() {
    let program = |turns: u32| {
        program(&format!(
            "volatile unsigned spin = 0; int i = 0;
             for (; i < n && s[i] != 0; i++)
               if (i == 1 && s[i] == 3) for (unsigned j = 0; j < {turns}; j++) spin++;
             return 40 + i;"
        ))
    };
    for mode in ["loops", "pattern"] {
        let ended = |turns: u32| {
            let text = program(turns);
            let (plain, _) = run(&text, &[]);
            let (merged, summary) = run(&text, &["--merge", mode]);
            assert_eq!(plain, merged, "{mode}, {turns} turns");
            summary["paths_completed"].as_u64().unwrap()
        };
        assert!(ended(2_000_000) > ended(2), "{mode}: those that are left behind end by themselves");
    }
}

/// The variable that tells merged patterns apart has one value on each input, and is counted once.
#[test]
fn merged_patterns_that_are_told_apart_have_each_input_once() {
    let text = r#"
#include <rejoin.h>
static unsigned char x[5];
int main(void) {
  rejoin_symbolic(x, sizeof x, "x");
  for (int i = 0; i < 5; i++) rejoin_assume(x[i] >= 97 && x[i] <= 99);
  signed char v = 11;
  unsigned turn = 0;
  do {
    v = 0x2c * (unsigned char)__builtin_rotateleft8((unsigned char)(0xff ^ x[4]), (unsigned char)turn);
    unsigned char q[6] = {0};
    unsigned k = 0, n = (unsigned)(x[2] + v) % 6u;
    while (k < n && (x[k] == 'a' || x[k] == 'b')) { q[k] = x[k] + 1; k++; }
    v = k + q[0] + q[2];
  } while (++turn < (unsigned)v % 7u);
  return 0;
}
"#;
    let (plain, _) = run(text, &[]);
    assert_eq!(plain, run(text, &["--merge", "pattern"]).0);
}
