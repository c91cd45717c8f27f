//! Depth first: the state that forked last.

use rejoin_explore::{Machine, PickNext, StateId, Worklist};

/// Depth-first search. Entries of states that are gone are skipped when they come up.
#[derive(Default)]
pub struct Dfs {
    stack: Vec<(StateId, u32)>,
    generation: Vec<u32>,
}

impl Dfs {
    fn push(&mut self, id: StateId) {
        if self.generation.len() <= id.index() {
            self.generation.resize(id.index() + 1, 0);
        }
        self.stack.push((id, self.generation[id.index()]));
    }
}

impl<M: Machine> PickNext<M> for Dfs {
    fn insert(&mut self, _: &M, id: StateId, _: &M::State) {
        self.push(id);
    }

    fn replace(&mut self, _: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        if !children.iter().any(|c| c.0 == parent) {
            self.generation[parent.index()] += 1;
        }
        for (id, _) in children.iter().filter(|c| c.0 != parent) {
            self.push(*id);
        }
    }

    fn pick_next(&mut self, _: &M, w: &Worklist<M::State>) -> StateId {
        while let Some((id, generation)) = self.stack.last() {
            if self.generation[id.index()] == *generation {
                return *id;
            }
            self.stack.pop();
        }
        unreachable!("{} states are pending, none of them known to the search", w.len())
    }
}
