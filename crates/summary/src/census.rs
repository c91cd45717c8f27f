//! Which merges an if-then-else could not have done exactly.
//!
//! Where the merged values are numbers, `ite(guard, a, b)` is as good as a summary. Where they are
//! floating-point numbers, functions, or pointers to different objects, merging by terms has to take the
//! state apart again, or to give up. Pointers and functions show when they are merged; that bits are a
//! floating-point number shows when they are used as one.

use rejoin_expr::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which merge made which summary, and which merges were beyond terms.
#[derive(Default)]
pub struct Census {
    merges: u32,
    /// Made by the merge that is going on.
    newborn: Option<Vec<Var>>,
    births: FxHashMap<Var, u32>,
    beyond: FxHashSet<u32>,
}

impl Census {
    /// A merge begins.
    pub fn begin(&mut self) {
        self.merges += 1;
        self.newborn = Some(Vec::new());
    }

    pub(crate) fn born(&mut self, name: Var) {
        if let Some(newborn) = &mut self.newborn {
            newborn.push(name);
            self.births.entry(name).or_insert(self.merges);
        }
    }

    /// The merge is over: the summaries it made.
    pub fn end(&mut self) -> Vec<Var> {
        self.newborn.take().unwrap_or_default()
    }

    /// A summary turned out to be of values that no term can choose from.
    pub fn beyond_terms(&mut self, name: Var) {
        if let Some(&merge) = self.births.get(&name) {
            self.beyond.insert(merge);
        }
    }

    /// Merges so far.
    #[must_use]
    pub fn merges(&self) -> u64 {
        u64::from(self.merges)
    }

    /// Those that terms could not have done exactly.
    #[must_use]
    pub fn merges_beyond_terms(&self) -> u64 {
        self.beyond.len() as u64
    }
}
