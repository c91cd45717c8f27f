//! The dependence against runs: two states that differ in one variable go the same path, and every
//! site that sees different values must have been said to depend on that variable.

use crate::random::{self, Choices, Shape};
use rejoin_analysis::cfg::Cfg;
use rejoin_analysis::dependence::{Base, Cell, Sites, Variable, dependents};
use rejoin_ir::builder::ModuleBuilder;
use rejoin_ir::{BlockId, Copy, FuncId, Function, Global, Init, Inst, LocId, Module, Operand, Reg};

#[derive(Clone)]
struct State {
    regs: Vec<u64>,
    global: u64,
}

fn value(m: &Module, s: &State, operand: Operand) -> u64 {
    operand.as_reg().map_or_else(|| m.const_bits(operand.as_const().unwrap()).unwrap(), |r| s.regs[r.index()])
}

/// Runs an instruction of the kinds that random functions have.
fn step(m: &Module, s: &mut State, inst: &Inst) {
    match *inst {
        Inst::Move { dst, a, .. } => s.regs[dst.index()] = value(m, s, a),
        Inst::Bin { dst, a, b, .. } => s.regs[dst.index()] = value(m, s, a).wrapping_add(value(m, s, b)),
        Inst::Cmp { dst, a, b, .. } => s.regs[dst.index()] = value(m, s, a) ^ value(m, s, b),
        Inst::Load { dst, .. } => s.regs[dst.index()] = s.global,
        Inst::Store { value: v, .. } => s.global = value(m, s, v),
        _ => assert!(inst.is_terminator(), "{inst:?}"),
    }
}

fn copies(m: &Module, s: &mut State, copies: &[Copy]) {
    let values: Vec<u64> = copies.iter().map(|c| value(m, s, c.src)).collect();
    copies.iter().zip(values).for_each(|(c, v)| s.regs[c.dst.index()] = v);
}

fn asks(inst: &Inst) -> Option<Operand> {
    match *inst {
        Inst::Branch { cond, .. } => Some(cond),
        Inst::Switch { value, .. } => Some(value),
        _ => None,
    }
}

/// The sites that see different values on a random path of both states.
fn differing(
    m: &Module,
    f: &Function,
    start: BlockId,
    mut a: State,
    mut b: State,
    c: &mut Choices,
) -> Vec<u32> {
    let mut found = Vec::new();
    let mut at = start;
    for _ in 0..12 {
        for i in f.blocks[at.index()].insts.indices() {
            let inst = &f.insts[i];
            if asks(inst).is_some_and(|o| value(m, &a, o) != value(m, &b, o)) {
                found.push(i as u32);
            }
            step(m, &mut a, inst);
            step(m, &mut b, inst);
        }
        let edges: Vec<_> = f.out_edges(at).collect();
        if edges.is_empty() {
            break;
        }
        let edge = edges[c.below(edges.len())];
        copies(m, &mut a, f.copies_of(edge));
        copies(m, &mut b, f.copies_of(edge));
        at = f.edges[edge.index()].target;
    }
    found
}

fn program(seed: u64) -> Module {
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
    let shape = Shape { blocks: 2 + seed as usize % 7, insts: 5, reach: None, callees: Vec::new() };
    let f = random::function(&mut m, "f", &shape, &mut Choices::new(seed));
    m.function(f);
    m.finish()
}

#[test]
fn what_makes_a_site_differ_is_what_it_depends_on() {
    let mut seen = 0;
    for seed in 0..150 {
        let m = program(seed);
        let f = &m.functions[0];
        let mut c = Choices::new(seed + 1000);
        for &b in Cfg::new(f).reverse_postorder() {
            let found = dependents(&m, FuncId(0), Sites::Branches, b);
            let is_global = |v: &Variable| matches!(v, Variable::Memory(Cell { base: Base::Global(_), .. }));
            for changed in 0..=f.slots {
                let state = State {
                    regs: (0..f.slots).map(|_| c.below(1 << 30) as u64).collect(),
                    global: c.below(1 << 30) as u64,
                };
                let mut other = state.clone();
                match other.regs.get_mut(changed as usize) {
                    Some(reg) => *reg += 1 << 40,
                    None => other.global += 1 << 40,
                }
                let known = found.iter().find(|(v, _)| match changed < f.slots {
                    true => *v == Variable::Register(Reg(changed)),
                    false => is_global(v),
                });
                for site in differing(&m, f, b, state, other, &mut c) {
                    let listed = known.is_some_and(|(_, on)| on.contains(&site));
                    assert!(listed, "seed {seed}: {b:?}, variable {changed}, site {site}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 500, "{seen}");
}
