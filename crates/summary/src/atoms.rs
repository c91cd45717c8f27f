//! Boolean terms as guards, and guards as terms.
//!
//! A term is taken apart at its connectives. What is left are conditions on one byte, which diagrams
//! decide by the byte's value, and atoms. A guard that is too large for a diagram becomes an atom, too:
//! the same term, of which diagrams know nothing more.

use crate::guard::{Guard, Guards};
use crate::names::{Summaries, as_term};
use rejoin_expr::{Binary, ByteSet, Node, Pool, Term, Unary, Var};
use rejoin_memory::Value;

/// What a level of the diagrams is.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Byte(Var),
    Atom(Term),
}

impl Summaries {
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
            return self.on_byte(pool, t).or_else(|| self.atom(pool, t));
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
        if let Some(chosen) = self.guards.choose(c, a, b) {
            return Some(chosen);
        }
        let not = self.guards.not(c);
        let (then, els) = (self.and(pool, c, a)?, self.and(pool, not, b)?);
        self.or(pool, then, els)
    }

    /// The guard of a condition on one byte.
    fn on_byte(&mut self, pool: &mut Pool, t: Term) -> Option<Guard> {
        let &[var] = pool.support_vars(pool.support(t)) else { return None };
        let set = pool.byte_set(t)?;
        let new = self.levels.len() as u32;
        let level = *self.byte_levels.entry(var).or_insert(new);
        if level == new {
            self.levels.push(Level::Byte(var));
        }
        let guard = self.guards.byte(level, set)?;
        self.know(pool, t, guard);
        self.set_terms.insert((level, set), t);
        self.set_terms.insert((level, set.complement()), pool.not(t));
        Some(guard)
    }

    fn atom(&mut self, pool: &mut Pool, t: Term) -> Option<Guard> {
        let guard = self.guards.atom(self.levels.len() as u32)?;
        self.levels.push(Level::Atom(t));
        self.know(pool, t, guard);
        Some(guard)
    }

    /// Remembers a term and its guard, and both negated.
    fn know(&mut self, pool: &mut Pool, t: Term, guard: Guard) {
        let (not, opposite) = (pool.not(t), self.guards.not(guard));
        self.guard_of.insert(t, guard);
        self.guard_of.insert(not, opposite);
        self.term_of.entry(guard).or_insert(t);
        self.term_of.entry(opposite).or_insert(not);
    }

    /// Both; a guard that is too large becomes an atom. `None` if there are too many atoms or nodes, or no time is
    /// left: then every conjunction would be an atom, of which nobody knows that it excludes others.
    pub fn and(&mut self, pool: &mut Pool, a: Guard, b: Guard) -> Option<Guard> {
        if let Some(guard) = self.guards.and(a, b) {
            return Some(guard);
        }
        if self.guards.is_closed() {
            return None;
        }
        let (a, b) = (self.term(pool, a), self.term(pool, b));
        let t = pool.and(a, b);
        if let Some(&known) = self.guard_of.get(&t) {
            return Some(known);
        }
        self.counts.large_guards += 1;
        match pool.as_const(t) {
            Some(_) => self.leaf(pool, t),
            None => self.atom(pool, t),
        }
    }

    /// The guard of a condition where `pc` holds; `None` if that takes too many steps.
    pub fn condition_at(&mut self, pool: &mut Pool, pc: Guard, cond: Term) -> Option<Guard> {
        self.sparingly(|m| {
            let guard = m.guard(pool, cond)?;
            m.guards.and(pc, guard)
        })
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
        let mut nodes = Vec::new();
        let root = self.guards.fold(g, [0, 1], |level, edges| {
            nodes.push((level, edges.to_vec()));
            nodes.len() + 1
        });
        let mut terms = vec![pool.fals(), pool.tru()];
        for (level, edges) in nodes {
            let mut t = terms[edges[edges.len() - 1].1];
            for &(set, below) in edges[..edges.len() - 1].iter().rev() {
                let taken = match self.levels[level as usize] {
                    Level::Atom(atom) => pool.not(atom),
                    Level::Byte(var) => self.in_set(pool, level, var, set),
                };
                t = pool.ite(taken, terms[below], t);
            }
            terms.push(t);
        }
        let t = terms[root];
        self.know(pool, t, g);
        t
    }

    /// That a byte, which is this level, is one of these values: as the program said it, if it did.
    pub(crate) fn in_set(&self, pool: &mut Pool, level: u32, var: Var, set: ByteSet) -> Term {
        let known = self.set_terms.get(&(level, set));
        known.copied().unwrap_or_else(|| pool.in_set(var, set))
    }

    /// The guard of a path, given by the names of its conditions and these, the newest first; `None` if it is
    /// too large.
    pub fn path(&mut self, pool: &mut Pool, links: impl Iterator<Item = (u32, Term)>) -> Option<Guard> {
        let (mut all, mut open) = (Some(Guard::TRUE), Vec::new());
        for (id, cond) in links {
            if let Some(known) = self.paths.get(&id) {
                all = *known;
                break;
            }
            open.push((id, cond));
        }
        for (id, cond) in open.into_iter().rev() {
            all = self.sparingly(|m| {
                let guard = m.guard(pool, cond)?;
                all.and_then(|all| m.guards.and(all, guard))
            });
            self.paths.insert(id, all);
        }
        all
    }

    /// Tells what the guard of the path is whose last condition has this name: that of one of two paths.
    pub fn either_path(&mut self, id: u32, a: Option<Guard>, b: Option<Guard>) {
        if let (Some(a), Some(b)) = (a, b)
            && let Some(either) = self.guards.or(a, b)
        {
            self.paths.entry(id).or_insert(Some(either));
        }
    }

    /// A condition without names that is `cond` where `pc` holds: constant if the guards show it, and
    /// without what `pc` decides.
    pub fn condition(&mut self, pool: &mut Pool, pc: Guard, cond: Term) -> Term {
        let within = self.sparingly(|m| m.guard(pool, cond).map(|g| m.guards.within(g, pc)));
        match within {
            Some(g) => self.term(pool, g),
            None => self.plain(pool, cond),
        }
    }
}

/// Guards of which those that are too large become atoms.
pub(crate) struct Atomised<'a>(pub(crate) &'a mut Summaries, pub(crate) &'a mut Pool);

impl Guards for Atomised<'_> {
    fn atom(&mut self, level: u32) -> Option<Guard> {
        self.0.guards.atom(level)
    }

    fn byte(&mut self, level: u32, set: ByteSet) -> Option<Guard> {
        self.0.guards.byte(level, set)
    }

    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        self.0.and(self.1, a, b)
    }

    fn choose(&mut self, c: Guard, a: Guard, b: Guard) -> Option<Guard> {
        self.0.ite(self.1, c, a, b)
    }

    fn meet(&mut self, a: Guard, b: Guard) -> Option<bool> {
        self.0.guards.meet(a, b)
    }

    fn within(&mut self, g: Guard, care: Guard) -> Guard {
        self.0.guards.within(g, care)
    }

    fn is_of_bytes(&self, g: Guard) -> bool {
        self.0.guards.is_of_bytes(g)
    }

    fn descend(&self, g: Guard, wish: impl Fn(u32) -> u8) -> Vec<(u32, u8)> {
        self.0.guards.descend(g, wish)
    }

    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], node: impl FnMut(u32, &[(ByteSet, T)]) -> T) -> T {
        self.0.guards.fold(g, leaf, node)
    }

    fn nodes(&self) -> usize {
        self.0.guards.nodes()
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
