//! Towards code that no state has executed yet, as long as some state may get there; then in the order of the
//! program. For merging: when nothing new is to be found, what counts is that states meet.

use crate::{Coverage, Distance, Order, Topological};
use rejoin_explore::{PickNext, StateId, Worklist};

/// [`Coverage`], and then [`Topological`].
pub struct UntilCovered<M: Order> {
    coverage: Coverage,
    order: Topological<M>,
}

impl<M: Order> UntilCovered<M> {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        UntilCovered { coverage: Coverage::new(seed), order: Topological::default() }
    }
}

impl<M: Order + Distance> PickNext<M> for UntilCovered<M> {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.coverage.insert(m, id, s);
        self.order.insert(m, id, s);
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.coverage.replace(m, parent, children);
        self.order.replace(m, parent, children);
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        if self.coverage.has_goal(m, w) { self.coverage.pick_next(m, w) } else { self.order.pick_next(m, w) }
    }
}
