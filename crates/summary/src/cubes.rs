//! Whether a guard can hold: a search for a *cube*, one way through its diagram whose conditions can hold
//! together.
//!
//! A merged entry of the program counter asks of all its paths at once. The guard's diagram takes the
//! question apart again, but only as far as it matters: what is left are conjunctions, as single paths ask
//! them. Comparisons that contradict each other end a way early, and so do *cores*, conditions that somebody
//! else found to contradict each other. Ways that say the same of the points that are compared below a
//! node are searched once.

use crate::atoms::Level;
use crate::guard::{Guard, Guards};
use crate::names::Summaries;
use crate::order::{Comparison, Order, Points};
use rejoin_expr::{ByteSet, Pool, Term, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes that one search may visit.
const MAX_VISITS: u32 = 50_000;
/// Cubes that one search may ask about.
const MAX_CUBES: u32 = 256;

/// What is known of the conditions of a cube.
pub enum Verdict {
    /// They can hold together.
    Possible,
    /// They can not, and neither can these of them.
    Impossible(Vec<Term>),
    /// Nobody knows.
    Unknown,
}

/// Decides cubes.
type Decide<'a> = &'a mut dyn FnMut(&mut Pool, &[Term]) -> Verdict;

/// A level and the values it takes.
type Literal = (u32, ByteSet);

/// Of a byte that is compared with others, what a set of its values says of it: it is not less than the least
/// one, and not greater than the greatest.
type Bounds = FxHashMap<Literal, [Comparison; 2]>;

struct Search<'a> {
    summaries: &'a Summaries,
    pool: &'a mut Pool,
    comparisons: FxHashMap<u32, (Comparison, bool)>,
    bounds: Bounds,
    /// Per node, the points that are compared in it and below.
    points: FxHashMap<Guard, u64>,
    failed: FxHashSet<(Guard, Vec<u64>)>,
    /// Cores, by the last of their levels.
    cores: FxHashMap<u32, Vec<Vec<Literal>>>,
    /// How often a core ended a way.
    refuted: u32,
    visits: u32,
    cubes: u32,
    way: Vec<Literal>,
    wish: &'a dyn Fn(&Pool, Term) -> bool,
    decide: Decide<'a>,
}

impl Search<'_> {
    /// Whether there is a way on from here; `None` if that takes too long to say.
    fn descend(&mut self, g: Guard, order: &Order) -> Option<bool> {
        if g == Guard::FALSE {
            return Some(false);
        }
        if g == Guard::TRUE {
            return self.ask();
        }
        self.visits = self.visits.checked_sub(1)?;
        let key = (g, order.of(self.points.get(&g).copied().unwrap_or(0)));
        if self.failed.contains(&key) {
            return Some(false);
        }
        let refuted = self.refuted;
        let nodes = &self.summaries.guards.nodes;
        let (level, count) = (u32::from(nodes.level(g)), nodes.count(g));
        let first = match self.summaries.levels[level as usize] {
            Level::Atom(t) => usize::from((self.wish)(self.pool, t)),
            Level::Byte(_) => 0,
        };
        for n in 0..count {
            let class = (first + n) % count;
            let (set, next) = (nodes.shapes.classes(nodes.shape(g))[class], nodes.below(g, class));
            if next == Guard::FALSE {
                continue;
            }
            let mut below = order.clone();
            if let Some((c, not)) = self.comparisons.get(&level)
                && !below.assume(*c, set.contains(0) == *not)
            {
                continue;
            }
            if let Some(bounds) = self.bounds.get(&(level, set))
                && !bounds.iter().all(|c| below.assume(*c, true))
            {
                continue;
            }
            self.way.push((level, set));
            if self.is_refuted() {
                self.refuted += 1;
            } else if self.descend(next, &below)? {
                return Some(true);
            }
            self.way.pop();
        }
        // What a core says may depend on how we came here.
        if self.refuted == refuted {
            self.failed.insert(key);
        }
        Some(false)
    }

    /// Whether the way so far, by its last step, contains a core.
    fn is_refuted(&self) -> bool {
        let on_way = |(level, set): &Literal| {
            let taken = self.way.binary_search_by_key(level, |l| l.0);
            taken.is_ok_and(|i| self.way[i].1.is_subset(*set))
        };
        let cores = self.way.last().and_then(|(level, _)| self.cores.get(level));
        cores.is_some_and(|cores| cores.iter().any(|core| core.iter().all(on_way)))
    }

    /// Asks about the way to here.
    fn ask(&mut self) -> Option<bool> {
        self.cubes = self.cubes.checked_sub(1)?;
        let mut cube = Vec::with_capacity(self.way.len());
        for &(level, set) in &self.way {
            cube.push(match self.summaries.levels[level as usize] {
                Level::Atom(t) if set.contains(0) => self.pool.not(t),
                Level::Atom(t) => t,
                Level::Byte(var) => self.summaries.in_set(self.pool, level, var, set),
            });
        }
        match (self.decide)(self.pool, &cube) {
            Verdict::Possible => Some(true),
            Verdict::Unknown => None,
            Verdict::Impossible(core) => {
                let blamed = self.way.iter().zip(&cube).filter(|(_, t)| core.contains(t));
                let core: Vec<Literal> = blamed.map(|(l, _)| *l).collect();
                self.cores.entry(core.last()?.0).or_default().push(core);
                self.refuted += 1;
                Some(false)
            }
        }
    }
}

