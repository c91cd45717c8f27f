//! Two memories as one: where they differ, a guard says which of the two it is.
//!
//! Words stay words: where either memory holds a symbolic word and the other one nothing that cuts
//! it, or where both hold different bytes, one term covers the widest aligned range there is. Only
//! words that overlap in part are merged byte by byte.
//!
//! An object that exists on one side only becomes one that exists where the guard says so.

use crate::object::Content;
use crate::page::{Page, Word};
use crate::space::Guarded;
use crate::{Kind, Object, ObjectId, PAGE, Space, Value};
use rejoin_expr::{Pool, Term};
use rejoin_fault::planted;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Words longer than this are merged byte by byte if only one side has them.
const MAX_WORD: usize = 16;

/// The first value if the term holds, else the second; both have so many bits.
pub type Either<'a> = dyn FnMut(&mut Pool, Term, u32, Value, Value) -> Value + 'a;

/// Makes values that are the first of two if a guard holds, else the second.
pub struct Choice<'a> {
    /// Where terms are made.
    pub pool: &'a mut Pool,
    /// The guard.
    pub guard: Term,
    /// How many if-then-else terms were needed.
    pub ites: u64,
    /// What makes one of two different values instead of an if-then-else term.
    pub either: Option<&'a mut Either<'a>>,
}

impl Choice<'_> {
    /// `a` if the guard holds, else `b`; both have `w` bits.
    pub fn value(&mut self, w: u32, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        if let Some(either) = &mut self.either {
            return either(self.pool, self.guard, w, a, b);
        }
        let mut term = |v: Value| match v {
            Value::Bits(bits) => self.pool.constant(w, bits),
            Value::Term(t) => t,
        };
        let (a, b) = (term(a), term(b));
        let t = self.pool.ite(self.guard, a, b);
        self.ites += 1;
        self.pool.as_const(t).map_or(Value::Term(t), Value::Bits)
    }

    /// When the merged object exists.
    fn existence(&mut self, a: Option<Entry>, b: Option<Entry>) -> Term {
        let [a, b] = [a, b].map(|side| match side {
            None if planted("object-on-both-sides") => self.pool.tru(),
            None => self.pool.fals(),
            Some((None, _)) => self.pool.tru(),
            Some((Some(exists), _)) => exists,
        });
        self.pool.ite(self.guard, a, b)
    }
}

/// An object and the condition under which it exists, unless always.
type Entry<'a> = (Option<Term>, &'a Rc<Object>);

/// Hears of an object and what both sides know of it.
type Visit<'a> = dyn FnMut(ObjectId, Option<Entry<'_>>, Option<Entry<'_>>) + 'a;

impl Space {
    /// Whether the two can be merged: what exists in both has one shape, and what exists in one of
    /// them only is from the heap. Else an object that shows it.
    pub fn fits(&self, other: &Space) -> Result<(), ObjectId> {
        let mut odd = None;
        self.each_difference(other, &mut |id, a, b| {
            let fits = match (a, b) {
                (Some((_, a)), Some((_, b))) => Rc::ptr_eq(a, b) || a.has_shape_of(b),
                (Some((_, o)), None) | (None, Some((_, o))) => o.kind == Kind::Heap,
                (None, None) => true,
            };
            if !fits && odd.is_none() {
                odd = Some(id);
            }
        });
        odd.map_or(Ok(()), Err)
    }

    /// An object in which the two differ.
    #[must_use]
    pub fn difference(&self, other: &Space) -> Option<ObjectId> {
        let mut differs = None;
        self.each_difference(other, &mut |id, a, b| {
            if differs.is_none() && a != b {
                differs = Some(id);
            }
        });
        differs
    }

    /// A number for how this differs from `base`: of two spaces with equal contents it is the same one.
    #[must_use]
    pub fn difference_digest(&self, base: &Space) -> u64 {
        let mut all = 0u64;
        self.each_difference(base, &mut |id, a, b| {
            if a != b {
                let mut hasher = FxHasher::default();
                (id.0, a.map(|(exists, object)| (exists, object.digest()))).hash(&mut hasher);
                all = all.wrapping_add(hasher.finish());
            }
        });
        all
    }

