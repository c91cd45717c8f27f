//! A repetition within a repetition: words such as (a b* c)*.
//!
//! The inner loop has been merged by a pattern in each iteration of the outer one, so that a step of the outer
//! word is `∀ 1 ≤ j ≤ k_i. ψ_i(j)` with a variable k_i of its own. Here the k_i of all iterations are the bytes
//! of one array K, and the outer formula reads `∀ 1 ≤ i ≤ k. ∀ 1 ≤ j ≤ K[i]. ψ(i, j)`. The paper has no such
//! patterns.
//!
//! The two quantifiers become one, whose index is the pair of both: y - 1 = (i - 1)·2^b + (j - 1). So a body has
//! no quantifier of its own, and a solver for one quantifier is enough.
//!
//! On each input exactly one k satisfies a merged path, and so must exactly one K. Bytes of K that a leaf says
//! nothing of are 0 ([`Family::unused`]).

use crate::shape::Step;
use crate::words::Group;
use rejoin_expr::{Node, Pool, Term, Var};
use rustc_hash::FxHashSet;

/// Both indices are bytes.
const WIDTH: u32 = 8;

/// An array of variables, of which each leaf has some: its index begins at 1.
#[derive(Clone, Debug)]
pub struct Family {
    /// The array.
    pub array: Term,
    /// Its variables.
    pub vars: Vec<Var>,
    /// The last index.
    last: u128,
    /// The leaf of k has the variable of index k + `ahead`.
    ahead: u128,
    /// Whether it has all before that, too; otherwise only this one.
    is_prefix: bool,
}

impl Family {
    fn new(pool: &mut Pool, slots: &[Option<Var>], ahead: u128, is_prefix: bool) -> Self {
        let mut bytes = vec![pool.constant(WIDTH, 0)];
        for slot in slots {
            bytes.push(slot.map_or(bytes[0], |v| pool.var_term(v)));
        }
        let array = pool.inputs(&bytes);
        let vars = slots.iter().copied().flatten().collect();
        Family { array, vars, last: slots.len() as u128, ahead, is_prefix }
    }

    /// Whether a leaf has exactly the variables that it should.
    fn fits(&self, pool: &Pool, k: u128, own: &FxHashSet<Var>) -> bool {
        let Node::Inputs(id) = pool.node(self.array) else { return false };
        let table = pool.input_table(id).iter().enumerate().skip(1);
        let end = k + self.ahead;
        table.into_iter().all(|(index, t)| match pool.node(*t) {
            Node::Var(v) => {
                let index = index as u128;
                let expected = if self.is_prefix { index <= end } else { index == end };
                own.contains(&v) == expected
            }
            _ => index as u128 != end,
        })
    }

    /// Conditions that the variables are 0 that the leaf of `k` says nothing of.
    pub fn unused(&self, pool: &mut Pool, k: Term) -> Vec<Term> {
        let i = pool.index_var(WIDTH, self.last);
        let [zero, ahead, rest] =
            [0, self.ahead, self.last - self.ahead].map(|value| pool.constant(WIDTH, value));
        let is_zero = |pool: &mut Pool, at: Term| {
            let at = pool.zext(at, 32);
            let byte = pool.select(self.array, at);
            pool.eq(byte, zero)
        };
        let end = pool.add(k, ahead);
        let (beyond, at) = (pool.sub(rest, k), pool.add(end, i));
        let body = is_zero(pool, at);
        let mut conditions = vec![pool.forall(i, beyond, body)];
        if !self.is_prefix {
            let one = pool.constant(WIDTH, 1);
            let (before, body) = (pool.sub(end, one), is_zero(pool, i));
            conditions.push(pool.forall(i, before, body));
        }
        conditions
    }
}

/// The variables among `inner` of some steps that were not seen before, in their order.
fn news(pool: &Pool, steps: &[Step], inner: &FxHashSet<Var>, seen: &mut FxHashSet<Var>) -> Vec<Var> {
    let vars = steps.iter().flat_map(|s| pool.support_vars(pool.support(s.cond)).iter().copied());
    vars.filter(|v| inner.contains(v) && seen.insert(*v)).collect()
}

