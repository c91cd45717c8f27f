//! Counts across calls.

use rejoin_analysis::callgraph::CallGraph;
use rejoin_analysis::qce::{Base, Cell, Count, Counts, Extent, Location, Params, Qce, Sites, Variable};
use rejoin_ir::{BlockId, FuncId, GlobalId, Module, Reg};
use std::rc::Rc;

fn parse(text: &str) -> Module {
    let module = rejoin_ir::text::parse(text).unwrap();
    rejoin_ir::verify::verify(&module).unwrap_or_else(|e| panic!("{}", e[0]));
    module
}

fn qce(m: &Module, beta: f64, kappa: u32) -> Qce {
    Qce::new(
        Rc::new(m.clone()),
        Params { alpha: 0.5, beta, kappa, sites: Sites::Branches, ..Params::default() },
    )
}

fn reg(r: u32) -> Variable {
    Variable::Register(Reg(r))
}

fn behind(r: u32) -> Variable {
    let extent = Extent::Bytes { offset: 0, size: 4 };
    Variable::Memory(Cell { base: Base::Pointer(Reg(r)), extent })
}

fn is(a: Count, b: f64) -> bool {
    (a.to_f64() - b).abs() < 1e-9
}

/// `if (a < b) {} if (*p) {} *p = b; return a;`, called with twice the same value.
const PAIR: &str = "func @g(i32 %0, i32 %1, ptr %2) -> i32 slots 9 {
    b0: %3 = icmp.slt i32 %0, %1
        branch %3, b1, b2
    b1: jump b2
    b2: %4 = load i32 %2
        %5 = icmp.eq i32 %4, 0
        branch %5, b3, b4
    b3: jump b4
    b4: store i32 %1, %2
        return (i32 %0)
    }
    func @f(i32 %0, i32 %1, i32 %2) slots 12 {
    b0: jump b1
    b1: %3 = alloca size 4 align 4 count 1
        store i32 %1, %3
        %4 = call @g(i32 %0, i32 %0, ptr %3) -> i32
        %5 = icmp.eq i32 %4, %2
        branch %5, b2, b3
    b2: jump b3
    b3: return ()
    }";

#[test]
fn a_call_counts_as_if_it_were_inlined() {
    let m = parse(PAIR);
    let qce = qce(&m, 0.6, 1);
    let entry = Location::Head(BlockId(0));
    let g = qce.function(FuncId(0));
    assert!(is(g.at(entry).unwrap().q_t, 1.0 + 2.0 * 0.6));
    assert!(is(g.q_add(entry, reg(0)), 1.0) && is(g.q_add(entry, reg(1)), 1.0));
    assert!(is(g.q_add(entry, behind(2)), 1.2));
    let f = qce.function(FuncId(1));
    assert!(is(f.at(entry).unwrap().q_t, 2.2 + 1.0));
    // The comparison of %0 with itself is one query; the result is another.
    assert!(is(f.q_add(entry, reg(0)), 2.0), "{}", f.q_add(entry, reg(0)));
    assert!(is(f.q_add(entry, reg(1)), 1.2));
    assert!(is(f.q_add(entry, reg(2)), 1.0));
}

#[test]
fn a_stack_adds_up_where_its_frames_return_to() {
    let m = parse(PAIR);
    let qce = qce(&m, 0.6, 1);
    let call = m.functions[1].insts.iter().position(|i| matches!(i, rejoin_ir::Inst::Call { .. })).unwrap();
    let caller = (FuncId(1), Location::AfterCall(call as u32));
    assert!(is(qce.counts(caller.0, caller.1).unwrap().q_t, 1.0));
    let stack = [caller, (FuncId(0), Location::Head(BlockId(2)))];
    let sum = qce.stack(&stack);
    assert!(is(sum.q_t, 2.0));
    // The result of the call is not there yet; %2 of the caller waits to be compared with it, and %0
    // of the callee will be the result.
    let found: Vec<_> = sum.q_add.iter().map(|(v, _)| *v).collect();
    assert_eq!(found, [(0, reg(2)), (1, reg(0)), (1, reg(2)), (1, behind(2))]);
    assert!(sum.q_add.iter().all(|(_, q)| is(*q, 1.0)));
    assert!(qce.hot(&stack).is_empty());
    assert_eq!(qce.hot(&stack[..1]).len(), 1);
}

