//! The state that is earliest in the program, so that states that can still meet wait for each
//! other: the order of static state merging.

use rejoin_explore::{Machine, PickNext, StateId, Worklist};
use rejoin_fault::planted;
use std::collections::BTreeSet;

/// Where states are in an order of the program.
pub trait Order: Machine {
    /// A place in the order; the least comes first.
    type Key: Ord + Clone;
    /// The place of a state.
    fn key(&self, s: &Self::State) -> Self::Key;
}

/// Search in topological order; what was there first comes first among equals.
pub struct Topological<M: Order> {
    order: BTreeSet<(M::Key, StateId)>,
    key: Vec<Option<M::Key>>,
}

impl<M: Order> Default for Topological<M> {
    fn default() -> Self {
        Topological { order: BTreeSet::new(), key: Vec::new() }
    }
}

impl<M: Order> Topological<M> {
    fn add(&mut self, m: &M, id: StateId, s: &M::State) {
        let key = m.key(s);
        if self.key.len() <= id.index() {
            self.key.resize(id.index() + 1, None);
        }
        self.key[id.index()] = Some(key.clone());
        self.order.insert((key, id));
    }

    /// The first place where a state is.
    pub(crate) fn first(&self) -> Option<&M::Key> {
        self.order.first().map(|(key, _)| key)
    }

    /// The states at a place.
    pub(crate) fn at(&self, key: &M::Key) -> impl Iterator<Item = StateId> {
        self.order.range((key.clone(), StateId(0))..).take_while(move |(k, _)| k == key).map(|(_, id)| *id)
    }

    fn remove(&mut self, id: StateId) {
        if let Some(key) = self.key.get_mut(id.index()).and_then(Option::take) {
            self.order.remove(&(key, id));
        }
    }
}

impl<M: Order> PickNext<M> for Topological<M> {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.add(m, id, s);
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.remove(parent);
        for (id, s) in children {
            self.add(m, *id, s);
        }
    }

    fn pick_next(&mut self, _: &M, w: &Worklist<M::State>) -> StateId {
        let first = if planted("wrong-key-order") { self.order.last() } else { self.order.first() };
        let Some((_, id)) = first else {
            unreachable!("{} states are pending, none of them known to the search", w.len())
        };
        *id
    }
}
