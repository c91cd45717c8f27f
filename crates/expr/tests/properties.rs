//! Random terms mean the same with and without rewriting, and what the pool knows of them is true.

use proptest::prelude::*;
use rejoin_expr::rules::rebuild;
use rejoin_expr::{Assignment, Binary, Evaluator, Pool, Tape, Term, Unary, Var};

const OPS: [Binary; 17] = [
    Binary::Add,
    Binary::Mul,
    Binary::UDiv,
    Binary::URem,
    Binary::SDiv,
    Binary::SRem,
    Binary::Shl,
    Binary::LShr,
    Binary::AShr,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Eq,
    Binary::Ult,
    Binary::Ule,
    Binary::Slt,
    Binary::Sle,
];

/// One step of building a term from those before it.
type Step = (u8, [u8; 3], u128);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bits = prop_oneof![0u128..4, any::<u128>(), Just(u128::MAX), (0u32..128).prop_map(|n| 1 << n)];
    prop::collection::vec((any::<u8>(), any::<[u8; 3]>(), bits), 1..40)
}

fn fit(p: &mut Pool, t: Term, width: u32) -> Term {
    match p.width(t) {
        w if w > width => p.extract(t, 0, width),
        w if w < width => p.zext(t, width),
        _ => t,
    }
}

/// Interprets the steps; every step adds a term.
fn build(p: &mut Pool, vars: &[u32], steps: &[Step]) -> Vec<Term> {
    let mut terms: Vec<Term> = vars.iter().map(|&w| p.var(w, "x")).collect();
    for &(kind, picks, bits) in steps {
        let pick = |i: usize| terms[usize::from(picks[i]) % terms.len()];
        let (a, width) = (pick(0), p.width(pick(0)));
        let t = match kind % 32 {
            k @ 0..17 => {
                let b = fit(p, pick(1), width);
                p.binary(OPS[usize::from(k)], a, b)
            }
            k @ 17..24 => {
                let narrow = fit(p, a, width.min(128));
                let k_bits = p.constant(p.width(narrow), bits);
                let op = OPS[(usize::from(k) * 5 + usize::from(picks[2])) % 17];
                if picks[1] % 4 == 0 { p.binary(op, k_bits, narrow) } else { p.binary(op, narrow, k_bits) }
            }
            24 => p.unary(if picks[1] % 2 == 0 { Unary::Not } else { Unary::Neg }, a),
            25 => {
                let c = fit(p, pick(2), 1);
                let b = fit(p, pick(1), width);
                p.ite(c, a, b)
            }
            26 if width + p.width(pick(1)) <= 200 => p.concat(a, pick(1)),
            27 => {
                let lo = u32::from(picks[1]) % width;
                p.extract(a, lo, 1 + u32::from(picks[2]) % (width - lo))
            }
            28 => p.zext(a, width + u32::from(picks[1]) % 20),
            29 => p.sext(a, width + u32::from(picks[1]) % 20),
            30 => {
                let c = fit(p, pick(2), 1);
                let small = width.min(128);
                let k = [bits, bits ^ u128::from(picks[1])].map(|bits| p.constant(small, bits));
                p.ite(c, k[0], k[1])
            }
            _ => {
                let table = p.const_array(&[3, 1, 4, 1, 5, 9, 2, 6]);
                let (i, j, byte) = (fit(p, a, 32), fit(p, pick(1), 32), fit(p, pick(2), 8));
                let array = p.store(table, i, byte);
                p.select(array, j)
            }
        };
        terms.push(t);
    }
    terms
}

fn assignment(vars: &[u32], values: &[u128]) -> Assignment {
    let mask = |w: u32| u128::MAX >> (128 - w);
    (0..).map(Var).zip(vars.iter().zip(values)).map(|(v, (&w, &x))| (v, x & mask(w))).collect()
}

