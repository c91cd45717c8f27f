//! Merging along the execution tree: siblings first, so that what all leaves of a subtree have in
//! common is said once, and complete subtrees collapse to their root.

use super::account::{Level, Place};
use super::undo::{Before, shared_origin};
use crate::machine::Machine;
use crate::state::State;

/// Which states become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    /// All that can.
    Any,
    /// Those with equal stores.
    Equal,
    /// Those with equal stores, before an iteration of their loop.
    Iteration,
}

/// States of one subtree; those of different entries can not become one.
type Subtree = Vec<State>;

impl Machine {
    /// One state for all that can become one, whose paths have the first `root` conditions in common.
    pub(super) fn merge_along_tree(
        &mut self,
        states: Vec<State>,
        root: usize,
        place: Place,
        join: Join,
    ) -> Vec<State> {
        // Numbers of conditions down the fork tree: in their order, siblings are neighbours.
        let mut leaves: Vec<(Vec<u32>, State)> =
            states.into_iter().map(|s| (s.path.ids_since(root), s)).collect();
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
        stack.pop().map_or_else(Vec::new, |top| top.1)
    }

    fn merge_top(&mut self, stack: &mut Vec<(usize, Subtree)>, place: Place, join: Join) {
        let Some((_, right)) = stack.pop() else { return };
        let Some((_, left)) = stack.last_mut() else { return };
        for s in right {
            match self.partner(left, &s, place, join) {
                Some(n) => {
                    let other = left.remove(n);
                    let merged = self.join(other, s, place, join);
                    left.insert(n, merged);
                }
                None => left.push(s),
            }
        }
    }

    /// Which of some states can become one with `s`.
    fn partner(&mut self, others: &[State], s: &State, place: Place, join: Join) -> Option<usize> {
        // At the end of the run nobody waits for merges: whoever is left goes no further.
        if self.solver.is_over() {
            return None;
        }
        others.iter().position(|other| {
            if join == Join::Any || self.regions.accounts.is_hopeless(place) {
                return join == Join::Any && self.compatible(other, s).is_ok();
            }
            let equal = self.compatible(other, s).is_ok() && self.same_store(other, s);
            self.regions.accounts.compared(place, equal);
            equal
        })
    }

    fn join(&mut self, a: State, b: State, place: Place, join: Join) -> State {
        let ites = self.stats.ites;
        let origins = [a.merged.clone(), b.merged.clone()];
        let parts = [Before::new(&a, self.pool.tru()), Before::new(&b, self.pool.fals())];
        let (mut merged, guard) = match join {
            Join::Iteration => self.unite_equal(a, b),
            _ => self.unite_guarded(a, b),
        };
        // States with equal stores are merged in any case.
        if self.stats.ites > ites {
            self.regions.accounts.credit(place, 1);
            self.remember(&mut merged, (place, Level::All), (guard, Vec::new()), Vec::from(parts));
        } else {
            merged.merged = shared_origin(&origins[0], &origins[1]);
        }
        merged
    }
}
