//! Rules of negation, addition, multiplication, division.

use super::pattern::{either, tree, trees, vars};
use super::{Apply1, Apply2, rewrites};
use crate::node::{Binary, Term};
use crate::pool::Pool;
use crate::semantics::{self, mask};

rewrites! {
    NEG: Apply1 = {
        neg_bool(BOOL) |p, w, _| { let [x] = vars(p, w); p.neg(x) };
        neg_neg(MULTI) |p, w, _| { let [x] = vars(p, w); let t = p.neg(x); p.neg(t) };
        neg_add_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.add(x, k);
            p.neg(t)
        };
        neg_mul_constant(THREE) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.mul(x, k);
            p.neg(t)
        };
        neg_tree(MULTI) |p, w, c| { let t = tree(p, w, c); p.neg(t) };
    }
    ADD: Apply2 = {
        add_zero(MULTI) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.add(x, k) };
        add_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.add(x, y) };
        add_neg(MULTI) |p, w, _| { let [x] = vars(p, w); let t = p.neg(x); p.add(t, x) };
        add_same(MULTI) |p, w, _| { let [x] = vars(p, w); p.add(x, x) };
        add_constants(MULTI) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let t = p.add(x, k);
            p.add(t, l)
        };
        add_not_constant(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.not(x);
            p.add(t, k)
        };
        add_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.add(t, k)
        };
        add_trees(MULTI) |p, w, c| trees(p, Binary::Add, w, c);
        add_constant_out(MULTI) |p, w, [c, _]| {
            let [x, y] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.add(x, k);
            p.add(t, y)
        };
        add_cancel(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let t = p.neg(y);
            let s = p.add(x, t);
            p.add(s, y)
        };
        add_cancel_neg(MULTI) |p, w, _| {
            let [x, y] = vars(p, w);
            let s = p.add(x, y);
            let t = p.neg(y);
            p.add(s, t)
        };
        add_disjoint(HALF) |p, w, _| {
            let [x, y] = vars(p, w);
            let zero = p.constant(w, 0);
            let upper = p.concat(x, zero);
            let lower = p.zext(y, 2 * w);
            p.add(upper, lower)
        };
    }
    MUL: Apply2 = {
        mul_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.mul(x, k) };
        mul_one(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 1); p.mul(x, k) };
        mul_bool(BOOL) |p, w, _| { let [x, y] = vars(p, w); p.mul(x, y) };
        mul_minus_one(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, u128::MAX);
            p.mul(x, k)
        };
        mul_constants(THREE) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let t = p.mul(x, k);
            p.mul(t, l)
        };
        mul_neg_constant(THREE) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, c);
            let t = p.neg(x);
            p.mul(t, k)
        };
        mul_add_constant(MULTI) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let [k, l] = [c, d].map(|bits| p.constant(w, bits));
            let t = p.add(x, k);
            p.mul(t, l)
        };
        mul_power(MULTI) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, 1 << (c % u128::from(w)));
            p.mul(x, k)
        };
        mul_tree(THREE) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.mul(t, k)
        };
    }
    UDIV: Apply2 = {
        udiv_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.udiv(x, k) };
        udiv_power(ANY) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, 1 << (c % u128::from(w)));
            p.udiv(x, k)
        };
        udiv_zext(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c & mask(w));
            let t = p.zext(x, 2 * w);
            p.udiv(t, k)
        };
        udiv_constants(FIVE) |p, w, [c, d]| {
            let [x] = vars(p, w);
            let [k, l] = [c, d].map(|bits| p.constant(w, 3 + bits % 4));
            let t = p.udiv(x, k);
            p.udiv(t, l)
        };
        udiv_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.udiv(t, k)
        };
    }
    UREM: Apply2 = {
        urem_zero(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 0); p.urem(x, k) };
        urem_power(ANY) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, 1 << (c % u128::from(w)));
            p.urem(x, k)
        };
        urem_small(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c | 1 << w);
            let t = p.zext(x, 2 * w);
            p.urem(t, k)
        };
        urem_zext(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, c & mask(w));
            let t = p.zext(x, 2 * w);
            p.urem(t, k)
        };
        urem_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.urem(t, k)
        };
    }
    SDIV: Apply2 = {
        sdiv_one(ANY) |p, w, _| { let [x] = vars(p, w); let k = p.constant(w, 1); p.sdiv(x, k) };
        sdiv_minus_one(MULTI) |p, w, _| {
            let [x] = vars(p, w);
            let k = p.constant(w, u128::MAX);
            p.sdiv(x, k)
        };
        sdiv_natural(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.sdiv(x, y)
        };
        sdiv_sext(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, semantics::sign_extend(w, 2 * w, c));
            let t = p.sext(x, 2 * w);
            p.sdiv(t, k)
        };
        sdiv_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.sdiv(t, k)
        };
    }
    SREM: Apply2 = {
        srem_unit(ANY) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(w, if c % 2 == 0 { 1 } else { u128::MAX });
            p.srem(x, k)
        };
        srem_natural(HALF) |p, w, _| {
            let [x, y] = vars(p, w).map(|x| p.zext(x, 2 * w));
            p.srem(x, y)
        };
        srem_sext(MULTI_HALF) |p, w, [c, _]| {
            let [x] = vars(p, w);
            let k = p.constant(2 * w, semantics::sign_extend(w, 2 * w, c));
            let t = p.sext(x, 2 * w);
            p.srem(t, k)
        };
        srem_tree(MULTI) |p, w, c| {
            let t = tree(p, w, c);
            let k = p.constant(w, c[0]);
            p.srem(t, k)
        };
    }
}

