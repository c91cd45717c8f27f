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

    /// Guards by value, without those that never hold.
    fn grouped(parts: impl IntoIterator<Item = (Guard, T)>) -> Vec<(Vec<Guard>, T)> {
        let mut groups: Vec<(Vec<Guard>, T)> = Vec::new();
        for (guard, value) in parts {
            if guard == Guard::FALSE {
                continue;
            }
            match groups.iter_mut().find(|e| e.1 == value) {
                Some(_) if planted("coalescing-loses-entry") => {}
                Some(same) => same.0.push(guard),
                None => groups.push((vec![guard], value)),
            }
        }
        groups
    }

    /// ⊎: collects guarded values. Those that never apply are left out, equal values become one entry.
    /// `None` if a guard gets too large.
    pub fn collect<G: Guards>(g: &mut G, parts: impl IntoIterator<Item = (Guard, T)>) -> Option<Self> {
        let groups = Self::grouped(parts).into_iter();
        let entries = groups.map(|(guards, value)| Some((g.any(guards)?, value))).collect::<Option<_>>()?;
        Some(Summary { entries })
    }

    /// The same of parts of which one always applies: the value with most parts applies where no other does, so
    /// nobody joins its guards.
    pub fn partition<G: Guards>(g: &mut G, parts: impl IntoIterator<Item = (Guard, T)>) -> Option<Self> {
        let groups = Self::grouped(parts);
        let most = (0..groups.len()).max_by_key(|n| groups[*n].0.len());
        let most = most.filter(|n| groups[*n].0.len() >= groups.len());
        let mut entries = Vec::with_capacity(groups.len());
        for (n, (guards, value)) in groups.into_iter().enumerate() {
            entries.push((if Some(n) == most { Guard::FALSE } else { g.any(guards)? }, value));
        }
        if let Some(most) = most {
            let others = g.any(entries.iter().map(|e| e.0).collect())?;
            entries[most].0 = g.not(others);
        }
        Some(Summary { entries })
    }

    /// ⊎_φ, the guarded update: `new` where `phi` holds, this summary elsewhere. Values that both have under the
    /// same guard keep it.
    pub fn update<G: Guards>(&self, g: &mut G, phi: Guard, new: &Self) -> Option<Self> {
        let not = if planted("update-without-negation") { Guard::TRUE } else { g.not(phi) };
        let mut entries = Vec::with_capacity(self.entries.len() + new.entries.len());
        for (old, value) in &self.entries {
            let same = new.entries.iter().find(|e| e.1 == *value);
            let guard = match same {
                Some(_) if planted("coalescing-loses-entry") => g.and(not, *old)?,
                Some((new, _)) => g.choose(phi, *new, *old)?,
                None => g.and(not, *old)?,
            };
            entries.push((guard, value.clone()));
        }
        for (guard, value) in &new.entries {
            if !self.entries.iter().any(|e| e.1 == *value) {
                entries.push((g.and(phi, *guard)?, value.clone()));
            }
        }
        entries.retain(|e| e.0 != Guard::FALSE);
        Some(Summary { entries })
    }

    /// The same values where `pc` holds; entries that never apply there are dropped.
    pub fn within<G: Guards>(mut self, g: &mut G, pc: Guard) -> Option<Self> {
        let (mut kept, mut dropped) = (Vec::with_capacity(self.entries.len()), Vec::new());
        for (guard, value) in self.entries {
            // What takes too long to say stays.
            if g.meet(pc, guard).unwrap_or(true) { kept.push((guard, value)) } else { dropped.push(guard) }
        }
        self.entries = kept;
        if let [only] = &mut self.entries[..] {
            only.0 = Guard::TRUE;
        } else if let Some(first) = self.entries.first_mut() {
            // The guards cover everything, so what was dropped is all that is left.
            dropped.push(first.0);
            first.0 = g.any(dropped)?;
        }
        Some(self)
    }

    /// Disjoint entries as a summary: where none of them applies, nobody will look, and the first one
    /// does.
    pub fn complete<G: Guards>(mut self, g: &mut G) -> Option<Self> {
        if let Some((first, others)) = self.entries.split_first_mut() {
            let others = g.any(others.iter().map(|e| e.0).collect())?;
            first.0 = g.not(others);
        }
        Some(self)
    }

    /// Whether the guards are disjoint and cover everything; `None` if that is too large to say.
    pub fn is_partition<G: Guards>(&self, g: &mut G) -> Option<bool> {
        let mut covered = Guard::FALSE;
        for (guard, _) in &self.entries {
            if *guard == Guard::FALSE || g.meet(covered, *guard)? {
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
