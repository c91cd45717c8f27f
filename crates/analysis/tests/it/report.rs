//! The table per source line.

use crate::echo::echo;
use rejoin_analysis::qce::{Params, Qce, Sites};
use rejoin_analysis::report::{Table, lines};
use std::rc::Rc;

#[test]
fn the_lines_of_figure_1_show_names_counts_and_what_is_hot() {
    let m = echo();
    let params = Params { alpha: 0.5, beta: 0.6, kappa: 1, sites: Sites::Branches, ..Params::default() };
    let lines = lines(&m, &Qce::new(Rc::new(m.clone()), params));
    let numbers: Vec<u32> = lines.iter().map(|l| l.line).collect();
    assert_eq!(numbers, [3, 4, 5, 7, 8, 9, 10, 11, 12]);
    let text = Table { module: &m, lines: &lines }.to_string();
    let line = |n: &str| text.lines().find(|l| l.trim_start().starts_with(n)).unwrap().trim().to_owned();
    assert!(text.starts_with("main (echo.c)\n"));
    assert_eq!(line("7 "), "7         2.92  arg*=1.6 r=1.32 argc=1 argv=0.6 argv[..]=0.6");
    assert_eq!(line("10 "), "10            1  r*=1");
    assert_eq!(line("12 "), "12            0");
}
