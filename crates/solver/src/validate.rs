//! `--validate`: every answer beside that of the other solver.
//!
//! A satisfiable answer comes with a model. It has to satisfy the path by our evaluation, and the other
//! solver has to agree when it is told the model's values, which costs it no search. An unsatisfiable
//! answer has to be found again by the other solver, within a second; where it is about few bytes, all their
//! values are tried instead after a tenth of that. An answer that nobody checked is counted as undecided.

use std::ops::ControlFlow;
use std::time::Duration;

use rejoin_expr::{ByteSet, Pool, Solutions, Term, Var};

use crate::backend::{Outcome, Stop, open_quantified};
use crate::chain::Solver;
use crate::independence::variables;
use crate::path::{Model, Path};
use crate::statistics::Link;
use crate::{Answer, Why};

/// A second opinion may take so long; only whether there is one depends on it.
const PATIENCE: Duration = Duration::from_secs(1);
/// And so long where trying all values is another way.
const SHORT_PATIENCE: Duration = Duration::from_millis(100);
/// Of so many bytes all values are tried.
const BYTES: usize = 2;

/// What the other solver finds.
enum Opinion {
    Satisfiable,
    Unsatisfiable,
    Undecided,
}

impl Solver {
    /// The answer, or that another one contradicts it.
    pub(crate) fn validated(
        &mut self,
        pool: &mut Pool,
        path: &Path,
        cond: Term,
        link: Link,
        answer: Answer,
    ) -> Answer {
        let mut conditions = path.conditions();
        conditions.push(cond);
        self.statistics.validated += 1;
        let (said, other) = match &answer {
            Answer::Sat(model) if conditions.iter().any(|&c| model.eval(pool, c) != 1) => {
                ("satisfiable", "a model that does not satisfy the path")
            }
            Answer::Sat(model) => match self.second_opinion(pool, &conditions, Some(model)) {
                Opinion::Unsatisfiable => ("satisfiable", "unsatisfiable"),
                _ => return answer,
            },
            Answer::Unsat => match self.second_opinion(pool, &conditions, None) {
                Opinion::Satisfiable => ("unsatisfiable", "satisfiable"),
                _ => return answer,
            },
            Answer::Unknown(_) => return answer,
        };
        self.statistics.mismatches += 1;
        let text = format!(
            "link {link:?} says {said}, but {:?} finds: {other}; {} conditions, asked: {cond:?}",
            self.options.backend.other(),
            conditions.len() - 1,
        );
        Answer::Unknown(Why::Mismatch(text.into()))
    }

    fn second_opinion(&mut self, pool: &mut Pool, conditions: &[Term], model: Option<&Model>) -> Opinion {
        let vars = variables(pool, conditions);
        let mut asked = conditions.to_vec();
        if let Some(model) = model {
            asked.extend(vars.iter().map(|&v| is_value(pool, v, model.get(v))));
        }
        let patience = if can_be_tried(pool, conditions, &vars) { SHORT_PATIENCE } else { PATIENCE };
        let patience = self.options.timeout.map_or(patience, |t| t.min(patience));
        let stop = Stop::new(Some(patience), self.options.deadline, self.options.interrupt.clone());
        let oracle = if asked.iter().any(|&c| pool.is_quantified(c)) {
            Some(self.generic.get_or_insert_with(open_quantified))
        } else {
            self.oracle.as_mut()
        };
        match oracle.map(|oracle| oracle.solve(pool, &asked, &[], &stop)) {
            Some(Outcome::Sat(_)) => Opinion::Satisfiable,
            Some(Outcome::Unsat(_)) => Opinion::Unsatisfiable,
            Some(Outcome::Unknown(_)) | None => by_trying(pool, conditions, &vars).unwrap_or_else(|| {
                self.statistics.undecided += 1;
                Opinion::Undecided
            }),
        }
    }
}

