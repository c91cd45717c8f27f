//! A merged state beside its parts: the single paths that it stands for.
//!
//! Kept under `--exact-paths` and `--tests per-path` only. A part is a path condition and what is
//! known of the merges on the way: under these the merged store is the part's own, so a part needs
//! no store and no execution. Where the merged state assumes a condition, each part does too, and
//! parts that cannot are dropped: what is left are the paths of plain symbolic execution.
//!
//! Deviation from PLDI'12, section 5.2: there every merged state is executed beside copies of its
//! parts, which are matched by location afterwards and may get lost.

use crate::machine::Machine;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_solver::{Answer, Model, Path};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::time::Instant;

/// One of the paths that a merged state stands for.
#[derive(Clone)]
pub struct Part {
    /// Its condition, with a witness.
    pub path: Path,
    choices: Choices,
}

/// On which side of every merge a path was, the latest first.
#[derive(Clone, Default)]
struct Choices(Option<Rc<(Term, bool, Choices)>>);

impl Drop for Choices {
    /// Unlinks iteratively: many merges must not overflow our stack.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut link) => next = link.2.0.take(),
                Err(_) => break,
            }
        }
    }
}

/// The parts of a state; none are kept of a single path.
pub type Parts = Option<Rc<Vec<Part>>>;

impl Machine {
    /// The parts of two states that become one, told apart by `guard`.
    pub(super) fn join_parts(&self, a: &State, b: &State, guard: Term) -> Parts {
        if !self.options.parts {
            return None;
        }
        let mut parts = Vec::new();
        for (s, side) in [(a, true), (b, false)] {
            let single = [Part { path: s.path.clone(), choices: Choices::default() }];
            let old = s.parts.as_deref().map_or(&single[..], Vec::as_slice);
            parts.extend(old.iter().map(|p| {
                let choices = Choices(Some(Rc::new((guard, side, p.choices.clone()))));
                Part { path: p.path.clone(), choices }
            }));
        }
        Some(Rc::new(parts))
    }

    /// Keeps those parts that `cond`, which the merged state assumes, is possible for.
    pub(crate) fn assume_in_parts(&mut self, s: &mut State, cond: Term) {
        let Some(parts) = s.parts.take() else { return };
        let terms = self.subterms(cond);
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts.iter() {
            let own = self.own_term(part, cond, &terms);
            let answer = self.solver.check(&mut self.pool, &part.path, own);
            if let Some(model) = self.model(s, answer) {
                let mut part = part.clone();
                part.path.assume_with(&mut self.pool, own, &model);
                kept.push(part);
            }
        }
        s.parts = Some(Rc::new(kept));
    }

    /// Asks the parts what was asked of the merged state, to compare the cost; and whether they
    /// agree with it that `cond` is possible, and its negation, if that was asked.
    pub(crate) fn ask_parts(&mut self, s: &State, cond: Term, sides: (bool, Option<bool>)) {
        let Some(parts) = s.parts.clone().filter(|_| self.options.compare_parts) else { return };
        let terms = self.subterms(cond);
        let own: Vec<Term> = parts.iter().map(|p| self.own_term(p, cond, &terms)).collect();
        let (before, started) = (self.solver.statistics().queries, Instant::now());
        let mut possible = (false, sides.1.map(|_| false));
        let mut unknown = false;
        for (part, own) in parts.iter().zip(own) {
            let then = match &mut possible.1 {
                None => self.solver.check(&mut self.pool, &part.path, own),
                Some(els) => {
                    let fork = self.solver.branch(&mut self.pool, &part.path, own);
                    unknown |= matches!(fork.els, Answer::Unknown(_));
                    *els |= fork.els.is_sat();
                    fork.then
                }
            };
            unknown |= matches!(then, Answer::Unknown(_));
            possible.0 |= then.is_sat();
        }
        let (queries, seconds) = (self.solver.statistics().queries - before, started.elapsed());
        let tally = self.tally(s);
        tally.parts_queries += queries;
        tally.parts_seconds += seconds.as_secs_f64();
        if possible != sides && !unknown {
            let loc = self.describe_loc(self.loc(&s.frame));
            self.fault(format!("at {loc} a merged state and its parts disagree on a condition"));
        }
    }

    /// The state of one part: it differs from the merged one in its path only, under which the
    /// merged store is its own.
    #[must_use]
    pub fn single(&self, s: &State, part: &Part) -> State {
        State { path: part.path.clone(), parts: None, multiplicity: 1, ..s.clone() }
    }

    fn subterms(&self, t: Term) -> FxHashSet<Term> {
        self.pool.postorder(&[t]).into_iter().collect()
    }

    /// `t` as it is on this part: the guards of merges put in.
    fn own_term(&mut self, part: &Part, mut t: Term, terms: &FxHashSet<Term>) -> Term {
        let choices = std::iter::successors(part.choices.0.as_deref(), |c| c.2.0.as_deref());
        for (guard, side, _) in choices.filter(|c| terms.contains(&c.0)) {
            let known = if *side { self.pool.tru() } else { self.pool.fals() };
            t = self.pool.replace(t, *guard, known);
        }
        t
    }
}

/// Inputs that were the first to reach some code: a test of a merged state shows one of its paths,
/// and these say which others have to be shown too. Each has a number and the path on which it was
/// news.
#[derive(Clone, Default)]
pub struct News(Option<Rc<Vec<(u32, Path)>>>);

impl News {
    /// The news of two states.
    pub(super) fn unite(&self, other: &News) -> News {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => self.clone(),
            (Some(a), Some(b)) => {
                let mut all = (**a).clone();
                all.extend(b.iter().filter(|n| a.binary_search_by_key(&n.0, |m| m.0).is_err()).cloned());
                all.sort_by_key(|n| n.0);
                News(Some(Rc::new(all)))
            }
            (a, b) => News(a.clone().or_else(|| b.clone())),
        }
    }
}

impl Machine {
    /// Notes that `s` is the first to have come where it is.
    pub(crate) fn is_news(&mut self, s: &mut State) {
        if self.options.merging {
            let id = self.shown.len() as u32;
            self.shown.push(false);
            Rc::make_mut(s.news.0.get_or_insert_default()).push((id, s.path.clone()));
        }
    }

    /// What a test with the witness of `s` shows needs no other test.
    pub fn show(&mut self, s: &State) {
        let Some(news) = s.news.0.clone() else { return };
        for (id, path) in news.iter() {
            let shown = || path.conditions().iter().all(|c| self.witnessed(s, *c) != 0);
            if !self.shown[*id as usize] && shown() {
                self.shown[*id as usize] = true;
            }
        }
    }

    /// Inputs of `s`, which has ended, that reached code which no test shows yet: a state with such
    /// a witness. To be asked until there is none.
    pub fn unshown(&mut self, s: &State) -> Option<State> {
        let news = s.news.0.clone()?;
        for (id, path) in news.iter() {
            if self.shown[*id as usize] {
                continue;
            }
            let cond = self.pool.and_all(&path.conditions());
            let answer = self.solver.check(&mut self.pool, &s.path, cond);
            if let Answer::Sat(model) = answer {
                return Some(self.with_witness(s, cond, &model));
            }
        }
        None
    }

    fn with_witness(&mut self, s: &State, cond: Term, model: &Model) -> State {
        let mut s = s.clone();
        s.path.assume_with(&mut self.pool, cond, model);
        s
    }
}
