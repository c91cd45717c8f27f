//! Dominators and post-dominators, by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm".

use crate::cfg::Cfg;
use rejoin_ir::BlockId;

const NONE: u32 = u32::MAX;

/// A tree of (post-)dominators over the reachable blocks.
///
/// The post-dominator tree hangs from a virtual exit, the successor of every block without
/// successors. From a part of the function that cannot be left, one block (the last one in reverse
/// postorder) also goes to the virtual exit, so that every reachable block is in the tree.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Per block: its parent; `NONE` for a root or an unreachable block.
    parent: Vec<u32>,
    /// Per block: its interval in a walk over the tree; empty if it is unreachable.
    span: Vec<(u32, u32)>,
    exits: Vec<BlockId>,
}

impl Dominators {
    /// Which blocks every path from the entry to a block goes through.
    #[must_use]
    pub fn new(cfg: &Cfg) -> Self {
        let order = cfg.reverse_postorder();
        let before: Vec<Vec<u32>> = order
            .iter()
            .map(|&b| cfg.predecessors(b).filter_map(|p| cfg.number(p)).map(|n| n as u32 + 1).collect())
            .collect();
        Self::solve(order, before, &order[..order.len().min(1)], cfg.len())
    }

    /// Which blocks every path from a block to the end of the function goes through.
    #[must_use]
    pub fn post(cfg: &Cfg) -> Self {
        let (order, exits) = backward_order(cfg);
        let mut number = vec![NONE; cfg.len()];
        for (n, b) in order.iter().enumerate() {
            number[b.index()] = n as u32 + 1;
        }
        let after = order.iter().map(|&b| cfg.successors(b).iter().map(|s| number[s.index()]).collect());
        Self::solve(&order, after.collect(), &exits, cfg.len())
    }

    /// `before[n]` holds the numbers, from 1 on, of what may come before `order[n]`; 0 is a virtual
    /// root that comes before `roots`.
    fn solve(order: &[BlockId], mut before: Vec<Vec<u32>>, roots: &[BlockId], blocks: usize) -> Self {
        for (n, b) in order.iter().enumerate() {
            if roots.contains(b) {
                before[n].push(0);
            }
        }
        let mut idom = vec![NONE; order.len() + 1];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (n, before) in before.iter().enumerate() {
                let known = before.iter().copied().filter(|&p| idom[p as usize] != NONE);
                let common = known.reduce(|a, b| common(&idom, a, b)).unwrap_or(0);
                changed |= idom[n + 1] != common;
                idom[n + 1] = common;
            }
        }
        let mut parent = vec![NONE; blocks];
        for (n, b) in order.iter().enumerate() {
            if let Some(above) = (idom[n + 1] as usize).checked_sub(1) {
                parent[b.index()] = order[above].0;
            }
        }
        Dominators { parent, span: spans(order, &idom, blocks), exits: roots.to_vec() }
    }

    /// The closest other block that dominates `b`; `None` for a root and for an unreachable block.
    #[must_use]
    pub fn immediate(&self, b: BlockId) -> Option<BlockId> {
        let parent = self.parent[b.index()];
        (parent != NONE).then_some(BlockId(parent))
    }

    /// Whether every path to `b` (from `b`, for post-dominators) goes through `a`. Every block
    /// dominates itself; unreachable blocks dominate nothing and are dominated by nothing.
    #[must_use]
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let ((a_in, a_out), (b_in, b_out)) = (self.span[a.index()], self.span[b.index()]);
        a_in <= b_in && b_out <= a_out && b_in < b_out
    }

    /// The blocks right below the root: the entry, or those that go to the virtual exit.
    #[must_use]
    pub fn roots(&self) -> &[BlockId] {
        &self.exits
    }
}

fn common(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        if a > b {
            a = idom[a as usize];
        } else {
            b = idom[b as usize];
        }
    }
    a
}

/// A reverse postorder of the reversed graph, and the blocks that go to the virtual exit.
fn backward_order(cfg: &Cfg) -> (Vec<BlockId>, Vec<BlockId>) {
    let forward = cfg.reverse_postorder();
    let mut seen = vec![false; cfg.len()];
    let mut postorder = Vec::with_capacity(forward.len());
    let mut exits: Vec<BlockId> = Vec::new();
    let ends = forward.iter().filter(|&&b| cfg.successors(b).is_empty());
    let stuck = forward.iter().rev();
    for &root in ends.chain(stuck) {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        exits.push(root);
        let mut stack = vec![(root, cfg.predecessors(root).collect::<Vec<_>>().into_iter())];
        while let Some((b, rest)) = stack.last_mut() {
            match rest.find(|p| !std::mem::replace(&mut seen[p.index()], true)) {
                Some(next) => stack.push((next, cfg.predecessors(next).collect::<Vec<_>>().into_iter())),
                None => {
                    postorder.push(*b);
                    stack.pop();
                }
            }
        }
    }
    postorder.reverse();
    (postorder, exits)
}

/// Intervals that nest as the tree does. A block comes after its dominator in `order`, so sizes of
/// subtrees sum up backwards and intervals are dealt out forwards.
fn spans(order: &[BlockId], idom: &[u32], blocks: usize) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; order.len() + 1];
    for n in (1..size.len()).rev() {
        size[idom[n] as usize] += size[n];
    }
    let mut next_child = vec![1u32; size.len()];
    let mut span = vec![(NONE, NONE); blocks];
    for n in 1..size.len() {
        let parent = idom[n] as usize;
        let begin = next_child[parent];
        next_child[parent] += size[n];
        next_child[n] = begin + 1;
        span[order[n - 1].index()] = (begin, begin + size[n]);
    }
    span
}
