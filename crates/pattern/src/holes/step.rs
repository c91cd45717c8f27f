//! ite(x ≤ c, t, u): what a byte is that the loop writes in iteration c. Over all bytes of an array this is
//! the comprehension `a'[j] = ite(j < k, t(j), a[j])`.

use rejoin_expr::{Pool, Term};

/// More pieces are not worth it: before, in and after the iteration that ends the loop.
const PIECES: usize = 3;

/// How many pieces of equal values there are, in the order of x.
pub(crate) fn pieces(ds: &[u128], values: &[Term]) -> usize {
    let mut points: Vec<(u128, Term)> = ds.iter().copied().zip(values.iter().copied()).collect();
    points.sort_unstable();
    points.chunk_by(|a, b| a.1 == b.1).count()
}

/// A term that is `values[n]` for x = `ds[n]`, if there are few pieces of equal values.
pub(crate) fn step(pool: &mut Pool, x: Term, ds: &[u128], values: &[Term]) -> Option<Term> {
    let mut points: Vec<(u128, Term)> = ds.iter().copied().zip(values.iter().copied()).collect();
    points.sort_unstable();
    let mut pieces: Vec<(u128, Term)> = Vec::new(); // the last x, and the value up to there
    for (d, t) in points {
        let count = pieces.len();
        match pieces.last_mut() {
            Some(piece) if piece.1 == t => piece.0 = d,
            _ if count == PIECES => return None,
            _ => pieces.push((d, t)),
        }
    }
    let (_, mut selected) = pieces.pop()?;
    for (last, t) in pieces.into_iter().rev() {
        let last = pool.constant(pool.width(x), last);
        let before = pool.ule(x, last);
        selected = pool.ite(before, t, selected);
    }
    Some(selected)
}
