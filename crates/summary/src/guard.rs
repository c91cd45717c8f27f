//! Guards: Boolean functions of branch predicates, as decision diagrams.
//!
//! A guard is a handle; equal handles are equal functions, and `false` is always the handle
//! [`Guard::FALSE`]. What diagrams decide by are *levels*, numbered in the order in which they are met. A
//! level is a byte of the input or an *atom*, a predicate of which nothing is known. Predicates on one
//! byte are sets of its values, so diagrams know which of them exclude each other: a guard over bytes
//! alone that is not `false` is satisfiable, and no solver is asked.
//!
//! All guards share their nodes, and a guard and its negation are the same node.

use rejoin_expr::ByteSet;
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A Boolean function: a node, and in the lowest bit whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

impl Guard {
    /// Never.
    pub const FALSE: Guard = Guard(0);
    /// Always.
    pub const TRUE: Guard = Guard(1);

    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn is_constant(self) -> bool {
        self.0 < 2
    }

    fn negated_if(self, not: bool) -> Guard {
        Guard(self.0 ^ u32::from(not))
    }
}

/// What value summaries need of guards. An operation whose result is too large gives `None`.
pub trait Guards {
    /// The guard that is this atom; `None` if there are too many levels.
    fn atom(&mut self, level: u32) -> Option<Guard>;
    /// The guard that a byte is one of these; `None` if there are too many levels.
    fn byte(&mut self, level: u32, set: ByteSet) -> Option<Guard>;
    /// Both.
    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard>;
    /// Whether both can hold together: quicker than their conjunction, and never too large.
    fn meet(&mut self, a: Guard, b: Guard) -> bool;
    /// Not.
    fn not(&self, a: Guard) -> Guard {
        a.negated_if(true)
    }
    /// A guard that is `g` where `care` holds, and no matter what elsewhere: a constant if it can be.
    fn within(&mut self, g: Guard, care: Guard) -> Guard;
    /// Whether the guard asks for bytes only, so that it can hold unless it is `false`.
    fn is_of_bytes(&self, g: Guard) -> bool;
    /// A way to make the guard, which is not `false`, hold: values of some levels, those wished for where
    /// there is a choice. An atom holds if its value is not 0.
    fn descend(&self, g: Guard, wish: impl Fn(u32) -> u8) -> Vec<(u32, u8)>;
    /// Calls `node(level, edges)` for each node from the leaves up; `leaf` gives the constants. The result
    /// is that of the root.
    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], node: impl FnMut(u32, &[(ByteSet, T)]) -> T) -> T;
    /// Nodes of all guards together.
    fn nodes(&self) -> usize;

    /// Either.
    fn or(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b)?;
        Some(self.not(neither))
    }
}

/// Operations whose results are remembered before all of them are forgotten.
const MAX_CACHED: usize = 1 << 20;

/// After so many steps somebody asks whether the run is over.
const LOOK_EVERY: u64 = 1 << 12;

/// Levels there can be.
const MAX_LEVELS: u32 = 60_000;

/// The values of a level on which an atom does not hold.
const FAILS: ByteSet = ByteSet([1, 0, 0, 0]);

type Edges = Rc<[(ByteSet, Guard)]>;

/// The edges' sets are disjoint and cover all bytes, their guards differ. The first edge is that of byte 0
/// and is not negated.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    level: u32,
    edges: Edges,
}

/// The least value of a set that is not empty.
fn first(set: ByteSet) -> u32 {
    let word = set.0.iter().position(|w| *w != 0).unwrap_or(0);
    64 * word as u32 + set.0[word].trailing_zeros()
}

/// The result has too many nodes, or there is no time left for it.
struct TooLarge;

