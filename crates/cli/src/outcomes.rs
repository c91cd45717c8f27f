//! `outcomes.json`: how many inputs end in which way, by enumeration.
//!
//! For every path that ended, the inputs that take it are enumerated and the exit code and output
//! computed for each. Exact, and only for programs with very few input bytes: the oracle that
//! compares with native execution reads it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rejoin_exec::{Machine, Outcome, State};
use rejoin_expr::{Assignment, Term, Var};
use rejoin_memory::Value;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Counts the inputs of a path.
    pub(crate) fn count(&mut self, m: &mut Machine, s: &State, why: &Outcome) {
        let (kind, line, code) = match why {
            Outcome::Exit(code) => ("exit".to_owned(), 0, *code),
            Outcome::Error(e) => {
                let line = crate::record::place(m, crate::record::error_loc(m, e)).1;
                (crate::record::kind(e.kind).name().to_owned(), line, Value::Bits(0))
            }
            Outcome::Gap(g) => (g.kind.name().to_owned(), 0, Value::Bits(0)),
            Outcome::Silent => return,
        };
        let stdout = s.world.os.stdout();
        let mut terms = stdout.terms();
        terms.extend(code.term());
        let inputs: Vec<Var> = s.world.inputs.iter().flat_map(|i| i.bytes.iter().copied()).collect();
        let mut search = Enumeration::new(m, s, &terms);
        let free = inputs.iter().filter(|v| !search.vars.contains(v)).count() as u32;
        let each = 256u128.saturating_pow(free);
        let classes = &mut self.classes;
        search.run(0, &mut |m, a| {
            let value = |v: Value| match v {
                Value::Bits(b) => b,
                Value::Term(t) => m.pool.eval(t, a),
            };
            let out = stdout.bytes(&mut |g| m.pool.eval(g, a) != 0);
            let out = out.iter().map(|b| value(b) as u8).collect();
            *classes.entry((kind.clone(), line, value(code) as u8, out)).or_insert(0) += each;
        });
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

/// All assignments to the variables that matter which satisfy a path.
struct Enumeration<'a> {
    m: &'a Machine,
    vars: Vec<Var>,
    /// Per variable, the conditions that mention it and no later one.
    conditions: Vec<Vec<Term>>,
    allowed: Vec<Vec<u8>>,
    assignment: Assignment,
}

impl<'a> Enumeration<'a> {
    fn new(m: &'a Machine, s: &State, terms: &[Term]) -> Self {
        let conditions = s.path.conditions();
        let support = |t: &Term| m.pool.support_vars(m.pool.support(*t)).to_vec();
        let vars: BTreeSet<Var> = conditions.iter().chain(terms).flat_map(support).collect();
        let vars: Vec<Var> = vars.into_iter().collect();
        let mut by_last = vec![Vec::new(); vars.len()];
        for c in conditions {
            if let Some(last) = support(&c).last()
                && let Ok(i) = vars.binary_search(last)
            {
                by_last[i].push(c);
            }
        }
        let allowed = vars.iter().map(|v| s.path.allowed(*v).iter().collect()).collect();
        Enumeration { m, vars, conditions: by_last, allowed, assignment: Assignment::new() }
    }

    fn run(&mut self, i: usize, each: &mut dyn FnMut(&Machine, &Assignment)) {
        if i == self.vars.len() {
            each(self.m, &self.assignment);
            return;
        }
        for byte in self.allowed[i].clone() {
            self.assignment.set(self.vars[i], u128::from(byte));
            let m = self.m;
            let holds = self.conditions[i].iter().all(|c| m.pool.eval(*c, &self.assignment) != 0);
            if holds {
                self.run(i + 1, each);
            }
        }
    }
}
