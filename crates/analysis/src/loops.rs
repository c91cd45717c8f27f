//! Loops, and the topological order of blocks that they allow.
//!
//! A loop is a strongly connected part of the graph; its header is its first block in reverse
//! postorder, and the loops nested in it are the strongly connected parts of what remains without
//! the header (Bourdoncle's weak topological order). For reducible graphs these are the natural
//! loops. A loop with several entries (irreducible) is no special case: the other entries jump into
//! its middle.
//!
//! [`Loops::order`] lists the reachable blocks so that a loop is a contiguous run that starts with
//! its header, and every edge leads forward except those to the header of a loop around its source.

use crate::cfg::Cfg;
use rejoin_ir::{BlockId, EdgeId, Function};

/// Deeper nests are not taken apart: what remains there is listed in reverse postorder, and its
/// edges may lead backward without reaching a header.
const MAX_DEPTH: u32 = 32;

const NONE: u32 = u32::MAX;

/// A loop of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

impl LoopId {
    /// The position in [`Loops::all`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where an iteration begins.
    pub header: BlockId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How many loops are around its blocks because of it: 1 for an outermost loop.
    pub depth: u32,
    /// Edges from inside to the header.
    pub back_edges: Vec<EdgeId>,
    /// Edges from inside to outside.
    pub exits: Vec<EdgeId>,
    /// Blocks other than the header that are entered from outside; a natural loop has none.
    pub side_entries: Vec<BlockId>,
    first: u32,
    end: u32,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
    order: Vec<BlockId>,
    rank: Vec<u32>,
}

impl Loops {
    /// The loops of `f`.
    #[must_use]
    pub fn new(f: &Function, cfg: &Cfg) -> Self {
        let blocks = cfg.len();
        let loops = Loops {
            loops: Vec::new(),
            innermost: vec![None; blocks],
            order: Vec::new(),
            rank: vec![NONE; blocks],
        };
        let part = (0..cfg.reverse_postorder().len() as u32).collect();
        let mut search = Search { cfg, loops, part_of: vec![0; blocks], parts: 0 };
        search.decompose(part, None, 0);
        let mut loops = search.loops;
        loops.edges(f, cfg);
        loops
    }

    /// All loops, each after the loop around it.
    #[must_use]
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// The ids of all loops, each after the loop around it.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        (0..self.loops.len() as u32).map(LoopId)
    }

    /// A loop.
    #[must_use]
    pub fn get(&self, l: LoopId) -> &Loop {
        &self.loops[l.index()]
    }

    /// The innermost loop around `b`.
    #[must_use]
    pub fn innermost(&self, b: BlockId) -> Option<LoopId> {
        self.innermost[b.index()]
    }

    /// The loops around `b`, innermost first.
    pub fn around(&self, b: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(b), |l| self.get(*l).parent)
    }

    /// How many loops are around `b`.
    #[must_use]
    pub fn depth(&self, b: BlockId) -> u32 {
        self.innermost(b).map_or(0, |l| self.get(l).depth)
    }

    /// The blocks of a loop, header first, in topological order.
    #[must_use]
    pub fn blocks(&self, l: LoopId) -> &[BlockId] {
        let l = self.get(l);
        &self.order[l.first as usize..l.end as usize]
    }

    /// Whether `b` is in loop `l`.
    #[must_use]
    pub fn contains(&self, l: LoopId, b: BlockId) -> bool {
        let l = self.get(l);
        (l.first..l.end).contains(&self.rank[b.index()])
    }

    /// The loop around `from` whose header `to` is: taking such an edge begins its next iteration.
    #[must_use]
    pub fn next_iteration(&self, from: BlockId, to: BlockId) -> Option<LoopId> {
        let l = self.innermost(to)?;
        (self.get(l).header == to && self.contains(l, from)).then_some(l)
    }

    /// The reachable blocks in topological order.
    #[must_use]
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// The position in [`Loops::order`]; `None` for an unreachable block.
    #[must_use]
    pub fn rank(&self, b: BlockId) -> Option<u32> {
        let rank = self.rank[b.index()];
        (rank != NONE).then_some(rank)
    }

    fn push(&mut self, b: BlockId, around: Option<LoopId>) {
        self.innermost[b.index()] = around;
        self.rank[b.index()] = self.order.len() as u32;
        self.order.push(b);
    }

    fn edges(&mut self, f: &Function, cfg: &Cfg) {
        for &b in cfg.reverse_postorder() {
            for &edge in cfg.in_edges(b) {
                let Some(from) = cfg.source(edge) else { continue };
                let target = f.edges[edge.index()].target;
                let around: Vec<LoopId> = self.around(from).collect();
                for l in around {
                    if self.get(l).header == target {
                        self.loops[l.index()].back_edges.push(edge);
                    } else if !self.contains(l, target) {
                        self.loops[l.index()].exits.push(edge);
                    }
                }
                let entered: Vec<LoopId> =
                    self.around(target).take_while(|l| !self.contains(*l, from)).collect();
                for l in entered {
                    let l = &mut self.loops[l.index()];
                    if l.header != target && !l.side_entries.contains(&target) {
                        l.side_entries.push(target);
                    }
                }
            }
        }
    }
}

struct Search<'a> {
    cfg: &'a Cfg,
    loops: Loops,
    /// Per block: the part of the graph that is being taken apart.
    part_of: Vec<u32>,
    parts: u32,
}

impl Search<'_> {
    /// Lists the blocks of a part (numbers in reverse postorder, ascending) in topological order.
    fn decompose(&mut self, part: Vec<u32>, around: Option<LoopId>, depth: u32) {
        let rpo = self.cfg.reverse_postorder();
        if depth == MAX_DEPTH {
            part.iter().for_each(|&n| self.loops.push(rpo[n as usize], around));
            return;
        }
        self.parts += 1;
        for &n in &part {
            self.part_of[rpo[n as usize].index()] = self.parts;
        }
        for component in self.components(&part) {
            let header = rpo[component[0] as usize];
            if component.len() == 1 && !self.cfg.successors(header).contains(&header) {
                self.loops.push(header, around);
                continue;
            }
            let l = LoopId(self.loops.loops.len() as u32);
            let first = self.loops.order.len() as u32;
            self.loops.loops.push(Loop {
                header,
                parent: around,
                depth: depth + 1,
                back_edges: Vec::new(),
                exits: Vec::new(),
                side_entries: Vec::new(),
                first,
                end: first + component.len() as u32,
            });
            self.loops.push(header, Some(l));
            self.part_of[header.index()] = 0;
            self.decompose(component[1..].to_vec(), Some(l), depth + 1);
        }
    }

    /// The strongly connected components of the current part, each ascending, in topological order.
    fn components(&self, part: &[u32]) -> Vec<Vec<u32>> {
        let rpo = self.cfg.reverse_postorder();
        let position = |n: u32| part.binary_search(&n).ok();
        let successors = |i: usize| {
            let inside = |b: &&BlockId| self.part_of[b.index()] == self.parts;
            let successors = self.cfg.successors(rpo[part[i] as usize]).iter().filter(inside);
            successors.filter_map(|&b| self.cfg.number(b)).filter_map(|n| position(n as u32)).collect()
        };
        let mut components = crate::scc::components(part.len(), successors);
        components.reverse();
        for component in &mut components {
            component.iter_mut().for_each(|i| *i = part[*i as usize]);
            component.sort_unstable();
        }
        components
    }
}
