//! Guards as diagrams: the operations.
//!
//! An operation goes down its diagrams at once. It allocates nothing but new nodes: results wait on one stack,
//! and those of operands that were met before are found in tables (`cache`).

use crate::cache::Cache;
use crate::guard::{Guard, Guards};
use crate::nodes::Nodes;
use crate::shapes::{ATOM, Places, Shape};
use rejoin_expr::ByteSet;
use rejoin_fault::planted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// After so many steps somebody asks whether the run is over.
const LOOK_EVERY: u64 = 1 << 12;

/// Steps that making a guard short may take. It saves work later, but nobody needs it.
const STEPS_TO_SHORTEN: usize = 1 << 10;

/// Levels there can be.
const MAX_LEVELS: u32 = 60_000;

/// The result has too many nodes, or there is no time left for it.
struct TooLarge;

/// A guard, and where its parts are by the classes of a level, if it asks that.
#[derive(Clone, Copy)]
struct Side {
    g: Guard,
    start: Option<u32>,
}

/// Guards as diagrams with shared nodes. None is ever dropped, so there is a limit on all of them together:
/// beyond it no operation has a new result.
pub struct Diagrams {
    pub(crate) nodes: Nodes,
    /// Of each level, whether it is a byte.
    bytes: Vec<bool>,
    both: Cache<2>,
    meets: Cache<2>,
    cofactors: Cache<2>,
    choices: Cache<3>,
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
    /// Spent computing diagrams, and whether that is being measured.
    pub(crate) time: Duration,
    is_timed: bool,
}

