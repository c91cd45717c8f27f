//! The path condition of two paths together.
//!
//! Both are leaves of one fork tree: what they share is the path to their lowest common ancestor,
//! and what each adds to it is its suffix.

use rejoin_expr::{Pool, Term};
use rejoin_solver::Path;

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

/// The disjunction of two paths that no input satisfies both of.
pub(crate) fn unite(pool: &mut Pool, a: &Path, b: &Path) -> United {
    let depth = a.lca(b);
    let (mut x, mut y) = (a.suffix_since(depth), b.suffix_since(depth));
    let guard = guard(pool, &x, &y);
    let shared: Vec<Term> = x.iter().filter(|t| y.contains(t)).copied().collect();
    x.retain(|t| !shared.contains(t));
    y.retain(|t| !shared.contains(t));
    let witness = if a.witness().is_some() { a } else { b };
    let mut path = witness.prefix(pool, depth);
    for t in shared {
        path.assume(pool, t);
    }
    let either = disjunction(pool, x, y);
    path.assume(pool, either);
    United { path, guard }
}

/// One condition that all inputs of the first suffix satisfy and none of the second.
fn guard(pool: &mut Pool, x: &[Term], y: &[Term]) -> Term {
    for t in x {
        let not = pool.not(*t);
        if y.contains(&not) {
            return *t;
        }
    }
    if x.len() <= y.len() {
        pool.and_all(x)
    } else {
        let second = pool.and_all(y);
        pool.not(second)
    }
}

/// `∧x ∨ ∧y`, where what the negation of one side says is left out of the other.
fn disjunction(pool: &mut Pool, mut x: Vec<Term>, mut y: Vec<Term>) -> Term {
    let a = pool.and_all(&x);
    let otherwise = pool.not(a);
    let known = rejoin_solver::conjuncts(pool, otherwise);
    y.retain(|t| !known.contains(t));
    let b = pool.and_all(&y);
    let otherwise = pool.not(b);
    let known = rejoin_solver::conjuncts(pool, otherwise);
    x.retain(|t| !known.contains(t));
    let a = pool.and_all(&x);
    pool.or(a, b)
}
