//! Rules of the four orders. Against a constant the canonical forms are `x < k` and `k <= x`.

use super::pattern::{tree, trees, vars};
use super::{Apply2, rewrites};
use crate::node::{Binary, Term};
use crate::pool::Pool;
use crate::semantics::{self, mask};

rewrites! {
    ULT: Apply2 = {
        ult_same(ANY) |p, w, _| { let [x] = vars(p, w); p.ult(x, x) };
        ult_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.ult(x, y) };
        ult_constant_left(MULTI) |p, w, c| left(p, Binary::Ult, w, c);
        ult_least(MULTI) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 1); p.ult(x, k) };
        ult_greatest(MULTI) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, u128::MAX); p.ult(x, k) };
        ult_zexts(MULTI_HALF) |p, w, _| zexts(p, Binary::Ult, w);
        ult_zext_constant(MULTI_HALF) |p, w, [c, _]| {
            let t = extended(p, w, false);
            let k = p.constant(2 * w, c & mask(w));
            p.ult(t, k)
        };
        ult_sexts(MULTI_HALF) |p, w, _| sexts(p, Binary::Ult, w);
        ult_sext_constant(MULTI_HALF) |p, w, [c, d]| {
            let t = extended(p, w, true);
            let k = p.constant(2 * w, c << w ^ d);
            p.ult(t, k)
        };
        ult_concat_low(HALF) |p, w, [c, _]| {
            let t = two_parts(p, w);
            let k = p.constant(2 * w, c & mask(w));
            p.ult(t, k)
        };
        ult_tree(MULTI) |p, w, c| { let t = tree(p, w, c); let k = p.constant(w, c[1] >> 1); p.ult(t, k) };
        ult_trees(MULTI) |p, w, c| trees(p, Binary::Ult, w, c);
    }
    ULE: Apply2 = {
        ule_same(ANY) |p, w, _| { let [x] = vars(p, w); p.ule(x, x) };
        ule_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.ule(x, y) };
        ule_constant_right(MULTI) |p, w, c| right(p, Binary::Ule, w, c);
        ule_least(MULTI) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 1); p.ule(k, x) };
        ule_greatest(MULTI) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, u128::MAX); p.ule(k, x) };
        ule_zexts(MULTI_HALF) |p, w, _| zexts(p, Binary::Ule, w);
        ule_constant_zext(MULTI_HALF) |p, w, [c, _]| {
            let t = extended(p, w, false);
            let k = p.constant(2 * w, c & mask(w));
            p.ule(k, t)
        };
        ule_sexts(MULTI_HALF) |p, w, _| sexts(p, Binary::Ule, w);
        ule_constant_sext(MULTI_HALF) |p, w, [c, d]| {
            let t = extended(p, w, true);
            let k = p.constant(2 * w, c << w ^ d);
            p.ule(k, t)
        };
        ule_low_concat(HALF) |p, w, [c, _]| {
            let t = two_parts(p, w);
            let k = p.constant(2 * w, c & mask(w));
            p.ule(k, t)
        };
        ule_tree(MULTI) |p, w, c| { let t = tree(p, w, c); let k = p.constant(w, c[1] >> 1); p.ule(k, t) };
        ule_trees(MULTI) |p, w, c| trees(p, Binary::Ule, w, c);
    }
    SLT: Apply2 = {
        slt_same(ANY) |p, w, _| { let [x] = vars(p, w); p.slt(x, x) };
        slt_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.slt(x, y) };
        slt_same_sign(HALF) |p, w, _| zexts(p, Binary::Slt, w);
        slt_constant_left(MULTI) |p, w, c| left(p, Binary::Slt, w, c);
        slt_least(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, semantics::sign_bit(w) + 1);
            p.slt(x, k)
        };
        slt_greatest(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, semantics::sign_bit(w) - 1);
            p.slt(x, k)
        };
        slt_sexts(MULTI_HALF) |p, w, _| sexts(p, Binary::Slt, w);
        slt_sext_constant(MULTI_HALF) |p, w, [c, d]| {
            let t = extended(p, w, true);
            let k = p.constant(2 * w, c << w ^ d);
            p.slt(t, k)
        };
        slt_concat_zero(HALF) |p, w, _| {
            let t = two_parts(p, w);
            let zero = p.constant(2 * w, 0);
            p.slt(t, zero)
        };
        slt_tree(MULTI) |p, w, c| { let t = tree(p, w, c); let k = p.constant(w, c[1] >> 1); p.slt(t, k) };
        slt_trees(MULTI) |p, w, c| trees(p, Binary::Slt, w, c);
    }
    SLE: Apply2 = {
        sle_same(ANY) |p, w, _| { let [x] = vars(p, w); p.sle(x, x) };
        sle_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.sle(x, y) };
        sle_same_sign(HALF) |p, w, _| zexts(p, Binary::Sle, w);
        sle_constant_right(MULTI) |p, w, c| right(p, Binary::Sle, w, c);
        sle_least(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, semantics::sign_bit(w) + 1);
            p.sle(k, x)
        };
        sle_greatest(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, semantics::sign_bit(w) - 1);
            p.sle(k, x)
        };
        sle_sexts(MULTI_HALF) |p, w, _| sexts(p, Binary::Sle, w);
        sle_constant_sext(MULTI_HALF) |p, w, [c, d]| {
            let t = extended(p, w, true);
            let k = p.constant(2 * w, c << w ^ d);
            p.sle(k, t)
        };
        sle_zero_concat(HALF) |p, w, _| {
            let t = two_parts(p, w);
            let zero = p.constant(2 * w, 0);
            p.sle(zero, t)
        };
        sle_tree(MULTI) |p, w, c| { let t = tree(p, w, c); let k = p.constant(w, c[1] >> 1); p.sle(k, t) };
        sle_trees(MULTI) |p, w, c| trees(p, Binary::Sle, w, c);
    }
}