/// Guards as diagrams with shared nodes. None is ever dropped, so there is a limit on all of them together:
/// beyond it no operation has a new result.
pub struct Diagrams {
    nodes: Vec<Node>,
    /// Per node, whether there is no atom in it.
    of_bytes: Vec<bool>,
    /// Which levels are bytes.
    bytes: FxHashSet<u32>,
    index: FxHashMap<Node, Guard>,
    both: FxHashMap<(Guard, Guard), Guard>,
    meets: FxHashMap<(Guard, Guard), bool>,
    cofactors: FxHashMap<(Guard, Guard), Guard>,
    too_large: FxHashSet<(Guard, Guard)>,
    /// Nodes of one diagram, and steps to find a cofactor.
    limit: usize,
    /// Nodes of all diagrams.
    total: usize,
    /// Steps that the present operation may still do.
    work: usize,
    /// Steps of all operations.
    steps: u64,
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
            nodes: vec![Node { level: u32::MAX, edges: Rc::new([]) }],
            of_bytes: vec![true],
            bytes: FxHashSet::default(),
            index: FxHashMap::default(),
            both: FxHashMap::default(),
            meets: FxHashMap::default(),
            cofactors: FxHashMap::default(),
            too_large: FxHashSet::default(),
            limit,
            total,
            work: 0,
            steps: 0,
            is_over: Box::new(|| false),
            ended: false,
            time: Duration::ZERO,
        }
    }

    /// Takes a step of the present operation.
    fn step(&mut self) -> Result<(), TooLarge> {
        self.work = self.work.checked_sub(1).ok_or(TooLarge)?;
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) {
            self.ended = (self.is_over)();
        }
        if self.ended { Err(TooLarge) } else { Ok(()) }
    }

    /// The level that a guard, which is no constant, decides by first, and the guards that are left; of an
    /// atom, first where it does not hold.
    pub(crate) fn edges(&self, g: Guard) -> (u32, Vec<(ByteSet, Guard)>) {
        let Node { level, edges } = &self.nodes[g.index()];
        (*level, edges.iter().map(|e| (e.0, e.1.negated_if(g.is_negated()))).collect())
    }

    fn level(&self, g: Guard) -> u32 {
        self.nodes[g.index()].level
    }

    /// The node with these edges, of which those to one guard become one.
    fn node(&mut self, level: u32, cells: Vec<(ByteSet, Guard)>) -> Guard {
        let mut edges: Vec<(ByteSet, Guard)> = Vec::with_capacity(cells.len());
        for (set, below) in cells {
            match edges.iter_mut().find(|e| e.1 == below) {
                Some(same) => same.0 = same.0.union(set),
                None => edges.push((set, below)),
            }
        }
        if let [(_, only)] = edges[..] {
            return only;
        }
        edges.sort_unstable_by_key(|e| first(e.0));
        let not = edges.first().is_some_and(|e| e.1.is_negated());
        edges.iter_mut().for_each(|e| e.1 = e.1.negated_if(not));
        let of_bytes = self.bytes.contains(&level) && edges.iter().all(|e| self.of_bytes[e.1.index()]);
        let node = Node { level, edges: edges.into() };
        if let Some(g) = self.index.get(&node) {
            return g.negated_if(not);
        }
        let g = Guard((self.nodes.len() as u32) << 1);
        self.nodes.push(node.clone());
        self.of_bytes.push(of_bytes);
        self.index.insert(node, g);
        g.negated_if(not)
    }

    /// The classes of a level's values that take the same edge in both diagrams, and where these lead.
    fn cells(&self, level: u32, a: Guard, b: Guard) -> Vec<(ByteSet, Guard, Guard)> {
        let edges = |g: Guard| (self.level(g) == level).then(|| &self.nodes[g.index()].edges);
        let (x, y) = (a.is_negated(), b.is_negated());
        match (edges(a), edges(b)) {
            (Some(p), Some(q)) => {
                let mut cells = Vec::with_capacity(p.len() + q.len());
                for &(in_p, below_p) in p.iter() {
                    for &(in_q, below_q) in q.iter() {
                        let both = in_p.intersect(in_q);
                        if !both.is_empty() {
                            cells.push((both, below_p.negated_if(x), below_q.negated_if(y)));
                        }
                    }
                }
                cells
            }
            (Some(p), None) => p.iter().map(|e| (e.0, e.1.negated_if(x), b)).collect(),
            (None, Some(q)) => q.iter().map(|e| (e.0, a, e.1.negated_if(y))).collect(),
            (None, None) => vec![(ByteSet::FULL, a, b)],
        }
    }

    fn conjunction(&mut self, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        let pair = (a.min(b), a.max(b));
        match pair {
            (Guard::FALSE, _) => return Ok(Guard::FALSE),
            (Guard::TRUE, other) => return Ok(other),
            (a, b) if a == b => return Ok(a),
            (a, b) if a == b.negated_if(true) => return Ok(Guard::FALSE),
            _ => {}
        }
        if let Some(known) = self.both.get(&pair) {
            return Ok(*known);
        }
        self.step()?;
        let level = self.level(a).min(self.level(b));
        let mut edges = Vec::new();
        for (set, x, y) in self.cells(level, a, b) {
            edges.push((set, self.conjunction(x, y)?));
        }
        let both = self.node(level, edges);
        if self.both.len() >= MAX_CACHED {
            self.both.clear();
        }
        self.both.insert(pair, both);
        Ok(both)
    }

    /// Whether the conjunction is not `false`: a search that ends with the first way.
    fn common(&mut self, a: Guard, b: Guard) -> bool {
        let pair = (a.min(b), a.max(b));
        match pair {
            (Guard::FALSE, _) => return false,
            (Guard::TRUE, _) => return true,
            (a, b) if a.index() == b.index() => return a == b,
            _ => {}
        }
        if let Some(known) = self.both.get(&pair) {
            return *known != Guard::FALSE;
        }
        if let Some(known) = self.meets.get(&pair) {
            return *known;
        }
        let level = self.level(a).min(self.level(b));
        let meets = self.cells(level, a, b).into_iter().any(|(_, x, y)| self.common(x, y));
        if self.meets.len() >= MAX_CACHED {
            self.meets.clear();
        }
        self.meets.insert(pair, meets);
        meets
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
        if let Some(known) = self.cofactors.get(&(g, care)) {
            return Ok(*known);
        }
        self.step()?;
        let level = self.level(g);
        let result = if self.level(care) < level {
            let mut any = Guard::FALSE;
            for (_, _, below) in self.cells(self.level(care), Guard::TRUE, care) {
                any = self.conjunction(any.negated_if(true), below.negated_if(true))?.negated_if(true);
            }
            self.cofactor(g, any)?
        } else {
            let (mut edges, mut free) = (Vec::new(), ByteSet::EMPTY);
            for (set, below, care) in self.cells(level, g, care) {
                match care {
                    Guard::FALSE => free = free.union(set),
                    care => edges.push((set, self.cofactor(below, care)?)),
                }
            }
            edges.iter_mut().take(1).for_each(|e| e.0 = e.0.union(free));
            self.node(level, edges)
        };
        if self.cofactors.len() >= MAX_CACHED {
            self.cofactors.clear();
        }
        self.cofactors.insert((g, care), result);
        Ok(result)
    }

    /// Whether there are more nodes in `g` than one guard may have.
    fn is_too_large(&self, g: Guard) -> bool {
        if self.nodes.len() <= self.limit {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut open = vec![g.index()];
        while let Some(at) = open.pop() {
            if at != 0 && seen.insert(at) {
                if seen.len() > self.limit {
                    return true;
                }
                open.extend(self.nodes[at].edges.iter().map(|e| e.1.index()));
            }
        }
        false
    }
}

