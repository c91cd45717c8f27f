//! Invariants 18 to 21: registers have one width and are defined before they are used.
//!
//! Nearly every use has a definition that dominates it, where a register that all edges to a block
//! copy into counts as defined at the block's head. Only for the others the paths are walked
//! backwards.

use super::cfg::Cfg;
use super::{Report, Rule};
use crate::{BlockId, Function, Operand, Reg, Type};

pub(super) fn check(f: &Function, source: &[BlockId], report: &mut Report<'_>) {
    let mut registers = Registers::new(f);
    registers.definitions(report);
    let cfg = Cfg::new(f, source);
    let points = Points::new(f, &cfg);
    let mut flow = Flow { f, cfg: &cfg, points: &points, source, suspects: Vec::new() };
    for b in (0..f.blocks.len() as u32).map(BlockId) {
        let insts = f.blocks[b.index()].insts;
        let is_reachable = cfg.is_reachable(b);
        let mut check_use = |operand: Operand, w, at, inst| {
            if let Some(reg) = operand.as_reg()
                && registers.check_use(reg, w, inst, report)
                && is_reachable
            {
                flow.check_use(Use { reg, block: b, at, inst });
            }
        };
        for i in insts.indices() {
            f.insts[i].for_each_use(f, |operand, w| check_use(operand, w, i as u32, i));
        }
        let end = insts.start + insts.len;
        for edge in f.out_edges(b) {
            for copy in f.copies_of(edge) {
                check_use(copy.src, copy.w, end, end as usize - 1);
            }
        }
    }
    flow.walk_suspects(report);
}

/// Widths of registers.
struct Registers<'f> {
    f: &'f Function,
    /// Per slot: the first slot of the register it belongs to.
    owner: Vec<u32>,
    /// Per register: its width; 0 if it is never defined.
    width: Vec<u16>,
    /// Per register: the last instruction or edge that defined it.
    site: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'f> Registers<'f> {
    fn new(f: &'f Function) -> Self {
        let slots = f.slots as usize;
        Registers { f, owner: vec![NONE; slots], width: vec![0; slots], site: vec![NONE; slots] }
    }

    fn definitions(&mut self, report: &mut Report<'_>) {
        let f = self.f;
        for param in &f.params {
            self.define(param.reg, param.ty.bits(), NONE - 1, None, report);
        }
        for (i, inst) in f.insts.iter().enumerate() {
            inst.for_each_def(f, |reg, w| self.define(reg, w, i as u32, Some(i), report));
        }
        for (e, edge) in f.edges.iter().enumerate() {
            for copy in edge.copies.of(&f.copies) {
                self.define(copy.dst, copy.w, (f.insts.len() + e) as u32, None, report);
            }
        }
    }

    fn define(&mut self, reg: Reg, w: u16, site: u32, inst: Option<usize>, report: &mut Report<'_>) {
        let r = reg.index();
        let distinct = std::mem::replace(&mut self.site[r], site) != site;
        report
            .check(distinct, Rule::DistinctResults, inst, || format!("%{} is defined twice at once", reg.0));
        let owners = &mut self.owner[r..r + Type::Int(w).slots() as usize];
        let fresh = owners.iter().all(|&owner| owner == NONE || owner == reg.0);
        owners.fill(reg.0);
        let same = self.width[r] == 0 || self.width[r] == w;
        report.check(fresh && same, Rule::RegisterWidths, inst, || {
            let how = if fresh { "with two widths" } else { "over another register" };
            format!("%{} is defined {how}", reg.0)
        });
        self.width[r] = w;
    }

    /// Whether the register has a definition, of that width.
    fn check_use(&self, reg: Reg, w: u16, inst: usize, report: &mut Report<'_>) -> bool {
        let defined = self.width[reg.index()];
        report.check(defined != 0, Rule::DefinedBeforeUse, Some(inst), || {
            format!("%{} is never defined", reg.0)
        }) && report.check(defined == w, Rule::UseWidths, Some(inst), || {
            format!("%{} has {defined} bits but is used with {w}", reg.0)
        })
    }
}