/// match: `-x` of one bit · result: `x`
fn neg_bool(p: &mut Pool, a: Term) -> Option<Term> {
    (p.width(a) == 1).then_some(a)
}

/// match: `-(-x)` · result: `x`
fn neg_neg(p: &mut Pool, a: Term) -> Option<Term> {
    p.as_neg(a)
}

/// match: `-(x + k)` · result: `-x + -k`
fn neg_add_constant(p: &mut Pool, a: Term) -> Option<Term> {
    let (x, k) = p.as_with_constant(Binary::Add, a)?;
    let minus_x = p.neg(x);
    let minus_k = p.constant(p.width(a), k.wrapping_neg());
    Some(p.add(minus_x, minus_k))
}

/// match: `-(x * k)` · result: `x * -k`
fn neg_mul_constant(p: &mut Pool, a: Term) -> Option<Term> {
    let (x, k) = p.as_with_constant(Binary::Mul, a)?;
    let minus_k = p.constant(p.width(a), k.wrapping_neg());
    Some(p.mul(x, minus_k))
}

/// match: `-t`, t a choice between constants · result: the choice between `-k`
fn neg_tree(p: &mut Pool, a: Term) -> Option<Term> {
    let width = p.width(a);
    p.map_tree(a, &mut |p, leaf| p.constant(width, leaf.wrapping_neg()))
}

