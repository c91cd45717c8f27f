//! Each link decides what it is there for, and no later one is asked.

use rejoin_expr::{Binary, ByteSet, Pool, Term, Var};
use rejoin_solver::{Answer, Backend, Link, Options, Path, Solver};

struct Bench {
    pool: Pool,
    solver: Solver,
    path: Path,
    v: Vec<Term>,
}

impl Bench {
    fn new() -> Self {
        let mut pool = Pool::new();
        let v = (0..8).map(|i| pool.var(8, &format!("v{i}"))).collect();
        Bench { pool, solver: Solver::new(Options::default()), path: Path::new(), v }
    }

    fn byte(&mut self, value: u8) -> Term {
        self.pool.constant(8, value.into())
    }

    fn below(&mut self, i: usize, limit: u8) -> Term {
        let limit = self.byte(limit);
        self.pool.ult(self.v[i], limit)
    }

    fn is(&mut self, i: usize, value: u8) -> Term {
        self.is_value(self.v[i], value)
    }

    fn is_value(&mut self, t: Term, value: u8) -> Term {
        let value = self.byte(value);
        self.pool.eq(t, value)
    }

    fn assume(&mut self, cond: Term) {
        let Answer::Sat(model) = self.solver.check(&mut self.pool, &self.path, cond) else {
            panic!("the path became impossible")
        };
        self.path.assume_with(&mut self.pool, cond, &model);
    }

    /// Asks, and says by which link the answer came.
    fn ask(&mut self, cond: Term) -> (Answer, Link) {
        let before = self.solver.statistics();
        let answer = self.solver.check(&mut self.pool, &self.path, cond);
        let after = self.solver.statistics();
        if let Answer::Sat(model) = &answer {
            for c in self.path.conditions().into_iter().chain([cond]) {
                assert_eq!(model.eval(&self.pool, c), 1, "the model does not satisfy {c:?}");
            }
        }
        let decided: Vec<Link> =
            Link::ALL.into_iter().filter(|&l| after.decided_by(l) > before.decided_by(l)).collect();
        assert_eq!(decided.len(), 1, "one question, one answer");
        (answer, decided[0])
    }
}

#[test]
fn constants_and_contradictions() {
    let mut b = Bench::new();
    let (yes, no) = (b.pool.tru(), b.pool.fals());
    assert!(matches!(b.ask(yes), (Answer::Sat(_), Link::Constant)));
    assert!(matches!(b.ask(no), (Answer::Unsat, Link::Constant)));
    let (low, high) = (b.below(0, 5), b.is(0, 9));
    b.path.assume(&mut b.pool, low);
    b.path.assume(&mut b.pool, high);
    assert!(b.path.is_contradiction() && b.path.witness().is_none());
    assert!(matches!(b.ask(yes), (Answer::Unsat, Link::Constant)));
}

#[test]
fn the_witness_answers_without_evaluation_of_others() {
    let mut b = Bench::new();
    let cond = b.below(3, 100);
    assert!(matches!(b.ask(cond), (Answer::Sat(_), Link::Witness)));
    let joint = b.pool.ule(b.v[0], b.v[1]);
    assert!(matches!(b.ask(joint), (Answer::Sat(_), Link::Witness)));
}

#[test]
fn byte_sets_are_exact_for_free_bytes() {
    let mut b = Bench::new();
    let low = b.below(0, 10);
    b.assume(low);
    let (nine, ten) = (b.is(0, 9), b.is(0, 10));
    let (answer, link) = b.ask(nine);
    assert_eq!(link, Link::ByteSets);
    assert_eq!(answer.model().map(|m| m.changes().to_vec()), Some(vec![(Var(0), 9)]));
    assert!(matches!(b.ask(ten), (Answer::Unsat, Link::ByteSets)));
    // Conjunctions and disjunctions of conditions on different bytes.
    let other = b.is(5, 77);
    let (both, neither) = (b.pool.and(nine, other), b.pool.and(ten, other));
    assert!(matches!(b.ask(both), (Answer::Sat(_), Link::ByteSets)));
    assert!(matches!(b.ask(neither), (Answer::Unsat, Link::ByteSets)));
    let either = b.pool.or(ten, other);
    assert!(matches!(b.ask(either), (Answer::Sat(_), Link::ByteSets)));
    assert_eq!(b.solver.statistics().backend_calls, 0);
}

