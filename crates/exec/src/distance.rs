//! How far a state is from code of the program's own that nobody has executed.
//!
//! Distances are in segments along the control flow, through calls: from a block to the nearest
//! block with a segment that was never entered, in the function itself, in one it calls, or in a
//! caller after it returns. They are computed per function, to a fixpoint over the call graph, and
//! again when coverage has grown.

use crate::machine::Machine;
use crate::state::State;
use rejoin_ir::{BlockId, Callee, Function, Inst};
use std::cell::RefCell;

const FAR: u32 = u32::MAX / 4;

/// Distances of the blocks of a function.
#[derive(Clone, Debug)]
struct Blocks {
    uncovered: Vec<u32>,
    exit: Vec<u32>,
}

/// The distances, and for how much coverage they hold.
#[derive(Debug, Default)]
pub(crate) struct Distances {
    functions: Vec<Blocks>,
    covered: usize,
    asked: u32,
}

/// Questions after which coverage is looked at again.
const REFRESH: u32 = 256;

impl Machine {
    /// Segments that were entered.
    fn covered(&self) -> usize {
        let functions = self.module.functions.iter().zip(&self.code.functions);
        functions.map(|(f, code)| code.hits(f).iter().filter(|h| **h > 0).count()).sum()
    }

    fn block_of(&self, func: usize, pc: u32) -> usize {
        let f = &self.module.functions[func];
        f.blocks.partition_point(|b| b.insts.start + b.insts.len <= pc)
    }

    fn compute(&self, d: &mut Distances) {
        let functions = &self.module.functions;
        if d.functions.is_empty() {
            d.functions = functions.iter().map(|f| Blocks::new(f.blocks.len())).collect();
        }
        for b in &mut d.functions {
            b.uncovered.fill(FAR);
            b.exit.fill(FAR);
        }
        let hits: Vec<Vec<u64>> =
            functions.iter().zip(&self.code.functions).map(|(f, code)| code.hits(f)).collect();
        loop {
            let mut changed = false;
            for (i, f) in functions.iter().enumerate() {
                changed |= self.relax(i, f, &hits[i], &mut d.functions);
            }
            if !changed {
                return;
            }
        }
    }

    /// One round over the blocks of a function, last first.
    fn relax(&self, i: usize, f: &Function, hits: &[u64], all: &mut [Blocks]) -> bool {
        let code = &self.code.functions[i];
        let own = !self.is_library(f.loc);
        let mut changed = false;
        for (b, block) in f.blocks.iter().enumerate().rev() {
            let first = code.block_segment[b] as usize;
            let last = code.block_segment.get(b + 1).map_or(hits.len(), |s| *s as usize);
            let (mut uncovered, mut exit) = (FAR, FAR);
            if own && hits[first..last].contains(&0) {
                uncovered = 0;
            }
            for inst in &f.insts[block.insts.indices()] {
                match inst {
                    Inst::Call { callee: Callee::Direct(id), .. } => {
                        if let Some(inside) = all[id.index()].uncovered.first() {
                            uncovered = uncovered.min(inside.saturating_add(1));
                        }
                    }
                    Inst::Return { .. } => exit = 0,
                    _ => {}
                }
            }
            for next in f.successors(BlockId(b as u32)).map(|b| b.index()) {
                uncovered = uncovered.min(all[i].uncovered[next].saturating_add(1));
                exit = exit.min(all[i].exit[next].saturating_add(1));
            }
            let (uncovered, exit) = (uncovered.min(FAR), exit.min(FAR));
            if uncovered < all[i].uncovered[b] || exit < all[i].exit[b] {
                all[i].uncovered[b] = uncovered;
                all[i].exit[b] = exit;
                changed = true;
            }
        }
        changed
    }
}

impl Blocks {
    fn new(n: usize) -> Self {
        Blocks { uncovered: vec![FAR; n], exit: vec![FAR; n] }
    }
}

impl rejoin_search::Distance for Machine {
    fn distance(&self, s: &State) -> Option<u32> {
        let mut d = self.distances.borrow_mut();
        d.asked = d.asked.wrapping_add(1);
        if d.functions.is_empty() || d.asked.is_multiple_of(REFRESH) {
            let covered = self.covered();
            if d.functions.is_empty() || covered != d.covered {
                d.covered = covered;
                self.compute(&mut d);
            }
        }
        let (mut best, mut so_far) = (FAR, 0u32);
        for frame in std::iter::once(&s.frame).chain(s.callers.iter()) {
            let func = frame.func.index();
            let block = self.block_of(func, frame.pc);
            let blocks = &d.functions[func];
            best = best.min(so_far.saturating_add(blocks.uncovered[block]));
            so_far = so_far.saturating_add(blocks.exit[block]).saturating_add(1);
            if so_far >= FAR {
                break;
            }
        }
        (best < FAR).then_some(best)
    }

    fn place(&self, s: &State) -> u64 {
        let func = s.frame.func.index();
        (func as u64) << 32 | self.block_of(func, s.frame.pc) as u64
    }
}

/// A cell, because asking for a distance may have to compute it.
pub(crate) type DistanceCell = RefCell<Distances>;