impl Summaries {
    /// The nodes of a guard, each after those below it.
    fn upwards(&self, g: Guard) -> Vec<Guard> {
        let (mut nodes, mut waiting, mut seen) = (Vec::new(), vec![(g, false)], FxHashSet::default());
        while let Some((at, is_done)) = waiting.pop() {
            if is_done {
                nodes.push(at);
            } else if !at.is_constant() && seen.insert(at) {
                waiting.push((at, true));
                waiting.extend(self.guards.nodes.edges(at).map(|e| (e.1, false)));
            }
        }
        nodes
    }

    /// The comparisons that these nodes ask, by level.
    fn comparisons(
        &self,
        pool: &Pool,
        nodes: &[Guard],
        points: &mut Points,
    ) -> FxHashMap<u32, (Comparison, bool)> {
        let mut comparisons = FxHashMap::default();
        for at in nodes {
            let level = u32::from(self.guards.nodes.level(*at));
            if let Level::Atom(t) = self.levels[level as usize]
                && !comparisons.contains_key(&level)
                && let Some(comparison) = points.comparison(pool, t)
            {
                comparisons.insert(level, comparison);
            }
        }
        comparisons
    }

    /// What the sets of values say of the bytes that are points.
    fn bounds(&self, pool: &mut Pool, nodes: &[Guard], points: &mut Points) -> Bounds {
        let mut bounds = Bounds::default();
        for at in nodes {
            let level = u32::from(self.guards.nodes.level(*at));
            let Level::Byte(var) = self.levels[level as usize] else { continue };
            let byte = pool.var_term(var);
            let Some(byte) = points.known(byte) else { continue };
            for (set, _) in self.guards.nodes.edges(*at) {
                let ends = set.min().zip(set.iter().last());
                if let Some((least, greatest)) = ends.filter(|_| !bounds.contains_key(&(level, set))) {
                    let [low, high] = [least, greatest].map(|b| pool.constant(8, b.into()));
                    if let (Some(low), Some(high)) = (points.unsigned(low), points.unsigned(high)) {
                        let pair = [Comparison::NotGreater(low, byte), Comparison::NotGreater(byte, high)];
                        bounds.insert((level, set), pair);
                    }
                }
            }
        }
        bounds
    }

    /// Whether a guard has a cube that `decide` says is possible, looked for near to what `wish` says of
    /// atoms; `None` if that is hard to tell.
    pub fn has_cube(
        &self,
        pool: &mut Pool,
        g: Guard,
        wish: &dyn Fn(&Pool, Term) -> bool,
        decide: Decide,
    ) -> Option<bool> {
        let mut points = Points::default();
        let nodes = self.upwards(g);
        let comparisons = self.comparisons(pool, &nodes, &mut points);
        let bounds = self.bounds(pool, &nodes, &mut points);
        let mut compared: FxHashMap<Guard, u64> = FxHashMap::default();
        for at in nodes {
            let level = u32::from(self.guards.nodes.level(at));
            let own = comparisons.get(&level).map_or(0, |c| c.0.points());
            let mut all = own;
            for (set, below) in self.guards.nodes.edges(at) {
                all |= compared.get(&below).copied().unwrap_or(0);
                all |= bounds.get(&(level, set)).map_or(0, |[a, b]| a.points() | b.points());
            }
            compared.insert(at, all);
        }
        let order = points.order(pool);
        let mut search = Search {
            summaries: self,
            pool,
            comparisons,
            bounds,
            points: compared,
            failed: FxHashSet::default(),
            cores: FxHashMap::default(),
            refuted: 0,
            visits: MAX_VISITS,
            cubes: MAX_CUBES,
            way: Vec::new(),
            wish,
            decide,
        };
        search.descend(g, &order)
    }

    /// Values of bytes with which the guard holds, as `wish` has them where there is a choice; `None` if the
    /// guard asks for more than bytes.
    pub fn bytes(&self, g: Guard, wish: impl Fn(Var) -> u8) -> Option<Vec<(Var, u128)>> {
        let var = |level: u32| match self.levels[level as usize] {
            Level::Byte(var) => Some(var),
            Level::Atom(_) => None,
        };
        let way = || self.guards.descend(g, |level| var(level).map_or(0, &wish));
        self.guards
            .is_of_bytes(g)
            .then(|| way().into_iter().filter_map(|(level, b)| Some((var(level)?, b.into()))).collect())
    }
}