    /// What is known of an object here: the condition under which it exists, unless always.
    fn entry(&self, id: ObjectId) -> Option<Entry<'_>> {
        let guarded = || self.guarded.get(id.0).map(|g| (Some(g.exists), &g.object));
        self.objects.get(id.0).map(|o| (None, o)).or_else(guarded)
    }

    /// Calls `visit` once for every object in which the two may differ.
    fn each_difference(&self, other: &Space, visit: &mut Visit<'_>) {
        let mut odd = Vec::new();
        self.guarded.diff(&other.guarded, &mut |i, _, _| odd.push(i));
        odd.sort_unstable();
        self.objects.diff(&other.objects, &mut |i, a, b| {
            let same = matches!((a, b), (Some(a), Some(b)) if Rc::ptr_eq(a, b));
            if !same && odd.binary_search(&i).is_err() {
                let id = ObjectId(i);
                visit(id, self.entry(id), other.entry(id));
            }
        });
        for id in odd.iter().map(|i| ObjectId(*i)) {
            visit(id, self.entry(id), other.entry(id));
        }
    }

    /// Where a part differs from the space that it was merged into: per object the condition under
    /// which it exists in one of the two only, or exists and has another content.
    #[must_use]
    pub fn unequal(&self, merged: &Space, pool: &mut Pool) -> Vec<(ObjectId, Term)> {
        let mut entries = Vec::new();
        self.each_difference(merged, &mut |id, a, b| {
            let owned = |e: Option<Entry>| e.map(|(exists, o)| (exists, Rc::clone(o)));
            entries.push((id, owned(a), owned(b)));
        });
        let mut found = Vec::new();
        for (id, a, b) in entries {
            let exists = |e: &Option<(Option<Term>, Rc<Object>)>, pool: &Pool| match e {
                None => pool.fals(),
                Some((exists, _)) => exists.unwrap_or_else(|| pool.tru()),
            };
            let (x, y) = (exists(&a, pool), exists(&b, pool));
            let mut differs = pool.ne(x, y);
            if let (Some((_, a)), Some((_, b))) = (&a, &b) {
                let content = a.unequal(b, pool);
                let content = pool.and(x, content);
                differs = pool.or(differs, content);
            }
            if !pool.is_false(differs) {
                found.push((id, differs));
            }
        }
        found
    }

    /// This space if the guard holds, else `other`, which fits.
    pub fn merge(&mut self, other: &Space, choice: &mut Choice) {
        let mut changed = Vec::new();
        self.each_difference(other, &mut |id, a, b| {
            let object = match (a, b) {
                (Some((_, a)), Some((_, b))) if Rc::ptr_eq(a, b) || a == b => Rc::clone(a),
                (Some((_, a)), Some((_, b))) => Rc::new(a.merge(b, choice)),
                (Some((_, o)), None) | (None, Some((_, o))) => Rc::clone(o),
                (None, None) => return,
            };
            changed.push((id, choice.existence(a, b), object));
        });
        for (ObjectId(i), exists, object) in changed {
            self.objects.remove(i);
            self.guarded.remove(i);
            if choice.pool.is_true(exists) {
                self.objects.insert(i, object);
            } else if !choice.pool.is_false(exists) {
                self.guarded.insert(i, Guarded { exists, object });
            }
        }
        let mut rings = Vec::new();
        self.rings.diff(&other.rings, &mut |source, a, b| {
            rings.extend(a.or(b).map(|ring| (source, ring.latest(*b.unwrap_or(ring)))));
        });
        for (source, ring) in rings {
            self.rings.insert(source, ring);
        }
    }
}

