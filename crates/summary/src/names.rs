//! Summaries as values: each has a name, a variable of the term pool that stands for it.
//!
//! A register or a word of memory that holds a summary holds its name. So data moves, lies in memory and
//! is cut into bytes like any other term, and an operation on it first makes a term over names;
//! [`Summaries::settle`] then expands that over all pairs of entries. No name ever reaches a path or
//! a solver: [`Summaries::plain`] is the same term without names.

use crate::guard::{Diagrams, Guard, Guards};
use crate::summary::Summary;
use rejoin_expr::{Binary, Node, Pool, Support, Term, Unary, Var};
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

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 64, guard_nodes: 4096, total_nodes: 1 << 24 }
    }
}

/// Counts for the paper's table 1, and how often limits were met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Summaries that were read by operations.
    pub reads: u64,
    /// Their entries.
    pub entries: u64,
    /// Results computed, one per combination of entries.
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
    guards: Diagrams,
    limits: Limits,
    atoms: Vec<Term>,
    /// Guards of Boolean terms.
    guard_of: FxHashMap<Term, Guard>,
    term_of: FxHashMap<Guard, Term>,
    paths: FxHashMap<u32, Option<Guard>>,
    definitions: FxHashMap<Var, Definition>,
    index: FxHashMap<(u32, Summary<Value>), Term>,
    has_names: FxHashMap<Support, bool>,
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
    /// No summary yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Summaries {
            guards: Diagrams::new(limits.guard_nodes),
            limits,
            atoms: Vec::new(),
            guard_of: FxHashMap::default(),
            term_of: FxHashMap::default(),
            paths: FxHashMap::default(),
            definitions: FxHashMap::default(),
            index: FxHashMap::default(),
            has_names: FxHashMap::default(),
            counts: Counts::default(),
        }
    }

    /// Nodes of all guards.
    #[must_use]
    pub fn guard_nodes(&self) -> usize {
        self.guards.nodes()
    }

    /// Time spent computing guards.
    #[must_use]
    pub fn guard_time(&self) -> Duration {
        self.guards.time
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
                self.expand(pool, w, t)
            }
            v => Some(Summary::single(v)),
        }
    }

    /// A term over names for all combinations of their entries.
    fn expand(&mut self, pool: &mut Pool, w: u32, t: Term) -> Option<Summary<Value>> {
        let names: Vec<Var> = pool.support_vars(pool.support(t)).to_vec();
        let mut parts = Summary::single(t);
        for name in names {
            let Some(definition) = self.definitions.get(&name) else { continue };
            let (width, summary) = (definition.width, definition.summary.clone());
            self.counts.reads += 1;
            self.counts.entries += summary.entries().len() as u64;
            let mut next = Vec::new();
            for &(g, part) in parts.entries() {
                for &(h, value) in summary.entries() {
                    let both = self.and(pool, g, h)?;
                    if both == Guard::FALSE {
                        continue;
                    }
                    self.counts.operations += 1;
                    let value = as_term(pool, width, value);
                    let image = pool.substitute(part, &mut |v| (v == name).then_some(value));
                    next.push((both, image));
                }
            }
            let collected = Summary::collect(&mut self.guards, next)?;
            parts = if collected.entries().len() > self.limits.entries {
                self.counts.large_summaries += 1;
                let plain = self.plain_name(pool, name);
                let parts: Vec<(Guard, Term)> = parts.entries().to_vec();
                let image = |p: &(Guard, Term), pool: &mut Pool| {
                    (p.0, pool.substitute(p.1, &mut |v| (v == name).then_some(plain)))
                };
                let parts: Vec<(Guard, Term)> = parts.iter().map(|p| image(p, pool)).collect();
                Summary::collect(&mut self.guards, parts)?
            } else {
                collected
            };
        }
        debug_assert!(parts.entries().iter().all(|p| pool.width(p.1) == w));
        let values = parts.entries().iter().map(|&(g, t)| (g, as_value(pool, t)));
        Summary::collect(&mut self.guards, values)
    }

    /// A summary as a value of `w` bits: its name, or the only value it has.
    pub fn name(&mut self, pool: &mut Pool, w: u32, summary: Summary<Value>) -> Value {
        if let [(_, only)] = summary.entries() {
            return *only;
        }
        if summary.entries().len() > self.limits.entries || self.guards.nodes() > self.limits.total_nodes {
            self.counts.large_summaries += 1;
            let t = self.as_one_term(pool, w, &summary);
            return as_value(pool, t);
        }
        let key = (w, summary.sorted());
        if let Some(&name) = self.index.get(&key) {
            return Value::Term(name);
        }
        debug_assert!(self.counts.large_guards > 0 || key.1.is_partition(&mut self.guards) != Some(false));
        let name = pool.var(w, &format!("summary {}", self.definitions.len()));
        if let Node::Var(v) = pool.node(name) {
            self.definitions.insert(v, Definition { width: w, summary: key.1.clone(), plain: None });
            self.has_names.insert(pool.support(name), true);
        }
        self.index.insert(key, name);
        Value::Term(name)
    }

    /// A value that is one of these, whose guards are disjoint; where none of them holds, it does not
    /// matter.
    pub fn one_of(&mut self, pool: &mut Pool, w: u32, parts: Vec<(Guard, Value)>) -> Option<Value> {
        self.counts.operations += parts.len() as u64;
        let summary = Summary::collect(&mut self.guards, parts)?.complete(&mut self.guards)?;
        Some(self.name(pool, w, summary))
    }

    /// A value as it is to be kept: a summary if it contains names, without entries that cannot apply
    /// where `pc` holds.
    pub fn settle(&mut self, pool: &mut Pool, pc: Guard, w: u32, v: Value) -> Value {
        let Value::Term(t) = v else { return v };
        if !self.has_names(pool, t) {
            return v;
        }
        let settled = self.entries(pool, w, v).and_then(|s| s.within(&mut self.guards, pc));
        match settled {
            Some(summary) => self.name(pool, w, summary),
            None => {
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
        let summary = (|| {
            let phi = self.guard(pool, guard)?;
            let (a, b) = (self.entries(pool, w, a)?, self.entries(pool, w, b)?);
            b.update(&mut self.guards, phi, &a)
        })();
        match summary {
            Some(summary) => self.name(pool, w, summary),
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
            && let Some(guard) = self.guard(pool, t)
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

    /// The guard that a Boolean term is; `None` if there are too many atoms.
    pub fn guard(&mut self, pool: &mut Pool, t: Term) -> Option<Guard> {
        let mut waiting = vec![t];
        while let Some(&at) = waiting.last() {
            if self.guard_of.contains_key(&at) {
                waiting.pop();
                continue;
            }
            let parts = connective(pool, at);
            let open: Vec<Term> = parts.iter().copied().filter(|p| !self.guard_of.contains_key(p)).collect();
            if !open.is_empty() {
                waiting.extend(open);
                continue;
            }
            let guard = if parts.is_empty() { self.leaf(pool, at)? } else { self.connect(pool, at, &parts)? };
            self.guard_of.insert(at, guard);
            waiting.pop();
        }
        self.guard_of.get(&t).copied()
    }

    /// The guard of a Boolean term whose outermost operator is no connective.
    fn leaf(&mut self, pool: &mut Pool, t: Term) -> Option<Guard> {
        if let Some(bits) = pool.as_const(t) {
            return Some(if bits == 0 { Guard::FALSE } else { Guard::TRUE });
        }
        if !self.has_names(pool, t) {
            return self.atom(pool, t);
        }
        let summary = self.entries(pool, 1, Value::Term(t))?;
        let mut holds = Guard::FALSE;
        for &(guard, value) in summary.entries() {
            let value = as_term(pool, 1, value);
            let value = self.guard(pool, value)?;
            let both = self.and(pool, guard, value)?;
            holds = self.or(pool, holds, both)?;
        }
        Some(holds)
    }

    /// The guard of a connective, whose operands have theirs.
    fn connect(&mut self, pool: &mut Pool, t: Term, parts: &[Term]) -> Option<Guard> {
        let guards: Vec<Guard> = parts.iter().map(|p| self.guard_of[p]).collect();
        match (pool.node(t), guards.as_slice()) {
            (Node::Unary(..), &[a]) => Some(self.guards.not(a)),
            (Node::Binary(Binary::And, ..), &[a, b]) => self.and(pool, a, b),
            (Node::Binary(Binary::Or, ..), &[a, b]) => self.or(pool, a, b),
            (Node::Binary(op, ..), &[a, b]) => {
                let not = self.guards.not(b);
                let (then, els) = if op == Binary::Eq { (b, not) } else { (not, b) };
                self.ite(pool, a, then, els)
            }
            (_, &[c, a, b]) => self.ite(pool, c, a, b),
            _ => self.atom(pool, t),
        }
    }

    fn ite(&mut self, pool: &mut Pool, c: Guard, a: Guard, b: Guard) -> Option<Guard> {
        let not = self.guards.not(c);
        let (then, els) = (self.and(pool, c, a)?, self.and(pool, not, b)?);
        self.or(pool, then, els)
    }

    fn atom(&mut self, pool: &mut Pool, t: Term) -> Option<Guard> {
        let guard = self.guards.atom(self.atoms.len() as u32)?;
        self.atoms.push(t);
        self.term_of.insert(guard, t);
        let (not, opposite) = (pool.not(t), self.guards.not(guard));
        self.guard_of.insert(t, guard);
        self.guard_of.insert(not, opposite);
        self.term_of.insert(opposite, not);
        Some(guard)
    }

    /// Both; a guard that is too large becomes an atom.
    pub fn and(&mut self, pool: &mut Pool, a: Guard, b: Guard) -> Option<Guard> {
        if let Some(guard) = self.guards.and(a, b) {
            return Some(guard);
        }
        self.counts.large_guards += 1;
        let (a, b) = (self.term(pool, a), self.term(pool, b));
        let t = pool.and(a, b);
        match pool.as_const(t) {
            Some(_) => self.leaf(pool, t),
            None => self.atom(pool, t),
        }
    }

    fn or(&mut self, pool: &mut Pool, a: Guard, b: Guard) -> Option<Guard> {
        let (a, b) = (self.guards.not(a), self.guards.not(b));
        let neither = self.and(pool, a, b)?;
        Some(self.guards.not(neither))
    }

    /// A guard as a term.
    pub fn term(&mut self, pool: &mut Pool, g: Guard) -> Term {
        if let Some(&t) = self.term_of.get(&g) {
            return t;
        }
        let leaf = [pool.fals(), pool.tru()];
        let atoms = &self.atoms;
        let t = self.guards.fold(g, leaf, |atom, then, els| pool.ite(atoms[atom as usize], then, els));
        self.term_of.insert(g, t);
        t
    }

    /// The guard of a path of this name and these conditions, always if it is too large.
    pub fn path(&mut self, pool: &mut Pool, id: u32, conditions: impl FnOnce() -> Vec<Term>) -> Guard {
        if let Some(known) = self.paths.get(&id) {
            return known.unwrap_or(Guard::TRUE);
        }
        let mut all = Some(Guard::TRUE);
        for cond in conditions() {
            let guard = self.guard(pool, cond);
            all = all.and_then(|all| self.guards.and(all, guard?));
        }
        self.paths.insert(id, all);
        all.unwrap_or(Guard::TRUE)
    }

    /// A condition without names that is `cond` where `pc` holds: constant if the guards show it, and
    /// without the atoms that `pc` decides.
    pub fn condition(&mut self, pool: &mut Pool, pc: Guard, cond: Term) -> Term {
        let t = self.guard(pool, cond).and_then(|g| self.simplify(g, pc));
        match t {
            Some(g) => self.term(pool, g),
            None => self.plain(pool, cond),
        }
    }

    fn simplify(&mut self, g: Guard, pc: Guard) -> Option<Guard> {
        if self.guards.and(pc, g)? == Guard::FALSE {
            return Some(Guard::FALSE);
        }
        let not = self.guards.not(g);
        if self.guards.and(pc, not)? == Guard::FALSE {
            return Some(Guard::TRUE);
        }
        let mut simple = g;
        for atom in self.guards.support(g) {
            let holds = self.guards.atom(atom)?;
            let fails = self.guards.not(holds);
            if self.guards.and(pc, holds)? == Guard::FALSE {
                simple = self.guards.restrict(simple, atom, false);
            } else if self.guards.and(pc, fails)? == Guard::FALSE {
                simple = self.guards.restrict(simple, atom, true);
            }
        }
        Some(simple)
    }
}

/// The operands of a connective of Boolean terms; none if `t` is none.
fn connective(pool: &Pool, t: Term) -> Vec<Term> {
    match pool.node(t) {
        Node::Unary(Unary::Not, a) => vec![a],
        Node::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => vec![a, b],
        Node::Binary(Binary::Eq, a, b) if pool.width(a) == 1 => vec![a, b],
        Node::Ite(c, a, b) => vec![c, a, b],
        _ => Vec::new(),
    }
}

fn as_term(pool: &mut Pool, w: u32, v: Value) -> Term {
    match v {
        Value::Bits(bits) => pool.constant(w, bits),
        Value::Term(t) => t,
    }
}

fn as_value(pool: &Pool, t: Term) -> Value {
    pool.as_const(t).map_or(Value::Term(t), Value::Bits)
}