fn is_value(pool: &mut Pool, var: Var, value: u128) -> Term {
    let term = pool.var_term(var);
    let value = pool.constant(pool.width(term), value);
    pool.eq(term, value)
}

/// Are the conditions about few bytes?
fn can_be_tried(pool: &Pool, conditions: &[Term], vars: &[Var]) -> bool {
    (1..=BYTES).contains(&vars.len())
        && vars.iter().all(|&v| pool.width(pool.var_term(v)) == 8)
        && !conditions.iter().any(|&c| pool.is_quantified(c))
}

/// Tries all values, if they are few.
fn by_trying(pool: &Pool, conditions: &[Term], vars: &[Var]) -> Option<Opinion> {
    if !can_be_tried(pool, conditions, vars) {
        return None;
    }
    let any = vars.iter().map(|&v| (v, ByteSet::FULL)).collect();
    let mut found = false;
    let _ = Solutions::new(pool, any, conditions, &[]).visit(&mut |_| {
        found = true;
        ControlFlow::Break(())
    });
    Some(if found { Opinion::Satisfiable } else { Opinion::Unsatisfiable })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Options};

    fn is_mismatch(answer: &Answer) -> bool {
        matches!(answer, Answer::Unknown(Why::Mismatch(_)))
    }

    /// Whoever is wrong, a contradiction between the solvers is reported.
    #[test]
    fn validation_catches_wrong_answers() {
        for backend in [Backend::Bitwuzla, Backend::Z3] {
            let mut pool = Pool::new();
            let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
            let mut solver = Solver::new(Options { backend, validate: true, ..Options::default() });
            let mut path = Path::new();
            let ordered = pool.ult(x, y);
            path.assume(&mut pool, ordered);
            let (possible, impossible) = (pool.ult(x, y), pool.ult(y, x));
            let right = path.model(vec![(Var(0), 1), (Var(1), 2)]);
            let wrong = path.model(vec![(Var(0), 2), (Var(1), 2)]);
            let mut finish = |cond, answer| solver.finish(&mut pool, &path, cond, Link::Backend, answer);
            assert!(finish(possible, Answer::Sat(right.clone())).is_sat());
            assert!(finish(impossible, Answer::Unsat).is_unsat());
            assert!(is_mismatch(&finish(possible, Answer::Unsat)));
            assert!(is_mismatch(&finish(impossible, Answer::Sat(right))));
            assert!(is_mismatch(&finish(possible, Answer::Sat(wrong))));
            assert_eq!((solver.statistics().mismatches, solver.statistics().undecided), (3, 0));
        }
    }

    /// Without another solver's word, two bytes are tried; a third makes an answer undecided.
    #[test]
    fn what_the_other_solver_cannot_say_is_tried_or_counted() {
        let mut pool = Pool::new();
        let bytes: Vec<Term> = ["x", "y", "z"].iter().map(|name| pool.var(8, name)).collect();
        let (less, more) = (pool.ult(bytes[0], bytes[1]), pool.ult(bytes[1], bytes[0]));
        let two =
            |conditions: &[Term], pool: &Pool| by_trying(pool, conditions, &variables(pool, conditions));
        assert!(matches!(two(&[less], &pool), Some(Opinion::Satisfiable)));
        assert!(matches!(two(&[less, more], &pool), Some(Opinion::Unsatisfiable)));
        let third = pool.ult(bytes[1], bytes[2]);
        assert!(two(&[less, third], &pool).is_none());

        let mut solver = Solver::new(Options { validate: true, ..Options::default() });
        solver.oracle = None;
        let path = Path::new();
        let both = pool.and(less, third);
        let mut validated = |cond| solver.validated(&mut pool, &path, cond, Link::Backend, Answer::Unsat);
        assert!(is_mismatch(&validated(less)));
        assert!(validated(both).is_unsat());
        assert_eq!((solver.statistics().mismatches, solver.statistics().undecided), (1, 1));
    }
}