/// Example: `k op x`
fn left(p: &mut Pool, op: Binary, w: u32, [c, _]: [u128; 2]) -> Term {
    let [x] = vars(p, w);
    let k = p.constant(w, c);
    p.binary(op, k, x)
}

/// Example: `x op k`
fn right(p: &mut Pool, op: Binary, w: u32, [c, _]: [u128; 2]) -> Term {
    let [x] = vars(p, w);
    let k = p.constant(w, c);
    p.binary(op, x, k)
}

/// Example: `zext x op zext y`, of different widths
fn zexts(p: &mut Pool, op: Binary, w: u32) -> Term {
    let [x] = vars(p, w);
    let y = p.var((w - 1).max(1), "y");
    let [s, t] = [x, y].map(|x| p.zext(x, 2 * w));
    p.binary(op, s, t)
}

/// Example: `sext x op sext y`
fn sexts(p: &mut Pool, op: Binary, w: u32) -> Term {
    let [s, t] = vars(p, w).map(|x| p.sext(x, 2 * w));
    p.binary(op, s, t)
}

/// A variable extended to twice its width, for examples.
fn extended(p: &mut Pool, w: u32, sign: bool) -> Term {
    let [x] = vars(p, w);
    if sign { p.sext(x, 2 * w) } else { p.zext(x, 2 * w) }
}

/// Two variables in a row, for examples.
fn two_parts(p: &mut Pool, w: u32) -> Term {
    let [x, y] = vars(p, w);
    p.concat(x, y)
}

/// match: `x ult x` · result: false
fn ult_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.fals())
}

/// match: `x ule x` · result: true
fn ule_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.tru())
}

/// match: `x slt x` · result: false
fn slt_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.fals())
}

/// match: `x sle x` · result: true
fn sle_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.tru())
}

/// match: `x ult y` of one bit · result: `not x and y`
fn ult_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1).then(|| {
        let not_a = p.not(a);
        p.and(not_a, b)
    })
}

/// match: `x ule y` of one bit · result: `not x or y`
fn ule_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1).then(|| p.implies(a, b))
}