/// match: `x + 0` · result: `x`
fn add_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x + y` of one bit · result: `x xor y`
fn add_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1).then(|| p.xor(a, b))
}

/// match: `x + -x` · result: `0`
fn add_neg(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let opposite = p.as_neg(a) == Some(b) || p.as_neg(b) == Some(a);
    opposite.then(|| p.zero(p.width(a)))
}

/// match: `x + x` · result: `x << 1`
fn add_same(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (a == b && p.is_narrow(a)).then(|| {
        let one = p.constant(p.width(a), 1);
        p.shl(a, one)
    })
}

/// match: `(x + k) + l` · result: `x + (k + l)`
fn add_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::Add, a)?;
    let sum = p.constant(p.width(a), k.wrapping_add(l));
    Some(p.add(x, sum))
}

/// match: `~x + k` · result: `-x + (k - 1)`
fn add_not_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b)?;
    let x = p.as_not(a)?;
    let minus_x = p.neg(x);
    let less = p.constant(p.width(a), k.wrapping_sub(1));
    Some(p.add(minus_x, less))
}

/// match: `t + l`, t a choice between constants · result: the choice between `k + l`
fn add_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Add, a, b)
}

/// match: `t + u`, choices between constants that depend on each other · result: the choice between
/// the sums
fn add_trees(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.two_trees(Binary::Add, a, b)
}

/// match: `(x + k) + y` · result: `(x + y) + k`
fn add_constant_out(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, y| {
        let (x, k) = p.as_binary(Binary::Add, a)?;
        p.as_const(k)?;
        let sum = p.add(x, y);
        Some(p.add(sum, k))
    })
}

/// match: `(x + -y) + y` · result: `x`
fn add_cancel(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, y| {
        let (u, v) = p.as_binary(Binary::Add, a)?;
        either(u, v, |x, minus_y| (p.as_neg(minus_y) == Some(y)).then_some(x))
    })
}

/// match: `(x + y) + -y` · result: `x`
fn add_cancel_neg(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    either(a, b, |a, minus_y| {
        let y = p.as_neg(minus_y)?;
        let (u, v) = p.as_binary(Binary::Add, a)?;
        either(u, v, |x, z| (z == y).then_some(x))
    })
}

/// match: `x + y`, no bit possibly 1 in both, no constant · result: `x or y`
///
/// A constant stays in a sum: that keeps `(x + k) - k` simple.
fn add_disjoint(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let disjoint = p.is_narrow(a) && p.possible_ones(a) & p.possible_ones(b) == 0;
    (disjoint && p.as_const(b).is_none()).then(|| p.or(a, b))
}

/// match: `x * 0` · result: `0`
fn mul_zero(p: &mut Pool, _: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(b)
}

/// match: `x * 1` · result: `x`
fn mul_one(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_one(b).then_some(a)
}

/// match: `x * y` of one bit · result: `x and y`
fn mul_bool(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.width(a) == 1).then(|| p.and(a, b))
}

/// match: `x * -1` · result: `-x`
fn mul_minus_one(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_ones(b).then(|| p.neg(a))
}

/// match: `(x * k) * l` · result: `x * (k * l)`
fn mul_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::Mul, a)?;
    let product = p.constant(p.width(a), k.wrapping_mul(l));
    Some(p.mul(x, product))
}

/// match: `-x * k` · result: `x * -k`
fn mul_neg_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b)?;
    let x = p.as_neg(a)?;
    let minus_k = p.constant(p.width(a), k.wrapping_neg());
    Some(p.mul(x, minus_k))
}

/// match: `(x + k) * l` · result: `x * l + k * l`
fn mul_add_constant(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::Add, a)?;
    let scaled = p.mul(x, b);
    let offset = p.constant(p.width(a), k.wrapping_mul(l));
    Some(p.add(scaled, offset))
}

/// match: `x * 2^n` · result: `x << n`
fn mul_power(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b).filter(|k| k.is_power_of_two())?;
    let n = p.constant(p.width(a), k.trailing_zeros().into());
    Some(p.shl(a, n))
}

/// match: `t * l`, t a choice between constants · result: the choice between `k * l`
fn mul_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::Mul, a, b)
}

/// match: `x udiv 0` · result: all ones
fn udiv_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then(|| p.ones(p.width(a)))
}

/// match: `x udiv 2^n` · result: `x lshr n`
fn udiv_power(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b).filter(|k| k.is_power_of_two())?;
    let n = p.constant(p.width(a), k.trailing_zeros().into());
    Some(p.lshr(a, n))
}

/// match: `zext x udiv k`, 0 < k < 2^width(x) · result: `zext (x udiv k)`
fn udiv_zext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    narrow_by_zext(p, Binary::UDiv, a, b)
}

fn narrow_by_zext(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let x = p.as_zext(a)?;
    let (width, narrow) = (p.width(a), p.width(x));
    let k = p.as_const(b).filter(|&k| k != 0 && k <= mask(narrow))?;
    let k = p.constant(narrow, k);
    let t = p.binary(op, x, k);
    Some(p.zext(t, width))
}

/// match: `(x udiv k) udiv l`, `k * l` fits · result: `x udiv (k * l)`
fn udiv_constants(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let l = p.as_const(b)?;
    let (x, k) = p.as_with_constant(Binary::UDiv, a)?;
    let product = k.checked_mul(l).filter(|&k| k != 0 && k <= mask(p.width(a)))?;
    let product = p.constant(p.width(a), product);
    Some(p.udiv(x, product))
}

/// match: `t udiv l`, t a choice between constants · result: the choice between `k udiv l`
fn udiv_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::UDiv, a, b)
}

/// match: `x urem 0` · result: `x`
fn urem_zero(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_zero(b).then_some(a)
}

/// match: `x urem 2^n` · result: `x and (2^n - 1)`
fn urem_power(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    let k = p.as_const(b).filter(|k| k.is_power_of_two())?;
    let low = p.constant(p.width(a), k - 1);
    Some(p.and(a, low))
}

/// match: `x urem y`, x < y by their intervals · result: `x`
fn urem_small(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.is_narrow(a) && p.interval(a).1 < p.interval(b).0).then_some(a)
}

/// match: `zext x urem k`, 0 < k < 2^width(x) · result: `zext (x urem k)`
fn urem_zext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    narrow_by_zext(p, Binary::URem, a, b)
}

/// match: `t urem l`, t a choice between constants · result: the choice between `k urem l`
fn urem_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::URem, a, b)
}

/// match: `x sdiv 1` · result: `x`
fn sdiv_one(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_one(b).then_some(a)
}

/// match: `x sdiv -1` · result: `-x`
fn sdiv_minus_one(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.is_ones(b).then(|| p.neg(a))
}

/// Is neither operand negative?
fn natural(p: &Pool, a: Term, b: Term) -> bool {
    let width = p.width(a);
    p.is_narrow(a) && (p.possible_ones(a) | p.possible_ones(b)) & semantics::sign_bit(width) == 0
}

/// match: `x sdiv y`, neither negative · result: `x udiv y`
fn sdiv_natural(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    natural(p, a, b).then(|| p.udiv(a, b))
}

/// match: `sext x sdiv sext k`, k neither 0 nor -1 · result: `sext (x sdiv k)`
fn sdiv_sext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    narrow_by_sext(p, Binary::SDiv, a, b)
}

fn narrow_by_sext(p: &mut Pool, op: Binary, a: Term, b: Term) -> Option<Term> {
    let x = p.as_sext(a)?;
    let (width, narrow) = (p.width(a), p.width(x));
    let k = p.as_const(b).filter(|&k| k != 0 && k != mask(width))?;
    if semantics::sign_extend(narrow, width, k) != k {
        return None;
    }
    let k = p.constant(narrow, k);
    let t = p.binary(op, x, k);
    Some(p.sext(t, width))
}

/// match: `t sdiv l`, t a choice between constants · result: the choice between `k sdiv l`
fn sdiv_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::SDiv, a, b)
}

/// match: `x srem 1`, `x srem -1` · result: `0`
fn srem_unit(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    (p.is_one(b) || p.is_ones(b)).then(|| p.zero(p.width(a)))
}

/// match: `x srem y`, neither negative · result: `x urem y`
fn srem_natural(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    natural(p, a, b).then(|| p.urem(a, b))
}

/// match: `sext x srem sext k`, k neither 0 nor -1 · result: `sext (x srem k)`
fn srem_sext(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    narrow_by_sext(p, Binary::SRem, a, b)
}

/// match: `t srem l`, t a choice between constants · result: the choice between `k srem l`
fn srem_tree(p: &mut Pool, a: Term, b: Term) -> Option<Term> {
    p.tree_with_constant(Binary::SRem, a, b)
}
