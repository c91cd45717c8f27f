//! Reachability and dominance over the blocks of a function whose tables are in order.
//!
//! Dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".

use crate::{BlockId, EdgeId, Function};

const NONE: u32 = u32::MAX;

pub(super) struct Cfg {
    /// Incoming edges from reachable blocks: those of block `b` are at `in_start[b]..in_start[b + 1]`.
    in_edges: Vec<EdgeId>,
    in_start: Vec<u32>,
    /// The interval of each reachable block in a walk over the dominator tree; `(NONE, NONE)` else.
    span: Vec<(u32, u32)>,
}

impl Cfg {
    pub(super) fn new(f: &Function, source: &[BlockId]) -> Self {
        let order = reverse_postorder(f);
        let mut number = vec![NONE; f.blocks.len()];
        for (n, b) in order.iter().enumerate() {
            number[b.index()] = n as u32;
        }
        let (in_edges, in_start) = incoming(f, source, &number);
        let mut cfg = Cfg { in_edges, in_start, span: Vec::new() };
        let idom = cfg.immediate_dominators(&order, &number, source);
        cfg.span = spans(&order, &idom, f.blocks.len());
        cfg
    }

    pub(super) fn is_reachable(&self, b: BlockId) -> bool {
        self.span[b.index()].0 != NONE
    }

    /// Edges to `b` from reachable blocks.
    pub(super) fn in_edges(&self, b: BlockId) -> &[EdgeId] {
        &self.in_edges[self.in_start[b.index()] as usize..self.in_start[b.index() + 1] as usize]
    }

    /// Whether every path to `b` goes through `a`; both are reachable.
    pub(super) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let ((a_in, a_out), (b_in, b_out)) = (self.span[a.index()], self.span[b.index()]);
        a_in <= b_in && b_out <= a_out
    }

    /// By numbers in reverse postorder.
    fn immediate_dominators(&self, order: &[BlockId], number: &[u32], source: &[BlockId]) -> Vec<u32> {
        let mut idom = vec![NONE; order.len()];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (n, &b) in order.iter().enumerate().skip(1) {
                let known = self.in_edges(b).iter().map(|e| number[source[e.index()].index()]);
                let common = known.filter(|&p| idom[p as usize] != NONE).reduce(|a, b| common(&idom, a, b));
                // A reachable block has a predecessor earlier in the order.
                let common = common.unwrap_or(0);
                changed |= idom[n] != common;
                idom[n] = common;
            }
        }
        idom
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

/// The reachable blocks; the entry comes first.
fn reverse_postorder(f: &Function) -> Vec<BlockId> {
    let mut seen = vec![false; f.blocks.len()];
    seen[0] = true;
    let mut order = Vec::with_capacity(f.blocks.len());
    let mut stack = vec![(BlockId(0), f.successors(BlockId(0)))];
    while let Some((b, successors)) = stack.last_mut() {
        match successors.find(|s| !std::mem::replace(&mut seen[s.index()], true)) {
            Some(next) => stack.push((next, f.successors(next))),
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn incoming(f: &Function, source: &[BlockId], number: &[u32]) -> (Vec<EdgeId>, Vec<u32>) {
    let live = || f.edges.iter().enumerate().filter(|(e, _)| number[source[*e].index()] != NONE);
    let mut start = vec![0u32; f.blocks.len() + 1];
    for (_, edge) in live() {
        start[edge.target.index() + 1] += 1;
    }
    for b in 1..start.len() {
        start[b] += start[b - 1];
    }
    let mut next = start.clone();
    let mut edges = vec![EdgeId(0); start[f.blocks.len()] as usize];
    for (e, edge) in live() {
        let slot = &mut next[edge.target.index()];
        edges[*slot as usize] = EdgeId(e as u32);
        *slot += 1;
    }
    (edges, start)
}

/// Intervals that nest as the dominator tree does. A dominator comes before what it dominates in
/// `order`, so sizes of subtrees sum up backwards and intervals are dealt out forwards.
fn spans(order: &[BlockId], idom: &[u32], blocks: usize) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; order.len()];
    for n in (1..order.len()).rev() {
        size[idom[n] as usize] += size[n];
    }
    let mut begin = vec![0u32; order.len()];
    let mut next_child = vec![1u32; order.len()];
    for n in 1..order.len() {
        let parent = idom[n] as usize;
        begin[n] = next_child[parent];
        next_child[parent] += size[n];
        next_child[n] = begin[n] + 1;
    }
    let mut span = vec![(NONE, NONE); blocks];
    for (n, b) in order.iter().enumerate() {
        span[b.index()] = (begin[n], begin[n] + size[n]);
    }
    span
}