/// Arrays for the variables that the leaves of a group have by iteration, or at their end.
pub(crate) fn families(
    pool: &mut Pool,
    group: &Group,
    leaves: &[Vec<Step>],
    inner: &FxHashSet<Var>,
) -> Option<Vec<Family>> {
    let &(longest, max) = group.members.first()?;
    let (start, period) = (group.pattern.start.len(), group.pattern.core.len());
    let mut seen = FxHashSet::default();
    news(pool, &leaves[longest][..start], inner, &mut seen);
    let mut cores = Vec::new();
    let mut seen_before = vec![seen.clone()];
    for steps in leaves[longest][start..start + max * period].chunks(period) {
        cores.push(news(pool, steps, inner, &mut seen));
        seen_before.push(seen.clone());
    }
    let mut ends = Vec::new();
    for &(leaf, k) in &group.members {
        let mut seen = seen_before[k].clone();
        ends.push((k, news(pool, &leaves[leaf][start + k * period..], inner, &mut seen)));
    }
    let (in_core, at_end) = (cores[0].len(), ends[0].1.len());
    if cores.iter().any(|c| c.len() != in_core) || ends.iter().any(|e| e.1.len() != at_end) {
        return None;
    }
    let mut families = Vec::new();
    for slot in 0..in_core.max(at_end) {
        let mut own: Vec<Option<Var>> = cores.iter().filter_map(|c| c.get(slot).copied().map(Some)).collect();
        let goes_on = |e: &(usize, Vec<Var>)| e.0 < max && e.1.get(slot) == cores[e.0].get(slot);
        // What ends a leaf in one iteration may go on in another leaf.
        let is_shared = slot < in_core && slot < at_end && ends.iter().any(goes_on);
        if is_shared {
            own.push(Some(ends[0].1[slot]));
        } else if slot < at_end {
            let mut others = vec![None; max + 1];
            ends.iter().for_each(|(k, vars)| others[*k] = Some(vars[slot]));
            families.push(Family::new(pool, &others, 1, false));
        }
        if slot < in_core {
            families.push(Family::new(pool, &own, u128::from(is_shared), true));
        }
    }
    let is_byte = |v: &Var| pool.width(pool.var_term(*v)) == WIDTH;
    let are_bytes = families.iter().all(|f| f.vars.iter().all(is_byte));
    let fits = group.members.iter().all(|&(leaf, k)| {
        let mut own = FxHashSet::default();
        news(pool, &leaves[leaf], inner, &mut own);
        families.iter().all(|f| f.fits(pool, k as u128, &own))
    });
    (max < 255 && are_bytes && fits).then_some(families)
}

/// An index variable for k up to `max` that no quantifier of the leaves has.
pub(crate) fn index(pool: &mut Pool, leaves: &[Vec<Step>], max: usize) -> Term {
    let conditions: Vec<Term> =
        leaves.iter().flatten().map(|s| s.cond).filter(|c| pool.is_quantified(*c)).collect();
    let bound: FxHashSet<Term> = pool
        .postorder(&conditions)
        .into_iter()
        .filter_map(|t| match pool.node(t) {
            Node::Forall(i, ..) => Some(i),
            _ => None,
        })
        .collect();
    let width = if max < 256 { 8 } else { 16 };
    (max as u128..)
        .map(|most| pool.index_var(width, most))
        .find(|i| !bound.contains(i))
        .unwrap_or_else(|| unreachable!("there are fewer quantifiers than numbers"))
}

