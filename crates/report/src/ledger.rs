//! The ledger: every place where the engine did not follow the program exactly.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One approximation, with how often it happened. The run is exhaustive iff no entry is lossy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// What was done: `concretised`, `unknown-call`, `unknown-instruction`, `cut-loop`, `capacity`,
    /// `solver-timeout`, …
    pub kind: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line in it; 0 if unknown.
    pub line: u32,
    /// What it was done to: a function, an instruction, a variable.
    pub name: String,
    /// How often.
    pub count: u64,
    /// Whether behaviours of the program may have been missed.
    pub lossy: bool,
}

type Key = (String, String, u32, String, bool);

/// Counts approximations; equal ones become one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger(BTreeMap<Key, u64>);

impl Ledger {
    /// Counts one more approximation of this kind at this place.
    pub fn add(&mut self, kind: &str, file: &str, line: u32, name: &str, lossy: bool) {
        *self.0.entry((kind.into(), file.into(), line, name.into(), lossy)).or_default() += 1;
    }

    /// Counts the entries of another ledger.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = LedgerEntry>) {
        for e in entries {
            *self.0.entry((e.kind, e.file, e.line, e.name, e.lossy)).or_default() += e.count;
        }
    }

    /// Whether any behaviour may have been missed.
    pub fn is_lossy(&self) -> bool {
        self.0.keys().any(|key| key.4)
    }

    /// The entries, sorted.
    pub fn entries(&self) -> Vec<LedgerEntry> {
        let entry = |((kind, file, line, name, lossy), count): (&Key, &u64)| LedgerEntry {
            kind: kind.clone(),
            file: file.clone(),
            line: *line,
            name: name.clone(),
            count: *count,
            lossy: *lossy,
        };
        self.0.iter().map(entry).collect()
    }

    /// Why the run is incomplete: the kinds of lossy entries, each once, with what they were done to.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self
            .0
            .keys()
            .filter(|key| key.4)
            .map(|(kind, _, _, name, _)| format!("{kind}: {name}"))
            .collect();
        reasons.sort();
        reasons.dedup();
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_are_counted_and_lossiness_is_remembered() {
        let mut ledger = Ledger::default();
        ledger.add("concretised", "a.c", 3, "malloc size", false);
        assert!(!ledger.is_lossy());
        ledger.add("unknown-call", "b.c", 1, "dlopen", true);
        ledger.add("unknown-call", "a.c", 9, "dlopen", true);
        ledger.add("concretised", "a.c", 3, "malloc size", false);
        assert!(ledger.is_lossy());
        let entries = ledger.entries();
        assert_eq!(entries.iter().map(|e| e.count).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(ledger.reasons(), ["unknown-call: dlopen"]);
        let mut twice = ledger.clone();
        twice.extend(entries);
        assert_eq!(twice.entries()[0].count, 4);
    }
}
