//! Rules of `concat`, `extract`, `zext`, `sext`.

use super::pattern::{either, tree, vars};
use super::{Apply2, ApplyExtend, ApplyExtract, rewrites};
use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;
use crate::semantics::{self, NARROW};

rewrites! {
    CONCAT: Apply2 = {
        concat_zero(HALF) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.concat(k, x) };
        concat_zext(HALF) |p, w, _| { let [x, y] = vars(p, w); let t = p.zext(x, w + 1); p.concat(t, y) };
        concat_constant_zext(HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.zext(x, w + 1);
            p.concat(k, t)
        };
        concat_right(HALF) |p, w, _| {
            let [x, y, z] = vars(p, w);
            let t = p.concat(x, y);
            p.concat(t, z)
        };
        concat_extracts(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let m = 1 + (c % u128::from(w - 1)) as u32;
            let (hi, lo) = (p.extract(x, m, w - m), p.extract(x, 0, m));
            p.concat(hi, lo)
        };
        concat_adjacent(MULTI_HALF) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let m = 1 + (c % u128::from(w - 1)) as u32;
            let (hi, lo) = (p.extract(x, m, w - m), p.extract(x, 0, m));
            let t = p.concat(lo, y);
            p.concat(hi, t)
        };
        concat_ites(MULTI_HALF) |p, w, [c, d]| {
            let [x, y] = vars(p, w);
            let b = p.var(1, "b");
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let (s, t) = (p.ite(b, k, x), p.ite(b, l, y));
            p.concat(s, t)
        };
    }
    EXTRACT: ApplyExtract = {
        extract_all(ANY) |p, w, _| { let [x] = vars(p, w); p.extract(x, 0, w) };
        extract_extract(THREE) |p, w, c| {
            let [x] = vars(p, w);
            let (lo, n) = part(w, c);
            let t = p.extract(x, w - n, n);
            let (lo, n) = part(n, [lo.into(), c[1]]);
            p.extract(t, lo, n)
        };
        extract_concat(HALF) |p, w, c| {
            let [x, y] = vars(p, w);
            let t = p.concat(x, y);
            slice(p, t, c)
        };
        extract_zext(HALF) |p, w, c| { let [x] = vars(p, w); let t = p.zext(x, 2 * w); slice(p, t, c) };
        extract_sext(HALF) |p, w, c| { let [x] = vars(p, w); let t = p.sext(x, 2 * w); slice(p, t, c) };
        extract_not(MULTI) |p, w, c| { let [x] = vars(p, w); let t = p.not(x); slice(p, t, c) };
        extract_tree(MULTI) |p, w, c| { let t = tree(p, w, c); slice(p, t, c) };
        extract_bitwise(MULTI) |p, w, c| {
            let [x] = vars(p, w);
            let k = p.constant(w, c[0] | 5);
            let t = p.xor(x, k);
            slice(p, t, c)
        };
        extract_low(MULTI_HALF) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let t = p.zext(x, 2 * w);
            let k = p.constant(2 * w, c << 1);
            let t = if d % 2 == 0 { p.add(t, k) } else { p.mul(t, k) };
            p.extract(t, 0, w)
        };
        extract_low_neg(MULTI_HALF) |p, w, _| {
            let [x] = vars(p, w);
            let t = p.sext(x, 2 * w);
            let t = p.neg(t);
            p.extract(t, 0, w)
        };
        extract_ite(MULTI_HALF) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let b = p.var(1, "b");
            let (s, k) = (p.concat(x, y), p.constant(2 * w, c));
            let t = p.ite(b, s, k);
            p.extract(t, 0, w)
        };
    }
    ZEXT: ApplyExtend = {
        zext_zext(HALF) |p, w, _| { let [x] = vars(p, w); let t = p.zext(x, w + 1); p.zext(t, w + 2) };
        zext_tree(MULTI_HALF) |p, w, c| { let t = tree(p, w, c); p.zext(t, w + 2) };
    }
    SEXT: ApplyExtend = {
        sext_sext(HALF) |p, w, _| { let [x] = vars(p, w); let t = p.sext(x, w + 1); p.sext(t, w + 2) };
        sext_natural(HALF) |p, w, _| { let [x] = vars(p, w); let t = p.zext(x, w + 1); p.sext(t, w + 2) };
        sext_tree(MULTI_HALF) |p, w, c| { let t = tree(p, w, c); p.sext(t, w + 2) };
    }
}

/// A part of `width` bits, for examples: where it begins and how long it is.
fn part(width: u32, [c, d]: [u128; 2]) -> (u32, u32) {
    let lo = (c % u128::from(width)) as u32;
    (lo, 1 + (d % u128::from(width - lo)) as u32)
}