/// `copy(from, to) { goto b1; b1: *to = *from; }`, `pass(p, q) { copy(p, q); }`, and a caller that
/// compares what was copied: nothing is asked in the callees, all is asked after them.
#[test]
fn what_callees_leave_behind_counts_with_the_queries_of_callers() {
    let text = "func @copy(ptr %0, ptr %1) slots 3 {
        b0: jump b1
        b1: %2 = load i32 %0 store i32 %2, %1 return ()
    }
    func @pass(ptr %0, ptr %1) slots 2 { b0: call @copy(ptr %0, ptr %1) return () }
    func @f(ptr %0) slots 8 {
    b0: %1 = alloca size 4 align 4 count 1
        call @pass(ptr %0, ptr %1)
        %2 = load i32 %1
        %3 = icmp.eq i32 %2, 0
        branch %3, b1, b1
    b1: return ()
    }";
    let m = parse(text);
    let qce = qce(&m, 0.6, 1);
    let after = |f: u32| {
        let is_call = |i: &rejoin_ir::Inst| matches!(i, rejoin_ir::Inst::Call { .. });
        let call = m.functions[f as usize].insts.iter().position(is_call).unwrap();
        (FuncId(f), Location::AfterCall(call as u32))
    };
    let copy = (FuncId(0), Location::Head(BlockId(1)));
    assert!(qce.counts(copy.0, copy.1).unwrap().q_t.is_zero());
    let sum = qce.stack(&[after(2), after(1), copy]);
    let found = sum.q_add.iter().find(|(v, _)| *v == (2, behind(0)));
    assert!(found.is_some_and(|(_, q)| is(*q, 1.0)), "{:?}", sum.q_add);
    assert!(is(sum.q_t, 1.0));
}

/// As getopt does it: a callee keeps a position in memory that its caller copies to a global, and main
/// looks at the global.
#[test]
fn what_a_caller_copies_to_a_global_counts_with_the_queries_on_the_global() {
    let text = "func @inner(ptr %0) slots 1 { b0: jump b1 b1: store i32 1, %0 return () }
    func @outer() slots 2 { b0: call @inner(ptr @data) %0 = load i32 @data store i32 %0, @position return () }
    func @wrapper() { b0: call @outer() return () }
    func @main() slots 2 {
        b0: call @wrapper() %0 = load i32 @position %1 = icmp.eq i32 %0, 0 branch %1, b1, b1
        b1: return ()
    }
    global @data size 4 align 4 init \"\"
    global @position size 4 align 4 init \"\"";
    let m = parse(text);
    let qce = qce(&m, 0.6, 1);
    let after = |f: u32, call: u32| (FuncId(f), Location::AfterCall(call));
    let stack = [after(3, 0), after(2, 0), after(1, 0)];
    let data = Variable::Memory(Cell {
        base: Base::Global(GlobalId(0)),
        extent: Extent::Bytes { offset: 0, size: 4 },
    });
    let sum = qce.stack(&stack);
    let found = sum.q_add.iter().find(|(v, _)| *v == (0, data));
    assert!(found.is_some_and(|(_, q)| is(*q, 1.0)), "{:?}", sum.q_add);
}

#[test]
fn results_depend_on_what_the_callee_makes_them_of() {
    let text = "func @second(i32 %0, i32 %1) -> i32 slots 2 { b0: return (i32 %1) }
    func @set(ptr %0, i32 %1) slots 2 { b0: store i32 %1, %0 return () }
    func @f(i32 %0, i32 %1, i32 %2) slots 12 {
    b0: %3 = alloca size 4 align 4 count 1
        jump b1
    b1: store i32 %2, %3
        call @set(ptr %3, i32 %1)
        %4 = load i32 %3
        %5 = call @second(i32 %0, i32 %4) -> i32
        %6 = icmp.eq i32 %5, 0
        branch %6, b2, b2
    b2: return ()
    }";
    let m = parse(text);
    let f = qce(&m, 0.6, 1);
    let f = f.function(FuncId(2));
    let head = Location::Head(BlockId(1));
    assert_eq!([0, 1, 2].map(|r| f.q_add(head, reg(r)).to_f64()), [0.0, 1.0, 0.0]);
}

#[test]
fn globals_pass_through_calls() {
    let text = "func @check() slots 2 {
        b0: %0 = load i32 @g %1 = icmp.eq i32 %0, 0 branch %1, b1, b1
        b1: return ()
    }
    func @f(i32 %0) slots 1 { b0: call @check() store i32 %0, @g call @check() return () }
    global @g size 4 align 4 init \"\"";
    let m = parse(text);
    let qce = qce(&m, 0.6, 1);
    let global = Variable::Memory(Cell {
        base: Base::Global(GlobalId(0)),
        extent: Extent::Bytes { offset: 0, size: 4 },
    });
    let f = qce.function(FuncId(1));
    let head = Location::Head(BlockId(0));
    assert!(is(f.q_add(head, global), 1.0) && is(f.q_add(head, reg(0)), 1.0));
    assert!(is(f.at(head).unwrap().q_t, 2.0));
    let stack = [(FuncId(1), Location::AfterCall(0)), (FuncId(0), head)];
    let sum = qce.stack(&stack);
    assert_eq!(sum.q_add.iter().map(|(v, _)| *v).collect::<Vec<_>>(), [(0, reg(0)), (0, global)]);
}

