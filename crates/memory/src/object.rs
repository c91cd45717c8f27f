//! Objects: what one allocation made.

use crate::page::{PAGE, Page};
use crate::{Value, table::Table};
use rejoin_expr::{Pool, Term};
use rejoin_ir::LocId;
use rustc_hash::FxHasher;
use std::cell::Cell;
use std::hash::Hasher;
use std::num::NonZeroU64;
use std::rc::Rc;

/// What an object is, for checks and reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A global variable.
    Global,
    /// A global constant: not to be written.
    Constant,
    /// A local variable, an alloca.
    Stack,
    /// From `malloc` and friends.
    Heap,
    /// A function's address: not to be read or written.
    Function,
    /// Made by the environment: the argument vector, mappings, variadic arguments.
    Environment,
}

/// One object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Bytes of storage: its size or, if that is symbolic, the most that it can be.
    pub size: u64,
    /// Its size, 64 bits, if that is symbolic: at most the bytes of storage.
    pub extent: Option<Term>,
    /// Bytes that are there whatever its size is.
    pub(crate) certain: u64,
    /// What it is.
    pub kind: Kind,
    /// Alignment of its start.
    pub align: u32,
    /// Where it was made.
    pub site: LocId,
    pub(crate) content: Content,
    pub(crate) digest: Digest,
}

/// A hash of the content, once it was asked for; a clone, which is made to be changed, has none.
#[derive(Default, Debug)]
pub(crate) struct Digest(Cell<Option<NonZeroU64>>);

impl Clone for Digest {
    fn clone(&self) -> Self {
        Digest::default()
    }
}

/// What is computed from the content makes no difference.
impl PartialEq for Digest {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Digest {}

/// Small objects keep their only page inline; others a table of pages, absent ones being zero.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    One(Page),
    Many(Table<Rc<Page>>),
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Content::One(a), Content::One(b)) => a == b,
            (Content::Many(a), Content::Many(b)) => {
                let mut same = true;
                a.diff(b, &mut |_, x, y| same &= x == y);
                same
            }
            _ => false,
        }
    }
}

impl Eq for Content {}

impl Object {
    /// A new object of zeroes.
    #[must_use]
    pub fn new(size: u64, align: u32, kind: Kind, site: LocId) -> Self {
        let content = if size <= PAGE as u64 {
            Content::One(Page::zeroed(size as usize))
        } else {
            Content::Many(Table::default())
        };
        Object { size, extent: None, certain: size, kind, align, site, content, digest: Digest::default() }
    }

    /// Gives the object a symbolic size, which is at most its bytes of storage.
    pub fn set_extent(&mut self, pool: &Pool, extent: Term) {
        self.certain = (pool.interval(extent).0 as u64).min(self.size);
        self.extent = Some(extent);
    }

    /// A hash of the concrete bytes and of where the symbolic ones are. Kept until the object
    /// changes, so that asking for it again costs nothing.
    #[must_use]
    pub fn digest(&self) -> u64 {
        if let Some(known) = self.digest.0.get() {
            return known.get();
        }
        let digest = self.compute_digest() | 1;
        self.digest.0.set(NonZeroU64::new(digest));
        digest
    }

    /// Whether the digest, if it is known, is that of the content.
    #[must_use]
    pub fn has_true_digest(&self) -> bool {
        self.digest.0.get().is_none_or(|known| known.get() == self.compute_digest() | 1)
    }

