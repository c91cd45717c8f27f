//! Merging where paths meet: states that came to one place by one call stack.

use crate::similar::Similarity;
use rejoin_exec::{Against, Machine, State};
use rejoin_explore::{Similar, StateId, Worklist};
use rustc_hash::FxHashMap;

/// The states that wait where paths meet, by place, and the relation that says which of them merge.
pub struct Joins {
    pub(crate) similarity: Box<dyn Similarity>,
    waiting: FxHashMap<(u32, u32), Vec<StateId>>,
}

impl Joins {
    /// Merges by this relation.
    #[must_use]
    pub fn new(similarity: Box<dyn Similarity>) -> Self {
        Joins { similarity, waiting: FxHashMap::default() }
    }
}

/// Equal contexts are equal call stacks, so this is the location ℓ.
fn place(s: &State) -> (u32, u32) {
    (s.frame.context, s.frame.pc)
}

impl Similar<Machine> for Joins {
    fn partners(&mut self, m: &mut Machine, w: &Worklist<State>, s: &State) -> Vec<StateId> {
        m.alone = w.is_empty();
        if !s.at_join {
            return Vec::new();
        }
        let Some(candidates) = self.waiting.get(&place(s)) else { return Vec::new() };
        if let Err(why) = self.similarity.pays_at(m, s) {
            m.refused(s, why);
            return Vec::new();
        }
        for &id in candidates {
            let other = w.get(id);
            let fits = m.compatible(other, s).map_err(Against::Refused);
            match fits.and_then(|()| self.similarity.similar(m, other, s)) {
                Ok(()) => return vec![id],
                Err(why) => m.refused(s, why),
            }
        }
        Vec::new()
    }

    fn inserted(&mut self, _: &Machine, id: StateId, s: &State) {
        if s.at_join {
            self.waiting.entry(place(s)).or_default().push(id);
        }
    }

    fn removed(&mut self, _: &Machine, id: StateId, s: &State) {
        if s.at_join
            && let Some(states) = self.waiting.get_mut(&place(s))
        {
            states.retain(|other| *other != id);
            if states.is_empty() {
                self.waiting.remove(&place(s));
            }
        }
    }
}
