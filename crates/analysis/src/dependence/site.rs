//! Query sites: where the engine may have to ask a solver.

use super::summary::Summaries;
use super::variable::{VarId, Variables};
use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
use crate::count::Count;
use rejoin_ir::{BinOp, BlockId, Callee, Function, Inst, Module, Operand};
use std::collections::BTreeMap;

/// What a question about an address counts beside one about a condition. An address that is one of
/// several is dear: the access becomes a choice between objects, and so does all that is read.
const ADDRESS_WEIGHT: f64 = 8.0;

/// Which instructions are query sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sites {
    /// Branches, switches and computed jumps; addresses of loads, stores and block operations that
    /// are not fixed; divisors and shift amounts that are not constant; indirect calls.
    #[default]
    All,
    /// Branches, switches and computed jumps only, as in the paper's formula.
    Branches,
}

/// Queries at one place that depend on the same variables.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) block: BlockId,
    pub(crate) inst: u32,
    /// How many queries: the weight of the operand, or the local count of what is called there.
    pub(crate) weight: Count,
    pub(crate) on: Vec<VarId>,
}

/// The sites of a function, in the order of its instructions. Those that depend on no variable are
/// only summed up.
pub(crate) struct SiteTable {
    pub(crate) sites: Vec<Site>,
    /// The sites of instruction `i` are at `start[i]..start[i + 1]`.
    start: Vec<u32>,
    /// Per instruction: the weight of all its queries.
    pub(crate) total: Vec<Count>,
    /// Per instruction: the weight of its queries that depend on no variable.
    pub(crate) free: Vec<Count>,
}

impl SiteTable {
    pub(crate) fn of(&self, inst: usize) -> std::ops::Range<usize> {
        self.start[inst] as usize..self.start[inst + 1] as usize
    }
}

/// The share of its weight that a place with `ways` ways to go on passes to each of them: β for
/// two, as in the paper. For more the sum stays below β/(1-β), as if they were tested one by one.
pub(crate) fn share(beta: f64, ways: usize) -> f64 {
    if ways <= 1 { 1.0 } else { beta / (beta + (1.0 - beta) * (ways as f64 - 1.0)) }
}

pub(crate) struct Collector<'a> {
    pub(crate) m: &'a Module,
    pub(crate) f: &'a Function,
    pub(crate) cfg: &'a Cfg,
    pub(crate) calls: &'a CallGraph,
    pub(crate) summaries: &'a Summaries,
    pub(crate) kind: Sites,
    pub(crate) beta: f64,
}

impl Collector<'_> {
    pub(crate) fn collect(&self, v: &mut Variables<'_>) -> SiteTable {
        let insts = self.f.insts.len();
        let mut table = SiteTable {
            sites: Vec::new(),
            start: Vec::with_capacity(insts + 1),
            total: vec![Count::ZERO; insts],
            free: vec![Count::ZERO; insts],
        };
        for b in (0..self.f.blocks.len() as u32).map(BlockId) {
            for i in self.f.blocks[b.index()].insts.indices() {
                table.start.push(table.sites.len() as u32);
                if self.cfg.is_reachable(b) {
                    self.inst(b, i as u32, v, &mut table);
                }
            }
        }
        table.start.push(table.sites.len() as u32);
        table
    }

    fn inst(&self, block: BlockId, i: u32, v: &mut Variables<'_>, table: &mut SiteTable) {
        let inst = &self.f.insts[i as usize];
        // Calls of several functions may depend on the same variables: they are one site.
        let mut found: BTreeMap<Vec<VarId>, Count> = BTreeMap::new();
        for (operand, weight) in self.operands(inst, v).into_iter().flatten() {
            if let Some(id) = v.register(operand) {
                *found.entry(vec![id]).or_default() += Count::from(weight);
            }
        }
        if let Inst::Call { args, .. } = inst {
            let targets = self.calls.targets(self.f, inst);
            let share = share(self.beta, targets.len());
            for &callee in targets {
                let Some(summary) = self.summaries.get(callee) else { continue };
                for atom in &summary.atoms {
                    let translated = atom.on.iter().filter_map(|&u| {
                        v.translate(&self.m.functions[callee.index()], u, args.of(&self.f.args))
                    });
                    let mut on: Vec<VarId> = translated.collect();
                    on.sort_unstable();
                    on.dedup();
                    *found.entry(on).or_default() += atom.weight * share;
                }
            }
        }
        for (on, weight) in found {
            table.total[i as usize] += weight;
            if on.is_empty() {
                table.free[i as usize] = weight;
            } else {
                table.sites.push(Site { block, inst: i, weight, on });
            }
        }
    }

    /// What an instruction may ask about: one query per operand, with its weight.
    fn operands(&self, inst: &Inst, v: &Variables<'_>) -> [Option<(Operand, f64)>; 3] {
        let plain = |o: Operand| Some((o, 1.0));
        let dear = |o: Operand| Some((o, ADDRESS_WEIGHT));
        let address = |a: Operand| if v.is_fixed(a) { None } else { dear(a) };
        match *inst {
            Inst::Branch { cond, .. } => [plain(cond), None, None],
            Inst::Switch { value, .. } => [plain(value), None, None],
            Inst::IndirectJump { addr, .. } => [plain(addr), None, None],
            _ if self.kind == Sites::Branches => [None; 3],
            Inst::Load { addr, .. }
            | Inst::Store { addr, .. }
            | Inst::AtomicRmw { addr, .. }
            | Inst::CmpXchg { addr, .. } => [address(addr), None, None],
            Inst::MemCopy { dst, src, len, .. } => [address(dst), address(src), dear(len)],
            Inst::MemSet { dst, len, .. } => [address(dst), dear(len), None],
            Inst::Bin { op, b, .. } if checks_operand(op) => [plain(b), None, None],
            Inst::Call { callee: Callee::Indirect(addr), .. } => [dear(addr), None, None],
            _ => [None; 3],
        }
    }
}

/// Whether the machine checks the second operand: for zero, or for a shift that is too far.
fn checks_operand(op: BinOp) -> bool {
    use BinOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
    matches!(op, UDiv | SDiv | URem | SRem | Shl | LShr | AShr)
}
