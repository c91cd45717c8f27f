//! The chain: from free answers to expensive ones.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

use rejoin_expr::{Binary, Diagrams, Either, Node, Pool, QUESTION_WORK, Term, Unary, Var};

use crate::backend::{Engine, Outcome, Stop, open};
use crate::effort::Effort;
use crate::enumerate::{Found, enumerate};
use crate::independence::{Members, Part, VarSet, neighbourhood, part_of, variables};
use crate::path::{Path, byte_condition, conjuncts};
use crate::placed::Positions;
use crate::quantified::Definitions;
use crate::ranges::is_impossible;
use crate::statistics::{Link, Statistics};
use crate::trie::Cache;
use crate::{Answer, Fork, Options, Why, order};

/// Values that a backend found for some variables, sorted by variable.
type Values = Rc<[(Var, u128)]>;

/// So many of the backend's models are tried again.
const RECENT: usize = 16;
/// So many values of an entangled byte are tried before a solver is asked.
const TRIES: usize = 8;
/// A disjunction of more parts is left to the later links.
const DISJUNCTS: usize = 16;
/// So often the neighbourhood is widened before the whole part is asked about.
const ROUNDS: usize = 12;
/// So many terms are gone over in the time that one takes in the backend.
const VISITED: u64 = 64;
/// So many edges of diagrams are looked at for a question before it is asked whether more are worth it.
const LITTLE: u32 = 1 << 10;
/// So many edges of diagrams take as long as one term of a question to the backend.
const EDGES: u64 = 16;
/// The caches of sets of conditions hold at most so many trie nodes each.
const CACHE: usize = 200_000;

/// Answers questions about paths. Holds solvers and caches; paths hold neither.
pub struct Solver {
    pub(crate) options: Options,
    engine: Box<dyn Engine>,
    /// The solver to check answers with.
    pub(crate) oracle: Option<Box<dyn Engine>>,
    pub(crate) statistics: Statistics,
    /// A solver that knows quantifiers, opened when first wanted.
    pub(crate) generic: Option<Box<dyn Engine>>,
    pub(crate) definitions: Definitions,
    asked_with_quantifiers: u64,
    members: Members,
    positions: Positions,
    recent: VecDeque<Values>,
    cache: Cache<Values>,
    diagrams: Diagrams,
    /// Whether diagrams are asked, and whether they may become large.
    worth: [Effort; 2],
}

