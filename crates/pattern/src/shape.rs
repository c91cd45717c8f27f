//! Decisions, and their shapes: numbers that are equal for what differs in constants only.

use rejoin_expr::{Binary, Node, Pool, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A decision on a path: an edge of the execution tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where in the program it was made.
    pub site: u64,
    /// The condition that holds since.
    pub cond: Term,
    /// The condition as the program compared, if it did.
    pub compare: Option<Compare>,
}

/// A comparison, or its negation, before any rewriting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    /// The operator.
    pub op: Binary,
    /// Its left operand.
    pub a: Term,
    /// Its right operand.
    pub b: Term,
    /// Whether it is the negation that holds.
    pub negated: bool,
}

/// Shapes of terms, each computed once.
#[derive(Default)]
pub struct Shapes {
    known: FxHashMap<Term, u64>,
    /// Variables that are all alike: those of patterns in a pattern.
    alike: FxHashSet<Var>,
}

const CONSTANT: u64 = 0x517c_c1b7_2722_0a95;

fn mix(parts: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    hasher.finish()
}

impl Shapes {
    /// Shapes to which these variables are all alike.
    #[must_use]
    pub fn with_alike(alike: FxHashSet<Var>) -> Self {
        Shapes { known: FxHashMap::default(), alike }
    }

    /// The letter of a decision.
    pub fn of_step(&mut self, pool: &Pool, step: &Step) -> u64 {
        let shape = match step.compare {
            Some(c) => mix((c.op, c.negated, self.of(pool, c.a), self.of(pool, c.b))),
            None => self.of(pool, step.cond),
        };
        mix((step.site, step.compare.is_some(), shape))
    }

    /// The shape of a term: constants are all alike, and so are the bytes of one array of inputs; a
    /// constant that is added does not count.
    pub fn of(&mut self, pool: &Pool, t: Term) -> u64 {
        if let Some(&shape) = self.known.get(&t) {
            return shape;
        }
        for u in pool.postorder(&[t]) {
            if !self.known.contains_key(&u) {
                let shape = self.compute(pool, u);
                self.known.insert(u, shape);
            }
        }
        self.known[&t]
    }

    fn compute(&self, pool: &Pool, t: Term) -> u64 {
        let width = pool.width(t);
        let of = |u: Term| self.known.get(&u).copied().unwrap_or(0);
        match pool.node(t) {
            Node::Const(_) => mix((CONSTANT, width)),
            Node::Var(v) if self.alike.contains(&v) => mix((8, width)),
            Node::Var(v) => match pool.input_place(v) {
                Some((array, _)) => mix((1, array)),
                None => mix((2, v)),
            },
            Node::Binary(Binary::Add, a, b) if pool.as_const(b).is_some() => of(a),
            Node::Select(array, _) if matches!(pool.node(array), Node::Inputs(_)) => mix((1, array)),
            // The order of operands is the age of terms, which says nothing.
            Node::Binary(op, a, b) if op.is_commutative() => {
                mix((3, op, width, of(a).min(of(b)), of(a).max(of(b))))
            }
            Node::ConstArray(id) => mix((4, id)),
            Node::Inputs(id) => mix((5, id)),
            Node::Extract(a, lo) => mix((6, of(a), lo, width)),
            node => {
                let operands: Vec<u64> = node.operands().map(of).collect();
                mix((7, std::mem::discriminant(&node), kind(node), width, operands))
            }
        }
    }
}

/// The operator, where the variant does not say it.
fn kind(node: Node) -> u64 {
    match node {
        Node::Unary(op, _) => mix(op),
        Node::Binary(op, ..) => mix(op),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_places_do_not_count_operators_do() {
        let mut pool = Pool::new();
        let s: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("s[{i}]"))).collect();
        pool.inputs(&s);
        let (n, other) = (pool.var(8, "n"), pool.var(8, "m"));
        let [a, b] = [97, 98].map(|c| pool.constant(8, c));
        let mut shapes = Shapes::default();
        let (x, y, z) = (pool.eq(s[0], a), pool.eq(s[2], b), pool.eq(n, a));
        assert_eq!(shapes.of(&pool, x), shapes.of(&pool, y));
        assert_ne!(shapes.of(&pool, x), shapes.of(&pool, z));
        let not = pool.not(x);
        assert_ne!(shapes.of(&pool, x), shapes.of(&pool, not));
        let (sum, difference) = (pool.add(n, a), pool.add(other, a));
        assert_eq!(shapes.of(&pool, sum), shapes.of(&pool, n));
        assert_ne!(shapes.of(&pool, difference), shapes.of(&pool, n));
    }
}
