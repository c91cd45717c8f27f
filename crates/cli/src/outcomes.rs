//! `outcomes.json`: how many inputs end in which way, by enumeration.
//!
//! For every path that ended, the inputs that take it are enumerated and the exit code and output
//! computed for each. Exact, and only for programs with very few input bytes: the oracle that
//! compares with native execution reads it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rejoin_exec::{Machine, Outcome, State};
use rejoin_expr::{Assignment, Solutions, Term, Var};
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
        for (values, inputs) in counts {
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

/// The values that the terms have together on a path, with the number of inputs that give them; `None` if
/// the run is over before that is known.
fn count(m: &Machine, s: &State, terms: &[Term]) -> Option<FxHashMap<Vec<u128>, u128>> {
    let support = |t: &Term| m.pool.support_vars(m.pool.support(*t)).to_vec();
    let inputs: BTreeSet<Var> = s.world.inputs.iter().flat_map(|input| input.bytes.iter().copied()).collect();
    let mut conditions = s.path.conditions();
    let several = conditions.iter().filter(|c| support(c).len() > 1);
    let together: BTreeSet<Var> = several.chain(terms).flat_map(support).collect();
    // What is said of one byte alone, the path knows: nothing has to be enumerated.
    conditions.retain(|c| match support(c)[..] {
        [v] => together.contains(&v) || !inputs.contains(&v),
        _ => true,
    });
    let vars: BTreeSet<Var> = conditions.iter().chain(terms).flat_map(support).collect();
    let alone = inputs.difference(&vars);
    let each = alone.fold(1, |n: u128, v| n.saturating_mul(s.path.allowed(*v).len().into()));
    let mut counts: FxHashMap<Vec<u128>, u128> = FxHashMap::default();
    if vars.is_empty() {
        let values = terms.iter().map(|&t| m.pool.eval(t, &Assignment::new())).collect();
        return Some(FxHashMap::from_iter([(values, each)]));
    }
    let bytes = vars.into_iter().map(|v| (v, s.path.allowed(v))).collect();
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
    flow.is_continue().then_some(counts)
}
