//! Breadth first: the state that waited longest.

use rejoin_explore::{Machine, PickNext, StateId, Worklist};
use std::collections::VecDeque;

/// Breadth-first search. Entries of states that are gone are skipped when they come up.
#[derive(Default)]
pub struct Bfs {
    queue: VecDeque<(StateId, u32)>,
    generation: Vec<u32>,
}

impl Bfs {
    fn push(&mut self, id: StateId) {
        if self.generation.len() <= id.index() {
            self.generation.resize(id.index() + 1, 0);
        }
        self.queue.push_back((id, self.generation[id.index()]));
    }
}

impl<M: Machine> PickNext<M> for Bfs {
    fn insert(&mut self, _: &M, id: StateId, _: &M::State) {
        self.push(id);
    }

    fn replace(&mut self, _: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.generation[parent.index()] += 1;
        for (id, _) in children {
            self.push(*id);
        }
    }

    fn pick_next(&mut self, _: &M, w: &Worklist<M::State>) -> StateId {
        while let Some((id, generation)) = self.queue.front() {
            if self.generation[id.index()] == *generation {
                return *id;
            }
            self.queue.pop_front();
        }
        unreachable!("{} states are pending, none of them known to the search", w.len())
    }
}
