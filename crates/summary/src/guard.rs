//! Guards: Boolean functions of branch predicates, as decision diagrams.
//!
//! A guard is a handle; equal handles are equal functions, and `false` is always the handle
//! [`Guard::FALSE`]. Predicates (*atoms*) are numbered in the order in which they are met, and that is
//! the order of the diagrams.

use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// A Boolean function of atoms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

impl Guard {
    /// Never.
    pub const FALSE: Guard = Guard(0);
    /// Always.
    pub const TRUE: Guard = Guard(1);
}

/// What value summaries need of guards. An operation whose result is too large gives `None`.
pub trait Guards {
    /// The guard that is this atom; `None` if there are too many atoms.
    fn atom(&mut self, atom: u32) -> Option<Guard>;
    /// Both.
    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard>;
    /// Not.
    fn not(&mut self, a: Guard) -> Guard;
    /// The guard where an atom is known.
    fn restrict(&mut self, g: Guard, atom: u32, holds: bool) -> Guard;
    /// The atoms it depends on.
    fn support(&self, g: Guard) -> Vec<u32>;
    /// Calls `node(atom, then, els)` for each node from the leaves up; `leaf` gives the constants. The
    /// result is that of the root.
    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], node: impl FnMut(u32, T, T) -> T) -> T;
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

/// Atoms there can be.
const MAX_ATOMS: u16 = 60_000;

/// Guards as diagrams of `biodivine-lib-bdd`, each kept once.
pub struct Diagrams {
    diagrams: Vec<Bdd>,
    index: FxHashMap<Bdd, Guard>,
    both: FxHashMap<(Guard, Guard), Option<Guard>>,
    negated: FxHashMap<Guard, Guard>,
    /// Nodes of one diagram.
    limit: usize,
    nodes: usize,
    /// Spent computing diagrams.
    pub(crate) time: Duration,
}

impl Diagrams {
    /// No guard but the constants; none will have more than `limit` nodes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let mut diagrams = Diagrams {
            diagrams: Vec::new(),
            index: FxHashMap::default(),
            both: FxHashMap::default(),
            negated: FxHashMap::default(),
            limit,
            nodes: 0,
            time: Duration::ZERO,
        };
        let zero = BddNode::mk_zero(MAX_ATOMS);
        let never = diagrams.intern(build(&[zero]));
        let always = diagrams.intern(build(&[zero, BddNode::mk_one(MAX_ATOMS)]));
        debug_assert_eq!((never, always), (Guard::FALSE, Guard::TRUE));
        diagrams
    }

    fn intern(&mut self, bdd: Bdd) -> Guard {
        if let Some(g) = self.index.get(&bdd) {
            return *g;
        }
        let g = Guard(self.diagrams.len() as u32);
        self.nodes += bdd.size();
        self.diagrams.push(bdd.clone());
        self.index.insert(bdd, g);
        g
    }

    fn get(&self, g: Guard) -> &Bdd {
        &self.diagrams[g.0 as usize]
    }
}

/// A diagram of these nodes, which the caller has put in order.
fn build(nodes: &[BddNode]) -> Bdd {
    Bdd::from_nodes(nodes).unwrap_or_else(|e| unreachable!("nodes in order: {e}"))
}

impl Guards for Diagrams {
    fn atom(&mut self, atom: u32) -> Option<Guard> {
        let atom = u16::try_from(atom).ok().filter(|a| *a < MAX_ATOMS)?;
        let variable = BddVariable::from_index(usize::from(atom));
        let root = BddNode::mk_node(variable, BddPointer::from_index(0), BddPointer::from_index(1));
        Some(self.intern(build(&[BddNode::mk_zero(MAX_ATOMS), BddNode::mk_one(MAX_ATOMS), root])))
    }

    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        match (a.min(b), a.max(b)) {
            (Guard::FALSE, _) => Some(Guard::FALSE),
            (Guard::TRUE, other) => Some(other),
            (a, b) if a == b => Some(a),
            pair => {
                if let Some(known) = self.both.get(&pair) {
                    return *known;
                }
                let started = Instant::now();
                let (a, b) = (self.get(pair.0), self.get(pair.1));
                let op = biodivine_lib_bdd::op_function::and;
                let result = Bdd::binary_op_with_limit(self.limit, a, b, op);
                let result = result.map(|bdd| self.intern(bdd));
                self.time += started.elapsed();
                if self.both.len() >= MAX_CACHED {
                    self.both.clear();
                }
                self.both.insert(pair, result);
                result
            }
        }
    }

    fn not(&mut self, a: Guard) -> Guard {
        if let Some(known) = self.negated.get(&a) {
            return *known;
        }
        let bdd = self.get(a).not();
        let result = self.intern(bdd);
        self.negated.insert(a, result);
        self.negated.insert(result, a);
        result
    }

    fn restrict(&mut self, g: Guard, atom: u32, holds: bool) -> Guard {
        let bdd = self.get(g).restrict(&[(BddVariable::from_index(atom as usize), holds)]);
        self.intern(bdd)
    }

    fn support(&self, g: Guard) -> Vec<u32> {
        let mut atoms: Vec<u32> = self.get(g).support_set().iter().map(|v| v.to_index() as u32).collect();
        atoms.sort_unstable();
        atoms
    }

    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], mut node: impl FnMut(u32, T, T) -> T) -> T {
        let bdd = self.get(g);
        let mut values = leaf.to_vec();
        for p in bdd.pointers().skip(2) {
            let at = |p: BddPointer| values[p.to_index()];
            let (then, els) = (at(bdd.high_link_of(p)), at(bdd.low_link_of(p)));
            values.push(node(bdd.var_of(p).to_index() as u32, then, els));
        }
        values[bdd.root_pointer().to_index()]
    }

    fn nodes(&self) -> usize {
        self.nodes
    }
}
