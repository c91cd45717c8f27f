//! Summaries as values: each has a name, a variable of the term pool that stands for it.
//!
//! A register or a word of memory that holds a summary holds its name. So data moves, lies in memory and
//! is cut into bytes like any other term, and an operation on it first makes a term over names;
//! [`Summaries::settle`] then expands that over all pairs of entries. No name ever reaches a path or
//! a solver: [`Summaries::plain`] is the same term without names.

use crate::atoms::{Atomised, Level};
use crate::census::Census;
use crate::diagrams::Diagrams;
use crate::guard::{Guard, Guards};
use crate::summary::Summary;
use rejoin_expr::{ByteSet, Node, Pool, Support, Term, Var};
use rejoin_memory::Value;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Where summaries and guards stop growing. What exceeds a limit becomes a term; nothing is lost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Entries of a summary.
    pub entries: usize,
    /// Nodes of a guard; a larger one becomes an atom that nothing is known of.
    pub guard_nodes: usize,
    /// Nodes of all guards together.
    pub total_nodes: usize,
}

/// Steps of diagrams that a value or a condition may take in any case, and for each path that it is of. One that
/// takes more is worth less than it costs, since paths of their own would not cost more: it becomes a term.
const STEPS: u64 = 1 << 11;
const STEPS_PER_PATH: u64 = 256;

/// Settled values that are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 14;

/// What a combination of entries takes, in these steps.
const STEPS_PER_COMBINATION: u64 = 8;

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 1024, guard_nodes: 1 << 16, total_nodes: 1 << 21 }
    }
}

/// Counts for the paper's table 1, and how often limits were met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Operands that were read by instructions on symbolic values.
    pub reads: u64,
    /// Entries of these operands.
    pub entries: u64,
    /// For each of these reads, the paths to it divided by the entries; all added up.
    pub sharing: f64,
    /// Results that were computed from summaries.
    pub results: u64,
    /// How many values that took, one for each combination of entries.
    pub operations: u64,
    /// Values that became one summary of two different ones.
    pub merges: u64,
    /// Summaries with too many entries, which became terms.
    pub large_summaries: u64,
    /// Guards with too many nodes, which became atoms.
    pub large_guards: u64,
}

/// All summaries of a run.
pub struct Summaries {
    pub(crate) guards: Diagrams,
    limits: Limits,
    pub(crate) levels: Vec<Level>,
    pub(crate) byte_levels: FxHashMap<Var, u32>,
    /// Conditions on bytes, by level and set.
    pub(crate) set_terms: FxHashMap<(u32, ByteSet), Term>,
    /// Guards of Boolean terms.
    pub(crate) guard_of: FxHashMap<Term, Guard>,
    pub(crate) term_of: FxHashMap<Guard, Term>,
    pub(crate) paths: FxHashMap<u32, Option<Guard>>,
    definitions: FxHashMap<Var, Definition>,
    index: FxHashMap<(u32, Summary<Value>), Term>,
    has_names: FxHashMap<Support, bool>,
    /// Values that were settled where these guards hold.
    settled: FxHashMap<(Guard, u32, Term), Value>,
    /// Pairs of values that became one by this condition.
    united: FxHashMap<(u32, Value, Value), Value>,
    united_by: Option<Term>,
    /// Steps that a value may take.
    steps: u64,
    /// New summaries, if somebody checks them.
    fresh: Option<Vec<Term>>,
    /// Which merge made which summary.
    pub census: Census,
    /// Counts.
    pub counts: Counts,
}

struct Definition {
    width: u32,
    summary: Summary<Value>,
    /// The summary as one term.
    plain: Option<Term>,
}

