//! One long-lived solver, and when to replace it.

use rejoin_expr::{Pool, Term, Var};

use super::bitwuzla::Bitwuzla;
use super::smt::{Smt, Verdict};
use super::stop::Stop;
use super::translate::Translator;
use super::z3::Z3;
use crate::{Backend, Why};

/// A solver carries all it was ever told: a satisfiable query has to give values to every old gate.
/// So it is replaced by a fresh one when it holds so many times the terms of what is asked, which
/// keeps the cost of a query near that of its own terms in every order of exploration, and bounds
/// memory. Counted, not timed, so that answers do not depend on the machine.
const BALLAST: u64 = 8;
const ALWAYS_CARRIED: u64 = 100;
const MAX_CALLS: u64 = 20_000;

/// How many different terms the conditions consist of.
fn size(pool: &Pool, conditions: &[Term]) -> u64 {
    pool.postorder(conditions).len() as u64
}

/// What a backend says of a conjunction.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Values of the variables that were asked for.
    Sat(Vec<(Var, u128)>),
    /// Conditions, among those given, that contradict each other.
    Unsat(Vec<Term>),
    Unknown(Why),
}

/// A backend, whichever solver it is.
pub(crate) trait Engine {
    /// Is the conjunction satisfiable? If so, with which values of `vars`?
    fn solve(&mut self, pool: &Pool, conditions: &[Term], vars: &[Var], stop: &Stop) -> Outcome;
    /// Nodes sent so far, over all solvers of this session.
    fn nodes(&self) -> u64;
}

/// A session with the solver named.
pub(crate) fn open(backend: Backend) -> Box<dyn Engine> {
    match backend {
        Backend::Bitwuzla => Box::new(Session::<Bitwuzla>::new()),
        Backend::Z3 => Box::new(Session::<Z3<false>>::new()),
    }
}

/// A session with a solver that knows quantifiers.
pub(crate) fn open_quantified() -> Box<dyn Engine> {
    Box::new(Session::<Z3<true>>::new())
}

struct Session<S: Smt> {
    live: Option<Live<S>>,
    /// Nodes sent to solvers that are gone.
    nodes: u64,
}

struct Live<S: Smt> {
    translator: Translator<S>,
    smt: S,
    calls: u64,
    /// The terms of a query, the larger ones of late: a small query between large ones is no reason
    /// to throw away what those will need again.
    typical: u64,
}

impl<S: Smt> Live<S> {
    fn is_worn(&self) -> bool {
        self.calls >= MAX_CALLS || self.translator.terms() > BALLAST * self.typical + ALWAYS_CARRIED
    }
}

impl<S: Smt> Session<S> {
    fn new() -> Self {
        Session { live: None, nodes: 0 }
    }

    /// The solver to ask, a fresh one if the last is worn.
    fn live(&mut self) -> Result<&mut Live<S>, String> {
        if self.live.as_ref().is_some_and(Live::is_worn) {
            self.close();
        }
        match &mut self.live {
            Some(live) => Ok(live),
            none => {
                let smt = S::open()?;
                Ok(none.insert(Live { translator: Translator::new(), smt, calls: 0, typical: 0 }))
            }
        }
    }

    fn close(&mut self) {
        self.nodes += self.live.take().map_or(0, |l| l.translator.nodes());
    }
}

impl<S: Smt> Engine for Session<S> {
    fn solve(&mut self, pool: &Pool, conditions: &[Term], vars: &[Var], stop: &Stop) -> Outcome {
        // Saying what is asked may take longer than there is time.
        if let Some(why) = stop.reason() {
            return Outcome::Unknown(why);
        }
        let live = match self.live() {
            Ok(live) => live,
            Err(text) => return Outcome::Unknown(Why::NoBackend(text.into())),
        };
        live.calls += 1;
        live.typical = size(pool, conditions).max(live.typical - live.typical / 8);
        let Live { translator, smt, .. } = live;
        let asts: Vec<S::Ast> = conditions.iter().map(|&c| translator.term(smt, pool, c)).collect();
        match smt.check(&asts, stop) {
            Verdict::Sat => {
                // A variable that was never said is free to be anything.
                let value =
                    |&v: &Var| translator.variable(v).map_or(Some(0), |a| smt.value(a)).map(|x| (v, x));
                match vars.iter().map(value).collect() {
                    Some(values) => Outcome::Sat(values),
                    None => Outcome::Unknown(Why::BadModel),
                }
            }
            Verdict::Unsat => Outcome::Unsat(smt.core(&asts).into_iter().map(|i| conditions[i]).collect()),
            Verdict::Unknown(why) => {
                // What a solver keeps of an aborted search depends on the clock: start afresh.
                self.close();
                Outcome::Unknown(why)
            }
        }
    }

    fn nodes(&self) -> u64 {
        self.nodes + self.live.as_ref().map_or(0, |l| l.translator.nodes())
    }
}