impl Diagrams {
    /// No guard but the constants; none will have more than `limit` nodes, and all together not much more
    /// than `total`.
    #[must_use]
    pub fn new(limit: usize, total: usize) -> Self {
        Diagrams {
            nodes: Nodes::new(),
            bytes: Vec::new(),
            both: Cache::new(),
            meets: Cache::new(),
            cofactors: Cache::new(),
            choices: Cache::new(),
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
            is_timed: false,
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
        shape != ATOM || self.bytes.get(usize::from(level)) == Some(&true)
    }

    /// How a guard divides this level, if it asks it.
    fn shape_at(&self, g: Guard, level: u16) -> Option<Shape> {
        (self.nodes.level(g) == level).then(|| self.nodes.shape(g))
    }

    /// The first level that one of two guards, which are no constants, asks; the classes into which both together
    /// divide it, and which classes of each these are in.
    fn first_level(&mut self, a: Guard, b: Guard) -> (u16, Shape, Places) {
        let level = self.nodes.level(a).min(self.nodes.level(b));
        let (p, q) = (self.shape_at(a, level), self.shape_at(b, level));
        let (shape, places) = self.nodes.shapes.together(p, q);
        (level, shape.unwrap_or(ATOM), places)
    }

    /// A guard as one that is divided by this level, which it may not ask.
    #[inline]
    fn side(&self, g: Guard, level: u16) -> Side {
        Side { g, start: (self.nodes.level(g) == level).then(|| self.nodes.start(g)) }
    }

    /// What is left of it in a class.
    #[inline]
    fn part(&self, side: Side, class: usize) -> Guard {
        match side.start {
            Some(start) => self.nodes.at(start, class).negated_if(side.g.is_negated()),
            None => side.g,
        }
    }

    /// The node of what is on the stack from `base`.
    fn node(&mut self, level: u16, shape: Shape, base: usize) -> Guard {
        let is_byte = self.is_byte(level, shape);
        let guard = self.nodes.node(level, is_byte, shape, &self.stack[base..]);
        self.stack.truncate(base);
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

    #[inline]
    fn conjunction(&mut self, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_constant() {
            return Ok(if a == Guard::FALSE { a } else { b });
        }
        if a.index() == b.index() {
            return Ok(if a == b { a } else { Guard::FALSE });
        }
        match self.both.get([a, b]) {
            Some(known) => Ok(Guard::from_bits(known)),
            None => self.conjunction_by_classes(a, b),
        }
    }

    /// The same of two that differ and are no constants, in order.
    fn conjunction_by_classes(&mut self, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        self.step()?;
        let (level, shape, places) = self.first_level(a, b);
        let (base, p, q) = (self.stack.len(), self.side(a, level), self.side(b, level));
        for class in 0..self.nodes.shapes.count(shape) {
            let [i, j] = self.nodes.shapes.places(places, class);
            let below = self.conjunction(self.part(p, i), self.part(q, j))?;
            self.stack.push(below);
        }
        let both = self.node(level, shape, base);
        self.both.insert([a, b], both.bits());
        Ok(both)
    }

    fn disjunction(&mut self, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        Ok(self.conjunction(a.negated_if(true), b.negated_if(true))?.negated_if(true))
    }

    /// `a` where `c` holds, `b` elsewhere.
    fn choice(&mut self, c: Guard, a: Guard, b: Guard) -> Result<Guard, TooLarge> {
        let (c, a, b) = if c.is_negated() { (c.negated_if(true), b, a) } else { (c, a, b) };
        if a == b || c == Guard::FALSE {
            return Ok(b);
        }
        let under = |g: Guard, then: Guard| {
            if g.index() == c.index() { then.negated_if(g != c) } else { g }
        };
        let (a, b) = (under(a, Guard::TRUE), under(b, Guard::FALSE));
        match (a, b) {
            (Guard::TRUE, _) => return self.disjunction(c, b),
            (Guard::FALSE, _) => return self.conjunction(c.negated_if(true), b),
            (_, Guard::TRUE) => return self.disjunction(c.negated_if(true), a),
            (_, Guard::FALSE) => return self.conjunction(c, a),
            _ => {}
        }
        let not = a.is_negated();
        let (a, b) = (a.negated_if(not), b.negated_if(not));
        if let Some(known) = self.choices.get([c, a, b]) {
            return Ok(Guard::from_bits(known).negated_if(not));
        }
        self.step()?;
        let level = self.nodes.level(c).min(self.nodes.level(a)).min(self.nodes.level(b));
        let [p, q, r] = [c, a, b].map(|g| self.shape_at(g, level));
        let (two, places) = self.nodes.shapes.together(p, q);
        let (shape, above) = self.nodes.shapes.together(two, r);
        let (shape, base) = (shape.unwrap_or(ATOM), self.stack.len());
        let sides = [c, a, b].map(|g| self.side(g, level));
        for class in 0..self.nodes.shapes.count(shape) {
            let [of_two, k] = self.nodes.shapes.places(above, class);
            let [i, j] = self.nodes.shapes.places(places, of_two);
            let [c, a, b] = [(0, i), (1, j), (2, k)].map(|(n, class)| self.part(sides[n], class));
            let below = self.choice(c, a, b)?;
            self.stack.push(below);
        }
        let chosen = self.node(level, shape, base);
        self.choices.insert([c, a, b], chosen.bits());
        Ok(chosen.negated_if(not))
    }

    /// Whether the conjunction is not `false`: a search that ends with the first way.
    fn common(&mut self, a: Guard, b: Guard) -> Result<bool, TooLarge> {
        if let Some(known) = self.quickly(a, b) {
            return Ok(known);
        }
        let of = [a.min(b), a.max(b)];
        self.step()?;
        let (level, shape, places) = self.first_level(of[0], of[1]);
        let (mut meets, sides) = (false, of.map(|g| self.side(g, level)));
        for class in 0..self.nodes.shapes.count(shape) {
            let [i, j] = self.nodes.shapes.places(places, class);
            meets = self.common(self.part(sides[0], i), self.part(sides[1], j))?;
            if meets {
                break;
            }
        }
        self.meets.insert(of, u32::from(meets));
        Ok(meets)
    }

    /// Whether both can hold, if that shows at once: constants, equal ones, those that ask other levels, and those of
    /// which it is remembered.
    fn quickly(&self, a: Guard, b: Guard) -> Option<bool> {
        if a.is_constant() || b.is_constant() {
            return Some(a != Guard::FALSE && b != Guard::FALSE);
        }
        if a.index() == b.index() {
            return Some(a == b);
        }
        if self.nodes.deepest(a) < self.nodes.level(b) || self.nodes.deepest(b) < self.nodes.level(a) {
            return Some(true);
        }
        let of = [a.min(b), a.max(b)];
        let both = || self.both.get(of).map(|known| known != Guard::FALSE.bits());
        self.meets.get(of).map(|known| known != 0).or_else(both)
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
        if let Some(known) = self.cofactors.get([g, care]) {
            return Ok(Guard::from_bits(known));
        }
        self.step()?;
        let result = if self.nodes.level(care) < self.nodes.level(g) {
            let mut any = Guard::FALSE;
            for n in 0..self.nodes.count(care) {
                let below = self.nodes.below(care, n);
                any = self.disjunction(any, below)?;
            }
            self.cofactor(g, any)?
        } else {
            self.cofactor_by_classes(g, care)?
        };
        self.cofactors.insert([g, care], result.bits());
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
                match self.part(self.side(care, level), j) {
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

    /// Starts the clock, if it does not run yet.
    pub(crate) fn start(&mut self) -> Option<Instant> {
        (!std::mem::replace(&mut self.is_timed, true)).then(Instant::now)
    }

    /// Stops the clock, if whoever calls this has started it.
    pub(crate) fn stop(&mut self, started: Option<Instant>) {
        if let Some(started) = started {
            self.time += started.elapsed();
            self.is_timed = false;
        }
    }

    /// Begins an operation.
    fn begin(&mut self) -> Option<Instant> {
        let now = self.start();
        self.stack.clear();
        self.cells.clear();
        self.work = self.limit.saturating_mul(16);
        [&mut self.both, &mut self.meets, &mut self.cofactors].into_iter().for_each(Cache::fit);
        self.choices.fit();
        self.nodes.shapes.tidy();
        now
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
        let at = usize::from(u16::try_from(level).ok()?);
        self.bytes.resize(self.bytes.len().max(at + 1), false);
        self.bytes[at] = true;
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
        if let Some(known) = self.both.get([a, b]) {
            return Some(Guard::from_bits(known));
        }
        if self.is_closed() || self.too_large.contains(&(a, b)) {
            return None;
        }
        if planted("stale-guard-cache")
            && let Some(stale) = self.both.stale(a)
        {
            return Some(Guard::from_bits(stale));
        }
        let started = self.begin();
        let result = self.conjunction(a, b).ok().filter(|both| !self.nodes.is_larger(*both, self.limit));
        if result.is_none() {
            if !self.is_closed() {
                self.too_large.insert((a, b));
            }
            self.both.forget([a, b]);
        }
        self.stop(started);
        result
    }

    fn choose(&mut self, c: Guard, a: Guard, b: Guard) -> Option<Guard> {
        if a == b || c.is_constant() {
            return Some(if c == Guard::FALSE { b } else { a });
        }
        if self.is_closed() {
            return None;
        }
        let started = self.begin();
        let result = self.choice(c, a, b).ok().filter(|chosen| !self.nodes.is_larger(*chosen, self.limit));
        self.stop(started);
        result
    }

    fn meet(&mut self, a: Guard, b: Guard) -> Option<bool> {
        if let Some(known) = self.quickly(a, b) {
            return Some(known);
        }
        let started = self.begin();
        let meets = self.common(a, b).ok();
        self.stop(started);
        meets
    }

    fn within(&mut self, g: Guard, care: Guard) -> Guard {
        if care == Guard::FALSE || self.is_closed() {
            return g;
        }
        let started = self.begin();
        self.work = self.work.min(STEPS_TO_SHORTEN);
        let result = self.cofactor(g, care).ok().filter(|small| !self.nodes.is_larger(*small, self.limit));
        self.stop(started);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of levels that are equal, asked so that diagrams have to remember the first of each.
    fn equal_pairs(g: &mut Diagrams, pairs: u32, last_differs: bool) -> Guard {
        let mut all = Guard::TRUE;
        for i in 0..pairs {
            let (a, b) = (g.atom(i).unwrap(), g.atom(i + pairs).unwrap());
            let b = b.negated_if(last_differs && i + 1 == pairs);
            let same = g.choose(a, b, g.not(b)).unwrap();
            all = g.and(all, same).unwrap();
        }
        all
    }

    #[test]
    fn a_search_for_what_two_guards_have_in_common_takes_steps_and_ends_with_them() {
        let mut g = Diagrams::new(1 << 16, 1 << 20);
        let (a, b) = (equal_pairs(&mut g, 8, false), equal_pairs(&mut g, 8, true));
        let before = g.steps;
        g.allowance = before + 20;
        assert_eq!((g.meet(a, b), g.steps), (None, before + 20));
        g.allowance = u64::MAX;
        assert_eq!(g.meet(a, b), Some(false));
        assert!(g.steps > before + 100, "{} steps", g.steps - before);
        let (c, d) = (equal_pairs(&mut g, 9, false), equal_pairs(&mut g, 9, true));
        g.is_over = Box::new(|| true);
        g.look();
        assert_eq!(g.meet(c, d), None);
    }

    /// Whoever does many operations starts the clock once; what is inside is not counted again.
    #[test]
    fn the_clock_runs_once() {
        let mut g = Diagrams::new(1 << 16, 1 << 20);
        let outer = g.start();
        let all = equal_pairs(&mut g, 4, false);
        assert!(outer.is_some() && g.start().is_none() && all != Guard::FALSE);
        assert_eq!(g.time, Duration::ZERO);
        g.stop(outer);
        assert!(g.time > Duration::ZERO && g.start().is_some());
    }

    /// `priority_queue -DN=6` took most of its steps to shorten conditions.
    #[test]
    fn making_a_guard_short_takes_few_steps_or_leaves_it_as_it_is() {
        let mut g = Diagrams::new(1 << 16, 1 << 20);
        for (pairs, is_short) in [(4, true), (10, false)] {
            let (a, b) = (equal_pairs(&mut g, pairs, false), equal_pairs(&mut g, pairs, true));
            let before = g.steps;
            assert_eq!(g.within(a, b), if is_short { Guard::FALSE } else { a });
            assert!(g.steps - before <= STEPS_TO_SHORTEN as u64);
        }
    }
}
