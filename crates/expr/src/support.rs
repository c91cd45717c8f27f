//! Interned sets of variables.

use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use crate::node::Var;

/// The set of variables of a term. Equal sets of one pool have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Support(u32);

impl Support {
    /// The empty set.
    pub const EMPTY: Support = Support(0);

    /// Is it the empty set?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// All sets seen so far, each once, as sorted slices of one vector.
pub(crate) struct Supports {
    vars: Vec<Var>,
    sets: Vec<Range<u32>>,
    index: HashTable<u32>,
    unions: FxHashMap<(Support, Support), Support>,
}

impl Supports {
    pub(crate) fn new() -> Self {
        let mut supports = Supports {
            vars: Vec::new(),
            sets: Vec::new(),
            index: HashTable::new(),
            unions: FxHashMap::default(),
        };
        supports.intern(&[]);
        supports
    }

    /// The variables of the set, sorted.
    pub(crate) fn vars(&self, s: Support) -> &[Var] {
        slice(&self.vars, &self.sets[s.0 as usize])
    }

    pub(crate) fn singleton(&mut self, v: Var) -> Support {
        self.intern(&[v])
    }

    pub(crate) fn union(&mut self, a: Support, b: Support) -> Support {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&s) = self.unions.get(&key) {
            return s;
        }
        let merged = merge(self.vars(a), self.vars(b));
        let s = self.intern(&merged);
        self.unions.insert(key, s);
        s
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.vars.capacity() * size_of::<Var>()
            + self.sets.capacity() * size_of::<Range<u32>>()
            + self.unions.capacity() * size_of::<(Support, Support, Support)>()
    }

    pub(crate) fn intern(&mut self, set: &[Var]) -> Support {
        let Supports { vars, sets, index, .. } = self;
        let hash = rustc_hash::FxBuildHasher;
        let hash_of = |set: &[Var]| std::hash::BuildHasher::hash_one(&hash, set);
        let entry = index.entry(
            hash_of(set),
            |&i| slice(vars, &sets[i as usize]) == set,
            |&i| hash_of(slice(vars, &sets[i as usize])),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Support(*found.get()),
            hashbrown::hash_table::Entry::Vacant(slot) => {
                let id = sets.len() as u32;
                slot.insert(id);
                let start = vars.len() as u32;
                vars.extend_from_slice(set);
                sets.push(start..vars.len() as u32);
                Support(id)
            }
        }
    }
}

fn slice<'a>(vars: &'a [Var], range: &Range<u32>) -> &'a [Var] {
    &vars[range.start as usize..range.end as usize]
}

/// The union of two sorted slices, sorted.
fn merge(a: &[Var], b: &[Var]) -> Vec<Var> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    while let (Some(&x), Some(&y)) = (a.peek(), b.peek()) {
        merged.push(x.min(y));
        if x <= y {
            a.next();
        }
        if y <= x {
            b.next();
        }
    }
    merged.extend(a);
    merged.extend(b);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_ids_however_they_were_made() {
        let mut s = Supports::new();
        let [a, b, c] = [2, 0, 1].map(|v| s.singleton(Var(v)));
        let ab = s.union(a, b);
        let bc = s.union(b, c);
        let one = s.union(ab, c);
        let other = s.union(bc, ab);
        assert_eq!(one, other);
        assert_eq!(s.vars(one), [Var(0), Var(1), Var(2)]);
        assert_eq!(s.union(Support::EMPTY, a), a);
        assert_ne!(ab, bc);
    }
}
