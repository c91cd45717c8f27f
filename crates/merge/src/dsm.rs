//! Dynamic state merging: states merge where they happen to meet, and the search is told which of
//! them are likely to (Kuznetsov et al., PLDI 2012, section 4; the search is
//! [`rejoin_search::FastForward`]).
//!
//! An abstraction is the call stack, the place and what the similarity looks at; for query count
//! estimation, `h` of the hot variables. Iterations of loops are not part of it: states of different
//! iterations merge if no hot variable tells them apart. Whether two states merge is decided by the
//! relation itself when they meet (equation 1), not by abstractions.

use crate::Joins;
use rejoin_exec::{Machine, State};
use rejoin_explore::{Similar, StateId, Worklist};
use rejoin_fault::planted;
use rejoin_search::Histories;
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::hash::Hasher;
use std::rc::Rc;

/// What a history keeps of past states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum History {
    /// Hashes of their abstractions.
    Hashes,
    /// Their abstractions: no collisions, more memory.
    Precise,
}

/// Merging with histories.
pub struct Dsm {
    joins: Joins,
    histories: Rc<RefCell<Histories>>,
    /// The numbers of all abstractions so far, where hashes are not wanted.
    precise: Option<FxHashMap<Box<[u64]>, u64>>,
    /// The abstraction of the state that is about to enter the worklist.
    now: Option<u64>,
    /// States that leave the worklist to be merged.
    merging: Vec<StateId>,
    scratch: Vec<u64>,
}

impl Dsm {
    /// Merges what `joins` merges; tells `histories` where states are.
    #[must_use]
    pub fn new(joins: Joins, histories: Rc<RefCell<Histories>>, history: History) -> Self {
        let precise = (history == History::Precise).then(FxHashMap::default);
        Dsm { joins, histories, precise, now: None, merging: Vec::new(), scratch: Vec::new() }
    }

    /// The number of a state's abstraction.
    fn abstraction(&mut self, m: &Machine, s: &State) -> u64 {
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.extend([u64::from(s.frame.context), u64::from(s.frame.pc)]);
        self.joins.similarity.abstraction(m, s, &mut words);
        let number = match &mut self.precise {
            None => {
                let mut hasher = FxHasher::default();
                words.iter().for_each(|w| hasher.write_u64(*w));
                hasher.finish()
            }
            Some(known) => {
                let next = known.len() as u64;
                *known.entry(words.as_slice().into()).or_insert(next)
            }
        };
        self.scratch = words;
        number
    }

    /// `--validate`: the states that are about to be merged are known by the abstractions they have.
    fn check(&mut self, m: &mut Machine, w: &Worklist<State>) {
        for id in self.merging.clone() {
            let known = self.histories.borrow().now(id);
            if known != Some(self.abstraction(m, w.get(id))) {
                m.fault("a waiting state is known by an abstraction that it does not have".into());
            }
        }
    }
}

impl Similar<Machine> for Dsm {
    fn partners(&mut self, m: &mut Machine, w: &Worklist<State>, s: &State) -> Vec<StateId> {
        let stale = self.now.filter(|_| planted("stale-hash"));
        self.now = s.at_join.then(|| stale.unwrap_or_else(|| self.abstraction(m, s)));
        self.merging = self.joins.partners(m, w, s);
        if m.solver.validates() {
            self.check(m, w);
        }
        let histories = self.histories.borrow();
        let beyond = self.merging.iter().filter(|id| histories.now(**id) != self.now).count();
        m.stats.merges_beyond_hash += beyond as u64;
        self.merging.clone()
    }

    fn inserted(&mut self, m: &Machine, id: StateId, s: &State) {
        self.joins.inserted(m, id, s);
        self.histories.borrow_mut().enter(id, self.now.filter(|_| s.at_join));
    }

    fn removed(&mut self, m: &Machine, id: StateId, s: &State) {
        self.joins.removed(m, id, s);
        let mut histories = self.histories.borrow_mut();
        if self.merging.contains(&id) { histories.absorb(id) } else { histories.step(id) }
    }
}
