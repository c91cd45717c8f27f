//! Examples 5 to 7 of the paper's section 5.

use super::{Definitions, Query};
use crate::{Options, Solver};
use rejoin_expr::{Assignment, Node, Pool, Term, Var};
use rustc_hash::FxHashSet;

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