impl Space {
    /// Puts the image of each symbolic word in its place, in objects that `base` does not share.
    pub fn map_words(
        &mut self,
        base: &Space,
        pool: &mut Pool,
        image: &mut dyn FnMut(&mut Pool, Term) -> Term,
    ) {
        let mut changed = Vec::new();
        self.objects.diff(&base.objects, &mut |i, a, b| {
            if let Some(a) = a
                && b.is_none_or(|b| !Rc::ptr_eq(a, b))
            {
                changed.push((i, Rc::clone(a)));
            }
        });
        for (i, object) in changed {
            let mut object = (*object).clone();
            object.map_words(pool, image);
            self.objects.insert(i, Rc::new(object));
        }
    }
}

impl Space {
    /// Calls `visit` with each symbolic word of objects that `base` does not share.
    pub fn for_each_word(&self, base: &Space, visit: &mut dyn FnMut(Term)) {
        self.objects.diff(&base.objects, &mut |_, a, b| {
            let Some(a) = a.filter(|a| b.is_none_or(|b| !Rc::ptr_eq(a, b))) else { return };
            a.extent.into_iter().for_each(&mut *visit);
            match &a.content {
                Content::One(page) => page.words.iter().for_each(|w| visit(w.term)),
                Content::Many(pages) => {
                    pages.for_each(&mut |_, page| page.words.iter().for_each(|w| visit(w.term)));
                }
            }
        });
        self.guarded.for_each(&mut |_, g| {
            visit(g.exists);
        });
    }
}

impl Object {
    fn map_words(&mut self, pool: &mut Pool, image: &mut dyn FnMut(&mut Pool, Term) -> Term) {
        if let Some(extent) = self.extent {
            let extent = image(pool, extent);
            self.set_extent(pool, extent);
        }
        let mut map = |page: &mut Page| {
            for w in page.words.clone() {
                let new = image(pool, w.term);
                if new != w.term {
                    let v = pool.as_const(new).map_or(Value::Term(new), Value::Bits);
                    put(pool, page, usize::from(w.offset), usize::from(w.len), v);
                }
            }
        };
        match &mut self.content {
            Content::One(page) => map(page),
            Content::Many(pages) => {
                let mut changed = Vec::new();
                pages.for_each(&mut |i, page| {
                    let mut new = (**page).clone();
                    map(&mut new);
                    if new != **page {
                        changed.push((i, Rc::new(new)));
                    }
                });
                for (i, page) in changed {
                    pages.insert(i, page);
                }
            }
        }
    }

    fn has_shape_of(&self, other: &Object) -> bool {
        (self.size, self.kind, self.align) == (other.size, other.kind, other.align)
    }

    /// The size as a term.
    fn size_term(&self, pool: &mut Pool) -> Term {
        self.extent.unwrap_or_else(|| pool.constant(64, u128::from(self.size)))
    }

    fn merge(&self, other: &Object, choice: &mut Choice) -> Object {
        let mut merged = self.clone();
        if self.extent != other.extent {
            let [a, b] = [self, other].map(|o| o.size_term(choice.pool));
            let extent = choice.pool.ite(choice.guard, a, b);
            merged.set_extent(choice.pool, extent);
            choice.ites += 1;
        }
        match (&mut merged.content, &other.content) {
            (Content::One(a), Content::One(b)) => *a = merge_pages(a, b, choice),
            (Content::Many(a), Content::Many(b)) => {
                let mut changed = Vec::new();
                a.diff(b, &mut |i, x, y| {
                    if x != y {
                        let start = u64::from(i) * PAGE as u64;
                        let zero = Page::zeroed((self.size - start).min(PAGE as u64) as usize);
                        let page = |p: Option<&Rc<Page>>| p.map_or_else(|| Rc::new(zero.clone()), Rc::clone);
                        changed.push((i, Rc::new(merge_pages(&page(x), &page(y), choice))));
                    }
                });
                for (i, page) in changed {
                    a.insert(i, page);
                }
            }
            _ => unreachable!("objects of one size are kept in one way"),
        }
        merged
    }