#[test]
fn an_entangled_byte_is_guessed_or_refuted() {
    let mut b = Bench::new();
    let ordered = b.pool.ult(b.v[0], b.v[1]);
    b.assume(ordered);
    let (low, seen) = (b.below(1, 50), b.solver.statistics().backend_calls);
    b.assume(low);
    let nine = b.is(1, 9);
    assert!(matches!(b.ask(nine), (Answer::Sat(_), Link::Witness | Link::ByteSets)));
    let fifty = b.is(1, 50);
    assert!(matches!(b.ask(fifty), (Answer::Unsat, Link::ByteSets)));
    assert_eq!(b.solver.statistics().backend_calls, seen);
    // No value of byte 1 is below 0: only the joint condition knows that.
    let zero = b.is(1, 0);
    let (answer, link) = b.ask(zero);
    assert!(answer.is_unsat() && link >= Link::Negation, "{link:?}");
}

#[test]
fn fixed_bytes_are_put_in() {
    let mut b = Bench::new();
    let seven = b.is(0, 7);
    b.assume(seven);
    let sum = b.pool.add(b.v[0], b.v[1]);
    let nine = b.byte(9);
    let cond = b.pool.eq(sum, nine);
    let (answer, link) = b.ask(cond);
    assert_eq!(link, Link::Simplify);
    assert_eq!(answer.model().map(|m| m.get(Var(1))), Some(2));
    // The path knows it as a condition on byte 1 alone.
    b.path.assume(&mut b.pool, cond);
    assert_eq!(b.path.allowed(Var(1)), ByteSet::from_iter([2]));
    assert_eq!(b.path.witness().map(|m| m.get(Var(1))), Some(2));
}

#[test]
fn what_was_learnt_is_used_again() {
    let mut b = Bench::new();
    // A byte times a byte, made of more bytes than are enumerated.
    let mixed = b.v[1..5].iter().copied().reduce(|x, y| b.pool.binary(Binary::Xor, x, y));
    let (x, y) = (b.pool.zext(b.v[0], 16), b.pool.zext(mixed.expect("there are bytes"), 16));
    let p = b.pool.mul(x, y);
    let (odd, prime) = (b.pool.constant(16, 143), b.pool.constant(16, 251 * 2 + 1));
    let (possible, impossible) = (b.pool.eq(p, odd), b.pool.eq(p, prime));
    assert!(matches!(b.ask(possible), (Answer::Sat(_), Link::Backend)));
    assert!(matches!(b.ask(possible), (Answer::Sat(_), Link::RecentModel)));
    // 503 is prime and no byte: impossible, also when more is asked.
    assert!(matches!(b.ask(impossible), (Answer::Unsat, Link::Backend)));
    let small = b.below(0, 200);
    b.assume(small);
    assert!(matches!(b.ask(impossible), (Answer::Unsat, Link::UnsatSubset)));
    let ordered = b.pool.ult(b.v[0], b.v[1]);
    b.assume(ordered);
    assert!(matches!(b.ask(impossible), (Answer::Unsat, Link::UnsatSubset)));
    let again = b.pool.not(ordered);
    assert!(b.ask(again).0.is_unsat());
}

#[test]
fn questions_about_two_bytes_are_enumerated() {
    let mut b = Bench::new();
    let (x, y) = (b.pool.zext(b.v[0], 16), b.pool.zext(b.v[1], 16));
    let product = b.pool.mul(x, y);
    let ordered = b.pool.ult(b.v[0], b.v[1]);
    b.assume(ordered);
    // 11 * 13 in this order only; 503 is prime and no byte.
    let (odd, prime) = (b.pool.constant(16, 143), b.pool.constant(16, 503));
    let (possible, impossible) = (b.pool.eq(product, odd), b.pool.eq(product, prime));
    let above = b.below(0, 2);
    let above = b.pool.not(above);
    b.assume(above);
    let (answer, link) = b.ask(possible);
    assert_eq!(answer.model().map(|m| (m.get(Var(0)), m.get(Var(1)))), Some((11, 13)));
    assert_eq!(link, Link::Enumeration);
    assert!(matches!(b.ask(impossible), (Answer::Unsat, Link::Enumeration)));
    assert!(matches!(b.ask(impossible), (Answer::Unsat, Link::UnsatSubset)));
    assert_eq!(b.solver.statistics().backend_calls, 0);
}

#[test]
fn unrelated_conditions_stay_out_of_the_query() {
    let mut b = Bench::new();
    for i in 4..7 {
        let ordered = b.pool.ult(b.v[i], b.v[i + 1]);
        b.assume(ordered);
    }
    let (x, y) = (b.pool.zext(b.v[0], 16), b.pool.zext(b.v[1], 16));
    let product = b.pool.mul(x, y);
    let k = b.pool.constant(16, 221);
    let cond = b.pool.eq(product, k);
    let (answer, link) = b.ask(cond);
    assert_eq!(link, Link::Enumeration);
    let changed: Vec<Var> =
        answer.model().map(|m| m.changes().iter().map(|c| c.0).collect()).unwrap_or_default();
    assert_eq!(changed, [Var(0), Var(1)]);
}

