//! Formulas and terms for a pattern (section 3.3): what differs from one k to the next are constants,
//! and each of them is a function of k (`holes`).

use crate::bounds::{Bound, bound};
use crate::holes::{fill, pieces, step};
use crate::nested::{Family, families, index, over_pairs};
use crate::shape::{Shapes, Step};
use crate::words::Group;
use rejoin_expr::{Binary, Node, Pool, Term, Var};
use rustc_hash::FxHashSet;

/// Whether the booleans of each pair are equal; asked once, about those that are not the same term.
pub type Same<'a> = &'a mut dyn FnMut(&mut Pool, &[(Term, Term)]) -> bool;

/// A formula pattern (Definition 3.5), in the index variable `x`.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The variable of `core` and `end`.
    pub x: Term,
    /// φ1
    pub start: Vec<Term>,
    /// φ2(x), without quantifiers
    pub core: Term,
    /// What ∀ 1 ≤ i ≤ x. φ2(i) says beyond: quantifiers over pairs
    pub nested: Vec<Term>,
    /// φ3(x)
    pub end: Term,
    /// The variables of inner patterns.
    pub families: Vec<Family>,
}

/// A formula that matches the leaves of a group, whose steps are given. Lemma 3.10, with the premise
/// checked: the leaves agree, step by step, as far as their words do. `inner`: the variables that were made
/// after the leaves parted.
pub fn formula(
    pool: &mut Pool,
    group: &Group,
    leaves: &[Vec<Step>],
    inner: &FxHashSet<Var>,
    same: Same,
) -> Option<Formula> {
    let &(longest, max) = group.members.first()?;
    if max < 2 || group.members.len() < 2 || group.pattern.core.is_empty() {
        return None;
    }
    let (start, period) = (group.pattern.start.len(), group.pattern.core.len());
    for &(leaf, k) in &group.members {
        let shared = start + k * period;
        if leaves[leaf].get(..shared)? != leaves[longest].get(..shared)? {
            return None;
        }
    }
    let families = families(pool, group, leaves, inner)?;
    let x = index(pool, leaves, max);
    let indices: Vec<u128> = (1..=max as u128).collect();
    let mut shapes = Shapes::with_alike(inner.clone());
    let mut core = Vec::new();
    for place in 0..period {
        let steps: Vec<Step> = (0..max).map(|i| leaves[longest][start + i * period + place]).collect();
        core.push((generalise_steps(pool, &mut shapes, x, &indices, &steps)?, steps));
    }
    let ks: Vec<u128> = group.members.iter().map(|m| m.1 as u128).collect();
    let mut end = Vec::new();
    for place in 0..group.pattern.end.len() {
        let steps: Option<Vec<Step>> = group
            .members
            .iter()
            .map(|&(leaf, k)| leaves[leaf].get(start + k * period + place).copied())
            .collect();
        let steps = steps?;
        end.push((generalise_steps(pool, &mut shapes, x, &ks, &steps)?, steps));
    }
    // Somebody is asked only when all places have a form.
    let mut doubtful = Vec::new();
    core.iter().for_each(|(t, steps)| compare(pool, x, &indices, *t, steps, &mut doubtful));
    end.iter().for_each(|(t, steps)| compare(pool, x, &ks, *t, steps, &mut doubtful));
    doubtful.sort_unstable();
    doubtful.dedup();
    // Quantifiers have to be the same as they are.
    if doubtful.iter().any(|d| pool.is_quantified(d.0) || pool.is_quantified(d.1)) {
        return None;
    }
    if !doubtful.is_empty() && !same(pool, &doubtful) {
        return None;
    }
    let all = |parts: &[(Term, Vec<Step>)]| parts.iter().map(|p| p.0).collect::<Vec<Term>>();
    let (nested, core) = all(&core).into_iter().partition::<Vec<Term>, _>(|t| pool.is_quantified(*t));
    let nested: Option<Vec<Term>> = nested.into_iter().map(|t| over_pairs(pool, x, t)).collect();
    let nested = nested?;
    let (core, end) = (pool.and_all(&core), pool.and_all(&all(&end)));
    let start = leaves[longest][..start].iter().map(|s| s.cond).collect();
    Some(Formula { x, start, core, nested, end, families })
}

/// A term t(x) that is `values[n]` for x = `ks[n]`.
pub fn value(pool: &mut Pool, x: Term, ks: &[u128], values: &[Term]) -> Option<Term> {
    // Few pieces of equal values are right as they are made; most bytes that a loop writes are that.
    if pieces(ks, values) * FEW_PIECES <= values.len() {
        return step(pool, x, ks, values);
    }
    let t = match generalise(pool, &mut Shapes::default(), x, ks, values) {
        Some(t) => t,
        None => return step(pool, x, ks, values),
    };
    let fits = ks.iter().zip(values).all(|(&k, &v)| pool.instance(x, k, t) == v);
    fits.then_some(t)
}