/// `∀ 1 ≤ i ≤ x. t(i)` for a quantifier t(x), as one quantifier over pairs.
pub(crate) fn over_pairs(pool: &mut Pool, x: Term, t: Term) -> Option<Term> {
    let (Node::Forall(j, bound, body), Node::Var(outer)) = (pool.node(t), pool.node(x)) else { return None };
    let Node::Var(inner) = pool.node(j) else { return None };
    let (rows, columns) = (pool.index_max(outer), pool.index_max(inner));
    if [x, j].map(|t| pool.width(t)) != [WIDTH; 2] || columns < 2 || rows > 255 {
        return None;
    }
    let bits = u128::BITS - (columns - 1).leading_zeros();
    let y = pool.index_var(2 * WIDTH, rows << bits);
    let ones = pool.constant(2 * WIDTH, u128::from(u16::MAX));
    let before = pool.add(y, ones);
    let one = pool.constant(WIDTH, 1);
    let row = pool.extract(before, bits, WIDTH);
    let row = pool.add(row, one);
    let column = pool.extract(before, 0, bits);
    let column = pool.zext(column, WIDTH);
    let column = pool.add(column, one);
    let mut put = |v: Var| match v {
        _ if v == outer => Some(row),
        _ if v == inner => Some(column),
        _ => None,
    };
    let at_end = bound;
    let (bound, body) = (pool.substitute(bound, &mut put), pool.substitute(body, &mut put));
    let most = pool.constant(WIDTH, columns);
    let inside = pool.ule(column, bound);
    let within = pool.ule(column, most);
    let here = pool.and(within, inside);
    let elsewhere = pool.not(here);
    let body = pool.or(elsewhere, body);
    // The last pair is the last of the last row, because solvers ask what a quantifier says of its bound.
    let [zero, size] = [0, 1 << bits].map(|value| pool.constant(2 * WIDTH, value));
    let [rows, rest] = [x, at_end].map(|t| pool.zext(t, 2 * WIDTH));
    let complete = pool.mul(rows, size);
    let before = pool.sub(complete, size);
    let (last, none) = (pool.add(before, rest), pool.eq(rows, zero));
    let last = pool.ite(none, zero, last);
    Some(pool.forall(y, last, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::Assignment;

    /// Rows of up to three bytes, each as long as an array says.
    #[test]
    fn a_quantifier_over_pairs_is_one_within_the_other() {
        let mut pool = Pool::new();
        let s: Vec<Term> = (0..9).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        let lengths: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("k{i}"))).collect();
        let slots: Vec<Option<Var>> = (9..12).map(|v| Some(Var(v))).collect();
        let family = Family::new(&mut pool, &slots, 0, true);
        let (array, zero, three) = (pool.inputs(&s), pool.constant(8, 0), pool.constant(32, 3));
        let (x, j, k) = (pool.index_var(8, 4), pool.index_var(8, 3), pool.var(8, "k"));
        let Node::Var(outer) = pool.node(k) else { panic!("a variable") };
        let [row, column] = [x, j].map(|t| pool.zext(t, 32));
        let length = pool.select(family.array, row);
        let back = pool.constant(32, u128::from(u32::MAX - 3));
        let (start, at) = (pool.mul(row, three), pool.add(column, back));
        let at = pool.add(start, at);
        let read = pool.select(array, at);
        let body = pool.eq(read, zero);
        let row = pool.forall(j, length, body);
        let Some(all) = over_pairs(&mut pool, x, row) else { panic!("a quantifier") };
        let all = pool.replace(all, x, k);
        let unused = family.unused(&mut pool, k);
        let unused = pool.and_all(&unused);
        for rows in 0..=3u128 {
            for lens in [[0, 0, 0], [3, 3, 3], [1, 2, 0], [0, 3, 1]] {
                for odd in 0..9u32 {
                    let mut a: Assignment = (0..9).map(|i| (Var(i), u128::from(i == odd))).collect();
                    (0..3).for_each(|i| a.set(Var(9 + i), lens[i as usize]));
                    a.set(outer, rows);
                    let inside = u128::from(odd / 3) < rows && u128::from(odd % 3) < lens[odd as usize / 3];
                    assert_eq!(pool.eval(all, &a) == 1, !inside, "{rows} {lens:?} {odd}");
                    let others = &lens[rows as usize..];
                    assert_eq!(pool.eval(unused, &a) == 1, others.iter().all(|len| *len == 0));
                }
            }
        }
        assert_eq!(lengths.len(), family.vars.len());
    }

    #[test]
    fn of_a_family_a_leaf_has_one_or_all_before_it() {
        let mut pool = Pool::new();
        let vars: Vec<Term> = (0..4).map(|i| pool.var(8, &format!("k{i}"))).collect();
        assert_eq!(pool.node(vars[3]), Node::Var(Var(3)));
        let k = pool.var(8, "k");
        let slots = [Some(Var(0)), None, Some(Var(2)), Some(Var(3))];
        let family = Family::new(&mut pool, &slots, 1, false);
        let own = |vars: &[u32]| vars.iter().map(|v| Var(*v)).collect::<FxHashSet<Var>>();
        assert!(family.fits(&pool, 0, &own(&[0])) && family.fits(&pool, 3, &own(&[3])));
        assert!(!family.fits(&pool, 1, &own(&[])), "nobody is there");
        assert!(!family.fits(&pool, 2, &own(&[0, 2])) && !family.fits(&pool, 3, &own(&[2])));
        let unused = family.unused(&mut pool, k);
        let unused = pool.and_all(&unused);
        for (value, var) in [(0u128, 0u32), (2, 2), (3, 3)] {
            for odd in [0, 2, 3] {
                let a: Assignment = [(Var(odd), 7), (Var(4), value)].into_iter().collect();
                assert_eq!(pool.eval(unused, &a) == 1, odd == var, "{value} {odd}");
            }
        }
    }
}