#[test]
fn a_path_without_a_witness_is_still_decided() {
    for backend in [Backend::Bitwuzla, Backend::Z3] {
        let mut b = Bench::new();
        b.solver = Solver::new(Options { backend, ..Options::default() });
        // The witness, all zero, satisfies neither; the path is told no model.
        for i in [0, 2] {
            let ordered = b.pool.ult(b.v[i], b.v[i + 1]);
            b.path.assume(&mut b.pool, ordered);
        }
        assert!(b.path.witness().is_none());
        let cond = b.is(1, 0);
        assert!(b.ask(cond).0.is_unsat());
        let cond = b.is(1, 1);
        assert!(b.ask(cond).0.is_sat());
        let yes = b.pool.tru();
        assert!(b.ask(yes).0.is_sat());
    }
}

#[test]
fn both_sides_of_a_branch_cost_one_question() {
    let mut b = Bench::new();
    let cond = b.below(0, 10);
    let fork = b.solver.branch(&mut b.pool, &b.path, cond);
    assert!(fork.then.is_sat() && fork.els.is_sat());
    let s = b.solver.statistics();
    assert_eq!((s.queries, s.decided_by(Link::Witness), s.decided_by(Link::ByteSets)), (2, 1, 1));
}

#[test]
fn values_and_ranges_are_complete() {
    let mut b = Bench::new();
    let low = b.below(0, 4);
    let ordered = b.pool.ult(b.v[0], b.v[1]);
    b.assume(low);
    b.assume(ordered);
    let x = b.v[0];
    let values = b.solver.values(&mut b.pool, &b.path, x, 10);
    let mut found: Vec<u128> = values.found.iter().map(|f| f.0).collect();
    found.sort_unstable();
    assert_eq!((found, values.complete), (vec![0, 1, 2, 3], Ok(())));
    assert_eq!(b.solver.values(&mut b.pool, &b.path, x, 2).complete, Err(None));
    let y = b.v[1];
    assert_eq!(b.solver.range(&mut b.pool, &b.path, y), Some((1, 255)));
    assert_eq!(b.solver.unique_value(&mut b.pool, &b.path, y), None);
    let two = b.is(1, 1);
    b.assume(two);
    assert_eq!(b.solver.unique_value(&mut b.pool, &b.path, x), Some(0));
}

#[test]
fn wide_terms_and_tables_reach_both_solvers() {
    for backend in [Backend::Bitwuzla, Backend::Z3] {
        let mut b = Bench::new();
        b.solver = Solver::new(Options { backend, validate: true, ..Options::default() });
        // 8 bytes repeated to 256 bits, and a product.
        let word = (1..8).fold(b.v[0], |w, i| b.pool.concat(w, b.v[i]));
        let double = b.pool.concat(word, word);
        let wide = b.pool.concat(double, double);
        let low = b.pool.zext(word, 256);
        let three = b.pool.constant(256, 3);
        let product = b.pool.mul(low, three);
        let sum = b.pool.add(wide, product);
        let middle = b.pool.extract(sum, 120, 16);
        let k = b.pool.constant(16, 0xbeef);
        let cond = b.pool.eq(middle, k);
        assert!(b.ask(cond).0.is_sat(), "{backend:?}");
        // A table of squares, longer than a byte can index, and a store over it.
        let squares: Vec<u8> = (0..300u32).map(|i| (i * i) as u8).collect();
        let table = b.pool.const_array(&squares);
        let (i, j) = (b.pool.zext(b.v[0], 32), b.pool.zext(b.v[1], 32));
        let three = b.byte(3);
        let stored = b.pool.store(table, j, three);
        let read = b.pool.select(stored, i);
        let cond = b.pool.eq(read, three);
        let (answer, _) = b.ask(cond);
        // 3 is no square modulo 256, so it must be the stored one.
        assert!(answer.model().is_some_and(|m| m.get(Var(0)) == m.get(Var(1))), "{backend:?}");
        let differ = b.pool.ne(i, j);
        let cond = b.pool.and(cond, differ);
        assert!(b.ask(cond).0.is_unsat(), "{backend:?}");
    }
}

#[test]
fn long_chains_of_stores_are_left_to_the_theory_of_arrays() {
    for backend in [Backend::Bitwuzla, Backend::Z3] {
        let mut b = Bench::new();
        b.solver = Solver::new(Options { backend, ..Options::default() });
        let mut array = b.pool.const_array(b"abc");
        let base = b.pool.zext(b.v[0], 32);
        for k in 0..80u32 {
            let offset = b.pool.constant(32, (k + 3).into());
            let place = b.pool.add(base, offset);
            let value = b.byte(k as u8);
            array = b.pool.store(array, place, value);
        }
        let at = b.pool.zext(b.v[1], 32);
        let read = b.pool.select(array, at);
        let seventy = b.is_value(read, 70);
        let (answer, _) = b.ask(seventy);
        let difference = answer.model().map(|m| m.get(Var(1)) as i64 - m.get(Var(0)) as i64);
        assert_eq!(difference, Some(73), "{backend:?}");
    }
}

