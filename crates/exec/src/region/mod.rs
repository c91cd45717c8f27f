//! Merge regions: a loop that forks is explored to its exits, where its states wait for each other
//! and are merged exit by exit (ESEC/FSE'23, sections 6 and 7).
//!
//! A region opens at the first fork inside a loop, in the running function or in one that calls it,
//! and belongs to the states that come from there. Regions nest. A state that reaches an exit of its
//! innermost region is parked; when none is left inside, the parked states are merged and go on.
//!
//! Deviations from the paper:
//! 1. Any loop that forks is a region, not only loops over objects of symbolic size; calls and
//!    nested loops are allowed.
//! 2. A region does not wait forever: states that run long without reaching an exit are left behind.
//! 3. What merging costs is counted, and what does not pay is given up (`account.rs`); patterns are also held
//!    against if-then-else terms, group by group (`rivals.rs`), so a group that fits a pattern need not become one.

mod account;
mod cases;
mod incremental;
mod join;
mod pattern;
mod rivals;
mod trail;
mod undo;

pub use pattern::FoundPattern;
pub(crate) use trail::Trail;
pub(crate) use undo::Merged;

use crate::machine::{Machine, Options};
use crate::state::State;
use account::{Accounts, Level, Place, Trial};
use join::Join;
use rejoin_analysis::loops::LoopId;
use rejoin_expr::{Term, Var};
use rejoin_ir::{FuncId, Function, Inst, IntPred, Operand};
use rejoin_pattern::{Compare, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions that a region's states may execute without one of them reaching an exit.
const PATIENCE: u64 = 5_000_000;
/// States that may wait in a region.
const CROWD: usize = 10_000;
/// Marks the step of a merged state among sites.
const MERGED: u64 = 1 << 63;

/// How the states of a region are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regions {
    /// By disjunctions and if-then-else terms along the execution tree.
    Loops,
    /// By quantified patterns where they fit, else as `Loops`.
    Pattern {
        /// More patterns than this at one exit are not worth it.
        max_patterns: usize,
    },
}

/// A region that a state is in.
#[derive(Clone, Debug)]
pub struct Inside {
    region: u32,
    /// The length of the path where the region opened.
    root: usize,
    /// What was decided since, by itself or by regions inside.
    trail: Trail,
}

/// A region that is open.
pub(crate) struct Region {
    depth: u32,
    context: u32,
    func: FuncId,
    l: LoopId,
    /// States inside that do not wait.
    live: usize,
    parked: Vec<State>,
    /// States that wait at the head of the loop for the next iteration.
    heads: Vec<State>,
    /// Instructions executed inside since a state was parked.
    quiet: u64,
}

/// The open regions, by number: a region inside another has a higher one.
pub(crate) struct OpenRegions {
    open: BTreeMap<u32, Region>,
    count: u32,
    accounts: Accounts,
    /// The variables that merging made: k of each pattern, and what tells merged patterns apart.
    variables: BTreeSet<Var>,
}

impl OpenRegions {
    /// None yet.
    pub(crate) fn new(options: &Options) -> Self {
        let first = match options.regions {
            Some(Regions::Pattern { .. }) => Level::Patterns,
            _ => Level::All,
        };
        let accounts = Accounts::new(options.merge_worth, first, options.trial);
        OpenRegions { open: BTreeMap::new(), count: 0, accounts, variables: BTreeSet::new() }
    }
}

