//! What was written to a stream: a list shared between states, with alternatives where states
//! with different output were merged, and pieces of which a term says how long they are.

use crate::bytes::Bytes;
use rejoin_expr::Term;
use std::borrow::Cow;
use std::rc::Rc;

/// Bytes written so far. Cloning and appending are O(1).
#[derive(Clone, Debug, Default)]
pub struct Output(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    before: Output,
    depth: u32,
    piece: Piece,
}

#[derive(Clone, Debug)]
enum Piece {
    Bytes(Rc<Bytes>),
    /// The first of these bytes, as many as the term says.
    Some(Rc<Bytes>, Term),
    Choice(Rc<Choice>),
}

/// One of two outputs, by a condition of the engine's.
#[derive(Debug)]
struct Choice {
    condition: Term,
    then: Output,
    otherwise: Output,
}

impl Output {
    /// Appends bytes.
    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.link(Piece::Bytes(Rc::new(bytes)));
        }
    }

    /// Appends the first of `bytes`, as many as `len` says, which is never more than there are.
    pub fn push_some(&mut self, bytes: Bytes, len: Term) {
        if !bytes.is_empty() {
            self.link(Piece::Some(Rc::new(bytes), len));
        }
    }

    fn link(&mut self, piece: Piece) {
        let before = std::mem::take(self);
        let depth = before.depth() + 1;
        *self = Output(Some(Rc::new(Link { before, depth, piece })));
    }

    fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |l| l.depth)
    }

    fn is(&self, other: &Output) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// All bytes on the path of interest, on which `value` tells what each condition and length is.
    #[must_use]
    pub fn bytes(&self, value: &mut dyn FnMut(Term) -> u128) -> Bytes {
        // Built from the end: a stack of lists still to be walked backwards.
        let mut pieces: Vec<Cow<Bytes>> = Vec::new();
        let mut todo = vec![self];
        while let Some(output) = todo.pop() {
            let Some(link) = &output.0 else { continue };
            todo.push(&link.before);
            match &link.piece {
                Piece::Bytes(bytes) => pieces.push(Cow::Borrowed(bytes)),
                Piece::Some(bytes, len) => {
                    let len = value(*len).min(bytes.len() as u128) as usize;
                    pieces.push(Cow::Owned(bytes.slice(0, len)));
                }
                Piece::Choice(c) => todo.push(if value(c.condition) != 0 { &c.then } else { &c.otherwise }),
            }
        }
        let mut all = Bytes::default();
        pieces.iter().rev().for_each(|p| all.append(p));
        all
    }

    /// All terms that say what was written.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = vec![self];
        while let Some(output) = todo.pop() {
            let Some(link) = &output.0 else { continue };
            if !seen.insert(Rc::as_ptr(link)) {
                continue;
            }
            todo.push(&link.before);
            match &link.piece {
                Piece::Bytes(bytes) => terms.extend(bytes.symbols().iter().map(|s| s.1)),
                Piece::Some(bytes, len) => {
                    terms.push(*len);
                    terms.extend(bytes.symbols().iter().map(|s| s.1));
                }
                Piece::Choice(c) => {
                    terms.push(c.condition);
                    todo.extend([&c.then, &c.otherwise]);
                }
            }
        }
        terms
    }

    /// Whether no merge has left alternatives, and every length is known.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        std::iter::successors(self.0.as_deref(), |l| l.before.0.as_deref())
            .all(|l| matches!(l.piece, Piece::Bytes(_)))
    }

    /// The output that is `self` where `condition` holds and `other` elsewhere. Outputs of any
    /// lengths merge; what both have in common is kept once.
    #[must_use]
    pub fn merge(&self, other: &Output, condition: Term) -> Output {
        let (mut a, mut b) = (self, other);
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        while !a.is(b) {
            let (da, db) = (a.depth(), b.depth());
            if let Some(link) = a.0.as_ref().filter(|_| da >= db) {
                then.push(link.piece.clone());
                a = &link.before;
            }
            if let Some(link) = b.0.as_ref().filter(|_| db >= da) {
                otherwise.push(link.piece.clone());
                b = &link.before;
            }
        }
        let mut merged = a.clone();
        drop_common_start(&mut then, &mut otherwise, &mut merged);
        if !then.is_empty() || !otherwise.is_empty() {
            let (then, otherwise) = (relink(then), relink(otherwise));
            merged.link(Piece::Choice(Rc::new(Choice { condition, then, otherwise })));
        }
        merged
    }
}

