//! A page: bytes, and the symbolic words that lie over some of them.
//!
//! Invariants: words are sorted by offset and do not overlap; bytes under a word are zero (so that
//! equal contents are equal pages); a word lies within one page.

use crate::Value;
use rejoin_expr::{Pool, Term};
use std::hash::Hasher;

/// Bytes per page. The last page of an object may be shorter.
pub const PAGE: usize = 512;

/// A symbolic value of `len` bytes at `offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) offset: u16,
    pub(crate) len: u16,
    pub(crate) term: Term,
}

/// A run of up to [`PAGE`] bytes of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Page {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) words: Vec<Word>,
}

/// The largest aligned piece of at most 8 bytes from `at` on that ends by `limit`.
fn piece(at: usize, limit: usize) -> usize {
    [8, 4, 2].into_iter().find(|n| at.is_multiple_of(*n) && at + n <= limit).unwrap_or(1)
}

impl Page {
    pub(crate) fn zeroed(len: usize) -> Self {
        Page { bytes: vec![0; len].into(), words: Vec::new() }
    }

    /// Feeds the concrete bytes and the places of the words.
    pub(crate) fn hash(&self, hasher: &mut impl Hasher) {
        hasher.write(&self.bytes);
        for w in &self.words {
            hasher.write_u32(u32::from(w.offset) << 16 | u32::from(w.len));
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.words.is_empty() && self.bytes.iter().all(|b| *b == 0)
    }

    /// The words that overlap `[offset, offset + len)`, as a range of `words`.
    fn overlapping(&self, offset: usize, len: usize) -> std::ops::Range<usize> {
        let first = self.words.partition_point(|w| usize::from(w.offset + w.len) <= offset);
        let last = self.words.partition_point(|w| usize::from(w.offset) < offset + len);
        first..last.max(first)
    }

    /// The word that the byte at `offset` is part of.
    pub(crate) fn covering(&self, offset: usize) -> Option<&Word> {
        let r = self.overlapping(offset, 1);
        self.words[r].first()
    }

    /// Whether all bytes of the range are concrete.
    pub(crate) fn is_concrete(&self, offset: usize, len: usize) -> bool {
        self.words.is_empty() || self.overlapping(offset, len).is_empty()
    }

    /// The word that is exactly this range.
    pub(crate) fn word(&self, offset: usize, len: usize) -> Option<Term> {
        let i = self.words.partition_point(|w| usize::from(w.offset) < offset);
        let w = self.words.get(i)?;
        (usize::from(w.offset) == offset && usize::from(w.len) == len).then_some(w.term)
    }

    /// The byte at `offset`.
    pub(crate) fn byte(&self, pool: &mut Pool, offset: usize) -> Value {
        let r = self.overlapping(offset, 1);
        match self.words.get(r.start).filter(|_| !r.is_empty()) {
            None => Value::Bits(u128::from(self.bytes[offset])),
            Some(w) => {
                let lo = 8 * (offset - usize::from(w.offset)) as u32;
                let t = pool.extract(w.term, lo, 8);
                pool.as_const(t).map_or(Value::Term(t), Value::Bits)
            }
        }
    }

    /// Makes the range concrete zero; what sticks out of overlapping words stays, cut into aligned
    /// pieces.
    fn clear(&mut self, pool: &mut Pool, offset: usize, len: usize) {
        let r = self.overlapping(offset, len);
        if r.is_empty() {
            return;
        }
        let mut rest = Vec::new();
        for w in &self.words[r.clone()] {
            let (start, end) = (usize::from(w.offset), usize::from(w.offset + w.len));
            let mut at = start;
            while at < end {
                if (offset..offset + len).contains(&at) {
                    at = offset + len;
                    continue;
                }
                let limit = if at < offset { end.min(offset) } else { end };
                let n = piece(at, limit);
                let term = pool.extract(w.term, 8 * (at - start) as u32, 8 * n as u32);
                match pool.as_const(term) {
                    Some(bits) => self.bytes[at..at + n].copy_from_slice(&bits.to_le_bytes()[..n]),
                    None => rest.push(Word { offset: at as u16, len: n as u16, term }),
                }
                at += n;
            }
        }
        self.words.splice(r, rest);
    }

    /// Writes concrete bytes.
    pub(crate) fn write(&mut self, pool: &mut Pool, offset: usize, bytes: &[u8]) {
        if !self.words.is_empty() {
            self.clear(pool, offset, bytes.len());
        }
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes a symbolic word of `len` bytes.
    pub(crate) fn write_word(&mut self, pool: &mut Pool, offset: usize, len: usize, term: Term) {
        debug_assert_eq!(pool.width(term) as usize, 8 * len);
        self.clear(pool, offset, len);
        self.bytes[offset..offset + len].fill(0);
        let i = self.words.partition_point(|w| usize::from(w.offset) < offset);
        self.words.insert(i, Word { offset: offset as u16, len: len as u16, term });
    }
}
