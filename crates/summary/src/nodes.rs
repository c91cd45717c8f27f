//! The nodes of diagrams: each is kept once, all in one table.
//!
//! A node is a level, a partition of the level's values and a guard for each class. The guards differ, and
//! the first one, which is that of the value 0, is not negated: so a function has one node, and its negation
//! the same.

use crate::guard::Guard;
use crate::shapes::{Shape, Shapes};
use hashbrown::HashTable;
use rejoin_expr::ByteSet;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The level of constants: below all others.
pub(crate) const NO_LEVEL: u16 = u16::MAX;

/// Nodes that there is room for at first.
const ROOM: usize = 1 << 12;

#[derive(Clone, Copy)]
struct Head {
    level: u16,
    /// The last level that is asked below.
    deepest: u16,
    /// Classes.
    count: u16,
    /// Whether bytes alone are asked, here and below.
    of_bytes: bool,
    shape: Shape,
    /// Where the guards of the classes are.
    start: u32,
    /// Nodes there are at most, this one and below.
    size: u32,
    /// When it was last visited.
    visited: u32,
}

/// All nodes.
pub(crate) struct Nodes {
    heads: Vec<Head>,
    below: Vec<Guard>,
    /// Nodes by what they are, each with some bits of its hash.
    index: HashTable<(u32, u32)>,
    pub(crate) shapes: Shapes,
    /// Room for a node that is being made: its classes or their new numbers, their guards, and these negated.
    sets: Vec<ByteSet>,
    numbers: Vec<u8>,
    parts: Vec<Guard>,
    opposite: Vec<Guard>,
    visits: u32,
}

/// What nodes are found by.
fn hash(level: u16, shape: Shape, below: &[Guard]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(level) << 32 | u64::from(shape));
    below.iter().for_each(|g| hasher.write_u32(g.bits()));
    hasher.finish()
}

