//! `outcomes.json`: how many inputs end in which way, by enumeration.
//!
//! For every path that ended, the inputs that take it are enumerated and the exit code and output
//! computed for each. Exact, and only for programs with very few input bytes: the oracle that
//! compares with native execution reads it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rejoin_exec::{Machine, Outcome, State};
use rejoin_expr::{Assignment, ByteSet, Node, Pool, Solutions, Term, Var};
use rejoin_memory::Value;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// How an input ends: kind, line, exit code, standard output.
type Class = (String, u32, u8, Vec<u8>);

/// Counts of inputs by class.
#[derive(Default)]
pub(crate) struct Outcomes {
    classes: BTreeMap<Class, u128>,
}

#[derive(Serialize)]
struct Row<'a> {
    kind: &'a str,
    line: u32,
    exit: u8,
    stdout: String,
    inputs: u128,
}

impl Outcomes {
    /// Counts the inputs of a path. `false`: the run had to end before.
    pub(crate) fn count(&mut self, m: &mut Machine, s: &State, why: &Outcome) -> bool {
        let (kind, line, code) = match why {
            Outcome::Exit(code) => ("exit".to_owned(), 0, *code),
            Outcome::Error(e) => {
                let line = crate::record::place(m, crate::record::error_loc(m, e)).1;
                (e.kind.name().to_owned(), line, Value::Bits(0))
            }
            Outcome::Gap(g) => (g.kind.name().to_owned(), 0, Value::Bits(0)),
            Outcome::Silent => return true,
        };
        let stdout = s.world.os.stdout();
        let mut terms = stdout.terms();
        terms.extend(code.term());
        let Some(counts) = count(m, s, &terms) else { return false };
        // A value of k that is taken by itself may have no inputs.
        for (values, inputs) in counts.into_iter().filter(|c| c.1 > 0) {
            let value = |t: Term| terms.iter().position(|&u| u == t).map_or(0, |i| values[i]);
            let number = |v: Value| match v {
                Value::Bits(b) => b,
                Value::Term(t) => value(t),
            };
            let out = stdout.bytes(&mut |t| value(t));
            let out = out.iter().map(|b| number(b) as u8).collect();
            *self.classes.entry((kind.clone(), line, number(code) as u8, out)).or_insert(0) += inputs;
        }
        true
    }

    /// The file's content.
    pub(crate) fn json(&self) -> String {
        let rows: Vec<Row> = self
            .classes
            .iter()
            .map(|((kind, line, exit, stdout), inputs)| Row {
                kind,
                line: *line,
                exit: *exit,
                stdout: BASE64_STANDARD.encode(stdout),
                inputs: *inputs,
            })
            .collect();
        serde_json::to_string(&rows).unwrap_or_default()
    }
}

/// The values that some terms have together, with the number of inputs that give them.
type Counts = FxHashMap<Vec<u128>, u128>;

/// The values that the terms have together on a path; `None` if the run is over before that is known.
fn count(m: &mut Machine, s: &State, terms: &[Term]) -> Option<Counts> {
    let inputs: BTreeSet<Var> = s.world.inputs.iter().flat_map(|input| input.bytes.iter().copied()).collect();
    let mut counts = Counts::default();
    let mut cases = vec![(s.path.conditions(), terms.to_vec())];
    while let Some((conditions, terms)) = cases.pop() {
        match bound_of_many(&m.pool, &conditions, &inputs) {
            Some(k) => cases.extend(by_value(&mut m.pool, k, s, &conditions, &terms)),
            None => count_case(m, s, conditions, &terms, &inputs, &mut counts)?,
        }
    }
    Some(counts)
}

/// The variable that bounds a quantifier over others that are no inputs either: for one of its values, what is
/// said of each of them can be seen.
fn bound_of_many(pool: &Pool, conditions: &[Term], inputs: &BTreeSet<Var>) -> Option<Var> {
    let is_other = |v: &&Var| !inputs.contains(v);
    let support = |t: Term| pool.support_vars(pool.support(t)).iter();
    let many =
        conditions.iter().filter(|c| pool.is_quantified(**c) && support(**c).filter(is_other).count() > 1);
    let many: Vec<Term> = many.copied().collect();
    pool.postorder(&many).into_iter().find_map(|t| match pool.node(t) {
        Node::Forall(_, k, _) => match pool.support_vars(pool.support(k)) {
            [k] => Some(*k),
            _ => None,
        },
        _ => None,
    })
}

