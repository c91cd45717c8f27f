//! Value summaries: sets of guarded values, and the operations of MultiSE's figure 3 on them.

use crate::guard::{Guard, Guards};
use rejoin_fault::planted;

/// Guarded values `{(φᵢ, vᵢ)}`: the guards are disjoint and one of them always holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Summary<T> {
    entries: Vec<(Guard, T)>,
}

impl<T: Clone + PartialEq> Summary<T> {
    /// One value, always.
    pub fn single(value: T) -> Self {
        Summary { entries: vec![(Guard::TRUE, value)] }
    }

    /// The entries.
    pub fn entries(&self) -> &[(Guard, T)] {
        &self.entries
    }

    /// ⊎: collects guarded values. Those that never apply are left out, equal values become one entry.
    /// `None` if a guard gets too large.
    pub fn collect<G: Guards>(g: &mut G, parts: impl IntoIterator<Item = (Guard, T)>) -> Option<Self> {
        let mut entries: Vec<(Guard, T)> = Vec::new();
        for (guard, value) in parts {
            if guard == Guard::FALSE {
                continue;
            }
            match entries.iter_mut().find(|e| e.1 == value) {
                Some(_) if planted("coalescing-loses-entry") => {}
                Some(same) => same.0 = g.or(same.0, guard)?,
                None => entries.push((guard, value)),
            }
        }
        Some(Summary { entries })
    }

    /// ⊎_φ, the guarded update: `new` where `phi` holds, this summary elsewhere.
    pub fn update<G: Guards>(&self, g: &mut G, phi: Guard, new: &Self) -> Option<Self> {
        let not = if planted("update-without-negation") { Guard::TRUE } else { g.not(phi) };
        let mut parts = Vec::with_capacity(self.entries.len() + new.entries.len());
        for (guard, value) in &self.entries {
            parts.push((g.and(not, *guard)?, value.clone()));
        }
        for (guard, value) in &new.entries {
            parts.push((g.and(phi, *guard)?, value.clone()));
        }
        Self::collect(g, parts)
    }

    /// The same values where `pc` holds; entries that never apply there are dropped.
    pub fn within<G: Guards>(mut self, g: &mut G, pc: Guard) -> Option<Self> {
        let (mut kept, mut dropped) = (Vec::with_capacity(self.entries.len()), Vec::new());
        for (guard, value) in self.entries {
            if g.meet(pc, guard) { kept.push((guard, value)) } else { dropped.push(guard) }
        }
        self.entries = kept;
        if let [only] = &mut self.entries[..] {
            only.0 = Guard::TRUE;
        } else if let Some(first) = self.entries.first_mut() {
            // The guards cover everything, so what was dropped is all that is left.
            for guard in dropped {
                first.0 = g.or(first.0, guard)?;
            }
        }
        Some(self)
    }

    /// Disjoint entries as a summary: where none of them applies, nobody will look, and the first one
    /// does.
    pub fn complete<G: Guards>(mut self, g: &mut G) -> Option<Self> {
        let mut covered = Guard::FALSE;
        for (guard, _) in &self.entries {
            covered = g.or(covered, *guard)?;
        }
        let rest = g.not(covered);
        if let Some(first) = self.entries.first_mut() {
            first.0 = g.or(first.0, rest)?;
        }
        Some(self)
    }

    /// Whether the guards are disjoint and cover everything; `None` if that is too large to say.
    pub fn is_partition<G: Guards>(&self, g: &mut G) -> Option<bool> {
        let mut covered = Guard::FALSE;
        for (guard, _) in &self.entries {
            if *guard == Guard::FALSE || g.meet(covered, *guard) {
                return Some(false);
            }
            covered = g.or(covered, *guard)?;
        }
        Some(covered == Guard::TRUE)
    }

    /// The entries in the order of their guards, so that equal summaries are equal lists.
    pub(crate) fn sorted(mut self) -> Self {
        self.entries.sort_by_key(|e| e.0);
        self
    }
}
