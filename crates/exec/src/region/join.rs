//! Merging along the execution tree: siblings first, so that what all leaves of a subtree have in
//! common is said once, and complete subtrees collapse to their root.

use crate::machine::Machine;
use crate::state::State;

/// States of one subtree; those of different entries can not become one.
type Subtree = Vec<State>;

impl Machine {
    /// One state for all that can become one; with `equal`, only where stores are equal.
    pub(super) fn merge_along_tree(&mut self, states: Vec<State>, equal: bool) -> Vec<State> {
        let Some(root) = states.first().and_then(|s| s.regions.last()).map(|i| i.root) else { return states };
        // Numbers of conditions down the fork tree: in their order, siblings are neighbours.
        let mut leaves: Vec<(Vec<u32>, State)> =
            states.into_iter().map(|s| (s.path.ids_since(root), s)).collect();
        leaves.sort_by(|a, b| a.0.cmp(&b.0));
        let mut stack: Vec<(usize, Subtree)> = Vec::new(); // with what it shares with the one below
        let mut last: Vec<u32> = Vec::new();
        for (ids, s) in leaves {
            let shared = last.iter().zip(&ids).take_while(|(a, b)| a == b).count();
            while stack.last().is_some_and(|top| top.0 > shared) && stack.len() > 1 {
                self.merge_top(&mut stack, equal);
            }
            stack.push((shared, vec![s]));
            last = ids;
        }
        while stack.len() > 1 {
            self.merge_top(&mut stack, equal);
        }
        stack.pop().map_or_else(Vec::new, |top| top.1)
    }

    fn merge_top(&mut self, stack: &mut Vec<(usize, Subtree)>, equal: bool) {
        let Some((_, right)) = stack.pop() else { return };
        let Some((_, left)) = stack.last_mut() else { return };
        for s in right {
            let fits =
                |other: &State| self.compatible(other, &s).is_ok() && (!equal || self.same_store(other, &s));
            // At the end of the run nobody waits for merges: whoever is left goes no further.
            let partner = if self.solver.is_over() { None } else { left.iter().position(fits) };
            match partner {
                Some(n) => {
                    let other = left.remove(n);
                    let merged = if equal { self.unite_equal(other, s) } else { self.unite(other, s) };
                    left.insert(n, merged);
                }
                None => left.push(s),
            }
        }
    }
}
