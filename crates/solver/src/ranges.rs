//! Bounds of terms from the bounds that a path sets to its bytes.
//!
//! The pool knows bounds that hold for all values of the variables. On a path bytes are digits or
//! letters, and the same reasoning often shows that a comparison of what was computed from them is
//! impossible.

use rejoin_expr::{Binary, Node, Pool, Term, Unary};
use rustc_hash::FxHashMap;

use crate::path::Path;

/// Terms of more nodes than this are not looked at.
const NODES: usize = 400;
/// Wider terms have only the pool's bounds: sums of narrower ones do not overflow.
const WIDEST: u32 = 126;

/// Unsigned bounds, both included.
type Range = (u128, u128);

const UNKNOWN: Range = (0, 1);

/// Does the condition contradict the bounds of its variables?
pub(crate) fn is_impossible(pool: &Pool, path: &Path, cond: Term) -> bool {
    let mut ranges: FxHashMap<Term, Range> = FxHashMap::default();
    let mut todo = vec![cond];
    while let Some(&t) = todo.last() {
        if ranges.contains_key(&t) {
            todo.pop();
            continue;
        }
        if ranges.len() > NODES {
            return false;
        }
        let size = todo.len();
        if pool.width(t) <= WIDEST {
            todo.extend(operands(pool, t).into_iter().filter(|u| !ranges.contains_key(u)));
        }
        if todo.len() == size {
            let range = range(pool, path, t, &ranges);
            ranges.insert(t, range);
            todo.pop();
        }
    }
    ranges.get(&cond) == Some(&(0, 0))
}

/// The operands whose bounds are of use.
fn operands(pool: &Pool, t: Term) -> Vec<Term> {
    let all = match pool.node(t) {
        Node::Unary(Unary::Not, a) | Node::Extract(a, _) | Node::ZExt(a) | Node::SExt(a) => vec![a],
        Node::Binary(_, a, b) | Node::Concat(a, b) => vec![a, b],
        Node::Ite(a, b, c) => vec![a, b, c],
        _ => vec![],
    };
    if all.iter().all(|&u| (1..=WIDEST).contains(&pool.width(u))) { all } else { vec![] }
}

fn range(pool: &Pool, path: &Path, t: Term, ranges: &FxHashMap<Term, Range>) -> Range {
    let general = if pool.width(t) == 0 { (0, 0) } else { pool.interval(t) };
    if pool.width(t) > WIDEST || pool.as_const(t).is_some() {
        return general;
    }
    let (lo, hi) = special(pool, path, t, ranges).unwrap_or(general);
    // Both hold, so the tighter of each does.
    (lo.max(general.0), hi.min(general.1))
}

/// Bounds from those of the operands.
fn special(pool: &Pool, path: &Path, t: Term, ranges: &FxHashMap<Term, Range>) -> Option<Range> {
    let of = |u: Term| ranges.get(&u).copied();
    let top = (1u128 << pool.width(t)) - 1;
    let fits = |range: Range| (range.1 <= top).then_some(range);
    match pool.node(t) {
        Node::Var(v) if pool.width(t) == 8 => {
            let set = path.allowed(v);
            Some((set.min()?.into(), set.iter().last()?.into()))
        }
        Node::Unary(Unary::Not, a) => of(a).map(|(lo, hi)| (top - hi, top - lo)),
        Node::ZExt(a) => of(a),
        Node::SExt(a) => of(a).filter(|&(_, hi)| hi >> (pool.width(a) - 1) == 0),
        Node::Extract(a, lo) => of(a).map(|(l, h)| (l >> lo, h >> lo)).and_then(fits),
        Node::Concat(a, b) => {
            let ((a_lo, a_hi), (b_lo, b_hi), width) = (of(a)?, of(b)?, pool.width(b));
            Some((a_lo << width | b_lo, a_hi << width | b_hi))
        }
        Node::Ite(c, a, b) => match of(c)? {
            (1, _) => of(a),
            (_, 0) => of(b),
            _ => of(a).zip(of(b)).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
        },
        Node::Binary(op, a, b) => binary(op, pool.width(a), of(a)?, of(b)?).and_then(fits),
        _ => None,
    }
}

/// The range modulo 2^width, if all its values wrap equally often.
fn wrapped(width: u32, (lo, hi): Range) -> Option<Range> {
    let top = (1u128 << width) - 1;
    (lo >> width == hi >> width).then_some((lo & top, hi & top))
}

fn binary(op: Binary, width: u32, a: Range, b: Range) -> Option<Range> {
    let half = 1u128 << (width - 1);
    let truth = |always: bool, never: bool| match (always, never) {
        (true, _) => (1, 1),
        (_, true) => (0, 0),
        _ => UNKNOWN,
    };
    // Signed order is unsigned order between numbers of one sign.
    let same_sign = a.1 < half && b.1 < half || a.0 >= half && b.0 >= half;
    match op {
        Binary::Add => wrapped(width, (a.0 + b.0, a.1 + b.1)),
        Binary::Mul => wrapped(width, (a.0.saturating_mul(b.0), a.1.checked_mul(b.1)?)),
        Binary::UDiv if b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        Binary::URem if b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        Binary::And => Some((0, a.1.min(b.1))).map(|r| if width == 1 { (a.0 & b.0, r.1) } else { r }),
        Binary::Or if width == 1 => Some((a.0 | b.0, a.1 | b.1)),
        Binary::Eq => Some(truth(a.0 == a.1 && a == b, a.1 < b.0 || b.1 < a.0)),
        Binary::Ult => Some(truth(a.1 < b.0, a.0 >= b.1)),
        Binary::Ule => Some(truth(a.1 <= b.0, a.0 > b.1)),
        Binary::Slt if same_sign => Some(truth(a.1 < b.0, a.0 >= b.1)),
        Binary::Sle if same_sign => Some(truth(a.1 <= b.0, a.0 > b.1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three digits are below 1000 and not negative, whatever they are.
    #[test]
    fn digits_make_small_numbers() {
        let mut pool = Pool::new();
        let mut path = Path::new();
        let mut number = pool.constant(32, 0);
        let (ten, zero) = (pool.constant(32, 10), pool.constant(32, u128::from(b'0')));
        for i in 0..3 {
            let digit = pool.var(8, &format!("d{i}"));
            let (low, high) = (pool.constant(8, b'0'.into()), pool.constant(8, b'9'.into()));
            let (above, below) = (pool.ule(low, digit), pool.ule(digit, high));
            path.assume(&mut pool, above);
            path.assume(&mut pool, below);
            let wide = pool.zext(digit, 32);
            let (shifted, value) = (pool.mul(number, ten), pool.sub(wide, zero));
            number = pool.add(shifted, value);
        }
        let limit = pool.constant(32, 999);
        let above = pool.ult(limit, number);
        assert!(is_impossible(&pool, &path, above));
        let possible = pool.ule(limit, number);
        assert!(!is_impossible(&pool, &path, possible));
        let none = pool.constant(32, 0);
        let negative = pool.slt(number, none);
        assert!(is_impossible(&pool, &path, negative));
        let free = Path::new();
        assert!(!is_impossible(&pool, &free, above) && !is_impossible(&pool, &free, negative));
    }
}
