//! Rules of `ite`.

use super::pattern::vars;
use super::{Apply3, rewrites};
use crate::node::{Binary, Term};
use crate::pool::Pool;
use crate::semantics::mask;

rewrites! {
    ITE: Apply3 = {
        ite_constant(ANY) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let k = p.constant(1, c);
            p.ite(k, x, y)
        };
        ite_same(ANY) |p, w, _| { let [x] = vars(p, w); let c = p.var(1, "c"); p.ite(c, x, x) };
        ite_not(ANY) |p, w, _| {
            let [x, y] = vars(p, w);
            let c = p.var(1, "c");
            let n = p.not(c);
            p.ite(n, x, y)
        };
        ite_true_arm(BOOL) |p, w, [c, _]| {
            let [b, x] = vars(p, w);
            let k = p.constant(w, c);
            p.ite(b, k, x)
        };
        ite_false_arm(BOOL) |p, w, [c, _]| {
            let [b, x] = vars(p, w);
            let k = p.constant(w, c);
            p.ite(b, x, k)
        };
        ite_condition_arm(BOOL) |p, w, [c, _]| {
            let [b, x] = vars(p, w);
            if c % 2 == 0 { p.ite(b, b, x) } else { p.ite(b, x, b) }
        };
        ite_bool(BOOL) |p, w, _| { let [c, x] = vars(p, w); let n = p.not(x); p.ite(c, x, n) };
        ite_zext(MULTI) |p, w, [c, _]| {
            let b = p.var(1, "b");
            let [k, l] = [c & 1, !c & 1].map(|bits| p.constant(w, bits));
            p.ite(b, k, l)
        };
        ite_sext(MULTI) |p, w, [c, _]| {
            let b = p.var(1, "b");
            let [k, l] = [u128::MAX, 0].map(|bits| p.constant(w, bits));
            if c % 2 == 0 { p.ite(b, k, l) } else { p.ite(b, l, k) }
        };
        ite_equality(MULTI) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let e = p.eq(x, y);
            if c % 2 == 0 { p.ite(e, x, y) } else { p.ite(e, y, x) }
        };
        ite_same_condition(MULTI) |p, w, [c, _]| {
            let [x, y, z] = vars(p, w);
            let b = p.var(1, "b");
            let t = p.ite(b, x, y);
            if c % 2 == 0 { p.ite(b, t, z) } else { p.ite(b, z, t) }
        };
        ite_join_else(MULTI) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let (b, d) = (p.var(1, "b"), p.var(1, "d"));
            let t = if c % 2 == 0 { p.ite(d, x, y) } else { p.ite(d, y, x) };
            p.ite(b, x, t)
        };
        ite_join_then(MULTI) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let (b, d) = (p.var(1, "b"), p.var(1, "d"));
            let t = if c % 2 == 0 { p.ite(d, x, y) } else { p.ite(d, y, x) };
            p.ite(b, t, y)
        };
        ite_zexts(MULTI_HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            let b = p.var(1, "b");
            p.ite(b, x, y)
        };
        ite_zext_constant(MULTI_HALF) |p, w, [c, d]| {
            let [x] = vars(p, w).map(|x| p.zext(x, 2 * w));
            let b = p.var(1, "b");
            let k = p.constant(2 * w, c & mask(w));
            if d % 2 == 0 { p.ite(b, x, k) } else { p.ite(b, k, x) }
        };
        ite_sexts(MULTI_HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.sext(x, 2 * w));
            let b = p.var(1, "b");
            p.ite(b, x, y)
        };
    }
}

/// match: `ite(true, x, y)`, `ite(false, x, y)` · result: `x`, `y`
fn ite_constant(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    p.as_const(c).map(|bits| if bits == 1 { a } else { b })
}

/// match: `ite(c, x, x)` · result: `x`
fn ite_same(_: &mut Pool, _: Term, a: Term, b: Term) -> Option<Term> {
    (a == b).then_some(a)
}

/// match: `ite(not c, x, y)` · result: `ite(c, y, x)`
fn ite_not(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    p.as_not(c).map(|c| p.ite(c, b, a))
}

/// match: `ite(c, true, x)`, `ite(c, false, x)` · result: `c or x`, `not c and x`
fn ite_true_arm(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    if p.width(a) != 1 {
        return None;
    }
    Some(if p.as_const(a)? == 1 {
        p.or(c, b)
    } else {
        let not_c = p.not(c);
        p.and(not_c, b)
    })
}

/// match: `ite(c, x, true)`, `ite(c, x, false)` · result: `not c or x`, `c and x`
fn ite_false_arm(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    if p.width(a) != 1 {
        return None;
    }
    Some(if p.as_const(b)? == 1 { p.implies(c, a) } else { p.and(c, a) })
}

