//! Rules of equality.

use super::pattern::{either, tree, trees, vars};
use super::{Apply2, rewrites};
use crate::node::{Binary, Term};
use crate::pool::Pool;
use crate::semantics::{self, mask};

rewrites! {
    EQ: Apply2 = {
        eq_same(ANY) |p, w, _| { let [x] = vars(p, w); p.eq(x, x) };
        eq_bool(BOOL) |p, w, [c, _]| { let [x] = vars(p, w); let k = p.constant(w, c); p.eq(x, k) };
        eq_complement(ANY) |p, w, _| { let [x] = vars(p, w); let t = p.not(x); p.eq(t, x) };
        eq_not(ANY) |p, w, _| { let [x, y] = vars(p, w).map(|x| p.not(x)); p.eq(x, y) };
        eq_not_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.not(x);
            p.eq(t, k)
        };
        eq_neg(MULTI) |p, w, _| { let [x, y] = vars(p, w).map(|x| p.neg(x)); p.eq(x, y) };
        eq_neg_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.neg(x);
            p.eq(t, k)
        };
        eq_add_constant(MULTI) |p, w, c| constants(p, Binary::Add, w, c);
        eq_add_constants(MULTI) |p, w, [c, d]| {
            let [x, y] = vars(p, w);
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let (s, t) = (p.add(x, k), p.add(y, l));
            p.eq(s, t)
        };
        eq_difference(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let t = p.sub(x, y);
            let zero = p.constant(w, 0);
            p.eq(t, zero)
        };
        eq_add_cancel(MULTI) |p, w, _| {
            let [x, y, z] = vars(p, w);
            let (s, t) = (p.add(x, y), p.add(z, x));
            p.eq(s, t)
        };
        eq_add_absorb(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.add(y, x); p.eq(x, t) };
        eq_xor_constant(MULTI) |p, w, c| constants(p, Binary::Xor, w, c);
        eq_xor_zero(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let t = p.xor(x, y);
            let zero = p.constant(w, 0);
            p.eq(t, zero)
        };
        eq_or_zero(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let t = p.or(x, y);
            let zero = p.constant(w, 0);
            p.eq(t, zero)
        };
        eq_mul_odd(THREE) |p, w, [c, d]| constants(p, Binary::Mul, w, [c | 1, d]);
        eq_zext_constant(HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c & mask(w));
            let t = p.zext(x, 2 * w);
            p.eq(t, k)
        };
        eq_zexts(MULTI_HALF) |p, w, _| {
            let [x] = vars(p, w);
            let y = p.var(w - 1, "y");
            let (s, t) = (p.zext(x, 2 * w), p.zext(y, 2 * w));
            p.eq(s, t)
        };
        eq_sext_constant(HALF) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, semantics::sign_extend(w, 2 * w, c) ^ (d & 1) << (2 * w - 1));
            let t = p.sext(x, 2 * w);
            p.eq(t, k)
        };
        eq_sexts(HALF) |p, w, _| { let [s, t] = vars(p, w).map(|x| p.sext(x, 2 * w)); p.eq(s, t) };
        eq_concat_constant(HALF) |p, w, [c, d]| {
            let [x, y] = vars(p, w);
            let t = p.concat(x, y);
            let k = p.constant(2 * w, c << w | d & mask(w));
            p.eq(t, k)
        };
        eq_concats(MULTI_HALF) |p, w, _| {
            let [x, y, z] = vars(p, w);
            let (s, t) = (p.concat(x, y), p.concat(z, x));
            p.eq(s, t)
        };
        eq_concat_zext(MULTI_HALF) |p, w, _| {
            let [x, y] = vars(p, w);
            let z = p.var(w - 1, "z");
            let (s, t) = (p.concat(x, y), p.zext(z, 2 * w));
            p.eq(s, t)
        };
        eq_tree(MULTI) |p, w, c| { let t = tree(p, w, c); let k = p.constant(w, c[0]); p.eq(t, k) };
        eq_trees(MULTI) |p, w, c| trees(p, Binary::Eq, w, c);
        eq_ite_arm(MULTI) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let b = p.var(1, "b");
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let t = p.ite(b, k, x);
            p.eq(t, l)
        };
    }
}

