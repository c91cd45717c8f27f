//! The generator against itself: programs compile, end, agree with the sanitizers, and use what they can.

use rejoin_oracle::accept::{self, Limits};
use rejoin_oracle::ast::{Expr, Fault, HeapOp, Output, Place, Shape, Stmt};
use rejoin_oracle::feature::{FEATURES, Feature, Features};
use rejoin_oracle::native::{Toolchain, sanitized};
use rejoin_oracle::{r#gen, print};
use std::collections::{BTreeMap, BTreeSet};

/// Programs that compile with every warning about undefined behaviour an error, end on all inputs, and fail
/// where and how the sanitizers say.
#[test]
fn brute_force_agrees_with_the_sanitizers() {
    let tools = Toolchain::new("clang-22").unwrap();
    let mut kinds = BTreeSet::new();
    for seed in 1..=24 {
        let scratch = tempfile::tempdir().unwrap();
        let case = accept::case(&tools, seed, Features::ALL, Limits::default(), scratch.path()).unwrap();
        sanitized::confirm(&tools, &case.native, scratch.path()).unwrap();
        let inputs: u64 = case.native.classes.iter().map(|class| class.inputs).sum();
        assert_eq!(inputs + case.native.dropped, case.program.inputs.domain(), "seed {seed}");
        assert!(case.program.inputs.domain() <= 65536);
        kinds.extend(case.native.classes.into_iter().map(|class| class.outcome.kind));
    }
    assert!(kinds.len() >= 5, "only {kinds:?}");
}

#[test]
fn a_seed_is_a_program() {
    let text = |seed, attempt| print::source(&r#gen::program(seed, attempt, Features::ALL));
    assert_eq!(text(5, 0), text(5, 0));
    assert_ne!(text(5, 0), text(6, 0));
    assert_ne!(text(5, 0), text(5, 1));
}

/// The name of a statement's kind, without what it holds.
fn kind(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_string()
}

#[test]
fn every_kind_of_statement_and_expression_appears() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut note = |what: String| *seen.entry(what).or_default() += 1;
    for seed in 0..400 {
        let mut program = r#gen::program(seed, 0, Features::ALL);
        note(format!("output {:?}", program.output));
        note(format!("shape {:?}", program.inputs.shape));
        note(format!("inputs {}", program.inputs.ranges.len()));
        program
            .functions
            .iter()
            .flat_map(|f| &f.arrays)
            .for_each(|a| note(format!("storage {:?}", a.storage)));
        program.each_stmt(&mut |stmt| match stmt {
            Stmt::Fault(fault) => note(format!("fault {}", kind(fault))),
            Stmt::Heap(op) => note(format!("heap {}", kind(op))),
            Stmt::Text(op) => note(format!("text {}", kind(op))),
            other => note(format!("stmt {}", kind(other))),
        });
        program.each_expr(&mut |expr| match expr {
            Expr::Bin(op, ty, ..) => {
                note(format!("op {op:?}"));
                note(format!("type {}", ty.name()));
            }
            Expr::Un(op, ..) => note(format!("op {op:?}")),
            Expr::Read(place) => note(format!("read {}", kind(place))),
            other => note(format!("expr {}", kind(other))),
        });
    }
    let count = |group: &str| seen.iter().filter(|(what, n)| what.starts_with(group) && **n >= 5).count();
    // One number per list of variants: all of them, often enough to matter.
    assert_eq!(count("fault "), 15, "{seen:#?}");
    assert_eq!(count("heap "), 8, "{seen:#?}");
    assert_eq!(count("text "), 11, "{seen:#?}");
    assert_eq!(count("stmt "), 23, "{seen:#?}");
    assert_eq!(count("op "), 28, "{seen:#?}");
    assert_eq!(count("type "), 10, "{seen:#?}");
    assert_eq!(count("read "), 7, "{seen:#?}");
    assert_eq!(count("expr "), 8, "{seen:#?}");
    assert_eq!((count("output "), count("shape "), count("inputs "), count("storage ")), (3, 3, 3, 3));
}

#[test]
fn what_is_switched_off_does_not_appear() {
    let shows = |stmt: &Stmt, feature: Feature| match feature {
        Feature::Loops => matches!(stmt, Stmt::Loop { .. }),
        Feature::Switch => matches!(stmt, Stmt::Switch { .. }),
        Feature::Strings => matches!(stmt, Stmt::Text(_) | Stmt::OutText(_)),
        Feature::Heap => matches!(stmt, Stmt::Heap(HeapOp::Push(_) | HeapOp::Sum(_) | HeapOp::Grow(_))),
        Feature::Calls => matches!(stmt, Stmt::Call { .. }),
        Feature::Pointers => matches!(stmt, Stmt::CallTable { .. }),
        Feature::Recursion => matches!(stmt, Stmt::Recur { .. }),
        Feature::Records => matches!(stmt, Stmt::CopyRecord(..) | Stmt::Through { .. }),
        Feature::Goto => matches!(stmt, Stmt::Skip(..) | Stmt::Again { .. } | Stmt::Enter { .. }),
        Feature::Errors => matches!(stmt, Stmt::Fault(_)),
        Feature::Index => matches!(stmt, Stmt::Assign(Place::LocalElem(..) | Place::GlobalElem(..), _)),
        Feature::Buffers => matches!(stmt, Stmt::Buffer(_)),
        Feature::Chosen => {
            matches!(stmt, Stmt::ChosenFloat { .. } | Stmt::ChosenCall { .. } | Stmt::ChosenJump { .. })
        }
        Feature::World => matches!(stmt, Stmt::World(_)),
        Feature::Wide | Feature::Printf => false,
    };
    for (feature, name) in FEATURES {
        let appears = |features: Features| {
            (0..150).any(|seed| {
                let mut program = r#gen::program(seed, 0, features);
                let mut found = match feature {
                    Feature::Wide => program.globals.iter().any(|global| global.ty.bits > 32),
                    Feature::Printf => program.output == Output::Printf,
                    _ => false,
                };
                program.each_stmt(&mut |stmt| found |= shows(stmt, feature));
                found
            })
        };
        assert!(appears(Features::ALL.with(feature)), "{name}");
        // Other functions than the recursive one are called plainly as well.
        let off = Features::ALL.without(feature);
        let off = if feature == Feature::Calls {
            off.without(Feature::Recursion).without(Feature::Pointers)
        } else {
            off
        };
        assert!(!appears(off), "{name}");
    }
}

#[test]
fn planted_errors_of_each_kind_are_recognised() {
    let tools = Toolchain::new("clang-22").unwrap();
    let when = || {
        Expr::Cmp(
            rejoin_oracle::ast::Cmp::Eq,
            rejoin_oracle::ast::U8,
            Box::new(Expr::Input(0)),
            Box::new(Expr::int(7)),
        )
    };
    let (one, int32) = (|| Expr::int(1), rejoin_oracle::ast::I32);
    let mut right = when();
    right = Expr::LogicNot(Box::new(right));
    let faults = [
        (Fault::Null { when: when(), write: false, value: one() }, "ptr"),
        (Fault::AfterFree { when: when(), write: true, value: one() }, "ptr"),
        (Fault::DoubleFree { when: when() }, "free"),
        (Fault::BadFree { when: when(), inside: true }, "free"),
        (Fault::BadFree { when: when(), inside: false }, "free"),
        (Fault::Divide { ty: int32, rem: true, left: one(), right }, "div"),
        (Fault::MinByMinusOne { ty: int32, rem: false, when: when() }, "overflow"),
        (Fault::Assert { holds: Expr::LogicNot(Box::new(when())) }, "assert"),
        (Fault::Abort { when: when() }, "abort"),
        (Fault::Report { when: when() }, "user"),
        (Fault::Constant { when: when() }, "read_only"),
        (Fault::NullCall { when: when(), value: one() }, "ptr"),
        (Fault::Unreachable { when: when() }, "unreachable_call"),
    ];
    for (fault, kind) in faults {
        let mut program = r#gen::program(1, 0, Features::NONE);
        program.inputs.shape = Shape::Bytes;
        program.inputs.ranges = vec![(0, 255)];
        program.assumptions.clear();
        program.functions.truncate(1);
        program.functions[0].result = Expr::int(0);
        program.functions[0].body = vec![Stmt::Fault(fault)];
        let scratch = tempfile::tempdir().unwrap();
        let case = accept::brute_force(&tools, 1, program, scratch.path()).unwrap();
        assert_eq!(sanitized::confirm(&tools, &case.native, scratch.path()), Ok(1));
        let errors: Vec<_> =
            case.native.classes.iter().filter(|class| class.outcome.kind != "exit").collect();
        assert_eq!(errors.len(), 1, "{kind}:\n{}", case.source);
        assert_eq!((errors[0].outcome.kind.as_str(), errors[0].inputs, errors[0].first), (kind, 1, 7));
        let line = case.source.lines().nth(errors[0].outcome.line as usize - 1).unwrap();
        assert!(line.ends_with(';'), "the error is in `{line}`");
    }
}

/// Values that no solver knows are chosen by branches where that is asked for.
#[test]
fn every_kind_of_chosen_value_appears_on_request() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let features = Features::parse("all,chosen").unwrap();
    for seed in 0..100 {
        let mut program = r#gen::program(seed, 0, features);
        program.each_stmt(&mut |stmt| *seen.entry(kind(stmt)).or_default() += 1);
    }
    for what in ["ChosenFloat", "ChosenCall", "ChosenJump"] {
        assert!(seen.get(what).is_some_and(|n| *n >= 10), "{what}: {seen:?}");
    }
}

