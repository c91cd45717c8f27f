//! Laws of summaries, on random guards and values, against evaluation on all inputs.

use proptest::prelude::*;
use rejoin_expr::{Assignment, Binary, ByteSet, Pool, Term, Var};
use rejoin_memory::Value;
use rejoin_summary::{Diagrams, Guard, Guards, Limits, Summaries, Summary, Verdict};

/// A guard over four atoms from 16 bits of its truth table.
fn guard_of_table(g: &mut Diagrams, table: u16) -> Guard {
    let mut guard = Guard::FALSE;
    for row in 0..16 {
        if table >> row & 1 == 1 {
            let mut minterm = Guard::TRUE;
            for atom in 0..4 {
                let a = g.atom(atom).unwrap();
                let a = if row >> atom & 1 == 1 { a } else { g.not(a) };
                minterm = g.and(minterm, a).unwrap();
            }
            guard = g.or(guard, minterm).unwrap();
        }
    }
    guard
}

fn holds(g: &Diagrams, guard: Guard, row: u32) -> bool {
    let bit = |atom: u32| (row >> atom & 1) as u8;
    g.fold(guard, [false, true], |atom, edges| edges.iter().find(|e| e.0.contains(bit(atom))).unwrap().1)
}

fn value(g: &Diagrams, s: &Summary<u8>, row: u32) -> u8 {
    let mut found = s.entries().iter().filter(|e| holds(g, e.0, row));
    let value = found.next().expect("covering").1;
    assert!(found.next().is_none(), "disjoint");
    value
}

