//! One long-lived solver, and when to replace it.

use std::thread::Builder;

use rejoin_expr::{Pool, Term, Var};

use super::aside::Aside;
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
/// A query that says more gates than this may overrun its limit by much. Making so many takes a solver some
/// tens of milliseconds, beside which a thread costs nothing.
const LARGE: u64 = 50_000;

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
    /// The terms of all that was asked so far, and how long it was searched for answers, which is counted.
    fn asked(&self) -> u64;
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
    asked: u64,
    aside: Aside,
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
    fn open() -> Result<Self, String> {
        Ok(Live { translator: Translator::new(), smt: S::open()?, calls: 0, typical: 0 })
    }

    fn is_worn(&self) -> bool {
        self.calls >= MAX_CALLS || self.translator.terms() > BALLAST * self.typical + ALWAYS_CARRIED
    }
}

/// A question, with the solver that is asked.
struct Asked<S: Smt> {
    live: Live<S>,
    asts: Vec<S::Ast>,
    conditions: Vec<Term>,
    vars: Vec<Var>,
}

// SAFETY: the solver goes to another thread together with all of its terms, and is used by one thread at a
// time. Neither solver keeps anything of a context per thread.
unsafe impl<S: Smt> Send for Asked<S> {}

impl<S: Smt> Asked<S> {
    fn answer(&mut self, stop: &Stop) -> Outcome {
        let Asked { live: Live { translator, smt, .. }, asts, conditions, vars } = self;
        match smt.check(asts, stop) {
            Verdict::Sat => {
                // A variable that was never said is free to be anything.
                let value =
                    |&v: &Var| translator.variable(v).map_or(Some(0), |a| smt.value(a)).map(|x| (v, x));
                match vars.iter().map(value).collect() {
                    Some(values) => Outcome::Sat(values),
                    None => Outcome::Unknown(Why::BadModel),
                }
            }
            Verdict::Unsat => Outcome::Unsat(smt.core(asts).into_iter().map(|i| conditions[i]).collect()),
            Verdict::Unknown(why) => Outcome::Unknown(why),
        }
    }
}

impl<S: Smt> Session<S> {
    fn new() -> Self {
        Session { live: None, nodes: 0, asked: 0, aside: Aside::default() }
    }

    /// Takes the solver to ask, a fresh one if the last is worn.
    fn take(&mut self) -> Result<Live<S>, String> {
        match self.live.take() {
            Some(live) if live.is_worn() => {
                self.nodes += live.translator.nodes();
                Live::open()
            }
            Some(live) => Ok(live),
            None => Live::open(),
        }
    }

    /// Asks. The solver comes back with the answer; if it does not, or has none, the next question gets a
    /// fresh one: what a solver keeps of an aborted search depends on the clock.
    fn ask(
        &mut self,
        mut live: Live<S>,
        pool: &Pool,
        conditions: &[Term],
        vars: &[Var],
        stop: &Stop,
    ) -> Result<(Live<S>, Outcome), Why> {
        let Live { translator, smt, .. } = &mut live;
        let known = translator.gates();
        let asts =
            conditions.iter().map(|&c| translator.term(smt, pool, c, stop)).collect::<Result<_, _>>()?;
        let is_large = translator.gates() - known > LARGE && !stop.is_never();
        let mut asked = Asked { live, asts, conditions: conditions.to_vec(), vars: vars.to_vec() };
        let (asked, outcome) = if is_large {
            let limit = stop.clone();
            self.aside.call(asked, move |asked| asked.answer(&limit), stop)?
        } else {
            let outcome = asked.answer(stop);
            (asked, outcome)
        };
        match outcome {
            Outcome::Unknown(why) => {
                if asked.live.translator.gates() > LARGE {
                    // Its end takes long, too; without a thread it has to be waited for.
                    let _ = Builder::new().spawn(move || drop(asked));
                }
                Err(why)
            }
            outcome => Ok((asked.live, outcome)),
        }
    }
}

impl<S: Smt> Engine for Session<S> {
    fn solve(&mut self, pool: &Pool, conditions: &[Term], vars: &[Var], stop: &Stop) -> Outcome {
        // Saying what is asked may take longer than there is time.
        if let Some(why) = stop.reason() {
            return Outcome::Unknown(why);
        }
        let size = size(pool, conditions);
        self.asked += size;
        let mut live = match self.take() {
            Ok(live) => live,
            Err(text) => return Outcome::Unknown(Why::NoBackend(text.into())),
        };
        live.calls += 1;
        live.typical = size.max(live.typical - live.typical / 8);
        let (before, effort) = (live.translator.nodes(), live.smt.effort());
        match self.ask(live, pool, conditions, vars, stop) {
            Ok((live, outcome)) => {
                self.asked += live.smt.effort() - effort;
                self.live = Some(live);
                outcome
            }
            Err(why) => {
                self.nodes += before;
                Outcome::Unknown(why)
            }
        }
    }

    fn asked(&self) -> u64 {
        self.asked
    }

    fn nodes(&self) -> u64 {
        self.nodes + self.live.as_ref().map_or(0, |l| l.translator.nodes())
    }
}
