//! Boolean terms as guards, and guards as terms.
//!
//! A term is taken apart at its connectives; what is left are the atoms. A guard that is too large for a
//! diagram becomes an atom, too: the same term, of which diagrams know nothing more.

use crate::guard::{Guard, Guards};
use crate::names::{Summaries, as_term};
use rejoin_expr::{Binary, Node, Pool, Term, Unary};
use rejoin_memory::Value;

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

    /// The guard of a path of this name and these conditions, unless it is too large.
    pub fn path(
        &mut self,
        pool: &mut Pool,
        id: u32,
        conditions: impl FnOnce() -> Vec<Term>,
    ) -> Option<Guard> {
        if let Some(known) = self.paths.get(&id) {
            return *known;
        }
        let mut all = Some(Guard::TRUE);
        for cond in conditions() {
            let guard = self.guard(pool, cond);
            all = all.and_then(|all| self.guards.and(all, guard?));
        }
        self.paths.insert(id, all);
        all
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
        if !self.guards.meet(pc, g) {
            return Some(Guard::FALSE);
        }
        let not = self.guards.not(g);
        if !self.guards.meet(pc, not) {
            return Some(Guard::TRUE);
        }
        let mut simple = g;
        for atom in self.guards.support(g) {
            let holds = self.guards.atom(atom)?;
            let fails = self.guards.not(holds);
            if !self.guards.meet(pc, holds) {
                simple = self.guards.restrict(simple, atom, false);
            } else if !self.guards.meet(pc, fails) {
                simple = self.guards.restrict(simple, atom, true);
            }
        }
        Some(simple)
    }
}

/// Guards of which those that are too large become atoms.
pub(crate) struct Atomised<'a>(pub(crate) &'a mut Summaries, pub(crate) &'a mut Pool);

impl Guards for Atomised<'_> {
    fn atom(&mut self, atom: u32) -> Option<Guard> {
        self.0.guards.atom(atom)
    }

    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        self.0.and(self.1, a, b)
    }

    fn meet(&mut self, a: Guard, b: Guard) -> bool {
        self.0.guards.meet(a, b)
    }

    fn not(&mut self, a: Guard) -> Guard {
        self.0.guards.not(a)
    }

    fn restrict(&mut self, g: Guard, atom: u32, holds: bool) -> Guard {
        self.0.guards.restrict(g, atom, holds)
    }

    fn support(&self, g: Guard) -> Vec<u32> {
        self.0.guards.support(g)
    }

    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], node: impl FnMut(u32, T, T) -> T) -> T {
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
