//! Guards as diagrams: the operations.
//!
//! An operation goes down both diagrams at once. It allocates nothing but new nodes: results wait on one stack,
//! and those of pairs that were met before are found in tables of a fixed size, in which a later result
//! takes the place of an earlier one.

use crate::guard::{Guard, Guards};
use crate::nodes::Nodes;
use crate::shapes::{ATOM, Shape};
use rejoin_expr::ByteSet;
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::time::{Duration, Instant};

/// Results of one kind that are remembered, as a power of two: at first, and at most.
const CACHED: [u32; 2] = [10, 20];

/// After so many steps somebody asks whether the run is over.
const LOOK_EVERY: u64 = 1 << 12;

/// Levels there can be.
const MAX_LEVELS: u32 = 60_000;

/// The result has too many nodes, or there is no time left for it.
struct TooLarge;

/// Results of an operation on two guards.
struct Cache {
    /// Two operands and their result.
    slots: Vec<[u32; 3]>,
    bits: u32,
}

impl Cache {
    fn new() -> Self {
        Cache { slots: vec![[u32::MAX; 3]; 1 << CACHED[0]], bits: CACHED[0] }
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        let key = u64::from(a) << 32 | u64::from(b);
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.bits)) as usize
    }

    fn get(&self, a: Guard, b: Guard) -> Option<u32> {
        let [x, y, result] = self.slots[self.slot(a.bits(), b.bits())];
        ((x, y) == (a.bits(), b.bits())).then_some(result)
    }

    fn insert(&mut self, a: Guard, b: Guard, result: u32) {
        let slot = self.slot(a.bits(), b.bits());
        self.slots[slot] = [a.bits(), b.bits(), result];
    }

    fn forget(&mut self, a: Guard, b: Guard) {
        if self.get(a, b).is_some() {
            let slot = self.slot(a.bits(), b.bits());
            self.slots[slot] = [u32::MAX; 3];
        }
    }

    /// Makes room for the results of this many nodes.
    fn fit(&mut self, nodes: usize) {
        while nodes > self.slots.len() && self.bits < CACHED[1] {
            self.bits += 1;
            let old = std::mem::replace(&mut self.slots, vec![[u32::MAX; 3]; 1 << self.bits]);
            for [a, b, result] in old.into_iter().filter(|s| s[0] != u32::MAX) {
                let slot = self.slot(a, b);
                self.slots[slot] = [a, b, result];
            }
        }
    }
}

/// Guards as diagrams with shared nodes. None is ever dropped, so there is a limit on all of them together:
/// beyond it no operation has a new result.
pub struct Diagrams {
    pub(crate) nodes: Nodes,
    /// Which levels are bytes.
    bytes: FxHashSet<u16>,
    both: Cache,
    meets: Cache,
    cofactors: Cache,
    too_large: FxHashSet<(Guard, Guard)>,
    /// Results that no node has been made of yet.
    stack: Vec<Guard>,
    /// The same with the values they are for.
    cells: Vec<(ByteSet, Guard)>,
    /// Nodes of one diagram, and steps to find a cofactor.
    limit: usize,
    /// Nodes of all diagrams.
    total: usize,
    /// Steps that the present operation may still do.
    work: usize,
    /// Steps of all operations.
    pub(crate) steps: u64,
    /// How many of them there may be until the one who asks has to do without an answer.
    pub(crate) allowance: u64,
    /// Says whether the run has to end.
    pub(crate) is_over: Box<dyn Fn() -> bool>,
    /// It has: no operation has a new result any more.
    pub(crate) ended: bool,
    /// Spent computing diagrams.
    pub(crate) time: Duration,
}

impl Diagrams {
    /// No guard but the constants; none will have more than `limit` nodes, and all together not much more
    /// than `total`.
    #[must_use]
    pub fn new(limit: usize, total: usize) -> Self {
        Diagrams {
            nodes: Nodes::new(),
            bytes: FxHashSet::default(),
            both: Cache::new(),
            meets: Cache::new(),
            cofactors: Cache::new(),
            too_large: FxHashSet::default(),
            stack: Vec::new(),
            cells: Vec::new(),
            limit,
            total,
            work: 0,
            steps: 0,
            allowance: u64::MAX,
            is_over: Box::new(|| false),
            ended: false,
            time: Duration::ZERO,
        }
    }