#[test]
fn equal_questions_get_equal_answers() {
    let run = || {
        let mut b = Bench::new();
        let mut models = Vec::new();
        for i in 0..7 {
            let (x, y) = (b.pool.zext(b.v[i], 16), b.pool.zext(b.v[i + 1], 16));
            let product = b.pool.mul(x, y);
            let k = b.pool.constant(16, 1000 + 77 * i as u128);
            let cond = b.pool.ult(k, product);
            b.assume(cond);
            models.push(b.path.witness().map(|m| m.assignment(&b.pool)));
        }
        (models, b.solver.statistics().decided)
    };
    assert_eq!(run(), run());
}

/// A byte at k + 2 where k bytes are equal: about one byte at the witness's k, not about all. What is
/// impossible because of k's own bounds needs no array.
#[test]
fn positions_are_left_where_they_are() {
    let mut b = Bench::new();
    // They would know all of so small an array.
    b.solver = Solver::new(Options { no_diagrams: true, ..Options::default() });
    let (array, k, i) = (b.pool.inputs(&b.v.clone()), b.pool.var(8, "k"), b.pool.index_var(8, 6));
    let at = |b: &mut Bench, place: Term, offset: i32| {
        let (wide, offset) = (b.pool.zext(place, 32), b.pool.constant(32, offset as u128));
        let at = b.pool.add(wide, offset);
        b.pool.select(array, at)
    };
    let (most, three, seven) = (b.byte(5), b.byte(3), b.byte(7));
    let (bounded, before) = (b.pool.ule(k, most), at(&mut b, i, -1));
    let is_seven = b.pool.eq(before, seven);
    let all = b.pool.forall(i, k, is_seven);
    // Another byte, so that bounds are no matter of one byte alone.
    let other = b.pool.var(8, "n");
    let (below, small) = (b.pool.ule(k, other), b.pool.ule(other, three));
    for cond in [bounded, all, below, small] {
        b.assume(cond);
    }
    let beyond = at(&mut b, k, 2);
    let nine = b.byte(9);
    let differs = b.pool.eq(beyond, nine);
    let calls = b.solver.statistics().quantified_queries;
    let (answer, link) = b.ask(differs);
    assert!(answer.is_sat() && link == Link::Placed, "{link:?}");
    b.assume(differs);
    let four = b.byte(4);
    let cond = b.pool.ule(four, k);
    let (answer, _) = b.ask(cond);
    assert!(answer.is_unsat());
    assert_eq!(b.solver.statistics().quantified_queries, calls, "the quantifier was not needed");
}

#[test]
fn order_is_transitive() {
    let mut b = Bench::new();
    let v = b.v.clone();
    for i in 0..5 {
        let next = b.pool.ule(v[i], v[i + 1]);
        b.assume(next);
    }
    let (three, strictly) = (b.below(5, 3), b.pool.ult(v[1], v[4]));
    b.assume(three);
    b.assume(strictly);
    let back = b.pool.ule(v[5], v[0]);
    let (answer, link) = b.ask(back);
    assert!(answer.is_unsat() && link == Link::Order, "{link:?}");
    // 0 and the four above it fit below 5, and not below 3.
    let all: Vec<Term> = (0..4).map(|i| b.pool.ult(v[i], v[i + 1])).collect();
    let all = b.pool.and_all(&all);
    let (answer, link) = b.ask(all);
    assert!(answer.is_unsat() && link == Link::Order, "{link:?}");
}

#[test]
fn a_word_between_bounds_needs_no_solver() {
    let mut b = Bench::new();
    let v = b.v.clone();
    let word = v[1..].iter().fold(v[0], |high, &low| b.pool.concat(high, low));
    let at = |b: &mut Bench, n: u128| b.pool.constant(64, n);
    let (low, high) = (at(&mut b, 0x1234 << 48), at(&mut b, 0x1300 << 48));
    let bounds = [b.pool.ule(low, word), b.pool.ule(word, high)];
    bounds.into_iter().for_each(|bound| b.assume(bound));
    let upper = b.pool.ule(high, word);
    let (answer, link) = b.ask(upper);
    assert!(answer.is_sat() && link == Link::Order, "{link:?}");
    let none = b.pool.ult(word, low);
    assert!(b.ask(none).0.is_unsat());
}
