//! How often blocks are visited: the recursion q of equation 3, for many counting functions at once.
//!
//! q is linear in what it counts, so it is computed once per *column* (here: a block with sites)
//! instead of once per variable and location. Inside a loop the value of a block is an affine
//! function of the value at the back edges of the loops around it. With h(B) = p + b·B the header's
//! value, a header that is evaluated n times has the value h(h(…h(X))) with X the value at the
//! loop's exit, where the last back edge is cut to: a geometric sum, so n costs nothing.
//!
//! A location inside loops is taken to be in their first iteration.

use crate::cfg::{Cfg, out_edges};
use crate::count::Count;
use crate::dependence::site::share;
use crate::loops::{LoopId, Loops};
use rejoin_ir::{BlockId, EdgeId, Function};

pub(crate) struct Visits<'a> {
    pub(crate) f: &'a Function,
    pub(crate) cfg: &'a Cfg,
    pub(crate) loops: &'a Loops,
    pub(crate) beta: f64,
    /// Per loop: how often its header is evaluated, at least once.
    pub(crate) evaluations: &'a [u32],
}

/// A value per column, and the factor of the back edges of each open loop, outermost first.
#[derive(Clone)]
struct Row {
    values: Box<[Count]>,
    open: Vec<Count>,
}

impl Row {
    fn new(columns: usize, open: usize) -> Self {
        Row { values: vec![Count::ZERO; columns].into_boxed_slice(), open: vec![Count::ZERO; open] }
    }

    fn add(&mut self, factor: Count, other: &Row) {
        for (a, b) in self.values.iter_mut().zip(&other.values) {
            *a += factor * *b;
        }
        for (a, b) in self.open.iter_mut().zip(&other.open) {
            *a += factor * *b;
        }
    }
}

/// What one visit of a block counts, times a factor, is added to the values.
pub(crate) trait Unit: Fn(BlockId, Count, &mut [Count]) {}
impl<F: Fn(BlockId, Count, &mut [Count])> Unit for F {}

impl Visits<'_> {
    /// Computes per block and column what is counted *after* the visit of the block itself. `visit`
    /// sees each block's values once per `cut` from the number of loops around the block down to 0:
    /// the back edges of that many of them, outermost first, count nothing.
    pub(crate) fn run(&self, columns: usize, unit: impl Unit, mut visit: impl FnMut(BlockId, u32, &[Count])) {
        let order = self.loops.order();
        let mut rows: Vec<Row> = vec![Row::new(0, 0); order.len()];
        for (rank, &b) in order.iter().enumerate().rev() {
            let depth = self.loops.depth(b);
            let mut row = Row::new(columns, depth as usize);
            let edges = out_edges(self.f, b);
            let share = Count::from(share(self.beta, edges.len()));
            for edge in edges {
                self.follow(edge, share, &rows, &mut row, &unit);
            }
            visit(b, depth, &row.values);
            rows[rank] = row;
            if let Some(l) = self.loops.innermost(b).filter(|l| self.loops.get(*l).header == b) {
                self.close(l, rank, &mut rows, &unit, &mut visit);
            }
        }
    }

    /// Adds what an edge leads to.
    fn follow(&self, edge: EdgeId, factor: Count, rows: &[Row], row: &mut Row, unit: &impl Unit) {
        let target = self.f.edges[edge.index()].target;
        let Some(from) = self.cfg.source(edge) else { return };
        if let Some(l) = self.loops.next_iteration(from, target) {
            if let Some(open) = row.open.get_mut(self.loops.get(l).depth as usize - 1) {
                *open += factor;
            }
        } else if self.loops.rank(target) > self.loops.rank(from) {
            // Other edges lead backward in a nest that was too deep to take apart: they are cut.
            self.enter(target, factor, rows, row, unit);
        }
    }

    /// Adds a visit of a block and what comes after it.
    fn enter(&self, b: BlockId, factor: Count, rows: &[Row], row: &mut Row, unit: &impl Unit) {
        let Some(rank) = self.loops.rank(b) else { return };
        row.add(factor, &rows[rank as usize]);
        unit(b, factor, &mut row.values);
    }

    /// All blocks of a loop are computed in terms of its back edges: puts the value of those in.
    fn close(
        &self,
        l: LoopId,
        header: usize,
        rows: &mut [Row],
        unit: &impl Unit,
        visit: &mut impl FnMut(BlockId, u32, &[Count]),
    ) {
        let outer = self.loops.get(l).depth as usize - 1;
        let again = rows[header].open[outer];
        let (mut sum, mut power) = (Count::ZERO, Count::ONE);
        for _ in 1..self.evaluations[l.index()] {
            sum += power;
            power = power * again;
        }
        let mut next = Row::new(rows[header].values.len(), outer);
        self.enter(self.loops.get(l).header, sum, rows, &mut next, unit);
        let exits = self.last_exits(l);
        for &exit in &exits {
            self.follow(exit, power * (1.0 / exits.len() as f64), rows, &mut next, unit);
        }
        for (i, &b) in self.loops.blocks(l).iter().enumerate() {
            let row = &mut rows[header + i];
            let factor = row.open.pop().unwrap_or(Count::ZERO);
            row.add(factor, &next);
            visit(b, outer as u32, &row.values);
        }
    }

    /// Where a loop that is cut goes on: the exits of its header, else of the blocks that close it,
    /// else all.
    fn last_exits(&self, l: LoopId) -> Vec<EdgeId> {
        let the_loop = self.loops.get(l);
        let from = |blocks: &[BlockId]| {
            let exits = the_loop.exits.iter().copied();
            exits.filter(|&e| self.cfg.source(e).is_some_and(|b| blocks.contains(&b))).collect::<Vec<_>>()
        };
        let latches: Vec<BlockId> = the_loop.back_edges.iter().filter_map(|&e| self.cfg.source(e)).collect();
        let choices = [from(&[the_loop.header]), from(&latches), the_loop.exits.clone()];
        choices.into_iter().find(|exits| !exits.is_empty()).unwrap_or_default()
    }
}