impl Machine {
    /// How many states wait at the exits of regions.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.regions.open.values().map(|r| r.parked.len() + r.heads.len()).sum()
    }

    /// How many regions there were.
    #[must_use]
    pub fn regions_opened(&self) -> u64 {
        u64::from(self.regions.count)
    }

    /// Whether what was explored may still be thrown away, see [`Machine::begin_again`].
    #[must_use]
    pub fn is_on_trial(&self) -> bool {
        self.regions.accounts.trial() != Trial::Over
    }

    /// Whether merging was on trial and did not pay.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.regions.accounts.trial() == Trial::Failed
    }

    /// Throws away what was explored and merged, but not what was learned of merging: where to begin.
    pub fn begin_again(&mut self) -> Option<State> {
        let beginning = self.beginning.clone()?;
        self.regions.open.clear();
        self.regions.accounts.begin_again();
        self.ledger = beginning.ledger;
        self.messages.clear();
        self.warned.clear();
        self.patterns.clear();
        self.halted.clear();
        for (code, counts) in self.code.functions.iter_mut().zip(beginning.counts) {
            code.set_counts(counts);
        }
        self.forked = beginning.others;
        self.stats.trials += 1;
        Some(beginning.first)
    }

    /// Whether states are merged by patterns.
    pub(crate) fn merges_by_patterns(&self) -> bool {
        matches!(self.options.regions, Some(Regions::Pattern { .. }))
    }

    /// A fork is about to happen: opens a region if it is inside a loop that has none.
    pub(crate) fn open_region(&mut self, s: &mut State) {
        if self.options.regions.is_none() {
            return;
        }
        let frames = std::iter::once(&s.frame).chain(s.callers.iter());
        let found = frames.enumerate().find_map(|(above, frame)| {
            let block = self.module.functions[frame.func.index()].block_of_inst(frame.pc)?;
            let l = self.facts(frame.func).loops().innermost(block)?;
            if self.regions.accounts.is_hopeless((frame.func, l)) {
                return None;
            }
            Some((s.callers.depth() - above as u32, frame.context, frame.func, l))
        });
        let Some((depth, context, func, l)) = found else { return };
        let here = |r: &Region| (r.depth, r.context, r.l) == (depth, context, l);
        if s.regions.iter().any(|i| self.regions.open.get(&i.region).is_some_and(here)) {
            return;
        }
        let region = self.regions.count;
        self.regions.count += 1;
        let open =
            Region { depth, context, func, l, live: 0, parked: Vec::new(), heads: Vec::new(), quiet: 0 };
        self.regions.open.insert(region, open);
        s.regions.push(Inside { region, root: s.path.depth(), trail: Trail::default() });
    }

    /// `s` has asked something; `before`: the solver's work until then.
    pub(crate) fn charge(&mut self, s: &State, before: u64) {
        if self.options.regions.is_some() {
            let cost = 1 + self.solver.work(&self.pool) - before;
            let place = s.merged.as_ref().map(|m| m.place());
            // A state that was merged and does not know where is no measure for others.
            if place.is_some() || s.multiplicity.is_one() {
                self.regions.accounts.charge(place, cost);
            }
            if let Some((place, rival)) = s.merged.as_ref().and_then(|m| m.rival()) {
                self.regions.accounts.compare(place, rival, cost);
            }
        }
    }

    /// Notes a condition that holds from here on, for the region that `s` is in.
    pub(crate) fn note_step(&self, s: &mut State, cond: Term) {
        let Some(inside) = s.regions.last_mut() else { return };
        let site = u64::from(s.frame.func.0) << 32 | u64::from(s.frame.pc);
        let compare = self.comparison.map(|(t, c)| Compare { negated: c.negated ^ (t != cond), ..c });
        inside.trail.push(Step { site, cond, compare });
    }

    /// What a branch compares, as the program says it: (the condition, its comparison).
    pub(crate) fn comparison_of(
        &mut self,
        s: &State,
        func: &Function,
        cond: Operand,
        term: Term,
    ) -> Option<(Term, Compare)> {
        use rejoin_expr::Binary::{Eq, Sle, Slt, Ule, Ult};
        if s.regions.is_empty() {
            return None;
        }
        let reg = cond.as_reg()?;
        let block = func.block_of_inst(s.frame.pc)?;
        let start = func.blocks[block.index()].insts.start;
        let before = &func.insts[start as usize..s.frame.pc as usize];
        let (pred, w, a, b) = before.iter().rev().find_map(|inst| match *inst {
            Inst::Cmp { pred, w, dst, a, b } if dst == reg => Some((pred, w, a, b)),
            _ => None,
        })?;
        let (a, b) = (self.term(&s.frame, a, w), self.term(&s.frame, b, w));
        let (op, a, b, negated) = match pred {
            IntPred::Eq => (Eq, a, b, false),
            IntPred::Ne => (Eq, a, b, true),
            IntPred::Ult => (Ult, a, b, false),
            IntPred::Ule => (Ule, a, b, false),
            IntPred::Ugt => (Ult, b, a, false),
            IntPred::Uge => (Ule, b, a, false),
            IntPred::Slt => (Slt, a, b, false),
            IntPred::Sle => (Sle, a, b, false),
            IntPred::Sgt => (Slt, b, a, false),
            IntPred::Sge => (Sle, b, a, false),
        };
        Some((term, Compare { op, a, b, negated }))
    }

    /// Whether `s` has left the loop of its innermost region.
    pub(crate) fn has_left(&self, s: &State) -> bool {
        let Some(r) = s.regions.last().and_then(|i| self.regions.open.get(&i.region)) else { return false };
        if s.callers.depth() != r.depth || s.frame.context != r.context {
            return false;
        }
        let f = &self.module.functions[r.func.index()];
        let block = f.block_of_inst(s.frame.pc);
        block.is_none_or(|b| self.facts(r.func).loops().around(b).all(|l| l != r.l))
    }

    /// Takes `s` out of regions that are no more, or whose function has been left by a jump.
    pub(crate) fn drop_stale_regions(&mut self, s: &mut State) {
        let stale = |m: &Machine, s: &State| {
            s.regions.iter().position(|i| match m.regions.open.get(&i.region) {
                Some(r) => r.depth > s.callers.depth(),
                None => true,
            })
        };
        while let Some(n) = stale(self, s) {
            // What is inside a region that is gone is gone, too.
            while s.regions.len() > n {
                self.leave_region(s);
            }
        }
    }

    /// Takes `s` out of its innermost region: for the one around it, all that happened is one step, or one for
    /// each condition if there is a pattern among them, which may be a letter of another one.
    fn leave_region(&mut self, s: &mut State) {
        let Some(inside) = s.regions.pop() else { return };
        let Some(outer) = s.regions.last_mut() else { return };
        let suffix = s.path.suffix_since(inside.root);
        let site = MERGED | u64::from(s.frame.func.0) << 32 | u64::from(s.frame.pc);
        if suffix.iter().any(|c| self.pool.is_quantified(*c)) {
            suffix.into_iter().for_each(|cond| outer.trail.push(Step { site, cond, compare: None }));
        } else if !suffix.is_empty() {
            let cond = self.pool.and_all(&suffix);
            outer.trail.push(Step { site, cond, compare: None });
        }
    }

    /// The regions of a state, for [`Machine::settle_regions`].
    pub(crate) fn regions_of(s: &State) -> Vec<u32> {
        s.regions.iter().map(|i| i.region).collect()
    }

    /// Parks the states that have left their regions, and merges those of regions that are done.
    /// `before`: the regions of the state that has become `next` by executing `spent` instructions.
    pub(crate) fn settle_regions(
        &mut self,
        before: Vec<u32>,
        mut next: Vec<State>,
        spent: u64,
    ) -> Vec<State> {
        self.regions.accounts.execute(spent);
        next.iter_mut().for_each(|s| self.drop_stale_regions(s));
        let mut touched = before.clone();
        for id in &before {
            if let Some(r) = self.regions.open.get_mut(id) {
                r.live -= 1;
                r.quiet += spent;
            }
        }
        for s in &next {
            for inside in &s.regions {
                touched.push(inside.region);
                if let Some(r) = self.regions.open.get_mut(&inside.region) {
                    r.live += 1;
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let mut going = Vec::new();
        next.into_iter().for_each(|s| self.park(s, &mut going));
        // Inner regions first: what comes out of them may be parked in outer ones.
        for id in touched.into_iter().rev() {
            let Some(r) = self.regions.open.get(&id) else { continue };
            let is_late = r.quiet > PATIENCE || r.live + r.parked.len() + r.heads.len() > CROWD;
            if r.live == 0 && !r.heads.is_empty() {
                self.begin_iteration(id, &mut going);
            } else if r.live == 0 || is_late {
                self.release(id, &mut going);
            }
        }
        going
    }

    /// Parks `s` if it has left its region, lets it wait if it came back to the head of its loop;
    /// otherwise it is among those that go on.
    fn park(&mut self, s: State, going: &mut Vec<State>) {
        let has_left = self.has_left(&s);
        let id = s.regions.last().filter(|_| has_left).map(|i| i.region);
        match id.and_then(|id| self.regions.open.get_mut(&id)) {
            Some(r) => {
                r.live -= 1;
                r.quiet = 0;
                r.parked.push(s);
            }
            None if s.at_join => match s.regions.last().and_then(|i| self.regions.open.get_mut(&i.region)) {
                Some(r) => {
                    r.live -= 1;
                    r.heads.push(s);
                }
                None => going.push(s),
            },
            None => going.push(s),
        }
    }

    /// Ends a region: its parked states are merged and go on, where the region around it lets them.
    fn release(&mut self, id: u32, going: &mut Vec<State>) {
        self.begin_iteration(id, going);
        let Some(region) = self.regions.open.remove(&id) else { return };
        let Some(outer) = region.parked.first().map(Self::regions_of) else { return };
        let count = region.parked.len();
        let merged = self.merge_exits(region.parked, (region.func, region.l));
        for outer in outer.iter().filter(|o| **o != id) {
            if let Some(r) = self.regions.open.get_mut(outer) {
                r.live = r.live + merged.len() - count;
            }
        }
        merged.into_iter().for_each(|s| self.park(s, going));
    }

    /// Merges the states that left a region, exit by exit.
    fn merge_exits(&mut self, parked: Vec<State>, place: Place) -> Vec<State> {
        let level = self.regions.accounts.level(place);
        let mut exits: Vec<((u32, u32), Vec<State>)> = Vec::new();
        for s in parked {
            let place = (s.frame.context, s.frame.pc);
            match exits.iter_mut().find(|e| e.0 == place) {
                Some(exit) => exit.1.push(s),
                None => exits.push((place, vec![s])),
            }
        }
        let mut merged = Vec::new();
        for (_, states) in exits {
            let root = states[0].regions.last().map_or(0, |i| i.root);
            if level > Level::All {
                merged.extend(self.merge_along_tree(states, root, place, Join::Equal));
                continue;
            }
            let (rest, join) = match self.options.regions {
                Some(Regions::Pattern { max_patterns })
                    if level == Level::Patterns && !self.solver.is_over() =>
                {
                    self.merge_by_patterns(states, place, max_patterns, &mut merged)
                }
                _ => (states, Join::Any(None)),
            };
            merged.extend(self.merge_along_tree(rest, root, place, join));
        }
        merged.iter_mut().for_each(|s| self.leave_region(s));
        merged
    }
}
