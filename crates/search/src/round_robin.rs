//! Several strategies in turn.

use rejoin_explore::{Machine, PickNext, StateId, Worklist};

/// Asks each strategy in turn; all are told of everything.
pub struct RoundRobin<M: Machine> {
    parts: Vec<Box<dyn PickNext<M>>>,
    turn: usize,
}

impl<M: Machine> RoundRobin<M> {
    /// Of these strategies; there is at least one.
    #[must_use]
    pub fn new(parts: Vec<Box<dyn PickNext<M>>>) -> Self {
        RoundRobin { parts, turn: 0 }
    }
}

impl<M: Machine> PickNext<M> for RoundRobin<M> {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        for p in &mut self.parts {
            p.insert(m, id, s);
        }
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        for p in &mut self.parts {
            p.replace(m, parent, children);
        }
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        self.turn = (self.turn + 1) % self.parts.len();
        self.parts[self.turn].pick_next(m, w)
    }
}
