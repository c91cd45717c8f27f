//! Towards code that no state has executed yet.
//!
//! States are kept in classes by the logarithm of their distance; a class is chosen with a
//! probability that halves four times from one to the next, a state within it uniformly. The
//! distance of a state changes as code is covered, so it is looked at again when it is picked.

use crate::Rng;
use rejoin_explore::{Machine, PickNext, StateId, Worklist};

/// How far a state is from uncovered code.
pub trait Distance: Machine {
    /// In instructions; `None` if no uncovered code can be reached.
    fn distance(&self, s: &Self::State) -> Option<u32>;
}

/// Classes: the logarithm of a distance, and one for states that lead to nothing new.
const CLASSES: usize = 18;
/// Each class gets a sixteenth of the weight of the one before, down to this many.
const STEPS: u32 = 4;

/// Search by distance to uncovered code.
pub struct Coverage {
    rng: Rng,
    classes: Vec<Vec<StateId>>,
    place: Vec<(usize, usize)>,
}

impl Coverage {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Coverage { rng: Rng::new(seed), classes: vec![Vec::new(); CLASSES], place: Vec::new() }
    }

    fn class<M: Distance>(m: &M, s: &M::State) -> usize {
        m.distance(s).map_or(CLASSES - 1, |d| (d + 1).ilog2().min(CLASSES as u32 - 2) as usize)
    }

    fn add(&mut self, id: StateId, class: usize) {
        if self.place.len() <= id.index() {
            self.place.resize(id.index() + 1, (0, 0));
        }
        self.place[id.index()] = (class, self.classes[class].len());
        self.classes[class].push(id);
    }

    fn remove(&mut self, id: StateId) {
        let (class, at) = self.place[id.index()];
        self.classes[class].swap_remove(at);
        if let Some(moved) = self.classes[class].get(at) {
            self.place[moved.index()] = (class, at);
        }
    }

    /// A class that is not empty: each further one is a sixteenth as likely as the one before.
    fn pick_class(&mut self) -> usize {
        let filled: Vec<usize> = (0..CLASSES).filter(|c| !self.classes[*c].is_empty()).collect();
        for (i, class) in filled.iter().enumerate() {
            if i + 1 == filled.len() || self.rng.below(1 << STEPS) != 0 {
                return *class;
            }
        }
        CLASSES - 1
    }
}

impl<M: Distance> PickNext<M> for Coverage {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.add(id, Self::class(m, s));
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.remove(parent);
        for (id, s) in children {
            self.add(*id, Self::class(m, s));
        }
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        let mut id = StateId(0);
        for _ in 0..8 {
            let class = self.pick_class();
            let i = self.rng.below(self.classes[class].len() as u64);
            id = self.classes[class][i as usize];
            let now = Self::class(m, w.get(id));
            if now <= class {
                break;
            }
            self.remove(id);
            self.add(id, now);
        }
        id
    }
}