impl Solver {
    /// A solver with empty caches.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Solver {
            engine: open(options.backend),
            oracle: options.validate.then(|| open(options.backend.other())),
            options,
            statistics: Statistics::default(),
            generic: None,
            definitions: Definitions::default(),
            asked_with_quantifiers: 0,
            members: Members::default(),
            positions: Positions::default(),
            recent: VecDeque::new(),
            cache: Cache::new(CACHE),
            diagrams: Diagrams::default(),
            worth: Default::default(),
        }
    }

    /// How this solver works; limits may be changed between questions.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// Whether answers are checked with another solver.
    #[must_use]
    pub fn validates(&self) -> bool {
        self.options.validate
    }

    /// Counts a proof that failed: one of us is wrong, and the run says so at its end.
    pub fn note_mismatch(&mut self) {
        self.statistics.mismatches += 1;
    }

    /// What answers have cost so far, but for the clock: the terms of all that the backend was asked, those
    /// that were gone over without it, and the edges of diagrams. Terms of questions with quantifiers take
    /// about twice as long and count twice.
    #[must_use]
    pub fn work(&self, pool: &Pool) -> u64 {
        let without = pool.visited() / VISITED + self.diagrams.looked_at() / EDGES;
        self.engine.asked() + self.asked_with_quantifiers + without
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (cached_unsat, cached_sat) = self.cache.len();
        Statistics { nodes_sent: self.engine.nodes(), cached_unsat, cached_sat, ..self.statistics.clone() }
    }

    /// Can `cond` be true on `path`?
    pub fn check(&mut self, pool: &mut Pool, path: &Path, cond: Term) -> Answer {
        self.statistics.queries += 1;
        let (link, answer) = self.decide(pool, path, cond);
        self.finish(pool, path, cond, link, answer)
    }

    /// Can `cond` be true, can it be false? The witness answers one of the two.
    pub fn branch(&mut self, pool: &mut Pool, path: &Path, cond: Term) -> Fork {
        let negation = pool.not(cond);
        Fork { then: self.check(pool, path, cond), els: self.check(pool, path, negation) }
    }

    /// Is the conjunction possible? Asks nobody but the backend, for proofs that shall not rest on
    /// the chain; the model is not checked.
    pub fn decide_directly(&mut self, pool: &mut Pool, conditions: &[Term]) -> Answer {
        let vars = variables(pool, conditions);
        let stop = self.stop();
        match self.solve(pool, conditions, &vars, &stop) {
            Outcome::Sat(values) => Answer::Sat(Path::new().model(values)),
            Outcome::Unsat(_) => Answer::Unsat,
            Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// The same question, if it has an answer that costs no call of the backend.
    pub fn check_cheaply(&mut self, pool: &mut Pool, path: &Path, cond: Term) -> Option<Answer> {
        let (link, answer) = self.decide_cheaply(pool, path, cond).ok()?;
        self.statistics.queries += 1;
        Some(self.finish(pool, path, cond, link, answer))
    }

    /// Asks the backend about a conjunction: a model, or those of the conditions that contradict each other.
    pub fn check_all(&mut self, pool: &mut Pool, conditions: &[Term]) -> Result<Answer, Vec<Term>> {
        self.statistics.queries += 1;
        self.statistics.count(Link::Backend);
        let vars = variables(pool, conditions);
        let stop = self.stop();
        match self.solve(pool, conditions, &vars, &stop) {
            Outcome::Sat(values) => Ok(Answer::Sat(Path::new().model(values))),
            Outcome::Unsat(core) => Err(core),
            Outcome::Unknown(why) => Ok(Answer::Unknown(why)),
        }
    }

    /// The chain, which learns how much work is worth it.
    fn decide(&mut self, pool: &mut Pool, path: &Path, cond: Term) -> (Link, Answer) {
        let before = self.work(pool);
        self.worth.iter_mut().for_each(Effort::begin);
        let decided = self.decide_by_links(pool, path, cond);
        let cost = self.work(pool) - before;
        self.worth.iter_mut().for_each(|w| w.end(cost));
        decided
    }

    /// Each link answers or passes on.
    fn decide_by_links(&mut self, pool: &mut Pool, path: &Path, cond: Term) -> (Link, Answer) {
        let (part, simple) = match self.decide_cheaply(pool, path, cond) {
            Ok(decided) => return decided,
            Err(open) => open,
        };
        let stop = self.stop();
        if let Some(answer) = self.by_placing(pool, path, &part, simple, &stop) {
            return (Link::Placed, answer);
        }
        if let Some(answer) = self.by_neighbourhood(pool, path, &part, simple, &stop) {
            return (Link::Neighbourhood, answer);
        }
        (Link::Backend, self.by_backend(pool, path, &part, &stop))
    }

    /// The links before the backend; what they leave of the question.
    fn decide_cheaply(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        cond: Term,
    ) -> Result<(Link, Answer), (Part, Term)> {
        if let Some(answer) = by_constant(pool, path, cond) {
            return Ok((Link::Constant, answer));
        }
        if let Some(answer) = by_witness(pool, path, cond) {
            return Ok((Link::Witness, answer));
        }
        if let Some(answer) = by_byte_sets(pool, path, cond) {
            return Ok((Link::ByteSets, answer));
        }
        let simple = path.simplify(pool, cond);
        if let Some(answer) = by_simplification(pool, path, cond, simple) {
            return Ok((Link::Simplify, answer));
        }
        if is_impossible(pool, path, simple) {
            return Ok((Link::Ranges, Answer::Unsat));
        }
        if let Some(why) = self.stop().reason() {
            return Ok((Link::Backend, Answer::Unknown(why)));
        }
        let part = part_of(pool, path, simple, &mut self.members);
        if is_negated(pool, &part, simple) {
            return Ok((Link::Negation, Answer::Unsat));
        }
        if let Some(answer) = self.by_diagrams(pool, path, &part) {
            return Ok((Link::Diagrams, answer));
        }
        if let Some(answer) = self.by_recent_model(pool, path, &part) {
            return Ok((Link::RecentModel, answer));
        }
        if self.cache.is_unsat(&part.conditions) {
            return Ok((Link::UnsatSubset, Answer::Unsat));
        }
        if let Some(values) = self.cache.model(&part.conditions)
            && let Some(answer) = verified(pool, path, &part, &values)
        {
            return Ok((Link::SatSuperset, answer));
        }
        if let Some(answer) = self.by_enumeration(pool, path, &part) {
            return Ok((Link::Enumeration, answer));
        }
        if let Some(answer) = by_order(pool, path, &part) {
            return Ok((Link::Order, answer));
        }
        Err((part, simple))
    }

    /// A model that was found for another question.
    fn by_recent_model(&mut self, pool: &Pool, path: &Path, part: &Part) -> Option<Answer> {
        let hit =
            (0..self.recent.len()).find_map(|i| Some((i, verified(pool, path, part, &self.recent[i])?)));
        let (i, answer) = hit?;
        self.recent.swap(0, i);
        Some(answer)
    }

    /// All values of a few bytes.
    fn by_enumeration(&mut self, pool: &mut Pool, path: &Path, part: &Part) -> Option<Answer> {
        let found = enumerate(pool, path, part)?;
        Some(self.found(pool, path, part, found))
    }

    /// Conditions as functions of bytes. What contradicts those that are known as such is
    /// impossible; values that satisfy them may satisfy the others, too.
    fn by_diagrams(&mut self, pool: &mut Pool, path: &Path, part: &Part) -> Option<Answer> {
        let has_quantifiers = || part.conditions.iter().any(|&c| pool.is_quantified(c));
        if self.options.no_diagrams || self.options.no_procedure && has_quantifiers() {
            return None;
        }
        let [any, large] = &mut self.worth;
        if !any.is_worth_it() {
            return None;
        }
        let wish = |v| path.value(v) as u8;
        let mut solved = self.diagrams.solve(pool, &part.conditions, LITTLE, wish);
        if solved.as_ref().is_some_and(|s| !s.1) && self.diagrams.ran_out() && large.is_worth_it() {
            solved = self.diagrams.solve(pool, &part.conditions, QUESTION_WORK, wish);
        }
        let Some((bytes, complete)) = solved else {
            return Some(self.found(pool, path, part, Found::Nothing));
        };
        let values: Vec<(Var, u128)> = bytes.into_iter().map(|(v, b)| (v, b.into())).collect();
        if !complete {
            verified(pool, path, part, &values)?;
        }
        Some(self.believe(pool, path, part, values))
    }

    /// Two conjunctions that exclude each other as one condition, short where `known` holds.
    pub fn either(&mut self, pool: &mut Pool, known: &[Term], x: &[Term], y: &[Term]) -> Option<Either> {
        self.diagrams.either(pool, known, x, y)
    }

    fn found(&mut self, pool: &Pool, path: &Path, part: &Part, found: Found) -> Answer {
        match found {
            Found::Values(values) => self.believe(pool, path, part, values),
            Found::Nothing => {
                self.cache.add_unsat(&part.conditions);
                Answer::Unsat
            }
        }
    }

    /// The links from diagrams on, with the positions of the witness: what is possible there is possible.
    /// Then what is said beside all reads and quantifiers: what contradicts that is impossible.
    fn by_placing(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        part: &Part,
        cond: Term,
        stop: &Stop,
    ) -> Option<Answer> {
        let around = self.positions.around(pool, path, part, cond)?;
        if let Some((placed, cond)) = around.placed {
            let answer = self
                .by_diagrams(pool, path, &placed)
                .or_else(|| self.by_enumeration(pool, path, &placed))
                .or_else(|| self.by_neighbourhood(pool, path, &placed, cond, stop))
                .unwrap_or_else(|| self.by_backend(pool, path, &placed, stop));
            if let Answer::Sat(ref model) = answer
                && part.conditions.iter().all(|&c| model.eval(pool, c) == 1)
            {
                return Some(answer);
            }
        }
        let beside = around.beside?;
        // Where it is possible beside all reads, nothing is learned; one of the last models may say so.
        if self.recent.iter().any(|values| verified(pool, path, &beside, values).is_some()) {
            return None;
        }
        match self.solve_plain(pool, &beside.conditions, &beside.vars, stop) {
            Outcome::Unsat(core) => {
                self.cache.add_unsat(&core);
                Some(Answer::Unsat)
            }
            Outcome::Sat(values) => {
                let values: Values = values.into();
                let answer = verified(pool, path, part, &values);
                self.keep(values);
                answer
            }
            Outcome::Unknown(_) => None,
        }
    }

    /// Asks the backend with all variables fixed but those of `cond`; frees more of them where that
    /// was too strict. The queries are small however long the path is, and a contradiction that
    /// needs no fixed variable is one of the path.
    fn by_neighbourhood(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        part: &Part,
        cond: Term,
        stop: &Stop,
    ) -> Option<Answer> {
        if !path.is_witnessed() {
            return None;
        }
        let mut free = VarSet::default();
        free.add(pool, cond);
        for _ in 0..ROUNDS {
            let near = neighbourhood(pool, path, part, &free);
            if near.fixed.is_empty() {
                return None;
            }
            match self.solve(pool, &near.conditions, &part.vars, stop) {
                Outcome::Sat(values) => {
                    let known = values.into_iter().filter(|&(v, _)| free.contains(v));
                    return Some(self.believe(pool, path, part, known.collect()));
                }
                Outcome::Unsat(core) => {
                    let blamed = near.fixed.iter().filter(|(equation, _)| core.contains(equation));
                    let blamed: Vec<Var> = blamed.map(|&(_, v)| v).collect();
                    if blamed.is_empty() {
                        self.cache.add_unsat(&core);
                        return Some(Answer::Unsat);
                    }
                    blamed.into_iter().for_each(|v| free.insert(v));
                }
                Outcome::Unknown(why) => return Some(Answer::Unknown(why)),
            }
        }
        None
    }

    fn by_backend(&mut self, pool: &mut Pool, path: &Path, part: &Part, stop: &Stop) -> Answer {
        match self.solve(pool, &part.conditions, &part.vars, stop) {
            Outcome::Sat(values) => self.believe(pool, path, part, values),
            Outcome::Unsat(core) => {
                self.cache.add_unsat(&core);
                Answer::Unsat
            }
            Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Believes the backend's values if they satisfy what was asked.
    fn believe(&mut self, pool: &Pool, path: &Path, part: &Part, values: Vec<(Var, u128)>) -> Answer {
        let values: Values = values.into();
        let Some(answer) = verified(pool, path, part, &values) else {
            self.statistics.bad_models += 1;
            return Answer::Unknown(Why::BadModel);
        };
        self.cache.add_sat(&part.conditions, &values);
        self.keep(values);
        answer
    }

    /// Keeps values that may answer another question.
    fn keep(&mut self, values: Values) {
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(values);
    }

    /// Asks the backend. The core is sorted and never empty.
    fn solve(&mut self, pool: &mut Pool, conditions: &[Term], vars: &[Var], stop: &Stop) -> Outcome {
        if conditions.iter().any(|&c| pool.is_quantified(c)) {
            let before = self.engine.asked();
            let outcome = self.solve_quantified(pool, conditions, vars, stop);
            self.asked_with_quantifiers += self.engine.asked() - before;
            return outcome;
        }
        self.solve_plain(pool, conditions, vars, stop)
    }

    /// One call of the backend, about conditions without quantifiers.
    pub(crate) fn solve_plain(
        &mut self,
        pool: &Pool,
        conditions: &[Term],
        vars: &[Var],
        stop: &Stop,
    ) -> Outcome {
        let start = Instant::now();
        let mut outcome = self.engine.solve(pool, conditions, vars, stop);
        self.statistics.backend_calls += 1;
        let seconds = start.elapsed().as_secs_f64();
        self.statistics.backend_seconds += seconds;
        self.statistics.slowest_seconds = self.statistics.slowest_seconds.max(seconds);
        if let Outcome::Unsat(core) = &mut outcome {
            if core.is_empty() {
                core.extend_from_slice(conditions);
            }
            core.sort_unstable();
        }
        outcome
    }

    /// Whether the run has to end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.options.is_over()
    }

    fn stop(&self) -> Stop {
        Stop::new(self.options.timeout, self.options.deadline, self.options.interrupt.clone())
    }

    /// Counts the answer and, if wanted, asks the other solver too.
    pub(crate) fn finish(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        cond: Term,
        link: Link,
        answer: Answer,
    ) -> Answer {
        self.statistics.count(link);
        match &answer {
            Answer::Unknown(Why::Timeout) => self.statistics.timeouts += 1,
            Answer::Unknown(Why::Interrupted) => self.statistics.interrupted += 1,
            Answer::Unknown(_) => self.statistics.gave_up += 1,
            _ => {}
        }
        if self.oracle.is_some() { self.validated(pool, path, cond, link, answer) } else { answer }
    }
}

fn by_constant(pool: &Pool, path: &Path, cond: Term) -> Option<Answer> {
    if pool.is_false(cond) || path.is_contradiction() {
        return Some(Answer::Unsat);
    }
    if pool.is_true(cond) { path.witness().map(Answer::Sat) } else { None }
}

fn by_witness(pool: &mut Pool, path: &Path, cond: Term) -> Option<Answer> {
    if !path.is_witnessed() {
        return None;
    }
    // A condition on one byte needs no evaluation.
    let holds = match byte_condition(pool, cond) {
        Some((var, set)) => set.contains(path.value(var) as u8),
        None => path.witness_value(pool, cond) == Some(1),
    };
    if holds { path.witness().map(Answer::Sat) } else { None }
}

/// Exact for conjunctions of conditions on single bytes that occur in no joint condition, and for
/// disjunctions of such; of others it may see that they are impossible, or guess right.
fn by_byte_sets(pool: &mut Pool, path: &Path, cond: Term) -> Option<Answer> {
    let cases = disjuncts(pool, cond)?;
    let mut impossible = true;
    for case in cases {
        match conjunction_by_byte_sets(pool, path, case) {
            Some(Answer::Unsat) => {}
            Some(answer) => return Some(answer),
            None => impossible = false,
        }
    }
    impossible.then_some(Answer::Unsat)
}

fn conjunction_by_byte_sets(pool: &mut Pool, path: &Path, cond: Term) -> Option<Answer> {
    let mut sets = Vec::new();
    let mut complete = path.is_witnessed();
    for part in conjuncts(pool, cond) {
        let Some((var, set)) = byte_condition(pool, part) else {
            complete = false;
            continue;
        };
        let index = sets.iter().position(|&(v, _)| v == var).unwrap_or_else(|| {
            sets.push((var, path.allowed(var)));
            sets.len() - 1
        });
        sets[index].1 = sets[index].1.intersect(set);
        if sets[index].1.is_empty() {
            return Some(Answer::Unsat);
        }
    }
    if !complete {
        return None;
    }
    sets.retain(|&(var, set)| !set.contains(path.value(var) as u8));
    sets.sort_unstable_by_key(|&(var, _)| var);
    let least = sets.iter().map(|&(var, set)| (var, u128::from(set.min().unwrap_or_default())));
    let changes: Vec<(Var, u128)> = least.collect();
    if sets.iter().all(|&(var, _)| !path.is_entangled(var)) {
        return Some(Answer::Sat(path.model(changes)));
    }
    // One byte of several: there are a few values to try. Several bytes: only the least of each.
    let guesses: Vec<Vec<(Var, u128)>> = match sets[..] {
        [(var, set)] => set.iter().take(TRIES).map(|b| vec![(var, b.into())]).collect(),
        _ => vec![changes],
    };
    guesses
        .into_iter()
        .find(|guess| joint_conditions_hold(pool, path, guess))
        .map(|g| Answer::Sat(path.model(g)))
}

/// Do the changed values satisfy the joint conditions that mention them?
fn joint_conditions_hold(pool: &Pool, path: &Path, changes: &[(Var, u128)]) -> bool {
    let changed = |v: Var| changes.iter().find(|c| c.0 == v).map(|c| c.1);
    let mut scratch = path.scratch();
    path.joint_conditions().all(|t| {
        let vars = pool.support_vars(pool.support(t));
        !changes.iter().any(|(v, _)| vars.binary_search(v).is_ok())
            || scratch.eval(pool, t, |v| changed(v).unwrap_or_else(|| path.value(v))) == 1
    })
}

/// The same links again, if putting in fixed bytes has made a simpler condition.
fn by_simplification(pool: &mut Pool, path: &Path, cond: Term, simple: Term) -> Option<Answer> {
    if simple == cond {
        return None;
    }
    by_constant(pool, path, simple).or_else(|| by_byte_sets(pool, path, simple))
}

/// Comparisons, whatever else is said. Cheaper to ask again than to remember.
fn by_order(pool: &mut Pool, path: &Path, part: &Part) -> Option<Answer> {
    match order::solve(pool, part)? {
        Found::Values(values) => verified(pool, path, part, &values),
        Found::Nothing => Some(Answer::Unsat),
    }
}

/// Is the negation of a condition on one byte or of `cond` among the conditions?
fn is_negated(pool: &mut Pool, part: &Part, cond: Term) -> bool {
    let negation = pool.not(cond);
    part.conditions.binary_search(&negation).is_ok()
}

/// The answer that the values give, if they satisfy all conditions of the part.
fn verified(pool: &Pool, path: &Path, part: &Part, values: &[(Var, u128)]) -> Option<Answer> {
    let value = |v: Var| match values.binary_search_by_key(&v, |&(w, _)| w) {
        Ok(i) => values[i].1,
        Err(_) => path.value(v),
    };
    let all = part.vars.iter().map(|&v| (v, value(v)));
    // The newest terms first: they are the likeliest to fail.
    if !path.scratch().satisfies(pool, all, part.conditions.iter().rev().copied()) {
        return None;
    }
    let changed = part.vars.iter().map(|&v| (v, value(v))).filter(|&(v, x)| x != path.value(v));
    Some(Answer::Sat(path.model(changed.collect())))
}

/// The cases of a disjunction, unless there are many.
fn disjuncts(pool: &mut Pool, cond: Term) -> Option<Vec<Term>> {
    let (mut cases, mut todo) = (Vec::new(), vec![cond]);
    while let Some(t) = todo.pop() {
        if cases.len() + todo.len() >= DISJUNCTS {
            return None;
        }
        match pool.node(t) {
            Node::Binary(Binary::Or, a, b) if pool.width(t) == 1 => todo.extend([b, a]),
            Node::Unary(Unary::Not, inner) if pool.width(t) == 1 => match pool.node(inner) {
                Node::Binary(Binary::And, a, b) => {
                    let (a, b) = (pool.not(a), pool.not(b));
                    todo.extend([b, a]);
                }
                _ => cases.push(t),
            },
            _ => cases.push(t),
        }
    }
    Some(cases)
}