/// So many values for each piece show that it is one.
const FEW_PIECES: usize = 3;

/// A condition that seems to be that of `steps[n]` for x = `ds[n]`.
fn generalise_steps(
    pool: &mut Pool,
    shapes: &mut Shapes,
    x: Term,
    ds: &[u128],
    steps: &[Step],
) -> Option<Term> {
    let first = steps.first()?;
    if steps.iter().all(|s| s.cond == first.cond) {
        return Some(first.cond);
    }
    let compared = |pool: &mut Pool, shapes: &mut Shapes| {
        let all: Option<Vec<_>> = steps.iter().map(|s| s.compare).collect();
        let all = all?;
        if all.iter().any(|c| (c.op, c.negated) != (all[0].op, all[0].negated)) {
            return None;
        }
        let left: Vec<Term> = all.iter().map(|c| c.a).collect();
        let right: Vec<Term> = all.iter().map(|c| c.b).collect();
        let left = generalise(pool, shapes, x, ds, &left)?;
        let right = generalise(pool, shapes, x, ds, &right)?;
        let t = pool.binary(all[0].op, left, right);
        Some(if all[0].negated { pool.not(t) } else { t })
    };
    compared(pool, shapes).or_else(|| {
        let conds: Vec<Term> = steps.iter().map(|s| s.cond).collect();
        generalise(pool, shapes, x, ds, &conds)
    })
}

/// Collects where a condition is not literally that of `steps[n]` for x = `ds[n]`.
fn compare(pool: &mut Pool, x: Term, ds: &[u128], t: Term, steps: &[Step], doubtful: &mut Vec<(Term, Term)>) {
    for (&d, step) in ds.iter().zip(steps) {
        let instance = pool.instance(x, d, t);
        if instance != step.cond {
            doubtful.push((instance, step.cond));
        }
    }
}

/// A term that seems to be `ts[n]` for x = `ds[n]`: they are taken apart as long as they are of one
/// form; where constants or places of inputs differ, there is a function of x.
pub(crate) fn generalise(
    pool: &mut Pool,
    shapes: &mut Shapes,
    x: Term,
    ds: &[u128],
    ts: &[Term],
) -> Option<Term> {
    let &first = ts.first()?;
    if ts.iter().all(|t| *t == first) {
        return Some(first);
    }
    let width = pool.width(first);
    if ts.iter().any(|t| pool.width(*t) != width) {
        return None;
    }
    let constants: Option<Vec<u128>> = ts.iter().map(|t| pool.as_const(*t)).collect();
    if let Some(constants) = constants {
        return fill(pool, x, width, ds, &constants);
    }
    if let Some(t) = input(pool, shapes, x, ds, ts) {
        return Some(t);
    }
    if let Some(t) = sum(pool, shapes, x, ds, ts) {
        return Some(t);
    }
    if let Some(t) = choice(pool, shapes, x, ds, ts) {
        return Some(t);
    }
    if let Some(t) = widened(pool, shapes, x, ds, ts) {
        return Some(t);
    }
    let node = pool.node(first);
    if ts.iter().any(|t| !alike(pool.node(*t), node)) {
        return None;
    }
    let arity = node.operands().count();
    let mut columns: Vec<Vec<Term>> = vec![Vec::new(); arity];
    for &t in ts {
        let mut operands: Vec<Term> = pool.node(t).operands().collect();
        // The order of operands of a commutative operator is their age.
        if let Node::Binary(op, a, b) = pool.node(t)
            && op.is_commutative()
            && let Some(&model) = columns[0].first()
        {
            let (model, a, b) = (shapes.of(pool, model), shapes.of(pool, a), shapes.of(pool, b));
            if a != model && b == model {
                operands.reverse();
            }
        }
        columns.iter_mut().zip(operands).for_each(|(column, operand)| column.push(operand));
    }
    let mut operands = Vec::with_capacity(arity);
    for column in &columns {
        operands.push(generalise(pool, shapes, x, ds, column)?);
    }
    (arity > 0).then(|| pool.with_operands(first, &operands))
}

