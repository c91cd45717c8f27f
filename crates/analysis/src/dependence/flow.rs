//! The data flow: backwards through a block, from "sites that depend on a variable after this" to
//! "before this".

use super::sets::{SetId, Sets};
use super::summary::{Out, Summaries, allocates};
use super::variable::{Base, Cell, Extent, Overlap, Place, VarId, Variable, Variables};
use crate::callgraph::CallGraph;
use rejoin_ir::{Arg, Copy, Function, Inst, Module, Operand, Range, Reg, Type};

/// Variables with the sites that depend on them, by variable.
pub(crate) type Dependents = Vec<(VarId, SetId)>;

/// The state of the flow at one point.
pub(crate) struct Flow<'a> {
    pub(crate) m: &'a Module,
    pub(crate) f: &'a Function,
    pub(crate) calls: &'a CallGraph,
    pub(crate) summaries: &'a Summaries,
    pub(crate) variables: Variables<'a>,
    pub(crate) sets: Sets,
    /// Per variable: the sites that depend on it.
    now: Vec<SetId>,
    touched: Vec<VarId>,
    /// Per register: one more than the number of the copy that defines it, while an edge is entered.
    copied: Vec<u32>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(
        m: &'a Module,
        f: &'a Function,
        calls: &'a CallGraph,
        summaries: &'a Summaries,
        variables: Variables<'a>,
        sets: Sets,
    ) -> Self {
        let copied = vec![0; f.slots as usize];
        Flow { m, f, calls, summaries, variables, sets, now: Vec::new(), touched: Vec::new(), copied }
    }

    pub(crate) fn clear(&mut self) {
        for id in self.touched.drain(..) {
            self.now[id.index()] = SetId::EMPTY;
        }
    }

    pub(crate) fn add(&mut self, id: VarId, set: SetId) {
        if set == SetId::EMPTY {
            return;
        }
        if id.index() >= self.now.len() {
            self.now.resize(self.variables.len(), SetId::EMPTY);
        }
        let known = self.now[id.index()];
        if known == SetId::EMPTY {
            self.touched.push(id);
        }
        self.now[id.index()] = self.sets.union(known, set);
    }

    fn at(&self, id: VarId) -> SetId {
        self.now.get(id.index()).copied().unwrap_or(SetId::EMPTY)
    }

    fn take(&mut self, id: VarId) -> SetId {
        self.now.get_mut(id.index()).map_or(SetId::EMPTY, |set| std::mem::replace(set, SetId::EMPTY))
    }

    fn add_operand(&mut self, operand: Operand, set: SetId) {
        if let Some(id) = self.variables.register(operand) {
            self.add(id, set);
        }
    }

    /// The state, by variable.
    pub(crate) fn snapshot(&self) -> Dependents {
        let mut ids = self.touched.clone();
        // Mostly in order: what holds at the successors' heads comes first.
        ids.sort();
        ids.dedup();
        ids.into_iter().map(|id| (id, self.at(id))).filter(|(_, set)| *set != SetId::EMPTY).collect()
    }

    /// Adds what holds at the head of an edge's target, seen from before the edge's copies. On a
    /// back edge, `iteration` is added to what some site still depends on.
    pub(crate) fn enter(&mut self, head: &[(VarId, SetId)], copies: &[Copy], iteration: SetId) {
        if copies.is_empty() && iteration == SetId::EMPTY {
            head.iter().for_each(|&(id, set)| self.add(id, set));
            return;
        }
        for (n, copy) in copies.iter().enumerate() {
            self.copied[copy.dst.index()] = n as u32 + 1;
        }
        for &(id, set) in head {
            let again = if self.sets.has_site(set) { iteration } else { SetId::EMPTY };
            let set = self.sets.union(set, again);
            let variable = self.variables.get(id);
            let reg = match variable {
                Variable::Register(reg) => Some(reg),
                Variable::Memory(cell) => cell.base.register(),
            };
            let number = reg.map_or(0, |reg| self.copied[reg.index()] as usize);
            match (number.checked_sub(1).map(|n| copies[n]), variable) {
                (None, _) => self.add(id, set),
                (Some(copy), Variable::Register(_)) => self.add_operand(copy.src, set),
                (Some(copy), Variable::Memory(cell)) => self.add_renamed(copy.src, cell, set),
            }
        }
        copies.iter().for_each(|copy| self.copied[copy.dst.index()] = 0);
    }

    /// Adds memory that is found through a register, before that register got its value from
    /// `source`.
    fn add_renamed(&mut self, source: Operand, cell: Cell, set: SetId) {
        match cell.base.holder() {
            None => self.add_behind(source, cell.extent, set),
            Some((_, offset)) => {
                if let Some(base) = self.variables.behind(source, offset) {
                    let id = self.variables.cell(base, cell.extent);
                    self.add(id, set);
                }
            }
        }
    }

    fn add_behind(&mut self, pointer: Operand, extent: Extent, set: SetId) {
        if let Some(Place { base, offset }) = self.variables.place(pointer) {
            let id = self.variables.cell(base, extent.shifted(offset));
            self.add(id, set);
        }
    }

    /// The cells of an object that some site depends on.
    fn cells(&self, base: Base) -> Vec<VarId> {
        let cells = self.variables.cells_of(base).iter().copied();
        cells.filter(|&id| self.at(id) != SetId::EMPTY).collect()
    }

    fn extent(&self, id: VarId) -> Extent {
        match self.variables.get(id) {
            Variable::Memory(cell) => cell.extent,
            Variable::Register(_) => Extent::Whole,
        }
    }

    fn base(&self, id: VarId) -> Option<Base> {
        match self.variables.get(id) {
            Variable::Memory(cell) => Some(cell.base),
            Variable::Register(_) => None,
        }
    }

    /// A register gets a new value: what is behind it is, before that, behind `sources`.
    fn repoint(&mut self, reg: Reg, sources: &[Operand]) {
        if !self.variables.leads_to_cells(reg) {
            return;
        }
        let mut found = self.cells(Base::Pointer(reg));
        for &base in self.variables.stored_in(Base::Pointer(reg)) {
            found.extend(self.cells(base));
        }
        // All are taken before any is added: they may be renamed to each other.
        let taken: Vec<_> = found.into_iter().map(|id| (id, self.take(id))).collect();
        for (id, set) in taken {
            if let Variable::Memory(cell) = self.variables.get(id) {
                sources.iter().for_each(|&source| self.add_renamed(source, cell, set));
            }
        }
    }

    /// A pointer is stored: what is behind that place is, before that, behind the pointer.
    fn repoint_memory(&mut self, addr: Operand, pointer: Operand) {
        let Some(place) = self.variables.place(addr) else { return };
        let mut found = Vec::new();
        for &base in self.variables.stored_in(place.base) {
            if place.offset.is_none() || base.holder().map(|(_, o)| o) == place.offset {
                found.extend(self.cells(base));
            }
        }
        let keeps = place.offset.is_none();
        let taken = found.into_iter().map(|id| (id, if keeps { self.at(id) } else { self.take(id) }));
        let taken: Vec<_> = taken.collect();
        let to = self.variables.place(pointer);
        for (id, set) in taken {
            let base = self.base(id);
            // A pointer that is moved within its object, as in `g++`, may go on like that.
            let walks = to.is_some_and(|to| Some(to.base) == base && to.offset != Some(0));
            let extent = if walks { Extent::Whole } else { self.extent(id) };
            self.add_behind(pointer, extent, set);
        }
    }

    /// Memory at an address is overwritten: removes what is gone for sure, and tells `source` for
    /// each piece what depended on the new content.
    fn overwrite(
        &mut self,
        addr: Operand,
        size: Option<u32>,
        mut source: impl FnMut(&mut Self, Extent, SetId),
    ) {
        let Some(place) = self.variables.place(addr) else { return };
        let extent =
            size.map_or(Extent::Whole, |size| Extent::Bytes { offset: 0, size }.shifted(place.offset));
        let mut changed = Vec::new();
        for id in self.cells(place.base) {
            let piece = self.extent(id);
            match extent.meets(piece) {
                Overlap::Disjoint => {}
                Overlap::Partial => changed.push((piece, self.at(id))),
                Overlap::Covers => changed.push((piece, self.take(id))),
            }
        }
        for (piece, set) in changed {
            if place.offset.is_none() {
                self.add_operand(addr, set);
            }
            source(self, piece, set);
        }
    }

    /// A value read from memory depends on where it was read and what was there.
    fn read(&mut self, addr: Operand, w: u16, set: SetId) {
        if set == SetId::EMPTY {
            return;
        }
        self.add_operand(addr, set);
        if let Some(place) = self.variables.place(addr) {
            let id = self.variables.cell_at(place, Some(bytes(w)));
            self.add(id, set);
        }
    }

    fn block_copy(&mut self, dst: Operand, src: Operand, len: Operand, size: Option<u32>) {
        let to = self.variables.place(dst);
        self.overwrite(dst, size, |flow, piece, set| {
            let back = to.and_then(|p| p.offset).filter(|_| size.is_some()).map(|o| o.saturating_neg());
            flow.add_behind(src, piece.shifted(back), set);
            for operand in [src, len] {
                flow.add_operand(operand, set);
            }
        });
    }

    fn constant_size(&self, len: Operand) -> Option<u32> {
        len.as_const().and_then(|c| self.m.const_bits(c)).and_then(|n| u32::try_from(n).ok())
    }

    /// Goes back over an instruction, with what depends on its results. What depends on nothing after it is not
    /// added here: sites, and what a return gives to callers.
    pub(crate) fn before(&mut self, inst: &Inst) {
        match *inst {
            Inst::Load { w, dst, addr } => {
                let set = self.define(dst);
                self.read(addr, w, set);
            }
            Inst::Store { w, value, addr } => {
                if w == 64 {
                    self.repoint_memory(addr, value);
                }
                self.overwrite(addr, Some(bytes(w)), |flow, _, set| flow.add_operand(value, set));
            }
            Inst::AtomicRmw { w, dst, addr, value, .. } => {
                let set = self.define(dst);
                self.modify(addr, w, &[value]);
                self.read(addr, w, set);
            }
            Inst::CmpXchg { w, dst, ok, addr, expected, new } => {
                let ok = self.define(ok);
                let dst = self.define(dst);
                self.modify(addr, w, &[expected, new]);
                self.add_operand(expected, ok);
                let set = self.sets.union(ok, dst);
                self.read(addr, w, set);
            }
            Inst::MemCopy { dst, src, len, .. } => self.block_copy(dst, src, len, self.constant_size(len)),
            Inst::MemSet { dst, value, len } => {
                self.overwrite(dst, self.constant_size(len), |flow, _, set| {
                    flow.add_operand(value, set);
                    flow.add_operand(len, set);
                });
            }
            Inst::Select { w: 64, dst, a, b, .. } => {
                self.repoint(dst, &[a, b]);
                self.compute(inst);
            }
            Inst::Move { w: 64, dst, a } => {
                self.repoint(dst, &[a]);
                self.compute(inst);
            }
            Inst::Call { dst, args, rets, .. } => self.call(inst, dst, args, rets),
            _ => self.compute(inst),
        }
    }

    /// The results depend on the operands.
    fn compute(&mut self, inst: &Inst) {
        let f = self.f;
        let mut set = SetId::EMPTY;
        inst.for_each_def(f, |reg, _| {
            let defined = self.define(reg);
            set = self.sets.union(set, defined);
        });
        if set != SetId::EMPTY {
            inst.for_each_use(f, |operand, _| self.add_operand(operand, set));
        }
    }

    /// Before a register is defined it has no dependents, and nothing is known of what is behind it.
    fn define(&mut self, reg: Reg) -> SetId {
        self.repoint(reg, &[]);
        self.take(VarId(reg.0))
    }

    /// Memory gets a value that depends on its old content and on operands.
    fn modify(&mut self, addr: Operand, w: u16, operands: &[Operand]) {
        let mut old = SetId::EMPTY;
        self.overwrite(addr, Some(bytes(w)), |flow, _, set| {
            old = flow.sets.union(old, set);
            operands.iter().for_each(|&o| flow.add_operand(o, set));
        });
        self.read(addr, w, old);
    }

    /// Goes back over a return of values, with the sets of the function's outputs.
    pub(crate) fn ret(&mut self, values: &[Arg], outputs: impl Iterator<Item = (Out, SetId)>) {
        for (out, set) in outputs {
            match out {
                Out::Value(k) => {
                    if let Some(arg) = values.get(k as usize) {
                        self.add_operand(arg.value, set);
                    }
                }
                Out::Memory(cell) => {
                    let id = self.variables.cell(cell.base, cell.extent);
                    self.add(id, set);
                }
            }
        }
    }

    /// Results and memory after the call depend on arguments and memory before it, as the summaries
    /// of the callees say.
    fn call(&mut self, inst: &Inst, dst: Reg, args: Range, rets: Range) {
        let args = args.of(&self.f.args);
        let mut results = Vec::new();
        let mut slot = dst.0;
        for ty in rets.of(&self.f.types) {
            results.push(self.define(Reg(slot)));
            slot += ty.slots();
        }
        let calls = self.calls;
        let targets = calls.targets(self.f, inst);
        let mut sources: Vec<(VarId, SetId)> = Vec::new();
        let mut gone = Vec::new();
        for &target in targets {
            let callee = &self.m.functions[target.index()];
            let Some(summary) = self.summaries.get(target) else {
                if !allocates(&callee.name) {
                    self.unknown_result(args, &results);
                }
                continue;
            };
            for output in &summary.outputs {
                let set = match output.what {
                    Out::Value(k) => results.get(k as usize).copied().unwrap_or(SetId::EMPTY),
                    Out::Memory(cell) => self
                        .variables
                        .actual_cell(callee, cell, args)
                        .map_or(SetId::EMPTY, |cell| self.changed(cell, output.overwrites(), &mut gone)),
                };
                if set != SetId::EMPTY {
                    let from = output.from.iter();
                    let from = from.filter_map(|&u| self.variables.translate(callee, u, args));
                    sources.extend(from.map(|id| (id, set)));
                }
            }
        }
        if targets.is_empty() {
            self.unknown_result(args, &results);
        }
        if targets.len() == 1 {
            gone.into_iter().for_each(|id| _ = self.take(id));
        }
        sources.into_iter().for_each(|(id, set)| self.add(id, set));
    }

    /// What depends on memory that a callee changes; pieces that it overwrites are added to `gone`.
    fn changed(&mut self, changed: Cell, overwrites: bool, gone: &mut Vec<VarId>) -> SetId {
        let mut all = SetId::EMPTY;
        for id in self.cells(changed.base) {
            let overlap = changed.extent.meets(self.extent(id));
            if overlap != Overlap::Disjoint {
                all = self.sets.union(all, self.at(id));
            }
            if overwrites && overlap == Overlap::Covers {
                gone.push(id);
            }
        }
        all
    }

    /// A function without a summary: its results depend on its arguments and what they point to.
    fn unknown_result(&mut self, args: &[Arg], results: &[SetId]) {
        for &set in results {
            if set == SetId::EMPTY {
                continue;
            }
            for arg in args {
                self.add_operand(arg.value, set);
                if arg.ty == Type::Ptr {
                    self.add_behind(arg.value, Extent::Whole, set);
                }
            }
        }
    }
}

fn bytes(w: u16) -> u32 {
    u32::from(w).div_ceil(8)
}
