//! One broken module per invariant, each rejected with that invariant's number.

use rejoin_ir::text::parse;
use rejoin_ir::verify::{Rule, verify};
use rejoin_ir::*;

/// Violations that the text can say, with the invariant.
const TEXTS: &[(Rule, &str)] = &[
    (Rule::Symbols, "func @f() global @f size 1 align 1"),
    (Rule::Symbols, "func @f() func @f()"),
    (Rule::ModuleReferences, "locs { 0:1:1 }"),
    (Rule::ModuleReferences, "consts { global#0 }"),
    (Rule::ModuleReferences, "consts { fn#3 }"),
    (Rule::ModuleReferences, "func @f() { b0: trap } consts { @f:b1 }"),
    (Rule::ModuleReferences, "func @f() global @g size 8 align 1 init \"\" relocs [0: @f:b0]"),
    (Rule::ModuleReferences, "constructors [fn#0]"),
    (Rule::ModuleReferences, "global @g size 1 align 1 !#0"),
    (Rule::ModuleReferences, "func @f() !#0"),
    (Rule::GlobalAlignment, "global @g size 1 align 3"),
    (Rule::GlobalAlignment, "global @g size 1 align 0"),
    (Rule::InitialContent, "global @g size 2 align 1 init \"abc\""),
    (Rule::InitialAddresses, "global @g size 16 align 1 init \"\" relocs [0: @g, 7: @g]"),
    (Rule::InitialAddresses, "global @g size 16 align 1 init \"\" relocs [8: @g, 0: @g]"),
    (Rule::InitialAddresses, "global @g size 16 align 1 init \"\" relocs [9: @g]"),
    (Rule::InitialAddresses, "global @g size 16 align 1 init \"\" relocs [18446744073709551615: @g]"),
    (Rule::Parameters, "func @f(i128 %0, i8 %1)"),
    (Rule::Parameters, "func @f(i128 %0) slots 1 { b0: trap }"),
    (Rule::Types, "func @f(i0 %0)"),
    (Rule::Types, "func @f() -> i8193"),
    (Rule::Types, "func @f() slots 1 { b0: %0 = move i0 %0 trap }"),
    (Rule::Types, "func @f() slots 1 { b0: %0 = fptoui double 0 to i0 trap }"),
    (Rule::Types, "func @f() slots 1 { b0: jump b1(%0 = i0 %0) b1: trap }"),
    (Rule::Types, "func @f() { b0: call @f(i0 #0) trap } consts { 1 }"),
    (Rule::Blocks, "func @f() { b0: }"),
    (Rule::Blocks, "func @f() { b0: jump b1 b1: b2: trap }"),
    (Rule::Terminators, "func @f() { b0: %0 = move i8 1 }"),
    (Rule::Terminators, "func @f() { b0: trap %0 = move i8 1 trap }"),
    (Rule::References, "func @f() { b0: trap !#0 }"),
    (Rule::References, "func @f() { b0 #0: trap }"),
    (Rule::References, "func @f() { b0: unsupported #0 trap }"),
    (Rule::References, "func @f() slots 1 { var #0 = %0 line 1 b0: trap }"),
    (Rule::References, "func @f() { b0: call fn#1() trap }"),
    (Rule::Edges, "func @f() { b0: jump b2 b1: trap }"),
    (Rule::Entry, "func @f() { b0: jump b0 }"),
    (Rule::Slots, "func @f() slots 1 { b0: %0 = move i65 1 trap }"),
    (Rule::Slots, "func @f() slots 1 { b0: store i65 %0, 0 trap }"),
    (Rule::Slots, "func @f() slots 1 { var \"x\" = %1 line 1 b0: trap }"),
    (Rule::Slots, "func @f() slots 1 { b0: jump b1(%0 = i8 %1) b1: trap }"),
    (Rule::Slots, "func @f() { b0: %0 = move i65 #0 trap } consts { 1 }"),
    (Rule::Slots, "func @f() { b0: %0 = ptradd.wide 0, i8 1 scale #9 trap } consts { 0, 1 }"),
    (Rule::Slots, "func @f() slots 16777217 { b0: trap }"),
    (Rule::Constants, "func @f() { b0: %0 = move i8 #0 trap } consts { 256 }"),
    (Rule::Constants, "func @f() { b0: %0 = move i65 #0 trap } consts { 0, 2 }"),
    (Rule::Constants, "func @f() { b0: %0 = move i32 #0 trap } consts { @f }"),
    (Rule::Constants, "func @f() { b0: jump b1(%0 = i8 #0) b1: trap } consts { 256 }"),
    (Rule::Operations, "func @f() { b0: %0 = zext i8 1 to i8 trap }"),
    (Rule::Operations, "func @f() { b0: %0 = trunc i8 1 to i16 trap }"),
    (Rule::Operations, "func @f() { b0: %0 = bswap i24 1 trap }"),
    (Rule::Operations, "func @f() { b0: %0 = fptofp i32 1 to float trap }"),
    (Rule::Operations, "func @f() { b0: %0 = sitofp ptr 1 to float trap }"),
    (Rule::Operations, "func @f() { b0: %0 = fptosi float 1 to ptr trap }"),
    (Rule::Operations, "func @f() { b0: %0 = fpclass half 1 mask 1024 trap }"),
    (Rule::DistinctResults, "func @f() { b0: %0, %0 = uadd.overflow i1 0, 1 trap }"),
    (Rule::DistinctResults, "func @f() { b0: jump b1(%0 = i8 1, %0 = i8 2) b1: trap }"),
    (Rule::RegisterWidths, "func @f() { b0: %0 = move i8 1 %0 = move i9 1 trap }"),
    (Rule::RegisterWidths, "func @f() { b0: %0 = move i128 1 %1 = move i8 1 trap }"),
    (Rule::RegisterWidths, "func @f(i8 %0) { b0: jump b1(%0 = i9 1) b1: trap }"),
    (Rule::RegisterWidths, "func @f() { b0: %0 = move i8 1 %0 = call *0() -> i8, i8 %1 = move i9 1 trap }"),
    (Rule::UseWidths, "func @f(i8 %0) { b0: %1 = move i9 %0 trap }"),
    (Rule::UseWidths, "func @f(i128 %0) { b0: jump b1(%2 = i64 %0) b1: trap }"),
    (Rule::UseWidths, "func @f(i8 %0) -> i9 { b0: return (i9 %0) }"),
    (Rule::DefinedBeforeUse, "func @f() slots 1 { b0: store i8 %0, 0 trap }"),
    (Rule::DefinedBeforeUse, "func @f(i128 %0) { b0: store i8 %1, 0 trap }"),
    (Rule::DefinedBeforeUse, "func @f() { b0: store i8 %0, 0 %0 = move i8 1 trap }"),
    (
        Rule::DefinedBeforeUse,
        "func @f() { b0: branch 1, b1, b2 b1: %0 = move i8 1 jump b2 b2: store i8 %0, 0 trap }",
    ),
    (Rule::DefinedBeforeUse, "func @f() { b0: branch 1, b1(%0 = i8 1), b1 b1: store i8 %0, 0 trap }"),
    (Rule::DefinedBeforeUse, "func @f() { b0: jump b1(%0 = i8 %0) b1: trap }"),
    (
        Rule::DefinedBeforeUse,
        "func @f() { b0: jump b1 b1: store i8 %0, 0 %0 = move i8 1 branch 1, b1, b2 b2: trap }",
    ),
    (Rule::DefinedBeforeUse, "func @f() slots 1 { b0: trap b1: store i8 %0, 0 trap }"),
    (Rule::SwitchCases, "func @f() { b0: switch i8 1, [default: b1 | 1: b1 | 1: b1] b1: trap }"),
    (Rule::Calls, "func @f(i8 %0) { b0: call @f() trap }"),
    (Rule::Calls, "func @f(i8 %0) { b0: call @f(i9 1) trap }"),
    (Rule::Calls, "func @f(i8 %0) { b0: call @f(i8 1, i8 1) trap }"),
    (Rule::Calls, "func @f(i8 %0, ...) { b0: call @f() trap }"),
    (Rule::Calls, "func @f() -> i8 { b0: %0 = call @f() -> i9 trap }"),
    (Rule::Calls, "func @f() -> i8 { b0: call @f() trap }"),
    (Rule::Returns, "func @f() -> i8 { b0: return () }"),
    (Rule::Returns, "func @f() -> i64 { b0: return (ptr 0) }"),
    (Rule::Alignments, "func @f() { b0: %0 = alloca size 1 align 6 count 1 trap }"),
    (Rule::Alignments, "func @f(...) { b0: call @f(ptr 0 byval 4 align 3) trap }"),
    (Rule::Alignments, "func @f(...) { b0: call @f(i8 0 byval 4 align 4) trap }"),
    (Rule::Scale, "func @f() { b0: %0 = ptradd.wide 0, i8 1 scale @f trap }"),
    (Rule::Variadic, "func @f() { b0: va_start 0 trap }"),
];