/// match: `x slt y` of one bit · result: `not y and x`
fn slt_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    ult_bool(p, b, a)
}

/// match: `x sle y` of one bit · result: `not y or x`
fn sle_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    ule_bool(p, b, a)
}

/// match: `k ult x` · result: `k + 1 ule x`
fn ult_constant_left(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    let k = p.as_const(a).filter(|&k| k != mask(width))?;
    let next = p.constant(width, k + 1);
    Some(p.ule(next, b))
}

/// match: `x ule k` · result: `x ult k + 1`
fn ule_constant_right(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    let k = p.as_const(b).filter(|&k| k != mask(width))?;
    let next = p.constant(width, k + 1);
    Some(p.ult(a, next))
}

/// match: `k slt x` · result: `k + 1 sle x`
fn slt_constant_left(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let next = signed_successor(p, a)?;
    Some(p.sle(next, b))
}

/// match: `x sle k` · result: `x slt k + 1`
fn sle_constant_right(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let next = signed_successor(p, b)?;
    Some(p.slt(a, next))
}

/// `k + 1` for a constant that is not the greatest.
fn signed_successor(p: &mut Pool, k: Term) -> Option<Term> {
    let width = p.width(k);
    let k = p.as_const(k).filter(|&k| k != semantics::sign_bit(width) - 1)?;
    Some(p.constant(width, k.wrapping_add(1)))
}

/// match: `x ult k`, k - 1 the least value of x · result: `x = k - 1`
fn ult_least(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b)?;
    let least = p.interval(a).0;
    (Some(least) == k.checked_sub(1)).then(|| equals(p, a, least))
}

/// match: `x ult k`, k the greatest value of x · result: `x != k`
fn ult_greatest(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b)?;
    (p.interval(a).1 == k).then(|| p.ne(a, b))
}

/// match: `k ule x`, k - 1 the least value of x · result: `x != k - 1`
fn ule_least(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(a)?;
    let least = p.interval(b).0;
    (Some(least) == k.checked_sub(1)).then(|| {
        let equal = equals(p, b, least);
        p.not(equal)
    })
}

/// match: `k ule x`, k the greatest value of x · result: `x = k`
fn ule_greatest(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(a)?;
    (p.interval(b).1 == k).then(|| p.eq(b, a))
}

fn equals(p: &mut Pool, x: Term, bits: u128) -> Term {
    let k = p.constant(p.width(x), bits);
    p.eq(x, k)
}

/// A constant in two's complement, with the bounds of the other operand.
fn signed_bounds(p: &Pool, k: Term, x: Term) -> Option<(i128, i128, i128)> {
    let width = p.width(x);
    let (least, greatest) = p.facts(x).signed_range(width);
    Some((semantics::signed(width, p.as_const(k)?), least, greatest))
}

/// match: `x slt k`, k - 1 the least value of x · result: `x = k - 1`
fn slt_least(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (k, least, _) = signed_bounds(p, b, a)?;
    (k.checked_sub(1) == Some(least)).then(|| equals(p, a, least as u128))
}

/// match: `x slt k`, k the greatest value of x · result: `x != k`
fn slt_greatest(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (k, _, greatest) = signed_bounds(p, b, a)?;
    (k == greatest).then(|| p.ne(a, b))
}

/// match: `k sle x`, k - 1 the least value of x · result: `x != k - 1`
fn sle_least(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (k, least, _) = signed_bounds(p, a, b)?;
    (k.checked_sub(1) == Some(least)).then(|| {
        let equal = equals(p, b, least as u128);
        p.not(equal)
    })
}

/// match: `k sle x`, k the greatest value of x · result: `x = k`
fn sle_greatest(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (k, _, greatest) = signed_bounds(p, a, b)?;
    (k == greatest).then(|| p.eq(b, a))
}

/// `zext x op zext y` on the wider of x and y
fn below_zexts(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_zext(a)?, p.as_zext(b)?);
    let width = p.width(x).max(p.width(y));
    let (x, y) = (p.zext(x, width), p.zext(y, width));
    Some(p.binary(op, x, y))
}

