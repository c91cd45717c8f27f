//! Queries about functions and instructions, and the canonical layout.

use rejoin_ir::text::{parse, print};
use rejoin_ir::verify::verify;
use rejoin_ir::*;

const SOURCE: &str = "\
func @f(i64 %0, ...) -> i64 slots 8 {
b0:
  %1 = call @f(i64 %0, i32 7) -> i128, i64
  switch i64 %3, [default, 4: b1(%4 = i64 %0) | 1, 9: b2]
b1:
  %5, %6 = uadd.overflow i64 %4, 1
  jump b2
b2:
  goto %3, [ b1(%4 = i64 2), b2 ]
}
";

fn blocks(ids: impl Iterator<Item = BlockId>) -> Vec<u32> {
    ids.map(|b| b.0).collect()
}

#[test]
fn successors_follow_the_terminators_edges() {
    let module = parse(SOURCE).unwrap();
    let f = &module.functions[0];
    assert_eq!(blocks(f.successors(BlockId(0))), [1, 2, 1, 2]);
    assert_eq!(blocks(f.successors(BlockId(1))), [2]);
    assert_eq!(blocks(f.successors(BlockId(2))), [1, 2]);
    assert_eq!(f.out_edges(BlockId(2)).collect::<Vec<_>>(), [EdgeId(3), EdgeId(4)]);
    assert_eq!(f.copies_of(EdgeId(0)).len(), 1);
    assert_eq!(blocks(f.successors(BlockId(9))), [0; 0]);
}

#[test]
fn instructions_know_their_block() {
    let module = parse(SOURCE).unwrap();
    let f = &module.functions[0];
    let found: Vec<_> = (0..6).map(|i| f.block_of_inst(i).map(|b| b.0)).collect();
    assert_eq!(found, [Some(0), Some(0), Some(1), Some(1), Some(2), None]);
    assert_eq!(f.terminator(BlockId(1)), Some(&Inst::Jump { edge: EdgeId(2) }));
}

#[test]
fn defs_and_uses_come_with_widths() {
    let module = parse(SOURCE).unwrap();
    let f = &module.functions[0];
    let defs = |i: usize| {
        let mut defs = Vec::new();
        f.insts[i].for_each_def(f, |reg, w| defs.push((reg.0, w)));
        defs
    };
    let uses = |i: usize| {
        let mut uses = Vec::new();
        f.insts[i].for_each_use(f, |operand, w| uses.push((operand.as_reg().map(|r| r.0), w)));
        uses
    };
    assert_eq!(defs(0), [(1, 128), (3, 64)]);
    assert_eq!(uses(0), [(Some(0), 64), (None, 32)]);
    assert_eq!(uses(1), [(Some(3), 64)]);
    assert_eq!(defs(2), [(5, 64), (6, 1)]);
    assert_eq!(uses(2), [(Some(4), 64), (None, 64)]);
    assert_eq!(defs(4), []);
    assert_eq!(uses(4), [(Some(3), 64)]);
}

#[test]
fn locations_are_shown_as_far_as_they_are_known() {
    let module = parse("files { \"a.c\" } locs { 0:3:4, 0:3:0, 0:0:0, 7:1:1 }").unwrap();
    let shown = |loc| module.display_loc(loc).to_string();
    let all: Vec<String> = (0..4).map(|i| shown(LocId(i))).collect();
    assert_eq!(all, ["a.c:3:4", "a.c:3", "a.c", "?"]);
    assert_eq!(shown(LocId::NONE), "?");
}

#[test]
fn canonical_layout_changes_no_meaning() {
    let canonical = parse(SOURCE).unwrap();
    let mut module = canonical.clone();
    let f = &mut module.functions[0];
    // Other positions in the pools: edges backwards, unused entries in front.
    f.edges.reverse();
    let moved = |e: EdgeId| EdgeId(4 - e.0);
    f.switches[0].default = moved(f.switches[0].default);
    f.switches[0].cases.iter_mut().for_each(|case| case.1 = moved(case.1));
    f.indirect.iter_mut().for_each(|e| *e = moved(*e));
    f.copies.insert(0, Copy { w: 1, dst: Reg(0), src: Operand::reg(Reg(0)) });
    f.edges.iter_mut().for_each(|e| e.copies.start += 1);
    f.args.insert(0, f.args[0]);
    for inst in &mut f.insts {
        match inst {
            Inst::Jump { edge } => *edge = moved(*edge),
            Inst::Call { args, .. } => args.start += 1,
            _ => {}
        }
    }
    assert_ne!(module, canonical);
    assert_eq!(print(&module), print(&canonical));
    module.canonicalize();
    assert_eq!(module, canonical);
    module.canonicalize();
    assert_eq!(module, canonical);
}

#[test]
fn a_shared_edge_becomes_two() {
    let mut module = parse("func @f() {\nb0:\n  branch 1, b1, b1\nb1:\n  trap\n}").unwrap();
    let f = &mut module.functions[0];
    f.insts[0] = match f.insts[0] {
        Inst::Branch { cond, then, .. } => Inst::Branch { cond, then, els: then },
        inst => inst,
    };
    assert!(verify(&module).is_err());
    module.canonicalize();
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(module.functions[0].edges.len(), 2);
}
