//! What a program wrote to a stream: on one path, or on several that were merged.

use rejoin_expr::Term;
use rejoin_memory::Value;
use std::rc::Rc;

/// Bytes written, in chunks shared between states.
#[derive(Clone, Debug, Default)]
pub struct Output(Option<Rc<Chunk>>);

#[derive(Debug)]
enum Chunk {
    /// Some bytes after others.
    Bytes(Output, Vec<Value>),
    /// The first if the guard holds, else the second.
    Either(Term, Output, Output),
}

impl Output {
    /// Appends bytes.
    pub fn push(&mut self, bytes: Vec<Value>) {
        if !bytes.is_empty() {
            let before = std::mem::take(self);
            *self = Output(Some(Rc::new(Chunk::Bytes(before, bytes))));
        }
    }

    /// What was written where `holds` says which guards hold.
    #[must_use]
    pub fn bytes(&self, mut holds: impl FnMut(Term) -> bool) -> Vec<Value> {
        let mut chunks = Vec::new();
        let mut at = self;
        while let Some(chunk) = at.0.as_deref() {
            match chunk {
                Chunk::Bytes(before, bytes) => {
                    chunks.push(bytes);
                    at = before;
                }
                Chunk::Either(guard, a, b) => at = if holds(*guard) { a } else { b },
            }
        }
        chunks.into_iter().rev().flatten().copied().collect()
    }

    /// All terms that say what was written.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![self];
        while let Some(at) = waiting.pop() {
            let Some(chunk) = &at.0 else { continue };
            if !seen.insert(Rc::as_ptr(chunk)) {
                continue;
            }
            match &**chunk {
                Chunk::Bytes(before, bytes) => {
                    terms.extend(bytes.iter().filter_map(|v| v.term()));
                    waiting.push(before);
                }
                Chunk::Either(guard, a, b) => {
                    terms.push(*guard);
                    waiting.extend([b, a]);
                }
            }
        }
        terms
    }

    /// This output if the guard holds, else `other`.
    #[must_use]
    pub fn either(self, guard: Term, other: Output) -> Output {
        if self.is_equal(&other) { self } else { Output(Some(Rc::new(Chunk::Either(guard, self, other)))) }
    }

    /// Whether the two are certainly the same bytes: written alike since they were one.
    fn is_equal(&self, other: &Output) -> bool {
        let (mut a, mut b) = (self, other);
        loop {
            match (&a.0, &b.0) {
                (None, None) => return true,
                (Some(x), Some(y)) if Rc::ptr_eq(x, y) => return true,
                (Some(x), Some(y)) => match (&**x, &**y) {
                    (Chunk::Bytes(p, v), Chunk::Bytes(q, w)) if v == w => (a, b) = (p, q),
                    _ => return false,
                },
                _ => return false,
            }
        }
    }
}

impl Drop for Output {
    /// Unlinks iteratively: a long output must not overflow our stack.
    fn drop(&mut self) {
        let mut waiting: Vec<Rc<Chunk>> = self.0.take().into_iter().collect();
        while let Some(chunk) = waiting.pop() {
            match Rc::try_unwrap(chunk) {
                Ok(Chunk::Bytes(mut before, _)) => waiting.extend(before.0.take()),
                Ok(Chunk::Either(_, mut a, mut b)) => {
                    waiting.extend([a.0.take(), b.0.take()].into_iter().flatten())
                }
                Err(_) => {}
            }
        }
    }
}