proptest! {
    #[test]
    fn guards_are_their_truth_tables(a: u16, b: u16, c: u16) {
        let mut g = Diagrams::new(1000, 1 << 20);
        let (x, y) = (guard_of_table(&mut g, a), guard_of_table(&mut g, b));
        prop_assert_eq!(g.meet(x, y), Some(a & b != 0));
        let (and, or, not) = (g.and(x, y).unwrap(), g.or(x, y).unwrap(), g.not(x));
        prop_assert_eq!(and, guard_of_table(&mut g, a & b));
        prop_assert_eq!(or, guard_of_table(&mut g, a | b));
        prop_assert_eq!(not, guard_of_table(&mut g, !a));
        let z = guard_of_table(&mut g, c);
        prop_assert_eq!(g.choose(z, x, y).unwrap(), guard_of_table(&mut g, c & a | !c & b));
        let alike = g.not(x);
        prop_assert_eq!(g.choose(z, x, alike).unwrap(), guard_of_table(&mut g, !(c ^ a)));
        prop_assert_eq!(g.any(vec![x, y, z]).unwrap(), guard_of_table(&mut g, a | b | c));
        prop_assert_eq!(g.any(Vec::new()), Some(Guard::FALSE));
        let within = g.within(x, y);
        for row in (0..16u32).filter(|row| b >> row & 1 == 1) {
            prop_assert_eq!(holds(&g, within, row), a >> row & 1 == 1);
        }
        prop_assert_eq!(within == Guard::FALSE && b != 0, a & b == 0 && b != 0);
        if and != Guard::FALSE {
            let way = g.descend(and, |_| 1);
            let row = (0..4).map(|l| u32::from(way.contains(&(l, 1))) << l).sum();
            prop_assert!(holds(&g, and, row));
        }
    }

    /// Conditions on bytes are sets, of which diagrams know what they have in common.
    #[test]
    fn guards_on_bytes_are_exact(sets in prop::collection::vec((0u32..2, any::<[u8; 4]>(), any::<bool>()), 1..8)) {
        let mut g = Diagrams::new(1000, 1 << 20);
        let mut all = Guard::TRUE;
        let mut conditions = Vec::new();
        for (level, bytes, not) in sets {
            let set: ByteSet = bytes.iter().map(|b| b % 8).collect();
            let set = if not { set.complement() } else { set };
            let guard = g.byte(level, set).unwrap();
            all = g.and(all, guard).unwrap();
            conditions.push((level, set));
        }
        prop_assert!(g.is_of_bytes(all));
        let fits = |x: u8, y: u8| conditions.iter().all(|(l, s)| s.contains(if *l == 0 { x } else { y }));
        let possible = (0..=255).any(|x| (0..=255).any(|y| fits(x, y)));
        prop_assert_eq!(all != Guard::FALSE, possible);
        if possible {
            let way = g.descend(all, |_| 3);
            let value = |level| way.iter().find(|w| w.0 == level).map_or(3, |w| w.1);
            prop_assert!(fits(value(0), value(1)));
        }
    }

    /// Choices between functions of two bytes, whose levels are divided in different ways.
    #[test]
    fn choices_of_functions_of_bytes_are_exact(sets in prop::collection::vec((any::<u8>(), any::<u8>()), 6)) {
        let mut g = Diagrams::new(1000, 1 << 20);
        let of = |mask: u8| (0..8u8).filter(|b| mask >> b & 1 == 1).collect::<ByteSet>();
        let mut functions = Vec::new();
        for pair in sets.chunks(2) {
            let mut rows = Vec::new();
            for (n, (x, y)) in pair.iter().enumerate() {
                let [x, y] = [(0, *x), (1, *y)].map(|(level, mask)| g.byte(level, of(mask)).unwrap());
                rows.push(if n == 0 { g.and(x, y).unwrap() } else { g.or(x, y).unwrap() });
            }
            functions.push(g.or(rows[0], rows[1]).unwrap());
        }
        let chosen = g.choose(functions[0], functions[1], functions[2]).unwrap();
        let (both, not) = (g.and(functions[0], functions[1]).unwrap(), g.not(functions[0]));
        let other = g.and(not, functions[2]).unwrap();
        prop_assert_eq!(chosen, g.or(both, other).unwrap());
        let says = |guard, x: u8, y: u8| {
            let byte = |level| if level == 0 { x } else { y };
            g.fold(guard, [false, true], |level, e| e.iter().find(|e| e.0.contains(byte(level))).unwrap().1)
        };
        for (x, y) in (0..=8).flat_map(|x| (0..=8).map(move |y| (x, y))) {
            let [c, a, b] = [0, 1, 2].map(|n| says(functions[n], x, y));
            prop_assert_eq!(says(chosen, x, y), if c { a } else { b });
        }
    }

    /// However the parts of everything are distributed among values, each value has the guards of its parts.
    #[test]
    fn a_partition_has_the_guards_of_its_parts(values in prop::collection::vec(0u8..4, 16)) {
        let mut g = Diagrams::new(1000, 1 << 20);
        let parts: Vec<(Guard, u8)> =
            values.iter().enumerate().map(|(row, v)| (guard_of_table(&mut g, 1 << row), *v)).collect();
        let (all, same) = (Summary::partition(&mut g, parts.clone()), Summary::collect(&mut g, parts));
        prop_assert_eq!(all.clone(), same);
        for (row, v) in values.iter().enumerate() {
            prop_assert_eq!(value(&g, all.as_ref().unwrap(), row as u32), *v);
        }
    }

    /// The guarded update is the new value where the guard holds and the old one elsewhere, and the
    /// result is a partition without equal values.
    #[test]
    fn updates_compute_what_assignments_compute(
        updates in prop::collection::vec((any::<u16>(), 0u8..5), 1..12),
        pc: u16,
    ) {
        let mut g = Diagrams::new(1000, 1 << 20);
        let mut summary = Summary::single(0u8);
        let mut model = [0u8; 16];
        for (table, v) in updates {
            let phi = guard_of_table(&mut g, table);
            summary = summary.update(&mut g, phi, &Summary::single(v)).unwrap();
            for (row, old) in model.iter_mut().enumerate() {
                if table >> row & 1 == 1 {
                    *old = v;
                }
            }
            prop_assert_eq!(summary.is_partition(&mut g), Some(true));
            let mut values: Vec<u8> = summary.entries().iter().map(|e| e.1).collect();
            values.sort_unstable();
            values.dedup();
            prop_assert_eq!(values.len(), summary.entries().len(), "equal values are one entry");
        }
        for row in 0..16 {
            prop_assert_eq!(value(&g, &summary, row), model[row as usize]);
        }
        let pc_guard = guard_of_table(&mut g, pc);
        if pc != 0 {
            let within = summary.within(&mut g, pc_guard).unwrap();
            prop_assert_eq!(within.is_partition(&mut g), Some(true));
            for row in (0..16).filter(|row| pc >> row & 1 == 1) {
                prop_assert_eq!(value(&g, &within, row), model[row as usize]);
            }
        }
    }

    /// Terms over names, however they are made, are the values that assignments would have given.
    #[test]
    fn names_stand_for_the_values(
        steps in prop::collection::vec((0u8..6, any::<u8>(), any::<u8>(), any::<u8>()), 1..16),
        entries in 2usize..8,
        guard_nodes in prop::sample::select(vec![4usize, 1000]),
    ) {
        let mut pool = Pool::new();
        let inputs = [pool.var(8, "x"), pool.var(8, "y")];
        let limits = Limits { entries, guard_nodes, total_nodes: 100_000 };
        let mut m = Summaries::new(limits, true);
        let mut values = vec![Value::Bits(1), Value::Bits(200), Value::Term(inputs[0])];
        // The same without summaries.
        let mut terms: Vec<Term> = vec![pool.constant(8, 1), pool.constant(8, 200), inputs[0]];
        for (what, a, b, c) in steps {
            let (i, j) = (usize::from(a) % values.len(), usize::from(b) % values.len());
            let (x, y) = (values[i], values[j]);
            let (s, t) = (terms[i], terms[j]);
            let limit = pool.constant(8, u128::from(c));
            let cond = pool.ult(inputs[usize::from(c & 1)], limit);
            let [p, q] = [x, y].map(|v| match v {
                Value::Bits(b) => pool.constant(8, b),
                Value::Term(t) => t,
            });
            let (new, term) = match what {
                0 | 1 => (m.either(&mut pool, cond, 8, x, y), pool.ite(cond, s, t)),
                2 => {
                    let sum = pool.add(p, q);
                    (m.settle(&mut pool, Guard::TRUE, 8, Value::Term(sum)), pool.add(s, t))
                }
                3 => {
                    let product = pool.mul(p, q);
                    (m.settle(&mut pool, Guard::TRUE, 8, Value::Term(product)), pool.mul(s, t))
                }
                4 => {
                    let low = pool.ult(p, q);
                    let plain = pool.ult(s, t);
                    (m.either(&mut pool, low, 8, x, y), pool.ite(plain, s, t))
                }
                _ => {
                    let nibble = pool.extract(p, 4, 4);
                    let high = pool.concat(nibble, nibble);
                    let nibble = pool.extract(s, 4, 4);
                    (Value::Term(high), pool.concat(nibble, nibble))
                }
            };
            values.push(new);
            terms.push(term);
        }
        for (v, expected) in values.iter().zip(&terms) {
            let found = match v {
                Value::Bits(b) => pool.constant(8, *b),
                Value::Term(t) => m.plain(&mut pool, *t),
            };
            prop_assert!(!m.has_names(&pool, found));
            let limit = pool.constant(8, 100);
            let odd = pool.ult(found, limit);
            let guard = m.guard(&mut pool, odd).unwrap();
            let back = m.term(&mut pool, guard);
            for (x, y) in (0..=255u128).step_by(5).flat_map(|x| [(x, 255 - x), (x, x / 2), (255, x)]) {
                let a: Assignment = [(Var(0), x), (Var(1), y)].into_iter().collect();
                prop_assert_eq!(pool.eval(found, &a), pool.eval(*expected, &a));
                prop_assert_eq!(pool.eval(back, &a), pool.eval(odd, &a));
            }
        }
    }
}