impl Guards for Diagrams {
    fn atom(&mut self, level: u32) -> Option<Guard> {
        let edges = vec![(FAILS, Guard::FALSE), (FAILS.complement(), Guard::TRUE)];
        (level < MAX_LEVELS).then(|| self.node(level, edges))
    }

    fn byte(&mut self, level: u32, set: ByteSet) -> Option<Guard> {
        let mut edges = vec![(set, Guard::TRUE), (set.complement(), Guard::FALSE)];
        edges.retain(|e| !e.0.is_empty());
        self.bytes.insert(level);
        (level < MAX_LEVELS).then(|| self.node(level, edges))
    }

    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        let pair = (a.min(b), a.max(b));
        if let Some(known) = self.both.get(&pair) {
            return Some(*known);
        }
        if a.is_constant() || b.is_constant() || a.index() == b.index() {
            return self.conjunction(a, b).ok();
        }
        if self.ended || self.nodes.len() > self.total || self.too_large.contains(&pair) {
            return None;
        }
        if planted("stale-guard-cache")
            && let Some(stale) = self.both.iter().find(|known| known.0.0 == pair.0)
        {
            return Some(*stale.1);
        }
        let started = Instant::now();
        self.work = self.limit.saturating_mul(16);
        let result = self.conjunction(a, b).ok().filter(|both| !self.is_too_large(*both));
        if result.is_none() {
            self.too_large.insert(pair);
            self.both.remove(&pair);
        }
        self.time += started.elapsed();
        result
    }

    fn meet(&mut self, a: Guard, b: Guard) -> bool {
        let started = Instant::now();
        let meets = self.common(a, b);
        self.time += started.elapsed();
        meets
    }

    fn within(&mut self, g: Guard, care: Guard) -> Guard {
        if care == Guard::FALSE || self.ended || self.nodes.len() > self.total {
            return g;
        }
        let started = Instant::now();
        self.work = self.limit.saturating_mul(16);
        let result = self.cofactor(g, care).ok().filter(|small| !self.is_too_large(*small));
        self.time += started.elapsed();
        result.unwrap_or(g)
    }

    fn is_of_bytes(&self, g: Guard) -> bool {
        self.of_bytes[g.index()]
    }

    fn descend(&self, g: Guard, wish: impl Fn(u32) -> u8) -> Vec<(u32, u8)> {
        let (mut at, mut way) = (g, Vec::new());
        while !at.is_constant() {
            let Node { level, edges } = &self.nodes[at.index()];
            let wanted = wish(*level);
            let open = || edges.iter().map(|e| (e.0, e.1.negated_if(at.is_negated())));
            let open = || open().filter(|e| e.1 != Guard::FALSE);
            let Some((set, below)) = open().find(|e| e.0.contains(wanted)).or_else(|| open().next()) else {
                break;
            };
            way.push((*level, if set.contains(wanted) { wanted } else { first(set) as u8 }));
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
            let Node { level, edges } = &self.nodes[at.index()];
            let below = || edges.iter().map(|e| (e.0, e.1.negated_if(at.is_negated())));
            let open = waiting.len();
            if !values.contains_key(&at) {
                waiting.extend(below().map(|e| e.1).filter(|b| !values.contains_key(b)));
                if waiting.len() > open {
                    continue;
                }
                let edges: Vec<(ByteSet, T)> = below().map(|(set, b)| (set, values[&b])).collect();
                values.insert(at, node(*level, &edges));
            }
            waiting.pop();
        }
        values[&g]
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }
}
