//! The canonical layout of a function's pools.
//!
//! Edges, copies, arguments, types, switch tables and indirect edges lie in the order in which the
//! instructions name them, without gaps, and a call without results names register 0. The text
//! syntax does not show positions in pools, so exactly the canonical modules survive printing and
//! parsing unchanged. The layout also keeps together what is read together.

use crate::{Copy, Edge, EdgeId, Function, Inst, Module, Range, Reg, Switch};

impl Module {
    /// Brings every function into canonical layout.
    pub fn canonicalize(&mut self) {
        self.functions.iter_mut().for_each(Function::canonicalize);
    }
}

impl Function {
    /// Brings the pools into canonical layout. Meaning does not change; entries that nothing names
    /// disappear. An edge that two terminators share becomes two edges.
    pub fn canonicalize(&mut self) {
        let mut insts = std::mem::take(&mut self.insts);
        let mut layout = Layout { old: self, new: Function::default() };
        for inst in &mut insts {
            layout.inst(inst);
        }
        let Layout { new, .. } = layout;
        self.insts = insts;
        self.edges = new.edges;
        self.copies = new.copies;
        self.args = new.args;
        self.types = new.types;
        self.switches = new.switches;
        self.indirect = new.indirect;
    }
}

/// Appends `entries` to a pool.
pub(crate) fn extend<T: Clone>(pool: &mut Vec<T>, entries: &[T]) -> Range {
    let start = pool.len() as u32;
    pool.extend_from_slice(entries);
    Range { start, len: entries.len() as u32 }
}

struct Layout<'f> {
    old: &'f Function,
    new: Function,
}

impl Layout<'_> {
    fn inst(&mut self, inst: &mut Inst) {
        match inst {
            Inst::Call { dst, args, rets, .. } => {
                *args = extend(&mut self.new.args, args.of(&self.old.args));
                *rets = extend(&mut self.new.types, rets.of(&self.old.types));
                if rets.len == 0 {
                    *dst = Reg(0);
                }
            }
            Inst::Return { values } => *values = extend(&mut self.new.args, values.of(&self.old.args)),
            Inst::Jump { edge } => *edge = self.edge(*edge),
            Inst::Branch { then, els, .. } => {
                *then = self.edge(*then);
                *els = self.edge(*els);
            }
            Inst::Switch { table, .. } => *table = self.switch(*table),
            Inst::IndirectJump { edges, .. } => {
                let moved: Vec<EdgeId> = edges.of(&self.old.indirect).iter().map(|&e| self.edge(e)).collect();
                *edges = extend(&mut self.new.indirect, &moved);
            }
            _ => {}
        }
    }

    fn edge(&mut self, edge: EdgeId) -> EdgeId {
        let Some(&Edge { target, copies }) = self.old.edges.get(edge.index()) else { return edge };
        let copies: &[Copy] = copies.of(&self.old.copies);
        let copies = extend(&mut self.new.copies, copies);
        self.new.edges.push(Edge { target, copies });
        EdgeId(self.new.edges.len() as u32 - 1)
    }

    /// Cases of one switch go on sharing their edges.
    fn switch(&mut self, table: u32) -> u32 {
        let Some(old) = self.old.switches.get(table as usize) else { return table };
        let mut moved = std::collections::HashMap::new();
        let mut edge = |layout: &mut Self, e| *moved.entry(e).or_insert_with(|| layout.edge(e));
        let default = edge(self, old.default);
        let cases = old.cases.iter().map(|&(value, e)| (value, edge(self, e))).collect();
        self.new.switches.push(Switch { cases, default });
        self.new.switches.len() as u32 - 1
    }
}