    /// The condition under which the size or some byte differs; for objects of one shape.
    fn unequal(&self, other: &Object, pool: &mut Pool) -> Term {
        let mut ranges = Vec::new();
        match (&self.content, &other.content) {
            (Content::Many(a), Content::Many(b)) => a.diff(b, &mut |i, x, y| {
                if x != y {
                    let start = u64::from(i) * PAGE as u64;
                    ranges.push(start..(start + PAGE as u64).min(self.size));
                }
            }),
            _ => ranges.push(0..self.size),
        }
        let [a, b] = [self, other].map(|o| o.size_term(pool));
        let mut differs = vec![pool.ne(a, b)];
        for at in ranges.into_iter().flat_map(|r| r.clone().step_by(8).map(move |at| at..(at + 8).min(r.end)))
        {
            let len = (at.end - at.start) as usize;
            let [a, b] = [self, other].map(|o| o.read(pool, at.start, len));
            if a != b {
                let [a, b] = [a, b].map(|v| match v {
                    Value::Bits(bits) => pool.constant(8 * len as u32, bits),
                    Value::Term(t) => t,
                });
                differs.push(pool.ne(a, b));
            }
        }
        pool.or_all(&differs)
    }

    /// Whether some byte is concrete in both and differs.
    #[must_use]
    pub fn differs_concretely(&self, other: &Object) -> bool {
        match (&self.content, &other.content) {
            (Content::One(a), Content::One(b)) => pages_differ(a, b),
            (Content::Many(a), Content::Many(b)) => {
                let mut differ = false;
                a.diff(b, &mut |_, x, y| {
                    differ = differ
                        || match (x, y) {
                            (Some(x), Some(y)) => !Rc::ptr_eq(x, y) && pages_differ(x, y),
                            (Some(p), None) | (None, Some(p)) => p.bytes.iter().any(|b| *b != 0),
                            (None, None) => false,
                        };
                });
                differ
            }
            _ => true,
        }
    }
}

/// Whether some byte is concrete in both pages and differs.
fn pages_differ(a: &Page, b: &Page) -> bool {
    let concrete = |at: usize| a.is_concrete(at, 1) && b.is_concrete(at, 1);
    a.bytes.iter().zip(&b.bytes).enumerate().any(|(at, (x, y))| x != y && concrete(at))
}

/// Writes to a page from its start on.
fn put(pool: &mut Pool, page: &mut Page, at: usize, len: usize, v: Value) {
    match v {
        Value::Bits(bits) => page.write(pool, at, &bits.to_le_bytes()[..len]),
        Value::Term(t) => page.write_word(pool, at, len, t),
    }
}

fn concrete(bytes: &[u8]) -> Value {
    let mut buffer = [0; 16];
    buffer[..bytes.len()].copy_from_slice(bytes);
    Value::Bits(u128::from_le_bytes(buffer))
}

/// The first word that does not end before `at`.
fn next_word(page: &Page, at: usize) -> Option<&Word> {
    page.words.get(page.words.partition_point(|w| usize::from(w.offset + w.len) <= at))
}

fn merge_pages(a: &Page, b: &Page, choice: &mut Choice) -> Page {
    let len = a.bytes.len();
    let mut out = Page::zeroed(len);
    let mut at = 0;
    // No word of either side contains `at` other than at its start.
    while at < len {
        let (x, y) = (next_word(a, at), next_word(b, at));
        let start = |w: Option<&Word>| w.map_or(len, |w| usize::from(w.offset));
        let stop = start(x).min(start(y));
        if stop > at {
            merge_bytes(a, b, at..stop, &mut out, choice);
            at = stop;
            continue;
        }
        let here = |w: Option<&Word>| w.filter(|w| usize::from(w.offset) == at).copied();
        at = merge_words(a, b, at, (here(x), here(y)), &mut out, choice);
    }
    out
}

