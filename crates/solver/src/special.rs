//! Terms as they are on one path: what the path decides of them is put in.
//!
//! Only what costs nothing to see: conditions of the path itself, their negations, and conditions on one byte
//! whose values the path restricts. A choice whose condition is decided becomes what is chosen.

use rejoin_expr::{Node, Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::{Path, byte_condition, conjuncts};

/// What a path says, and what terms are on it.
pub struct Special {
    facts: FxHashSet<Term>,
    images: FxHashMap<Term, Term>,
}

impl Special {
    /// Looks at terms on `path`.
    #[must_use]
    pub fn new(pool: &Pool, path: &Path) -> Self {
        let facts = path.conditions().into_iter().flat_map(|c| conjuncts(pool, c)).collect();
        Special { facts, images: FxHashMap::default() }
    }

    /// The path now says `cond`, too.
    pub fn learn(&mut self, pool: &Pool, cond: Term) {
        self.facts.extend(conjuncts(pool, cond));
        self.images.clear();
    }

    /// What `t` is on `path`, which is the path that this was made of and learned since.
    pub fn of(&mut self, pool: &mut Pool, path: &Path, t: Term) -> Term {
        let mut todo = vec![t];
        while let Some(&u) = todo.last() {
            if !self.images.contains_key(&u) {
                match self.image(pool, path, u) {
                    Ok(image) => _ = self.images.insert(u, image),
                    Err(missing) => {
                        todo.extend(missing);
                        continue;
                    }
                }
            }
            todo.pop();
        }
        self.images[&t]
    }

    /// The image of a term, or terms whose image is needed first.
    fn image(&self, pool: &mut Pool, path: &Path, t: Term) -> Result<Term, Vec<Term>> {
        if pool.width(t) == 1
            && let Some(value) = self.decided(pool, path, t)
        {
            return Ok(if value { pool.tru() } else { pool.fals() });
        }
        let node = pool.node(t);
        let known = |t: Term| self.images.get(&t).copied().ok_or_else(|| vec![t]);
        if let Node::Ite(cond, then, els) = node {
            let cond = known(cond)?;
            if pool.is_true(cond) || pool.is_false(cond) {
                return known(if pool.is_true(cond) { then } else { els });
            }
        }
        // What is said of an index that is bound is not said of one on the path.
        if matches!(node, Node::Forall(..)) {
            return Ok(t);
        }
        let operands: Vec<Term> = node.operands().collect();
        let missing: Vec<Term> = operands.iter().copied().filter(|o| !self.images.contains_key(o)).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let images: Vec<Term> = operands.iter().map(|o| self.images[o]).collect();
        Ok(if images == operands { t } else { pool.with_operands(t, &images) })
    }

    fn decided(&self, pool: &mut Pool, path: &Path, t: Term) -> Option<bool> {
        if self.facts.contains(&t) {
            return Some(true);
        }
        let not = pool.not(t);
        if self.facts.contains(&not) {
            return Some(false);
        }
        let (var, set) = byte_condition(pool, t)?;
        let allowed = path.allowed(var);
        if allowed.is_subset(set) {
            Some(true)
        } else if allowed.intersect(set).is_empty() {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A choice by what the path says of a byte is no choice, in whatever words the condition is written.
    #[test]
    fn what_a_path_decides_is_put_in() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
        let [five, nine] = [5, 9].map(|n| pool.constant(8, n));
        let (low, other, lower) = (pool.ult(x, five), pool.ult(x, nine), pool.ult(y, x));
        let mut path = Path::new();
        path.assume(&mut pool, low);
        path.assume(&mut pool, lower);
        let mut special = Special::new(&pool, &path);
        let inner = pool.ite(lower, five, x);
        let t = pool.ite(other, inner, y);
        assert_eq!(special.of(&mut pool, &path, t), five);
        let not_lower = pool.ule(x, y);
        let u = pool.ite(not_lower, y, nine);
        assert_eq!(special.of(&mut pool, &path, u), nine);
        let open = pool.ult(y, five);
        let t = pool.ite(open, x, y);
        assert_eq!(special.of(&mut pool, &path, t), t);
        path.assume(&mut pool, open);
        special.learn(&pool, open);
        assert_eq!(special.of(&mut pool, &path, t), x);
    }
}