impl Summaries {
    /// No summary yet. With `checked`, new ones are kept for [`Summaries::fresh`].
    #[must_use]
    pub fn new(limits: Limits, checked: bool) -> Self {
        Summaries {
            guards: Diagrams::new(limits.guard_nodes, limits.total_nodes),
            limits,
            levels: Vec::new(),
            byte_levels: FxHashMap::default(),
            set_terms: FxHashMap::default(),
            guard_of: FxHashMap::default(),
            term_of: FxHashMap::default(),
            paths: FxHashMap::default(),
            definitions: FxHashMap::default(),
            index: FxHashMap::default(),
            has_names: FxHashMap::default(),
            settled: FxHashMap::default(),
            united: FxHashMap::default(),
            united_by: None,
            steps: STEPS,
            fresh: checked.then(Vec::new),
            census: Census::default(),
            counts: Counts::default(),
        }
    }

    /// Once the run is over, summaries become terms.
    #[must_use]
    pub fn until(mut self, is_over: impl Fn() -> bool + 'static) -> Self {
        self.guards.is_over = Box::new(is_over);
        self
    }

    /// Tells of how many paths values are from now on.
    pub fn on_paths(&mut self, paths: f64) {
        self.steps = STEPS + STEPS_PER_PATH.saturating_mul(paths.min(1e9) as u64);
    }