const TWO_BLOCKS: &str = "func @f(i8 %0) {
b0:
  %1 = move i8 %0
  switch i8 %1, [default: b1 | 1: b1 | 2: b1]
b1:
  switch i8 %1, [default: b2 | 1: b2 | 2: b2]
b2:
  goto 0, [ b3 ]
b3:
  trap
}";

type Change = fn(&mut Function);

/// Violations that the text cannot say.
const CHANGES: &[(Rule, Change)] = &[
    (Rule::Declaration, |f| f.blocks.clear()),
    (Rule::Declaration, |f| *f = Function { debug_vars: debug_var(), ..Function::default() }),
    (Rule::ParallelTables, |f| f.locs.truncate(1)),
    (Rule::ParallelTables, |f| f.weights.push(1)),
    (Rule::Blocks, |f| f.blocks[1].insts.start += 1),
    (Rule::Blocks, |f| f.blocks.swap(0, 1)),
    (Rule::Blocks, |f| f.blocks[3].insts.len = u32::MAX),
    (Rule::Blocks, |f| f.blocks.truncate(3)),
    (Rule::References, |f| {
        f.insts[3] = Inst::IndirectJump { addr: reg(1), edges: Range { start: 1, len: 1 } }
    }),
    (Rule::References, |f| f.insts[4] = Inst::Return { values: Range { start: u32::MAX, len: u32::MAX } }),
    (Rule::References, |f| f.edges[0].copies.len = 1),
    (Rule::References, |f| f.insts[1] = Inst::Switch { w: 8, value: reg(1), table: 2 }),
    (Rule::References, |f| f.indirect[0] = EdgeId(99)),
    (Rule::Edges, |f| f.edges.push(f.edges[0])),
    (Rule::Edges, |f| f.switches[0].default = EdgeId(3)),
    (Rule::Edges, |f| f.insts[1] = Inst::Switch { w: 8, value: reg(1), table: 1 }),
    (Rule::Edges, |f| f.insts[2] = Inst::Branch { cond: reg(1), then: EdgeId(3), els: EdgeId(3) }),
    (Rule::Slots, |f| {
        let scale = ConstId(u32::MAX);
        f.insts[0] = Inst::PtrAddWide { w: 8, dst: Reg(1), base: reg(0), index: reg(0), scale };
    }),
    (Rule::SwitchCases, |f| f.switches[0].cases.reverse()),
    (Rule::SwitchCases, |f| f.switches[0].cases[1].0 = 256),
    (Rule::Operations, |f| {
        f.insts[0] = Inst::Cast { op: CastOp::ZExt, from: 8, to: 129, dst: Reg(1), a: reg(0) };
        f.slots = 4;
        for i in [1, 2] {
            f.insts[i] = Inst::Switch { w: 129, value: reg(1), table: i as u32 - 1 };
        }
    }),
];