    /// Whether no operation has a new result: any more, or for the one who asks.
    pub(crate) fn is_closed(&self) -> bool {
        self.ended || self.steps >= self.allowance || self.nodes.len() > self.total
    }

    /// Asks whether the run is over, as operations do now and then.
    pub(crate) fn look(&mut self) -> bool {
        self.ended = self.ended || (self.is_over)();
        self.ended
    }

    /// Whether this level, which nodes divide so, is a byte.
    fn is_byte(&self, level: u16, shape: Shape) -> bool {
        shape != ATOM || self.bytes.contains(&level)
    }

    /// The first level that one of two guards asks, and the classes into which only one of them divides it, or
    /// both alike; otherwise they have to be divided further.
    fn first_level(&self, a: Guard, b: Guard) -> (u16, Option<Shape>) {
        let (x, y) = (self.nodes.level(a), self.nodes.level(b));
        let (p, q) = (self.nodes.shape(a), self.nodes.shape(b));
        match x.cmp(&y) {
            Ordering::Less => (x, Some(p)),
            Ordering::Greater => (y, Some(q)),
            Ordering::Equal => (x, (p == q).then_some(p)),
        }
    }

    /// What is left of a guard in a class of this level, which it may not ask.
    fn part(&self, g: Guard, level: u16, class: usize) -> Guard {
        if self.nodes.level(g) == level { self.nodes.below(g, class) } else { g }
    }

    /// Puts what `operation` makes of the parts of both guards on the stack of cells, for all classes of a level
    /// that both ask.
    fn divide(
        &mut self,
        a: Guard,
        b: Guard,
        mut operation: impl FnMut(&mut Self, Guard, Guard) -> Result<Guard, TooLarge>,
    ) -> Result<(), TooLarge> {
        let (p, q) = (self.nodes.shape(a), self.nodes.shape(b));
        for i in 0..self.nodes.count(a) {
            for j in 0..self.nodes.count(b) {
                let set = self.nodes.shapes.classes(p)[i].intersect(self.nodes.shapes.classes(q)[j]);
                if !set.is_empty() {
                    let (x, y) = (self.nodes.below(a, i), self.nodes.below(b, j));
                    let below = operation(self, x, y)?;
                    self.cells.push((set, below));
                }
            }
        }
        Ok(())
    }

    /// The node of what is on the stack from `base`.
    fn node(&mut self, level: u16, shape: Shape, base: usize) -> Guard {
        let is_byte = self.is_byte(level, shape);
        let guard = self.nodes.node(level, is_byte, shape, &self.stack[base..]);
        self.stack.truncate(base);
        guard
    }

    /// The node of what is on the stack of cells from `base`.
    fn node_of_cells(&mut self, level: u16, base: usize) -> Guard {
        let guard = self.nodes.node_of(level, true, &mut self.cells[base..]);
        self.cells.truncate(base);
        guard
    }

