//! Random functions from a list of numbers: every list makes one.

use rejoin_ir::builder::{FunctionBuilder, ModuleBuilder};
use rejoin_ir::{
    Address, Arg, BinOp, BlockId, Callee, Copy, FuncId, Function, Inst, IntPred, Module, Operand, Reg, Type,
};

/// The numbers that decide.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Self {
        Choices(seed)
    }

    /// SplitMix64.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// How to make a function.
pub(crate) struct Shape {
    pub(crate) blocks: usize,
    /// Instructions per block, beside the terminator.
    pub(crate) insts: usize,
    /// How far an edge leads, in blocks: `None` for anywhere.
    pub(crate) reach: Option<usize>,
    /// Functions that may be called; they take two numbers and return one.
    pub(crate) callees: Vec<FuncId>,
}

const REGS: u32 = 6;

/// A function of two 32-bit numbers. All its registers are set in the entry block, and then set
/// again by anything anywhere, so every use is defined.
pub(crate) fn function(m: &mut ModuleBuilder, name: &str, shape: &Shape, c: &mut Choices) -> Function {
    let i32_ = Type::Int(32);
    let mut f = FunctionBuilder::new(name, &[i32_]);
    f.param(i32_);
    f.param(i32_);
    let regs: Vec<Reg> = (0..REGS).map(|_| f.reg(32)).collect();
    let global = m.module().globals.first().map(|_| Address::Global(rejoin_ir::GlobalId(0), 0));
    let ids: Vec<BlockId> = (0..shape.blocks).map(|_| f.block(None)).collect();
    for (n, &block) in ids.iter().enumerate() {
        f.switch_to(block);
        if n == 0 {
            for (i, &dst) in regs.iter().enumerate() {
                let a = if i < 2 { Operand::reg(Reg(i as u32)) } else { m.constant(i as u64) };
                f.push(Inst::Move { w: 32, dst, a });
            }
        }
        for _ in 0..c.below(shape.insts + 1) {
            let (dst, a, b) =
                (regs[c.below(6)], Operand::reg(regs[c.below(6)]), Operand::reg(regs[c.below(6)]));
            match (c.below(8), global) {
                (0, Some(g)) => {
                    let addr = m.address(g);
                    f.push(Inst::Load { w: 32, dst, addr });
                }
                (1, Some(g)) => {
                    let addr = m.address(g);
                    f.push(Inst::Store { w: 32, value: a, addr });
                }
                (2, _) if !shape.callees.is_empty() => {
                    let callee = Callee::Direct(shape.callees[c.below(shape.callees.len())]);
                    let result = f.call(callee, &[Arg::new(i32_, a), Arg::new(i32_, b)], &[i32_]);
                    f.push(Inst::Move { w: 32, dst, a: Operand::reg(result) });
                }
                _ => {
                    f.push(Inst::Bin { op: BinOp::Add, w: 32, dst, a, b });
                }
            }
        }
        let target = |c: &mut Choices| match shape.reach {
            None => ids[1 + c.below(shape.blocks - 1)],
            Some(reach) => ids[(n + 1 + c.below(reach)).min(shape.blocks - 1)],
        };
        let back = |c: &mut Choices| match shape.reach {
            Some(reach) if n > reach && c.below(3) == 0 => ids[n - c.below(reach)],
            _ => target(c),
        };
        let copy = |c: &mut Choices| {
            let n = c.below(3);
            (0..n)
                .map(|i| Copy { w: 32, dst: regs[i], src: Operand::reg(regs[c.below(6)]) })
                .collect::<Vec<_>>()
        };
        let last = n + 1 == shape.blocks;
        // In a large function few blocks return, or most of it would be unreachable.
        let kind = c.below(8).max(usize::from(shape.reach.is_some()));
        match if shape.blocks == 1 || last { 0 } else { kind } {
            0 => f.ret(&[Arg::new(i32_, Operand::reg(regs[c.below(6)]))]),
            1..=3 => {
                let (to, copies) = (target(c), copy(c));
                f.jump(to, &copies);
            }
            4 => {
                let (to, copies) = (target(c), copy(c));
                let default = f.edge(to, &copies);
                let (to, copies) = (target(c), copy(c));
                let other = f.edge(to, &copies);
                f.switch(
                    32,
                    Operand::reg(regs[c.below(6)]),
                    vec![(1, other), (2, other), (3, default)],
                    default,
                );
            }
            _ => {
                let (a, b) = (Operand::reg(regs[c.below(6)]), m.constant(c.below(4) as u64));
                let cond = f.cmp(IntPred::Slt, 32, a, b);
                let (to, copies) = (target(c), copy(c));
                let then = f.edge(to, &copies);
                let (to, copies) = (back(c), copy(c));
                let els = f.edge(to, &copies);
                f.push(Inst::Branch { cond, then, els });
            }
        }
    }
    f.finish()
}

/// A module with one random function.
pub(crate) fn module(seed: u64, blocks: usize, insts: usize) -> Module {
    let mut m = ModuleBuilder::new();
    let shape = Shape { blocks, insts, reach: None, callees: Vec::new() };
    let f = function(&mut m, "f", &shape, &mut Choices::new(seed));
    m.function(f);
    let module = m.finish();
    rejoin_ir::verify::verify(&module).unwrap_or_else(|e| panic!("{}", e[0]));
    module
}