    /// Does something that has to do without guards where they take too many steps.
    pub(crate) fn sparingly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.guards.allowance;
        self.guards.allowance = before.min(self.guards.steps.saturating_add(self.steps));
        let result = work(self);
        self.guards.allowance = before;
        result
    }

    /// Does something that is work on guards: the clock is asked twice, and not twice for each operation.
    pub(crate) fn timed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let started = self.guards.start();
        let result = work(self);
        self.guards.stop(started);
        result
    }

    /// Nodes of all guards.
    #[must_use]
    pub fn guard_nodes(&self) -> usize {
        self.guards.nodes()
    }

    /// Steps that computing guards took: what it cost, on any machine.
    #[must_use]
    pub fn guard_steps(&self) -> u64 {
        self.guards.steps
    }

    /// Time spent computing guards.
    #[must_use]
    pub fn guard_time(&self) -> Duration {
        self.guards.time
    }

    /// The summaries made since this was last asked, if they are kept.
    pub fn fresh(&mut self) -> Vec<Term> {
        self.fresh.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Whether the guards of a summary are disjoint and cover everything, as far as diagrams can tell.
    pub fn is_partition(&mut self, pool: &Pool, name: Term) -> bool {
        let summary = self.get(pool, name).cloned();
        summary.is_none_or(|s| s.is_partition(&mut self.guards) == Some(true))
    }

    /// Counts that an operand was read where this many paths come.
    pub fn count_read(&mut self, pool: &Pool, v: Value, paths: f64) {
        let entries = v.term().and_then(|t| self.get(pool, t)).map_or(1, |s| s.entries().len());
        self.counts.reads += 1;
        self.counts.entries += entries as u64;
        self.counts.sharing += paths / entries as f64;
    }

    /// Whether `t` contains the name of a summary.
    pub fn has_names(&mut self, pool: &Pool, t: Term) -> bool {
        if self.definitions.is_empty() {
            return false;
        }
        let support = pool.support(t);
        if support.is_empty() {
            return false;
        }
        if let Some(known) = self.has_names.get(&support) {
            return *known;
        }
        let has = pool.support_vars(support).iter().any(|v| self.definitions.contains_key(v));
        self.has_names.insert(support, has);
        has
    }

    /// The summary of a name.
    #[must_use]
    pub fn get(&self, pool: &Pool, t: Term) -> Option<&Summary<Value>> {
        match pool.node(t) {
            Node::Var(v) => self.definitions.get(&v).map(|d| &d.summary),
            _ => None,
        }
    }

    /// The entries of a value of `w` bits, none of which contains a name; `None` if guards get too large.
    pub fn entries(&mut self, pool: &mut Pool, w: u32, v: Value) -> Option<Summary<Value>> {
        match v {
            Value::Term(t) if self.has_names(pool, t) => {
                if let Some(summary) = self.get(pool, t) {
                    return Some(summary.clone());
                }
                match pool.node(t) {
                    Node::Ite(c, a, b) => self.choice(pool, w, c, [a, b]),
                    _ => self.expand(pool, w, t),
                }
            }
            v => Some(Summary::single(v)),
        }
    }

    /// `b ⊎_c a`, as a load through a summary of addresses gives it: entries of one side are no business of
    /// the other's.
    fn choice(&mut self, pool: &mut Pool, w: u32, c: Term, sides: [Term; 2]) -> Option<Summary<Value>> {
        let phi = self.guard(pool, c)?;
        let [a, b] = sides.map(|t| as_value(pool, t));
        match phi {
            Guard::TRUE => self.entries(pool, w, a),
            Guard::FALSE => self.entries(pool, w, b),
            _ => {
                let (a, b) = (self.entries(pool, w, a)?, self.entries(pool, w, b)?);
                self.counts.operations += (a.entries().len() + b.entries().len()) as u64;
                b.update(&mut Atomised(self, pool), phi, &a)
            }
        }
    }

    /// A term over names for all combinations of their entries.
    fn expand(&mut self, pool: &mut Pool, w: u32, t: Term) -> Option<Summary<Value>> {
        let names: Vec<Var> = pool.support_vars(pool.support(t)).to_vec();
        self.counts.results += 1;
        let mut parts = Summary::single(t);
        for name in names {
            let Some(definition) = self.definitions.get(&name) else { continue };
            let (width, summary) = (definition.width, definition.summary.clone());
            parts = match self.combine(pool, &parts, name, width, &summary)? {
                Some(combined) => combined,
                None => {
                    self.counts.large_summaries += 1;
                    let plain = Summary::single(Value::Term(self.plain_name(pool, name)));
                    self.combine(pool, &parts, name, width, &plain)??
                }
            };
        }
        debug_assert!(parts.entries().iter().all(|p| pool.width(p.1) == w));
        let values = parts.entries().iter().map(|&(g, t)| (g, as_value(pool, t))).collect::<Vec<_>>();
        self.timed(|m| Summary::partition(&mut Atomised(m, pool), values))
    }

    /// Parts over a name for all combinations with its entries; nothing inside if these are too many. `None` if
    /// guards get too large or no time is left.
    fn combine(
        &mut self,
        pool: &mut Pool,
        parts: &Summary<Term>,
        name: Var,
        width: u32,
        summary: &Summary<Value>,
    ) -> Option<Option<Summary<Term>>> {
        let mut next = Vec::new();
        for &(g, part) in parts.entries() {
            self.guards.look();
            for (both, value) in self.timed(|m| m.overlap(pool, g, summary))? {
                self.counts.operations += 1;
                let value = as_term(pool, width, value);
                let image = pool.substitute(part, &mut |v| (v == name).then_some(value));
                next.push((both, image));
            }
        }
        let collected = self.timed(|m| Summary::partition(&mut Atomised(m, pool), next))?;
        Some((collected.entries().len() <= self.limits.entries).then_some(collected))
    }

    /// A summary as a value of `w` bits: its name, or the only value it has.
    pub fn name(&mut self, pool: &mut Pool, w: u32, summary: Summary<Value>) -> Value {
        if let [(_, only)] = summary.entries() {
            return *only;
        }
        if summary.entries().len() > self.limits.entries {
            self.counts.large_summaries += 1;
            let t = self.as_one_term(pool, w, &summary);
            return as_value(pool, t);
        }
        let key = (w, summary.sorted());
        if let Some(&name) = self.index.get(&key) {
            return Value::Term(name);
        }
        let name = pool.var(w, &format!("summary {}", self.definitions.len()));
        if let Node::Var(v) = pool.node(name) {
            self.definitions.insert(v, Definition { width: w, summary: key.1.clone(), plain: None });
            self.has_names.insert(pool.support(name), true);
        }
        self.index.insert(key, name);
        self.fresh.iter_mut().for_each(|fresh| fresh.push(name));
        Value::Term(name)
    }

    /// A value that is one of these, whose guards are disjoint; where none of them holds, it does not
    /// matter.
    pub fn one_of(&mut self, pool: &mut Pool, w: u32, parts: Vec<(Guard, Value)>) -> Option<Value> {
        self.counts.results += 1;
        self.counts.operations += parts.len() as u64;
        let summary =
            Summary::collect(&mut Atomised(self, pool), parts)?.complete(&mut Atomised(self, pool))?;
        Some(self.name(pool, w, summary))
    }

    /// What `compute` makes of all combinations of the operands' entries where `pc` holds; `None` if not all
    /// entries are bits, or if that takes too many steps.
    pub fn compute(
        &mut self,
        pool: &mut Pool,
        pc: Guard,
        operands: &[(Value, u32)],
        w: u32,
        compute: &dyn Fn(&[u128]) -> u128,
    ) -> Option<Value> {
        self.sparingly(|m| {
            let value = m.compute_all(pool, pc, operands, w, compute);
            m.counts.large_summaries += u64::from(value.is_none() && m.guards.is_closed());
            value
        })
    }

    fn compute_all(
        &mut self,
        pool: &mut Pool,
        pc: Guard,
        operands: &[(Value, u32)],
        w: u32,
        compute: &dyn Fn(&[u128]) -> u128,
    ) -> Option<Value> {
        let all: Option<Vec<_>> = operands.iter().map(|&(v, w)| self.entries(pool, w, v)).collect();
        let all = all?;
        if all.iter().flat_map(Summary::entries).any(|e| e.1.bits().is_none()) {
            return None;
        }
        let mut rows: Vec<(Guard, Vec<u128>)> = vec![(pc, Vec::new())];
        for entries in &all {
            rows = self.rows(pool, &rows, entries)?;
        }
        let results = rows.into_iter().map(|(g, row)| (g, Value::Bits(compute(&row)))).collect();
        self.one_of(pool, w, results)
    }

    /// Rows of bits with the bits of one more operand.
    fn rows(
        &mut self,
        pool: &mut Pool,
        rows: &[(Guard, Vec<u128>)],
        entries: &Summary<Value>,
    ) -> Option<Vec<(Guard, Vec<u128>)>> {
        let mut next = Vec::new();
        for (g, row) in rows {
            self.guards.look();
            for (both, value) in self.timed(|m| m.overlap(pool, *g, entries))? {
                let mut row = row.clone();
                row.extend(value.bits());
                next.push((both, row));
            }
        }
        Some(next)
    }

    /// The entries of a summary that can apply where `g` holds, each with the guard that it does.
    fn overlap(
        &mut self,
        pool: &mut Pool,
        g: Guard,
        summary: &Summary<Value>,
    ) -> Option<Vec<(Guard, Value)>> {
        if self.guards.is_closed() {
            return None;
        }
        if let Some(same) = summary.entries().iter().find(|e| e.0 == g) {
            return Some(vec![*same]);
        }
        let mut found = Vec::new();
        for &(h, value) in summary.entries() {
            let both = self.and(pool, g, h)?;
            if both != Guard::FALSE {
                self.guards.steps += STEPS_PER_COMBINATION;
                found.push((both, value));
            }
            // No other entry applies where this one does.
            if both == g {
                break;
            }
        }
        Some(found)
    }

    /// A value as it is to be kept: a summary if it contains names, without entries that cannot apply
    /// where `pc` holds. What takes too much becomes a term.
    pub fn settle(&mut self, pool: &mut Pool, pc: Guard, w: u32, v: Value) -> Value {
        let Value::Term(t) = v else { return v };
        if !self.has_names(pool, t) {
            return v;
        }
        if let Some(known) = self.settled.get(&(pc, w, t)) {
            return *known;
        }
        let settled = self.sparingly(|m| {
            let entries = m.entries(pool, w, v);
            entries.and_then(|s| m.timed(|m| s.within(&mut Atomised(m, pool), pc)))
        });
        match settled {
            Some(summary) => {
                let v = self.name(pool, w, summary);
                if self.settled.len() >= REMEMBERED {
                    self.settled.clear();
                }
                self.settled.insert((pc, w, t), v);
                v
            }
            None => {
                self.counts.large_summaries += 1;
                let plain = self.plain(pool, t);
                as_value(pool, plain)
            }
        }
    }

    /// `b ⊎_guard a`: the first if the guard holds, else the second.
    pub fn either(&mut self, pool: &mut Pool, guard: Term, w: u32, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        self.counts.merges += 1;
        if self.united_by != Some(guard) {
            self.united.clear();
            self.united_by = Some(guard);
        }
        if let Some(known) = self.united.get(&(w, a, b)) {
            return *known;
        }
        let v = self.unite(pool, guard, w, a, b);
        self.united.insert((w, a, b), v);
        v
    }

    fn unite(&mut self, pool: &mut Pool, guard: Term, w: u32, a: Value, b: Value) -> Value {
        let summary = self.sparingly(|m| {
            let phi = m.guard(pool, guard)?;
            let (a, b) = (m.entries(pool, w, a)?, m.entries(pool, w, b)?);
            m.timed(|m| b.update(&mut Atomised(m, pool), phi, &a))
        });
        match summary {
            Some(summary) => {
                let v = self.name(pool, w, summary);
                if let Value::Term(t) = v
                    && let Node::Var(name) = pool.node(t)
                {
                    self.census.born(name);
                }
                v
            }
            None => {
                self.counts.large_summaries += 1;
                let [guard, a, b] =
                    [guard, as_term(pool, w, a), as_term(pool, w, b)].map(|t| self.plain(pool, t));
                let t = pool.ite(guard, a, b);
                as_value(pool, t)
            }
        }
    }

    /// The same term without names.
    pub fn plain(&mut self, pool: &mut Pool, t: Term) -> Term {
        if !self.has_names(pool, t) {
            return t;
        }
        if pool.width(t) == 1
            && let Some(guard) = self.sparingly(|m| m.guard(pool, t))
        {
            return self.term(pool, guard);
        }
        let names: Vec<Var> = pool.support_vars(pool.support(t)).to_vec();
        let plain: Vec<(Var, Term)> = names.into_iter().map(|n| (n, self.plain_name(pool, n))).collect();
        pool.substitute(t, &mut |v| plain.iter().find(|p| p.0 == v).map(|p| p.1))
    }

    fn plain_name(&mut self, pool: &mut Pool, name: Var) -> Term {
        let Some(definition) = self.definitions.get(&name) else { return pool.var_term(name) };
        if let Some(plain) = definition.plain {
            return plain;
        }
        let (width, summary) = (definition.width, definition.summary.clone());
        let plain = self.as_one_term(pool, width, &summary);
        if let Some(definition) = self.definitions.get_mut(&name) {
            definition.plain = Some(plain);
        }
        plain
    }

    /// If-then-else over the entries.
    fn as_one_term(&mut self, pool: &mut Pool, w: u32, summary: &Summary<Value>) -> Term {
        let mut entries = summary.entries().iter().rev();
        let Some(last) = entries.next() else { return pool.constant(w, 0) };
        let mut t = as_term(pool, w, last.1);
        for &(guard, value) in entries {
            let (cond, value) = (self.term(pool, guard), as_term(pool, w, value));
            t = pool.ite(cond, value, t);
        }
        t
    }
}

pub(crate) fn as_term(pool: &mut Pool, w: u32, v: Value) -> Term {
    match v {
        Value::Bits(bits) => pool.constant(w, bits),
        Value::Term(t) => t,
    }
}

fn as_value(pool: &Pool, t: Term) -> Value {
    pool.as_const(t).map_or(Value::Term(t), Value::Bits)
}
