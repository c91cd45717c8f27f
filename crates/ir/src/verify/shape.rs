//! Invariants 6 to 15: the tables of a function. After them, every id can be followed.

use super::module::loc_exists;
use super::{Report, Rule};
use crate::{
    BlockId, Callee, ConstId, DebugVarPlace, EdgeId, Function, Inst, Module, Operand, Range, Reg, Type,
};

const MAX_WIDTH: u16 = 8192;
const MAX_SLOTS: u32 = 1 << 24;

/// The source block of every edge, as far as the tables are in order.
pub(super) fn check<'m>(m: &'m Module, f: &'m Function, report: &mut Report<'m>) -> Vec<BlockId> {
    let mut shape = Shape { m, f, report };
    shape.signature();
    if f.is_declaration() {
        shape.declaration();
        return Vec::new();
    }
    shape.tables();
    let partition = shape.blocks();
    for (i, inst) in f.insts.iter().enumerate() {
        shape.inst(i, inst);
    }
    shape.copies();
    if partition { shape.edges() } else { Vec::new() }
}

struct Shape<'a, 'm> {
    m: &'m Module,
    f: &'m Function,
    report: &'a mut Report<'m>,
}

impl Shape<'_, '_> {
    fn signature(&mut self) {
        let f = self.f;
        self.report.check(f.slots <= MAX_SLOTS, Rule::Slots, None, || format!("{} slots", f.slots));
        self.report.check(loc_exists(self.m, f.loc), Rule::ModuleReferences, None, || {
            format!("it is at location {}", f.loc.0)
        });
        let mut next = 0u32;
        for param in &f.params {
            self.ty(param.ty, None);
            self.report.check(param.reg == Reg(next), Rule::Parameters, None, || {
                format!("a parameter is in %{} instead of %{next}", param.reg.0)
            });
            next = next.saturating_add(param.ty.slots());
        }
        self.report.check(f.is_declaration() || next <= f.slots, Rule::Parameters, None, || {
            format!("parameters take {next} of {} slots", f.slots)
        });
        for &ty in f.rets.iter().chain(&f.types).chain(f.args.iter().map(|arg| &arg.ty)) {
            self.ty(ty, None);
        }
    }

    fn declaration(&mut self) {
        let f = self.f;
        let empty = f.insts.is_empty()
            && f.locs.is_empty()
            && f.weights.is_empty()
            && f.edges.is_empty()
            && f.copies.is_empty()
            && f.args.is_empty()
            && f.types.is_empty()
            && f.switches.is_empty()
            && f.indirect.is_empty()
            && f.debug_vars.is_empty();
        self.report.check(empty, Rule::Declaration, None, || "a declaration has contents".to_owned());
    }

    fn tables(&mut self) {
        let (m, f) = (self.m, self.f);
        let parallel = f.locs.len() == f.insts.len() && f.weights.len() == f.insts.len();
        self.report.check(parallel, Rule::ParallelTables, None, || {
            let (locs, weights) = (f.locs.len(), f.weights.len());
            format!("{} instructions, {locs} locations, {weights} weights", f.insts.len())
        });
        for (i, loc) in f.locs.iter().enumerate() {
            self.reference(loc_exists(m, *loc), Some(i), "location", loc.0);
        }
        for name in f.blocks.iter().filter_map(|block| block.name) {
            self.reference(name.index() < m.texts.len(), None, "text", name.0);
        }
        for var in &f.debug_vars {
            self.reference(var.name.index() < m.texts.len(), None, "text", var.name.0);
            let (DebugVarPlace::Value(reg) | DebugVarPlace::Object(reg)) = var.place;
            self.register(reg, 1, None);
        }
    }

    /// Whether the blocks partition the instructions.
    fn blocks(&mut self) -> bool {
        let f = self.f;
        let mut next = 0u32;
        for (b, block) in f.blocks.iter().enumerate() {
            let Range { start, len } = block.insts;
            let holds = start == next && len > 0 && u64::from(start) + u64::from(len) <= f.insts.len() as u64;
            if !self.report.check(holds, Rule::Blocks, None, || {
                format!("block b{b} has instructions {start} to {start} + {len} instead of {next} on")
            }) {
                return false;
            }
            next = start + len;
            for i in start..next {
                let i = i as usize;
                let last = i + 1 == next as usize;
                self.report.check(f.insts[i].is_terminator() == last, Rule::Terminators, Some(i), || {
                    let how = if last { "ends without a terminator" } else { "goes on after a terminator" };
                    format!("block b{b} {how}")
                });
            }
        }
        self.report.check(next as usize == f.insts.len(), Rule::Blocks, None, || {
            format!("{} instructions lie outside all blocks", f.insts.len() - next as usize)
        })
    }

    fn inst(&mut self, i: usize, inst: &Inst) {
        let (m, f) = (self.m, self.f);
        let at = Some(i);
        self.widths(inst, at);
        match *inst {
            Inst::Call { callee, args, rets, .. } => {
                self.range(args, f.args.len(), at);
                self.range(rets, f.types.len(), at);
                if let Callee::Direct(callee) = callee {
                    self.reference(callee.index() < m.functions.len(), at, "function", callee.0);
                }
            }
            Inst::Return { values } => self.range(values, f.args.len(), at),
            Inst::IndirectJump { edges, .. } => self.range(edges, f.indirect.len(), at),
            Inst::Switch { table, .. } => {
                self.reference((table as usize) < f.switches.len(), at, "switch table", table);
            }
            Inst::Unsupported { what } => self.reference(what.index() < m.texts.len(), at, "text", what.0),
            Inst::PtrAddWide { scale, .. } => self.constant(scale, 64, at),
            _ => {}
        }
        inst.for_each_def(f, |reg, w| self.register(reg, w, at));
        inst.for_each_use(f, |operand, w| self.operand(operand, w, at));
    }

