//! Guards: Boolean functions of branch predicates, as decision diagrams.
//!
//! A guard is a handle; equal handles are equal functions, and `false` is always the handle
//! [`Guard::FALSE`]. Predicates (*atoms*) are numbered in the order in which they are met, and that is
//! the order of the diagrams.

use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable};
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
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
    /// Whether both can hold together: quicker than their conjunction, and never too large.
    fn meet(&mut self, a: Guard, b: Guard) -> bool;
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

/// Guards as diagrams of `biodivine-lib-bdd`, each kept once. None is ever dropped, so there is a limit on
/// all of them together: beyond it no operation has a new result.
pub struct Diagrams {
    diagrams: Vec<Rc<Bdd>>,
    index: FxHashMap<Rc<Bdd>, Guard>,
    both: FxHashMap<(Guard, Guard), Option<Guard>>,
    negated: FxHashMap<Guard, Guard>,
    /// Nodes of one diagram.
    limit: usize,
    /// Nodes of all diagrams.
    total: usize,
    nodes: usize,
    /// Spent computing diagrams.
    pub(crate) time: Duration,
}

impl Diagrams {
    /// No guard but the constants; none will have more than `limit` nodes, and all together not much more
    /// than `total`.
    #[must_use]
    pub fn new(limit: usize, total: usize) -> Self {
        let mut diagrams = Diagrams {
            diagrams: Vec::new(),
            index: FxHashMap::default(),
            both: FxHashMap::default(),
            negated: FxHashMap::default(),
            limit,
            total,
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
        let bdd = Rc::new(bdd);
        self.diagrams.push(Rc::clone(&bdd));
        self.index.insert(bdd, g);
        g
    }

    fn remember(&mut self, pair: (Guard, Guard), result: Option<Guard>) {
        if self.both.len() >= MAX_CACHED {
            self.both.clear();
        }
        self.both.insert(pair, result);
    }

    fn get(&self, g: Guard) -> &Bdd {
        &self.diagrams[g.0 as usize]
    }
}

/// A diagram of these nodes, which the caller has put in order.
fn build(nodes: &[BddNode]) -> Bdd {
    Bdd::from_nodes(nodes).unwrap_or_else(|e| unreachable!("nodes in order: {e}"))
}

/// Whether some assignment leads to 1 in both diagrams: a search that ends with the first one.
fn have_common_path(a: &Bdd, b: &Bdd) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![(a.root_pointer(), b.root_pointer())];
    while let Some((p, q)) = open.pop() {
        if p.is_zero() || q.is_zero() || !seen.insert((p, q)) {
            continue;
        }
        if p.is_one() || q.is_one() {
            return true;
        }
        let (x, y) = (a.var_of(p), b.var_of(q));
        let (low_p, high_p) = if x <= y { (a.low_link_of(p), a.high_link_of(p)) } else { (p, p) };
        let (low_q, high_q) = if y <= x { (b.low_link_of(q), b.high_link_of(q)) } else { (q, q) };
        open.push((low_p, low_q));
        open.push((high_p, high_q));
    }
    false
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
                if self.nodes > self.total {
                    return None;
                }
                if planted("stale-guard-cache")
                    && let Some(stale) = self.both.iter().find(|known| known.0.0 == pair.0)
                {
                    return *stale.1;
                }
                let started = Instant::now();
                let (a, b) = (self.get(pair.0), self.get(pair.1));
                let op = biodivine_lib_bdd::op_function::and;
                let result = Bdd::binary_op_with_limit(self.limit, a, b, op);
                let result = result.map(|bdd| self.intern(bdd));
                self.time += started.elapsed();
                self.remember(pair, result);
                result
            }
        }
    }

    fn meet(&mut self, a: Guard, b: Guard) -> bool {
        let pair = (a.min(b), a.max(b));
        if pair.0 == Guard::FALSE || pair.0 == Guard::TRUE || a == b {
            return pair.0 != Guard::FALSE;
        }
        if let Some(known) = self.both.get(&pair) {
            return *known != Some(Guard::FALSE);
        }
        let started = Instant::now();
        let meets = have_common_path(self.get(a), self.get(b));
        self.time += started.elapsed();
        if !meets {
            self.remember(pair, Some(Guard::FALSE));
        }
        meets
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