/// Example: `x op k = l`
fn constants(p: &mut Pool, op: Binary, w: u32, [c, d]: [u128; 2]) -> Term {
    let [x] = vars(p, w);
    let [k, l] = [c, d].map(|bits| p.constant(w, bits));
    let t = p.binary(op, x, k);
    p.eq(t, l)
}

/// match: `x = x` · result: true
fn eq_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.tru())
}

/// match: `x = 1`, `x = 0` of one bit · result: `x`, `not x`
fn eq_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if p.width(a) != 1 {
        return None;
    }
    Some(if p.as_const(b)? == 1 { a } else { p.not(a) })
}

/// match: `x = ~x` · result: false
fn eq_complement(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_complement(a, b).then(|| p.fals())
}

/// match: `~x = ~y` · result: `x = y`
fn eq_not(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_not(a)?, p.as_not(b)?);
    Some(p.eq(x, y))
}

/// match: `~x = k` · result: `x = ~k`
fn eq_not_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let x = p.as_not(a)?;
    let k = p.not(b);
    Some(p.eq(x, k))
}

/// match: `-x = -y` · result: `x = y`
fn eq_neg(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_neg(a)?, p.as_neg(b)?);
    Some(p.eq(x, y))
}

/// match: `-x = k` · result: `x = -k`
fn eq_neg_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let x = p.as_neg(a)?;
    let k = p.neg(b);
    Some(p.eq(x, k))
}

/// match: `x + k = l` · result: `x = l - k`
fn eq_add_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::Add, a)?;
    let k = p.constant(p.width(a), l.wrapping_sub(k));
    Some(p.eq(x, k))
}

/// match: `x + k = y + l` · result: `x + (k - l) = y`
fn eq_add_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, k) = p.as_with_constant(Binary::Add, a)?;
    let (y, l) = p.as_with_constant(Binary::Add, b)?;
    let k = p.constant(p.width(a), k.wrapping_sub(l));
    let t = p.add(x, k);
    Some(p.eq(t, y))
}

/// match: `x + -y = 0` · result: `x = y`
fn eq_difference(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if !p.is_zero(b) {
        return None;
    }
    let (u, v) = p.as_binary(Binary::Add, a)?;
    either(u, v, |x, minus_y| {
        let y = p.as_neg(minus_y)?;
        Some(p.eq(x, y))
    })
}

/// match: `x + y = x + z` · result: `y = z`
fn eq_add_cancel(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (s, t) = p.as_binary(Binary::Add, a)?;
    let (u, v) = p.as_binary(Binary::Add, b)?;
    either(s, t, |x, y| either(u, v, |same, z| (same == x).then(|| p.eq(y, z))))
}

/// match: `x + y = x` · result: `y = 0`
fn eq_add_absorb(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |t, x| {
        let (u, v) = p.as_binary(Binary::Add, t)?;
        either(u, v, |same, y| {
            (same == x).then(|| {
                let zero = p.zero(p.width(x));
                p.eq(y, zero)
            })
        })
    })
}

/// match: `x xor k = l` · result: `x = k xor l`
fn eq_xor_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let (x, k) = p.as_binary(Binary::Xor, a)?;
    p.as_const(k)?;
    let k = p.xor(k, b);
    Some(p.eq(x, k))
}

/// match: `x xor y = 0` · result: `x = y`
fn eq_xor_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if !p.is_zero(b) {
        return None;
    }
    p.as_binary(Binary::Xor, a).map(|(x, y)| p.eq(x, y))
}

/// match: `x or y = 0` · result: `x = 0 and y = 0`
fn eq_or_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if !p.is_zero(b) {
        return None;
    }
    let (x, y) = p.as_binary(Binary::Or, a)?;
    let (left, right) = (p.eq(x, b), p.eq(y, b));
    Some(p.and(left, right))
}

