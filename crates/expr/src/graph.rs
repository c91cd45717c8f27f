//! The nodes of decision diagrams, each once, and what was made of them.
//!
//! Edges lie one after the other in one place, and results are remembered in a table of bounded size, in which a
//! later one takes the place of an earlier one: most time goes into memory that is far away.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::byteset::ByteSet;
use crate::diagram::{Level, Op};

/// Results that are remembered, as a power of two: at first, and at most.
const RESULTS: [u32; 2] = [8, 16];

/// A diagram, by number.
pub(crate) type Id = u32;

/// Bytes, and the diagram where they lead.
pub(crate) type Edge = (ByteSet, Id);

/// A diagram.
#[derive(Clone, Copy)]
pub(crate) enum Diagram<'a> {
    Value(u128),
    /// The variables below come later. The sets are disjoint and cover all bytes, the diagrams differ.
    Byte(Level, &'a [Edge]),
}

/// Where the value or the edges of a diagram are.
#[derive(Clone, Copy)]
enum Place {
    Value(u32),
    Byte { level: Level, from: u32, to: u32 },
}

/// All nodes made so far.
#[derive(Default)]
pub(crate) struct Graph {
    places: Vec<Place>,
    values: Vec<u128>,
    edges: Vec<Edge>,
    index: HashTable<Id>,
}

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Forgets all. The memory stays: to ask for it again takes longer than to fill it.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
        self.edges.clear();
        self.index.clear();
    }

    #[inline]
    pub(crate) fn node(&self, id: Id) -> Diagram<'_> {
        match self.places[id as usize] {
            Place::Value(at) => Diagram::Value(self.values[at as usize]),
            Place::Byte { level, from, to } => Diagram::Byte(level, &self.edges[from as usize..to as usize]),
        }
    }

    /// The variable that it looks at first.
    #[inline]
    pub(crate) fn top(&self, id: Id) -> Option<Level> {
        match self.places[id as usize] {
            Place::Value(_) => None,
            Place::Byte { level, .. } => Some(level),
        }
    }

    #[inline]
    pub(crate) fn as_value(&self, id: Id) -> Option<u128> {
        match self.places[id as usize] {
            Place::Value(at) => Some(self.values[at as usize]),
            Place::Byte { .. } => None,
        }
    }

    pub(crate) fn value(&mut self, value: u128) -> Id {
        let hash = hash_of(&value);
        let known = self.index.find(hash, |&id| self.as_value(id) == Some(value));
        known.copied().unwrap_or_else(|| {
            let at = self.values.len() as u32;
            self.values.push(value);
            self.add(hash, Place::Value(at))
        })
    }

    /// The diagram with the edges of `made` from `first` on, which are taken; those to one diagram become one.
    pub(crate) fn byte(&mut self, level: Level, made: &mut Vec<Edge>, first: usize) -> Id {
        made[first..].sort_unstable_by_key(|e| e.1);
        let mut last = first;
        for next in first + 1..made.len() {
            let (set, below) = made[next];
            if below == made[last].1 {
                made[last].0 = made[last].0.union(set);
            } else {
                last += 1;
                made[last] = (set, below);
            }
        }
        let edges = &made[first..=last];
        let id = match *edges {
            [(_, below)] => below,
            _ => self.number(level, edges),
        };
        made.truncate(first);
        id
    }

    fn number(&mut self, level: Level, edges: &[Edge]) -> Id {
        let hash = hash_of(&(level, edges));
        let is_it = |&id: &Id| matches!(self.node(id), Diagram::Byte(l, e) if l == level && e == edges);
        if let Some(&id) = self.index.find(hash, is_it) {
            return id;
        }
        let from = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        self.add(hash, Place::Byte { level, from, to: self.edges.len() as u32 })
    }

    fn add(&mut self, hash: u64, place: Place) -> Id {
        let id = self.places.len() as Id;
        self.places.push(place);
        let Graph { places, values, edges, index } = self;
        index.insert_unique(hash, id, |&id| match places[id as usize] {
            Place::Value(at) => hash_of(&values[at as usize]),
            Place::Byte { level, from, to } => hash_of(&(level, &edges[from as usize..to as usize])),
        });
        id
    }

    /// Puts onto `cells` the classes of bytes that take the same edge in each of three diagrams, and where
    /// these lead.
    pub(crate) fn cells(&self, level: Level, of: [Id; 3], cells: &mut Vec<(ByteSet, [Id; 3])>) {
        let first = cells.len();
        cells.push((ByteSet::FULL, of));
        for (n, &id) in of.iter().enumerate() {
            let Diagram::Byte(own, edges) = self.node(id) else { continue };
            if own != level {
                continue;
            }
            let before = cells.len();
            for at in first..before {
                let (set, mut ids) = cells[at];
                if let Some(byte) = set.min().filter(|_| set.len() == 1) {
                    ids[n] = edges.iter().find(|e| e.0.contains(byte)).map_or(id, |e| e.1);
                    cells.push((set, ids));
                    continue;
                }
                for &(on_edge, below) in edges {
                    let both = set.intersect(on_edge);
                    if !both.is_empty() {
                        ids[n] = below;
                        cells.push((both, ids));
                    }
                }
            }
            cells.drain(first..before);
        }
    }
}