/// Two paths that meet again leave nothing behind; a decided condition costs no atom.
#[test]
fn guards_know_what_the_path_decides() {
    let mut pool = Pool::new();
    let (x, k) = (pool.var(8, "x"), pool.constant(8, 7));
    let mut m = Summaries::new(Limits::default(), true);
    let low = pool.ult(x, k);
    let v = m.either(&mut pool, low, 8, Value::Bits(3), Value::Bits(4));
    let Value::Term(name) = v else { panic!("a summary") };
    assert_eq!(m.get(&pool, name).map(|s| s.entries().len()), Some(2));
    let three = pool.constant(8, 3);
    let is_three = pool.eq(name, three);
    let pc = m.guard(&mut pool, low).unwrap();
    let (yes, plain) = (m.condition(&mut pool, pc, is_three), m.plain(&mut pool, is_three));
    assert!(pool.is_true(yes));
    assert_eq!(plain, low);
    assert_eq!(m.settle(&mut pool, pc, 8, v), Value::Bits(3));
    assert_eq!(m.either(&mut pool, low, 8, Value::Bits(3), v), v);
}

/// Whether an odd number of bytes are below 7, as a program that is cut short computes it.
#[test]
fn once_the_run_is_over_summaries_become_terms() {
    const BYTES: u32 = 120;
    let mut pool = Pool::new();
    let mut s = Summaries::new(Limits::default(), false).until(|| true);
    let (mut odd, mut inputs) = (Value::Bits(0), Vec::new());
    let (seven, one) = (pool.constant(8, 7), pool.constant(8, 1));
    for i in 0..BYTES {
        let x = pool.var(8, &format!("x{i}"));
        inputs.extend(pool.support_vars(pool.support(x)));
        let below = pool.ult(x, seven);
        let old = match odd {
            Value::Bits(b) => pool.constant(8, b),
            Value::Term(t) => t,
        };
        let other = pool.xor(old, one);
        let other = s.settle(&mut pool, Guard::TRUE, 8, Value::Term(other));
        odd = s.either(&mut pool, below, 8, other, odd);
    }
    let Value::Term(odd) = odd else { panic!("{odd:?} depends on no input") };
    assert!(!s.has_names(&pool, odd));
    for seed in 0..50u32 {
        let byte = |v: u32| (v * v * 37 + seed * 91) as u8 % 14;
        let expected = (0..BYTES).filter(|v| byte(*v) < 7).count() as u128 % 2;
        let values: Assignment = (0..BYTES).map(|i| (inputs[i as usize], byte(i).into())).collect();
        assert_eq!(pool.eval(odd, &values), expected);
    }
}

