//! The path condition of two paths together.
//!
//! Both are leaves of one fork tree: what they share is the path to their lowest common ancestor,
//! and what each adds to it is its suffix. Where the suffixes have diagrams, what tells them apart
//! and what they say together is made as short as the shared path allows; without that, the guards
//! of states that merge again and again repeat all branches since the start. Merges that may be taken
//! back do without: their parts are told apart by conditions that their own paths have. So do value summaries, which
//! keep guards of paths as diagrams anyway.

use rejoin_expr::{Binary, Either, Node, Pool, Term, Var};
use rejoin_fault::planted;
use rejoin_solver::{Path, Solver};
use rustc_hash::FxHashSet;

/// Two paths together.
pub(crate) struct United {
    /// The disjunction of both.
    pub(crate) path: Path,
    /// On that path, holds exactly on the inputs of the first.
    pub(crate) guard: Term,
}

/// Whether neither path is an ancestor of the other, which would then hold its inputs.
pub(crate) fn are_apart(a: &Path, b: &Path) -> bool {
    let common = a.lca(b);
    a.depth() > common && b.depth() > common
}

/// Whether only quantifiers tell the inputs of one path from those of the other.
pub(crate) fn is_told_by_quantifiers(pool: &mut Pool, a: &Path, b: &Path) -> bool {
    let depth = a.lca(b);
    let guard = guard(pool, &a.suffix_since(depth), &b.suffix_since(depth));
    pool.is_quantified(guard)
}

/// The disjunction of two paths that no input satisfies both of, made short by the solver's diagrams if there is one.
pub(crate) fn unite(pool: &mut Pool, solver: Option<&mut Solver>, a: &Path, b: &Path) -> United {
    let depth = a.lca(b);
    let (mut x, mut y) = (a.suffix_since(depth), b.suffix_since(depth));
    let shared: Vec<Term> = x.iter().filter(|t| y.contains(t)).copied().collect();
    x.retain(|t| !shared.contains(t));
    y.retain(|t| !shared.contains(t));
    let witness = if a.witness().is_some() { a } else { b };
    let mut path = witness.prefix(pool, depth);
    for t in shared {
        path.assume(pool, t);
    }
    let short = solver.and_then(|solver| {
        let known = near(pool, &path, &x, &y);
        solver.either(pool, &known, &x, &y)
    });
    let Either { mut conditions, mut guard } = match short {
        Some(short) => short,
        None => Either { guard: guard(pool, &x, &y), conditions: vec![disjunction(pool, &x, &y)] },
    };
    if planted("merge-wrong-guard") {
        guard = pool.not(guard);
    }
    if planted("merge-drops-disjunct") {
        conditions = x;
    }
    for t in conditions {
        path.assume(pool, t);
    }
    United { path, guard }
}

/// The conditions of a path that say something of the variables of two suffixes.
fn near(pool: &Pool, path: &Path, x: &[Term], y: &[Term]) -> Vec<Term> {
    let of = |t: &Term| pool.support_vars(pool.support(*t));
    let vars: FxHashSet<Var> = x.iter().chain(y).flat_map(of).copied().collect();
    path.conditions().into_iter().filter(|t| of(t).iter().any(|v| vars.contains(v))).collect()
}

/// One condition that all inputs of the first suffix satisfy and none of the second.
fn guard(pool: &mut Pool, x: &[Term], y: &[Term]) -> Term {
    for t in x {
        let not = pool.not(*t);
        if y.contains(&not) {
            return *t;
        }
    }
    let [first, second] = [x, y].map(|suffix| suffix.iter().any(|t| pool.is_quantified(*t)));
    if first != second && second || first == second && x.len() <= y.len() {
        pool.and_all(x)
    } else {
        let second = pool.and_all(y);
        pool.not(second)
    }
}

/// `∧x ∨ ∧y`, where what the negation of one side says is left out of the other.
fn disjunction(pool: &mut Pool, x: &[Term], y: &[Term]) -> Term {
    let (mut x, mut y) = (x.to_vec(), y.to_vec());
    let a = pool.and_all(&x);
    let known = denial(pool, a);
    y.retain(|t| !known.contains(t));
    let b = pool.and_all(&y);
    let known = denial(pool, b);
    x.retain(|t| !known.contains(t));
    let a = pool.and_all(&x);
    pool.or(a, b)
}

/// Conditions that hold together exactly where `t` does not.
fn denial(pool: &mut Pool, t: Term) -> Vec<Term> {
    let (mut parts, mut waiting) = (Vec::new(), vec![t]);
    while let Some(t) = waiting.pop() {
        match pool.node(t) {
            Node::Binary(Binary::Or, a, b) => waiting.extend([b, a]),
            _ => {
                let not = pool.not(t);
                parts.extend(rejoin_solver::conjuncts(pool, not));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::Assignment;
    use rejoin_solver::Options;

    fn holds(pool: &Pool, path: &Path, inputs: &Assignment) -> bool {
        path.conditions().iter().all(|c| pool.eval(*c, inputs) != 0)
    }

    /// The exits of a loop over two bytes, merged one after the other as they come.
    #[test]
    fn united_paths_have_the_inputs_of_both_and_the_guard_tells_them_apart() {
        let mut pool = Pool::new();
        let bytes = [pool.var(8, "x"), pool.var(8, "y")];
        let (zero, limit) = (pool.constant(8, 0), pool.constant(8, 9));
        let mut start = Path::new();
        let low = pool.ult(bytes[0], limit);
        start.assume(&mut pool, low);
        let mut exits = Vec::new();
        let mut inside = start.clone();
        for byte in bytes {
            let end = pool.eq(byte, zero);
            let more = pool.not(end);
            let mut exit = inside.clone();
            exit.assume(&mut pool, end);
            exits.push(exit);
            inside.assume(&mut pool, more);
        }
        exits.push(inside);
        assert!(!are_apart(&start, &exits[0]) && are_apart(&exits[0], &exits[1]));
        let mut merged = exits[0].clone();
        let mut solver = Solver::new(Options::default());
        for exit in &exits[1..] {
            let united = unite(&mut pool, Some(&mut solver), &merged, exit);
            for x in (0..=10).chain([255]) {
                for y in [0, 1, 255] {
                    let inputs: Assignment = [(Var(0), x), (Var(1), y)].into_iter().collect();
                    let (a, b) = (holds(&pool, &merged, &inputs), holds(&pool, exit, &inputs));
                    assert!(!(a && b));
                    assert_eq!(holds(&pool, &united.path, &inputs), a || b);
                    assert!(!(a || b) || (pool.eval(united.guard, &inputs) != 0) == a);
                }
            }
            merged = united.path;
        }
        assert_eq!(merged.conditions(), start.conditions(), "all exits together are the loop's entry");
    }
}