/// match: `zext x ult zext y` · result: `x ult y`, one of them extended to the other's width
fn ult_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zexts(p, Binary::Ult, a, b)
}

/// match: `zext x ule zext y` · result: `x ule y`, one of them extended to the other's width
fn ule_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zexts(p, Binary::Ule, a, b)
}

/// match: `zext x ult k`, k < 2^width(x) · result: `x ult k`
fn ult_zext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let x = p.as_zext(a)?;
    let k = p.as_const(b).filter(|&k| k <= mask(p.width(x)))?;
    let k = p.constant(p.width(x), k);
    Some(p.ult(x, k))
}

/// match: `k ule zext x`, k < 2^width(x) · result: `k ule x`
fn ule_constant_zext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let x = p.as_zext(b)?;
    let k = p.as_const(a).filter(|&k| k <= mask(p.width(x)))?;
    let k = p.constant(p.width(x), k);
    Some(p.ule(k, x))
}

/// `sext x op sext y`, x and y of one width, as `x op y`: sign extension keeps both orders
fn below_sexts(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_sext(a)?, p.as_sext(b)?);
    (p.width(x) == p.width(y)).then(|| p.binary(op, x, y))
}

/// match: `sext x ult sext y`, x and y of one width · result: `x ult y`
fn ult_sexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_sexts(p, Binary::Ult, a, b)
}

/// match: `sext x ule sext y`, x and y of one width · result: `x ule y`
fn ule_sexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_sexts(p, Binary::Ule, a, b)
}

/// match: `sext x slt sext y`, x and y of one width · result: `x slt y`
fn slt_sexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_sexts(p, Binary::Slt, a, b)
}

/// match: `sext x sle sext y`, x and y of one width · result: `x sle y`
fn sle_sexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_sexts(p, Binary::Sle, a, b)
}

/// The operand x of `sext x` and the constant l of its width such that `sext x < k` is `x < l`,
/// unsigned. Between the largest positive and the least negative value of `sext x` all k do the
/// same as the latter.
fn unsigned_threshold(p: &mut Pool, t: Term, k: Term) -> Option<(Term, Term)> {
    let x = p.as_sext(t)?;
    let (width, narrow) = (p.width(t), p.width(x));
    let k = p.as_const(k)?;
    let half = semantics::sign_bit(narrow);
    let negative = semantics::sign_extend(narrow, width, half);
    let l = if k < half || k >= negative { k } else { half };
    Some((x, p.constant(narrow, l)))
}

/// match: `sext x ult k` · result: `x ult l`, l the bits of k, or of the least negative x if greater
fn ult_sext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, l) = unsigned_threshold(p, a, b)?;
    Some(p.ult(x, l))
}

/// match: `k ule sext x` · result: `l ule x`, l the bits of k, or of the least negative x if greater
fn ule_constant_sext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (x, l) = unsigned_threshold(p, b, a)?;
    Some(p.ule(l, x))
}

/// For `sext x` and a constant k: x and k of its width, or whether k is above or below every value.
fn signed_threshold(p: &mut Pool, t: Term, k: Term) -> Option<Result<(Term, Term), std::cmp::Ordering>> {
    let x = p.as_sext(t)?;
    let (width, narrow) = (p.width(t), p.width(x));
    let bits = p.as_const(k)?;
    Some(if semantics::sign_extend(narrow, width, bits) == bits {
        Ok((x, p.constant(narrow, bits)))
    } else {
        Err(semantics::signed(width, bits).cmp(&0))
    })
}

/// match: `sext x slt k` · result: `x slt k`; true or false when k is not a value of `sext x`
fn slt_sext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    Some(match signed_threshold(p, a, b)? {
        Ok((x, k)) => p.slt(x, k),
        Err(side) => p.bool(side.is_gt()),
    })
}

