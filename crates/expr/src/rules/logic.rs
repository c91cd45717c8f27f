//! Rules of `not`, `and`, `or`, `xor`, on booleans and on vectors of bits.
//!
//! `and` and `or` are dual, and so are most of their rules; such a pair shares one function.

use super::pattern::{either, tree, vars};
use super::{Apply1, Apply2, rewrites};
use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;
use crate::semantics::mask;

rewrites! {
    NOT: Apply1 = {
        not_not(ANY) |p, w, _| { let [x] = vars(p, w); let t = p.not(x); p.not(t) };
        not_ult(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.ult(x, y); p.not(t) };
        not_ule(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.ule(x, y); p.not(t) };
        not_slt(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.slt(x, y); p.not(t) };
        not_sle(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.sle(x, y); p.not(t) };
        not_tree(MULTI) |p, w, c| { let t = tree(p, w, c); p.not(t) };
    }
    AND: Apply2 = {
        and_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.and(x, k) };
        and_ones(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, u128::MAX); p.and(x, k) };
        and_same(ANY) |p, w, _| { let [x] = vars(p, w); p.and(x, x) };
        and_complement(ANY) |p, w, _| { let [x] = vars(p, w); let t = p.not(x); p.and(t, x) };
        and_constants(THREE) |p, w, c| constants(p, Binary::And, w, c);
        and_repeat(ANY) |p, w, _| { let [x, y] = vars(p, w); let t = p.and(x, y); p.and(y, t) };
        and_contradiction(ANY) |p, w, _| {
            let [x, y] = vars(p, w);
            let n = p.not(x);
            let t = p.and(n, y);
            p.and(x, t)
        };
        and_absorb(ANY) |p, w, _| { let [x, y] = vars(p, w); let t = p.or(x, y); p.and(y, t) };
        and_resolve(ANY) |p, w, _| {
            let [x, y] = vars(p, w);
            let n = p.not(x);
            let t = p.or(n, y);
            p.and(x, t)
        };
        and_equalities(MULTI) |p, w, c| equalities(p, Binary::And, w, c);
        and_known(HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, mask(w) | c << w);
            let t = p.zext(x, 2 * w);
            p.and(t, k)
        };
        and_sign(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let c = p.var(1, "c");
            let t = p.sext(c, w);
            p.and(t, x)
        };
        and_zexts(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.and(x, y)
        };
        and_zext_constant(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c);
            let t = p.zext(x, 2 * w);
            p.and(t, k)
        };
        and_tree(MULTI) |p, w, c| with_tree(p, Binary::And, w, c);
        and_concat_constant(MULTI_HALF) |p, w, c| concat_constant(p, Binary::And, w, c);
        and_mask(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            p.and(x, k)
        };
    }
    OR: Apply2 = {
        or_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.or(x, k) };
        or_ones(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, u128::MAX); p.or(x, k) };
        or_same(ANY) |p, w, _| { let [x] = vars(p, w); p.or(x, x) };
        or_complement(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let (s, t) = (p.ult(x, y), p.ule(y, x));
            p.or(s, t)
        };
        or_constants(MULTI) |p, w, c| constants(p, Binary::Or, w, c);
        or_repeat(ANY) |p, w, _| { let [x, y] = vars(p, w); let t = p.or(x, y); p.or(y, t) };
        or_exhaustion(ANY) |p, w, _| {
            let [x, y] = vars(p, w);
            let n = p.not(x);
            let t = p.or(n, y);
            p.or(x, t)
        };
        or_absorb(ANY) |p, w, _| { let [x, y] = vars(p, w); let t = p.and(x, y); p.or(y, t) };
        or_resolve(ANY) |p, w, _| {
            let [x, y] = vars(p, w);
            let n = p.not(x);
            let t = p.and(n, y);
            p.or(x, t)
        };
        or_equalities(MULTI) |p, w, c| equalities(p, Binary::Or, w, c);
        or_known(MULTI) |p, w, [c, d]| {
            let [x, y] = vars(p, w);
            let [k, l] = [c, c & d].map(|bits| p.constant(w, bits));
            let (s, t) = (p.or(x, k), p.and(y, l));
            p.or(s, t)
        };
        or_zexts(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.or(x, y)
        };
        or_zext_constant(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c & mask(w));
            let t = p.zext(x, 2 * w);
            p.or(t, k)
        };
        or_tree(MULTI) |p, w, c| with_tree(p, Binary::Or, w, c);
        or_concat_constant(MULTI_HALF) |p, w, c| concat_constant(p, Binary::Or, w, c);
        or_disjoint(HALF) |p, w, _| {
            let [x, y] = vars(p, w);
            let zero = p.constant(w, 0);
            let upper = p.concat(x, zero);
            let lower = p.zext(y, 2 * w);
            p.or(upper, lower)
        };
    }
    XOR: Apply2 = {
        xor_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.xor(x, k) };
        xor_ones(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, u128::MAX); p.xor(x, k) };
        xor_same(ANY) |p, w, _| { let [x] = vars(p, w); p.xor(x, x) };
        xor_not(ANY) |p, w, _| { let [x, y] = vars(p, w); let t = p.not(x); p.xor(t, y) };
        xor_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.xor(x, y) };
        xor_constants(MULTI) |p, w, c| constants(p, Binary::Xor, w, c);
        xor_cancel(MULTI) |p, w, _| { let [x, y] = vars(p, w); let t = p.xor(x, y); p.xor(y, t) };
        xor_zexts(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.xor(x, y)
        };
        xor_zext_constant(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c & mask(w));
            let t = p.zext(x, 2 * w);
            p.xor(t, k)
        };
        xor_tree(MULTI) |p, w, c| with_tree(p, Binary::Xor, w, c);
        xor_concat_constant(MULTI_HALF) |p, w, c| concat_constant(p, Binary::Xor, w, c);
    }
}