/// Programs with a world read what they are given, and the sanitizers agree on what they do.
#[test]
fn worlds_have_arguments_standard_input_and_files() {
    let features = Features::parse("all,world").unwrap();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..150 {
        let mut program = r#gen::program(seed, 0, features);
        let world = program.world.clone().unwrap();
        let bytes = world.args.iter().sum::<usize>() + world.stdin + world.file;
        assert_eq!(bytes, program.inputs.ranges.len());
        for (there, what) in
            [(!world.args.is_empty(), "arguments"), (world.stdin > 0, "stdin"), (world.file > 0, "file")]
        {
            *seen.entry(what.into()).or_default() += usize::from(there);
        }
        program.each_stmt(&mut |stmt| {
            if let Stmt::World(op) = stmt {
                *seen.entry(kind(op)).or_default() += 1;
            }
        });
    }
    assert_eq!(seen.len(), 16, "{seen:#?}");
    assert!(seen.values().all(|n| *n >= 10), "{seen:#?}");
    let tools = Toolchain::new("clang-22").unwrap();
    for seed in 1..=6 {
        let scratch = tempfile::tempdir().unwrap();
        let case = accept::case(&tools, seed, features, Limits::default(), scratch.path()).unwrap();
        sanitized::confirm(&tools, &case.native, scratch.path()).unwrap();
        let outcomes = &case.native.classes;
        assert!(outcomes.len() > 1, "seed {seed} does the same on all inputs:\n{}", case.source);
    }
}
