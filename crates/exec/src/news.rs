//! What no test shows yet: inputs that were the first to reach some of the program's own code.
//!
//! A test shows one path. A merged state stands for several, and a state that is still waiting when the
//! run is stopped has no test; both may have been the first to reach some code. So each state keeps the
//! paths on which it was news, until a test shows them.

use crate::machine::Machine;
use crate::multiplicity::Multiplicity;
use crate::outcome::Outcome;
use crate::state::State;
use rejoin_explore::Machine as _;
use rejoin_expr::Term;
use rejoin_solver::{Answer, Model, Path};
use std::rc::Rc;

/// Inputs that were the first to reach some code. Each has a number and the path on which it was news.
#[derive(Clone, Default)]
pub struct News(Option<Rc<Vec<(u32, Path)>>>);

impl News {
    /// The news of two states.
    pub(crate) fn unite(&self, other: &News) -> News {
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

    /// Adds one, and forgets those that are shown.
    fn add(&mut self, id: u32, path: Path, shown: &[bool]) {
        let known = self.0.as_deref().map_or(&[][..], Vec::as_slice);
        if self.0.as_ref().is_some_and(|all| Rc::strong_count(all) > 1)
            || known.iter().any(|n| shown[n.0 as usize])
        {
            let rest = known.iter().filter(|n| !shown[n.0 as usize]).cloned().collect();
            self.0 = Some(Rc::new(rest));
        }
        Rc::make_mut(self.0.get_or_insert_default()).push((id, path));
    }
}

/// Instructions that are executed at most to complete a state.
const COMPLETION: u64 = 20_000_000;

impl Machine {
    /// Notes that `s` is the first to have come where it is in the program's own code.
    pub(crate) fn is_news(&mut self, s: &mut State) {
        if !self.is_library(self.module.functions[s.frame.func.index()].loc) {
            let id = self.shown.len() as u32;
            self.shown.push(false);
            s.news.add(id, s.path.clone(), &self.shown);
        }
    }

    /// What a test with the witness of `s` shows needs no other test.
    pub fn show(&mut self, s: &State) {
        for id in self.unseen(s) {
            self.shown[id as usize] = true;
        }
    }

    /// Whether a test with the witness of `s` would show anything new.
    #[must_use]
    pub fn shows_news(&self, s: &State) -> bool {
        !self.unseen(s).is_empty()
    }

    fn unseen(&self, s: &State) -> Vec<u32> {
        let news = s.news.0.iter().flat_map(|n| n.iter()).filter(|n| !self.shown[n.0 as usize]);
        let shown = |path: &Path| path.conditions().iter().all(|c| self.witnessed(s, *c) != 0);
        news.filter(|n| shown(&n.1)).map(|n| n.0).collect()
    }

    /// Inputs of `s` that reached code which no test shows yet: a state with such a witness. To be
    /// asked until there is none.
    pub fn unshown(&mut self, s: &State) -> Option<State> {
        let news = s.news.0.clone()?;
        for (id, path) in news.iter() {
            if self.shown[*id as usize] {
                continue;
            }
            let cond = self.pool.and_all(&path.conditions());
            let same = path.witness().and_then(|w| s.path.adopt(&self.pool, cond, &w));
            let answer = same.map_or_else(|| self.possible(s, cond), Answer::Sat);
            if let Answer::Sat(model) = answer {
                self.shown[*id as usize] = true;
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

    /// Runs a state that would not get another turn to its end, on the input that witnesses its path
    /// and on no other. Gives up as soon as `in_time` says so.
    pub fn complete(&mut self, s: &State, in_time: impl Fn() -> bool) -> Option<(State, Outcome)> {
        let mut s = State { parts: None, regions: Vec::new(), multiplicity: Multiplicity::ONE, ..s.clone() };
        let regions = self.options.regions.take();
        let vars: Vec<_> = s.world.inputs.iter().flat_map(|i| i.bytes.clone()).collect();
        for var in vars {
            let t = self.pool.var_term(var);
            let value = self.witnessed(&s, t);
            let value = self.pool.constant(self.pool.width(t), value);
            let cond = self.pool.eq(t, value);
            s.path.assume(&mut self.pool, cond);
        }
        let mut pending = vec![s];
        let mut halted = None;
        let last = self.stats.instructions + COMPLETION;
        while halted.is_none()
            && self.stats.instructions < last
            && in_time()
            && let Some(s) = pending.pop()
        {
            let step = self.step(s);
            pending.extend(step.next);
            halted = step.halted.into_iter().next();
        }
        self.options.regions = regions;
        halted
    }
}
