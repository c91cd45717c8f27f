//! Merging: one state for the paths of two.
//!
//! [`Machine::compatible`] is the precondition; what it accepts, [`Machine::unite`] merges exactly:
//! the result has the inputs of both, and on each input the store of the state it came from. Whether
//! that pays is not decided here.

mod check;
mod explain;
mod parts;
mod path;
mod split;

pub(crate) use path::{United, is_told_by_quantifiers};

pub use explain::{Against, Tallies, Tally};
pub use parts::{Part, Parts};

use crate::frame::{Callers, Frame, Variadic};
use crate::machine::Machine;
use crate::state::{State, World};
use rejoin_expr::{Pool, Term};
use rejoin_fault::planted;
use rejoin_ir::{EdgeId, FuncId, Reg};
use rejoin_memory::{Choice, Value};
use std::rc::Rc;

/// Why two states can not become one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Refusal {
    /// They are not at the same place with the same call stack.
    Place,
    /// The path of one is part of the other's.
    Ancestor,
    /// Their frames have different objects or arguments.
    Frames,
    /// They are in different iterations, which are counted: the merged state would be cut too early.
    Iterations,
    /// An object has another size in one of them, or a local exists in one only.
    Objects,
    /// They made different inputs, or differ in what the machine keeps of the outside.
    World,
}

impl Refusal {
    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Refusal::Place => "different places",
            Refusal::Ancestor => "one path is part of the other",
            Refusal::Frames => "different locals or variadic arguments",
            Refusal::Iterations => "different iterations under --max-loop",
            Refusal::Objects => "an object of different sizes",
            Refusal::World => "different inputs or environment",
        }
    }
}

impl Machine {
    /// Whether the two states can become one.
    pub fn compatible(&self, a: &State, b: &State) -> Result<(), Refusal> {
        if (a.frame.context, a.frame.pc) != (b.frame.context, b.frame.pc) {
            return Err(Refusal::Place);
        }
        if !path::are_apart(&a.path, &b.path) {
            return Err(Refusal::Ancestor);
        }
        if !frames(a, b).all(|(x, y)| fit(x, y)) {
            return Err(Refusal::Frames);
        }
        if self.options.max_loop.is_some() && !frames(a, b).all(|(x, y)| x.iterations == y.iterations) {
            return Err(Refusal::Iterations);
        }
        let (x, y) = (&a.world, &b.world);
        let same_world = Rc::ptr_eq(x, y)
            || x.jumps == y.jumps
                && x.handlers == y.handlers
                && x.exit_code == y.exit_code
                && x.inputs == y.inputs
                && x.fixed == y.fixed
                && x.forks_disabled == y.forks_disabled
                && x.os.fits(&y.os);
        if !same_world {
            return Err(Refusal::World);
        }
        a.memory.fits(&b.memory).map_err(|_| Refusal::Objects)
    }

    /// Calls `visit` with every register in which two compatible states differ and which is still
    /// needed: the frame's function, the register and its width, and both values.
    pub fn live_differences(
        &self,
        a: &State,
        b: &State,
        visit: &mut dyn FnMut(FuncId, Reg, u16, Value, Value),
    ) {
        for (n, (x, y)) in frames(a, b).enumerate() {
            for &(reg, w) in self.live_values(a, x, n > 0).iter() {
                let (v, u) = (x.get(reg, w), y.get(reg, w));
                if v != u {
                    visit(x.func, reg, w, v, u);
                }
            }
        }
    }

    /// Calls `visit` with every register of a state that is still needed, from the top frame down.
    pub fn live_state(&self, s: &State, visit: &mut dyn FnMut(Value)) {
        for (n, frame) in std::iter::once(&s.frame).chain(s.callers.iter()).enumerate() {
            self.live_values(s, frame, n > 0).iter().for_each(|&(reg, w)| visit(frame.get(reg, w)));
        }
    }

    /// One state for the paths of two compatible ones.
    pub fn unite(&mut self, a: State, b: State) -> State {
        self.unite_guarded(a, b).0
    }

    /// As `unite`, with what holds on the inputs of the first only.
    pub(crate) fn unite_guarded(&mut self, mut a: State, mut b: State) -> (State, Term) {
        self.fix_missing_variables(&mut a, &mut b);
        // What may be taken back is told apart by what the parts' own paths say; summaries have guards of their own, which
        // are as short as diagrams are, whatever terms they were made from.
        let shortens = self.options.regions.is_none() && self.summaries.is_none();
        let solver = shortens.then_some(&mut self.solver);
        let united = path::unite(&mut self.pool, solver, &a.path, &b.path);
        let guard = united.guard;
        let parts = self.checks_merges().then(|| (a.clone(), b.clone()));
        let merged = self.unite_by(a, b, united);
        if let Some((a, b)) = parts {
            self.check(&a, &b, &merged, guard);
        }
        (merged, guard)
    }