/// Conditions and terms for each value that a variable may have.
fn by_value(
    pool: &mut Pool,
    k: Var,
    s: &State,
    conditions: &[Term],
    terms: &[Term],
) -> Vec<(Vec<Term>, Vec<Term>)> {
    let mut cases = Vec::new();
    for value in s.path.allowed(k).iter() {
        let value = pool.constant(8, value.into());
        let term = pool.var_term(k);
        // It may be in an array, where nothing is put for it.
        let here = pool.eq(term, value);
        let mut put = |t: &Term| pool.substitute(*t, &mut |v| (v == k).then_some(value));
        let (conditions, terms): (Vec<Term>, Vec<Term>) =
            (conditions.iter().map(&mut put).collect(), terms.iter().map(&mut put).collect());
        let mut conditions: Vec<Term> =
            conditions.into_iter().flat_map(|c| rejoin_solver::conjuncts(pool, c)).collect();
        conditions.push(here);
        if conditions.iter().all(|c| pool.as_const(*c) != Some(0)) {
            cases.push((conditions, terms));
        }
    }
    cases
}

/// Adds the counts of the inputs that satisfy some conditions.
fn count_case(
    m: &mut Machine,
    s: &State,
    mut conditions: Vec<Term>,
    terms: &[Term],
    inputs: &BTreeSet<Var>,
    counts: &mut Counts,
) -> Option<()> {
    let mut said: FxHashMap<Var, ByteSet> = FxHashMap::default();
    let support = |pool: &Pool, t: &Term| pool.support_vars(pool.support(*t)).to_vec();
    for c in &conditions {
        if let ([v], Some(set)) = (&support(&m.pool, c)[..], m.pool.byte_set(*c)) {
            let known = said.entry(*v).or_insert_with(|| s.path.allowed(*v));
            *known = known.intersect(set);
        }
    }
    let support = |t: &Term| support(&m.pool, t);
    let allowed = |v: Var| said.get(&v).copied().unwrap_or_else(|| s.path.allowed(v));
    let several = conditions.iter().filter(|c| support(c).len() > 1);
    let together: BTreeSet<Var> = several.chain(terms).flat_map(support).collect();
    // What is said of one byte alone is known: nothing has to be enumerated.
    conditions.retain(|c| match support(c)[..] {
        [v] => together.contains(&v) || !inputs.contains(&v) || !said.contains_key(&v),
        _ => true,
    });
    let vars: BTreeSet<Var> = conditions.iter().chain(terms).flat_map(support).collect();
    let alone = inputs.difference(&vars);
    let each = alone.fold(1, |n: u128, v| n.saturating_mul(allowed(*v).len().into()));
    if vars.is_empty() {
        let values = terms.iter().map(|&t| m.pool.eval(t, &Assignment::new())).collect();
        *counts.entry(values).or_insert(0) += each;
        return Some(());
    }
    let bytes = vars.into_iter().map(|v| (v, allowed(v))).collect();
    let mut key = Vec::new();
    let is_over = || m.solver.is_over();
    let mut solutions = Solutions::new(&m.pool, bytes, &conditions, terms).until(&is_over);
    let flow = solutions.visit(&mut |solution| {
        let mut note = |last: u8, inputs: u128| {
            key.clear();
            key.extend(terms.iter().map(|&t| solution.value(t, last)));
            match counts.get_mut(&key) {
                Some(count) => *count += inputs,
                None => drop(counts.insert(key.clone(), inputs)),
            }
        };
        if terms.iter().any(|&t| solution.varies(t)) {
            solution.last.iter().for_each(|last| note(last, each));
        } else {
            note(0, each * u128::from(solution.last.len()));
        }
        ControlFlow::Continue(())
    });
    flow.is_continue().then_some(())
}