    /// Takes a step of the present operation.
    fn step(&mut self) -> Result<(), TooLarge> {
        self.work = self.work.checked_sub(1).ok_or(TooLarge)?;
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) {
            self.look();
        }
        if self.ended || self.steps >= self.allowance { Err(TooLarge) } else { Ok(()) }
    }

    fn conjunction(&mut self, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_constant() {
            return Ok(if a == Guard::FALSE { a } else { b });
        }
        if a.index() == b.index() {
            return Ok(if a == b { a } else { Guard::FALSE });
        }
        if let Some(known) = self.both.get(a, b) {
            return Ok(Guard::from_bits(known));
        }
        self.step()?;
        let both = match self.first_level(a, b) {
            (level, Some(shape)) => {
                let base = self.stack.len();
                for n in 0..self.nodes.shapes.classes(shape).len() {
                    let below = self.conjunction(self.part(a, level, n), self.part(b, level, n))?;
                    self.stack.push(below);
                }
                self.node(level, shape, base)
            }
            (level, None) => {
                let base = self.cells.len();
                self.divide(a, b, Self::conjunction)?;
                self.node_of_cells(level, base)
            }
        };
        self.both.insert(a, b, both.bits());
        Ok(both)
    }

    /// Whether the conjunction is not `false`: a search that ends with the first way.
    fn common(&mut self, a: Guard, b: Guard) -> bool {
        if let Some(known) = self.quickly(a, b) {
            return known;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.both.get(a, b) {
            return known != Guard::FALSE.bits();
        }
        if let Some(known) = self.meets.get(a, b) {
            return known != 0;
        }
        let meets = match self.first_level(a, b) {
            (level, Some(shape)) => (0..self.nodes.shapes.classes(shape).len())
                .any(|n| self.common(self.part(a, level, n), self.part(b, level, n))),
            (_, None) => self.meet_in_a_class(a, b),
        };
        self.meets.insert(a, b, u32::from(meets));
        meets
    }

    /// Whether both can hold with some value of their first level, which is the same but divided otherwise.
    fn meet_in_a_class(&mut self, a: Guard, b: Guard) -> bool {
        let (p, q) = (self.nodes.shape(a), self.nodes.shape(b));
        (0..self.nodes.count(a)).any(|i| {
            let x = self.nodes.below(a, i);
            x != Guard::FALSE
                && (0..self.nodes.count(b)).any(|j| {
                    let shapes = &self.nodes.shapes;
                    let set = shapes.classes(p)[i].intersect(shapes.classes(q)[j]);
                    !set.is_empty() && self.common(x, self.nodes.below(b, j))
                })
        })
    }

    /// Whether both can hold, if that shows at once: constants, equal ones, and those that ask other levels.
    fn quickly(&self, a: Guard, b: Guard) -> Option<bool> {
        if a.is_constant() || b.is_constant() {
            return Some(a != Guard::FALSE && b != Guard::FALSE);
        }
        if a.index() == b.index() {
            return Some(a == b);
        }
        let (x, y) = (&self.nodes, &self.nodes);
        (x.deepest(a) < y.level(b) || y.deepest(b) < x.level(a)).then_some(true)
    }

    /// `g` where `care`, which is not `false`, holds: branches that nobody cares for take a neighbour's
    /// place.
    fn cofactor(&mut self, g: Guard, care: Guard) -> Result<Guard, TooLarge> {
        if care == Guard::TRUE || g.is_constant() {
            return Ok(g);
        }
        if g.index() == care.index() {
            return Ok(if g == care { Guard::TRUE } else { Guard::FALSE });
        }
        if self.nodes.deepest(care) < self.nodes.level(g) || self.nodes.deepest(g) < self.nodes.level(care) {
            return Ok(g);
        }
        if let Some(known) = self.cofactors.get(g, care) {
            return Ok(Guard::from_bits(known));
        }
        self.step()?;
        let result = if self.nodes.level(care) < self.nodes.level(g) {
            let mut any = Guard::FALSE;
            for n in 0..self.nodes.count(care) {
                let below = self.nodes.below(care, n);
                any = self.conjunction(any.negated_if(true), below.negated_if(true))?.negated_if(true);
            }
            self.cofactor(g, any)?
        } else {
            self.cofactor_by_classes(g, care)?
        };
        self.cofactors.insert(g, care, result.bits());
        Ok(result)
    }

    /// The same where `care` asks no level before the first of `g`.
    fn cofactor_by_classes(&mut self, g: Guard, care: Guard) -> Result<Guard, TooLarge> {
        let base = self.cells.len();
        let (mut free, level) = (ByteSet::EMPTY, self.nodes.level(g));
        let is_byte = self.is_byte(level, self.nodes.shape(g));
        let (p, q) = (self.nodes.shape(g), self.nodes.shape(care));
        let alike = self.nodes.level(care) == level;
        for i in 0..self.nodes.count(g) {
            for j in 0..if alike { self.nodes.count(care) } else { 1 } {
                let mut set = self.nodes.shapes.classes(p)[i];
                if alike {
                    set = set.intersect(self.nodes.shapes.classes(q)[j]);
                }
                match self.part(care, level, j) {
                    _ if set.is_empty() => {}
                    Guard::FALSE => free = free.union(set),
                    care => {
                        let left = self.cofactor(self.nodes.below(g, i), care)?;
                        self.cells.push((set, left));
                    }
                }
            }
        }
        self.cells[base].0 = self.cells[base].0.union(free);
        let guard = self.nodes.node_of(level, is_byte, &mut self.cells[base..]);
        self.cells.truncate(base);
        Ok(guard)
    }

    /// Begins an operation.
    fn begin(&mut self) -> Instant {
        self.stack.clear();
        self.cells.clear();
        self.work = self.limit.saturating_mul(16);
        let nodes = self.nodes.len();
        [&mut self.both, &mut self.meets, &mut self.cofactors].into_iter().for_each(|c| c.fit(nodes));
        Instant::now()
    }

    /// The guard of one level, where the value is in the set.
    fn of_level(&mut self, level: u32, shape: Shape, first: bool) -> Option<Guard> {
        let level = (level < MAX_LEVELS).then_some(level as u16)?;
        self.stack.clear();
        self.stack.extend([first, !first].map(|holds| Guard::FALSE.negated_if(holds)));
        Some(self.node(level, shape, 0))
    }
}