/// match: `x * k = l`, k odd · result: `x = l / k` modulo 2^width
fn eq_mul_odd(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::Mul, a).filter(|&(_, k)| k % 2 == 1)?;
    // Newton's iteration doubles the number of correct low bits of the inverse; k has 3.
    let inverse =
        (0..6).fold(k, |inverse: u128, _| inverse.wrapping_mul(2u128.wrapping_sub(k.wrapping_mul(inverse))));
    let quotient = p.constant(p.width(a), l.wrapping_mul(inverse));
    Some(p.eq(x, quotient))
}

/// match: `zext x = k`, k < 2^width(x) · result: `x = k`
fn eq_zext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let x = p.as_zext(a)?;
    let k = p.as_const(b).filter(|&k| k <= mask(p.width(x)))?;
    let k = p.constant(p.width(x), k);
    Some(p.eq(x, k))
}

/// match: `zext x = zext y` · result: `x = y`, one of them extended to the other's width
fn eq_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_zext(a)?, p.as_zext(b)?);
    let width = p.width(x).max(p.width(y));
    let (x, y) = (p.zext(x, width), p.zext(y, width));
    Some(p.eq(x, y))
}

/// match: `sext x = k` · result: `x = k`; false when k is no sign extension
fn eq_sext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, k) = (p.as_sext(a)?, p.as_const(b)?);
    let (width, narrow) = (p.width(a), p.width(x));
    if semantics::sign_extend(narrow, width, k) != k {
        return Some(p.fals());
    }
    let k = p.constant(narrow, k);
    Some(p.eq(x, k))
}

/// match: `sext x = sext y`, x and y of one width · result: `x = y`
fn eq_sexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_sext(a)?, p.as_sext(b)?);
    (p.width(x) == p.width(y)).then(|| p.eq(x, y))
}

/// `concat(hi, lo) = t` as equality of the parts
fn split(p: &mut Pool, hi: Term, lo: Term, t: Term) -> Term {
    let low_width = p.width(lo);
    let upper = p.extract(t, low_width, p.width(hi));
    let lower = p.extract(t, 0, low_width);
    let (hi, lo) = (p.eq(hi, upper), p.eq(lo, lower));
    p.and(hi, lo)
}

/// match: `concat(x, y) = k` · result: `x = k' and y = k''`
fn eq_concat_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let (hi, lo) = p.as_concat(a)?;
    Some(split(p, hi, lo, b))
}

/// match: `concat(x, y) = concat(u, v)`, y and v of one width · result: `x = u and y = v`
fn eq_concats(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let ((x, y), (u, v)) = (p.as_concat(a)?, p.as_concat(b)?);
    (p.width(y) == p.width(v)).then(|| {
        let (hi, lo) = (p.eq(x, u), p.eq(y, v));
        p.and(hi, lo)
    })
}

/// match: `concat(x, y) = zext z`, z not wider than y · result: `x = 0 and y = zext z`
fn eq_concat_zext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, b| {
        let ((hi, lo), z) = (p.as_concat(a)?, p.as_zext(b)?);
        (p.width(z) <= p.width(lo)).then(|| split(p, hi, lo, b))
    })
}

/// match: `t = l`, t a choice between constants · result: the choice of truth values
fn eq_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Eq, a, b)
}

/// match: `t = u`, choices between constants that depend on each other · result: the choice of truth
/// values
fn eq_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Eq, a, b)
}

/// match: `ite(c, k, x) = l`, k and l constants, or the arms swapped · result: `c or x = l` if k is
/// l, else `not c and x = l`
fn eq_ite_arm(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let (mut c, mut k, mut x) = p.as_ite(a)?;
    if p.as_const(k).is_none() {
        (c, k, x) = (p.not(c), x, k);
    }
    p.as_const(k)?;
    let rest = p.eq(x, b);
    Some(if k == b {
        p.or(c, rest)
    } else {
        let not_c = p.not(c);
        p.and(not_c, rest)
    })
}
