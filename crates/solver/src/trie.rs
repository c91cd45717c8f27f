//! Sets of conditions in a trie, to find a stored subset or superset of a given set.

use rejoin_expr::Term;
use rejoin_fault::planted;
use rustc_hash::FxHashMap;

/// A collection of sorted sets, each with a value.
pub(crate) struct SetTrie<V> {
    nodes: Vec<Node<V>>,
    sets: usize,
}

struct Node<V> {
    value: Option<V>,
    /// Sorted by term.
    children: Vec<(Term, u32)>,
}

/// Give up the search for a superset after so many nodes: it is a cache, not an oracle.
const BUDGET: usize = 256;

impl<V> SetTrie<V> {
    pub(crate) fn new() -> Self {
        SetTrie { nodes: vec![Node { value: None, children: Vec::new() }], sets: 0 }
    }

    /// How many sets are stored.
    pub(crate) fn len(&self) -> usize {
        self.sets
    }

    /// How many nodes they take.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Stores a sorted set, unless it is there.
    pub(crate) fn insert(&mut self, set: &[Term], value: V) {
        let mut at = 0;
        for &term in set {
            let fresh = self.nodes.len() as u32;
            let children = &mut self.nodes[at].children;
            at = match children.binary_search_by_key(&term, |&(t, _)| t) {
                Ok(i) => children[i].1,
                Err(i) => {
                    children.insert(i, (term, fresh));
                    self.nodes.push(Node { value: None, children: Vec::new() });
                    fresh
                }
            } as usize;
        }
        if self.nodes[at].value.is_none() {
            self.sets += 1;
            self.nodes[at].value = Some(value);
        }
    }

    /// The value of a stored subset of the sorted set.
    pub(crate) fn subset(&self, set: &[Term]) -> Option<&V> {
        let mut todo = vec![(0usize, 0usize)];
        let mut visited = 0;
        while let Some((at, from)) = todo.pop() {
            visited += 1;
            let node = &self.nodes[at];
            if node.value.is_some() {
                return node.value.as_ref();
            }
            if visited > BUDGET {
                return None;
            }
            let rest = &set[from..];
            // Look the shorter list up in the longer.
            if rest.len() < node.children.len() {
                for (i, term) in rest.iter().enumerate() {
                    if let Ok(c) = node.children.binary_search_by_key(term, |&(t, _)| t) {
                        todo.push((node.children[c].1 as usize, from + i + 1));
                    }
                }
            } else {
                for &(term, child) in &node.children {
                    if let Ok(i) = rest.binary_search(&term) {
                        todo.push((child as usize, from + i + 1));
                    }
                }
            }
        }
        None
    }

    /// The value of a stored superset of the sorted set.
    pub(crate) fn superset(&self, set: &[Term]) -> Option<&V> {
        let mut todo = vec![(0usize, 0usize)];
        let mut visited = 0;
        while let Some((at, from)) = todo.pop() {
            visited += 1;
            if visited > BUDGET {
                return None;
            }
            let node = &self.nodes[at];
            let Some(&wanted) = set.get(from) else {
                if node.value.is_some() {
                    return node.value.as_ref();
                }
                // All that was wanted is here: any set below will do.
                todo.extend(node.children.first().map(|&(_, child)| (child as usize, from)));
                continue;
            };
            for &(term, child) in node.children.iter().take_while(|&&(t, _)| t <= wanted) {
                todo.push((child as usize, from + usize::from(term == wanted)));
            }
        }
        None
    }
}

/// A cache of exact answers for sets of conditions, emptied when it has grown too large.
pub(crate) struct Cache<V> {
    /// Unsatisfiable sets: every superset is unsatisfiable.
    unsat: SetTrie<()>,
    /// Satisfiable sets with values: they satisfy every subset.
    sat: SetTrie<V>,
    exact: FxHashMap<Box<[Term]>, V>,
    limit: usize,
}

impl<V: Clone> Cache<V> {
    /// A cache of at most so many trie nodes of either kind.
    pub(crate) fn new(limit: usize) -> Self {
        Cache { unsat: SetTrie::new(), sat: SetTrie::new(), exact: FxHashMap::default(), limit }
    }

    /// Sets stored: unsatisfiable, satisfiable.
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.unsat.len(), self.sat.len())
    }

    pub(crate) fn is_unsat(&self, set: &[Term]) -> bool {
        self.unsat.subset(set).is_some()
    }

    pub(crate) fn model(&self, set: &[Term]) -> Option<V> {
        self.exact.get(set).or_else(|| self.sat.superset(set)).cloned()
    }

    pub(crate) fn add_unsat(&mut self, core: &[Term]) {
        if self.unsat.nodes() + core.len() > self.limit {
            self.unsat = SetTrie::new();
        }
        let kept = core.len() - usize::from(core.len() > 1 && planted("core-too-small"));
        self.unsat.insert(&core[..kept], ());
    }

    pub(crate) fn add_sat(&mut self, set: &[Term], values: &V) {
        if self.sat.nodes() + set.len() > self.limit {
            self.sat = SetTrie::new();
            self.exact.clear();
        }
        self.sat.insert(set, values.clone());
        self.exact.insert(set.into(), values.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bits: u32) -> Vec<Term> {
        (0..5).filter(|i| bits >> i & 1 == 1).map(Term::from_raw).collect()
    }

    #[test]
    fn finds_subsets_and_supersets_exactly_when_there_are_some() {
        // All collections of three sets over five terms are too many: a stride covers the shapes.
        for stored in (0u32..32 * 32 * 32).step_by(17) {
            let stored = [stored & 31, stored >> 5 & 31, stored >> 10];
            let mut trie = SetTrie::new();
            for s in stored {
                trie.insert(&set(s), s);
            }
            for query in 0..32u32 {
                let (sub, sup) = (trie.subset(&set(query)), trie.superset(&set(query)));
                assert_eq!(sub.is_some(), stored.iter().any(|s| s & query == *s), "{stored:?} {query}");
                assert_eq!(sup.is_some(), stored.iter().any(|s| s & query == query), "{stored:?} {query}");
                assert!(sub.is_none_or(|s| s & query == *s) && sup.is_none_or(|s| s & query == query));
            }
        }
    }

    #[test]
    fn a_full_cache_forgets_and_stays_right() {
        let mut cache = Cache::new(8);
        for i in 0..32 {
            cache.add_sat(&set(i), &i);
            cache.add_unsat(&[Term::from_raw(100 + i)]);
        }
        assert!(cache.len().0 <= 8 && cache.len().1 <= 8);
        assert_eq!(cache.model(&set(31)), Some(31));
        assert!(cache.is_unsat(&[Term::from_raw(3), Term::from_raw(131)]));
        assert!(!cache.is_unsat(&set(31)));
    }
}