/// Moves pieces that both (reversed) lists start with to the common part.
fn drop_common_start(then: &mut Vec<Piece>, otherwise: &mut Vec<Piece>, common: &mut Output) {
    while let (Some(a), Some(b)) = (then.last(), otherwise.last()) {
        let same = match (a, b) {
            (Piece::Bytes(a), Piece::Bytes(b)) => a == b,
            (Piece::Some(a, n), Piece::Some(b, m)) => (a, n) == (b, m),
            _ => false,
        };
        if !same {
            break;
        }
        common.link(a.clone());
        then.pop();
        otherwise.pop();
    }
}

fn relink(reversed: Vec<Piece>) -> Output {
    let mut output = Output::default();
    reversed.into_iter().rev().for_each(|p| output.link(p));
    output
}

impl Drop for Output {
    /// Unlinks iteratively: neither a long output nor many nested merges may overflow our stack.
    fn drop(&mut self) {
        let mut todo = vec![self.0.take()];
        while let Some(next) = todo.pop() {
            let Some(mut link) = next.and_then(|l| Rc::try_unwrap(l).ok()) else { continue };
            todo.push(link.before.0.take());
            let Piece::Choice(choice) = link.piece else { continue };
            if let Ok(mut choice) = Rc::try_unwrap(choice) {
                todo.push(choice.then.0.take());
                todo.push(choice.otherwise.0.take());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::Pool;

    fn push(output: &Output, text: &str) -> Output {
        let mut longer = output.clone();
        longer.push(text.as_bytes().into());
        longer
    }

    fn text(output: &Output, truths: &[Term]) -> String {
        let bytes = output.bytes(&mut |t| u128::from(truths.contains(&t)));
        String::from_utf8(bytes.known().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn merged_outputs_give_back_each_side() {
        let mut pool = Pool::new();
        let (p, q) = (pool.var(1, "p"), pool.var(1, "q"));
        let start = push(&Output::default(), "start ");
        let a = push(&push(&start, "same "), "a");
        let b = push(&push(&push(&start, "same "), "b"), "bb");
        let ab = push(&a.merge(&b, p), " end");
        let all = ab.merge(&start, q);
        assert_eq!(text(&ab, &[p]), "start same a end");
        assert_eq!(text(&ab, &[]), "start same bbb end");
        assert_eq!(text(&all, &[q, p]), "start same a end");
        assert_eq!(text(&all, &[q]), "start same bbb end");
        assert_eq!(text(&all, &[p]), "start ");
        assert!(start.is_plain() && !ab.is_plain());
        assert!(a.merge(&push(&push(&start, "same "), "a"), p).is_plain());
    }

    #[test]
    fn a_piece_of_symbolic_length_is_cut_where_its_path_says() {
        let mut pool = Pool::new();
        let (p, n) = (pool.var(1, "p"), pool.var(8, "n"));
        let mut some = push(&Output::default(), "<");
        some.push_some(b"abc"[..].into(), n);
        let ended = push(&some, ">");
        let merged = ended.merge(&some, p);
        let text = |out: &Output, holds: u128, len: u128| {
            let bytes = out.bytes(&mut |t| if t == n { len } else { holds });
            String::from_utf8(bytes.known().unwrap().to_vec()).unwrap()
        };
        assert_eq!(text(&merged, 1, 2), "<ab>");
        assert_eq!(text(&merged, 1, 0), "<>");
        assert_eq!(text(&merged, 0, 3), "<abc");
        assert!(merged.terms().contains(&n) && merged.terms().contains(&p));
        assert!(!some.is_plain());
    }

    #[test]
    fn long_and_deeply_merged_outputs_are_dropped_without_recursion() {
        let mut pool = Pool::new();
        let p = pool.var(1, "p");
        let empty = Output::default();
        let mut output = Output::default();
        for _ in 0..200_000 {
            output = push(&output, "x").merge(&empty, p);
        }
        assert_eq!(text(&output, &[p]).len(), 200_000);
        assert_eq!(text(&output, &[]), "");
    }
}
