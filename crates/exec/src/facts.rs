//! What merging has to know of a function, computed when it is first asked for.

use crate::frame::Frame;
use crate::machine::Machine;
use crate::state::State;
use rejoin_analysis::bitset::BitSet;
use rejoin_analysis::cfg::Cfg;
use rejoin_analysis::joins::merge_points;
use rejoin_analysis::liveness::Liveness;
use rejoin_analysis::loops::Loops;
use rejoin_analysis::topo::{OrderKey, Topo};
use rejoin_ir::{EdgeId, Function, Reg};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Facts of one function.
pub(crate) struct Facts {
    cfg: Cfg,
    loops: Loops,
    liveness: Liveness,
    /// All values that a frame can hold, by register.
    values: Vec<(Reg, u16)>,
    live: RefCell<FxHashMap<u32, LiveValues>>,
}

/// The values of a frame that are still needed.
type LiveValues = Rc<[(Reg, u16)]>;

impl Facts {
    fn new(f: &Function) -> Self {
        let cfg = Cfg::new(f);
        let mut values: Vec<(Reg, u16)> = f.params.iter().map(|p| (p.reg, p.ty.bits())).collect();
        for inst in &f.insts {
            inst.for_each_def(f, |reg, w| values.push((reg, w)));
        }
        values.extend(f.copies.iter().map(|c| (c.dst, c.w)));
        values.sort_unstable();
        values.dedup_by_key(|v| v.0);
        let (loops, liveness) = (Loops::new(f, &cfg), Liveness::new(f, &cfg));
        Facts { cfg, loops, liveness, values, live: RefCell::default() }
    }

    /// The function's loops.
    pub(crate) fn loops(&self) -> &Loops {
        &self.loops
    }

    /// Where an edge comes from.
    pub(crate) fn source(&self, edge: EdgeId) -> Option<rejoin_ir::BlockId> {
        self.cfg.source(edge)
    }

    /// What `set` leaves of the values.
    fn values_in(&self, set: &BitSet) -> LiveValues {
        self.values.iter().filter(|v| set.contains(v.0.index())).copied().collect()
    }
}

/// What an edge means to merging and to limits; what has a mark is left to the slow path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// Nothing.
    Plain,
    /// It enters or leaves a loop.
    Loop,
    /// It leads to where paths meet.
    Join,
    /// It leaves a loop that may be a merge region.
    Exit,
    /// It leads to a loop's header, where `--max-loop` counts.
    Header,
    /// It leads to the next iteration of a loop that may be a merge region.
    Back,
}

/// The marks of a function's edges.
pub(crate) fn marks(f: &Function) -> Vec<Mark> {
    let cfg = Cfg::new(f);
    let loops = Loops::new(f, &cfg);
    let meets = merge_points(f, &cfg, &loops);
    let mark = |i: usize| {
        let target = f.edges[i].target;
        let Some(from) = cfg.source(EdgeId(i as u32)) else { return Mark::Plain };
        if meets.contains(target.index()) {
            Mark::Join
        } else if loops.innermost(from) != loops.innermost(target) {
            Mark::Loop
        } else {
            Mark::Plain
        }
    };
    (0..f.edges.len()).map(mark).collect()
}

/// Marks the edges to loops' headers that have no mark yet.
pub(crate) fn mark_headers(f: &Function, is_back_edge: &[bool], marks: &mut Vec<Mark>) {
    marks.resize(f.edges.len(), Mark::Plain);
    let mut is_header = vec![false; f.blocks.len()];
    for (edge, _) in f.edges.iter().zip(is_back_edge).filter(|(_, back)| **back) {
        is_header[edge.target.index()] = true;
    }
    for (edge, mark) in f.edges.iter().zip(marks) {
        if *mark == Mark::Plain && is_header[edge.target.index()] {
            *mark = Mark::Header;
        }
    }
}

/// The marks of a function's edges where loops are merge regions.
pub(crate) fn exits(f: &Function) -> Vec<Mark> {
    let cfg = Cfg::new(f);
    let loops = Loops::new(f, &cfg);
    let is_back = |i: usize| {
        let from = cfg.source(EdgeId(i as u32));
        from.is_some_and(|from| loops.next_iteration(from, f.edges[i].target).is_some())
    };
    let mark = |i| if is_back(i) { Mark::Back } else { Mark::Plain };
    let mut marks: Vec<Mark> = (0..f.edges.len()).map(mark).collect();
    for exit in loops.all().iter().flat_map(|l| &l.exits) {
        marks[exit.index()] = Mark::Exit;
    }
    marks
}

impl Machine {
    pub(crate) fn facts(&self, f: rejoin_ir::FuncId) -> &Facts {
        self.facts[f.index()].get_or_init(|| Facts::new(&self.module.functions[f.index()]))
    }

    /// Keeps count of loops along a marked edge, and notes that a meeting place is reached.
    pub(crate) fn track(&mut self, s: &mut State, func: &Function, edge: EdgeId, mark: Mark) {
        let mut iterations = std::mem::take(&mut s.frame.iterations);
        let facts = self.facts(s.frame.func);
        if let Some(from) = facts.cfg.source(edge) {
            Topo(&facts.loops).step(from, func.edges[edge.index()].target, &mut iterations);
        }
        s.frame.iterations = iterations;
        if mark == Mark::Join {
            self.meet(s);
        }
    }

    /// Notes that `s` is where paths meet: at the head of a block, or after a call in which it
    /// forked.
    pub(crate) fn meet(&mut self, s: &mut State) {
        if self.options.merging {
            s.at_join = true;
            self.arrived |= !self.alone;
        }
    }

    /// The values of a frame that its path can still read. `waiting`: it waits for a call.
    pub(crate) fn live_values(&self, s: &State, frame: &Frame, waiting: bool) -> LiveValues {
        let facts = self.facts(frame.func);
        // longjmp may go back to where other registers are alive.
        if s.world.jumps.iter().any(|j| j.context == frame.context) {
            return facts.values.as_slice().into();
        }
        let waiting = waiting && !frame.resume;
        let place = frame.pc << 1 | u32::from(waiting);
        let compute = || {
            let f = &self.module.functions[frame.func.index()];
            let live = if waiting {
                facts.liveness.while_calling(f, frame.pc)
            } else {
                facts.liveness.before(f, frame.pc)
            };
            facts.values_in(&live)
        };
        facts.live.borrow_mut().entry(place).or_insert_with(compute).clone()
    }
}

impl rejoin_search::Order for Machine {
    type Key = (u32, OrderKey);

    fn key(&self, s: &State) -> Self::Key {
        let mut key = OrderKey::new();
        let mut frames: Vec<&Frame> = std::iter::once(&s.frame).chain(s.callers.iter()).collect();
        frames.reverse();
        for frame in frames {
            let f = &self.module.functions[frame.func.index()];
            if let Some(block) = f.block_of_inst(frame.pc) {
                let inst = frame.pc - f.blocks[block.index()].insts.start;
                key.push(&self.facts(frame.func).loops, block, inst, &frame.iterations);
            }
        }
        (s.later, key)
    }
}
