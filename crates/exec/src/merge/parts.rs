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
use crate::multiplicity::Multiplicity;
use crate::state::State;
use rejoin_expr::{Node, Term};
use rejoin_solver::{Answer, Path};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::time::Instant;

/// The paths that a state stands for; nothing is kept of a single path.
pub type Parts = Option<Rc<Part>>;

/// One or more of the paths that a merged state stands for.
pub enum Part {
    /// A path, with a witness.
    Single(Path),
    /// Paths that were merged: those on which the guard holds, and the others.
    Either {
        /// The merge's guard.
        guard: Term,
        /// Where it holds, and where not.
        sides: [Rc<Part>; 2],
        /// How many paths.
        count: u64,
    },
}

impl Part {
    fn either(guard: Term, a: Rc<Part>, b: Rc<Part>) -> Rc<Part> {
        let count = a.count() + b.count();
        Rc::new(Part::Either { guard, sides: [a, b], count })
    }

    /// How many paths.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Part::Single(_) => 1,
            Part::Either { count, .. } => *count,
        }
    }

    /// The same paths, each as `f` makes it.
    fn map(&self, f: &mut dyn FnMut(&Path) -> Path) -> Rc<Part> {
        match self {
            Part::Single(path) => Rc::new(Part::Single(f(path))),
            Part::Either { guard, sides: [a, b], .. } => Part::either(*guard, a.map(f), b.map(f)),
        }
    }

    /// All paths.
    pub fn for_each(&self, f: &mut dyn FnMut(&Path)) {
        match self {
            Part::Single(path) => f(path),
            Part::Either { sides, .. } => sides.iter().for_each(|p| p.for_each(f)),
        }
    }
}

impl Machine {
    /// The parts of two states that become one, told apart by `guard`.
    pub(super) fn join_parts(&self, a: &State, b: &State, guard: Term) -> Parts {
        if !self.options.parts {
            return None;
        }
        let [a, b] = [a, b].map(|s| s.parts.clone().unwrap_or_else(|| Rc::new(Part::Single(s.path.clone()))));
        Some(Part::either(guard, a, b))
    }

    /// The parts of a state that is merged by a pattern: the variable has this value in all of them.
    pub(crate) fn fix_in_parts(&mut self, s: &mut State, k: Term, value: u128) {
        if !self.options.parts {
            return;
        }
        let Node::Var(var) = self.pool.node(k) else { return };
        let constant = self.pool.constant(self.pool.width(k), value);
        let fixed = self.pool.eq(k, constant);
        let parts = s.parts.take().unwrap_or_else(|| Rc::new(Part::Single(s.path.clone())));
        s.parts = Some(parts.map(&mut |path| {
            let mut path = path.clone();
            path.give(&self.pool, var, value);
            path.assume(&mut self.pool, fixed);
            path
        }));
    }

    /// Keeps those parts that `cond`, which the merged state assumes, is possible for.
    pub(crate) fn assume_in_parts(&mut self, s: &mut State, cond: Term) {
        let Some(parts) = s.parts.take() else { return };
        let terms = self.subterms(cond);
        s.parts = self.kept(s, &parts, cond, &terms);
        if s.parts.is_none() {
            let loc = self.describe_loc(self.loc(&s.frame));
            self.fault(format!("at {loc} a merged state goes on where none of its parts does"));
        }
    }

    fn kept(&mut self, s: &mut State, part: &Part, cond: Term, terms: &FxHashSet<Term>) -> Parts {
        match part {
            Part::Single(path) => {
                let answer = self.solver.check(&mut self.pool, path, cond);
                let model = self.model(s, answer)?;
                let mut path = path.clone();
                path.assume_with(&mut self.pool, cond, &model);
                Some(Rc::new(Part::Single(path)))
            }
            Part::Either { guard, sides: [a, b], .. } => {
                let [in_a, in_b] = self.own_terms(cond, *guard, terms);
                let (a, b) = (self.kept(s, a, in_a, terms), self.kept(s, b, in_b, terms));
                match (a, b) {
                    (Some(a), Some(b)) => Some(Part::either(*guard, a, b)),
                    (a, b) => a.or(b),
                }
            }
        }
    }

    /// Asks the parts what was asked of the merged state, to compare the cost; and whether they
    /// agree with it that `cond` is possible, and its negation, if that was asked.
    pub(crate) fn ask_parts(&mut self, s: &State, cond: Term, sides: (bool, Option<bool>)) {
        let Some(parts) = s.parts.clone().filter(|_| self.options.compare_parts) else { return };
        let terms = self.subterms(cond);
        let mut questions = Vec::new();
        self.own_questions(&parts, cond, &terms, &mut questions);
        let (before, started) = (self.solver.statistics().queries, Instant::now());
        let mut possible = (false, sides.1.map(|_| false));
        let mut unknown = false;
        for (path, own) in questions {
            let then = match &mut possible.1 {
                None => self.solver.check(&mut self.pool, &path, own),
                Some(els) => {
                    let fork = self.solver.branch(&mut self.pool, &path, own);
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

    /// What each path would have been asked.
    fn own_questions(
        &mut self,
        part: &Part,
        cond: Term,
        terms: &FxHashSet<Term>,
        out: &mut Vec<(Path, Term)>,
    ) {
        match part {
            Part::Single(path) => out.push((path.clone(), cond)),
            Part::Either { guard, sides: [a, b], .. } => {
                let [in_a, in_b] = self.own_terms(cond, *guard, terms);
                self.own_questions(a, in_a, terms, out);
                self.own_questions(b, in_b, terms, out);
            }
        }
    }

    /// The state on one of its paths: it differs in its path only, under which the merged store is
    /// its own.
    #[must_use]
    pub fn single(&self, s: &State, path: &Path) -> State {
        State { path: path.clone(), parts: None, multiplicity: Multiplicity::ONE, ..s.clone() }
    }

    fn subterms(&self, t: Term) -> FxHashSet<Term> {
        self.pool.postorder(&[t]).into_iter().collect()
    }

    /// `t` on both sides of a merge. `terms` has all that `t` was made of.
    fn own_terms(&mut self, t: Term, guard: Term, terms: &FxHashSet<Term>) -> [Term; 2] {
        if !terms.contains(&guard) {
            return [t, t];
        }
        let (yes, no) = (self.pool.tru(), self.pool.fals());
        [self.pool.replace(t, guard, yes), self.pool.replace(t, guard, no)]
    }
}
