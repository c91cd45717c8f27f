//! Conjunctions with bounded quantifiers, on a solver that knows none.
//!
//! The solving procedure of "State Merging with Quantifiers in Symbolic Execution" (Trabish et al.,
//! ESEC/FSE 2023, section 5): *strip* the quantifiers to what they say of index 1, and guess the rest
//! of a model by *duplicating* the bytes found there, *repairing* where that contradicts another
//! clause. Every model is evaluated on the quantified formula before it is believed.
//!
//! Deviations from the paper:
//! 1. Instead of a generic solver, *lazy instantiation* comes next: the indices that a model violates
//!    are added and the solver is asked again. Bounds are finite, so this ends with a definite answer,
//!    for unsatisfiable queries too. The generic solver is left for what exceeds the time limit.
//! 2. A quantifier may stand anywhere in a clause, not only at its top: it is named by a boolean,
//!    whose negation has an index that shows it.
//! 3. Quantifiers of few indices, or whose bound the query fixes, are expanded at once.
//! 4. The lemma for a clause that denies an instance looks for each conjunct of the body.
//! 5. What a quantifier says of its last index, k itself, is said at once: where the body compares
//!    with the index, that often is all there is to say.

mod duplicate;
#[cfg(test)]
mod examples;
mod instantiate;
mod repair;
mod strip;

use rejoin_expr::{Assignment, Node, Pool, Term, Var};
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Solver;
use crate::backend::{Outcome, Stop, open_quantified};

/// A boolean that names a quantifier, and an index that shows that it does not hold.
pub(crate) type Definitions = FxHashMap<Term, (Term, Term)>;

/// A quantifier of a query.
#[derive(Clone, Copy)]
struct Quantifier {
    i: Term,
    index: Var,
    k: Term,
    body: Term,
    max: u128,
    /// The clause that it is, or the boolean that names it within clauses.
    role: Role,
}

#[derive(Clone, Copy)]
enum Role {
    Clause(usize),
    Named(Term),
}

/// A query without its quantifiers, and what was said of them so far.
struct Query {
    /// What was asked.
    clauses: Vec<Term>,
    quantifiers: Vec<Quantifier>,
    /// What the solver is told, and the clause it follows from; none for what always holds.
    said: Vec<(Term, Option<usize>)>,
    instantiated: FxHashSet<(usize, u128)>,
}

impl Query {
    /// What the solver is to be asked.
    fn conditions(&self) -> Vec<Term> {
        self.said.iter().map(|s| s.0).collect()
    }

    /// All variables of the query and of what was said of it.
    fn variables(&self, pool: &Pool) -> Vec<Var> {
        let terms = self.clauses.iter().copied().chain(self.said.iter().map(|s| s.0));
        let mut vars: Vec<Var> =
            terms.flat_map(|t| pool.support_vars(pool.support(t)).iter().copied()).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The clauses that a contradiction among what was said comes from.
    fn origins(&self, core: &[Term]) -> Vec<Term> {
        let blamed = self.said.iter().filter(|s| core.contains(&s.0)).filter_map(|s| s.1);
        let blamed: FxHashSet<usize> = blamed.collect();
        let mut clauses: Vec<Term> = blamed.into_iter().map(|origin| self.clauses[origin]).collect();
        clauses.sort_unstable();
        clauses
    }

    /// Do the values satisfy what was asked?
    fn holds(&self, pool: &Pool, a: &Assignment) -> bool {
        self.clauses.iter().all(|&c| pool.eval(c, a) == 1)
    }

    /// The quantifiers that have to hold, with the value of their bound.
    fn required(&self, pool: &Pool, a: &Assignment) -> Vec<(usize, u128)> {
        let required = self.quantifiers.iter().enumerate().filter(|(_, q)| match q.role {
            Role::Clause(_) => true,
            Role::Named(name) => pool.eval(name, a) == 1,
        });
        required.map(|(n, q)| (n, pool.eval(q.k, a).min(q.max))).collect()
    }

    /// The indices at which quantifiers that have to hold do not.
    fn violations(&self, pool: &Pool, a: &Assignment) -> Vec<(usize, u128)> {
        let mut found = Vec::new();
        let mut a = a.clone();
        for (n, k) in self.required(pool, &a) {
            let q = self.quantifiers[n];
            for j in 1..=k {
                a.set(q.index, j);
                if pool.eval(q.body, &a) != 1 {
                    found.push((n, j));
                }
            }
        }
        found
    }
}

/// How the stages go on.
enum Stage {
    Done(Outcome),
    /// Values that satisfy what was said, but not the quantifiers.
    Model(Assignment),
}

impl Solver {
    /// Is a conjunction with quantifiers satisfiable?
    pub(crate) fn solve_quantified(
        &mut self,
        pool: &mut Pool,
        clauses: &[Term],
        vars: &[Var],
        stop: &Stop,
    ) -> Outcome {
        self.statistics.quantified_queries += 1;
        if self.options.no_procedure {
            return self.by_generic_solver(pool, clauses, vars, stop);
        }
        let mut query = Query::new(pool, clauses, &mut self.definitions);
        match self.by_procedure(pool, &mut query, vars, stop) {
            Outcome::Unknown(_) if stop.reason().is_none() => {
                self.by_generic_solver(pool, clauses, vars, stop)
            }
            outcome => outcome,
        }
    }

