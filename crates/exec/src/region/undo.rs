//! The way back from a merge that does not pay: a merged state becomes its parts again.
//!
//! A merged state knows the paths that it was made of, and the term by which they are told apart: a guard, or
//! k of a pattern. A part has the path it had, with what the merged state has assumed since, and the merged
//! store with the value that the term has on this path put in its place. So nothing that was explored since
//! the merge is explored again.

use super::account::{Level, Place};
use super::join::Join;
use super::rivals::Rival;
use crate::machine::Machine;
use crate::multiplicity::Multiplicity;
use crate::state::State;
use rejoin_expr::{Node, Pool, Term};
use rejoin_fault::planted;
use rejoin_solver::{Path, Special};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More merges are not taken back at once.
const DEEPEST: u32 = 64;

/// How a state was merged.
pub struct Merged {
    /// What is to blame for what it asks.
    blamed: Blamed,
    /// Whether the parts had equal stores. Then place and level are of a merge that one of them has behind it
    /// and not the other, whose traces are in the path.
    equal: bool,
    /// Whether it was by a pattern, or a part has one behind it.
    has_pattern: bool,
    /// The term that tells the parts apart.
    by: Term,
    /// Conditions that say which values k has; of a guard there is nothing to say.
    values: Vec<Term>,
    parts: Vec<Before>,
    /// The length of the merged path.
    depth: usize,
    multiplicity: Multiplicity,
    /// Later merges have larger numbers.
    number: u64,
    /// Regions with this number and above were opened later.
    next_region: u32,
    /// The last merge that all parts have behind them.
    outer: Option<Rc<Merged>>,
}

/// A merge of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blamed {
    /// The loop that was left.
    pub(super) place: Place,
    /// What had to be done there for it: by patterns, or by if-then-else terms.
    pub(super) level: Level,
    /// Where a pattern fitted, what was done.
    pub(super) rival: Option<Rival>,
}

impl Merged {
    /// The loop that was left.
    pub(crate) fn place(&self) -> Place {
        self.blamed.place
    }

    /// Where a pattern fitted: the loop, and what was done.
    pub(super) fn rival(&self) -> Option<(Place, Rival)> {
        Some((self.blamed.place, self.blamed.rival?))
    }
}

/// A part of a merged state, as it was before.
pub(super) struct Before {
    /// What the term is.
    value: Term,
    path: Path,
    multiplicity: Multiplicity,
    merged: Option<Rc<Merged>>,
}

impl Before {
    /// The part that `s` becomes where the term has this value.
    pub(super) fn new(s: &State, value: Term) -> Self {
        let (path, multiplicity) = (s.path.clone(), s.multiplicity.clone());
        Before { value, path, multiplicity, merged: s.merged.clone() }
    }
}

/// The last merge that two states both have behind them.
pub(super) fn shared_origin(a: &Option<Rc<Merged>>, b: &Option<Rc<Merged>>) -> Option<Rc<Merged>> {
    let (mut a, mut b) = (a.as_ref(), b.as_ref());
    while let (Some(x), Some(y)) = (a, b) {
        if Rc::ptr_eq(x, y) {
            return Some(Rc::clone(x));
        }
        // The later one goes back: numbers grow with time.
        if x.number > y.number {
            a = x.outer.as_ref();
        } else {
            b = y.outer.as_ref();
        }
    }
    None
}

/// What is to blame for what a state asks whose parts have equal stores and these last merges: the one by a
/// pattern, if there is one, else the later one. None if there is no pattern that only one has behind it.
fn blamed(a: &Option<Rc<Merged>>, b: &Option<Rc<Merged>>) -> Option<Blamed> {
    let has_pattern = |m: &Option<Rc<Merged>>| m.as_ref().is_some_and(|m| m.has_pattern);
    if !has_pattern(a) && !has_pattern(b) {
        return None;
    }
    let blamed = match (a, b) {
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return None,
        (Some(a), Some(b)) if (b.blamed.level, a.number) > (a.blamed.level, b.number) => a,
        (_, Some(b)) => b,
        (Some(a), None) => a,
        (None, None) => return None,
    };
    Some(blamed.blamed)
}

impl Drop for Merged {
    /// A long history must not be dropped by recursion.
    fn drop(&mut self) {
        let take = |m: &mut Merged| {
            let outer = m.outer.take();
            m.parts.iter_mut().filter_map(|p| p.merged.take()).chain(outer).collect::<Vec<_>>()
        };
        let mut todo = take(self);
        while let Some(rc) = todo.pop() {
            if let Some(mut m) = Rc::into_inner(rc) {
                todo.extend(take(&mut m));
            }
        }
    }
}