/// The places in reachable blocks from which on a register is defined: a block and the first
/// instruction that sees the definition (0 for the block's head).
struct Points {
    points: Vec<(BlockId, u32)>,
    /// Those of register `r` are at `start[r]..start[r + 1]`.
    start: Vec<u32>,
}

impl Points {
    fn new(f: &Function, cfg: &Cfg) -> Self {
        let mut all: Vec<(Reg, BlockId, u32)> =
            f.params.iter().map(|param| (param.reg, BlockId(0), 0)).collect();
        let mut copied = Vec::new();
        for b in (0..f.blocks.len() as u32).map(BlockId).filter(|b| cfg.is_reachable(*b)) {
            for i in f.blocks[b.index()].insts.indices() {
                f.insts[i].for_each_def(f, |reg, _| all.push((reg, b, i as u32 + 1)));
            }
            let in_edges = cfg.in_edges(b);
            copied.clear();
            copied.extend(in_edges.iter().flat_map(|e| f.copies_of(*e)).map(|copy| copy.dst));
            copied.sort_unstable();
            let on_all_edges = copied.chunk_by(|a, b| a == b).filter(|same| same.len() == in_edges.len());
            all.extend(on_all_edges.map(|same| (same[0], b, 0)));
        }
        let mut start = vec![0u32; f.slots as usize + 1];
        for (reg, ..) in &all {
            start[reg.index() + 1] += 1;
        }
        for r in 1..start.len() {
            start[r] += start[r - 1];
        }
        let mut next = start.clone();
        let mut points = vec![(BlockId(0), 0); all.len()];
        for (reg, b, from) in all {
            let slot = &mut next[reg.index()];
            points[*slot as usize] = (b, from);
            *slot += 1;
        }
        Points { points, start }
    }

    fn of(&self, reg: Reg) -> &[(BlockId, u32)] {
        &self.points[self.start[reg.index()] as usize..self.start[reg.index() + 1] as usize]
    }
}

/// A use of a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    reg: Reg,
    block: BlockId,
    /// The position of the use: an instruction, or the block's end for copies on its edges.
    at: u32,
    /// The instruction to report.
    inst: usize,
}

struct Flow<'a> {
    f: &'a Function,
    cfg: &'a Cfg,
    points: &'a Points,
    source: &'a [BlockId],
    /// Uses without a definition that dominates them.
    suspects: Vec<Use>,
}

impl Flow<'_> {
    fn check_use(&mut self, u: Use) {
        let dominated = |&(b, from): &(BlockId, u32)| {
            if b == u.block { from <= u.at } else { self.cfg.dominates(b, u.block) }
        };
        if !self.points.of(u.reg).iter().any(dominated) {
            self.suspects.push(u);
        }
    }

    fn walk_suspects(mut self, report: &mut Report<'_>) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_unstable();
        suspects.dedup();
        // Per block: the last register for which the block's head was looked at.
        let mut seen = vec![NONE; self.f.blocks.len()];
        for u in suspects {
            report.check(self.is_defined(u, &mut seen), Rule::DefinedBeforeUse, Some(u.inst), || {
                format!("%{} is used before it is defined", u.reg.0)
            });
        }
    }

    /// Walks backwards from a use until a definition on every path, or the entry on one. Heads seen
    /// on an earlier walk for the same register are not walked again.
    fn is_defined(&self, u: Use, seen: &mut [u32]) -> bool {
        let mut heads = vec![u.block];
        while let Some(b) = heads.pop() {
            if b == BlockId(0) {
                return false;
            }
            if std::mem::replace(&mut seen[b.index()], u.reg.0) == u.reg.0 {
                continue;
            }
            for &edge in self.cfg.in_edges(b) {
                let from = self.source[edge.index()];
                let copied = self.f.copies_of(edge).iter().any(|copy| copy.dst == u.reg);
                if !copied && !self.points.of(u.reg).iter().any(|&(b, _)| b == from) {
                    heads.push(from);
                }
            }
        }
        true
    }
}
