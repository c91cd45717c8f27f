//! The estimate on compiled C.

use rejoin_analysis::qce::{Params, Qce, Sites};
use rejoin_analysis::report::{Line, lines};
use rejoin_bitcode::{Options, load};
use std::path::Path;

fn counted(program: &str, params: Params) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program);
    let module =
        load(&Options { inputs: vec![path], ..Options::default() }).unwrap_or_else(|e| panic!("{e}"));
    let module = std::rc::Rc::new(module);
    lines(&module, &Qce::new(std::rc::Rc::clone(&module), params))
}

fn q_add(line: &Line, name: &str) -> f64 {
    line.variables.iter().find(|v| v.name == name).map_or(0.0, |v| v.q_add.to_f64())
}

#[test]
fn figure_1_comes_out_exactly_from_source() {
    let params = Params { alpha: 0.5, beta: 0.6, kappa: 1, sites: Sites::Branches, ..Params::default() };
    let lines = counted("figure1.c", params);
    let line7 = lines.iter().find(|l| l.line == 7).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(line7.q_t.to_f64(), 2.92), "{line7:?}");
    assert!(near(q_add(line7, "arg"), 1.6), "{line7:?}");
    assert!(near(q_add(line7, "r"), 1.32), "{line7:?}");
    let hot: Vec<&str> = line7.variables.iter().filter(|v| v.hot).map(|v| v.name.as_str()).collect();
    assert_eq!(hot, ["arg"]);
}

/// Everything that the parser decides depends on its position and the text behind it; the sum only
/// decides at the end.
#[test]
fn the_position_of_a_parser_is_hot_and_its_result_is_not() {
    let lines = counted("sum.c", Params { alpha: 1e-3, sites: Sites::Branches, ..Params::default() });
    let in_loop = lines.iter().find(|l| l.line == 13).unwrap();
    let hot = |name: &str| in_loop.variables.iter().any(|v| v.hot && v.name == name);
    assert!(hot("p[0..8]") && hot("p[0]->[0..1]") && hot("p[0]->[..]"), "{in_loop:?}");
    assert!(!hot("v"), "{in_loop:?}");
    let start = lines.iter().find(|l| l.line == 27).unwrap();
    assert!(start.variables.iter().any(|v| v.hot && v.name == "argv[8]->[..]"), "{start:?}");
}
