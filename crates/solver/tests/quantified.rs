//! The solving procedure against a solver that knows quantifiers.

use rejoin_expr::{Assignment, Pool, Term};
use rejoin_solver::{Answer, Link, Options, Path, Solver};

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a query is about: bytes `s`, a size `n`, bounds of quantifiers.
struct World {
    pool: Pool,
    s: Term,
    n: Term,
    bounds: Vec<(Term, Term)>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut pool = Pool::new();
        let mut random = Random(seed);
        let len = 3 + random.below(8);
        let bytes: Vec<Term> = (0..len).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        let (s, n) = (pool.inputs(&bytes), pool.var(8, "n"));
        let mut bounds = Vec::new();
        for b in 0..1 + random.below(2) {
            let max = 1 + random.below(len);
            let i = pool.index_var(8, max.into());
            bounds.push((i, pool.var(8, &format!("k{b}"))));
        }
        World { pool, s, n, bounds, random }
    }

    fn byte(&mut self) -> Term {
        let value = [0, 1, 97, 98][self.random.below(4) as usize];
        self.pool.constant(8, value)
    }

    /// `s[at + c]` for a small c, which may be below zero.
    fn read(&mut self, at: Term) -> Term {
        let wide = self.pool.zext(at, 32);
        let offset = self.pool.constant(32, u128::from(self.random.below(4) as u32).wrapping_sub(2));
        let at = self.pool.add(wide, offset);
        self.pool.select(self.s, at)
    }

    /// A condition on the byte at an index that has `at` in it.
    fn condition(&mut self, at: Term) -> Term {
        let x = self.read(at);
        let c = self.byte();
        let other = self.read(at);
        let t = match self.random.below(6) {
            0..3 => self.pool.eq(x, c),
            3 => self.pool.ult(x, c),
            4 => self.pool.ule(x, other),
            _ => self.pool.ult(at, self.n),
        };
        if self.random.below(2) == 0 { self.pool.not(t) } else { t }
    }

    fn forall(&mut self) -> Term {
        let (i, k) = self.bounds[self.random.below(self.bounds.len() as u64) as usize];
        let mut body = self.condition(i);
        if self.random.below(2) == 0 {
            let other = self.condition(i);
            body = if self.random.below(2) == 0 {
                self.pool.and(body, other)
            } else {
                self.pool.or(body, other)
            };
        }
        self.pool.forall(i, k, body)
    }

    fn clause(&mut self) -> Term {
        let at = match self.random.below(3) {
            0 => self.n,
            1 => self.bounds[0].1,
            _ => {
                let value = self.random.below(6);
                self.pool.constant(8, value.into())
            }
        };
        self.condition(at)
    }

    fn query(&mut self) -> Vec<Term> {
        let mut clauses = Vec::new();
        for (i, k) in self.bounds.clone() {
            let rejoin_expr::Node::Var(v) = self.pool.node(i) else { unreachable!() };
            let max = self.pool.constant(8, self.pool.index_max(v));
            let min = self.random.below(3);
            let min = self.pool.constant(8, min.into());
            clauses.extend([self.pool.ule(k, max), self.pool.ule(min, k)]);
        }
        for _ in 0..1 + self.random.below(3) {
            let forall = self.forall();
            clauses.push(match self.random.below(6) {
                0 => self.pool.not(forall),
                1 => {
                    let other = self.clause();
                    self.pool.or(forall, other)
                }
                _ => forall,
            });
        }
        for _ in 0..self.random.below(5) {
            let clause = self.clause();
            clauses.push(clause);
        }
        clauses
    }
}

/// The answer as a path gets it: diagrams know small quantifiers, and may be asked first.
fn by_the_chain(solver: &mut Solver, pool: &mut Pool, query: &[Term]) -> Answer {
    let mut path = Path::new();
    let Some((last, others)) = query.split_last() else { unreachable!("a query says something") };
    others.iter().for_each(|&c| path.assume(pool, c));
    let answer = solver.check(pool, &path, *last);
    if let Answer::Sat(model) = &answer {
        assert!(query.iter().all(|&c| model.eval(pool, c) == 1));
    }
    answer
}

/// Both ways of solving, on so many queries. Gives how many were satisfiable and how many not.
fn compare(seeds: std::ops::Range<u64>) -> (u64, u64, rejoin_solver::Statistics) {
    let mut total = rejoin_solver::Statistics::default();
    let (mut sat, mut unsat) = (0, 0);
    for seed in seeds {
        let mut world = World::new(seed);
        let query = world.query();
        let mut procedure = Solver::new(Options::default());
        let ours = procedure.decide_directly(&mut world.pool, &query);
        let mut generic = Solver::new(Options { no_procedure: true, ..Options::default() });
        let theirs = generic.decide_directly(&mut world.pool, &query);
        match (&ours, &theirs) {
            (Answer::Sat(model), Answer::Sat(_)) => {
                let values: Assignment = model.assignment(&world.pool);
                for &c in &query {
                    assert_eq!(world.pool.eval(c, &values), 1, "seed {seed}: {}", world.pool.display(c));
                }
                sat += 1;
            }
            (Answer::Unsat, Answer::Unsat) => unsat += 1,
            _ => panic!("seed {seed}: {ours:?}, but {theirs:?}\n{}", world.pool.smtlib(&query)),
        }
        let mut chain = Solver::new(Options::default());
        let answer = by_the_chain(&mut chain, &mut world.pool, &query);
        assert_eq!(answer.is_sat(), theirs.is_sat(), "seed {seed}: {}", world.pool.smtlib(&query));
        assert!(!matches!(answer, Answer::Unknown(_)), "seed {seed}");
        total.decided[Link::Diagrams as usize] += chain.statistics().decided_by(Link::Diagrams);
        let s = procedure.statistics();
        total.quantified_queries += s.quantified_queries;
        total.strip_hits += s.strip_hits;
        total.duplicate_hits += s.duplicate_hits;
        total.repair_hits += s.repair_hits;
        total.instantiation_hits += s.instantiation_hits;
        total.fallbacks += s.fallbacks;
    }
    (sat, unsat, total)
}

#[test]
fn the_procedure_agrees_with_a_solver_of_quantifiers() {
    let (sat, unsat, s) = compare(0..300);
    assert!(sat > 50 && unsat > 20, "{sat} {unsat}");
    assert!(s.decided_by(Link::Diagrams) > 20, "diagrams answered {}", s.decided_by(Link::Diagrams));
    assert!(s.strip_hits > 0 && s.duplicate_hits > 0 && s.repair_hits > 0 && s.instantiation_hits > 0);
    assert_eq!(s.fallbacks, 0);
}

#[test]
#[ignore = "some minutes"]
fn ten_thousand_queries_agree() {
    let (sat, unsat, s) = compare(1000..12_000);
    println!("{sat} satisfiable, {unsat} not; {s:?}");
    assert_eq!(s.fallbacks, 0);
}