    fn compute_digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        match &self.content {
            Content::One(page) => page.hash(&mut hasher),
            Content::Many(pages) => pages.for_each(&mut |i, page| {
                if !page.is_zero() {
                    hasher.write_u32(i);
                    page.hash(&mut hasher);
                }
            }),
        }
        hasher.finish()
    }

    /// The content is about to change.
    #[inline(always)]
    pub(crate) fn touch(&mut self) {
        self.digest.0.set(None);
    }

    /// Its size.
    #[must_use]
    pub fn len(&self) -> Value {
        self.extent.map_or(Value::Bits(self.size.into()), Value::Term)
    }

    /// Whether `len` bytes at `offset` are inside, whatever the size is.
    #[must_use]
    #[inline]
    pub fn contains(&self, offset: u64, len: u64) -> bool {
        len <= self.certain && offset <= self.certain - len
    }

    /// Whether `len` bytes at `offset` are inside if the size allows it.
    #[must_use]
    pub fn may_contain(&self, offset: u64, len: u64) -> bool {
        len <= self.size && offset <= self.size - len
    }

    /// Reads up to 8 bytes that are all concrete; the fast path. The range must be inside.
    #[must_use]
    #[inline(always)]
    pub fn read_concrete(&self, offset: u64, len: usize) -> Option<u64> {
        let offset = offset as usize;
        let (page, at) = match &self.content {
            Content::One(page) => (page, offset),
            Content::Many(pages) => {
                let at = offset % PAGE;
                if at + len > PAGE {
                    return None;
                }
                match pages.get((offset / PAGE) as u32) {
                    Some(page) => (&**page, at),
                    None => return Some(0),
                }
            }
        };
        if !page.words.is_empty() && !page.is_concrete(at, len) {
            return None;
        }
        let bytes = &page.bytes[at..at + len];
        Some(match len {
            1 => u64::from(bytes[0]),
            2 => u64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            4 => u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            _ => {
                let mut buffer = [0; 8];
                buffer[..len].copy_from_slice(bytes);
                u64::from_le_bytes(buffer)
            }
        })
    }

    /// Writes up to 8 concrete bytes where nothing symbolic is touched; `false` if that fails and
    /// nothing was done. The range must be inside.
    #[inline(always)]
    pub fn write_concrete(&mut self, offset: u64, len: usize, bits: u64) -> bool {
        let offset = offset as usize;
        let (page, at) = match &mut self.content {
            Content::One(page) => (page, offset),
            Content::Many(pages) => {
                let at = offset % PAGE;
                match pages.get_mut((offset / PAGE) as u32) {
                    Some(page) if at + len <= PAGE => (Rc::make_mut(page), at),
                    _ => return false,
                }
            }
        };
        if !page.words.is_empty() {
            return false;
        }
        let bytes = &mut page.bytes[at..at + len];
        match len {
            1 => bytes[0] = bits as u8,
            4 => bytes.copy_from_slice(&(bits as u32).to_le_bytes()),
            8 => bytes.copy_from_slice(&bits.to_le_bytes()),
            _ => bytes.copy_from_slice(&bits.to_le_bytes()[..len]),
        }
        true
    }

    fn page(&self, offset: u64) -> Option<(&Page, usize)> {
        match &self.content {
            Content::One(page) => Some((page, offset as usize)),
            Content::Many(pages) => {
                let at = offset as usize % PAGE;
                pages.get((offset as usize / PAGE) as u32).map(|p| (&**p, at))
            }
        }
    }

    fn page_mut(&mut self, offset: u64) -> (&mut Page, usize) {
        let size = self.size;
        match &mut self.content {
            Content::One(page) => (page, offset as usize),
            Content::Many(pages) => {
                let index = (offset as usize / PAGE) as u32;
                let at = offset as usize % PAGE;
                if pages.get(index).is_none() {
                    let start = u64::from(index) * PAGE as u64;
                    pages.insert(index, Rc::new(Page::zeroed((size - start).min(PAGE as u64) as usize)));
                }
                (Rc::make_mut(pages.get_mut(index).expect("inserted above")), at)
            }
        }
    }

    /// The longest run from `offset` on, at most `len`, that lies in one page.
    fn run(&self, offset: u64, len: usize) -> usize {
        match &self.content {
            Content::One(_) => len,
            Content::Many(_) => len.min(PAGE - offset as usize % PAGE),
        }
    }

    /// The byte at `offset`, which must be inside.
    pub fn byte(&self, pool: &mut Pool, offset: u64) -> Value {
        self.page(offset).map_or(Value::Bits(0), |(page, at)| page.byte(pool, at))
    }

    /// Reads `len` bytes, little-endian. The range must be inside.
    pub fn read(&self, pool: &mut Pool, offset: u64, len: usize) -> Value {
        if self.run(offset, len) == len
            && let Some((page, at)) = self.page(offset)
            && let Some(term) = page.word(at, len)
        {
            return Value::Term(term);
        }
        let bytes: Vec<Value> = (0..len as u64).map(|i| self.byte(pool, offset + i)).collect();
        join(pool, &bytes)
    }

    /// Writes `len` bytes, little-endian. The range must be inside.
    pub fn write(&mut self, pool: &mut Pool, offset: u64, len: usize, value: Value) {
        match value {
            Value::Bits(bits) => {
                let mut bytes = bits.to_le_bytes().to_vec();
                bytes.resize(len, 0);
                self.write_bytes(pool, offset, &bytes);
            }
            Value::Term(term) if self.run(offset, len) == len => {
                let (page, at) = self.page_mut(offset);
                page.write_word(pool, at, len, term);
            }
            Value::Term(term) => {
                for i in 0..len {
                    let byte = pool.extract(term, 8 * i as u32, 8);
                    self.write_byte(pool, offset + i as u64, byte);
                }
            }
        }
    }

    fn write_byte(&mut self, pool: &mut Pool, offset: u64, byte: Term) {
        let (page, at) = self.page_mut(offset);
        match pool.as_const(byte) {
            Some(bits) => page.write(pool, at, &[bits as u8]),
            None => page.write_word(pool, at, 1, byte),
        }
    }

    /// Writes concrete bytes. The range must be inside.
    pub fn write_bytes(&mut self, pool: &mut Pool, mut offset: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n = self.run(offset, bytes.len());
            let (page, at) = self.page_mut(offset);
            page.write(pool, at, &bytes[..n]);
            offset += n as u64;
            bytes = &bytes[n..];
        }
    }

    /// Reads bytes; `None` if one is symbolic. The range must be inside.
    #[must_use]
    pub fn read_bytes(&self, mut offset: u64, mut len: usize) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(len);
        while len > 0 {
            let n = self.run(offset, len);
            match self.page(offset) {
                None => out.resize(out.len() + n, 0),
                Some((page, at)) => {
                    if !page.is_concrete(at, n) {
                        return None;
                    }
                    out.extend_from_slice(&page.bytes[at..at + n]);
                }
            }
            offset += n as u64;
            len -= n;
        }
        Some(out)
    }

    /// Whether two ranges, which are inside, hold the same bytes and the same words.
    #[must_use]
    pub fn same_range(&self, at: u64, other: &Object, other_at: u64, len: u64) -> bool {
        let word = |o: &Object, at: u64| {
            o.page(at).and_then(|(p, at)| p.covering(at).map(|w| (w.term, at - usize::from(w.offset))))
        };
        let byte = |o: &Object, at: u64| o.page(at).map_or(0, |(p, at)| p.bytes[at]);
        (0..len).all(|i| {
            let (p, q) = (at + i, other_at + i);
            word(self, p) == word(other, q) && byte(self, p) == byte(other, q)
        })
    }

    /// Takes a range out, symbolic words as words where they are whole; for copies.
    #[must_use]
    pub fn cut(&self, pool: &mut Pool, offset: u64, len: usize) -> Vec<(u32, Value)> {
        let mut pieces = Vec::new();
        let mut i = 0;
        while i < len {
            let at = offset + i as u64;
            let whole = self.page(at).and_then(|(page, p)| {
                let k = page.words.partition_point(|w| usize::from(w.offset) < p);
                page.words.get(k).filter(|w| usize::from(w.offset) == p && usize::from(w.len) <= len - i)
            });
            match whole {
                Some(w) => {
                    pieces.push((u32::from(w.len), Value::Term(w.term)));
                    i += usize::from(w.len);
                }
                None => {
                    pieces.push((1, self.byte(pool, at)));
                    i += 1;
                }
            }
        }
        pieces
    }

    /// Puts pieces from [`Object::cut`] in place.
    pub fn paste(&mut self, pool: &mut Pool, mut offset: u64, pieces: &[(u32, Value)]) {
        for &(len, value) in pieces {
            self.write(pool, offset, len as usize, value);
            offset += u64::from(len);
        }
    }
}

/// Bytes, least significant first, as one value.
pub(crate) fn join(pool: &mut Pool, bytes: &[Value]) -> Value {
    if bytes.len() <= 16
        && let Some(bits) =
            bytes.iter().rev().try_fold(0u128, |acc, b| b.bits().map(|b| acc.checked_shl(8).unwrap_or(0) | b))
    {
        return Value::Bits(bits);
    }
    let mut term: Option<Term> = None;
    for &byte in bytes {
        let byte = match byte {
            Value::Bits(b) => pool.constant(8, b),
            Value::Term(t) => t,
        };
        term = Some(term.map_or(byte, |lo| pool.concat(byte, lo)));
    }
    term.map_or(Value::Bits(0), Value::Term)
}