impl Machine {
    /// Notes in `merged`, whose parts had equal stores, what it was made of, if that is to be told apart.
    pub(super) fn remember_equal(&self, merged: &mut State, guard: Term, parts: [Before; 2]) {
        let [a, b] = &parts;
        match blamed(&a.merged, &b.merged) {
            Some(blamed) => self.put_down(merged, blamed, true, (guard, Vec::new()), Vec::from(parts)),
            None => merged.merged = shared_origin(&a.merged, &b.merged),
        }
    }

    /// Notes in `merged` what it was made of.
    pub(super) fn remember(
        &self,
        merged: &mut State,
        blamed: Blamed,
        by: (Term, Vec<Term>),
        parts: Vec<Before>,
    ) {
        self.put_down(merged, blamed, false, by, parts);
    }

    fn put_down(
        &self,
        merged: &mut State,
        blamed: Blamed,
        equal: bool,
        (by, values): (Term, Vec<Term>),
        parts: Vec<Before>,
    ) {
        let first = parts.first().and_then(|p| p.merged.clone());
        let outer = parts.iter().skip(1).fold(first, |all, p| shared_origin(&all, &p.merged));
        let is_of_pattern = |p: &Before| p.merged.as_ref().is_some_and(|m| m.has_pattern);
        let has_pattern = blamed.level == Level::Patterns || parts.iter().any(is_of_pattern);
        merged.merged = Some(Rc::new(Merged {
            blamed,
            equal,
            has_pattern,
            by,
            values,
            parts,
            depth: merged.path.depth(),
            multiplicity: merged.multiplicity.clone(),
            number: self.stats.merges,
            next_region: self.regions.count,
            outer,
        }));
    }

    /// Whether the last merge of `s` was at a loop where merging has been given up.
    pub(crate) fn is_to_be_undone(&self, s: &State) -> bool {
        s.merged.as_ref().is_some_and(|m| self.is_given_up(m))
    }

    fn is_given_up(&self, m: &Merged) -> bool {
        self.regions.accounts.level(m.blamed.place) > m.blamed.level
    }

    /// Takes the last merges of `s` back, as far as merging has been given up where they were made. Where only
    /// patterns have been given up, the parts become one by if-then-else terms; elsewhere, those whose stores
    /// are equal stay one state.
    pub(crate) fn undo(&mut self, s: State) -> Vec<State> {
        let parts = self.take_apart(s, 0);
        let digests: Vec<u64> = parts.iter().map(|s| self.store_digest(s, &parts[0])).collect();
        let mut done: Vec<(u64, State)> = Vec::new();
        for (digest, s) in digests.into_iter().zip(parts) {
            let is_equal = |other: &State| self.compatible(other, &s).is_ok() && self.same_store(other, &s);
            // At the end of the run nobody goes further.
            let found = match self.solver.is_over() {
                true => None,
                false => done.iter().position(|(own, other)| *own == digest && is_equal(other)),
            };
            let Some(n) = found else {
                done.push((digest, s));
                continue;
            };
            let (_, other) = done.swap_remove(n);
            let parts = [Before::new(&other, self.pool.tru()), Before::new(&s, self.pool.fals())];
            let (mut merged, guard) = self.unite_guarded(other, s);
            self.remember_equal(&mut merged, guard, parts);
            done.push((digest, merged));
        }
        self.stats.forks += done.len().saturating_sub(1) as u64;
        done.into_iter().map(|(_, s)| s).collect()
    }

    /// Forgets merges that nothing tells any more in what is still read. A pattern leaves k in the path, and so
    /// may what the parts have behind them.
    fn forget_what_is_dead(&self, s: &mut State) {
        while let Some(m) = s.merged.clone().filter(|_| self.is_to_be_undone(s)) {
            let is_outer = |p: &Before| match (&p.merged, &m.outer) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            let has_traces =
                m.blamed.level == Level::Patterns || m.has_pattern && !m.parts.iter().all(is_outer);
            if has_traces || self.tells(s, m.by) {
                return;
            }
            s.merged.clone_from(&m.outer);
        }
    }

    /// Whether a term occurs in what `s` still reads.
    fn tells(&self, s: &State, by: Term) -> bool {
        let mut terms: Vec<Term> = Vec::new();
        self.live_state(s, &mut |value| terms.extend(value.term()));
        s.memory.for_each_word(&self.code.image, &mut |t| terms.push(t));
        self.pool.postorder(&terms).binary_search(&by).is_ok()
    }

