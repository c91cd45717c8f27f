//! `follow` of Algorithm 1, and the ways an instruction splits its state.
//!
//! An instruction that has to distinguish cases calls [`Machine::choose`] or [`Machine::require`]
//! before it changes anything: the other case becomes a state of its own, which executes the same
//! instruction again under the narrower path condition, or ends with an error.

use crate::machine::{Follow, Machine};
use crate::outcome::{Flow, Outcome, Stop};
use crate::state::{GapKind, State};
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_memory::Value;
use rejoin_solver::{Answer, Fork, Model, Path};
use std::borrow::Cow;
use std::time::Instant;

/// Arms that are taken in a row with `--follow all` before it is asked whether that is possible.
const UNASKED: u32 = 8;

/// Which sides of a condition can be taken.
pub(crate) enum Sides {
    Then,
    Els,
    Both(Option<Model>, Option<Model>),
    Neither,
}

impl Machine {
    /// Which sides of `cond` are worth following from `s`: at most one if the program wants no forks.
    pub(crate) fn sides(&mut self, s: &mut State, cond: Term) -> Sides {
        match self.possible_sides(s, cond) {
            Sides::Both(then, els) if s.world.forks_disabled => self.only_side(s, cond, (then, els)),
            sides => sides,
        }
    }

    /// One of two possible sides, that of the witness; the other is lost.
    fn only_side(&mut self, s: &mut State, cond: Term, sides: (Option<Model>, Option<Model>)) -> Sides {
        if !self.is_feasible(s) {
            return Sides::Neither;
        }
        self.note(s, GapKind::NotForked, "klee_set_forking");
        if self.witnessed(s, cond) != 0 {
            self.assume(s, cond, sides.0);
            return Sides::Then;
        }
        let not = self.pool.not(cond);
        self.assume(s, not, sides.1);
        Sides::Els
    }

    /// Which sides of `cond` can be taken.
    fn possible_sides(&mut self, s: &mut State, cond: Term) -> Sides {
        if self.pool.is_true(cond) {
            return Sides::Then;
        }
        if self.pool.is_false(cond) {
            return Sides::Els;
        }
        self.stats.branch_decisions += 1;
        if self.options.follow == Follow::All {
            return self.go_unasked(s).map_or(Sides::Neither, |()| Sides::Both(None, None));
        }
        let not = self.pool.not(cond);
        let fork = Fork { then: self.possible(s, cond), els: self.possible(s, not) };
        let unknown = [&fork.then, &fork.els].iter().any(|a| matches!(a, Answer::Unknown(_)));
        if !unknown {
            self.ask_parts(s, cond, (fork.then.is_sat(), Some(fork.els.is_sat())));
        }
        let sides = (self.model(s, fork.then), self.model(s, fork.els));
        if unknown {
            return self.known_side(s, cond, sides);
        }
        match sides {
            (Some(t), Some(e)) => Sides::Both(Some(t), Some(e)),
            (Some(_), None) => Sides::Then,
            (None, Some(_)) => Sides::Els,
            (None, None) => Sides::Neither,
        }
    }

    /// Whether `cond` can hold on the path of `s`: guards are asked first, if there are some.
    pub(crate) fn possible(&mut self, s: &State, cond: Term) -> Answer {
        if let Some(answer) = self.by_guards(s, cond) {
            self.check_answer(s, cond, &answer);
            return answer;
        }
        self.ask(s, |m, path| m.solver.check(&mut m.pool, path, cond))
    }

    /// Asks about the path of `s`; what merged states ask is counted by place.
    pub(crate) fn ask<T>(&mut self, s: &State, question: impl FnOnce(&mut Machine, &Path) -> T) -> T {
        let asked = self.solver.work(&self.pool);
        if s.multiplicity.is_one() {
            let answer = question(self, &s.path);
            self.charge(s, asked);
            return answer;
        }
        let (before, started) = (self.solver.statistics().queries, Instant::now());
        let answer = question(self, &s.path);
        self.charge(s, asked);
        let (queries, seconds) = (self.solver.statistics().queries - before, started.elapsed());
        let tally = self.tally(s);
        tally.queries += queries;
        tally.seconds += seconds.as_secs_f64();
        answer
    }

    /// One side was not decided: the other one, if possible, is not implied but has to be assumed.
    fn known_side(&mut self, s: &mut State, cond: Term, sides: (Option<Model>, Option<Model>)) -> Sides {
        match sides {
            (Some(_), _) => {
                self.assume(s, cond, sides.0);
                Sides::Then
            }
            (None, Some(_)) => {
                let not = self.pool.not(cond);
                self.assume(s, not, sides.1);
                Sides::Els
            }
            (None, None) => Sides::Neither,
        }
    }

    /// The model of a satisfiable answer; no answer is a gap.
    pub(crate) fn model(&mut self, s: &mut State, answer: Answer) -> Option<Model> {
        match answer {
            Answer::Sat(m) => Some(m),
            Answer::Unsat => None,
            Answer::Unknown(why) => {
                self.note(s, GapKind::SolverTimeout, why.to_string());
                None
            }
        }
    }

    /// Adds `cond`, which holds on some of the state's inputs, to its path condition.
    pub(crate) fn assume(&mut self, s: &mut State, cond: Term, model: Option<Model>) {
        self.note_step(s, cond);
        debug_assert!(self.plain(cond) == cond, "a name of a summary in a path");
        match model {
            Some(model) => s.path.assume_with(&mut self.pool, cond, &model),
            None => s.path.assume(&mut self.pool, cond),
        }
        self.assume_in_parts(s, cond);
    }