    /// One state for two, whose paths together and whose guard are given.
    pub(crate) fn unite_by(&mut self, a: State, b: State, united: United) -> State {
        let United { path, guard } = united;
        let segment = self.code.functions[a.frame.func.index()].segment_at(a.frame.pc);
        let weight = self.code.functions[a.frame.func.index()].segments[segment].weight;
        self.stats.instructions = self.stats.instructions.saturating_sub(u64::from(weight));

        let pairs: Vec<Pair> = frames(&a, &b)
            .enumerate()
            .map(|(n, (x, y))| Pair { a: x, b: y, live: self.live_values(&a, x, n > 0) })
            .collect();
        let mut below = a.callers.clone();
        for _ in 1..pairs.len() {
            below = below.below();
        }
        let limits = self.limits_met();
        let steps = self.guard_steps();
        if self.summaries.is_some() {
            self.on_paths(&a.multiplicity.plus(&b.multiplicity));
            self.keep_witness(&a);
            self.keep_witness(&b);
            self.unite_pc_guards(&a, &b, &path);
        }
        self.summaries.iter_mut().for_each(|m| m.census.begin());
        let mut summarise = self
            .summaries
            .as_mut()
            .map(|summaries| move |pool: &mut Pool, guard, w, a, b| summaries.either(pool, guard, w, a, b));
        let either = summarise.as_mut().map(|f| f as &mut rejoin_memory::Either);
        let mut choice = Choice { pool: &mut self.pool, guard, ites: 0, either };
        let mut merged: Vec<Frame> = pairs.iter().map(|p| p.merge(&mut choice)).collect();
        let mut memory = a.memory.clone();
        memory.merge(&b.memory, &mut choice);
        choice.either = None; // Outside the machine nobody knows summaries.
        let world = merge_worlds(&mut choice, &a.world, &b.world);
        let ites = choice.ites;
        self.stats.merges += 1;
        self.stats.ites += ites;
        self.take_census();
        self.note_limits(&a, limits);
        let steps = self.guard_steps() - steps;
        let tally = self.tally(&a);
        tally.steps += steps;
        tally.merges += 1;
        tally.ites += ites;
        let mut frame = merged.remove(0);
        if planted("merge-before-phi") {
            self.undo_phis(&a.frame, &mut frame);
        }
        let mut callers: Callers = below;
        merged.into_iter().rev().for_each(|f| callers.push(f));
        let mut gaps = a.gaps.clone();
        gaps.unite(&b.gaps);
        State {
            frame,
            callers,
            path,
            memory,
            world,
            gaps,
            depth: a.depth.max(b.depth),
            multiplicity: a.multiplicity.plus(&b.multiplicity),
            parts: self.join_parts(&a, &b, guard),
            news: a.news.unite(&b.news),
            unasked: a.unasked.max(b.unasked),
            later: a.later.max(b.later),
            at_join: a.at_join && b.at_join,
            regions: a.regions.clone(),
            merged: a.merged.clone(),
        }
    }
}

impl Machine {
    /// A planted fault: the phis of the block are those of the edge that `a` came by, for all paths.
    fn undo_phis(&self, a: &Frame, merged: &mut Frame) {
        let f = &self.module.functions[a.func.index()];
        let here = f.block_of_inst(a.pc);
        let edges = (0..f.edges.len()).filter(|i| Some(f.edges[*i].target) == here);
        for copy in edges.flat_map(|i| f.copies_of(EdgeId(i as u32))) {
            merged.set(copy.dst, copy.w, a.get(copy.dst, copy.w));
        }
    }
}

/// The frames of both states from the top down, until they are the very same.
fn frames<'a>(a: &'a State, b: &'a State) -> impl Iterator<Item = (&'a Frame, &'a Frame)> {
    let below = a.callers.pairs(&b.callers);
    std::iter::once((&a.frame, &b.frame)).chain(below)
}

/// Whether two frames of one call differ only in what can be merged.
fn fit(a: &Frame, b: &Frame) -> bool {
    let same_shape = |x: &Variadic, y: &Variadic| {
        let lens = |v: &Variadic| v.pieces.iter().map(|p| p.0).collect::<Vec<_>>();
        x.align == y.align && lens(x) == lens(y)
    };
    let variadic = match (&a.variadic, &b.variadic) {
        (Some(x), Some(y)) => {
            Rc::ptr_eq(x, y) || x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| same_shape(x, y))
        }
        (None, None) => true,
        _ => false,
    };
    (a.func, a.context, a.pc, a.resume, a.is_cut) == (b.func, b.context, b.pc, b.resume, b.is_cut)
        && a.locals == b.locals
        && variadic
}

/// A frame of both states, and what of it is still needed.
struct Pair<'a> {
    a: &'a Frame,
    b: &'a Frame,
    live: Rc<[(Reg, u16)]>,
}

impl Pair<'_> {
    fn merge(&self, choice: &mut Choice) -> Frame {
        let (a, b) = (self.a, self.b);
        let mut frame = a.emptied();
        for &(reg, w) in self.live.iter().skip(usize::from(planted("merge-drops-live"))) {
            frame.set(reg, w, choice.value(u32::from(w), a.get(reg, w), b.get(reg, w)));
        }
        for &(header, n) in &b.loops {
            match frame.loops.iter_mut().find(|l| l.0 == header) {
                Some(l) => l.1 = l.1.max(n),
                None => frame.loops.push((header, n)),
            }
        }
        if let (Some(x), Some(y)) = (&a.variadic, &b.variadic)
            && x != y
        {
            let merge = |(x, y): (&Variadic, &Variadic)| {
                let pieces = x.pieces.iter().zip(&y.pieces);
                let pieces = pieces.map(|(p, q)| (p.0, choice.value(8 * p.0, p.1, q.1))).collect();
                Variadic { align: x.align, pieces }
            };
            frame.variadic = Some(x.iter().zip(y.iter()).map(merge).collect());
        }
        frame
    }
}

fn merge_worlds(choice: &mut Choice, a: &Rc<World>, b: &Rc<World>) -> Rc<World> {
    if Rc::ptr_eq(a, b) {
        return Rc::clone(a);
    }
    let os = a.os.merge(&b.os, choice.guard, &mut |x, y| choice.value(8, x, y));
    let os = os.unwrap_or_else(|| unreachable!("the systems of compatible states fit"));
    let mut preferences = a.preferences.clone();
    preferences.extend(b.preferences.iter().filter(|p| !a.preferences.contains(p)));
    Rc::new(World { os, preferences, ..(**a).clone() })
}