/// A sum of summaries, each on an input of its own: of 3ⁿ entries.
fn sum(pool: &mut Pool, m: &mut Summaries, n: usize) -> (Value, Vec<Var>) {
    let mut all = pool.constant(64, 0);
    let mut inputs = Vec::new();
    for i in 0..n {
        let (x, y) = (pool.var(32, &format!("x{i}")), pool.var(32, &format!("y{i}")));
        [x, y].iter().for_each(|t| inputs.extend(pool.support_vars(pool.support(*t))));
        let [less, equal] = [pool.ult(x, y), pool.eq(x, y)];
        let values = [1, 10, 100].map(|v| Value::Bits(v << (5 * i)));
        let one = m.either(pool, less, 64, values[0], values[1]);
        let Value::Term(one) = m.either(pool, equal, 64, values[2], one) else { panic!("a summary") };
        all = pool.add(all, one);
    }
    (Value::Term(all), inputs)
}

/// The program of seed 3088 took minutes for one instruction, with guards larger than its 35 paths together.
#[test]
fn a_value_takes_no_more_steps_than_its_paths_are_worth() {
    let steps = |n: usize, paths: f64| {
        let mut pool = Pool::new();
        let mut m = Summaries::new(Limits::default(), false);
        let (v, inputs) = sum(&mut pool, &mut m, n);
        m.on_paths(paths);
        let before = m.guard_steps();
        let kept = m.settle(&mut pool, Guard::TRUE, 64, v);
        let steps = m.guard_steps() - before;
        let [t, kept] = [v, kept].map(|v| v.term().expect("a term"));
        let is_summary = m.get(&pool, kept).is_some();
        let [t, kept] = [t, kept].map(|t| m.plain(&mut pool, t));
        for seed in 0..50u128 {
            let bit = |i: usize| seed.wrapping_mul(0x9e37_79b9) >> i & 1;
            let at: Assignment = inputs.iter().enumerate().map(|(i, v)| (*v, bit(i))).collect();
            assert_eq!(pool.eval(t, &at), pool.eval(kept, &at));
        }
        (steps, is_summary)
    };
    let (few, is_summary) = steps(6, 2.0);
    assert!(few < 4096 && !is_summary, "{few} steps for two paths");
    let (many, is_summary) = steps(6, 729.0);
    assert!(many > few && is_summary, "729 paths are worth {many} steps");
}

/// What no solver knows is computed for all combinations of entries, if its paths are worth the steps.
#[test]
fn computing_on_entries_takes_no_more_steps_than_its_paths_are_worth() {
    let steps = |n: usize, paths: f64| {
        let mut pool = Pool::new();
        let mut m = Summaries::new(Limits::default(), true);
        let mut operands = Vec::new();
        for i in 0..n {
            let mut v = Value::Bits(0);
            for j in 0..7u32 {
                let (x, y) = (pool.var(32, &format!("x{i} {j}")), pool.var(32, &format!("y{i} {j}")));
                let less = pool.ult(x, y);
                v = m.either(&mut pool, less, 64, Value::Bits(1u128 << (8 * i + j as usize)), v);
            }
            operands.push((v, 64));
        }
        m.on_paths(paths);
        let (before, met) = (m.guard_steps(), m.counts.large_summaries);
        let sum = |row: &[u128]| row.iter().sum();
        let value = m.compute(&mut pool, Guard::TRUE, &operands, 64, &sum);
        assert!(m.fresh().into_iter().all(|name| m.is_partition(&pool, name)));
        let entries = value.and_then(|v| m.get(&pool, v.term()?)).map_or(0, |s| s.entries().len());
        (m.guard_steps() - before, entries, m.counts.large_summaries - met)
    };
    assert_eq!(steps(2, 64.0).1, 64);
    let (few, entries, met) = steps(3, 2.0);
    assert!(few < 4096 && (entries, met) == (0, 1), "{few} steps for two paths, {entries} entries");
    let (many, entries, met) = steps(3, 512.0);
    assert!(many > few && (entries, met) == (512, 0), "512 paths are worth {many} steps: {entries} entries");
}

