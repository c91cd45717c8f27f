//! The estimate on compiled C.

use rejoin_analysis::dependence::settled;
use rejoin_analysis::qce::{Params, Qce, Sites};
use rejoin_analysis::report::{Line, lines};
use rejoin_bitcode::{Options, load};
use rejoin_ir::{FuncId, Module};
use std::path::Path;

fn module(program: &str) -> Module {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let include_dirs = vec![here.join("../../runtime/include")];
    let options = Options { inputs: vec![here.join(program)], include_dirs, ..Options::default() };
    load(&options).unwrap_or_else(|e| panic!("{e}"))
}

fn counted(program: &str, params: Params) -> Vec<Line> {
    let module = std::rc::Rc::new(module(&format!("tests/programs/{program}")));
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

/// The facts are found by passing on new ones only: nothing may be missing.
#[test]
fn a_further_pass_over_all_blocks_finds_nothing_new() {
    let programs = ["expr", "json", "tokens", "options"].map(|p| format!("../../bench/programs/{p}.c"));
    let mut facts = 0;
    for program in
        programs.iter().map(String::as_str).chain(["tests/programs/figure1.c", "tests/programs/sum.c"])
    {
        let m = module(program);
        for f in (0..m.functions.len() as u32).map(FuncId) {
            for sites in [Sites::All, Sites::Branches] {
                let found = settled(&m, f, sites);
                facts += found.unwrap_or_else(|b| panic!("{program}, function {f:?}, {b:?}"));
            }
        }
    }
    assert!(facts > 500, "{facts}");
}