fn reg(r: u32) -> Operand {
    Operand::reg(Reg(r))
}

fn debug_var() -> Vec<DebugVar> {
    vec![DebugVar { name: TextId(0), place: DebugVarPlace::Value(Reg(0)), line: 0 }]
}

fn broken() -> impl Iterator<Item = (Rule, String, Module)> {
    let texts = TEXTS.iter().map(|&(rule, text)| {
        let module = parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
        (rule, text.to_owned(), module)
    });
    let changes = CHANGES.iter().enumerate().map(|(i, &(rule, change))| {
        let mut module = parse(TWO_BLOCKS).unwrap();
        change(&mut module.functions[0]);
        (rule, format!("change {i}"), module)
    });
    texts.chain(changes)
}

#[test]
fn each_broken_module_is_rejected_by_its_invariant() {
    for (rule, what, module) in broken() {
        let errors = verify(&module).expect_err(&what);
        assert_eq!(errors[0].rule, rule, "{what}: {errors:?}");
        let said = format!("invariant {} ", rule as u8);
        assert!(errors[0].to_string().starts_with(&said), "{}", errors[0]);
    }
}

#[test]
fn every_invariant_of_the_list_has_a_broken_module() {
    let doc = include_str!("../../src/verify/mod.rs");
    let listed =
        doc.lines().filter_map(|line| line.strip_prefix("//! ")?.split_once(". ")?.0.parse::<u8>().ok());
    let mut tested: Vec<u8> = broken().map(|(rule, ..)| rule as u8).collect();
    tested.sort_unstable();
    tested.dedup();
    assert_eq!(tested, listed.collect::<Vec<_>>());
}

