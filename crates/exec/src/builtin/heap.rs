//! The `malloc` family.

use super::Replaces::Declaration;
use super::{Call, Done, Row, value};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::size::Size;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_memory::{BASE, Kind, MAX_SIZE, Object, ObjectId, Value};

const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;
/// The alignment that `malloc` guarantees.
const ALIGN: u128 = 16;

pub(super) const TABLE: &[Row] = &[
    ("malloc", Declaration, malloc),
    ("calloc", Declaration, calloc),
    ("realloc", Declaration, realloc),
    ("reallocarray", Declaration, reallocarray),
    ("free", Declaration, free),
    ("cfree", Declaration, free),
    ("memalign", Declaration, memalign),
    ("aligned_alloc", Declaration, memalign),
    ("posix_memalign", Declaration, posix_memalign),
    ("valloc", Declaration, valloc),
    ("malloc_usable_size", Declaration, usable_size),
    ("__libc_malloc", Declaration, malloc),
    ("__libc_calloc", Declaration, calloc),
    ("__libc_realloc", Declaration, realloc),
    ("__libc_free", Declaration, free),
    ("_Znwm", Declaration, malloc),
    ("_Znam", Declaration, malloc),
    ("_ZdlPv", Declaration, free),
    ("_ZdaPv", Declaration, free),
    ("_ZdlPvm", Declaration, free),
    ("_ZdaPvm", Declaration, free),
];

fn freed(what: &str) -> String {
    format!("double free: {what} of memory that was freed")
}

impl Machine {
    /// A heap object; 0 if it would be too large.
    fn heap_object(&mut self, s: &mut State, size: Size, align: u128, zero: bool) -> u64 {
        if size.bytes > u128::from(MAX_SIZE) || align > u128::from(BASE) {
            return 0;
        }
        let object = self.sized_object(size, align as u32, Kind::Heap, self.loc(&s.frame));
        let site = u64::from(s.frame.func.0) << 32 | u64::from(s.frame.pc);
        let source = self.names.context(s.frame.context, 1 << 63 | site);
        let id = if zero {
            s.memory.allocate(&mut self.names, source, object)
        } else {
            self.allocate(s, source, object)
        };
        id.address()
    }

    /// The size of an array: one of the factors may be symbolic.
    fn array_size(&mut self, s: &mut State, count: Value, size: Value) -> Flow<Size> {
        let (count, size) = if count.bits().is_some() { (size, count) } else { (count, size) };
        let size = self.fork_value(s, size)?;
        match u64::try_from(size) {
            Ok(size) if size <= MAX_SIZE => self.size_of(s, count, size),
            _ => Ok(Size::fixed(self.fork_value(s, count)?.saturating_mul(size))),
        }
    }

    /// The objects that a pointer chooses from, with their guards, if each choice is the start of an object
    /// on the heap or null.
    fn heap_choice(&mut self, s: &State, pointer: Term) -> Option<Vec<(Term, ObjectId)>> {
        let mut objects = Vec::new();
        for (guard, pointer) in self.pointers_of(pointer) {
            let address = self.pool.as_const(pointer)? as u64;
            let (id, offset) = ObjectId::of_address(address);
            if address == 0 || self.pool.is_false(guard) {
                continue;
            }
            s.memory.get_guarded(id).filter(|o| o.kind == Kind::Heap && offset == 0)?;
            objects.push((guard, id));
        }
        Some(objects)
    }

    /// The heap object that starts at `address`.
    fn heap_start(&mut self, s: &mut State, address: u64, what: &str) -> Flow<ObjectId> {
        let (id, offset) = ObjectId::of_address(address);
        self.certify(s, id, |m, s| m.error(s, ErrorKind::Free, freed(what)))?;
        match s.memory.get(id) {
            Some(o) if o.kind == Kind::Heap && offset == 0 => Ok(id),
            Some(o) if o.kind == Kind::Heap => {
                let message = format!("{what} of a pointer {} bytes into its object", offset as i64);
                self.fail(s, ErrorKind::Free, message)
            }
            Some(_) => self.fail(s, ErrorKind::Free, format!("{what} of memory that is not from the heap")),
            None if self.names.get(id).is_some_and(|n| n.kind == Kind::Heap) => {
                self.fail(s, ErrorKind::Free, freed(what))
            }
            None => self.fail(s, ErrorKind::Free, format!("{what} of {address:#x}, which is no object")),
        }
    }
}

