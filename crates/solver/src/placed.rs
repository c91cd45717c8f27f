//! Questions about positions, asked at the witness's positions.
//!
//! What is read from an array of inputs at an index that depends on k, or said for all indices up to k,
//! is about all bytes of the array. With k at the value that it has on the witness, it is about a few of
//! them, and the links before the backend know what to do. What is impossible there may be so because of
//! what is said of k itself, beside all reads. Only else does the question have to be asked for all k.

use rejoin_expr::{Node, Pool, Term, Var};
use rustc_hash::FxHashMap;

use crate::independence::{Part, VarSet, connected};
use crate::path::{Path, conjuncts};

/// The variables that positions in a term depend on, found once per term.
#[derive(Default)]
pub(crate) struct Positions(FxHashMap<Term, Box<[Var]>>);

/// What a question about positions is easier to answer from.
pub(crate) struct Around {
    /// The question at the witness's positions and what it depends on there; none if that is impossible.
    pub(crate) placed: Option<(Part, Term)>,
    /// The question and what has no positions; none if the question has some.
    pub(crate) beside: Option<Part>,
}

impl Positions {
    /// What is around `cond`, which is in `part`; none if there are no positions in it.
    pub(crate) fn around(&mut self, pool: &mut Pool, path: &Path, part: &Part, cond: Term) -> Option<Around> {
        if !path.is_witnessed() || !pool.has_inputs() {
            return None;
        }
        let mut places = VarSet::default();
        let mut any = false;
        for &t in &part.conditions {
            for &v in self.of(pool, t) {
                places.insert(v);
                any = true;
            }
        }
        if !any {
            return None;
        }
        let beside = self.of(pool, cond).is_empty().then(|| {
            let plain = part.conditions.iter().copied().filter(|&t| self.of(pool, t).is_empty());
            let plain: Vec<Term> = plain.collect();
            connected(pool, cond, plain)
        });
        let place = |pool: &mut Pool, t: Term| {
            let fixed: Vec<(Var, Term)> = pool
                .support_vars(pool.support(t))
                .to_vec()
                .into_iter()
                .filter(|&v| places.contains(v))
                .map(|v| (v, pool.constant(pool.width(pool.var_term(v)), path.value(v))))
                .collect();
            let image = |v| fixed.binary_search_by_key(&v, |&(w, _)| w).ok().map(|i| fixed[i].1);
            pool.substitute(t, &mut { image })
        };
        let asked = place(pool, cond);
        let mut rest = Vec::new();
        for &t in &part.conditions {
            let t = place(pool, t);
            rest.extend(conjuncts(pool, t));
        }
        if rest.iter().any(|&t| pool.is_false(t)) || pool.is_false(asked) {
            return Some(Around { placed: None, beside });
        }
        rest.sort_unstable();
        rest.dedup();
        rest.retain(|&t| !pool.is_true(t));
        Some(Around { placed: Some((connected(pool, asked, rest), asked)), beside })
    }

    fn of(&mut self, pool: &Pool, t: Term) -> &[Var] {
        self.0.entry(t).or_insert_with(|| {
            let mut vars: Vec<Var> = Vec::new();
            for u in pool.postorder(&[t]) {
                let place = match pool.node(u) {
                    Node::Select(array, at) if matches!(pool.node(array), Node::Inputs(_)) => at,
                    Node::Forall(_, k, _) => k,
                    _ => continue,
                };
                vars.extend(pool.support_vars(pool.support(place)));
            }
            // The index of a quantifier is not free in it.
            vars.retain(|&v| pool.index_max(v) == 0);
            vars.sort_unstable();
            vars.dedup();
            vars.into()
        })
    }
}
