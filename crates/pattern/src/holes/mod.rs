//! What stands where constants differ: functions of the variable of a pattern.
//!
//! The paper has a·x+b, one for all places; the kinds beyond are what it names as future work. A place is
//! filled independently of the others. Whatever is found is right for the given values of x, and the
//! merged state allows no others.

mod linear;
mod modular;
mod polynomial;
mod step;

pub(crate) use step::{pieces, step};

use rejoin_expr::{Pool, Term};

/// A term of `width` bits that is `values[n]` for x = `ds[n]`.
pub(crate) fn fill(pool: &mut Pool, x: Term, width: u32, ds: &[u128], values: &[u128]) -> Option<Term> {
    if !(2..=64).contains(&width) {
        return None;
    }
    linear::fill(pool, x, width, ds, values)
        .or_else(|| polynomial::fill(pool, x, width, ds, values))
        .or_else(|| modular::fill(pool, x, width, ds, values))
}

/// A number of `width` bits with its sign: programs count down as well as up.
fn signed(value: u128, width: u32) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// `t` as a term of another width, of which only the low bits count.
fn resize(pool: &mut Pool, t: Term, width: u32) -> Term {
    match pool.width(t) {
        w if w <= width => pool.zext(t, width),
        _ => pool.extract(t, 0, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each kind, a sequence that it fills and no earlier one does.
    #[test]
    fn what_is_filled_has_the_values() {
        type Kind = fn(&mut Pool, Term, u32, &[u128], &[u128]) -> Option<Term>;
        type Sequence = fn(u128) -> u128;
        let kinds: [Kind; 3] = [linear::fill, polynomial::fill, modular::fill];
        let down = |d: u128| 200u128.wrapping_sub(7 * d) & 0xff;
        let cases: [(usize, Sequence); 7] = [
            (0, |d| 3 * d + 5),
            (0, down),
            (1, |d| d * d),
            (1, |d| d * (d + 1) / 2),
            (1, |d| d * (d + 1) * (d + 2) / 6 + 250),
            (2, |d| u128::from(b"abc"[d as usize % 3])),
            (2, |d| d / 2 + 10 * (d % 2)),
        ];
        for width in [8, 32, 64] {
            for (n, (kind, value)) in cases.into_iter().enumerate() {
                let mut pool = Pool::new();
                let x = pool.index_var(8, 20);
                for ds in [(0..=20).rev().collect::<Vec<u128>>(), (1..=9).collect()] {
                    let values: Vec<u128> = ds.iter().map(|&d| value(d) & mask(width)).collect();
                    for (which, fill) in kinds.iter().enumerate().take(kind + 1) {
                        let t = fill(&mut pool, x, width, &ds, &values);
                        assert_eq!(t.is_some(), which == kind, "case {n}, kind {which}, width {width}");
                        let Some(t) = t else { continue };
                        for (&d, &v) in ds.iter().zip(&values) {
                            let instance = pool.instance(x, d, t);
                            assert_eq!(pool.as_const(instance), Some(v), "case {n} at {d}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_rule_is_not_filled() {
        let mut pool = Pool::new();
        let x = pool.index_var(8, 12);
        let ds: Vec<u128> = (0..=12).collect();
        let primes: Vec<u128> = vec![2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];
        assert_eq!(fill(&mut pool, x, 8, &ds, &primes), None);
    }
}