#[test]
fn what_the_changes_start_from_is_valid() {
    assert_eq!(verify(&parse(TWO_BLOCKS).unwrap()), Ok(()));
}

#[test]
fn a_definition_may_come_from_different_places() {
    for text in [
        // Each arm defines the register itself.
        "func @f() { b0: branch 1, b1, b2 b1: %0 = move i8 1 jump b3 b2: %0 = move i8 2 jump b3
         b3: store i8 %0, 0 trap }",
        // One by a copy, the other by an instruction, with a loop in between.
        "func @f() { b0: branch 1, b1, b2(%0 = i8 2) b1: %0 = move i8 1 jump b2
         b2: store i8 %0, 0 branch 0, b2, b3 b3: trap }",
        // A loop header whose back edge keeps the value.
        "func @f() { b0: jump b1(%0 = i8 2) b1: store i8 %0, 0 branch 0, b1, b2 b2: trap }",
        // Unreachable code may use what does not dominate it, and its edges do not count.
        "func @f() { b0: jump b1(%0 = i8 2) b1: store i8 %0, 0 trap b2: store i8 %0, 0 jump b1 }",
        // Indirect calls, and calls of declarations, need not fit.
        "func @g(i8 %0) func @f() { b0: call @g() call *@f(i8 1) trap }",
        // Copies of one edge happen at once: a swap.
        "func @f(i8 %0, i8 %1) { b0: jump b1(%2 = i8 %0, %3 = i8 %1) b1: jump b1(%2 = i8 %3, %3 = i8 %2) }",
    ] {
        assert_eq!(verify(&parse(text).unwrap()), Ok(()), "{text}");
    }
}

#[test]
fn reports_are_bounded() {
    let mut module = parse(TWO_BLOCKS).unwrap();
    module.functions = vec![module.functions[0].clone(); 500];
    assert_eq!(verify(&module).unwrap_err().len(), 100);
}