/// match: `k sle sext x` · result: `k sle x`; true or false when k is not a value of `sext x`
fn sle_constant_sext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    Some(match signed_threshold(p, b, a)? {
        Ok((x, k)) => p.sle(k, x),
        Err(side) => p.bool(side.is_lt()),
    })
}

/// Are the signs known and the same?
fn same_sign(p: &Pool, a: Term, b: Term) -> bool {
    if !p.is_narrow(a) {
        return false;
    }
    let (x, y, sign) = (p.known_bits(a), p.known_bits(b), semantics::sign_bit(p.width(a)));
    ((x.zeros & y.zeros) | (x.ones & y.ones)) & sign != 0
}

/// match: `x slt y`, of the same sign · result: `x ult y`
fn slt_same_sign(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    same_sign(p, a, b).then(|| p.ult(a, b))
}

/// match: `x sle y`, of the same sign · result: `x ule y`
fn sle_same_sign(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    same_sign(p, a, b).then(|| p.ule(a, b))
}

/// The parts of `concat(x, y)`, and a constant that has no bits in x's place.
fn low_constant(p: &mut Pool, t: Term, k: Term) -> Option<(Term, Term, Term)> {
    let (hi, lo) = p.as_concat(t)?;
    let k = p.as_const(k).filter(|k| k & !mask(p.width(lo)) == 0)?;
    Some((hi, lo, p.constant(p.width(lo), k)))
}

/// match: `concat(x, y) ult k`, k not above the values of y · result: `x = 0 and y ult k`
fn ult_concat_low(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (hi, lo, k) = low_constant(p, a, b)?;
    let zero = p.zero(p.width(hi));
    let (none, low) = (p.eq(hi, zero), p.ult(lo, k));
    Some(p.and(none, low))
}

/// match: `k ule concat(x, y)`, k not above the values of y · result: `x != 0 or k ule y`
fn ule_low_concat(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (hi, lo, k) = low_constant(p, b, a)?;
    let zero = p.zero(p.width(hi));
    let (none, low) = (p.eq(hi, zero), p.ule(k, lo));
    Some(p.implies(none, low))
}

/// match: `concat(x, y) slt 0` · result: `x slt 0`
fn slt_concat_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (hi, _) = p.as_concat(a)?;
    p.is_zero(b).then(|| {
        let zero = p.zero(p.width(hi));
        p.slt(hi, zero)
    })
}

/// match: `0 sle concat(x, y)` · result: `0 sle x`
fn sle_zero_concat(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let (hi, _) = p.as_concat(b)?;
    p.is_zero(a).then(|| {
        let zero = p.zero(p.width(hi));
        p.sle(zero, hi)
    })
}

/// A comparison of a choice between constants with a constant, on either side.
fn compare_tree(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(op, a, b).or_else(|| p.constant_with_tree(op, a, b))
}

/// match: `t ult l` or `l ult t`, t a choice between constants · result: the choice of truth values
fn ult_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    compare_tree(p, Binary::Ult, a, b)
}

/// match: `t ule l` or `l ule t`, t a choice between constants · result: the choice of truth values
fn ule_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    compare_tree(p, Binary::Ule, a, b)
}

/// match: `t slt l` or `l slt t`, t a choice between constants · result: the choice of truth values
fn slt_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    compare_tree(p, Binary::Slt, a, b)
}

/// match: `t sle l` or `l sle t`, t a choice between constants · result: the choice of truth values
fn sle_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    compare_tree(p, Binary::Sle, a, b)
}

/// match: `t ult u`, choices between constants that depend on each other · result: the choice of
/// truth values
fn ult_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Ult, a, b)
}

/// match: `t ule u`, choices between constants that depend on each other · result: the choice of
/// truth values
fn ule_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Ule, a, b)
}

/// match: `t slt u`, choices between constants that depend on each other · result: the choice of
/// truth values
fn slt_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Slt, a, b)
}

/// match: `t sle u`, choices between constants that depend on each other · result: the choice of
/// truth values
fn sle_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Sle, a, b)
}
