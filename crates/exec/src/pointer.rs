//! What a symbolic address is made from: the pointers it chooses from, and the object of each.

use crate::machine::Machine;
use rejoin_expr::{Binary, Node, Term};
use rejoin_memory::{ObjectId, Value};
use rustc_hash::FxHashSet;

/// Pointers a symbolic address may be made from.
const MAX_POINTERS: usize = 64;
/// Nodes of a choice between few pointers.
const MAX_CHOICES: usize = 1024;
/// No two objects are nearer: a constant from here on leads from one into another.
const FAR: u64 = 1 << 31;

impl Machine {
    /// The pointers that `t` may be, each once and with its guard.
    pub(crate) fn pointers_of(&mut self, t: Term) -> Vec<(Term, Term)> {
        let mut found = Vec::new();
        let tru = self.pool.tru();
        self.pointers(t, tru, &mut found);
        if found.len() >= MAX_POINTERS
            && let Some(constants) = self.constants_of(t)
        {
            return constants.into_iter().map(|k| (self.pool.eq(t, k), k)).collect();
        }
        let mut pointers: Vec<(Term, Term)> = Vec::new();
        for (guard, pointer) in found {
            match pointers.iter_mut().find(|p| p.1 == pointer) {
                Some(known) => known.0 = self.pool.or(known.0, guard),
                None => pointers.push((guard, pointer)),
            }
        }
        pointers
    }

    /// The constants that `t` chooses from, if there are few: many ways may lead to each of them.
    fn constants_of(&self, t: Term) -> Option<Vec<Term>> {
        let (mut todo, mut seen, mut constants) = (vec![t], FxHashSet::default(), Vec::new());
        while let Some(t) = todo.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.pool.node(t) {
                Node::Const(_) if constants.len() < MAX_POINTERS => constants.push(t),
                Node::Ite(_, a, b) if seen.len() < MAX_CHOICES => todo.extend([a, b]),
                _ => return None,
            }
        }
        Some(constants)
    }

    /// The pointers that `t` may be, each with its guard: looks through ites and additions.
    fn pointers(&mut self, t: Term, guard: Term, out: &mut Vec<(Term, Term)>) {
        if let Some(summary) = self.summary(Value::Term(t), 64) {
            for &(g, v) in summary.entries() {
                let (g, t) = (self.guard_term(g), self.term_of(v, 64));
                let g = self.pool.and(guard, g);
                self.pointers(t, g, out);
            }
            return;
        }
        let t = self.plain(t);
        match self.pool.node(t) {
            Node::Ite(c, a, b) if out.len() < MAX_POINTERS => {
                let then = self.pool.and(guard, c);
                self.pointers(a, then, out);
                let not = self.pool.not(c);
                let els = self.pool.and(guard, not);
                self.pointers(b, els, out);
            }
            Node::Binary(Binary::Add, a, b) if self.is_choice(a) || self.is_choice(b) => {
                let (choice, rest) = if self.is_choice(a) { (a, b) } else { (b, a) };
                let mut inner = Vec::new();
                self.pointers(choice, guard, &mut inner);
                for (g, p) in inner {
                    let sum = self.pool.add(p, rest);
                    out.push((g, sum));
                }
            }
            _ => out.push((guard, t)),
        }
    }

    /// Whether `t` is an ite between pointers.
    fn is_choice(&self, t: Term) -> bool {
        match self.pool.node(t) {
            Node::Ite(_, a, b) => self.base(a).is_some() || self.base(b).is_some() || self.is_choice(a),
            Node::Binary(Binary::Add, a, b) => self.is_choice(a) || self.is_choice(b),
            _ => false,
        }
    }

    /// The object whose address `t` is built upon. None if it may be built upon several, as where a
    /// pointer moves along with what it points into: `p - old + new`.
    pub(crate) fn base(&self, t: Term) -> Option<ObjectId> {
        match self.pool.node(t) {
            Node::Const(c) => {
                let id = ObjectId::of_address(c as u64).0;
                self.names.get(id).is_some().then_some(id)
            }
            Node::Binary(Binary::Add, a, b) => match (self.base(a), self.base(b)) {
                (Some(id), None) if self.is_near(b) => Some(id),
                (None, Some(id)) if self.is_near(a) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether `t` is an offset: it has no address and no difference of addresses in it. Words of the
    /// input are offsets, and what is computed from offsets.
    pub(crate) fn is_near(&self, t: Term) -> bool {
        let (mut todo, mut seen) = (vec![t], FxHashSet::default());
        while let Some(t) = todo.pop() {
            if !seen.insert(t) || self.pool.interval(t).1 < u128::from(FAR) {
                continue;
            }
            match self.pool.node(t) {
                Node::Const(c) if (c as i64).unsigned_abs() < FAR => {}
                Node::ZExt(a) | Node::SExt(a) if self.pool.width(a) <= 32 => {}
                Node::Var(_) | Node::Select(..) => {}
                Node::Ite(_, a, b) => todo.extend([a, b]),
                Node::Binary(
                    Binary::UDiv | Binary::SDiv | Binary::LShr | Binary::AShr | Binary::Shl,
                    a,
                    _,
                ) => {
                    todo.push(a);
                }
                Node::Binary(
                    Binary::Add
                    | Binary::Mul
                    | Binary::URem
                    | Binary::SRem
                    | Binary::And
                    | Binary::Or
                    | Binary::Xor,
                    a,
                    b,
                ) => todo.extend([a, b]),
                Node::Unary(_, a) | Node::ZExt(a) | Node::SExt(a) | Node::Extract(a, _) => todo.push(a),
                // Bytes of the input side by side, or a scaled index.
                Node::Concat(high, low) if self.is_input(high) => {
                    if !matches!(self.pool.node(low), Node::Const(_)) {
                        todo.push(low);
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether `t` is some bits of a word of the input.
    fn is_input(&self, t: Term) -> bool {
        match self.pool.node(t) {
            Node::Var(_) | Node::Select(..) => true,
            Node::Extract(a, _) | Node::SExt(a) | Node::ZExt(a) => self.is_input(a),
            Node::Concat(a, b) => self.is_input(a) && self.is_input(b),
            _ => false,
        }
    }
}
