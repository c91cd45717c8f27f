//! Scan arrays: running sums and other folds over what a loop reads, as `S[k]` where `S[i] = F(S[i-1], i)`.
//!
//! No term in k alone is the sum of k bytes. The fold after each number of iterations is an element of an
//! array, whose definition is kept once beside the path, as the arrays of inputs are; a path says `S[k]`.
//! What no such F is found for stays a choice by k.

use crate::shape::Shapes;
use crate::synthesis::generalise;
use rejoin_expr::{Binary, Node, Pool, Term};

/// Fewer values are not worth an array.
const FEW: usize = 4;

/// A term that is `values[n]` for x = `ks[n]`, if each value is the same function of the one before and of x.
pub fn scan(pool: &mut Pool, x: Term, ks: &[u128], values: &[Term]) -> Option<Term> {
    let mut points: Vec<(u128, Term)> = ks.iter().copied().zip(values.iter().copied()).collect();
    points.sort_unstable();
    let (first, width) = (points[0].0, pool.width(values[0]));
    let is_run = points.iter().enumerate().all(|(n, p)| p.0 == first + n as u128);
    let is_plain = |t: &Term| !pool.is_quantified(*t) && pool.width(*t) == width;
    if points.len() < FEW || !is_run || width % 8 != 0 || width > 64 || !values.iter().all(is_plain) {
        return None;
    }
    let folds: Vec<Term> = points.iter().map(|p| p.1).collect();
    is_recurrence(pool, x, first, &folds).then_some(())?;
    let count = u128::from(width / 8);
    let mut bytes = vec![pool.constant(8, 0); (first * count) as usize];
    for &fold in &folds {
        bytes.extend((0..width / 8).map(|b| pool.extract(fold, 8 * b, 8)));
    }
    let array = pool.defined_array(&bytes);
    let wide = pool.zext(x, 32);
    let size = pool.constant(32, count);
    let start = pool.mul(wide, size);
    let mut word: Option<Term> = None;
    for b in 0..count {
        let offset = pool.constant(32, b);
        let at = pool.add(start, offset);
        let byte = pool.select(array, at);
        word = Some(word.map_or(byte, |low| pool.concat(byte, low)));
    }
    word
}

/// Whether each of the values, of which the first belongs to `first`, is one function of the one before and
/// of its number.
fn is_recurrence(pool: &mut Pool, x: Term, first: u128, folds: &[Term]) -> bool {
    let before = pool.index_var(pool.width(folds[0]), u128::MAX);
    // The first value may be a constant that is not seen in the second.
    let numbers: Vec<u128> = (first + 2..first + folds.len() as u128).collect();
    let steps: Option<Vec<Term>> =
        folds[1..].windows(2).map(|pair| in_terms_of(pool, pair[1], pair[0], before)).collect();
    let Some(steps) = steps else { return false };
    let Some(step) = generalise(pool, &mut Shapes::default(), x, &numbers, &steps) else { return false };
    folds.windows(2).enumerate().all(|(n, pair)| {
        let step = pool.instance(x, first + n as u128 + 1, step);
        pool.replace(step, before, pair[0]) == pair[1]
    })
}

/// `t` in terms of `before`, of which it is made.
fn in_terms_of(pool: &mut Pool, t: Term, fold: Term, before: Term) -> Option<Term> {
    let (mut rest, sum) = summands(pool, t);
    let (taken, less) = summands(pool, fold);
    let contained = taken.iter().all(|u| match rest.iter().position(|r| r == u) {
        Some(at) => {
            rest.swap_remove(at);
            true
        }
        None => false,
    });
    if contained && !taken.is_empty() && taken[0] != t {
        rest.sort_unstable();
        let constant = pool.constant(pool.width(t), sum.wrapping_sub(less));
        return Some(rest.into_iter().fold(pool.add(before, constant), |all, u| pool.add(all, u)));
    }
    let replaced = pool.replace(t, fold, before);
    (replaced != t && pool.as_const(fold).is_none()).then_some(replaced)
}

/// What a sum is made of, and the constant in it.
fn summands(pool: &Pool, t: Term) -> (Vec<Term>, u128) {
    let (mut parts, mut constant, mut todo) = (Vec::new(), 0u128, vec![t]);
    while let Some(u) = todo.pop() {
        match (pool.node(u), pool.as_const(u)) {
            (_, Some(c)) => constant = constant.wrapping_add(c),
            (Node::Binary(Binary::Add, a, b), _) => todo.extend([b, a]),
            _ => parts.push(u),
        }
    }
    (parts, constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::Assignment;
    use rejoin_expr::Var;

    fn folds(pool: &mut Pool, step: fn(&mut Pool, Term, Term) -> Term) -> (Vec<Term>, Vec<u128>) {
        let s: Vec<Term> = (0..6).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        pool.inputs(&s);
        let mut values = vec![pool.constant(32, 5)];
        for byte in s {
            let wide = pool.zext(byte, 32);
            let last = values[values.len() - 1];
            values.push(step(pool, last, wide));
        }
        (values, (0..=6).collect())
    }

    #[test]
    fn sums_and_hashes_are_scans() {
        let steps: [fn(&mut Pool, Term, Term) -> Term; 3] = [
            |p, sum, byte| p.add(sum, byte),
            |p, sum, byte| {
                let digit = p.constant(32, 48);
                let value = p.sub(byte, digit);
                p.add(sum, value)
            },
            |p, hash, byte| {
                let factor = p.constant(32, 31);
                let product = p.mul(hash, factor);
                p.xor(product, byte)
            },
        ];
        for (n, step) in steps.into_iter().enumerate() {
            let mut pool = Pool::new();
            let (values, ks) = folds(&mut pool, step);
            let x = pool.index_var(8, 6);
            let Some(t) = scan(&mut pool, x, &ks, &values) else { panic!("case {n}") };
            let Node::Var(index) = pool.node(x) else { panic!("a variable") };
            for (k, v) in ks.iter().zip(&values) {
                let a: Assignment =
                    (0..6).map(|i| (Var(i), u128::from(i) * 41 + 7)).chain([(index, *k)]).collect();
                assert_eq!(pool.eval(t, &a), pool.eval(*v, &a), "case {n} at {k}");
            }
        }
    }

    #[test]
    fn what_is_no_fold_is_no_scan() {
        let mut pool = Pool::new();
        let (mut values, ks) = folds(&mut pool, |p, sum, byte| p.add(sum, byte));
        values[4] = values[2];
        let x = pool.index_var(8, 6);
        assert_eq!(scan(&mut pool, x, &ks, &values), None);
    }
}
