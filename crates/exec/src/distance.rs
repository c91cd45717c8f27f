//! How far a state is from code of the program's own that nobody has executed.
//!
//! Distances are in blocks along the control flow, through calls: from a block to the nearest block with a
//! segment that was never entered, in the function itself, in one it calls, or in a caller after it returns.
//! Blocks that were chased in vain seem further away; those in other directories than `main`, say of a library
//! that is linked in, more so. Distances are computed per function, to a fixpoint over the call graph, and again
//! when something has changed.

use crate::machine::Machine;
use crate::state::State;
use rejoin_ir::{BlockId, Callee, Function, Inst, LocId};
use rejoin_search::Goal;
use std::cell::RefCell;
use std::path::Path;

const FAR: u32 = u32::MAX / 4;
/// What a chase costs code beside `main`, and other code.
const HERE: u32 = 1;
const ELSEWHERE: u32 = 8;

/// What is known of a block.
#[derive(Clone, Debug)]
struct Block {
    /// Functions that it calls.
    calls: Vec<u32>,
    returns: bool,
    /// The nearest uncovered code, and the way to the function's end.
    goal: Goal,
    exit: u32,
}

/// The blocks of a function.
#[derive(Clone, Debug)]
struct Blocks {
    /// The number of the first among those of all functions: what names code that is a goal.
    first: u32,
    /// Whether the function is the program's own: its code can be a goal.
    own: bool,
    blocks: Vec<Block>,
}

/// The distances, and for what they hold.
#[derive(Debug, Default)]
pub(crate) struct Distances {
    functions: Vec<Blocks>,
    /// By number of a block: what the chases cost, and what they did when distances were computed.
    chases: Vec<(u32, u32)>,
    /// By number of a block: what a chase costs.
    price: Vec<u32>,
    chased: bool,
    covered: usize,
    asked: u32,
}

/// Questions after which distances are computed again.
const REFRESH: u32 = 2048;

const NOWHERE: Goal = Goal { cost: FAR, code: 0 };

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

    /// The directory of a location's file.
    fn directory(&self, loc: LocId) -> Option<&Path> {
        Path::new(self.module.place(loc)?.0).parent()
    }

    /// Distances of which nothing is known yet.
    fn blocks(&self) -> Distances {
        let mut d = Distances::default();
        let main = self.module.functions.iter().find(|f| f.name == "main");
        let home = main.and_then(|f| self.directory(f.loc));
        let mut first = 0;
        for f in &self.module.functions {
            let price = if self.directory(f.loc) == home { HERE } else { ELSEWHERE };
            let own = !self.is_library(f.loc);
            let blocks = f.blocks.iter().map(|b| block(&f.insts[b.insts.indices()])).collect();
            d.functions.push(Blocks { first, own, blocks });
            d.price.resize(d.price.len() + f.blocks.len(), price);
            first += f.blocks.len() as u32;
        }
        d.chases = vec![(0, 0); first as usize];
        d
    }

    fn compute(&self, d: &mut Distances) {
        let functions = &self.module.functions;
        d.chases.iter_mut().for_each(|c| c.1 = c.0);
        for b in d.functions.iter_mut().flat_map(|f| &mut f.blocks) {
            (b.goal, b.exit) = (NOWHERE, FAR);
        }
        let hits: Vec<Vec<u64>> =
            functions.iter().zip(&self.code.functions).map(|(f, code)| code.hits(f)).collect();
        loop {
            let mut changed = false;
            for (i, f) in functions.iter().enumerate() {
                changed |= self.relax(i, f, &hits[i], d);
            }
            if !changed {
                return;
            }
        }
    }

    /// One round over the blocks of a function, last first.
    fn relax(&self, i: usize, f: &Function, hits: &[u64], d: &mut Distances) -> bool {
        let code = &self.code.functions[i];
        let mut changed = false;
        for b in (0..f.blocks.len()).rev() {
            let this = &d.functions[i].blocks[b];
            let (mut goal, mut exit) = (this.goal, if this.returns { 0 } else { this.exit });
            if d.functions[i].own {
                let first = code.block_segment[b] as usize;
                let last = code.block_segment.get(b + 1).map_or(hits.len(), |s| *s as usize);
                let number = d.functions[i].first + b as u32;
                if hits[first..last].contains(&0) {
                    goal = nearer(goal, Goal { cost: d.chases[number as usize].0, code: number }, 0);
                }
            }
            for callee in &this.calls {
                if let Some(inside) = d.functions[*callee as usize].blocks.first() {
                    goal = nearer(goal, inside.goal, 1);
                }
            }
            for next in f.successors(BlockId(b as u32)).map(|b| b.index()) {
                let next = &d.functions[i].blocks[next];
                goal = nearer(goal, next.goal, 1);
                exit = exit.min(next.exit.saturating_add(1));
            }
            let this = &mut d.functions[i].blocks[b];
            changed |= goal.cost < this.goal.cost || exit < this.exit;
            (this.goal, this.exit) = (goal, exit);
        }
        changed
    }
}

/// The nearer goal, if the second one is `further` away than it says.
fn nearer(one: Goal, two: Goal, further: u32) -> Goal {
    let cost = two.cost.saturating_add(further).min(FAR);
    if cost < one.cost { Goal { cost, ..two } } else { one }
}

fn block(insts: &[Inst]) -> Block {
    let callee = |inst: &Inst| match inst {
        Inst::Call { callee: Callee::Direct(id), .. } => Some(id.index() as u32),
        _ => None,
    };
    let mut calls: Vec<u32> = insts.iter().filter_map(callee).collect();
    calls.sort_unstable();
    calls.dedup();
    let returns = insts.iter().any(|inst| matches!(inst, Inst::Return { .. }));
    Block { calls, returns, goal: NOWHERE, exit: FAR }
}

impl rejoin_search::Distance for Machine {
    fn goal(&self, s: &State) -> Option<Goal> {
        let mut d = self.distances.borrow_mut();
        d.asked = d.asked.wrapping_add(1);
        if d.functions.is_empty() {
            *d = self.blocks();
            self.compute(&mut d);
        } else if d.asked.is_multiple_of(REFRESH) {
            let covered = self.covered();
            if covered != d.covered || d.chased {
                (d.covered, d.chased) = (covered, false);
                self.compute(&mut d);
            }
        }
        let (mut best, mut so_far) = (NOWHERE, 0u32);
        for frame in std::iter::once(&s.frame).chain(s.callers.iter()) {
            let func = frame.func.index();
            let block = &d.functions[func].blocks[self.block_of(func, frame.pc)];
            best = nearer(best, block.goal, so_far);
            so_far = so_far.saturating_add(block.exit).saturating_add(1);
            if so_far >= FAR {
                break;
            }
        }
        let (now, then) = d.chases.get(best.code as usize).copied().unwrap_or_default();
        (best.cost < FAR).then(|| Goal { cost: best.cost.saturating_add(now - then), ..best })
    }

    fn chase(&self, code: u32) {
        let d = &mut *self.distances.borrow_mut();
        if let (Some(chases), Some(price)) = (d.chases.get_mut(code as usize), d.price.get(code as usize)) {
            chases.0 = chases.0.saturating_add(*price).min(FAR / 2);
            d.chased = true;
        }
    }
}

/// A cell, because asking for a distance may have to compute it.
pub(crate) type DistanceCell = RefCell<Distances>;
