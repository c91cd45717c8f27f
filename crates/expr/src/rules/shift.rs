//! Rules of shifts: a shift by a constant is a slice.

use super::pattern::{tree, vars};
use super::{Apply2, rewrites};
use crate::node::{Binary, Term};
use crate::pool::Pool;
use crate::semantics;

rewrites! {
    SHL: Apply2 = {
        shl_nothing(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.shl(k, x) };
        shl_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.shl(x, k) };
        shl_out(ANY) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            p.shl(x, k)
        };
        shl_add_constant(MULTI) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let [k, l] = [c, d % u128::from(w)].map(|bits| p.constant(w, bits));
            let t = p.add(x, k);
            p.shl(t, l)
        };
        shl_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.shl(t, k)
        };
        shl_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c % u128::from(w));
            p.shl(x, k)
        };
    }
    LSHR: Apply2 = {
        lshr_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.lshr(x, k) };
        lshr_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.lshr(t, k)
        };
        lshr_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c % u128::from(w));
            p.lshr(x, k)
        };
    }
    ASHR: Apply2 = {
        ashr_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.ashr(x, k) };
        ashr_natural(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.ashr(x, y)
        };
        ashr_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.ashr(t, k)
        };
        ashr_constant(ANY) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            p.ashr(x, k)
        };
    }
}

/// match: `0 << x` · result: `0`
fn shl_nothing(p: &mut Pool, a: Term, _: Term) -> Option<Term> {
    p.is_zero(a).then_some(a)
}

/// match: `x << 0` · result: `x`
fn shl_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x << y`, y not below the width by its interval · result: `0`
fn shl_out(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    (p.is_narrow(b) && p.interval(b).0 >= width.into()).then(|| p.zero(width))
}

/// match: `(x + k) << n` · result: `(x << n) + (k << n)`
fn shl_add_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let (x, k) = p.as_binary(Binary::Add, a)?;
    p.as_const(k)?;
    let shifted = p.shl(x, b);
    let offset = p.shl(k, b);
    Some(p.add(shifted, offset))
}

/// match: `t << l`, t a choice between constants · result: the choice between `k << l`
fn shl_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Shl, a, b)
}

/// A constant distance below the width.
fn distance(p: &Pool, a: Term, b: Term) -> Option<u32> {
    let n = u32::try_from(p.as_const(b)?).ok()?;
    (n < p.width(a)).then_some(n)
}

/// match: `x << n`, n < width · result: `concat(extract(x, 0, width - n), 0)`
fn shl_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let n = distance(p, a, b)?;
    let kept = p.extract(a, 0, p.width(a) - n);
    let zeros = p.zero(n);
    Some(p.concat(kept, zeros))
}

/// match: `x lshr 0` · result: `x`
fn lshr_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `t lshr l`, t a choice between constants · result: the choice between `k lshr l`
fn lshr_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::LShr, a, b)
}

/// match: `x lshr n`, n < width · result: `zext extract(x, n, width - n)`
fn lshr_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let n = distance(p, a, b)?;
    let width = p.width(a);
    let kept = p.extract(a, n, width - n);
    Some(p.zext(kept, width))
}

/// match: `x ashr 0` · result: `x`
fn ashr_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x ashr y`, x not negative · result: `x lshr y`
fn ashr_natural(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let natural = p.is_narrow(a) && p.possible_ones(a) & semantics::sign_bit(p.width(a)) == 0;
    natural.then(|| p.lshr(a, b))
}

/// match: `t ashr l`, t a choice between constants · result: the choice between `k ashr l`
fn ashr_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::AShr, a, b)
}

/// match: `x ashr n` · result: `sext extract(x, m, width - m)` with m the lesser of n, width - 1
fn ashr_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    let n = p.as_const(b)?.min(u128::from(width - 1)) as u32;
    let kept = p.extract(a, n, width - n);
    Some(p.sext(kept, width))
}
