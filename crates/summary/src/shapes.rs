//! The ways in which nodes of diagrams divide the values of a level: partitions of the 256 values of a byte.
//!
//! Programs compare a byte with few values, so there are fewer partitions than nodes; each is kept once. What
//! becomes of two of them together, or of one whose classes are joined, is remembered, so that operations on
//! diagrams compare numbers and not sets.

use hashbrown::HashTable;
use rejoin_expr::ByteSet;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// A partition: its classes are in the order of their least values.
pub(crate) type Shape = u32;

/// The partition of atoms: where one does not hold, which is the value 0, and where it does.
pub(crate) const ATOM: Shape = 0;

/// Numbers of classes that are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 20;

/// Which class of two partitions a class of both together is in: where the pairs are, or that the numbers are the
/// same.
#[derive(Clone, Copy)]
pub(crate) struct Places(u32);

const ALIKE: Places = Places(u32::MAX);

/// A partition some of whose classes become one.
struct Coarser {
    of: Shape,
    /// Where the new number of each class is.
    start: u32,
    is: Shape,
}

/// All partitions.
pub(crate) struct Shapes {
    /// Where the classes of each begin, and where those of the last one end.
    starts: Vec<u32>,
    classes: Vec<ByteSet>,
    index: HashTable<Shape>,
    /// Two partitions together.
    finer: FxHashMap<(Shape, Shape), (Shape, Places)>,
    pairs: Vec<[u8; 2]>,
    coarser: HashTable<Coarser>,
    numbers: Vec<u8>,
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Shapes {
    pub(crate) fn new() -> Self {
        let mut shapes = Shapes {
            starts: vec![0],
            classes: Vec::new(),
            index: HashTable::new(),
            finer: FxHashMap::default(),
            pairs: Vec::new(),
            coarser: HashTable::new(),
            numbers: Vec::new(),
        };
        let fails = ByteSet([1, 0, 0, 0]);
        shapes.keep(&[fails, fails.complement()]);
        shapes
    }

    /// The partition into these classes, which are in order.
    pub(crate) fn keep(&mut self, classes: &[ByteSet]) -> Shape {
        let hashed = hash(classes);
        if let Some(known) = self.index.find(hashed, |shape| self.classes(*shape) == classes) {
            return *known;
        }
        let new = self.starts.len() as Shape - 1;
        self.classes.extend_from_slice(classes);
        self.starts.push(self.classes.len() as u32);
        let (starts, all) = (&self.starts, &self.classes);
        let rehash = |s: &Shape| hash(&all[starts[*s as usize] as usize..starts[*s as usize + 1] as usize]);
        self.index.insert_unique(hashed, new, rehash);
        new
    }

    #[inline]
    pub(crate) fn classes(&self, shape: Shape) -> &[ByteSet] {
        let at = shape as usize;
        &self.classes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// How many classes there are.
    #[inline]
    pub(crate) fn count(&self, shape: Shape) -> usize {
        let at = shape as usize;
        (self.starts[at + 1] - self.starts[at]) as usize
    }

    /// Two partitions together; where there is one only, that one.
    pub(crate) fn together(&mut self, a: Option<Shape>, b: Option<Shape>) -> (Option<Shape>, Places) {
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let (shape, places) = self.finer(a, b);
                (Some(shape), places)
            }
            _ => (a.or(b), ALIKE),
        }
    }

    /// The classes that the class of this number is in.
    #[inline]
    pub(crate) fn places(&self, places: Places, class: usize) -> [usize; 2] {
        match places.0 {
            u32::MAX => [class; 2],
            start => self.pairs[start as usize + class].map(usize::from),
        }
    }

    fn finer(&mut self, a: Shape, b: Shape) -> (Shape, Places) {
        if let Some(known) = self.finer.get(&(a, b)) {
            return *known;
        }
        let mut cells = Vec::new();
        for (i, x) in self.classes(a).iter().enumerate() {
            for (j, y) in self.classes(b).iter().enumerate() {
                let set = x.intersect(*y);
                cells.extend(set.min().map(|least| (least, set, [i as u8, j as u8])));
            }
        }
        cells.sort_unstable_by_key(|c| c.0);
        let sets: Vec<ByteSet> = cells.iter().map(|c| c.1).collect();
        let places = Places(self.pairs.len() as u32);
        self.pairs.extend(cells.iter().map(|c| c.2));
        let known = (self.keep(&sets), places);
        self.finer.insert((a, b), known);
        known
    }

    /// A partition whose classes get new numbers, those that become one the same: numbers are given in order.
    pub(crate) fn coarser(&mut self, shape: Shape, new: &[u8]) -> Shape {
        let hashed = hash((shape, new));
        let numbers = &self.numbers;
        let same = |c: &Coarser| c.of == shape && &numbers[c.start as usize..][..new.len()] == new;
        if let Some(known) = self.coarser.find(hashed, same) {
            return known.is;
        }
        let mut sets: Vec<ByteSet> = Vec::new();
        for (set, n) in self.classes(shape).iter().zip(new) {
            match sets.get_mut(usize::from(*n)) {
                Some(all) => *all = all.union(*set),
                None => sets.push(*set),
            }
        }
        let is = self.keep(&sets);
        let start = self.numbers.len() as u32;
        self.numbers.extend_from_slice(new);
        let (starts, numbers) = (&self.starts, &self.numbers);
        let rehash = |c: &Coarser| {
            let count = starts[c.of as usize + 1] - starts[c.of as usize];
            hash((c.of, &numbers[c.start as usize..][..count as usize]))
        };
        self.coarser.insert_unique(hashed, Coarser { of: shape, start, is }, rehash);
        is
    }

    /// Forgets what is remembered if it is too much. Nobody may be in the middle of an operation.
    pub(crate) fn tidy(&mut self) {
        if self.pairs.len() > REMEMBERED {
            self.finer.clear();
            self.pairs.clear();
        }
        if self.numbers.len() > REMEMBERED {
            self.coarser.clear();
            self.numbers.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bytes: impl IntoIterator<Item = u8>) -> ByteSet {
        bytes.into_iter().collect()
    }

    /// Before and after all is forgotten.
    #[test]
    fn partitions_together_and_joined_are_those_of_their_sets() {
        let mut shapes = Shapes::new();
        let odd = set((0..=255).filter(|b| b % 2 == 1));
        let parity = shapes.keep(&[odd.complement(), odd]);
        let low = shapes.keep(&[set(0..10), set(10..20), set(20..=255)]);
        for _ in 0..2 {
            let (both, places) = shapes.together(Some(parity), Some(low));
            let both = both.expect("a partition");
            assert_eq!(shapes.count(both), 6);
            let classes = shapes.classes(both).to_vec();
            assert!(classes.is_sorted_by_key(|c| c.min()));
            for (n, class) in classes.iter().enumerate() {
                let [i, j] = shapes.places(places, n);
                assert_eq!(*class, shapes.classes(parity)[i].intersect(shapes.classes(low)[j]));
            }
            let parities: Vec<u8> = (0..6).map(|n| shapes.places(places, n)[0] as u8).collect();
            assert_eq!(shapes.coarser(both, &parities), parity);
            assert_eq!(shapes.coarser(both, &parities), parity);
            shapes.pairs.resize(REMEMBERED + 1, [0, 0]);
            shapes.numbers.resize(REMEMBERED + 1, 0);
            shapes.tidy();
            assert!(shapes.finer.is_empty() && shapes.coarser.is_empty());
        }
        let (alone, places) = shapes.together(None, Some(low));
        assert_eq!((alone, shapes.places(places, 2)), (Some(low), [2, 2]));
    }
}