/// Example: `(x op k) op l`
fn constants(p: &mut Pool, op: Binary, w: u32, [c, d]: [u128; 2]) -> Term {
    let [x] = vars(p, w);
    let [k, l] = [c, d].map(|bits| p.constant(w, bits));
    let t = p.binary(op, x, k);
    p.binary(op, t, l)
}

/// Example: `t op k`
fn with_tree(p: &mut Pool, op: Binary, w: u32, c: [u128; 2]) -> Term {
    let t = tree(p, w, c);
    let k = p.constant(w, c[0] >> 1);
    p.binary(op, t, k)
}

/// Example: `concat(x, y) op k`
fn concat_constant(p: &mut Pool, op: Binary, w: u32, [c, d]: [u128; 2]) -> Term {
    let [x, y] = vars(p, w);
    let k = p.constant(2 * w, c << w | d & mask(w));
    let t = p.concat(x, y);
    p.binary(op, t, k)
}

/// Example: `(x = k) op (x = l)` and `(x = k) op not (x = l)`
fn equalities(p: &mut Pool, op: Binary, w: u32, [c, d]: [u128; 2]) -> Term {
    let [x, y] = vars(p, w);
    let [k, l] = [c, d].map(|bits| p.constant(w, bits));
    let equal = p.eq(x, k);
    let other = p.eq(x, l);
    let unequal = p.not(other);
    let t = p.binary(op, equal, other);
    let s = p.binary(op, equal, unequal);
    let zero = p.constant(w, 0);
    let c = p.eq(y, zero);
    p.ite(c, s, t)
}

/// match: `~~x` · result: `x`
fn not_not(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_not(a)
}

/// match: `not (x ult y)` · result: `y ule x`
fn not_ult(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_binary(Binary::Ult, a).map(|(x, y)| p.ule(y, x))
}

/// match: `not (x ule y)` · result: `y ult x`
fn not_ule(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_binary(Binary::Ule, a).map(|(x, y)| p.ult(y, x))
}

/// match: `not (x slt y)` · result: `y sle x`
fn not_slt(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_binary(Binary::Slt, a).map(|(x, y)| p.sle(y, x))
}

/// match: `not (x sle y)` · result: `y slt x`
fn not_sle(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_binary(Binary::Sle, a).map(|(x, y)| p.slt(y, x))
}

/// match: `~t`, t a choice between constants · result: the choice between `~k`
fn not_tree(p: &mut Pool, a: Term) -> Option<Term> {
    let width = p.width(a);
    p.map_tree(a, &mut |p, leaf| p.constant(width, !leaf))
}

/// match: `x and 0` · result: `0`
fn and_zero(p: &mut Pool, _: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(b)
}