fn malloc(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let size = m.size_of(s, call.arg(0), 1)?;
    value(m.heap_object(s, size, ALIGN, false))
}

fn calloc(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let size = m.array_size(s, call.arg(0), call.arg(1))?;
    value(m.heap_object(s, size, ALIGN, true))
}

fn realloc(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let size = m.size_of(s, call.arg(1), 1)?;
    resize(m, s, call.arg(0), size)
}

fn reallocarray(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let size = m.array_size(s, call.arg(1), call.arg(2))?;
    resize(m, s, call.arg(0), size)
}

fn resize(m: &mut Machine, s: &mut State, old: Value, size: Size) -> Flow<Done> {
    let old = m.fork_value(s, old)? as u64;
    if old == 0 {
        return value(m.heap_object(s, size, ALIGN, false));
    }
    let id = m.heap_start(s, old, "realloc")?;
    let new = m.heap_object(s, size, ALIGN, false);
    let Some(from) = s.memory.get(id).cloned().filter(|_| new != 0) else { return value(0) };
    // What is behind the end of either nobody can read, unless it was never written.
    let (to, _) = ObjectId::of_address(new);
    let pieces = from.cut(&mut m.pool, 0, from.size.min(size.bytes as u64) as usize);
    if let Some(object) = s.memory.get_mut(to) {
        object.paste(&mut m.pool, 0, &pieces);
    }
    s.memory.remove(id);
    value(new)
}

fn free(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let pointer = m.place_of(s, call.arg(0))?;
    if let Value::Term(t) = pointer
        && let Some(objects) = m.heap_choice(s, t)
    {
        return free_some(m, s, objects);
    }
    let address = m.fork_value(s, pointer)? as u64;
    if address != 0 {
        let id = m.heap_start(s, address, "free")?;
        if !planted("free-keeps-object") {
            s.memory.remove(id);
        }
    }
    Ok(Done::Void)
}

/// Frees each of some objects where its guard holds, as for a pointer of merged states.
fn free_some(m: &mut Machine, s: &mut State, objects: Vec<(Term, ObjectId)>) -> Flow<Done> {
    for &(guard, id) in &objects {
        if let Some(exists) = s.memory.exists(id) {
            let ok = m.pool.implies(guard, exists);
            m.require(s, ok, |m, s| m.error(s, ErrorKind::Free, freed("free")))?;
        }
    }
    for (guard, id) in objects {
        let rest = m.pool.not(guard);
        let rest = s.memory.exists(id).map_or(rest, |exists| m.pool.and(exists, rest));
        match planted("free-keeps-object") {
            true => {}
            false if m.pool.is_false(rest) => {
                s.memory.settle(id, true);
                s.memory.remove(id);
            }
            false => s.memory.remove_unless(id, rest),
        }
    }
    Ok(Done::Void)
}

fn memalign(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let align = m.fork_value(s, call.arg(0))?;
    let size = m.size_of(s, call.arg(1), 1)?;
    let fits = align.is_power_of_two();
    value(if fits { m.heap_object(s, size, align.max(ALIGN), false) } else { 0 })
}

fn posix_memalign(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let align = m.fork_value(s, call.arg(1))?;
    let size = m.size_of(s, call.arg(2), 1)?;
    if !align.is_power_of_two() || align % 8 != 0 {
        return value(EINVAL);
    }
    let result = Value::Bits(m.fork_value(s, call.arg(0))?);
    let address = m.heap_object(s, size, align.max(ALIGN), false);
    if address == 0 {
        return value(ENOMEM);
    }
    m.store_value(s, result, 8, Value::Bits(u128::from(address)))?;
    value(0)
}

fn valloc(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let size = m.size_of(s, call.arg(0), 1)?;
    value(m.heap_object(s, size, 4096, false))
}

fn usable_size(m: &mut Machine, s: &mut State, call: &Call) -> Flow<Done> {
    let address = m.fork_value(s, call.arg(0))? as u64;
    if address == 0 {
        return value(0);
    }
    let id = m.heap_start(s, address, "malloc_usable_size")?;
    let size = s.memory.get(id).map(Object::len);
    Ok(Done::Value(size.unwrap_or(Value::Bits(0))))
}
