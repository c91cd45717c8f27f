//! Every rewrite rule of the term pool, proved by both solvers at small widths.
//!
//! The left side is built without rewriting, the right side is what the rewriting pool makes of it,
//! and both are compared in the pool without rewriting, so no rule can justify itself.

use std::collections::BTreeSet;

use rejoin_expr::rules::{self, Rule};
use rejoin_expr::{Pool, Term};
use rejoin_solver::{Answer, Backend, Options, Solver};

const WIDEST: u32 = 5;

/// The two sides of a rule's example, in a pool without rewriting, and the rules that were at work.
fn sides(rule: &Rule, width: u32, constants: [u128; 2]) -> (Pool, Term, Term, Vec<&'static str>) {
    let mut raw = Pool::with_rewriting(false);
    let left = (rule.example)(&mut raw, width, constants);
    let mut rewriting = Pool::new();
    rewriting.trace_rules();
    let rewritten = rules::rebuild(&raw, left, &mut rewriting);
    let fired = rewriting.fired_rules().to_vec();
    let right = rules::rebuild(&rewriting, rewritten, &mut raw);
    (raw, left, right, fired)
}

/// A condition that is possible if the sides differ somewhere.
fn difference(pool: &mut Pool, left: Term, right: Term) -> Term {
    if pool.width(left) > 0 {
        return pool.ne(left, right);
    }
    let index = pool.var(32, "index");
    let (a, b) = (pool.select(left, index), pool.select(right, index));
    pool.ne(a, b)
}

#[test]
fn every_rule_is_proved_by_both_solvers() {
    let mut solvers =
        [Backend::Bitwuzla, Backend::Z3].map(|backend| (backend, Options { backend, ..Options::default() }));
    let (mut proofs, mut unfired) = (0, Vec::new());
    for rule in rules::all() {
        let mut fired = false;
        let mut seen = BTreeSet::new();
        for &width in rule.widths.iter().filter(|&&w| w <= WIDEST) {
            let top = (1u128 << width) - 1;
            // Edges, and masks with holes.
            let edges = [0, 1, 2, 3, top >> 1, (top >> 1) + 1, top - 1, top, 0b101, 0b1011, 0b10110];
            let picks: BTreeSet<u128> = edges.into_iter().map(|c| c & top).collect();
            for constants in picks.iter().flat_map(|&c| picks.iter().map(move |&d| [c, d])) {
                let (mut pool, left, right, names) = sides(&rule, width, constants);
                fired |= names.contains(&rule.name);
                if left == right || !names.contains(&rule.name) || !seen.insert((width, left, right)) {
                    continue;
                }
                let cond = difference(&mut pool, left, right);
                for (backend, options) in &mut solvers {
                    let answer = Solver::new(options.clone()).decide_directly(&mut pool, &[cond]);
                    let text = format!("{} at width {width} with {constants:?}: {backend:?}", rule.name);
                    assert!(matches!(answer, Answer::Unsat), "{text} says {answer:?}");
                    proofs += 1;
                }
            }
        }
        if !fired {
            unfired.push(rule.name);
        }
    }
    assert!(unfired.is_empty(), "no small example of {unfired:?}");
    assert!(proofs > 100, "only {proofs} proofs");
}