    /// A copy of `s` for the other side of a fork.
    pub(crate) fn sibling(&mut self, s: &mut State, cond: Term, model: Option<Model>) -> State {
        self.stats.forks += 1;
        s.depth += 1;
        s.frame.forked = true;
        let mut other = s.clone();
        if !planted("arm-without-condition") {
            self.assume(&mut other, cond, model);
        }
        other
    }

    /// Goes on where `cond` holds; elsewhere the path ends with `outcome`, which is no fork.
    pub(crate) fn require(
        &mut self,
        s: &mut State,
        cond: Term,
        outcome: impl FnOnce(&Machine, &State) -> Outcome,
    ) -> Flow {
        let cond = self.as_condition(s, cond);
        match self.possible_sides(s, cond) {
            Sides::Then => Ok(()),
            Sides::Els => Err(Stop::Halt(outcome(self, s))),
            Sides::Both(then, els) => {
                let not = self.pool.not(cond);
                let other = self.sibling(s, not, els);
                let outcome = outcome(self, &other);
                if !planted("lost-error") {
                    self.halt(other, outcome);
                }
                self.assume(s, cond, then);
                Ok(())
            }
            Sides::Neither => Err(Stop::Replaced),
        }
    }

    /// Whether `cond` holds in what `s` goes on as; if both can be, the other case becomes a state
    /// that executes the instruction again.
    pub(crate) fn choose(&mut self, s: &mut State, cond: Term) -> Flow<bool> {
        let cond = self.as_condition(s, cond);
        match self.sides(s, cond) {
            Sides::Then => Ok(true),
            Sides::Els => Ok(false),
            Sides::Both(then, els) => {
                self.open_region(s);
                let not = self.pool.not(cond);
                let other = self.sibling(s, not, els);
                self.stats.instructions += self.rest_of_segment(&other);
                self.forked.push(other);
                self.assume(s, cond, then);
                Ok(true)
            }
            Sides::Neither => Err(Stop::Replaced),
        }
    }

    /// Fixes a value: other values it can have become states of their own. Nothing is lost.
    pub(crate) fn fork_value(&mut self, s: &mut State, v: Value) -> Flow<u128> {
        match v {
            Value::Bits(b) => Ok(b),
            Value::Term(t) => {
                self.check_defined(s, t, "an address, a size or a call")?;
                let bits = self.sample(s, t)?;
                let constant = self.pool.constant(self.pool.width(t), bits);
                let cond = self.pool.eq(t, constant);
                if planted("no-fork-on-value") {
                    return Ok(bits);
                }
                self.fix(s, t, cond)?;
                Ok(bits)
            }
        }
    }

    /// Fixes a value to one of those it can have. If there are others, they are lost and the ledger
    /// says so; with value summaries they become a state that runs when all others have ended.
    pub(crate) fn concretise(&mut self, s: &mut State, v: Value, what: &str) -> Flow<u128> {
        match v {
            Value::Bits(b) => Ok(b),
            Value::Term(t) => {
                let bits = self.sample(s, t)?;
                let constant = self.pool.constant(self.pool.width(t), bits);
                let cond = self.pool.eq(t, constant);
                let cond = self.as_condition(s, cond);
                if let Sides::Both(then, els) = self.sides(s, cond) {
                    if self.summaries.is_some() {
                        let not = self.pool.not(cond);
                        let mut rest = self.sibling(s, not, els);
                        rest.later += 1;
                        self.stats.instructions += self.rest_of_segment(&rest);
                        self.forked.push(rest);
                    } else {
                        self.note(s, GapKind::Concretised, what);
                    }
                    self.assume(s, cond, then);
                }
                Ok(bits)
            }
        }
    }

    /// A value that `t` has on some input of the path.
    pub(crate) fn sample(&mut self, s: &mut State, t: Term) -> Flow<u128> {
        if !self.is_feasible(s) {
            return Err(Stop::Replaced);
        }
        let t = self.plain(t);
        Ok(self.witnessed(s, t))
    }

    /// An arm is about to be taken unasked: first asks about those that were, if they are many. Without
    /// that a loop whose bound is symbolic would go on forever, and paths would double with every branch.
    /// Where loops are cut, paths are bounded, and it is the user's wish that nobody asks before their end.
    pub(crate) fn go_unasked(&mut self, s: &mut State) -> Flow {
        if s.unasked >= UNASKED && self.options.max_loop.is_none() && !self.is_feasible(s) {
            return Err(Stop::Replaced);
        }
        s.unasked += 1;
        Ok(())
    }

    /// Whether the path of `s` has an input. Only asks for states that took arms unasked.
    pub fn is_feasible(&mut self, s: &mut State) -> bool {
        if s.unasked == 0 {
            return true;
        }
        let t = self.pool.tru();
        let answer = self.ask(s, |m, path| m.solver.check(&mut m.pool, path, t));
        match self.model(s, answer) {
            Some(model) => {
                s.path.assume_with(&mut self.pool, t, &model);
                s.unasked = 0;
                true
            }
            None => false,
        }
    }

    /// The state with a witness that satisfies what the program prefers, as far as that can be had.
    pub fn preferred<'s>(&mut self, s: &'s State) -> Cow<'s, State> {
        if s.world.preferences.is_empty() {
            return Cow::Borrowed(s);
        }
        let mut chosen = s.clone();
        for &cond in &s.world.preferences {
            // No answer is no loss: any witness will do.
            if let Answer::Sat(model) = self.solver.check(&mut self.pool, &chosen.path, cond) {
                chosen.path.assume_with(&mut self.pool, cond, &model);
            }
        }
        Cow::Owned(chosen)
    }

    /// The value of `t` on the input that witnesses the path.
    #[must_use]
    pub fn witnessed(&self, s: &State, t: Term) -> u128 {
        s.path.witness_value(&self.pool, t).unwrap_or(0)
    }
}