/// match: `x or 0` · result: `x`
fn or_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x and ones` · result: `x`
fn and_ones(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_ones(b).then_some(a)
}

/// match: `x or ones` · result: ones
fn or_ones(p: &mut Pool, _: Term, b: Term) -> Option<Term> {
    p.is_ones(b).then_some(b)
}

/// match: `x and x` · result: `x`
fn and_same(_: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then_some(a)
}

/// match: `x or x` · result: `x`
fn or_same(_: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then_some(a)
}

/// match: `x and ~x` · result: `0`
fn and_complement(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_complement(a, b).then(|| p.zero(p.width(a)))
}

/// match: `x or ~x` · result: ones
fn or_complement(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_complement(a, b).then(|| p.ones(p.width(a)))
}

/// `(x op k) op l` as `x op (k op l)`
fn join_constants(p: &mut Pool, op: Binary, a: Term, l: Term) -> Option<Term> {
    p.as_const(l)?;
    let (x, k) = p.as_binary(op, a)?;
    p.as_const(k)?;
    let joined = p.binary(op, k, l);
    Some(p.binary(op, x, joined))
}

/// match: `(x and k) and l` · result: `x and (k and l)`
fn and_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    join_constants(p, Binary::And, a, b)
}

/// match: `(x or k) or l` · result: `x or (k or l)`
fn or_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    join_constants(p, Binary::Or, a, b)
}

/// match: `x and (x and y)` · result: `x and y`
fn and_repeat(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    repeat(p, Binary::And, a, b)
}

/// match: `x or (x or y)` · result: `x or y`
fn or_repeat(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    repeat(p, Binary::Or, a, b)
}

fn repeat(p: &Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    either(a, b, |x, t| {
        let (u, v) = p.as_binary(op, t)?;
        (u == x || v == x).then_some(t)
    })
}

/// match: `x and (~x and y)` · result: `0`
fn and_contradiction(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    has_complement(p, Binary::And, a, b).then(|| p.zero(p.width(a)))
}

/// match: `x or (~x or y)` · result: ones
fn or_exhaustion(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    has_complement(p, Binary::Or, a, b).then(|| p.ones(p.width(a)))
}

fn has_complement(p: &Pool, op: Binary, a: Term, b: Term) -> bool {
    [(a, b), (b, a)]
        .into_iter()
        .any(|(x, t)| p.as_binary(op, t).is_some_and(|(u, v)| p.is_complement(u, x) || p.is_complement(v, x)))
}

/// match: `x and (x or y)` · result: `x`
fn and_absorb(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    absorb(p, Binary::Or, a, b)
}

/// match: `x or (x and y)` · result: `x`
fn or_absorb(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    absorb(p, Binary::And, a, b)
}

fn absorb(p: &Pool, dual: Binary, a: Term, b: Term) -> Option<Term> {
    either(a, b, |x, t| {
        let (u, v) = p.as_binary(dual, t)?;
        (u == x || v == x).then_some(x)
    })
}

/// match: `x and (~x or y)` · result: `x and y`
fn and_resolve(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    resolve(p, Binary::And, Binary::Or, a, b)
}

/// match: `x or (~x and y)` · result: `x or y`
fn or_resolve(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    resolve(p, Binary::Or, Binary::And, a, b)
}

fn resolve(p: &mut Pool, op: Binary, dual: Binary, a: Term, b: Term) -> Option<Term> {
    either(a, b, |x, t| {
        let (u, v) = p.as_binary(dual, t)?;
        either(u, v, |complement, y| p.is_complement(complement, x).then(|| p.binary(op, x, y)))
    })
}

/// An equality with a constant, perhaps negated: its operands and whether it is not negated.
fn as_equality(p: &Pool, t: Term) -> Option<(Term, Term, bool)> {
    match p.node(t) {
        Node::Binary(Binary::Eq, x, k) if p.as_const(k).is_some() => Some((x, k, true)),
        Node::Unary(Unary::Not, e) => {
            as_equality(p, e).filter(|&(_, _, positive)| positive).map(|(x, k, _)| (x, k, false))
        }
        _ => None,
    }
}

/// match: `x = k and x = l`, `x = k and x != l`, k unlike l · result: false, `x = k`
fn and_equalities(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |e, f| {
        let (x, k, true) = as_equality(p, e)? else { return None };
        let (y, l, positive) = as_equality(p, f)?;
        (x == y && k != l).then(|| if positive { p.fals() } else { e })
    })
}

/// match: `x = k or x != l`, `x != k or x != l`, k unlike l · result: `x != l`, true
fn or_equalities(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |e, f| {
        let (x, k, false) = as_equality(p, e)? else { return None };
        let (y, l, positive) = as_equality(p, f)?;
        (x == y && k != l).then(|| if positive { e } else { p.tru() })
    })
}

/// match: `x and y`, where x may be 1 y is 1 · result: `x`
fn and_known(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if !p.is_narrow(a) {
        return None;
    }
    either(a, b, |x, y| (p.possible_ones(x) & !p.known_bits(y).ones == 0).then_some(x))
}

/// match: `x or y`, where y may be 1 x is 1 · result: `x`
fn or_known(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    if !p.is_narrow(a) {
        return None;
    }
    either(a, b, |x, y| (p.possible_ones(y) & !p.known_bits(x).ones == 0).then_some(x))
}

/// match: `sext c and x`, c a boolean · result: `ite(c, x, 0)`
fn and_sign(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, x| {
        let c = p.as_sext(a).filter(|&c| p.width(c) == 1)?;
        let zero = p.zero(p.width(x));
        Some(p.ite(c, x, zero))
    })
}

/// `zext x op zext y`, x and y of one width, as `zext (x op y)`
fn below_zexts(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (p.as_zext(a)?, p.as_zext(b)?);
    (p.width(x) == p.width(y)).then(|| {
        let t = p.binary(op, x, y);
        p.zext(t, p.width(a))
    })
}

/// `zext x op k` as `zext (x op k)`; for `and` the upper bits of k don't matter.
fn below_zext(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, k) = (p.as_zext(a)?, p.as_const(b)?);
    let narrow = p.width(x);
    (op == Binary::And || k <= mask(narrow)).then(|| {
        let k = p.constant(narrow, k);
        let t = p.binary(op, x, k);
        p.zext(t, p.width(a))
    })
}

/// `concat(x, y) op k` as `concat(x op k', y op k'')`
fn below_concat(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    p.as_const(b)?;
    let (hi, lo) = p.as_concat(a)?;
    let low_width = p.width(lo);
    let upper = p.extract(b, low_width, p.width(hi));
    let lower = p.extract(b, 0, low_width);
    let hi = p.binary(op, hi, upper);
    let lo = p.binary(op, lo, lower);
    Some(p.concat(hi, lo))
}

/// match: `zext x and zext y`, x and y of one width · result: `zext (x and y)`
fn and_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zexts(p, Binary::And, a, b)
}

