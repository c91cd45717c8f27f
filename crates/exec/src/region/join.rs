//! Merging along the execution tree: siblings first, so that what all leaves of a subtree have in
//! common is said once, and complete subtrees collapse to their root.

use super::account::{Level, Place};
use super::rivals::Rival;
use super::undo::{Before, Blamed};
use crate::machine::Machine;
use crate::merge::is_told_by_quantifiers;
use crate::state::State;
use rejoin_expr::{Node, Term, Var};
use std::collections::BTreeSet;

/// Which states become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    /// All that can; how, where some of them fit a pattern.
    Any(Option<Rival>),
    /// Those with equal stores.
    Equal,
    /// Those with equal stores, before an iteration of their loop.
    Iteration,
}

/// States of one subtree, which can not become one; each with a number that those it may be merged with have, too.
type Subtree = Vec<(u64, State)>;

impl Machine {
    /// One state for all that can become one, whose paths have the first `root` conditions in common.
    pub(super) fn merge_along_tree(
        &mut self,
        states: Vec<State>,
        root: usize,
        place: Place,
        join: Join,
    ) -> Vec<State> {
        let mut digests = vec![0; states.len()];
        if !matches!(join, Join::Any(_)) && !self.regions.accounts.is_hopeless(place) {
            digests = states.iter().map(|s| self.store_digest(s, &states[0])).collect();
        }
        // Numbers of conditions down the fork tree: in their order, siblings are neighbours.
        let leaves = states.into_iter().zip(digests).map(|(s, digest)| (s.path.ids_since(root), (digest, s)));
        let mut leaves: Vec<(Vec<u32>, (u64, State))> = leaves.collect();
        leaves.sort_by(|a, b| a.0.cmp(&b.0));
        let mut stack: Vec<(usize, Subtree)> = Vec::new(); // with what it shares with the one below
        let mut last: Vec<u32> = Vec::new();
        for (ids, s) in leaves {
            let shared = last.iter().zip(&ids).take_while(|(a, b)| a == b).count();
            while stack.last().is_some_and(|top| top.0 > shared) && stack.len() > 1 {
                self.merge_top(&mut stack, place, join);
            }
            stack.push((shared, vec![s]));
            last = ids;
        }
        while stack.len() > 1 {
            self.merge_top(&mut stack, place, join);
        }
        stack.pop().map_or_else(Vec::new, |top| top.1.into_iter().map(|(_, s)| s).collect())
    }

    fn merge_top(&mut self, stack: &mut Vec<(usize, Subtree)>, place: Place, join: Join) {
        let Some((_, right)) = stack.pop() else { return };
        let Some((_, left)) = stack.last_mut() else { return };
        for (digest, s) in right {
            match self.partner(left, digest, &s, place, join) {
                Some(n) => {
                    let (_, other) = left.remove(n);
                    let merged = self.join(other, s, place, join);
                    left.insert(n, (digest, merged));
                }
                None => left.push((digest, s)),
            }
        }
    }

    /// Which of some states can become one with `s`.
    fn partner(
        &mut self,
        others: &[(u64, State)],
        digest: u64,
        s: &State,
        place: Place,
        join: Join,
    ) -> Option<usize> {
        // At the end of the run nobody waits for merges: whoever is left goes no further.
        if self.solver.is_over() {
            return None;
        }
        if let Join::Any(_) = join {
            return others.iter().position(|(_, other)| self.compatible(other, s).is_ok());
        }
        if self.regions.accounts.is_hopeless(place) {
            return None;
        }
        let is_equal = |other: &State| self.compatible(other, s).is_ok() && self.same_store(other, s);
        let found = others.iter().position(|(own, other)| *own == digest && is_equal(other));
        self.regions.accounts.compared(place, found.is_some());
        found
    }

    fn join(&mut self, mut a: State, mut b: State, place: Place, join: Join) -> State {
        let ites = self.stats.ites;
        let parts = [Before::new(&a, self.pool.tru()), Before::new(&b, self.pool.fals())];
        if matches!(join, Join::Any(_))
            && is_told_by_quantifiers(&mut self.pool, &a.path, &b.path)
            && !self.same_store(&a, &b)
        {
            self.name_parts(&mut a, &mut b);
        }
        let (mut merged, guard) = match join {
            Join::Iteration => self.unite_equal(a, b),
            _ => self.unite_guarded(a, b),
        };
        // States with equal stores are merged in any case.
        if self.stats.ites > ites {
            self.regions.accounts.credit(place, 1);
            let rival = if let Join::Any(rival) = join { rival } else { None };
            let blamed = Blamed { place, level: Level::All, rival };
            self.remember(&mut merged, blamed, (guard, Vec::new()), Vec::from(parts));
        } else {
            self.remember_equal(&mut merged, guard, parts);
        }
        merged
    }

    /// A variable that says which of two states it is, where else a quantifier would have to say it in each
    /// value that differs. As with k, one value of it satisfies the path on each input: a byte, as k is.
    fn name_parts(&mut self, a: &mut State, b: &mut State) {
        let which = self.pool.choosing_var(8, &format!("which{}", self.stats.merges));
        let Node::Var(var) = self.pool.node(which) else { return };
        self.regions.variables.insert(var);
        for (s, value) in [(&mut *a, 0), (&mut *b, 1)] {
            self.fix_in_parts(s, which, value);
        }
        self.fix_variable(a, which, var, 0);
        // The negation of what the first says is the guard.
        let zero = self.pool.constant(8, 0);
        let other = self.pool.ne(which, zero);
        b.path.give(&self.pool, var, 1);
        b.path.assume(&mut self.pool, other);
        self.fix_variable(b, which, var, 1);
    }

    /// Gives a variable one value on the path of `s`, which says nothing of it.
    fn fix_variable(&mut self, s: &mut State, t: Term, var: Var, value: u128) {
        s.path.give(&self.pool, var, value);
        let value = self.pool.constant(self.pool.width(t), value);
        let here = self.pool.eq(t, value);
        s.path.assume(&mut self.pool, here);
    }

    /// Where one of two states that are to become one has a k that the other says nothing of, the other gets
    /// some value for it: on each input, one k satisfies a path.
    pub(crate) fn fix_missing_variables(&mut self, a: &mut State, b: &mut State) {
        if self.regions.variables.is_empty() {
            return;
        }
        let depth = a.path.lca(&b.path);
        let [of_a, of_b] = [&*a, &*b].map(|s| self.variables_in(&s.path.suffix_since(depth)));
        if of_a == of_b {
            return;
        }
        let shared = a.path.prefix(&mut self.pool, depth).conditions();
        let shared = self.variables_in(&shared);
        for (s, own, other) in [(a, &of_a, &of_b), (b, &of_b, &of_a)] {
            for &var in other.iter().filter(|v| !own.contains(v) && !shared.contains(v)) {
                let t = self.pool.var_term(var);
                self.fix_variable(s, t, var, 0);
            }
        }
    }

    /// The variables among the conditions that are no inputs.
    pub(super) fn variables_in(&self, conditions: &[Term]) -> BTreeSet<Var> {
        let support = |c: &Term| self.pool.support_vars(self.pool.support(*c)).to_vec();
        conditions.iter().flat_map(support).filter(|v| self.regions.variables.contains(v)).collect()
    }
}
