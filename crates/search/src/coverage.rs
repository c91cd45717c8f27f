//! Towards code that no state has executed yet.
//!
//! States are kept in classes; a class is chosen with a probability that halves four times from one
//! to the next, a state within it uniformly. The class is the logarithm of the distance, and that of
//! how often states at the same place were chosen: much of what is near is near in vain, because no
//! input reaches it. Both change, so a state is looked at again when it is picked.

use crate::Rng;
use rejoin_explore::{Machine, PickNext, StateId, Worklist};
use rustc_hash::FxHashMap;

/// How far a state is from uncovered code.
pub trait Distance: Machine {
    /// In instructions; `None` if no uncovered code can be reached.
    fn distance(&self, s: &Self::State) -> Option<u32>;
    /// Where the state is, in any numbering.
    fn place(&self, s: &Self::State) -> u64;
}

/// Classes: sums of two logarithms, and one for states that lead to nothing new.
const CLASSES: usize = 26;
/// Each class gets a sixteenth of the weight of the one before, down to this many.
const STEPS: u32 = 4;

/// Search by distance to uncovered code.
pub struct Coverage {
    rng: Rng,
    classes: Vec<Vec<StateId>>,
    place: Vec<(usize, usize)>,
    /// How often states were chosen, by their place.
    chosen: FxHashMap<u64, u32>,
}

impl Coverage {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Coverage {
            rng: Rng::new(seed),
            classes: vec![Vec::new(); CLASSES],
            place: Vec::new(),
            chosen: FxHashMap::default(),
        }
    }

    fn class<M: Distance>(&self, m: &M, s: &M::State) -> usize {
        let Some(distance) = m.distance(s) else { return CLASSES - 1 };
        let chosen = self.chosen.get(&m.place(s)).copied().unwrap_or(0);
        let class = (distance + 1).ilog2() + (chosen + 1).ilog2();
        class.min(CLASSES as u32 - 2) as usize
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
        let class = self.class(m, s);
        self.add(id, class);
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.remove(parent);
        for (id, s) in children {
            let class = self.class(m, s);
            self.add(*id, class);
        }
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        let mut id = StateId(0);
        for _ in 0..8 {
            let class = self.pick_class();
            let i = self.rng.below(self.classes[class].len() as u64);
            id = self.classes[class][i as usize];
            let now = self.class(m, w.get(id));
            if now <= class {
                break;
            }
            self.remove(id);
            self.add(id, now);
        }
        *self.chosen.entry(m.place(w.get(id))).or_default() += 1;
        id
    }
}
