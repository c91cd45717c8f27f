//! Bounds of a term by a constant, in all the forms that rewriting gives them.

use rejoin_expr::{Binary, Node, Pool, Term, Unary};

/// `of ≤ most`, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    pub(crate) of: Term,
    pub(crate) most: u128,
    pub(crate) negated: bool,
}

/// The bound that a condition is: `0 < k` is rewritten to `k ≠ 0`, which `1 < k` is not.
pub(crate) fn bound(pool: &Pool, cond: Term) -> Option<Bound> {
    let found = |of, most, negated| Some(Bound { of, most, negated });
    match pool.node(cond) {
        Node::Unary(Unary::Not, inner) => {
            let b = bound(pool, inner)?;
            found(b.of, b.most, !b.negated)
        }
        Node::Binary(op, a, b) => match (op, pool.as_const(a), pool.as_const(b)) {
            (Binary::Eq, None, Some(0)) => found(a, 0, false),
            (Binary::Ule, None, Some(most)) => found(a, most, false),
            (Binary::Ult, None, Some(least)) => found(a, least.checked_sub(1)?, false),
            (Binary::Ult, Some(most), None) => found(b, most, true),
            (Binary::Ule, Some(least), None) => found(b, least.checked_sub(1)?, true),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_found_in_every_form() {
        let mut pool = Pool::new();
        let k = pool.var(8, "k");
        for most in 0..4u128 {
            let (c, next) = (pool.constant(8, most), pool.constant(8, most + 1));
            let forms = [(pool.ule(k, c), false), (pool.ult(k, next), false), (pool.ult(c, k), true)];
            for (cond, negated) in forms {
                assert_eq!(bound(&pool, cond), Some(Bound { of: k, most, negated }), "{most}");
                let not = pool.not(cond);
                assert_eq!(bound(&pool, not), Some(Bound { of: k, most, negated: !negated }), "{most}");
            }
        }
    }
}
