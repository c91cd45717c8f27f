//! Large programs: fast enough, and numbers stay numbers.

use crate::random::{Choices, Shape, function};
use rejoin_analysis::qce::{Params, Qce};
use rejoin_ir::builder::ModuleBuilder;
use rejoin_ir::{FuncId, Global, Init, LocId, Module};
use std::rc::Rc;
use std::time::{Duration, Instant};

fn program(functions: u32, blocks: usize, insts: usize) -> Module {
    let mut c = Choices::new(1);
    let mut m = ModuleBuilder::new();
    m.global(Global {
        name: "g".to_owned(),
        size: 4,
        align: 4,
        constant: false,
        weak: false,
        init: Some(Init::default()),
        loc: LocId::NONE,
    });
    for n in 0..functions {
        // Some call a later function, so there is recursion.
        let callees = (0..3).map(|_| FuncId(c.below(n as usize + 1 + n as usize % 2) as u32));
        let callees = callees.filter(|f| f.0 < functions).collect();
        let shape = Shape { blocks: blocks / 2 + c.below(blocks / 2 + 1), insts, reach: Some(3), callees };
        let f = function(&mut m, &format!("f{n}"), &shape, &mut c);
        m.function(f);
    }
    let m = m.finish();
    rejoin_ir::verify::verify(&m).unwrap_or_else(|e| panic!("{}", e[0]));
    m
}

#[test]
fn a_program_of_the_size_of_a_c_library_takes_seconds() {
    let m = program(1500, 60, 8);
    let start = Instant::now();
    let qce = Qce::new(Rc::new(m.clone()), Params::default());
    let took = start.elapsed();
    let counted: usize = (0..1500).map(|f| qce.function(FuncId(f)).iter().count()).sum();
    println!("{counted} locations: {took:?}");
    assert!(counted > 40_000);
    for f in 0..m.functions.len() as u32 {
        for (_, counts) in qce.function(FuncId(f)).iter() {
            assert!(counts.q_add.iter().all(|(_, q)| !q.is_zero() && *q <= counts.q_t));
        }
    }
    assert!(took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn a_function_of_thousands_of_blocks_takes_seconds() {
    let m = program(1, 4000, 6);
    let start = Instant::now();
    let qce = Qce::new(Rc::new(m.clone()), Params::default());
    let took = start.elapsed();
    let counted = qce.function(FuncId(0)).iter().count();
    println!("{counted} locations: {took:?}");
    assert!(counted > 2000);
    assert!(took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn the_same_program_has_the_same_counts() {
    let m = program(40, 30, 6);
    let [a, b] = [0, 1].map(|_| Qce::new(Rc::new(m.clone()), Params::default()));
    for f in (0..40).map(FuncId) {
        assert_eq!(a.function(f), b.function(f));
    }
}