/// Example: some extract of `t`
fn slice(p: &mut Pool, t: Term, c: [u128; 2]) -> Term {
    let (lo, n) = part(p.width(t), c);
    p.extract(t, lo, n)
}

/// match: `concat(0, x)` · result: `zext x`
fn concat_zero(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    p.is_zero(hi).then(|| p.zext(lo, p.width(hi) + p.width(lo)))
}

/// match: `concat(zext x, y)` · result: `zext concat(x, y)`
fn concat_zext(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let x = p.as_zext(hi)?;
    let t = p.concat(x, lo);
    Some(p.zext(t, p.width(hi) + p.width(lo)))
}

/// match: `concat(k, zext x)` · result: `concat(k', x)`, k' with the zeros of the extension
fn concat_constant_zext(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let k = p.as_const(hi)?;
    let x = p.as_zext(lo)?;
    let zeros = p.width(lo) - p.width(x);
    let width = p.width(hi) + zeros;
    (width <= NARROW).then(|| {
        let k = p.constant(width, k << zeros);
        p.concat(k, x)
    })
}

/// match: `concat(concat(x, y), z)` · result: `concat(x, concat(y, z))`
fn concat_right(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let (x, y) = p.as_concat(hi)?;
    let t = p.concat(y, lo);
    Some(p.concat(x, t))
}

/// `hi` and `lo` as one term: extracts of one term that touch, or constants.
fn join(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let width = p.width(hi) + p.width(lo);
    if let (Some(k), Some(l)) = (p.as_const(hi), p.as_const(lo)) {
        return (width <= NARROW).then(|| p.constant(width, k << p.width(lo) | l));
    }
    let ((x, from), (y, to)) = (p.as_extract(hi)?, p.as_extract(lo)?);
    (x == y && from == to + p.width(lo)).then(|| p.extract(x, to, width))
}

/// match: `concat(extract(x, m, _), extract(x, l, m - l))` · result: `extract(x, l, _)`
fn concat_extracts(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    join(p, hi, lo)
}

/// match: `concat(x, concat(y, z))`, x and y constants or extracts that touch · result:
/// `concat(xy, z)`
fn concat_adjacent(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let (y, z) = p.as_concat(lo)?;
    let joined = join(p, hi, y)?;
    Some(p.concat(joined, z))
}

/// match: `concat(ite(c, x, y), ite(c, u, v))`, x with u or y with v are constants or extracts that
/// touch · result: `ite(c, concat(x, u), concat(y, v))`
fn concat_ites(p: &mut Pool, hi: Term, lo: Term) -> Option<Term> {
    let ((c, x, y), (d, u, v)) = (p.as_ite(hi)?, p.as_ite(lo)?);
    if c != d || (join(p, x, u).is_none() && join(p, y, v).is_none()) {
        return None;
    }
    let (a, b) = (p.concat(x, u), p.concat(y, v));
    Some(p.ite(c, a, b))
}

/// match: `extract(x, 0, width(x))` · result: `x`
fn extract_all(p: &mut Pool, t: Term, _: u32, width: u32) -> Option<Term> {
    (width == p.width(t)).then_some(t)
}

/// match: `extract(extract(x, k, _), l, n)` · result: `extract(x, k + l, n)`
fn extract_extract(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let (x, below) = p.as_extract(t)?;
    Some(p.extract(x, below + lo, width))
}

/// match: `extract(concat(x, y), _, _)` · result: the part of x, of y, or the two concatenated
fn extract_concat(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    p.as_concat(t)?;
    let (mut t, mut lo) = (t, lo);
    // All levels in one go: a concatenation may be deeper than rules may nest.
    while let Some((x, y)) = p.as_concat(t) {
        let split = p.width(y);
        if lo >= split {
            (t, lo) = (x, lo - split);
        } else if lo + width <= split {
            t = y;
        } else {
            let upper = p.extract(x, 0, lo + width - split);
            let lower = p.extract(y, lo, split - lo);
            return Some(p.concat(upper, lower));
        }
    }
    Some(p.extract(t, lo, width))
}

/// match: `extract(zext x, _, _)` · result: the part of x, zeros, or a `zext` of the part of x
fn extract_zext(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let x = p.as_zext(t)?;
    let end = p.width(x);
    if lo >= end {
        return Some(p.zero(width));
    }
    let inside = p.extract(x, lo, width.min(end - lo));
    Some(p.zext(inside, width))
}