/// Whether two nodes are of one kind, whatever their operands.
fn alike(a: Node, b: Node) -> bool {
    match (a, b) {
        (Node::Unary(p, _), Node::Unary(q, _)) => p == q,
        (Node::Binary(p, ..), Node::Binary(q, ..)) => p == q,
        (Node::Extract(_, p), Node::Extract(_, q)) => p == q,
        (Node::Forall(i, ..), Node::Forall(j, ..)) => i == j,
        _ => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

/// Bytes of one array of inputs: a read of it.
fn input(pool: &mut Pool, shapes: &mut Shapes, x: Term, ds: &[u128], ts: &[Term]) -> Option<Term> {
    let place = |pool: &mut Pool, t: Term| -> Option<(Term, Term)> {
        match pool.node(t) {
            Node::Var(v) => {
                let (array, at) = pool.input_place(v)?;
                Some((array, pool.constant(32, at.into())))
            }
            Node::Select(array, at) => Some((array, at)),
            _ => None,
        }
    };
    // At one place there may be what the array has beside its variables.
    let (mut at, mut indices, mut array) = (Vec::new(), Vec::new(), None);
    for (&d, &t) in ds.iter().zip(ts) {
        let Some((own, index)) = place(pool, t) else { continue };
        at.push(d);
        indices.push(index);
        (*array.get_or_insert(own) == own).then_some(())?;
    }
    if indices.len() + 1 < ts.len() || indices.len() < 2 {
        return None;
    }
    let index = generalise(pool, shapes, x, &at, &indices)?;
    let read = pool.select(array?, index);
    let fits = |pool: &mut Pool| ds.iter().zip(ts).all(|(&d, &t)| pool.instance(x, d, read) == t);
    (indices.len() == ts.len() || fits(pool)).then_some(read)
}

/// Narrower terms with zeros in front of them, some of which are constants.
fn widened(pool: &mut Pool, shapes: &mut Shapes, x: Term, ds: &[u128], ts: &[Term]) -> Option<Term> {
    let narrow = |t: &Term| match pool.node(*t) {
        Node::ZExt(a) => Some(pool.width(a)),
        _ => None,
    };
    let width = ts.iter().find_map(narrow)?;
    let narrowed: Option<Vec<Term>> = ts
        .iter()
        .map(|&t| match (pool.node(t), pool.as_const(t)) {
            (Node::ZExt(a), _) if pool.width(a) == width => Some(a),
            (_, Some(c)) if c >> width == 0 => Some(pool.constant(width, c)),
            _ => None,
        })
        .collect();
    let narrow = generalise(pool, shapes, x, ds, &narrowed?)?;
    Some(pool.zext(narrow, pool.width(ts[0])))
}

/// Choices by a bound of one term, in whichever form the bound is.
fn choice(pool: &mut Pool, shapes: &mut Shapes, x: Term, ds: &[u128], ts: &[Term]) -> Option<Term> {
    let split = |pool: &Pool, t: Term| match pool.node(t) {
        Node::Ite(c, a, b) => {
            let found = bound(pool, c)?;
            Some(if found.negated { (found, b, a) } else { (found, a, b) })
        }
        _ => None,
    };
    let parts: Option<Vec<(Bound, Term, Term)>> = ts.iter().map(|t| split(pool, *t)).collect();
    let parts = parts?;
    let of = parts[0].0.of;
    if parts.iter().any(|p| p.0.of != of) {
        return None;
    }
    let column = |f: fn(&(Bound, Term, Term)) -> Term| parts.iter().map(f).collect::<Vec<Term>>();
    let (inside, outside) = (column(|p| p.1), column(|p| p.2));
    let most: Vec<u128> = parts.iter().map(|p| p.0.most).collect();
    let most = match most.iter().all(|m| *m == most[0]) {
        true => pool.constant(pool.width(of), most[0]),
        false => fill(pool, x, pool.width(of), ds, &most)?,
    };
    let inside = generalise(pool, shapes, x, ds, &inside)?;
    let outside = generalise(pool, shapes, x, ds, &outside)?;
    let cond = pool.ule(of, most);
    Some(pool.ite(cond, inside, outside))
}

/// Sums with a constant, some of which may be 0.
fn sum(pool: &mut Pool, shapes: &mut Shapes, x: Term, ds: &[u128], ts: &[Term]) -> Option<Term> {
    let split = |pool: &Pool, t: Term| match pool.node(t) {
        Node::Binary(Binary::Add, a, b) => pool.as_const(b).map_or((t, 0), |c| (a, c)),
        _ => (t, 0),
    };
    let parts: Vec<(Term, u128)> = ts.iter().map(|t| split(pool, *t)).collect();
    if parts.iter().all(|p| p.1 == parts[0].1) {
        return None;
    }
    let (rest, constants): (Vec<Term>, Vec<u128>) = parts.into_iter().unzip();
    let rest = generalise(pool, shapes, x, ds, &rest)?;
    let constant = fill(pool, x, pool.width(rest), ds, &constants)?;
    Some(pool.add(rest, constant))
}
