//! The worked example of the paper: figure 1, and the same with other parameters.

use rejoin_analysis::qce::{Count, Location, Params, Qce, Sites, Variable};
use rejoin_ir::{BlockId, FuncId, Module, Reg};
use std::rc::Rc;

/// Figure 1, line by line; `putchar` and `strcmp` have no sites.
const ECHO: &str = r#"
func @strcmp(ptr %0, ptr %1) -> i32
func @putchar(i32 %0) -> i32
global @dash_n size 3 align 1 constant init "-n"
func @main(i32 %0, ptr %1) slots 30 {
  var "argc" = %0 line 1
  var "argv" = %1 line 1
  var "r" = %2 line 2
  var "arg" = %3 line 2
  var "i" = %4 line 8
b0 "line3":
  %5 = icmp.slt i32 1, %0 !0:3:1
  branch %5, b1, b3(%2 = i32 1, %3 = i32 1) !0:3:1
b1 "line4":
  %6 = ptradd %1, i32 1 scale 8 !0:4:1
  %7 = load i64 %6 !0:4:1
  %8 = call @strcmp(ptr %7, ptr @dash_n) -> i32 !0:4:1
  %9 = icmp.eq i32 %8, 0 !0:4:1
  branch %9, b2, b3(%2 = i32 1, %3 = i32 1) !0:4:1
b2 "line5":
  jump b3(%2 = i32 0, %3 = i32 2) !0:5:1
b3 "line7":
  %10 = icmp.slt i32 %3, %0 !0:7:1
  branch %10, b4(%4 = i32 0), b7 !0:7:1
b4 "line8":
  %11 = ptradd %1, i32 %3 scale 8 !0:8:1
  %12 = load i64 %11 !0:8:1
  %13 = ptradd %12, i32 %4 scale 1 !0:8:1
  %14 = load i8 %13 !0:8:1
  %15 = icmp.ne i8 %14, 0 !0:8:1
  branch %15, b5, b6 !0:8:1
b5 "line9":
  %16 = zext i8 %14 to i32 !0:9:1
  %17 = call @putchar(i32 %16) -> i32 !0:9:1
  %18 = add i32 %4, 1 !0:8:2
  jump b4(%4 = i32 %18) !0:8:2
b6 "next":
  %19 = add i32 %3, 1 !0:7:2
  jump b3(%3 = i32 %19) !0:7:2
b7 "line10":
  %20 = icmp.ne i32 %2, 0 !0:10:1
  branch %20, b8, b9 !0:10:1
b8 "line11":
  %21 = call @putchar(i32 10) -> i32 !0:11:1
  jump b9 !0:11:1
b9 "line12":
  return () !0:12:1
}
files { "echo.c" }
"#;

const LINE7: Location = Location::Head(BlockId(3));
const LINE8: Location = Location::Head(BlockId(4));
const R: Variable = Variable::Register(Reg(2));
const ARG: Variable = Variable::Register(Reg(3));
const I: Variable = Variable::Register(Reg(4));

pub(crate) fn echo() -> Module {
    let module = rejoin_ir::text::parse(ECHO).unwrap();
    rejoin_ir::verify::verify(&module).unwrap();
    module
}

fn qce(alpha: f64, beta: f64, kappa: u32) -> (Qce, FuncId) {
    let module = echo();
    let main = module.function("main").unwrap();
    let params = Params { alpha, beta, kappa, sites: Sites::Branches, ..Params::default() };
    (Qce::new(Rc::new(module.clone()), params), main)
}

fn close(a: Count, b: f64, relative: f64) -> bool {
    (a.to_f64() - b).abs() <= relative * b.abs()
}

#[test]
fn figure_1_comes_out_exactly() {
    let (qce, main) = qce(0.5, 0.6, 1);
    let f = qce.function(main);
    assert!(close(f.q_add(LINE7, ARG), 1.6, 1e-12));
    assert!(close(f.q_add(LINE7, R), 1.32, 1e-12));
    assert!(close(f.at(LINE7).unwrap().q_t, 2.92, 1e-12));
    let hot = qce.hot(&[(main, LINE7)]);
    assert_eq!(hot.iter().map(|(v, _)| *v).collect::<Vec<_>>(), [(0, ARG)]);
}

/// β, κ, then Q_add(7, arg), Q_add(7, r) and Q_t(7), rounded.
const VECTORS: [(f64, u32, [&str; 3]); 5] = [
    (0.8, 1, ["1.80", "2.08", "3.88"]),
    (0.6, 2, ["3.5123", "1.7025", "5.2148"]),
    (0.8, 2, ["6.5002", "4.9001", "11.4003"]),
    (0.8, 10, ["114422.32", "68654.39", "183076.72"]),
    (0.6, 10, ["16.1053", "4.2211", "20.3264"]),
];

#[test]
fn other_parameters_come_out_as_computed_by_hand() {
    for (beta, kappa, expected) in VECTORS {
        let (qce, main) = qce(0.5, beta, kappa);
        let f = qce.function(main);
        let found = [f.q_add(LINE7, ARG), f.q_add(LINE7, R), f.at(LINE7).unwrap().q_t];
        for (found, expected) in found.into_iter().zip(expected) {
            let digits = expected.len() - 1 - expected.find('.').unwrap();
            assert_eq!(format!("{:.digits$}", found.to_f64()), expected, "β = {beta}, κ = {kappa}");
        }
    }
}

#[test]
fn with_a_larger_beta_r_is_hot_instead() {
    let (qce, main) = qce(0.5, 0.8, 1);
    let hot = qce.hot(&[(main, LINE7)]);
    assert_eq!(hot.iter().map(|(v, _)| *v).collect::<Vec<_>>(), [(0, R)]);
}

/// `i` starts anew in each outer iteration, so only the current run of the inner loop depends on it:
/// 1 + β + β² at line 8 for κ = 3. After the loop it is dead.
#[test]
fn the_inner_counter_counts_only_in_the_current_run_of_its_loop() {
    let (qce, main) = qce(0.5, 0.6, 3);
    let f = qce.function(main);
    assert!(close(f.q_add(LINE8, I), 1.0 + 0.6 + 0.36, 1e-12), "{}", f.q_add(LINE8, I));
    assert!(f.q_add(LINE8, ARG) > f.q_add(LINE8, I) * 2.0);
    assert!(f.q_add(LINE7, I).is_zero());
    assert!(f.q_add(Location::Head(BlockId(6)), I).is_zero());
}
