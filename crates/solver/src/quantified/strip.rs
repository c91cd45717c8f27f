//! First stage: quantifiers are stripped to what they say of a few indices.

use rejoin_expr::{Binary, Node, Pool, Term};
use rustc_hash::FxHashSet;

use super::{Definitions, Quantifier, Query, Role, accesses, mentions};
use crate::path::conjuncts;

/// Quantifiers of at most so many indices are expanded at once.
const FEW: u128 = 4;

impl Query {
    /// The query with the quantifiers stripped.
    pub(super) fn new(pool: &mut Pool, clauses: &[Term], definitions: &mut Definitions) -> Self {
        let mut query = Query {
            clauses: clauses.to_vec(),
            quantifiers: Vec::new(),
            said: Vec::new(),
            instantiated: FxHashSet::default(),
        };
        for (origin, &clause) in clauses.iter().enumerate() {
            if !pool.is_quantified(clause) {
                query.said.push((clause, Some(origin)));
            } else if let Node::Forall(..) = pool.node(clause) {
                query.add(pool, clause, Role::Clause(origin));
            } else {
                let plain = query.name_quantifiers(pool, clause, definitions);
                query.said.push((plain, Some(origin)));
            }
        }
        for q in 0..query.quantifiers.len() {
            let last = query.expanded(pool, q);
            for j in 1..=last.max(1) {
                query.instantiate(pool, q, j);
            }
            query.instantiate_last(pool, q);
            query.add_denials(pool, q);
        }
        query
    }

    fn add(&mut self, pool: &Pool, t: Term, role: Role) {
        if let Node::Forall(i, k, body) = pool.node(t)
            && let Node::Var(index) = pool.node(i)
        {
            let max = pool.index_max(index);
            self.quantifiers.push(Quantifier { i, index, k, body, max, role });
        }
    }

    /// The clause with booleans for its quantifiers; says what they mean where they do not hold.
    fn name_quantifiers(&mut self, pool: &mut Pool, clause: Term, definitions: &mut Definitions) -> Term {
        let inside: Vec<Term> = pool
            .postorder(&[clause])
            .into_iter()
            .filter(|&t| matches!(pool.node(t), Node::Forall(..)))
            .collect();
        let mut plain = clause;
        for t in inside {
            let Node::Forall(i, k, body) = pool.node(t) else { continue };
            let width = pool.width(k);
            let (name, exception) =
                *definitions.entry(t).or_insert_with(|| (pool.var(1, "holds"), pool.var(width, "exception")));
            plain = pool.replace(plain, t, name);
            if self.quantifiers.iter().any(|q| matches!(q.role, Role::Named(n) if n == name)) {
                continue;
            }
            self.add(pool, t, Role::Named(name));
            let one = pool.constant(width, 1);
            let (above, below) = (pool.ule(one, exception), pool.ule(exception, k));
            let Node::Var(index) = pool.node(i) else { continue };
            let instance = pool.substitute(body, &mut |v| (v == index).then_some(exception));
            let fails = pool.not(instance);
            let shown = pool.and_all(&[above, below, fails]);
            let lemma = pool.or(name, shown);
            self.said.push((lemma, None));
        }
        plain
    }

    /// Up to which index a quantifier is expanded at once.
    fn expanded(&self, pool: &Pool, q: usize) -> u128 {
        let quantifier = self.quantifiers[q];
        if quantifier.max <= FEW {
            return quantifier.max;
        }
        let fixed = |&clause: &Term| match pool.node(clause) {
            Node::Binary(Binary::Eq, a, b) if a == quantifier.k => pool.as_const(b),
            _ => None,
        };
        self.clauses.iter().find_map(fixed).map_or(0, |k| k.min(quantifier.max))
    }

    /// Says what the quantifier says of index `j`. Is that new?
    pub(super) fn instantiate(&mut self, pool: &mut Pool, q: usize, j: u128) -> bool {
        if !self.instantiated.insert((q, j)) {
            return false;
        }
        let Quantifier { i, k, body, role, .. } = self.quantifiers[q];
        let at = pool.constant(pool.width(k), j);
        let (beyond, instance) = (pool.ult(k, at), pool.instance(i, j, body));
        let lemma = pool.or(beyond, instance);
        self.said.push(match role {
            Role::Clause(origin) => (lemma, Some(origin)),
            Role::Named(name) => {
                let not = pool.not(name);
                (pool.or(not, lemma), None)
            }
        });
        true
    }

    /// Says what the quantifier says of its bound.
    fn instantiate_last(&mut self, pool: &mut Pool, q: usize) {
        let Quantifier { index, k, body, max, role, .. } = self.quantifiers[q];
        let Role::Clause(origin) = role else { return };
        let width = pool.width(k);
        let (zero, most) = (pool.constant(width, 0), pool.constant(width, max));
        let (none, beyond) = (pool.eq(k, zero), pool.ult(most, k));
        let instance = pool.substitute(body, &mut |v| (v == index).then_some(k));
        let lemma = pool.or_all(&[none, beyond, instance]);
        self.said.push((lemma, Some(origin)));
    }

    /// Where a clause denies what the quantifier says of an index `t`: `t` is not among its indices.
    fn add_denials(&mut self, pool: &mut Pool, q: usize) {
        let Quantifier { i, index, k, body, role, .. } = self.quantifiers[q];
        let Role::Clause(origin) = role else { return };
        let wide = pool.zext(i, 32);
        for conjunct in conjuncts(pool, body) {
            let accesses = accesses(pool, conjunct, |pool, at| mentions(pool, at, index));
            let [(array, at)] = accesses[..] else { continue };
            let offset = match pool.node(at) {
                _ if at == wide => 0,
                Node::Binary(Binary::Add, a, b) if a == wide => match pool.as_const(b) {
                    Some(offset) => offset,
                    None => continue,
                },
                _ => continue,
            };
            for clause in self.clauses.clone() {
                if pool.is_quantified(clause) {
                    continue;
                }
                for (_, to) in accesses_of(pool, clause, array) {
                    let offset = pool.constant(32, offset);
                    let t = pool.sub(to, offset);
                    let instance = pool.replace(conjunct, wide, t);
                    let denied = pool.not(instance);
                    if denied != clause || mentions(pool, instance, index) {
                        continue;
                    }
                    let one = pool.constant(32, 1);
                    let last = pool.zext(k, 32);
                    let (above, below) = (pool.ule(one, t), pool.ule(t, last));
                    let inside = pool.and(above, below);
                    let lemma = pool.not(inside);
                    // The lemma rests on the clause, too: where that is blamed, so is this.
                    let other = pool.not(clause);
                    let lemma = pool.or(lemma, other);
                    self.said.push((lemma, Some(origin)));
                }
            }
        }
    }
}

fn accesses_of(pool: &Pool, t: Term, array: Term) -> Vec<(Term, Term)> {
    accesses(pool, t, |_, _| true).into_iter().filter(|r| r.0 == array).collect()
}