    /// The parts of `s` that have inputs, and the parts of those. `depth`: how many merges are being taken back.
    fn take_apart(&mut self, mut s: State, depth: u32) -> Vec<State> {
        self.forget_what_is_dead(&mut s);
        let Some(merged) = s.merged.clone().filter(|m| depth < DEEPEST && self.is_given_up(m)) else {
            return vec![s];
        };
        self.stats.splits += 1;
        self.tally(&s).splits += 1;
        let mut parts: Vec<(State, Term)> = Vec::new();
        for before in merged.parts.iter().skip(usize::from(planted("undo-loses-a-part"))) {
            if let Some(mut part) = self.asked_part(&s, &merged, before, depth + 1 < DEEPEST) {
                let here = self.pool.eq(merged.by, before.value);
                self.assume_in_parts(&mut part, here);
                parts.push((part, before.value));
            }
        }
        if self.solver.validates() {
            self.check_parts(&parts, &s, merged.by);
        }
        let parts = parts.into_iter().flat_map(|(part, _)| self.take_apart(part, depth + 1)).collect();
        match self.regions.accounts.level(merged.place()) {
            _ if merged.equal => parts,
            Level::Patterns | Level::All => self.merge_along_tree(parts, 0, merged.place(), Join::Any(None)),
            Level::Equal | Level::Nothing => parts,
        }
    }

    /// One of the parts of `s`. Questions with quantifiers are not asked of what is taken apart itself: its parts
    /// will be asked.
    fn asked_part(&mut self, s: &State, merged: &Merged, before: &Before, goes_on: bool) -> Option<State> {
        let has_parts = before.merged.as_ref().is_some_and(|m| m.has_pattern && self.is_given_up(m));
        if !has_parts || !goes_on || self.solver.validates() {
            return self.part(s, merged, before, true);
        }
        let mut part = self.part(s, merged, before, false)?;
        self.forget_what_is_dead(&mut part);
        if self.is_to_be_undone(&part) {
            return Some(part);
        }
        let origin = part.merged.take();
        let part = self.part(s, merged, before, true)?;
        Some(State { merged: origin, ..part })
    }

    /// One of the parts of `s`, if it still has an input. What the merged state has assumed is asked condition
    /// by condition, as the part would have been asked itself; if not `ask`, only where that is cheap.
    fn part(&mut self, s: &State, merged: &Merged, before: &Before, ask: bool) -> Option<State> {
        let mut part = s.clone();
        part.path = before.path.clone();
        part.merged.clone_from(&before.merged);
        // k stays, with one value: states that have it may meet again, and no input may have two.
        if let Node::Var(k) = self.pool.node(merged.by)
            && let Some(value) = self.pool.as_const(before.value)
        {
            part.path.give(&self.pool, k, value);
            let here = self.pool.eq(merged.by, before.value);
            for &cond in merged.values.iter().chain([&here]) {
                part.path.assume(&mut self.pool, cond);
            }
        }
        part.at_join = false;
        if s.multiplicity == merged.multiplicity {
            part.multiplicity = before.multiplicity.clone();
        }
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let mut image = |pool: &mut Pool, t: Term| {
            *known.entry(t).or_insert_with(|| pool.replace(t, merged.by, before.value))
        };
        let suffix = s.path.suffix_since(merged.depth);
        // What goes on being taken apart is left as it is: its guards have to be found in it.
        let is_last = before.merged.is_none();
        let mut special = Special::new(&self.pool, &part.path);
        for n in 0..=suffix.len() {
            // A region knows the length of the path where it opened, which is another one here.
            let depth = part.path.depth();
            for (now, was) in part.regions.iter_mut().zip(&s.regions) {
                if was.region >= merged.next_region && was.root == merged.depth + n {
                    now.root = depth;
                }
            }
            if let Some(&cond) = suffix.get(n) {
                let cond = image(&mut self.pool, cond);
                let cond = if is_last { special.of(&mut self.pool, &part.path, cond) } else { cond };
                if is_last && self.pool.is_true(cond) {
                    continue;
                }
                let answer = match ask {
                    true => Some(self.possible(&part, cond)),
                    false => self.solver.check_cheaply(&mut self.pool, &part.path, cond),
                };
                match answer {
                    Some(answer) => {
                        let model = self.model(&mut part, answer)?;
                        part.path.assume_with(&mut self.pool, cond, &model);
                    }
                    None => part.path.assume(&mut self.pool, cond),
                }
                special.learn(&self.pool, cond);
            }
        }
        // What the merged state chose by the guards of other merges, the path of its part may decide.
        let path = part.path.clone();
        let mut simple = |pool: &mut Pool, t: Term| {
            let t = image(pool, t);
            if is_last { special.of(pool, &path, t) } else { t }
        };
        part.map_all_terms(&self.code.image, &mut self.pool, &mut simple);
        Some(part)
    }
}
