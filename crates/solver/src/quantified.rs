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

use rejoin_expr::{Assignment, Binary, Node, Pool, Term, Var};
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Solver;
use crate::backend::{Outcome, Stop, open_quantified};
use crate::path::conjuncts;

/// Quantifiers of at most so many indices are expanded at once.
const FEW: u128 = 4;

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
    /// The query with the quantifiers stripped.
    fn new(pool: &mut Pool, clauses: &[Term], definitions: &mut Definitions) -> Self {
        let mut query = Query {
            clauses: clauses.to_vec(),
            quantifiers: Vec::new(),
            said: Vec::new(),
            instantiated: FxHashSet::default(),
        };
        for (origin, &clause) in clauses.iter().enumerate() {
            if !pool.is_quantified(clause) {
                query.said.push((clause, Some(origin)));
            } else if let Node::Forall(..) = pool.node(clause) {
                query.add(pool, clause, Role::Clause(origin));
            } else {
                let plain = query.name_quantifiers(pool, clause, definitions);
                query.said.push((plain, Some(origin)));
            }
        }
        for q in 0..query.quantifiers.len() {
            let last = query.expanded(pool, q);
            for j in 1..=last.max(1) {
                query.instantiate(pool, q, j);
            }
            query.instantiate_last(pool, q);
            query.add_denials(pool, q);
        }
        query
    }

    fn add(&mut self, pool: &Pool, t: Term, role: Role) {
        if let Node::Forall(i, k, body) = pool.node(t)
            && let Node::Var(index) = pool.node(i)
        {
            let max = pool.index_max(index);
            self.quantifiers.push(Quantifier { i, index, k, body, max, role });
        }
    }

    /// The clause with booleans for its quantifiers; says what they mean where they do not hold.
    fn name_quantifiers(&mut self, pool: &mut Pool, clause: Term, definitions: &mut Definitions) -> Term {
        let inside: Vec<Term> = pool
            .postorder(&[clause])
            .into_iter()
            .filter(|&t| matches!(pool.node(t), Node::Forall(..)))
            .collect();
        let mut plain = clause;
        for t in inside {
            let Node::Forall(i, k, body) = pool.node(t) else { continue };
            let width = pool.width(k);
            let (name, exception) =
                *definitions.entry(t).or_insert_with(|| (pool.var(1, "holds"), pool.var(width, "exception")));
            plain = pool.replace(plain, t, name);
            if self.quantifiers.iter().any(|q| matches!(q.role, Role::Named(n) if n == name)) {
                continue;
            }
            self.add(pool, t, Role::Named(name));
            let one = pool.constant(width, 1);
            let (above, below) = (pool.ule(one, exception), pool.ule(exception, k));
            let Node::Var(index) = pool.node(i) else { continue };
            let instance = pool.substitute(body, &mut |v| (v == index).then_some(exception));
            let fails = pool.not(instance);
            let shown = pool.and_all(&[above, below, fails]);
            let lemma = pool.or(name, shown);
            self.said.push((lemma, None));
        }
        plain
    }

    /// Up to which index a quantifier is expanded at once.
    fn expanded(&self, pool: &Pool, q: usize) -> u128 {
        let quantifier = self.quantifiers[q];
        if quantifier.max <= FEW {
            return quantifier.max;
        }
        let fixed = |&clause: &Term| match pool.node(clause) {
            Node::Binary(Binary::Eq, a, b) if a == quantifier.k => pool.as_const(b),
            _ => None,
        };
        self.clauses.iter().find_map(fixed).map_or(0, |k| k.min(quantifier.max))
    }

    /// Says what the quantifier says of index `j`. Is that new?
    fn instantiate(&mut self, pool: &mut Pool, q: usize, j: u128) -> bool {
        if !self.instantiated.insert((q, j)) {
            return false;
        }
        let Quantifier { i, k, body, role, .. } = self.quantifiers[q];
        let at = pool.constant(pool.width(k), j);
        let (beyond, instance) = (pool.ult(k, at), pool.instance(i, j, body));
        let lemma = pool.or(beyond, instance);
        self.said.push(match role {
            Role::Clause(origin) => (lemma, Some(origin)),
            Role::Named(name) => {
                let not = pool.not(name);
                (pool.or(not, lemma), None)
            }
        });
        true
    }

    /// Says what the quantifier says of its bound.
    fn instantiate_last(&mut self, pool: &mut Pool, q: usize) {
        let Quantifier { index, k, body, max, role, .. } = self.quantifiers[q];
        let Role::Clause(origin) = role else { return };
        let width = pool.width(k);
        let (zero, most) = (pool.constant(width, 0), pool.constant(width, max));
        let (none, beyond) = (pool.eq(k, zero), pool.ult(most, k));
        let instance = pool.substitute(body, &mut |v| (v == index).then_some(k));
        let lemma = pool.or_all(&[none, beyond, instance]);
        self.said.push((lemma, Some(origin)));
    }

    /// Where a clause denies what the quantifier says of an index `t`: `t` is not among its indices.
    fn add_denials(&mut self, pool: &mut Pool, q: usize) {
        let Quantifier { i, index, k, body, role, .. } = self.quantifiers[q];
        let Role::Clause(origin) = role else { return };
        let wide = pool.zext(i, 32);
        for conjunct in conjuncts(pool, body) {
            let accesses = accesses(pool, conjunct, |pool, at| mentions(pool, at, index));
            let [(array, at)] = accesses[..] else { continue };
            let offset = match pool.node(at) {
                _ if at == wide => 0,
                Node::Binary(Binary::Add, a, b) if a == wide => match pool.as_const(b) {
                    Some(offset) => offset,
                    None => continue,
                },
                _ => continue,
            };
            for clause in self.clauses.clone() {
                if pool.is_quantified(clause) {
                    continue;
                }
                for (_, to) in accesses_of(pool, clause, array) {
                    let offset = pool.constant(32, offset);
                    let t = pool.sub(to, offset);
                    let instance = pool.replace(conjunct, wide, t);
                    let denied = pool.not(instance);
                    if denied != clause || mentions(pool, instance, index) {
                        continue;
                    }
                    let one = pool.constant(32, 1);
                    let last = pool.zext(k, 32);
                    let (above, below) = (pool.ule(one, t), pool.ule(t, last));
                    let inside = pool.and(above, below);
                    let lemma = pool.not(inside);
                    // The lemma rests on the clause, too: where that is blamed, so is this.
                    let other = pool.not(clause);
                    let lemma = pool.or(lemma, other);
                    self.said.push((lemma, Some(origin)));
                }
            }
        }
    }

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

    /// The bytes that the body of a quantifier reads at an index.
    fn cells(&self, pool: &Pool, a: &Assignment, n: usize, j: u128) -> Vec<Var> {
        let q = self.quantifiers[n];
        let mut a = a.clone();
        a.set(q.index, j);
        let reads = accesses(pool, q.body, |pool, at| mentions(pool, at, q.index));
        reads.into_iter().filter_map(|(array, at)| cell(pool, array, pool.eval(at, &a))).collect()
    }

    /// Second stage: what is read at index 1 is put where other indices read, but for `skipped`.
    fn duplicate(&self, pool: &Pool, a: &Assignment, skipped: &FxHashSet<Var>) -> Assignment {
        let mut a = a.clone();
        for (n, k) in self.required(pool, &a) {
            if k < 2 {
                continue;
            }
            let first = self.cells(pool, &a, n, 1);
            for j in 2..=k {
                for (&from, to) in first.iter().zip(self.cells(pool, &a, n, j)) {
                    if !skipped.contains(&to) {
                        a.set(to, a.get(from).unwrap_or(0));
                    }
                }
            }
        }
        a
    }

    /// Third stage: the bytes that violated clauses and indices read. Says what the quantifiers say
    /// of the indices that read them.
    fn conflicts(&mut self, pool: &mut Pool, a: &Assignment) -> FxHashSet<Var> {
        let mut conflicts: FxHashSet<Var> = FxHashSet::default();
        for (n, j) in self.violations(pool, a) {
            conflicts.extend(self.cells(pool, a, n, j));
        }
        for &clause in &self.clauses {
            if !pool.is_quantified(clause) && pool.eval(clause, a) != 1 {
                conflicts.extend(read_by(pool, clause, a));
            }
        }
        for (n, k) in self.required(pool, a) {
            for j in 2..=k {
                if self.cells(pool, a, n, j).iter().any(|v| conflicts.contains(v)) {
                    self.instantiate(pool, n, j);
                }
            }
        }
        conflicts
    }

    /// Equations that leave only the arrays to be chosen that quantifiers range over.
    fn all_but_arrays(&self, pool: &mut Pool, a: &Assignment) -> Vec<Term> {
        let mut free: FxHashSet<Var> = FxHashSet::default();
        for q in &self.quantifiers {
            for (array, _) in accesses(pool, q.body, |pool, at| mentions(pool, at, q.index)) {
                free.extend(pool.support_vars(pool.support(array)));
            }
        }
        let fixed: Vec<Var> = self.variables(pool).into_iter().filter(|v| !free.contains(v)).collect();
        fixed
            .into_iter()
            .map(|v| {
                let x = pool.var_term(v);
                let value = pool.constant(pool.width(x), a.get(v).unwrap_or(0));
                pool.eq(x, value)
            })
            .collect()
    }

    /// Last stage: says what the quantifiers say of the violated indices.
    fn refine(&mut self, pool: &mut Pool, a: &Assignment) {
        for (n, j) in self.violations(pool, a) {
            self.instantiate(pool, n, j);
        }
    }

    /// Is some violated index one of which nothing was said?
    fn has_news(&self, pool: &Pool, a: &Assignment) -> bool {
        self.violations(pool, a).iter().any(|v| !self.instantiated.contains(v))
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

    /// Adds what the values violate until nothing is violated or nothing is left.
    fn by_instantiation(
        &mut self,
        pool: &mut Pool,
        query: &mut Query,
        mut model: Assignment,
        vars: &[Var],
        stop: &Stop,
    ) -> Outcome {
        let mut progress = true;
        while progress {
            query.refine(pool, &model);
            model = match self.ask(pool, query, &[], vars, stop) {
                Stage::Done(outcome) => {
                    self.statistics.instantiation_hits += 1;
                    return outcome;
                }
                Stage::Model(model) => model,
            };
            let guess = query.duplicate(pool, &model, &FxHashSet::default());
            if query.holds(pool, &guess) {
                self.statistics.instantiation_hits += 1;
                return sat(&guess, vars);
            }
            progress = query.has_news(pool, &model);
        }
        Outcome::Unknown(crate::Why::GaveUp)
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

fn accesses_of(pool: &Pool, t: Term, array: Term) -> Vec<(Term, Term)> {
    accesses(pool, t, |_, _| true).into_iter().filter(|r| r.0 == array).collect()
}

/// The variable of an array of inputs at an index.
fn cell(pool: &Pool, array: Term, at: u128) -> Option<Var> {
    let Node::Inputs(id) = pool.node(array) else { return None };
    let t = *pool.input_table(id).get(usize::try_from(at).ok()?)?;
    match pool.node(t) {
        Node::Var(v) => Some(v),
        _ => None,
    }
}

/// The bytes of arrays of inputs that `t` reads.
fn read_by(pool: &Pool, t: Term, a: &Assignment) -> Vec<Var> {
    let mut cells = Vec::new();
    for u in pool.postorder(&[t]) {
        match pool.node(u) {
            Node::Var(v) if pool.input_place(v).is_some() => cells.push(v),
            Node::Select(array, at) => cells.extend(cell(pool, array, pool.eval(at, a))),
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    /// Example 5: `s[n] = 0 ∧ 1 ≤ k ≤ 10 ∧ s[k-1] = 8 ∧ ∀ 1 ≤ i ≤ k. s[i-1] ≠ 0`.
    struct Example {
        pool: Pool,
        bytes: Vec<Term>,
        n: Term,
        k: Term,
        clauses: Vec<Term>,
    }

    fn example() -> Example {
        let mut pool = Pool::new();
        let bytes: Vec<Term> = (0..12).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        let (n, k) = (pool.var(8, "n"), pool.var(8, "k"));
        let s = pool.inputs(&bytes);
        let i = pool.index_var(8, 10);
        let [zero, one, eight, ten] = [0, 1, 8, 10].map(|c| pool.constant(8, c));
        let back = pool.constant(32, u128::from(u32::MAX));
        let read = |pool: &mut Pool, at: Term, offset: Option<Term>| {
            let wide = pool.zext(at, 32);
            let at = offset.map_or(wide, |o| pool.add(wide, o));
            pool.select(s, at)
        };
        let (at_n, at_k, at_i) =
            (read(&mut pool, n, None), read(&mut pool, k, Some(back)), read(&mut pool, i, Some(back)));
        let (end, above, below) = (pool.eq(at_n, zero), pool.ule(one, k), pool.ule(k, ten));
        let (last, body) = (pool.eq(at_k, eight), pool.ne(at_i, zero));
        let all = pool.forall(i, k, body);
        Example { pool, bytes, n, k, clauses: vec![end, above, below, last, all] }
    }

    fn assignment(e: &Example, n: u128, k: u128, s: &[u128]) -> Assignment {
        let var = |t: Term| match e.pool.node(t) {
            Node::Var(v) => v,
            _ => unreachable!("a variable"),
        };
        let bytes = e.bytes.iter().zip(s).map(|(t, b)| (var(*t), *b));
        bytes.chain([(var(e.n), n), (var(e.k), k)]).collect()
    }

    fn bytes(e: &Example, a: &Assignment, len: usize) -> Vec<u128> {
        e.bytes[..len].iter().map(|t| e.pool.eval(*t, a)).collect()
    }

    #[test]
    fn example_5_strips_to_the_first_index_and_the_denied_one() {
        let mut e = example();
        let query = Query::new(&mut e.pool, &e.clauses, &mut Definitions::default());
        let model = assignment(&e, 7, 7, &[1, 0, 0, 0, 0, 0, 8, 0]);
        assert!(query.conditions().iter().all(|&c| e.pool.eval(c, &model) == 1), "the paper's model");
        assert!(!query.holds(&e.pool, &model));
        // `s[0] = 0` with k > 0 is excluded by index 1, `n < k` by the clause that denies index n + 1.
        let first = assignment(&e, 7, 7, &[0, 0, 0, 0, 0, 0, 8, 0]);
        let denied = assignment(&e, 3, 7, &[1, 1, 1, 0, 1, 1, 8, 0]);
        for a in [first, denied] {
            assert!(query.conditions().iter().any(|&c| e.pool.eval(c, &a) == 0));
        }
    }

    #[test]
    fn example_6_duplicates_the_first_byte() {
        let mut e = example();
        let query = Query::new(&mut e.pool, &e.clauses, &mut Definitions::default());
        let model = assignment(&e, 7, 7, &[1, 0, 0, 0, 0, 0, 8, 0]);
        let guess = query.duplicate(&e.pool, &model, &FxHashSet::default());
        assert_eq!(bytes(&e, &guess, 8), [1, 1, 1, 1, 1, 1, 1, 0]);
        assert!(!query.holds(&e.pool, &guess), "it violates s[k-1] = 8");
    }

    #[test]
    fn example_7_repairs_what_duplication_broke() {
        let mut e = example();
        let mut query = Query::new(&mut e.pool, &e.clauses, &mut Definitions::default());
        let model = assignment(&e, 7, 7, &[1, 0, 0, 0, 0, 0, 8, 0]);
        let guess = query.duplicate(&e.pool, &model, &FxHashSet::default());
        let before = query.conditions().len();
        let conflicts = query.conflicts(&mut e.pool, &guess);
        let cell: Vec<Var> = e.pool.support_vars(e.pool.support(e.bytes[6])).to_vec();
        assert_eq!(conflicts.iter().copied().collect::<Vec<_>>(), cell, "the conflict is about s[6]");
        assert_eq!(query.conditions().len(), before + 1, "s[6] ≠ 0 is added");
        // The paper's model of the strengthened query.
        assert!(query.conditions().iter().all(|&c| e.pool.eval(c, &model) == 1));
        let repaired = query.duplicate(&e.pool, &model, &conflicts);
        assert_eq!(bytes(&e, &repaired, 8), [1, 1, 1, 1, 1, 1, 8, 0]);
        assert!(query.holds(&e.pool, &repaired));
    }

    #[test]
    fn the_procedure_solves_the_example_and_refutes_its_contradiction() {
        let mut e = example();
        let mut solver = Solver::new(Options::default());
        assert!(solver.decide_directly(&mut e.pool, &e.clauses).is_sat());
        // n < k makes s[n] one of the bytes that are not 0.
        let inside = e.pool.ult(e.n, e.k);
        e.clauses.push(inside);
        assert!(solver.decide_directly(&mut e.pool, &e.clauses).is_unsat());
        assert_eq!((solver.statistics().quantified_queries, solver.statistics().fallbacks), (2, 0));
    }
}
