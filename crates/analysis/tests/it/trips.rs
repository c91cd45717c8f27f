//! Trip counts that can be read off, and such that cannot.

use rejoin_analysis::cfg::Cfg;
use rejoin_analysis::loops::Loops;
use rejoin_analysis::trips::Trips;

fn trips(body: &str) -> Vec<Option<u32>> {
    let module = rejoin_ir::text::parse(&format!("func @f(i32 %0) slots 9 {{ {body} }}")).unwrap();
    rejoin_ir::verify::verify(&module).unwrap();
    let f = &module.functions[0];
    let cfg = Cfg::new(f);
    let loops = Loops::new(f, &cfg);
    let trips = Trips::new(&module, f, &cfg, &loops);
    loops.ids().map(|l| trips.of(l)).collect()
}

fn head_tested(first: &str, test: &str, step: &str) -> Vec<Option<u32>> {
    trips(&format!(
        "b0: jump b1(%1 = i32 {first})
         b1: %2 = {test}
             branch %2, b2, b3
         b2: %3 = {step}
             jump b1(%1 = i32 %3)
         b3: return ()"
    ))
}

#[test]
fn counters_with_constant_bounds_are_counted() {
    assert_eq!(head_tested("0", "icmp.slt i32 %1, 16", "add i32 %1, 1"), [Some(17)]);
    assert_eq!(head_tested("16", "icmp.ne i32 0, %1", "sub i32 %1, 2"), [Some(9)]);
    assert_eq!(head_tested("0", "icmp.ule i32 %1, 10", "add i32 3, %1"), [Some(5)]);
    assert_eq!(head_tested("-2", "icmp.slt i32 %1, 1", "add i32 %1, 1"), [Some(4)]);
    assert_eq!(head_tested("5", "icmp.ult i32 %1, 5", "add i32 %1, 1"), [Some(1)]);
    assert_eq!(head_tested("0", "icmp.ult i32 100, %1", "add i32 %1, 1"), [Some(1)]);
}

#[test]
fn other_loops_are_not() {
    assert_eq!(head_tested("%0", "icmp.slt i32 %1, 16", "add i32 %1, 1"), [None]);
    assert_eq!(head_tested("0", "icmp.slt i32 %1, %0", "add i32 %1, 1"), [None]);
    assert_eq!(head_tested("0", "icmp.slt i32 %1, 16", "add i32 %1, %0"), [None]);
    assert_eq!(head_tested("0", "icmp.slt i32 %1, 16", "mul i32 %1, 2"), [None]);
    assert_eq!(head_tested("1", "icmp.ne i32 %1, 0", "add i32 %1, 2"), [None]);
}

#[test]
fn a_test_at_the_end_counts_the_next_value() {
    let body = "b0: jump b1(%1 = i32 0)
         b1: %2 = add i32 %1, 1
             %3 = icmp.eq i32 %2, 8
             branch %3, b2, b1(%1 = i32 %2)
         b2: return ()";
    assert_eq!(trips(body), [Some(8)]);
}

#[test]
fn the_earliest_of_several_exits_bounds_a_loop_and_a_test_on_one_side_does_not() {
    let body = "b0: jump b1(%1 = i32 0)
         b1: %2 = icmp.slt i32 %1, 100
             branch %2, b2, b5
         b2: %4 = icmp.eq i32 %0, 7
             branch %4, b3, b4
         b3: %5 = icmp.slt i32 %1, 3
             branch %5, b4, b5
         b4: %3 = add i32 %1, 1
             jump b1(%1 = i32 %3)
         b5: return ()";
    assert_eq!(trips(body), [Some(101)]);
    let always = body.replace("branch %4, b3, b4", "branch %4, b3, b3");
    assert_eq!(trips(&always), [Some(4)]);
}

#[test]
fn nested_loops_have_counts_of_their_own() {
    let body = "b0: jump b1(%1 = i32 0)
         b1: %2 = icmp.slt i32 %1, 3
             branch %2, b2(%4 = i32 0), b5
         b2: %5 = icmp.slt i32 %4, 5
             branch %5, b3, b4
         b3: %6 = add i32 %4, 1
             jump b2(%4 = i32 %6)
         b4: %3 = add i32 %1, 1
             jump b1(%1 = i32 %3)
         b5: return ()";
    assert_eq!(trips(body), [Some(4), Some(6)]);
}
