//! The chain against all values of two bytes, with both solvers, each checked by the other.

use proptest::prelude::*;
use rejoin_expr::{Assignment, Evaluator, Pool, Term, Var};
use rejoin_solver::{Answer, Backend, Options, Path, Solver};

/// Makes a condition over the variables: each byte of the recipe is an instruction of a small stack
/// machine, so that shorter recipes are simpler terms.
fn condition(pool: &mut Pool, vars: &[Term], recipe: &[u8]) -> Term {
    let mut stack: Vec<Term> = vec![vars[0]];
    let mut bytes = recipe.iter().copied();
    while let Some(op) = bytes.next() {
        let b = stack.pop().unwrap_or(vars[0]);
        match op % 28 {
            0..=3 => stack.extend([b, vars[usize::from(op / 28) % vars.len()]]),
            4 | 5 => {
                let width = pool.width(b);
                let value = bytes.next().unwrap_or(1);
                let k = pool.constant(width, value.into());
                stack.extend([b, k]);
            }
            6 => stack.push(pool.not(b)),
            7 => stack.push(pool.neg(b)),
            8 => stack.push(resize(pool, b, 16, false)),
            9 => stack.push(resize(pool, b, 16, true)),
            10 => stack.push(resize(pool, b, 1, false)),
            11 => {
                let index = resize(pool, b, 32, false);
                let mut array = pool.const_array(b"\x00table of bytes\xff\x80\x7f");
                if op >= 128 {
                    let value = resize(pool, b, 8, false);
                    let place = pool.constant(32, u128::from(op) & 15);
                    let second = resize(pool, vars[vars.len() - 1], 32, false);
                    array = pool.store(array, place, value);
                    array = pool.store(array, second, value);
                }
                stack.push(pool.select(array, index));
            }
            op => {
                let a = stack.pop().unwrap_or(vars[vars.len() - 1]);
                let width = pool.width(a);
                let b = resize(pool, b, width, op.is_multiple_of(2));
                stack.push(binary(pool, op - 12, a, b));
            }
        }
    }
    let last = stack.pop().unwrap_or(vars[0]);
    let zero = pool.constant(pool.width(last), 0);
    if pool.width(last) == 1 { last } else { pool.ne(last, zero) }
}

fn resize(pool: &mut Pool, t: Term, width: u32, signed: bool) -> Term {
    match pool.width(t) {
        w if w > width => pool.extract(t, w - width, width),
        w if w == width => t,
        _ if signed => pool.sext(t, width),
        _ => pool.zext(t, width),
    }
}

fn binary(pool: &mut Pool, op: u8, a: Term, b: Term) -> Term {
    match op {
        0 => pool.add(a, b),
        1 => pool.mul(a, b),
        2 => pool.udiv(a, b),
        3 => pool.urem(a, b),
        4 => pool.sdiv(a, b),
        5 => pool.srem(a, b),
        6 => pool.shl(a, b),
        7 => pool.lshr(a, b),
        8 => pool.ashr(a, b),
        9 => pool.and(a, b),
        10 => pool.or(a, b),
        11 => pool.xor(a, b),
        12 => pool.eq(a, b),
        13 => pool.ult(a, b),
        14 => pool.sle(a, b),
        _ => {
            let c = pool.slt(b, a);
            pool.ite(c, b, a)
        }
    }
}

/// All values of the bytes that satisfy the conditions.
struct Space(Vec<(u8, u8)>);

impl Space {
    fn full() -> Self {
        Space((0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))).collect())
    }

    fn split(&self, pool: &Pool, evaluator: &mut Evaluator, cond: Term) -> (Space, Space) {
        let (mut yes, mut no) = (Space(Vec::new()), Space(Vec::new()));
        let mut assignment = Assignment::new();
        for &(a, b) in &self.0 {
            assignment.set(Var(0), a.into());
            assignment.set(Var(1), b.into());
            let side = if evaluator.under(pool, &assignment).is_true(cond) { &mut yes } else { &mut no };
            side.0.push((a, b));
        }
        (yes, no)
    }
}

fn agrees(answer: &Answer, space: &Space) -> Result<(), TestCaseError> {
    match answer {
        Answer::Sat(model) => {
            let values = (model.get(Var(0)) as u8, model.get(Var(1)) as u8);
            prop_assert!(space.0.contains(&values), "the model {values:?} is wrong");
        }
        Answer::Unsat => prop_assert!(space.0.is_empty(), "unsat, but {:?} is a solution", space.0[0]),
        Answer::Unknown(why) => prop_assert!(false, "unknown: {why}"),
    }
    Ok(())
}

fn explore(backend: Backend, recipes: &[(Vec<u8>, u8)]) -> Result<(), TestCaseError> {
    let mut pool = Pool::new();
    let vars = [pool.var(8, "a"), pool.var(8, "b")];
    let mut solver = Solver::new(Options { backend, validate: true, ..Options::default() });
    let (mut path, mut space) = (Path::new(), Space::full());
    let mut evaluator = Evaluator::new();
    for (recipe, choice) in recipes {
        let cond = condition(&mut pool, &vars, recipe);
        let (yes, no) = space.split(&pool, &mut evaluator, cond);
        let fork = solver.branch(&mut pool, &path, cond);
        agrees(&fork.then, &yes)?;
        agrees(&fork.els, &no)?;
        let then = if yes.0.is_empty() || no.0.is_empty() { no.0.is_empty() } else { choice & 1 == 0 };
        let (taken, rest, answer) =
            if then { (cond, yes, fork.then) } else { (pool.not(cond), no, fork.els) };
        match answer {
            // Now and then the path is told nothing of the model.
            Answer::Sat(model) if choice & 6 != 0 => path.assume_with(&mut pool, taken, &model),
            _ => path.assume(&mut pool, taken),
        }
        space = rest;
        if let Some(witness) = path.witness() {
            agrees(&Answer::Sat(witness), &space)?;
        }
        let tru = pool.tru();
        agrees(&solver.check(&mut pool, &path, tru), &space)?;
    }
    let t = condition(&mut pool, &vars, &recipes[0].0);
    let unique = solver.unique_value(&mut pool, &path, t);
    let (yes, no) = space.split(&pool, &mut evaluator, t);
    let expected = match (yes.0.is_empty(), no.0.is_empty()) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    };
    prop_assert_eq!(unique, expected);
    let statistics = solver.statistics();
    prop_assert_eq!(statistics.mismatches, 0);
    prop_assert!(statistics.validated == statistics.queries);
    Ok(())
}

/// A case costs 65,536 evaluations per condition: fewer than usual, unless told otherwise.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn bitwuzla_agrees_with_brute_force(
        recipes in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..8), any::<u8>()), 1..7)
    ) {
        explore(Backend::Bitwuzla, &recipes)?;
    }

    #[test]
    fn z3_agrees_with_brute_force(
        recipes in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..8), any::<u8>()), 1..7)
    ) {
        explore(Backend::Z3, &recipes)?;
    }
}
