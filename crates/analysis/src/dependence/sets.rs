//! Interned sets of sites: variables of a function share few different ones.

use crate::bitset::BitSet;
use rustc_hash::FxHashMap;

/// An interned set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);
}

/// The sets of one function. Numbers below `sites` are query sites; outputs and loops follow.
pub(crate) struct Sets {
    bound: usize,
    sites: usize,
    all: Vec<BitSet>,
    /// Per set: whether a query site is in it.
    has_site: Vec<bool>,
    ids: FxHashMap<BitSet, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl Sets {
    pub(crate) fn new(bound: usize, sites: usize) -> Self {
        let mut sets = Sets {
            bound,
            sites,
            all: Vec::new(),
            has_site: Vec::new(),
            ids: FxHashMap::default(),
            unions: FxHashMap::default(),
        };
        sets.intern(BitSet::new(bound));
        sets
    }

    fn intern(&mut self, set: BitSet) -> SetId {
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = SetId(self.all.len() as u32);
        self.has_site.push(set.iter().next().is_some_and(|first| first < self.sites));
        self.ids.insert(set.clone(), id);
        self.all.push(set);
        id
    }

    pub(crate) fn single(&mut self, i: usize) -> SetId {
        let mut set = BitSet::new(self.bound);
        set.insert(i);
        self.intern(set)
    }

    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&id) = self.unions.get(&key) {
            return id;
        }
        let mut set = self.get(a).clone();
        set.union(self.get(b));
        let id = self.intern(set);
        self.unions.insert(key, id);
        id
    }

    pub(crate) fn get(&self, id: SetId) -> &BitSet {
        &self.all[id.0 as usize]
    }

    /// Whether a query site is in the set.
    pub(crate) fn has_site(&self, id: SetId) -> bool {
        self.has_site[id.0 as usize]
    }
}
