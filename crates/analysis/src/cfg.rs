//! The control-flow graph of a function, with the directions that the function does not store.

use rejoin_ir::{BlockId, EdgeId, Function};

const NONE: u32 = u32::MAX;

/// Predecessors, sources of edges and the reverse postorder of a function's blocks. Blocks that the
/// entry does not reach, and the edges from them, are left out.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Vec<Vec<BlockId>>,
    in_edges: Vec<Vec<EdgeId>>,
    source: Vec<BlockId>,
    order: Vec<BlockId>,
    number: Vec<u32>,
}

impl Cfg {
    /// The graph of `f`, empty for a declaration.
    #[must_use]
    pub fn new(f: &Function) -> Self {
        let blocks = f.blocks.len();
        let mut cfg = Cfg {
            successors: vec![Vec::new(); blocks],
            in_edges: vec![Vec::new(); blocks],
            source: vec![BlockId(NONE); f.edges.len()],
            order: Vec::new(),
            number: vec![NONE; blocks],
        };
        for b in (0..blocks as u32).map(BlockId) {
            cfg.successors[b.index()] = distinct(f.successors(b));
        }
        cfg.order = reverse_postorder(&cfg.successors);
        for (n, &b) in cfg.order.iter().enumerate() {
            cfg.number[b.index()] = n as u32;
        }
        for &b in &cfg.order {
            for edge in distinct(f.out_edges(b)) {
                cfg.source[edge.index()] = b;
                cfg.in_edges[f.edges[edge.index()].target.index()].push(edge);
            }
        }
        cfg
    }

    /// How many blocks the function has, reachable or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.number.len()
    }

    /// Whether the function has no blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.number.is_empty()
    }

    /// The reachable blocks, the entry first, each before its successors except along edges that
    /// close a cycle.
    #[must_use]
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    /// The position in [`Cfg::reverse_postorder`].
    #[must_use]
    pub fn number(&self, b: BlockId) -> Option<usize> {
        let n = self.number[b.index()];
        (n != NONE).then_some(n as usize)
    }

    /// Whether the entry reaches `b`.
    #[must_use]
    pub fn is_reachable(&self, b: BlockId) -> bool {
        self.number[b.index()] != NONE
    }

    /// The blocks that `b` may go to, each once.
    #[must_use]
    pub fn successors(&self, b: BlockId) -> &[BlockId] {
        &self.successors[b.index()]
    }

    /// The edges into `b`, each once.
    #[must_use]
    pub fn in_edges(&self, b: BlockId) -> &[EdgeId] {
        &self.in_edges[b.index()]
    }

    /// The block that an edge leaves; `None` if that is unreachable.
    #[must_use]
    pub fn source(&self, edge: EdgeId) -> Option<BlockId> {
        let b = self.source[edge.index()];
        (b.0 != NONE).then_some(b)
    }

    /// The blocks that may go to `b`, each once.
    pub fn predecessors(&self, b: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        distinct(self.in_edges(b).iter().map(|e| self.source[e.index()])).into_iter()
    }

    /// The places where paths meet: reachable blocks with several incoming edges.
    pub fn join_points(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.order.iter().copied().filter(|&b| self.in_edges(b).len() > 1)
    }
}

/// The edges that leave `b`, each once: cases of a switch may share one.
#[must_use]
pub fn out_edges(f: &Function, b: BlockId) -> Vec<EdgeId> {
    distinct(f.out_edges(b))
}

fn distinct<T: Ord + std::marker::Copy>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    if items.len() > 1 {
        items.sort_unstable();
        items.dedup();
    }
    items
}

fn reverse_postorder(successors: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(successors.len());
    if successors.is_empty() {
        return order;
    }
    let mut seen = vec![false; successors.len()];
    seen[0] = true;
    let mut stack = vec![(BlockId(0), successors[0].iter())];
    while let Some((b, rest)) = stack.last_mut() {
        match rest.find(|s| !std::mem::replace(&mut seen[s.index()], true)) {
            Some(next) => stack.push((*next, successors[next.index()].iter())),
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
