//! Towards code that no state has executed yet.
//!
//! Every state has a goal: the nearest code that nobody has executed. States are kept in classes, by the
//! logarithm of what their goals cost; a class is chosen with a probability that halves four times from one to
//! the next, a state within it uniformly. What is chosen goes on for a while, with any of its successors, so
//! that it gets somewhere.
//!
//! Much of what is near is near in vain, because no input reaches it. So a goal costs its distance, and how often
//! states were chosen for its sake. Both change, so a state is looked at again when it is picked.

use crate::Rng;
use rejoin_explore::{Machine, PickNext, StateId, Worklist};

/// The nearest code that no state has executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// How far it is, and how often it was chased in vain.
    pub cost: u32,
    /// Its name, in any numbering.
    pub code: u32,
}

/// How far a state is from uncovered code.
pub trait Distance: Machine {
    /// The goal of a state; `None` if no uncovered code can be reached.
    fn goal(&self, s: &Self::State) -> Option<Goal>;
    /// A state was chosen because this code is its goal.
    fn chase(&self, code: u32);
}

/// Classes: logarithms of costs, and one for states that lead to nothing new.
const CLASSES: usize = 26;
/// Each class gets a sixteenth of the weight of the one before, down to this many.
const STEPS: u32 = 4;
/// A state that was chosen goes on for so many turns, on average.
const WALK: u64 = 16;

/// Search by distance to uncovered code.
pub struct Coverage {
    rng: Rng,
    classes: Vec<Vec<StateId>>,
    place: Vec<(usize, usize)>,
    /// What goes on.
    walker: Option<StateId>,
}

impl Coverage {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Coverage { rng: Rng::new(seed), classes: vec![Vec::new(); CLASSES], place: Vec::new(), walker: None }
    }

    fn class<M: Distance>(m: &M, s: &M::State) -> usize {
        m.goal(s).map_or(CLASSES - 1, |goal| ((goal.cost + 1).ilog2() as usize).min(CLASSES - 2))
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

    /// Whether uncovered code can still be reached from a state. States that can not are found on the way.
    pub(crate) fn has_goal<M: Distance>(&mut self, m: &M, w: &Worklist<M::State>) -> bool {
        for class in 0..CLASSES - 1 {
            while let Some(&id) = self.classes[class].last() {
                if Self::class(m, w.get(id)) < CLASSES - 1 {
                    return true;
                }
                self.remove(id);
                self.add(id, CLASSES - 1);
            }
        }
        false
    }

    /// A state with a good goal.
    fn choose<M: Distance>(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
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
        if let Some(goal) = m.goal(w.get(id)) {
            m.chase(goal.code);
        }
        id
    }
}

impl<M: Distance> PickNext<M> for Coverage {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.add(id, Self::class(m, s));
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.remove(parent);
        let mut hopeful = Vec::new();
        for (id, s) in children {
            let class = Self::class(m, s);
            self.add(*id, class);
            if class < CLASSES - 1 {
                hopeful.push(*id);
            }
        }
        if self.walker == Some(parent) {
            let i = self.rng.below(hopeful.len().max(1) as u64);
            self.walker = hopeful.get(i as usize).copied();
        }
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        match self.walker {
            Some(walker) if self.rng.below(WALK) != 0 => walker,
            _ => {
                let chosen = self.choose(m, w);
                self.walker = Some(chosen);
                chosen
            }
        }
    }
}