/// match: `extract(sext x, _, _)` · result: the part of x, or a `sext` of the part of x
fn extract_sext(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let x = p.as_sext(t)?;
    let end = p.width(x);
    let lo = lo.min(end - 1);
    let inside = p.extract(x, lo, width.min(end - lo));
    Some(p.sext(inside, width))
}

/// match: `extract(~x, l, n)` · result: `~extract(x, l, n)`
fn extract_not(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let x = p.as_not(t)?;
    let part = p.extract(x, lo, width);
    Some(p.not(part))
}

/// match: `extract(t, l, n)`, t a choice between constants · result: the choice of their parts
fn extract_tree(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    p.map_tree(t, &mut |p, leaf| p.constant(width, leaf >> lo))
}

/// Does an extract of `t` lead to a term that is there already, or to a constant?
fn is_free(p: &Pool, t: Term, lo: u32, width: u32) -> bool {
    match p.node(t) {
        Node::Const(_) => true,
        Node::ZExt(x) => lo >= p.width(x) || (lo == 0 && width >= p.width(x)),
        Node::SExt(x) => lo == 0 && width >= p.width(x),
        Node::Concat(hi, lo_part) => {
            let split = p.width(lo_part);
            if lo >= split {
                is_free(p, hi, lo - split, width)
            } else {
                lo + width <= split && is_free(p, lo_part, lo, width)
            }
        }
        _ => lo == 0 && width == p.width(t),
    }
}

/// match: `extract(x op y, l, n)`, op bitwise, the extract of x or y for free · result:
/// `extract(x, l, n) op extract(y, l, n)`
fn extract_bitwise(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let Node::Binary(op @ (Binary::And | Binary::Or | Binary::Xor), a, b) = p.node(t) else { return None };
    either(a, b, |a, b| is_free(p, b, lo, width).then_some(a))?;
    let (x, y) = (p.extract(a, lo, width), p.extract(b, lo, width));
    Some(p.binary(op, x, y))
}

/// match: `extract(x op y, 0, n)`, op `+` or `*`, the extracts of x and y for free · result:
/// `extract(x, 0, n) op extract(y, 0, n)`
fn extract_low(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let Node::Binary(op @ (Binary::Add | Binary::Mul), a, b) = p.node(t) else { return None };
    (lo == 0 && is_free(p, a, 0, width) && is_free(p, b, 0, width)).then(|| {
        let (x, y) = (p.extract(a, 0, width), p.extract(b, 0, width));
        p.binary(op, x, y)
    })
}

/// match: `extract(-x, 0, n)`, the extract of x for free · result: `-extract(x, 0, n)`
fn extract_low_neg(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let Node::Unary(Unary::Neg, a) = p.node(t) else { return None };
    (lo == 0 && is_free(p, a, 0, width)).then(|| {
        let x = p.extract(a, 0, width);
        p.neg(x)
    })
}

/// match: `extract(ite(c, x, y), l, n)`, the extracts of x and y for free · result:
/// `ite(c, extract(x, l, n), extract(y, l, n))`
fn extract_ite(p: &mut Pool, t: Term, lo: u32, width: u32) -> Option<Term> {
    let (c, a, b) = p.as_ite(t)?;
    (is_free(p, a, lo, width) && is_free(p, b, lo, width)).then(|| {
        let (x, y) = (p.extract(a, lo, width), p.extract(b, lo, width));
        p.ite(c, x, y)
    })
}

/// match: `zext zext x` · result: `zext x`
fn zext_zext(p: &mut Pool, t: Term, width: u32) -> Option<Term> {
    p.as_zext(t).map(|x| p.zext(x, width))
}

/// match: `zext t`, t a choice between constants · result: the choice between them extended
fn zext_tree(p: &mut Pool, t: Term, width: u32) -> Option<Term> {
    p.map_tree(t, &mut |p, leaf| p.constant(width, leaf))
}

/// match: `sext sext x` · result: `sext x`
fn sext_sext(p: &mut Pool, t: Term, width: u32) -> Option<Term> {
    p.as_sext(t).map(|x| p.sext(x, width))
}

/// match: `sext x`, x not negative · result: `zext x`
fn sext_natural(p: &mut Pool, t: Term, width: u32) -> Option<Term> {
    let sign_known = p.is_narrow(t) && p.known_bits(t).zeros & semantics::sign_bit(p.width(t)) != 0;
    sign_known.then(|| p.zext(t, width))
}

/// match: `sext t`, t a choice between constants · result: the choice between them extended
fn sext_tree(p: &mut Pool, t: Term, width: u32) -> Option<Term> {
    let narrow = p.width(t);
    if width > NARROW {
        return None;
    }
    p.map_tree(t, &mut |p, leaf| p.constant(width, semantics::sign_extend(narrow, width, leaf)))
}
