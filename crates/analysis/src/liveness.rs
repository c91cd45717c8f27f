//! Which register slots a state still needs.

use crate::bitset::BitSet;
use crate::cfg::{Cfg, out_edges};
use rejoin_ir::{BlockId, EdgeId, Function, Inst, Operand, Reg, Type};

/// Live slots at the head of every block, after the copies on the edge that led there. All slots of
/// a live value are live.
#[derive(Clone, Debug)]
pub struct Liveness {
    head: Vec<BitSet>,
}

impl Liveness {
    /// The liveness of `f`.
    #[must_use]
    pub fn new(f: &Function, cfg: &Cfg) -> Self {
        let mut live = Liveness { head: vec![BitSet::new(f.slots as usize); f.blocks.len()] };
        let mut waiting: Vec<BlockId> = cfg.reverse_postorder().to_vec();
        let mut queued = vec![true; cfg.len()];
        while let Some(b) = waiting.pop() {
            queued[b.index()] = false;
            let mut now = live.at_end(f, b);
            for inst in f.insts_of(b).iter().rev() {
                before(f, inst, &mut now);
            }
            if live.head[b.index()].union(&now) {
                for p in cfg.predecessors(b) {
                    if !std::mem::replace(&mut queued[p.index()], true) {
                        waiting.push(p);
                    }
                }
            }
        }
        live
    }

    /// The slots that are live at the head of `b`.
    #[must_use]
    pub fn at_head(&self, b: BlockId) -> &BitSet {
        &self.head[b.index()]
    }

    /// The slots that are live on an edge, before its copies.
    #[must_use]
    pub fn on_edge(&self, f: &Function, edge: EdgeId) -> BitSet {
        let mut now = self.head[f.edges[edge.index()].target.index()].clone();
        for copy in f.copies_of(edge) {
            slots(copy.dst, copy.w).for_each(|s| now.remove(s));
        }
        for copy in f.copies_of(edge) {
            gen_use(copy.src, copy.w, &mut now);
        }
        now
    }

    /// The slots that are live just before an instruction (an index into the function's
    /// instructions).
    #[must_use]
    pub fn before(&self, f: &Function, inst: u32) -> BitSet {
        self.down_to(f, inst, |now, i| before(f, i, now))
    }

    /// The slots of a caller's frame that are live while it waits for the call at `inst`: those
    /// that are live after the call, without the call's results.
    #[must_use]
    pub fn while_calling(&self, f: &Function, inst: u32) -> BitSet {
        self.down_to(f, inst, |now, i| kill(f, i, now))
    }

    /// Walks the block back to `inst`, which is handled by `last`.
    fn down_to(&self, f: &Function, inst: u32, last: impl Fn(&mut BitSet, &Inst)) -> BitSet {
        let Some(b) = f.block_of_inst(inst) else { return BitSet::new(f.slots as usize) };
        let mut now = self.at_end(f, b);
        let range = f.blocks[b.index()].insts.indices();
        for i in (inst as usize + 1..range.end).rev() {
            before(f, &f.insts[i], &mut now);
        }
        last(&mut now, &f.insts[inst as usize]);
        now
    }

    fn at_end(&self, f: &Function, b: BlockId) -> BitSet {
        let mut end = BitSet::new(f.slots as usize);
        for edge in out_edges(f, b) {
            end.union(&self.on_edge(f, edge));
        }
        end
    }
}

fn slots(reg: Reg, w: u16) -> std::ops::Range<usize> {
    reg.index()..reg.index() + Type::Int(w).slots() as usize
}

fn gen_use(operand: Operand, w: u16, now: &mut BitSet) {
    if let Some(reg) = operand.as_reg() {
        slots(reg, w).for_each(|s| now.insert(s));
    }
}

fn kill(f: &Function, inst: &Inst, now: &mut BitSet) {
    inst.for_each_def(f, |reg, w| slots(reg, w).for_each(|s| now.remove(s)));
}

fn before(f: &Function, inst: &Inst, now: &mut BitSet) {
    kill(f, inst, now);
    inst.for_each_use(f, |operand, w| gen_use(operand, w, now));
}