    fn widths(&mut self, inst: &Inst, at: Option<usize>) {
        match *inst {
            Inst::Cast { from, to, .. } => {
                self.ty(Type::Int(from), at);
                self.ty(Type::Int(to), at);
            }
            Inst::FloatCast { from, to, .. } => {
                self.ty(from, at);
                self.ty(to, at);
            }
            Inst::Bin { w, .. }
            | Inst::Un { w, .. }
            | Inst::Overflow { w, .. }
            | Inst::Funnel { w, .. }
            | Inst::Cmp { w, .. }
            | Inst::Select { w, .. }
            | Inst::Move { w, .. }
            | Inst::PtrAdd { w, .. }
            | Inst::PtrAddWide { w, .. }
            | Inst::Load { w, .. }
            | Inst::Store { w, .. }
            | Inst::AtomicRmw { w, .. }
            | Inst::CmpXchg { w, .. }
            | Inst::ObjectSize { w, .. }
            | Inst::Switch { w, .. } => self.ty(Type::Int(w), at),
            _ => {}
        }
    }

    fn copies(&mut self) {
        let f = self.f;
        for edge in &f.edges {
            self.range(edge.copies, f.copies.len(), None);
        }
        for copy in &f.copies {
            self.ty(Type::Int(copy.w), None);
            self.register(copy.dst, copy.w, None);
            self.operand(copy.src, copy.w, None);
        }
    }

    fn edges(&mut self) -> Vec<BlockId> {
        let f = self.f;
        const NOWHERE: BlockId = BlockId(u32::MAX);
        let mut source = vec![NOWHERE; f.edges.len()];
        let mut table_used = vec![false; f.switches.len()];
        for (b, block) in f.blocks.iter().enumerate() {
            let last = (block.insts.start + block.insts.len - 1) as usize;
            let b = BlockId(b as u32);
            let terminator = &f.insts[last];
            if let Inst::Switch { table, .. } = *terminator {
                let shared =
                    table_used.get_mut(table as usize).is_some_and(|used| std::mem::replace(used, true));
                self.report
                    .check(!shared, Rule::Edges, Some(last), || "two switches share a table".to_owned());
            }
            for EdgeId(e) in f.edges_of(Some(terminator)) {
                let Some(source) = source.get_mut(e as usize) else {
                    self.reference(false, Some(last), "edge", e);
                    continue;
                };
                let fresh = *source == NOWHERE;
                let shared_case = *source == b && matches!(terminator, Inst::Switch { .. });
                *source = b;
                self.report.check(fresh || shared_case, Rule::Edges, Some(last), || {
                    format!("edge {e} is used a second time")
                });
            }
        }
        for (e, edge) in f.edges.iter().enumerate() {
            self.report.check(source[e] != NOWHERE, Rule::Edges, None, || format!("edge {e} is not used"));
            self.report.check(edge.target.index() < f.blocks.len(), Rule::Edges, None, || {
                format!("edge {e} leads to block b{}", edge.target.0)
            });
            self.report.check(edge.target != BlockId(0), Rule::Entry, None, || {
                format!("edge {e} leads to the entry")
            });
        }
        source
    }

    fn ty(&mut self, ty: Type, at: Option<usize>) {
        self.report.check((1..=MAX_WIDTH).contains(&ty.bits()), Rule::Types, at, || format!("type {ty}"));
    }

    fn reference(&mut self, exists: bool, at: Option<usize>, what: &str, id: u32) {
        self.report.check(exists, Rule::References, at, || format!("{what} {id} does not exist"));
    }

    fn range(&mut self, range: Range, len: usize, at: Option<usize>) {
        let end = u64::from(range.start) + u64::from(range.len);
        self.report.check(end <= len as u64, Rule::References, at, || {
            format!("a range ends at {end} in a pool of {len}")
        });
    }

    fn register(&mut self, reg: Reg, w: u16, at: Option<usize>) {
        let end = u64::from(reg.0) + u64::from(Type::Int(w).slots());
        let slots = u64::from(self.f.slots);
        self.report.check(end <= slots, Rule::Slots, at, || {
            format!("register %{} of {w} bits in a frame of {slots} slots", reg.0)
        });
    }

    fn operand(&mut self, operand: Operand, w: u16, at: Option<usize>) {
        if let Some(reg) = operand.as_reg() {
            self.register(reg, w, at);
        } else if let Some(c) = operand.as_const() {
            self.constant(c, w, at);
        }
    }

    fn constant(&mut self, c: ConstId, w: u16, at: Option<usize>) {
        let end = u64::from(c.0) + u64::from(Type::Int(w).slots());
        let pool = self.m.consts.len() as u64;
        self.report.check(end <= pool, Rule::Slots, at, || {
            format!("constant #{} of {w} bits in a pool of {pool} words", c.0)
        });
    }
}