/// match: `zext x or zext y`, x and y of one width · result: `zext (x or y)`
fn or_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zexts(p, Binary::Or, a, b)
}

/// match: `zext x xor zext y`, x and y of one width · result: `zext (x xor y)`
fn xor_zexts(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zexts(p, Binary::Xor, a, b)
}

/// match: `zext x and k` · result: `zext (x and k)`
fn and_zext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zext(p, Binary::And, a, b)
}

/// match: `zext x or k`, k < 2^width(x) · result: `zext (x or k)`
fn or_zext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zext(p, Binary::Or, a, b)
}

/// match: `zext x xor k`, k < 2^width(x) · result: `zext (x xor k)`
fn xor_zext_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_zext(p, Binary::Xor, a, b)
}

/// match: `concat(x, y) and k` · result: `concat(x and k', y and k'')`
fn and_concat_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_concat(p, Binary::And, a, b)
}

/// match: `concat(x, y) or k` · result: `concat(x or k', y or k'')`
fn or_concat_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_concat(p, Binary::Or, a, b)
}

/// match: `concat(x, y) xor k` · result: `concat(x xor k', y xor k'')`
fn xor_concat_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    below_concat(p, Binary::Xor, a, b)
}

/// match: `t and l`, t a choice between constants · result: the choice between `k and l`
fn and_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::And, a, b)
}

/// match: `t or l`, t a choice between constants · result: the choice between `k or l`
fn or_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Or, a, b)
}

/// match: `t xor l`, t a choice between constants · result: the choice between `k xor l`
fn xor_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Xor, a, b)
}

/// match: `x and k`, k one run of n ones from bit m · result: `zext concat(extract(x, m, n), 0)`
fn and_mask(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b)?;
    let (m, n) = (k.trailing_zeros(), k.count_ones());
    if n == 0 || k >> m != mask(n) {
        return None;
    }
    let width = p.width(a);
    let mut kept = p.extract(a, m, n);
    if m > 0 {
        let zeros = p.zero(m);
        kept = p.concat(kept, zeros);
    }
    Some(p.zext(kept, width))
}

/// match: `x or y`, the low m bits of x are 0, the others of y · result: `concat` of the two parts
fn or_disjoint(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let width = p.width(a);
    if !p.is_narrow(a) {
        return None;
    }
    either(a, b, |upper, lower| {
        let m = u128::BITS - p.possible_ones(lower).leading_zeros();
        if m == 0 || m >= width || p.possible_ones(upper) & mask(m) != 0 {
            return None;
        }
        let hi = p.extract(upper, m, width - m);
        let lo = p.extract(lower, 0, m);
        Some(p.concat(hi, lo))
    })
}

/// match: `x xor 0` · result: `x`
fn xor_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x xor ones` · result: `~x`
fn xor_ones(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_ones(b).then(|| p.not(a))
}

/// match: `x xor x` · result: `0`
fn xor_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| p.zero(p.width(a)))
}

/// match: `~x xor y` · result: `~(x xor y)`
fn xor_not(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, y| {
        let x = p.as_not(a)?;
        let t = p.xor(x, y);
        Some(p.not(t))
    })
}

/// match: `x xor y` of one bit · result: `not (x = y)`
fn xor_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1).then(|| p.ne(a, b))
}

/// match: `(x xor k) xor l` · result: `x xor (k xor l)`
fn xor_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    join_constants(p, Binary::Xor, a, b)
}

/// match: `x xor (x xor y)` · result: `y`
fn xor_cancel(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |x, t| {
        let (u, v) = p.as_binary(Binary::Xor, t)?;
        either(u, v, |same, y| (same == x).then_some(y))
    })
}
