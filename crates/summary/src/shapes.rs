//! The ways in which nodes of diagrams divide the values of a level: partitions of the 256 values of a byte.
//!
//! Programs compare a byte with few values, so there are fewer partitions than nodes; each is kept once.

use hashbrown::HashTable;
use rejoin_expr::ByteSet;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A partition: its classes are in the order of their least values.
pub(crate) type Shape = u32;

/// The partition of atoms: where one does not hold, which is the value 0, and where it does.
pub(crate) const ATOM: Shape = 0;

/// All partitions.
pub(crate) struct Shapes {
    /// Where the classes of each begin, and where those of the last one end.
    starts: Vec<u32>,
    classes: Vec<ByteSet>,
    index: HashTable<Shape>,
}

fn hash(classes: &[ByteSet]) -> u64 {
    let mut hasher = FxHasher::default();
    classes.hash(&mut hasher);
    hasher.finish()
}

impl Shapes {
    pub(crate) fn new() -> Self {
        let mut shapes = Shapes { starts: vec![0], classes: Vec::new(), index: HashTable::new() };
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

    pub(crate) fn classes(&self, shape: Shape) -> &[ByteSet] {
        let at = shape as usize;
        &self.classes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