/// The bits that are kept of a hash, as a hash for tables: these look at the highest and at the lowest bits.
fn spread(some: u32) -> u64 {
    u64::from(some).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Nodes {
    /// The constants alone.
    pub(crate) fn new() -> Self {
        let constant = Head {
            level: NO_LEVEL,
            deepest: 0,
            count: 0,
            of_bytes: true,
            shape: Shape::MAX,
            start: 0,
            size: 0,
            visited: 0,
        };
        let mut heads = Vec::with_capacity(ROOM);
        heads.push(constant);
        Nodes {
            heads,
            below: Vec::with_capacity(2 * ROOM),
            index: HashTable::with_capacity(ROOM),
            shapes: Shapes::new(),
            sets: Vec::new(),
            numbers: Vec::new(),
            parts: Vec::new(),
            opposite: Vec::new(),
            visits: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    pub(crate) fn level(&self, g: Guard) -> u16 {
        self.heads[g.index()].level
    }

    /// The last level that the guard asks.
    #[inline]
    pub(crate) fn deepest(&self, g: Guard) -> u16 {
        self.heads[g.index()].deepest
    }

    #[inline]
    pub(crate) fn is_of_bytes(&self, g: Guard) -> bool {
        self.heads[g.index()].of_bytes
    }

    #[inline]
    pub(crate) fn shape(&self, g: Guard) -> Shape {
        self.heads[g.index()].shape
    }

    /// Into how many classes the first level of a guard is divided.
    #[inline]
    pub(crate) fn count(&self, g: Guard) -> usize {
        usize::from(self.heads[g.index()].count)
    }

    /// Where the guards of the classes of a guard begin, those of its node.
    #[inline]
    pub(crate) fn start(&self, g: Guard) -> u32 {
        self.heads[g.index()].start
    }

    /// The guard of a class, of those that begin here.
    #[inline]
    pub(crate) fn at(&self, start: u32, class: usize) -> Guard {
        self.below[start as usize + class]
    }

    /// The guard that is left in the class of this number.
    #[inline]
    pub(crate) fn below(&self, g: Guard, n: usize) -> Guard {
        self.below[self.heads[g.index()].start as usize + n].negated_if(g.is_negated())
    }

    /// The classes of the first level of a guard, and what is left in each.
    pub(crate) fn edges(&self, g: Guard) -> impl Iterator<Item = (ByteSet, Guard)> {
        let Head { start, count, shape, .. } = self.heads[g.index()];
        let below = &self.below[start as usize..start as usize + usize::from(count)];
        let classes = if count == 0 { &[] } else { self.shapes.classes(shape) };
        classes.iter().zip(below).map(move |(set, b)| (*set, b.negated_if(g.is_negated())))
    }

    /// The node with these guards in the classes of a level, of which some may be equal.
    pub(crate) fn node(&mut self, level: u16, is_byte: bool, shape: Shape, below: &[Guard]) -> Guard {
        if let [a, b] = below {
            return if a == b { *a } else { self.normal(level, is_byte, shape, below) };
        }
        let (mut numbers, mut parts) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.parts));
        numbers.clear();
        parts.clear();
        for g in below {
            let number = parts.iter().position(|p| p == g).unwrap_or_else(|| {
                parts.push(*g);
                parts.len() - 1
            });
            numbers.push(number as u8);
        }
        let guard = match &parts[..] {
            [only] => *only,
            _ if parts.len() == below.len() => self.normal(level, is_byte, shape, below),
            _ => {
                let shape = self.shapes.coarser(shape, &numbers);
                self.normal(level, is_byte, shape, &parts)
            }
        };
        (self.numbers, self.parts) = (numbers, parts);
        guard
    }

    /// The node with these guards in these classes, of which some may be equal, in any order.
    pub(crate) fn node_of(&mut self, level: u16, is_byte: bool, cells: &mut [(ByteSet, Guard)]) -> Guard {
        let mut count = 0;
        for n in 0..cells.len() {
            let (set, guard) = cells[n];
            match cells[..count].iter_mut().find(|c| c.1 == guard) {
                Some(same) => same.0 = same.0.union(set),
                None => {
                    cells[count] = (set, guard);
                    count += 1;
                }
            }
        }
        let cells = &mut cells[..count];
        if let [(_, only)] = cells {
            return *only;
        }
        cells.sort_unstable_by_key(|c| c.0.min());
        let (mut sets, mut parts) = (std::mem::take(&mut self.sets), std::mem::take(&mut self.parts));
        sets.clear();
        sets.extend(cells.iter().map(|c| c.0));
        parts.clear();
        parts.extend(cells.iter().map(|c| c.1));
        let shape = self.shapes.keep(&sets);
        let guard = self.normal(level, is_byte, shape, &parts);
        (self.sets, self.parts) = (sets, parts);
        guard
    }

    /// The node with these guards, which differ.
    fn normal(&mut self, level: u16, is_byte: bool, shape: Shape, below: &[Guard]) -> Guard {
        if !below[0].is_negated() {
            return self.kept(level, is_byte, shape, below);
        }
        let mut opposite = std::mem::take(&mut self.opposite);
        opposite.clear();
        opposite.extend(below.iter().map(|g| g.negated_if(true)));
        let guard = self.kept(level, is_byte, shape, &opposite);
        self.opposite = opposite;
        guard.negated_if(true)
    }

    fn kept(&mut self, level: u16, is_byte: bool, shape: Shape, below: &[Guard]) -> Guard {
        let (heads, all) = (&self.heads, &self.below);
        let hashed = hash(level, shape, below);
        let same = |(some, n): &(u32, u32)| {
            let is = |h: &Head| {
                let guards = &all[h.start as usize..h.start as usize + usize::from(h.count)];
                h.level == level && h.shape == shape && guards == below
            };
            *some == hashed as u32 && is(&heads[*n as usize])
        };
        if let Some(known) = self.index.find(spread(hashed as u32), same) {
            return Guard::node(known.1);
        }
        let head = Head {
            level,
            deepest: below.iter().map(|g| heads[g.index()].deepest).fold(level, u16::max),
            count: below.len() as u16,
            of_bytes: is_byte && below.iter().all(|g| heads[g.index()].of_bytes),
            shape,
            start: all.len() as u32,
            size: below.iter().fold(1, |sum, g| heads[g.index()].size.saturating_add(sum)),
            visited: 0,
        };
        let new = heads.len() as u32;
        self.heads.push(head);
        self.below.extend_from_slice(below);
        let entry = (hashed as u32, new);
        self.index.insert_unique(spread(entry.0), entry, |e| spread(e.0));
        Guard::node(new)
    }

    /// Whether a guard has more nodes than this. They are counted only if there may be; nodes above will know
    /// then.
    pub(crate) fn is_larger(&mut self, g: Guard, limit: usize) -> bool {
        if self.heads.len() <= limit || self.heads[g.index()].size as usize <= limit {
            return false;
        }
        self.visits += 1;
        let (mut open, mut seen) = (vec![g.index()], 0);
        while let Some(at) = open.pop() {
            if at != 0 && self.heads[at].visited != self.visits {
                self.heads[at].visited = self.visits;
                seen += 1;
                if seen > limit {
                    return true;
                }
                let Head { start, count, .. } = self.heads[at];
                let below = &self.below[start as usize..start as usize + usize::from(count)];
                open.extend(below.iter().map(|g| g.index()));
            }
        }
        self.heads[g.index()].size = seen as u32;
        false
    }
}
