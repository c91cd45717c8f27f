//! Every rewrite rule fires on its example and keeps its value: for all values of the variables and
//! all constants at small widths, for random ones at large widths.

use rejoin_expr::rules::{self, Rule, rebuild};
use rejoin_expr::{Assignment, Evaluator, Pool, Term, Var};

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Often near 0, all ones or a power of two, where rules have their edges.
    fn bits(&mut self) -> u128 {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        match self.next() % 5 {
            0 => any % 4,
            1 => u128::MAX - any % 4,
            2 => (1u128 << (self.next() % 128)).wrapping_add(any % 3).wrapping_sub(1),
            3 => (any >> (self.next() % 128)) << (self.next() % 32),
            _ => any,
        }
    }
}

fn constants(width: u32, numbers: &mut Numbers) -> Vec<[u128; 2]> {
    if width <= 3 {
        let all = || 0..1u128 << width;
        return all().flat_map(|c| all().map(move |d| [c, d])).collect();
    }
    if width <= 5 {
        return (0..16).map(|c| [c, 5 * c + 3]).collect();
    }
    (0..24).map(|_| [numbers.bits(), numbers.bits()]).collect()
}

/// Assignments to the variables of `pool`: all of them if there are few.
fn assignments(pool: &Pool, numbers: &mut Numbers) -> Vec<Assignment> {
    let widths: Vec<u32> = (0..pool.var_count()).map(|v| pool.width(pool.var_term(Var(v)))).collect();
    let bits: u32 = widths.iter().sum();
    let of = |mut value: u128| {
        let mut a = Assignment::new();
        for (v, &width) in widths.iter().enumerate() {
            a.set(Var(v as u32), value & ((1 << width) - 1));
            value >>= width;
        }
        a
    };
    if bits <= 14 {
        return (0..1 << bits).map(of).collect();
    }
    let mask = |width: u32| u128::MAX >> (128 - width);
    let random = |_| (0..).map(Var).zip(&widths).map(|(v, &w)| (v, numbers.bits() & mask(w))).collect();
    (0..60).map(random).collect()
}

fn check(rule: &Rule, raw: &Pool, left: Term, pool: &Pool, right: Term, numbers: &mut Numbers) {
    let (mut before, mut after) = (Evaluator::new(), Evaluator::new());
    for a in assignments(raw, numbers) {
        let value = before.under(raw, &a).eval(left);
        assert_eq!(
            after.under(pool, &a).eval(right),
            value,
            "{} changes {} to {} under {a:?}",
            rule.name,
            raw.display(left),
            pool.display(right)
        );
    }
}

#[test]
fn each_rule_fires_and_keeps_the_value() {
    let mut numbers = Numbers(1);
    let mut idle = Vec::new();
    for rule in rules::all() {
        for &width in rule.widths {
            let mut fired = false;
            for c in constants(width, &mut numbers) {
                let mut raw = Pool::with_rewriting(false);
                let left = (rule.example)(&mut raw, width, c);
                let mut pool = Pool::new();
                pool.trace_rules();
                let right = rebuild(&raw, left, &mut pool);
                assert_eq!(raw.width(left), pool.width(right), "{}", rule.name);
                if pool.fired_rules().contains(&rule.name) {
                    fired = true;
                    check(&rule, &raw, left, &pool, right, &mut numbers);
                }
            }
            if !fired {
                idle.push((rule.name, width));
            }
        }
    }
    assert!(idle.is_empty(), "rules that never fire, with the width: {idle:?}");
}

#[test]
fn names_of_rules_are_unique() {
    let mut names: Vec<_> = rules::all().iter().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_raw_pool_makes_exactly_what_it_is_told() {
    let mut p = Pool::with_rewriting(false);
    let k = p.constant(8, 1);
    let sum = p.add(k, k);
    assert_eq!(p.as_const(sum), None);
    let twice = p.not(sum);
    assert_ne!(p.not(twice), sum);
}