/// A Boolean function of three bytes: conditions on one of them, comparisons, and equations that nothing is known of.
fn condition(pool: &mut Pool, steps: &[(u8, u8, u8, u8)]) -> Term {
    let bytes: Vec<Term> = ["x", "y", "z"].iter().map(|name| pool.var(8, name)).collect();
    let mut all: Vec<Term> = Vec::new();
    for &(what, a, b, c) in steps {
        let (x, y) = (bytes[usize::from(a % 3)], bytes[usize::from(b % 3)]);
        let small = pool.constant(8, u128::from(c % 4));
        let leaf = match what % 5 {
            0 => pool.ult(x, small),
            1 => pool.eq(x, small),
            2 => pool.ult(x, y),
            3 => pool.ule(x, y),
            _ => {
                let mixed = pool.binary(Binary::Xor, x, y);
                pool.eq(mixed, small)
            }
        };
        let leaf = if what & 32 == 0 { leaf } else { pool.not(leaf) };
        all.push(leaf);
        if let (true, [.., p, q, _]) = (what & 64 == 0, &all[..]) {
            let both = if what & 128 == 0 { pool.and(*p, *q) } else { pool.or(*p, *q) };
            all.push(both);
        }
    }
    let (any, most) = (pool.or_all(&all), pool.and_all(&all));
    let last = all[all.len() - 1];
    let not = pool.not(last);
    let either = pool.and(any, not);
    pool.or(either, most)
}

/// The functions above distinguish no more values than these.
fn inputs() -> impl Iterator<Item = Assignment> {
    (0..512u128).map(|n| [(Var(0), n % 8), (Var(1), n / 8 % 8), (Var(2), n / 64)].into_iter().collect())
}

proptest! {
    /// The cubes of a guard are disjoint, and one of them holds exactly where the guard does.
    #[test]
    fn cubes_are_a_partition_of_the_guard(steps in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..7)) {
        let mut pool = Pool::new();
        let cond = condition(&mut pool, &steps);
        let mut m = Summaries::new(Limits::default(), true);
        let guard = m.guard(&mut pool, cond).unwrap();
        let mut cubes: Vec<Vec<Term>> = Vec::new();
        // Each cube is refused for itself alone, so the search goes on to the next one.
        let found = m.has_cube(&mut pool, guard, &|_, _| true, &mut |_, cube| {
            cubes.push(cube.to_vec());
            Verdict::Impossible(cube.to_vec())
        });
        prop_assert_eq!(found, (guard != Guard::TRUE).then_some(false));
        for input in inputs() {
            let holds = cubes.iter().filter(|c| c.iter().all(|t| pool.eval(*t, &input) != 0)).count();
            prop_assert_eq!(holds, usize::from(pool.eval(cond, &input) != 0), "{:?}", cubes.len());
        }
    }

    /// A search that somebody decides cubes for finds one exactly if the guard can hold: no core, comparison,
    /// bound of a byte or way that failed before hides it.
    #[test]
    fn a_guard_has_a_cube_exactly_if_it_can_hold(
        steps in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..9),
        wish: bool,
    ) {
        let mut pool = Pool::new();
        let cond = condition(&mut pool, &steps);
        let mut m = Summaries::new(Limits::default(), true);
        let guard = m.guard(&mut pool, cond).unwrap();
        let found = m.has_cube(&mut pool, guard, &|_, _| wish, &mut |pool, cube| {
            let holds = |core: &[Term]| inputs().any(|i| core.iter().all(|t| pool.eval(*t, &i) != 0));
            if holds(cube) {
                return Verdict::Possible;
            }
            // A core with nothing in it that could be left out.
            let mut core = cube.to_vec();
            for t in cube {
                let without: Vec<Term> = core.iter().copied().filter(|u| u != t).collect();
                if !holds(&without) {
                    core = without;
                }
            }
            Verdict::Impossible(core)
        });
        prop_assert_eq!(found, Some(inputs().any(|i| pool.eval(cond, &i) != 0)));
    }
}
