//! The order in which static state merging runs states.
//!
//! States that may still meet should wait for each other: of two states, the one that is earlier in
//! the program runs first. "Earlier" compares call stacks from the outermost frame on; within a
//! frame, the loops that are open with their iterations, then the block, then the instruction. So
//! all states in iteration i of a loop run before those in iteration i + 1, a loop is finished
//! before what follows it, and a call before what follows the call.

use crate::loops::Loops;
use rejoin_ir::BlockId;
use std::cmp::Ordering;

/// A place in the order: smaller keys run first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct OrderKey(Vec<(u32, u32)>);

impl OrderKey {
    /// The key of a state with no frames.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a frame, outermost first: it stands in `block`, before the instruction with number
    /// `inst` in the block (the call it waits for, if it is a caller), in these `iterations` of the
    /// loops around the block ([`Topo::step`] keeps them).
    pub fn push(&mut self, loops: &Loops, block: BlockId, inst: u32, iterations: &[u32]) {
        let start = self.0.len();
        let mut iterations = iterations.iter().rev();
        for l in loops.around(block) {
            let rank = loops.rank(loops.get(l).header).unwrap_or(0);
            self.0.push((rank, iterations.next().copied().unwrap_or(0)));
        }
        self.0[start..].reverse();
        self.0.push((loops.rank(block).unwrap_or(u32::MAX), inst));
    }

    /// Removes all frames.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// How edges change the iterations of the open loops of a frame, and how blocks compare.
#[derive(Clone, Copy, Debug)]
pub struct Topo<'a>(pub &'a Loops);

impl Topo<'_> {
    /// Brings the iterations of the open loops, outermost first, from block `from` to block `to`
    /// when an edge leads there. At the entry none is open.
    pub fn step(self, from: BlockId, to: BlockId, iterations: &mut Vec<u32>) {
        let loops = self.0;
        let next = loops.next_iteration(from, to);
        if next.is_none() && loops.innermost(from) == loops.innermost(to) {
            return;
        }
        let kept = loops.around(to).find(|l| loops.contains(*l, from));
        iterations.truncate(kept.map_or(0, |l| loops.get(l).depth as usize));
        if let (Some(_), Some(last)) = (next, iterations.last_mut()) {
            *last = last.saturating_add(1);
        }
        iterations.resize(loops.depth(to) as usize, 1);
    }

    /// Which of two blocks comes first; unreachable ones come last.
    #[must_use]
    pub fn compare(self, a: BlockId, b: BlockId) -> Ordering {
        let rank = |b| self.0.rank(b).unwrap_or(u32::MAX);
        rank(a).cmp(&rank(b))
    }
}
