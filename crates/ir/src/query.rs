//! Questions about instructions, functions and locations that many users ask.

use crate::table::instructions;
use crate::{
    Block, BlockId, Callee, ConstId, Copy, EdgeId, FloatType, Function, Inst, LocId, Module, Operand, Range,
    Reg, TextId, Type,
};
use std::fmt;

impl Range {
    /// The entries of `pool` in this range; none if the range leaves the pool.
    #[must_use]
    pub fn of<T>(self, pool: &[T]) -> &[T] {
        let start = self.start as usize;
        pool.get(start..start + self.len as usize).unwrap_or(&[])
    }
}

impl Inst {
    /// Visits the registers that this writes, with their widths, in order.
    pub fn for_each_def(&self, f: &Function, mut visit: impl FnMut(Reg, u16)) {
        if let Inst::Call { dst, rets, .. } = *self {
            return results(dst, rets.of(&f.types), visit);
        }
        macro_rules! visit_defs {
            ($($variant:ident [$names:expr $(, $op:ident)?] ($($def:ident: $def_w:expr),*)
               { $($field:ident: $($label:literal)? $kind:ident $(($arg:expr))?),* })*) => {
                #[allow(unused_variables)] // a row binds all its fields
                match *self {
                    $(Inst::$variant { $($op,)? $($def,)* $($field,)* } => { $(visit($def, $def_w);)* })*
                }
            };
        }
        instructions!(visit_defs);
    }

    /// Visits the operands that this reads, with their widths, in order. Copies on the edges of a
    /// terminator are not part of it: see [`Function::copies_of`].
    #[inline]
    pub fn for_each_use(&self, f: &Function, visit: impl FnMut(Operand, u16)) {
        let mut uses = Uses { f, visit };
        macro_rules! visit_uses {
            ($($variant:ident [$names:expr $(, $op:ident)?] ($($def:ident: $def_w:expr),*)
               { $($field:ident: $($label:literal)? $kind:ident $(($arg:expr))?),* })*) => {
                #[allow(unused_variables)] // a row binds all its fields
                match *self {
                    $(Inst::$variant { $($op,)? $($def,)* $($field,)* } => {
                        $(uses.$kind($field $(, $arg)?);)*
                    })*
                }
            };
        }
        instructions!(visit_uses);
    }
}

/// Call results go to consecutive slots.
fn results(dst: Reg, rets: &[Type], mut visit: impl FnMut(Reg, u16)) {
    let mut slot = dst.0;
    for ty in rets {
        visit(Reg(slot), ty.bits());
        slot = slot.saturating_add(ty.slots());
    }
}

/// What each kind of field reads.
struct Uses<'f, V> {
    f: &'f Function,
    visit: V,
}

impl<V: FnMut(Operand, u16)> Uses<'_, V> {
    #[inline]
    fn value(&mut self, operand: Operand, w: u16) {
        (self.visit)(operand, w);
    }

    fn values(&mut self, values: Range) {
        for arg in values.of(&self.f.args) {
            (self.visit)(arg.value, arg.ty.bits());
        }
    }

    fn call_args(&mut self, args: Range) {
        self.values(args);
    }

    fn callee(&mut self, callee: Callee) {
        if let Callee::Indirect(address) = callee {
            (self.visit)(address, 64);
        }
    }

    fn width(&mut self, _: u16) {}
    fn float(&mut self, _: FloatType) {}
    fn ty(&mut self, _: Type) {}
    fn number<T>(&mut self, _: T) {}
    fn constant(&mut self, _: ConstId, _: u16) {}
    fn text(&mut self, _: TextId) {}
    fn call_results(&mut self, _: Reg) {}
    fn call_rets(&mut self, _: Range) {}
    fn edge(&mut self, _: EdgeId) {}
    fn edge_list(&mut self, _: Range) {}
    fn cases(&mut self, _: u32, _: u16) {}
}

impl Function {
    /// The instructions of a block.
    #[must_use]
    pub fn insts_of(&self, block: BlockId) -> &[Inst] {
        self.block(block).map_or(&[], |b| b.insts.of(&self.insts))
    }

    /// The block that instruction `inst` belongs to. The blocks partition the instructions.
    #[must_use]
    pub fn block_of_inst(&self, inst: u32) -> Option<BlockId> {
        let after = self.blocks.partition_point(|b| b.insts.start <= inst);
        ((inst as usize) < self.insts.len() && after > 0).then(|| BlockId(after as u32 - 1))
    }

    /// The last instruction of a block.
    #[must_use]
    pub fn terminator(&self, block: BlockId) -> Option<&Inst> {
        self.insts_of(block).last()
    }

    /// The edges that leave a block, in the order of its terminator (the default of a switch comes
    /// first). An edge that several cases of a switch share comes once per case.
    pub fn out_edges(&self, block: BlockId) -> impl Iterator<Item = EdgeId> + '_ {
        self.edges_of(self.terminator(block))
    }

    /// The edges of an instruction, none unless it is a terminator; order as in `out_edges`.
    pub(crate) fn edges_of(&self, inst: Option<&Inst>) -> impl Iterator<Item = EdgeId> + '_ {
        let (mut first, mut second, mut cases, mut indirect) = (None, None, &[][..], &[][..]);
        match inst {
            Some(&Inst::Jump { edge }) => first = Some(edge),
            Some(&Inst::Branch { then, els, .. }) => (first, second) = (Some(then), Some(els)),
            Some(&Inst::Switch { table, .. }) => {
                if let Some(switch) = self.switches.get(table as usize) {
                    (first, cases) = (Some(switch.default), &switch.cases);
                }
            }
            Some(&Inst::IndirectJump { edges, .. }) => indirect = edges.of(&self.indirect),
            _ => {}
        }
        let cases = cases.iter().map(|&(_, edge)| edge);
        first.into_iter().chain(second).chain(cases).chain(indirect.iter().copied())
    }

    /// The blocks that a block may go to, one per edge as in [`Function::out_edges`].
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.out_edges(block).filter_map(|e| self.edges.get(e.index())).map(|e| e.target)
    }

    /// The copies done on an edge, all at once.
    #[must_use]
    pub fn copies_of(&self, edge: EdgeId) -> &[Copy] {
        self.edges.get(edge.index()).map_or(&[], |e| e.copies.of(&self.copies))
    }

    fn block(&self, block: BlockId) -> Option<&Block> {
        self.blocks.get(block.index())
    }
}

impl Module {
    /// A location for people: `file:line:column`, without what is unknown; `?` if nothing is known.
    #[must_use]
    pub fn display_loc(&self, loc: LocId) -> impl fmt::Display + '_ {
        struct Shown<'m>(&'m Module, LocId);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0.place(self.1) {
                    None => out.write_str("?"),
                    Some((file, at)) if at.line == 0 => write!(out, "{file}"),
                    Some((file, at)) if at.col == 0 => write!(out, "{file}:{}", at.line),
                    Some((file, at)) => write!(out, "{file}:{}:{}", at.line, at.col),
                }
            }
        }
        Shown(self, loc)
    }
}