/// A range that is concrete on both sides.
fn merge_bytes(a: &Page, b: &Page, range: std::ops::Range<usize>, out: &mut Page, choice: &mut Choice) {
    out.bytes[range.clone()].copy_from_slice(&a.bytes[range.clone()]);
    let mut at = range.start;
    while let Some(n) = (at..range.end).position(|i| a.bytes[i] != b.bytes[i]) {
        at += n;
        let chunk = |n: usize| (at & !(n - 1))..(at & !(n - 1)) + n;
        let fits = |c: &std::ops::Range<usize>| range.start <= c.start && c.end <= range.end;
        let chunk = [8, 4, 2].map(chunk).into_iter().find(fits).unwrap_or(at..at + 1);
        let (x, y) = (concrete(&a.bytes[chunk.clone()]), concrete(&b.bytes[chunk.clone()]));
        let v = choice.value(8 * chunk.len() as u32, x, y);
        put(choice.pool, out, chunk.start, chunk.len(), v);
        at = chunk.end;
    }
}

/// Words that begin at `at`; gives where the next piece begins.
fn merge_words(
    a: &Page,
    b: &Page,
    at: usize,
    words: (Option<Word>, Option<Word>),
    out: &mut Page,
    choice: &mut Choice,
) -> usize {
    let len = words.0.or(words.1).map_or(1, |w| usize::from(w.len));
    let side = |page: &Page, word: Option<Word>| match word {
        Some(w) if usize::from(w.len) == len => Some(Value::Term(w.term)),
        None if len <= MAX_WORD && page.is_concrete(at, len) => Some(concrete(&page.bytes[at..at + len])),
        _ => None,
    };
    if let (Some(x), Some(y)) = (side(a, words.0), side(b, words.1)) {
        let v = choice.value(8 * len as u32, x, y);
        put(choice.pool, out, at, len, v);
        return at + len;
    }
    let mut end = at + 1;
    let covered = |page: &Page, end: usize| {
        let last = page.words[..page.words.partition_point(|w| usize::from(w.offset) < end)].last();
        last.map_or(end, |w| end.max(usize::from(w.offset + w.len)))
    };
    while covered(a, end).max(covered(b, end)) > end {
        end = covered(a, end).max(covered(b, end));
    }
    for i in at..end {
        let (x, y) = (a.byte(choice.pool, i), b.byte(choice.pool, i));
        let v = choice.value(8, x, y);
        put(choice.pool, out, i, 1, v);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::{Assignment, Var};
    use rejoin_ir::LocId;

    #[test]
    fn spaces_with_equal_contents_have_one_digest() {
        let mut pool = Pool::new();
        let ids = [1, 2, 700].map(ObjectId);
        let space = |bytes: [u8; 3], pool: &mut Pool| {
            let mut s = Space::default();
            for (id, byte) in ids.into_iter().zip(bytes) {
                let mut o = Object::new(8, 8, Kind::Heap, LocId::NONE);
                o.write_bytes(pool, 0, &[byte]);
                s.insert(id, o);
            }
            s
        };
        let base = space([1, 2, 3], &mut pool);
        let [one, same, other] = [[1, 5, 3], [1, 5, 3], [1, 3, 2]].map(|bytes| space(bytes, &mut pool));
        let digest = |s: &Space| s.difference_digest(&base);
        assert_eq!(digest(&base), digest(&space([1, 2, 3], &mut pool)));
        assert!(one.difference(&same).is_none() && digest(&one) == digest(&same));
        assert_ne!(digest(&one), digest(&other));
        let mut less = one.clone();
        less.remove(ids[0]);
        assert_ne!(digest(&one), digest(&less));
    }

    /// Objects of one side, of both, and of a side that knows them under a condition.
    #[test]
    fn an_object_exists_where_its_side_had_it() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
        let limit = pool.constant(8, 100);
        let (first, second) = (pool.ult(x, limit), pool.ult(y, limit));
        let object = |byte: u8, pool: &mut Pool| {
            let mut o = Object::new(8, 8, Kind::Heap, LocId::NONE);
            o.write_bytes(pool, 0, &[byte]);
            o
        };
        let ids = [1, 2, 3].map(ObjectId);
        let (mut a, mut b) = (Space::default(), Space::default());
        a.insert(ids[0], object(1, &mut pool));
        a.insert(ids[1], object(2, &mut pool));
        b.insert(ids[1], object(3, &mut pool));
        b.insert(ids[2], object(4, &mut pool));
        assert_eq!(a.fits(&b), Ok(()));
        let mut choice = Choice { pool: &mut pool, guard: first, ites: 0, either: None };
        let mut merged = a.clone();
        merged.merge(&b, &mut choice);
        let mut again = merged.clone();
        again.merge(&a, &mut Choice { guard: second, ..choice });
        let exists = |s: &Space, id: ObjectId, inputs: &Assignment, pool: &Pool| match s.exists(id) {
            Some(t) => pool.eval(t, inputs) != 0,
            None => s.get(id).is_some(),
        };
        for (i, j) in [(0, 0), (0, 200), (200, 0), (200, 200)] {
            let inputs: Assignment = [(Var(0), i), (Var(1), j)].into_iter().collect();
            for (space, side) in [(&merged, i < 100), (&again, j >= 100 || i < 100)] {
                let side = if side { &a } else { &b };
                for id in ids {
                    assert_eq!(exists(space, id, &inputs, &pool), side.get(id).is_some());
                    if let (Some(o), Some(m)) = (side.get(id), space.get_guarded(id)) {
                        let [v, w] = [o, m].map(|o| match o.byte(&mut pool, 0) {
                            Value::Bits(b) => b,
                            Value::Term(t) => pool.eval(t, &inputs),
                        });
                        assert_eq!(v, w);
                    }
                }
            }
        }
        let mut settled = merged.clone();
        settled.settle(ids[0], true);
        settled.settle(ids[2], false);
        assert!(settled.get(ids[0]).is_some() && settled.get_guarded(ids[2]).is_none());
        let local = Object::new(8, 8, Kind::Stack, LocId::NONE);
        settled.insert(ObjectId(9), local);
        assert_eq!(settled.fits(&merged), Err(ObjectId(9)));
    }

    /// Every byte of the merged object is that of the side which the guard names, on all inputs.
    #[test]
    fn each_side_keeps_its_bytes() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(8, "x"), pool.var(8, "y"));
        let limit = pool.constant(8, 100);
        let guard = pool.ult(x, limit);
        let word = pool.concat(x, y);
        let long = pool.zext(word, 32);
        let mut a = Object::new(40, 8, Kind::Heap, LocId::NONE);
        let mut b = a.clone();
        a.write(&mut pool, 0, 4, Value::Term(long)); // a word against bytes
        b.write(&mut pool, 0, 4, Value::Bits(0x0102_0304));
        a.write(&mut pool, 6, 2, Value::Term(word)); // words that overlap in part
        b.write(&mut pool, 7, 2, Value::Term(word));
        a.write(&mut pool, 12, 4, Value::Term(long)); // words of one range
        b.write(&mut pool, 12, 2, Value::Term(word));
        a.write(&mut pool, 24, 8, Value::Bits(0x1122_3344_5566_7788)); // bytes against bytes
        b.write(&mut pool, 25, 1, Value::Bits(7));
        a.write(&mut pool, 37, 1, Value::Bits(9));
        let mut choice = Choice { pool: &mut pool, guard, ites: 0, either: None };
        let merged = a.merge(&b, &mut choice);
        assert!(choice.ites > 0);
        for (i, j) in [(0, 0), (99, 255), (100, 3), (255, 255)] {
            let inputs: Assignment = [(Var(0), i), (Var(1), j)].into_iter().collect();
            let side = if i < 100 { &a } else { &b };
            for at in 0..40 {
                let [expected, found] = [side, &merged].map(|o| match o.byte(&mut pool, at) {
                    Value::Bits(b) => b,
                    Value::Term(t) => pool.eval(t, &inputs),
                });
                assert_eq!(expected, found, "byte {at} on ({i}, {j})");
            }
        }
    }
}
