//! The shrinker on programs with something planted in them.

use rejoin_oracle::accept;
use rejoin_oracle::ast::{BinOp, Expr, Program, Stmt};
use rejoin_oracle::feature::Features;
use rejoin_oracle::native::Toolchain;
use rejoin_oracle::{r#gen, print, shrink::shrink};

fn statements(program: &Program) -> usize {
    let mut count = 0;
    program.clone().each_stmt(&mut |_| count += 1);
    count
}

fn expressions(program: &Program) -> usize {
    let mut count = 0;
    program.clone().each_expr(&mut |_| count += 1);
    count
}

#[test]
fn one_division_is_left_of_a_large_program() {
    let divides = |program: &Program| {
        let mut found = false;
        let mut copy = program.clone();
        copy.functions.iter_mut().for_each(|function| function.result = Expr::int(0));
        copy.each_expr(&mut |expr| found |= matches!(expr, Expr::Bin(BinOp::Div, ..)));
        found
    };
    let mut shrunk = 0;
    for seed in (0..200).filter(|&seed| divides(&r#gen::program(seed, 0, Features::ALL))).take(10) {
        let program = r#gen::program(seed, 0, Features::ALL);
        let small = shrink(program, 5000, &mut |program| divides(program));
        assert!(divides(&small));
        assert!(statements(&small) <= 1, "seed {seed}:\n{}", print::source(&small));
        let left = expressions(&small);
        assert!(left <= 8 + small.functions.len(), "seed {seed}, {left}:\n{}", print::source(&small));
        shrunk += 1;
    }
    assert_eq!(shrunk, 10);
}

#[test]
fn questions_are_limited() {
    let program = r#gen::program(3, 0, Features::ALL);
    let mut asked = 0;
    shrink(program, 17, &mut |_| {
        asked += 1;
        false
    });
    assert_eq!(asked, 17);
}

/// A program that aborts natively becomes the `abort` and what leads to it.
#[test]
fn a_native_abort_survives() {
    let tools = Toolchain::new("clang-22").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let aborts = |program: &Program| {
        accept::brute_force(&tools, 1, program.clone(), scratch.path())
            .is_ok_and(|case| case.native.classes.iter().any(|class| class.outcome.kind == "abort"))
    };
    let program = (0..2000)
        .map(|seed| r#gen::program(seed, 6, Features::parse("errors").unwrap()))
        .filter(|program| print::source(program).matches("ABORT();").count() == 1)
        .find(|program| statements(program) > 6 && aborts(program))
        .unwrap();
    let before = statements(&program);
    let small = shrink(program, 60, &mut |program| aborts(program));
    assert!(statements(&small) < before / 2, "{before}:\n{}", print::source(&small));
    let mut left = Vec::new();
    small.clone().each_stmt(&mut |stmt| left.push(stmt.clone()));
    assert!(left.iter().any(|stmt| matches!(stmt, Stmt::Fault(_))));
}
