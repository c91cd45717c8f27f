//! The address space of a state, and the names of objects.
//!
//! An object is named by what made it: the allocation site in its call context (a *source*), and
//! how many objects that source made before on this path. Two paths that do the same allocations
//! therefore hold equal pointers and can merge. [`Names`] turns a name into a dense number, once
//! for all paths.
//!
//! A dead object leaves the space; its number, no longer present, is how a stale pointer is
//! recognised. Numbers of a source are used again in a ring once the oldest is dead, so that a
//! program may allocate forever; a pointer that stale may then name a younger object.

use crate::{Kind, Object, ObjectId, Table};
use rejoin_expr::Term;
use rejoin_ir::LocId;
use std::collections::HashMap;
use std::rc::Rc;

/// Objects of one source that die before a number is used again.
const QUARANTINE: u32 = 256;

/// What is known of a number for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// What the object is or was.
    pub kind: Kind,
    /// Where it was made.
    pub site: LocId,
}

/// Numbers for names, shared by all states of a run.
#[derive(Debug, Default)]
pub struct Names {
    contexts: HashMap<(u32, u64), u32>,
    numbers: HashMap<(u32, u32), u32>,
    names: Vec<Name>,
}

impl Names {
    /// The number of "`site` reached in `context`": a context of its own, or a source of objects.
    pub fn context(&mut self, context: u32, site: u64) -> u32 {
        let n = self.contexts.len() as u32 + 1;
        *self.contexts.entry((context, site)).or_insert(n)
    }

    /// A number that no source will give out: for globals and functions.
    pub fn fixed(&mut self, kind: Kind, site: LocId) -> ObjectId {
        self.names.push(Name { kind, site });
        ObjectId(self.names.len() as u32)
    }

    /// What is known of an object that is or was there.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<Name> {
        self.names.get((id.0 as usize).checked_sub(1)?).copied()
    }

    fn number(&mut self, source: u32, count: u32, kind: Kind, site: LocId) -> ObjectId {
        if let Some(n) = self.numbers.get(&(source, count)) {
            return ObjectId(*n);
        }
        let id = self.fixed(kind, site);
        self.numbers.insert((source, count), id.0);
        id
    }
}

/// The ring of numbers of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    next: u32,
    window: u32,
}

impl Ring {
    /// The ring after whatever either of the two gave out.
    pub(crate) fn latest(self, other: Ring) -> Ring {
        Ring { next: self.next.max(other.next), window: self.window.max(other.window) }
    }
}

/// An object that lives where a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Guarded {
    pub(crate) exists: Term,
    pub(crate) object: Rc<Object>,
}

/// All living objects of a state.
///
/// Where paths were merged of which only some had an object, it is kept apart, with the condition
/// under which it exists: whoever looks for certain objects does not find it.
#[derive(Clone, Debug, Default)]
pub struct Space {
    pub(crate) objects: Table<Rc<Object>>,
    pub(crate) guarded: Table<Guarded>,
    pub(crate) rings: Table<Ring>,
}