impl Guards for Diagrams {
    fn atom(&mut self, level: u32) -> Option<Guard> {
        self.of_level(level, ATOM, false)
    }

    fn byte(&mut self, level: u32, set: ByteSet) -> Option<Guard> {
        if set.is_empty() || set == ByteSet::FULL {
            return Some(if set.is_empty() { Guard::FALSE } else { Guard::TRUE });
        }
        self.bytes.insert(u16::try_from(level).ok()?);
        let first = set.contains(0);
        let classes = if first { [set, set.complement()] } else { [set.complement(), set] };
        let shape = self.nodes.shapes.keep(&classes);
        self.of_level(level, shape, first)
    }

    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_constant() || a.index() == b.index() {
            return self.conjunction(a, b).ok();
        }
        if let Some(known) = self.both.get(a, b) {
            return Some(Guard::from_bits(known));
        }
        if self.is_closed() || self.too_large.contains(&(a, b)) {
            return None;
        }
        if planted("stale-guard-cache")
            && let Some(stale) = self.both.slots.iter().find(|known| known[0] == a.bits())
        {
            return Some(Guard::from_bits(stale[2]));
        }
        let started = self.begin();
        let result = self.conjunction(a, b).ok().filter(|both| !self.nodes.is_larger(*both, self.limit));
        if result.is_none() {
            if !self.is_closed() {
                self.too_large.insert((a, b));
            }
            self.both.forget(a, b);
        }
        self.time += started.elapsed();
        result
    }

    fn meet(&mut self, a: Guard, b: Guard) -> bool {
        if let Some(known) = self.quickly(a, b) {
            return known;
        }
        let started = self.begin();
        let meets = self.common(a, b);
        self.time += started.elapsed();
        meets
    }

    fn within(&mut self, g: Guard, care: Guard) -> Guard {
        if care == Guard::FALSE || self.is_closed() {
            return g;
        }
        let started = self.begin();
        let result = self.cofactor(g, care).ok().filter(|small| !self.nodes.is_larger(*small, self.limit));
        self.time += started.elapsed();
        result.unwrap_or(g)
    }

    fn is_of_bytes(&self, g: Guard) -> bool {
        self.nodes.is_of_bytes(g)
    }

    fn descend(&self, g: Guard, wish: impl Fn(u32) -> u8) -> Vec<(u32, u8)> {
        let (mut at, mut way) = (g, Vec::new());
        while !at.is_constant() {
            let level = u32::from(self.nodes.level(at));
            let wanted = wish(level);
            let open = || self.nodes.edges(at).filter(|e| e.1 != Guard::FALSE);
            let Some((set, below)) = open().find(|e| e.0.contains(wanted)).or_else(|| open().next()) else {
                break;
            };
            way.push((level, if set.contains(wanted) { wanted } else { set.min().unwrap_or(0) }));
            at = below;
        }
        way
    }

    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], mut node: impl FnMut(u32, &[(ByteSet, T)]) -> T) -> T {
        let mut values: FxHashMap<Guard, T> = FxHashMap::default();
        values.insert(Guard::FALSE, leaf[0]);
        values.insert(Guard::TRUE, leaf[1]);
        let mut waiting = vec![g];
        while let Some(&at) = waiting.last() {
            let open = waiting.len();
            if !values.contains_key(&at) {
                waiting.extend(self.nodes.edges(at).map(|e| e.1).filter(|b| !values.contains_key(b)));
                if waiting.len() > open {
                    continue;
                }
                let edges: Vec<(ByteSet, T)> =
                    self.nodes.edges(at).map(|(set, b)| (set, values[&b])).collect();
                values.insert(at, node(u32::from(self.nodes.level(at)), &edges));
            }
            waiting.pop();
        }
        values[&g]
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }
}