    fn by_procedure(&mut self, pool: &mut Pool, query: &mut Query, vars: &[Var], stop: &Stop) -> Outcome {
        let none = FxHashSet::default();
        let model = match self.ask(pool, query, &[], vars, stop) {
            Stage::Done(outcome) => {
                self.statistics.strip_hits += 1;
                return outcome;
            }
            Stage::Model(model) => model,
        };
        let guess = query.duplicate(pool, &model, &none);
        if query.holds(pool, &guess) || planted("unsound-duplicate") {
            self.statistics.duplicate_hits += 1;
            return sat(&guess, vars);
        }
        let conflicts = query.conflicts(pool, &guess);
        let fixed = query.all_but_arrays(pool, &guess);
        match self.ask(pool, query, &fixed, vars, stop) {
            Stage::Done(Outcome::Sat(values)) => {
                self.statistics.repair_hits += 1;
                return Outcome::Sat(values);
            }
            Stage::Done(_) => {}
            Stage::Model(repaired) => {
                let guess = query.duplicate(pool, &repaired, &conflicts);
                if query.holds(pool, &guess) {
                    self.statistics.repair_hits += 1;
                    return sat(&guess, vars);
                }
            }
        }
        self.by_instantiation(pool, query, model, vars, stop)
    }

    /// Asks the solver about what was said and `more`.
    fn ask(&mut self, pool: &Pool, query: &Query, more: &[Term], vars: &[Var], stop: &Stop) -> Stage {
        let mut conditions = query.conditions();
        conditions.extend_from_slice(more);
        match self.solve_plain(pool, &conditions, &query.variables(pool), stop) {
            Outcome::Sat(values) => {
                let model: Assignment = values.into_iter().collect();
                if query.holds(pool, &model) { Stage::Done(sat(&model, vars)) } else { Stage::Model(model) }
            }
            Outcome::Unsat(core) => Stage::Done(Outcome::Unsat(query.origins(&core))),
            unknown @ Outcome::Unknown(_) => Stage::Done(unknown),
        }
    }

    /// Z3, with quantifiers of its own.
    fn by_generic_solver(&mut self, pool: &Pool, clauses: &[Term], vars: &[Var], stop: &Stop) -> Outcome {
        self.statistics.fallbacks += 1;
        let engine = self.generic.get_or_insert_with(open_quantified);
        let mut outcome = engine.solve(pool, clauses, vars, stop);
        if let Outcome::Unsat(core) = &mut outcome
            && core.is_empty()
        {
            core.extend_from_slice(clauses);
        }
        outcome
    }
}

fn sat(a: &Assignment, vars: &[Var]) -> Outcome {
    Outcome::Sat(vars.iter().map(|&v| (v, a.get(v).unwrap_or(0))).collect())
}

fn mentions(pool: &Pool, t: Term, v: Var) -> bool {
    pool.support_vars(pool.support(t)).binary_search(&v).is_ok()
}

/// The reads of arrays of inputs in `t`, as array and index, for whose index `wanted` holds.
fn accesses(pool: &Pool, t: Term, wanted: impl Fn(&Pool, Term) -> bool) -> Vec<(Term, Term)> {
    let reads = pool.postorder(&[t]).into_iter().filter_map(|u| match pool.node(u) {
        Node::Select(array, at) if matches!(pool.node(array), Node::Inputs(_)) => Some((array, at)),
        _ => None,
    });
    reads.filter(|&(_, at)| wanted(pool, at)).collect()
}