impl Space {
    /// The object with this number, if it certainly exists.
    #[must_use]
    #[inline]
    pub fn get(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.0).map(|o| &**o)
    }

    /// The condition under which the object with this number exists, if that is neither always nor
    /// never.
    #[must_use]
    pub fn exists(&self, id: ObjectId) -> Option<Term> {
        self.guarded.get(id.0).map(|g| g.exists)
    }

    /// The object with this number, where it exists.
    #[must_use]
    pub fn get_guarded(&self, id: ObjectId) -> Option<&Object> {
        self.get(id).or_else(|| self.guarded.get(id.0).map(|g| &*g.object))
    }

    /// The object with this number, where it exists, to be changed.
    pub fn get_guarded_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        if self.guarded.get(id.0).is_some() {
            let object = Rc::make_mut(&mut self.guarded.get_mut(id.0)?.object);
            object.touch();
            return Some(object);
        }
        self.get_mut(id)
    }

    /// The condition under which the object exists is now known to hold, or not to.
    pub fn settle(&mut self, id: ObjectId, exists: bool) {
        if let Some(g) = self.guarded.remove(id.0).filter(|_| exists) {
            self.objects.insert(id.0, g.object);
        }
    }

    /// All objects that may exist, by number.
    pub fn for_each_guarded(&self, f: &mut dyn FnMut(ObjectId, Term, &Object)) {
        self.guarded.for_each(&mut |i, g| f(ObjectId(i), g.exists, &g.object));
    }

    fn is_free(&self, id: ObjectId) -> bool {
        self.get_guarded(id).is_none()
    }

    /// The object with this number, as it is shared between states.
    #[must_use]
    pub fn shared(&self, id: ObjectId) -> Option<&Rc<Object>> {
        self.objects.get(id.0)
    }

    /// The object with this number, to be changed.
    #[inline]
    pub fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        let object = Rc::make_mut(self.objects.get_mut(id.0)?);
        object.touch();
        Some(object)
    }

    /// Puts an object in place.
    pub fn insert(&mut self, id: ObjectId, object: Object) {
        self.objects.insert(id.0, Rc::new(object));
    }

    /// Ends the life of an object that exists.
    pub fn remove(&mut self, id: ObjectId) {
        self.objects.remove(id.0);
    }

    /// Ends the life of an object, except where a condition holds.
    pub fn remove_unless(&mut self, id: ObjectId, exists: Term) {
        let guarded = self.guarded.remove(id.0).map(|g| g.object);
        if let Some(object) = self.objects.remove(id.0).or(guarded) {
            self.guarded.insert(id.0, Guarded { exists, object });
        }
    }

    /// Makes an object named after `source`.
    pub fn allocate(&mut self, names: &mut Names, source: u32, object: Object) -> ObjectId {
        let (kind, site) = (object.kind, object.site);
        let mut ring = self.rings.get(source).copied().unwrap_or(Ring { next: 0, window: QUARANTINE });
        if ring.next >= ring.window && self.is_free(names.number(source, 0, kind, site)) {
            ring.next = 0;
        }
        let id = loop {
            let id = names.number(source, ring.next, kind, site);
            ring.next += 1;
            if self.is_free(id) {
                break id;
            }
        };
        ring.window = ring.window.max(ring.next);
        self.rings.insert(source, ring);
        self.insert(id, object);
        id
    }

    /// All objects that exist, by number.
    pub fn for_each(&self, f: &mut dyn FnMut(ObjectId, &Object)) {
        self.objects.for_each(&mut |i, o| f(ObjectId(i), o));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> Object {
        Object::new(8, 8, Kind::Heap, LocId::NONE)
    }

    #[test]
    fn equal_allocations_on_two_paths_get_equal_numbers() {
        let mut names = Names::default();
        let source = names.context(0, 7);
        let mut a = Space::default();
        let first = a.allocate(&mut names, source, object());
        let mut b = a.clone();
        assert_eq!(a.allocate(&mut names, source, object()), b.allocate(&mut names, source, object()));
        assert_ne!(first, a.allocate(&mut names, source, object()));
    }

    #[test]
    fn numbers_of_the_dead_rest_before_they_are_used_again() {
        let mut names = Names::default();
        let mut s = Space::default();
        let first = s.allocate(&mut names, 1, object());
        s.remove(first);
        for _ in 1..QUARANTINE {
            let id = s.allocate(&mut names, 1, object());
            assert_ne!(id, first);
            s.remove(id);
        }
        assert_eq!(s.allocate(&mut names, 1, object()), first);
        assert_eq!(names.names.len() as u32, QUARANTINE);
    }

    #[test]
    fn a_digest_follows_the_content() {
        let mut pool = rejoin_expr::Pool::new();
        for size in [8, 2000] {
            let mut s = Space::default();
            let id = ObjectId(9);
            s.insert(id, Object::new(size, 8, Kind::Heap, LocId::NONE));
            let digest = |s: &Space| s.get(id).map(Object::digest);
            let zero = digest(&s);
            let t = s.clone();
            s.get_mut(id).unwrap().write(&mut pool, 3, 1, crate::Value::Bits(1));
            assert_ne!(digest(&s), zero);
            assert_eq!(digest(&t), zero);
            let x = pool.var(8, "x");
            s.get_mut(id).unwrap().write(&mut pool, 3, 1, crate::Value::Term(x));
            assert_ne!(digest(&s), zero, "a symbolic byte is no zero");
            s.get_mut(id).unwrap().write(&mut pool, 3, 1, crate::Value::Bits(0));
            assert_eq!(digest(&s), zero);
            assert!(s.get(id).unwrap().has_true_digest());
        }
    }

    #[test]
    fn the_living_are_never_given_out_again() {
        let mut names = Names::default();
        let mut s = Space::default();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..3 * QUARANTINE {
            assert!(seen.insert(s.allocate(&mut names, 1, object())));
        }
    }
}
