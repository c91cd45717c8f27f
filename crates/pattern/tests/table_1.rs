//! Table 1 of the paper: memspn with "a" on at most three bytes, from a tree built by hand.

use rejoin_expr::{Binary, Pool, Term};
use rejoin_pattern::{Compare, Formula, Group, Shapes, Step, formula, partition, value};

/// The execution tree of figure 2: the steps and the count of each leaf.
fn figure_2(pool: &mut Pool, max: usize) -> (Term, Term, Vec<(Vec<Step>, u128)>) {
    let bytes: Vec<Term> = (0..max).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
    let s = pool.inputs(&bytes);
    let n = pool.var(32, "n");
    let a = pool.constant(8, 97);
    let mut leaves = Vec::new();
    let mut path: Vec<Step> = Vec::new();
    let step = |pool: &mut Pool, site, op, a, b, negated| {
        let t = pool.binary(op, a, b);
        let cond = if negated { pool.not(t) } else { t };
        Step { site, cond, compare: Some(Compare { op, a, b, negated }) }
    };
    for count in 0..=max {
        let at = pool.constant(32, count as u128);
        let mut end = path.clone();
        end.push(step(pool, 1, Binary::Ult, at, n, true));
        leaves.push((end, count as u128));
        let Some(&byte) = bytes.get(count) else { break };
        path.push(step(pool, 1, Binary::Ult, at, n, false));
        let mut other = path.clone();
        other.push(step(pool, 2, Binary::Eq, byte, a, true));
        leaves.push((other, count as u128));
        path.push(step(pool, 2, Binary::Eq, byte, a, false));
    }
    (s, n, leaves)
}

fn groups(pool: &mut Pool, leaves: &[(Vec<Step>, u128)]) -> Vec<(Group, Formula, Term)> {
    let mut shapes = Shapes::default();
    let words: Vec<Vec<u64>> =
        leaves.iter().map(|l| l.0.iter().map(|s| shapes.of_step(pool, s)).collect()).collect();
    let steps: Vec<Vec<Step>> = leaves.iter().map(|l| l.0.clone()).collect();
    let found = groups_of(&words).expect("as many as there are");
    found
        .into_iter()
        .map(|group| {
            let f = formula(pool, &group, &steps, &Default::default(), &mut |_, _| false).expect("a formula");
            let ks: Vec<u128> = group.members.iter().map(|m| m.1 as u128).collect();
            let counts: Vec<Term> = group.members.iter().map(|m| pool.constant(32, leaves[m.0].1)).collect();
            let count = value(pool, f.x, &ks, &counts).expect("a value");
            (group, f, count)
        })
        .collect()
}

fn groups_of(words: &[Vec<u64>]) -> Option<Vec<Group>> {
    let lengths: Vec<usize> = words.iter().map(Vec::len).collect();
    partition(&lengths, |w| words[w].clone(), usize::MAX)
}

#[test]
fn table_1_comes_out_of_figure_2() {
    let mut pool = Pool::new();
    let (s, n, leaves) = figure_2(&mut pool, 3);
    let found = groups(&mut pool, &leaves);
    let [(all, f, count), (some, g, other)] = &found[..] else { panic!("two groups") };
    assert_eq!(all.members, [(6, 3), (4, 2), (2, 1), (0, 0)]);
    assert_eq!(some.members, [(5, 2), (3, 1), (1, 0)]);

    for (f, count) in [(f, count), (g, other)] {
        let wide = pool.zext(f.x, 32);
        let one = pool.constant(32, 1);
        let before = pool.sub(wide, one);
        let (inside, read, a) = (pool.ult(before, n), pool.select(s, before), pool.constant(8, 97));
        let equal = pool.eq(read, a);
        assert_eq!(f.core, pool.and(inside, equal), "n > x-1 and s[x-1] = 97");
        assert!(f.start.is_empty());
        assert_eq!(*count, wide);
    }
    let wide = pool.zext(f.x, 32);
    let inside = pool.ult(wide, n);
    let outside = pool.not(inside);
    assert_eq!(f.end, outside, "not n > x");
    let wide = pool.zext(g.x, 32);
    let (inside, read, a) = (pool.ult(wide, n), pool.select(s, wide), pool.constant(8, 97));
    let differs = pool.ne(read, a);
    assert_eq!(g.end, pool.and(inside, differs), "n > x and s[x] ≠ 97");
}

#[test]
fn formulas_do_not_grow_with_the_tree() {
    let sizes = [10, 40].map(|max| {
        let mut pool = Pool::new();
        let (_, _, leaves) = figure_2(&mut pool, max);
        let found = groups(&mut pool, &leaves);
        found.iter().map(|(_, f, _)| pool.size(f.core) + pool.size(f.end)).sum::<usize>()
    });
    assert_eq!(sizes[0], sizes[1]);
}

#[test]
fn a_leaf_that_does_not_fit_leaves_no_formula() {
    let mut pool = Pool::new();
    let (_, _, mut leaves) = figure_2(&mut pool, 3);
    // The second byte is compared with another letter, once.
    let b = pool.constant(8, 99);
    for (steps, _) in &mut leaves {
        if let Some(step) = steps.get_mut(3).filter(|s| s.site == 2)
            && let Some(c) = &mut step.compare
        {
            c.b = b;
            let t = pool.eq(c.a, b);
            step.cond = if c.negated { pool.not(t) } else { t };
        }
    }
    let mut shapes = Shapes::default();
    let words: Vec<Vec<u64>> =
        leaves.iter().map(|l| l.0.iter().map(|s| shapes.of_step(&pool, s)).collect()).collect();
    let steps: Vec<Vec<Step>> = leaves.iter().map(|l| l.0.clone()).collect();
    let groups = groups_of(&words).expect("as many as there are");
    for group in groups {
        assert!(formula(&mut pool, &group, &steps, &Default::default(), &mut |_, _| false).is_none());
    }
}
