//! Any state, all equally likely.

use crate::Rng;
use rejoin_explore::{Machine, PickNext, StateId, Worklist};

/// Uniform choice among the pending states.
pub struct RandomState {
    rng: Rng,
    states: Vec<StateId>,
    place: Vec<usize>,
}

impl RandomState {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        RandomState { rng: Rng::new(seed), states: Vec::new(), place: Vec::new() }
    }

    fn add(&mut self, id: StateId) {
        if self.place.len() <= id.index() {
            self.place.resize(id.index() + 1, usize::MAX);
        }
        self.place[id.index()] = self.states.len();
        self.states.push(id);
    }

    fn remove(&mut self, id: StateId) {
        let at = self.place[id.index()];
        self.states.swap_remove(at);
        if let Some(moved) = self.states.get(at) {
            self.place[moved.index()] = at;
        }
    }
}

impl<M: Machine> PickNext<M> for RandomState {
    fn insert(&mut self, _: &M, id: StateId, _: &M::State) {
        self.add(id);
    }

    fn replace(&mut self, _: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        if !children.iter().any(|c| c.0 == parent) {
            self.remove(parent);
        }
        for (id, _) in children.iter().filter(|c| c.0 != parent) {
            self.add(*id);
        }
    }

    fn pick_next(&mut self, _: &M, _: &Worklist<M::State>) -> StateId {
        let i = self.rng.below(self.states.len() as u64);
        self.states[i as usize]
    }
}