const VARS: [u32; 4] = [8, 8, 1, 32];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn rewriting_keeps_the_value(
        steps in steps(),
        values in prop::collection::vec(any::<[u128; 4]>(), 6),
    ) {
        let mut raw = Pool::with_rewriting(false);
        let built = build(&mut raw, &VARS, &steps);
        let mut pool = Pool::new();
        let rewritten: Vec<Term> = built.iter().map(|&t| rebuild(&raw, t, &mut pool)).collect();
        let (mut before, mut after) = (Evaluator::new(), Evaluator::new());
        for values in &values {
            let a = assignment(&VARS, values);
            let (mut before, mut after) = (before.under(&raw, &a), after.under(&pool, &a));
            for (&t, &u) in built.iter().zip(&rewritten) {
                prop_assert_eq!(raw.width(t), pool.width(u));
                prop_assert_eq!(before.eval(t), after.eval(u), "{} to {}", raw.display(t), pool.display(u));
            }
        }
    }

    #[test]
    fn facts_are_true(
        rewriting: bool,
        steps in steps(),
        values in prop::collection::vec(any::<[u128; 4]>(), 6),
    ) {
        let mut p = Pool::with_rewriting(rewriting);
        let terms = build(&mut p, &VARS, &steps);
        for t in p.postorder(&terms) {
            if !(1..=128).contains(&p.width(t)) {
                continue;
            }
            let (known, (lo, hi)) = (p.known_bits(t), p.interval(t));
            for values in &values {
                let value = p.eval(t, &assignment(&VARS, values));
                prop_assert!(lo <= value && value <= hi, "{} in {lo}..={hi}: {value}", p.display(t));
                prop_assert_eq!(value & known.zeros, 0);
                prop_assert_eq!(!value & known.ones, 0);
            }
        }
    }

    #[test]
    fn byte_sets_are_exact(steps in steps()) {
        let mut p = Pool::new();
        let terms = build(&mut p, &[8], &steps);
        for t in terms {
            let bit = p.extract(t, 0, 1);
            let Some(set) = p.byte_set(bit) else { continue };
            for byte in 0..=u8::MAX {
                let value = p.eval(bit, &assignment(&[8], &[byte.into()]));
                prop_assert_eq!(set.contains(byte), value == 1);
            }
        }
    }

    #[test]
    fn lanes_are_evaluations(steps in steps(), first: u8) {
        let mut p = Pool::with_rewriting(false);
        let terms = build(&mut p, &[8, 8], &steps);
        let mut tape = Tape::new(&p, &[Var(0), Var(1)], &terms);
        tape.set(0, first);
        tape.sweep();
        for t in terms {
            for last in [0, 1, 2, 127, 128, 255] {
                let value = p.eval(t, &assignment(&[8, 8], &[first.into(), last.into()]));
                prop_assert_eq!(tape.value(t, last), value, "{}", p.display(t));
            }
        }
    }

    #[test]
    fn support_has_every_variable_that_matters(steps in steps(), values: [u128; 4], other: [u128; 4]) {
        let mut p = Pool::new();
        let t = *build(&mut p, &VARS, &steps).last().expect("there is a variable");
        let support = p.support_vars(p.support(t)).to_vec();
        let mut a = assignment(&VARS, &values);
        let value = p.eval(t, &a);
        for (v, x) in assignment(&VARS, &other).iter() {
            if !support.contains(&v) {
                a.set(v, x);
            }
        }
        prop_assert_eq!(p.eval(t, &a), value);
    }

    #[test]
    fn substitution_is_evaluation_in_two_steps(steps in steps(), more in steps(), values: [u128; 4]) {
        let mut p = Pool::new();
        let terms = build(&mut p, &VARS, &steps);
        let t = *terms.last().expect("there is a variable");
        let image = *build(&mut p, &VARS, &more).last().expect("there is a variable");
        let image = fit(&mut p, image, 8);
        let replaced = p.substitute(t, &mut |v| (v == Var(1)).then_some(image));
        // The second set of variables has the numbers after the first.
        let mut a: Assignment = assignment(&VARS, &values);
        for (v, x) in assignment(&VARS, &values).iter() {
            a.set(Var(v.0 + 4), x.rotate_left(1) & 1);
        }
        let inner = p.eval(image, &a);
        let mut two_steps = a.clone();
        two_steps.set(Var(1), inner);
        prop_assert_eq!(p.eval(replaced, &a), p.eval(t, &two_steps));
    }
}

#[test]
fn rewriting_is_deterministic() {
    let script: Vec<Step> = (0..200u32).map(|i| (i as u8, [i as u8, 3, 7], u128::from(i))).collect();
    let terms = |p: &mut Pool| build(p, &VARS, &script);
    let (mut p, mut q) = (Pool::new(), Pool::new());
    assert_eq!(terms(&mut p), terms(&mut q));
    assert_eq!(p.len(), q.len());
}