/// match: `ite(c, c, x)`, `ite(c, x, c)` · result: `c or x`, `c and x`
fn ite_condition_arm(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    if c == a {
        return Some(p.or(c, b));
    }
    (c == b).then(|| p.and(c, a))
}

/// match: `ite(c, x, not x)` of one bit, or the arms swapped · result: `c = x`
fn ite_bool(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1 && p.is_complement(a, b)).then(|| p.eq(c, a))
}

/// match: `ite(c, 1, 0)`, `ite(c, 0, 1)` · result: `zext c`, `zext not c`
fn ite_zext(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    match (p.as_const(a)?, p.as_const(b)?) {
        (1, 0) => Some(p.zext(c, width)),
        (0, 1) => {
            let not_c = p.not(c);
            Some(p.zext(not_c, width))
        }
        _ => None,
    }
}

/// match: `ite(c, -1, 0)`, `ite(c, 0, -1)` · result: `sext c`, `sext not c`
fn ite_sext(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    if p.is_ones(a) && p.is_zero(b) {
        return Some(p.sext(c, width));
    }
    (p.is_zero(a) && p.is_ones(b)).then(|| {
        let not_c = p.not(c);
        p.sext(not_c, width)
    })
}

/// match: `ite(x = y, x, y)` · result: `y`
fn ite_equality(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let operands = p.as_binary(Binary::Eq, c)?;
    (operands == (a, b) || operands == (b, a)).then_some(b)
}

/// match: `ite(c, ite(c, x, y), z)`, or below the other arm · result: `ite(c, x, z)`
fn ite_same_condition(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let arm = |p: &Pool, t: Term, chosen: bool| {
        let (d, x, y) = p.as_ite(t)?;
        let holds = if d == c { chosen } else { p.is_complement(c, d).then_some(!chosen)? };
        Some(if holds { x } else { y })
    };
    if let Some(x) = arm(p, a, true) {
        return Some(p.ite(c, x, b));
    }
    arm(p, b, false).map(|y| p.ite(c, a, y))
}

/// match: `ite(c, x, ite(d, x, y))`, `ite(c, x, ite(d, y, x))` · result: `ite(c or d, x, y)`,
/// `ite(c or not d, x, y)`
fn ite_join_else(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let (d, x, y) = p.as_ite(b)?;
    if x == a {
        let either = p.or(c, d);
        return Some(p.ite(either, a, y));
    }
    (y == a).then(|| {
        let not_d = p.not(d);
        let either = p.or(c, not_d);
        p.ite(either, a, x)
    })
}

/// match: `ite(c, ite(d, x, y), y)`, `ite(c, ite(d, y, x), y)` · result: `ite(c and d, x, y)`,
/// `ite(c and not d, x, y)`
fn ite_join_then(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let (d, x, y) = p.as_ite(a)?;
    if y == b {
        let both = p.and(c, d);
        return Some(p.ite(both, x, b));
    }
    (x == b).then(|| {
        let not_d = p.not(d);
        let both = p.and(c, not_d);
        p.ite(both, y, b)
    })
}

/// match: `ite(c, zext x, zext y)`, x and y of one width above 1 · result: `zext ite(c, x, y)`
fn ite_zexts(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_zext(a)?, p.as_zext(b)?);
    (p.width(x) == p.width(y) && p.width(x) > 1).then(|| {
        let t = p.ite(c, x, y);
        p.zext(t, p.width(a))
    })
}

/// match: `ite(c, zext x, k)`, k < 2^width(x), width(x) > 1, or the arms swapped · result:
/// `zext ite(c, x, k)`
fn ite_zext_constant(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let (zext, constant) = if p.as_const(b).is_some() { (a, b) } else { (b, a) };
    let x = p.as_zext(zext)?;
    let narrow = p.width(x);
    let k = p.as_const(constant).filter(|&k| k <= mask(narrow) && narrow > 1)?;
    let k = p.constant(narrow, k);
    let t = if constant == b { p.ite(c, x, k) } else { p.ite(c, k, x) };
    Some(p.zext(t, p.width(a)))
}

/// match: `ite(c, sext x, sext y)`, x and y of one width above 1 · result: `sext ite(c, x, y)`
fn ite_sexts(p: &mut Pool, c: Term, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_sext(a)?, p.as_sext(b)?);
    (p.width(x) == p.width(y) && p.width(x) > 1).then(|| {
        let t = p.ite(c, x, y);
        p.sext(t, p.width(a))
    })
}