/// `down(n) { if (n) down(n - 1); }`: 1 + β(1 + β(… 1)), κ deep.
#[test]
fn recursion_is_unrolled_kappa_levels_deep() {
    let text = "func @down(i32 %0) slots 3 {
        b0: %1 = icmp.ne i32 %0, 0 branch %1, b1, b2
        b1: %2 = sub i32 %0, 1 call @down(i32 %2) jump b2
        b2: return ()
    }";
    let m = parse(text);
    for (kappa, expected) in [(1, 1.0), (2, 1.6), (3, 1.96)] {
        let qce = qce(&m, 0.6, kappa);
        let f = qce.function(FuncId(0));
        let head = Location::Head(BlockId(0));
        assert!(is(f.at(head).unwrap().q_t, expected));
        assert!(is(f.q_add(head, reg(0)), expected));
    }
}

#[test]
fn functions_that_call_each_other_come_to_an_end() {
    let text = "func @even(i32 %0) -> i32 slots 4 {
        b0: %1 = icmp.eq i32 %0, 0 branch %1, b1(%3 = i32 1), b2
        b1: return (i32 %3)
        b2: %2 = sub i32 %0, 1 %3 = call @odd(i32 %2) -> i32 jump b1
    }
    func @odd(i32 %0) -> i32 slots 4 {
        b0: %1 = icmp.eq i32 %0, 0 branch %1, b1(%3 = i32 0), b2
        b1: return (i32 %3)
        b2: %2 = sub i32 %0, 1 %3 = call @even(i32 %2) -> i32 jump b1
    }";
    let m = parse(text);
    let qce = qce(&m, 0.8, 1000);
    assert!(is(qce.counts(FuncId(0), Location::Head(BlockId(0))).unwrap().q_t, 5.0));
}

#[test]
fn opaque_functions_have_no_counts() {
    let m = parse(PAIR);
    let params = Params { sites: Sites::Branches, opaque: ["g".to_owned()].into(), ..Params::default() };
    let qce = Qce::new(Rc::new(m.clone()), params);
    assert_eq!(qce.counts(FuncId(0), Location::Head(BlockId(0))), None);
    assert!(is(qce.counts(FuncId(1), Location::Head(BlockId(0))).unwrap().q_t, 1.0));
}

#[test]
fn the_sum_over_no_frames_is_empty() {
    let qce = qce(&parse(PAIR), 0.6, 1);
    assert!(qce.stack(&[]).q_t.is_zero());
    assert_eq!(qce.counts(FuncId(0), Location::AfterCall(0)), None::<&Counts>);
}

const INDIRECT: &str = "func @a(i32 %0) -> i32 slots 2 {
        b0: %1 = icmp.eq i32 %0, 0 branch %1, b1, b1
        b1: return (i32 %0)
    }
    func @b(i32 %0) -> i32 { b0: return (i32 %0) }
    func @other(i64 %0) -> i32 { b0: return (i32 0) }
    func @f(ptr %0, i32 %1) -> i32 slots 4 { b0: %2 = call *%0(i32 %1) -> i32 return (i32 %2) }
    global @table size 24 align 8 constant init \"\" relocs [0: @a, 8: @b, 16: @other]";

#[test]
fn indirect_calls_reach_functions_of_their_type_whose_address_is_taken() {
    let m = parse(INDIRECT);
    let calls = CallGraph::new(&m);
    assert_eq!(calls.address_taken(), [FuncId(0), FuncId(1), FuncId(2)]);
    assert_eq!(calls.callees(FuncId(3)), [FuncId(0), FuncId(1)]);
    let order: Vec<FuncId> = calls.bottom_up().iter().flatten().copied().collect();
    let place = |f| order.iter().position(|&o| o == FuncId(f)).unwrap();
    assert!(place(3) > place(0) && place(3) > place(1));
    let qce = qce(&m, 0.6, 1);
    let f = qce.function(FuncId(3));
    assert!(is(f.q_add(Location::Head(BlockId(0)), reg(1)), 0.6));
}
