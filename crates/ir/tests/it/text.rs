//! The text syntax: round trips, readability, errors, fuzzing.

use crate::generate;
use proptest::prelude::*;
use rejoin_ir::text::{parse, print, print_inst};
use rejoin_ir::verify::verify;
use rejoin_ir::*;

const MAX: &str = "\
func @max(i32 %0, i32 %1) -> i32 slots 4 !0:1:1 {
  var \"a\" = %0 line 1
b0 \"entry\":
  %2 = icmp.slt i32 %0, %1 !0:2:7
  branch %2, b1(%3 = i32 %1), b1(%3 = i32 -7) *2
b1:
  return (i32 %3)
}
files {
  \"max.c\"
}
texts {
  \"a\", \"entry\"
}
locs {
  0:1:1, 0:2:7
}
consts {
  4294967289
}
";

proptest! {
    #[test]
    fn generated_modules_are_valid_and_survive_the_text(choices in prop::collection::vec(any::<u32>(), 0..600)) {
        let module = generate::module(&choices);
        prop_assert_eq!(verify(&module), Ok(()));
        let text = print(&module);
        let back = match parse(&text) {
            Ok(back) => back,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
        };
        prop_assert_eq!(print(&back), text);
        prop_assert_eq!(back, module);
    }

    #[test]
    fn the_parser_never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn the_parser_never_panics_on_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let _ = parse(&words.join(" "));
        let _ = parse(&format!("func @f() {{ b0: {}", words.join(" ")));
    }

    #[test]
    fn mutated_texts_parse_or_fail_and_verify_never_panics(
        choices in prop::collection::vec(any::<u32>(), 0..300),
        mutations in prop::collection::vec((any::<u32>(), any::<u32>(), 0..4u8), 1..6),
    ) {
        let mut text = print(&generate::module(&choices));
        for (at, what, how) in mutations {
            text = mutate(&text, at as usize, what as usize, how);
        }
        if let Ok(module) = parse(&text) {
            let _ = verify(&module);
            // What the parser makes is canonical, even if it is broken.
            prop_assert_eq!(parse(&print(&module)), Ok(module));
        }
    }
}

const WORDS: &[&str] = &[
    "func",
    "global",
    "@f",
    "@\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "b0",
    "b1",
    ":",
    "b99999999999",
    "%0",
    "%4294967295",
    "%99999999999",
    "=",
    "add",
    "i32",
    "i0",
    "i65535",
    "i99999",
    "ptr",
    "switch",
    "default",
    "|",
    ",",
    "-",
    "->",
    "0x",
    "0xffffffffffffffffffffffffffffffffffff",
    "-1",
    "18446744073709551616",
    "call",
    "*",
    "#",
    "#4294967295",
    "undef",
    "return",
    "()",
    "goto",
    "branch",
    "consts",
    "files",
    "texts",
    "locs",
    "\"a\"",
    "\"\\4\"",
    "\"\\ff\"",
    "!",
    "0:1:2",
    "slots",
    "4294967295",
    "var",
    "in",
    "line",
    "...",
    "+",
    ";",
    "\n",
    "alloca",
    "size",
    "align",
    "count",
    "fn",
    "x86_fp80",
    "fadd",
    "ptradd.wide",
    "scale",
    "unsupported",
];

/// Deletes, repeats, swaps or replaces a piece of the text.
fn mutate(text: &str, at: usize, what: usize, how: u8) -> String {
    let tokens: Vec<&str> = text.split_inclusive([' ', '\n', ',', '(', ')']).collect();
    let at = at % tokens.len().max(1);
    let mut tokens: Vec<String> = tokens.into_iter().map(str::to_owned).collect();
    match how {
        _ if tokens.is_empty() => {}
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, WORDS[what % WORDS.len()].to_owned()),
        2 => {
            let other = what % tokens.len();
            tokens.swap(at, other);
        }
        _ => tokens[at] = format!("{} ", what % 300),
    }
    tokens.concat()
}

#[test]
fn text_reads_as_documented() {
    let module = parse(MAX).unwrap();
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(print(&module), MAX);
    let f = &module.functions[0];
    assert_eq!(print_inst(&module, f, &f.insts[1]), "branch %2, b1(%3 = i32 %1), b1(%3 = i32 -7)");
    assert_eq!(f.weights, [1, 2, 1]);
    assert_eq!(module.consts, [Const::Bits(0xffff_fff9)]);
}

#[test]
fn tables_and_slots_may_be_left_out() {
    let bare = MAX.split("files").next().unwrap().replace("slots 4 ", "");
    let module = parse(&bare).unwrap();
    assert_eq!(module.functions, parse(MAX).unwrap().functions);
    assert_eq!(module.texts, ["a", "entry"]);
}

#[test]
fn entries_that_content_does_not_find_keep_their_number() {
    let mut module = parse(MAX).unwrap();
    module.consts = vec![Const::Bits(0xffff_fff9); 2];
    module.locs.push(module.locs[1]);
    module.functions[0].locs[0] = LocId(2);
    module.functions[0].copies[1].src = Operand::constant(ConstId(1));
    module.functions.push(module.functions[0].clone());
    module.constructors = vec![FuncId(0), FuncId(1)];
    let text = print(&module);
    for part in ["i32 #1", "!#2", "[@max, fn#1]"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert_eq!(parse(&text), Ok(module));
}

#[test]
fn numbers_are_those_of_their_width() {
    for (ty, text, words) in [
        ("i1", "1", vec![1]),
        ("i8", "-128", vec![128]),
        ("i8", "127", vec![127]),
        ("i64", "-1", vec![u64::MAX]),
        ("i64", "0x123456789", vec![0x1_2345_6789]),
        ("i128", "0x10000000000000002", vec![2, 1]),
        ("i200", "0x100000000000000000000000000000003", vec![3, 0, 1, 0]),
    ] {
        let source = format!("func @f() slots 4 {{\nb0:\n  %0 = move {ty} {text}\n  trap\n}}\n");
        let module = parse(&source).unwrap();
        let bits: Vec<Const> = words.into_iter().map(Const::Bits).collect();
        assert_eq!(module.consts, bits, "{text}");
        assert!(print(&module).starts_with(&source), "{}", print(&module));
    }
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    for (source, error) in [
        ("func", "1:5: expected a symbol (`@name`), found the end"),
        ("\n  junk", "2:3: expected an item (func, global, …), found `junk`"),
        ("func @f() {\nb0:\n  %0 = ad i32 1, 2\n}", "3:8: expected an instruction, found `ad`"),
        ("func @f() {\nb1:\n}", "2:1: expected block b0, found `b1`"),
        ("func @f() {\nb0:\n  %0 = add i8 1, 300\n}", "3:18: expected a number of 8 bits, found `300`"),
        ("func @f() {\nb0:\n  %0 = add i8 1 2\n}", "3:17: expected `,`, found `2`"),
        ("func @f() {\nb0:\n  trap", "3:7: expected an instruction, found the end"),
        ("func @f() {\nb0:\n  add i8 1, 2 }", "3:3: expected more results than 0 before, found `add`"),
        (
            "func @f() {\nb0: call @g()\n}",
            "2:10: expected the symbol of a function or global of this module, found `g`",
        ),
        ("files { \"é\\4\" }", "1:11: expected two hexadecimal digits after `\\`, found \\4"),
        ("texts { \"a", "1:11: expected the end of the string, found none"),
        ("global @g size 1 align €", "1:24: expected a token, found '€'"),
    ] {
        assert_eq!(parse(source).map_err(|e| e.to_string()), Err(error.to_owned()), "{source}");
    }
}