fn hash_of(t: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    t.hash(&mut hasher);
    hasher.finish()
}

/// What operators made of diagrams.
#[derive(Default)]
pub(crate) struct Results {
    slots: Vec<Option<(Op, [Id; 3], Id)>>,
    /// Results since the table grew.
    count: usize,
}

impl Results {
    #[inline]
    fn slot(&self, op: Op, of: [Id; 3]) -> usize {
        (hash_of(&(op, of)) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    #[inline]
    pub(crate) fn get(&self, op: Op, of: [Id; 3]) -> Option<Id> {
        if self.slots.is_empty() {
            return None;
        }
        match self.slots[self.slot(op, of)] {
            Some((other, from, id)) if other == op && from == of => Some(id),
            _ => None,
        }
    }

    pub(crate) fn insert(&mut self, op: Op, of: [Id; 3], id: Id) {
        if self.slots.is_empty() {
            self.slots = vec![None; 1 << RESULTS[0]];
        }
        let slot = self.slot(op, of);
        self.slots[slot] = Some((op, of, id));
        self.count += 1;
    }

    /// Makes room for as many results as there were.
    pub(crate) fn fit(&mut self) {
        while self.count > self.slots.len() && self.slots.len() < 1 << RESULTS[1] {
            let twice = vec![None; (2 * self.slots.len()).max(1 << RESULTS[0])];
            for (op, of, id) in std::mem::replace(&mut self.slots, twice).into_iter().flatten() {
                let slot = self.slot(op, of);
                self.slots[slot] = Some((op, of, id));
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(None);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Pool;

    #[test]
    fn equal_diagrams_are_one() {
        let mut pool = Pool::new();
        let x = pool.var(8, "x");
        let level = Level::new(&pool, pool.support_vars(pool.support(x))[0]);
        let mut graph = Graph::default();
        let [no, yes] = [0, 1].map(|value| graph.value(value));
        let half: ByteSet = (0..128).collect();
        let mut made = vec![(half, yes), (half.complement(), no)];
        let one = graph.byte(level, &mut made, 0);
        assert!(made.is_empty());
        // In another order, and in pieces.
        let zero: ByteSet = [0].into_iter().collect();
        made.extend([(half.complement(), no), (zero, yes), (half.intersect(zero.complement()), yes)]);
        assert_eq!(graph.byte(level, &mut made, 0), one);
        made.extend([(half, yes), (half.complement(), yes)]);
        assert_eq!(graph.byte(level, &mut made, 0), yes, "nothing is decided");
        let mut cells = Vec::new();
        graph.cells(level, [one, no, one], &mut cells);
        cells.sort_by_key(|c| c.1);
        assert_eq!(cells, [(half.complement(), [no, no, no]), (half, [yes, no, yes])]);
    }

    #[test]
    fn results_are_found_until_others_take_their_places() {
        let mut results = Results::default();
        assert_eq!(results.get(Op::Ite, [1, 2, 3]), None);
        for n in 0..1000 {
            results.insert(Op::Ite, [n, 2, 3], n);
            assert_eq!(results.get(Op::Ite, [n, 2, 3]), Some(n));
            assert_eq!(results.get(Op::Concat(8), [n, 2, 3]), None);
        }
        results.fit();
        let known =
            |results: &Results| (0..1000).filter(|&n| results.get(Op::Ite, [n, 2, 3]) == Some(n)).count();
        assert!((1..1000).contains(&known(&results)));
        for n in 0..1000 {
            results.insert(Op::Ite, [n, 2, 3], n);
        }
        assert!(known(&results) > 500, "there is room for them now");
        results.clear();
        assert_eq!(known(&results), 0);
    }
}
