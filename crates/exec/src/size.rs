//! Objects of symbolic size: the memory model that ESEC/FSE'23, section 7, is evaluated on.
//!
//! An object whose size is a term has storage for the most that it can be, `--capacity`, and one
//! address; every access is checked against the term. Larger sizes are left out, and the ledger
//! says so.
//!
//! Deviations from that model:
//! 1. A size that is a choice between constants, as merging makes it, is never cut: the storage is
//!    the largest of them.
//! 2. Where no size fits, the capacity is doubled until one does.
//! 3. Copies and fills of a symbolic length change each byte under a guard instead of looping.

use crate::access::Access;
use crate::decide::Sides;
use crate::machine::Machine;
use crate::outcome::{Flow, Stop};
use crate::state::{GapKind, State};
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_ir::LocId;
use rejoin_memory::{Kind, MAX_SIZE, Object, ObjectId, Value};

/// Bytes that a copy of symbolic length may change under guards; longer ones split the state.
const MAX_BULK: u64 = 4096;
/// The largest choice between constants that is a symbolic size, in nodes.
const MAX_CHOICES: u32 = 128;

/// What becomes of a symbolic size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymSize {
    /// It stays symbolic.
    Lazy,
    /// A state for every value.
    Eager,
    /// The largest value up to the capacity; others are left out.
    Max,
}

/// The size of an object that is about to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Bytes of storage.
    pub(crate) bytes: u128,
    extent: Option<Term>,
}

impl Size {
    pub(crate) fn fixed(bytes: u128) -> Self {
        Size { bytes, extent: None }
    }
}

/// A range of symbolic length inside an object.
struct Span {
    object: ObjectId,
    offset: u64,
    /// The most bytes it can have.
    most: u64,
    /// Whether it ends where its object does, and begins where that does.
    is_whole: bool,
}

impl Machine {
    /// An object of this size, of zeroes.
    pub(crate) fn sized_object(&self, size: Size, align: u32, kind: Kind, site: LocId) -> Object {
        let mut object = Object::new(size.bytes as u64, align, kind, site);
        if let Some(extent) = size.extent {
            object.set_extent(&self.pool, extent);
        }
        object
    }

    /// The size of `count` elements of `scale` bytes.
    pub(crate) fn size_of(&mut self, s: &mut State, count: Value, scale: u64) -> Flow<Size> {
        let scale = u128::from(scale);
        let count = match self.plain_value(count) {
            Value::Term(t) if scale > 0 && self.options.sym_size != SymSize::Eager => t,
            count => return Ok(Size::fixed(self.fork_value(s, count)?.saturating_mul(scale))),
        };
        self.check_defined(s, count, "a size")?;
        let Some(most) = self.most_elements(s, count, scale)? else {
            let count = self.fork_value(s, Value::Term(count))?;
            return Ok(Size::fixed(count.saturating_mul(scale)));
        };
        if self.options.sym_size == SymSize::Max {
            let count = self.fix_to_largest(s, count, most)?;
            return Ok(Size::fixed(count * scale));
        }
        let scale_term = self.pool.constant(64, scale);
        let extent = self.pool.mul(count, scale_term);
        Ok(Size { bytes: most * scale, extent: Some(extent) })
    }

    /// The most elements there can be, after leaving out sizes above the capacity; none if even the
    /// least size is too much.
    fn most_elements(&mut self, s: &mut State, count: Term, scale: u128) -> Flow<Option<u128>> {
        let (_, largest) = self.pool.interval(count);
        let limit = u128::from(MAX_SIZE) / scale;
        if largest <= limit && self.is_choice_of_constants(count, &mut { MAX_CHOICES }) {
            return Ok(Some(largest));
        }
        let mut most = (u128::from(self.options.capacity) / scale).max(1);
        while largest > most {
            let bound = self.pool.constant(64, most);
            let fits = self.pool.ule(count, bound);
            match self.sides(s, fits) {
                Sides::Then => break,
                Sides::Both(then, _) => {
                    self.note(s, GapKind::Capacity, format!("sizes above {} bytes", most * scale));
                    self.assume(s, fits, then);
                    break;
                }
                Sides::Els if most <= limit / 2 => most *= 2,
                Sides::Els => return Ok(None),
                Sides::Neither => return Err(Stop::Replaced),
            }
        }
        Ok(Some(most))
    }

    /// Fixes `t`, which is at most `most`, to the largest value it can have.
    fn fix_to_largest(&mut self, s: &mut State, t: Term, most: u128) -> Flow<u128> {
        let bits = self.largest(s, t, most)?;
        let value = self.pool.constant(self.pool.width(t), bits);
        let largest = self.pool.eq(t, value);
        if let Sides::Both(then, _) = self.sides(s, largest) {
            self.note(s, GapKind::Capacity, "sizes other than the largest");
            self.assume(s, largest, then);
        }
        Ok(bits)
    }

    /// The largest value that `t`, which is at most `most`, can have.
    pub(crate) fn largest(&mut self, s: &mut State, t: Term, most: u128) -> Flow<u128> {
        let (mut least, mut most) = (self.sample(s, t)?, most);
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            let bound = self.pool.constant(self.pool.width(t), middle);
            let larger = self.pool.ule(bound, t);
            let answer = self.ask(s, |m, path| m.solver.check(&mut m.pool, path, larger));
            match self.model(s, answer) {
                Some(_) => least = middle,
                None => most = middle - 1,
            }
        }
        Ok(least)
    }

    /// Makes sure that the size of an object, if it is symbolic, allows `len` bytes at `offset`,
    /// where there is storage.
    pub(crate) fn check_extent(
        &mut self,
        s: &mut State,
        id: ObjectId,
        offset: u64,
        len: u64,
        access: Access,
    ) -> Flow {
        let uncertain = s.memory.get(id).filter(|o| !o.contains(offset, len));
        let Some(extent) = uncertain.and_then(|o| o.extent) else { return Ok(()) };
        if planted("extent-ignored") {
            return Ok(());
        }
        let last = self.pool.constant(64, u128::from(offset + len - 1));
        let inside = self.pool.ult(last, extent);
        self.require(s, inside, |m, s| m.bad_access(s, id.address() + offset, len, access))
    }

    /// Copies as many bytes as `len` says, as if through a buffer.
    pub(crate) fn copy_some(&mut self, s: &mut State, dst: Value, src: Value, len: Term) -> Flow {
        let [dst, src] = [self.fork_value(s, dst)?, self.fork_value(s, src)?].map(|a| a as u64);
        let Some(to) = self.span(s, dst, len, Access::Write)? else { return Ok(()) };
        let Some(from) = self.span(s, src, len, Access::Read)? else { return Ok(()) };
        let most = to.most.min(from.most);
        if most > MAX_BULK {
            let len = self.fork_value(s, Value::Term(len))?;
            return self.copy(s, Value::Bits(dst.into()), Value::Bits(src.into()), Value::Bits(len));
        }
        let Some(object) = s.memory.get(from.object) else { return Ok(()) };
        let bytes: Vec<Value> = (0..most).map(|i| object.byte(&mut self.pool, from.offset + i)).collect();
        self.write_some(s, &to, &bytes, len);
        Ok(())
    }

    /// Sets as many bytes as `len` says.
    pub(crate) fn fill_some(&mut self, s: &mut State, dst: Value, byte: Value, len: Term) -> Flow {
        let dst = self.fork_value(s, dst)? as u64;
        let Some(to) = self.span(s, dst, len, Access::Write)? else { return Ok(()) };
        if to.most > MAX_BULK {
            let len = self.fork_value(s, Value::Term(len))?;
            return self.fill(s, Value::Bits(dst.into()), byte, Value::Bits(len));
        }
        self.write_some(s, &to, &vec![byte; to.most as usize], len);
        Ok(())
    }

    /// The object in which as many bytes at `address` as `len` says have to be; none if `len` is 0.
    fn span(&mut self, s: &mut State, address: u64, len: Term, access: Access) -> Flow<Option<Span>> {
        let address = self.ours(s, Value::Bits(address.into())).bits().map_or(0, |bits| bits as u64);
        let (id, offset) = ObjectId::of_address(address);
        let zero = self.pool.constant(64, 0);
        let nothing = self.pool.eq(len, zero);
        let bad = |m: &Machine, s: &State| m.bad_access(s, address, m.witnessed(s, len) as u64, access);
        if let Some(exists) = s.memory.exists(id) {
            let ok = self.pool.or(exists, nothing);
            self.require(s, ok, bad)?;
            let exists = self.choose(s, exists)?;
            s.memory.settle(id, exists);
        }
        let problem = self.problem(s, id, access);
        let object = s.memory.get(id).filter(|o| problem.is_none() && offset <= o.size);
        let Some((size, extent)) = object.map(|o| (o.size, o.extent)) else {
            self.require(s, nothing, bad)?;
            return Ok(None);
        };
        let inside = match extent.filter(|_| !planted("extent-ignored")) {
            Some(extent) => {
                let start = self.pool.constant(64, u128::from(offset));
                let rest = self.pool.sub(extent, start);
                let (starts, ends) = (self.pool.ule(start, extent), self.pool.ule(len, rest));
                self.pool.and(starts, ends)
            }
            None => {
                let rest = self.pool.constant(64, u128::from(size - offset));
                self.pool.ule(len, rest)
            }
        };
        let ok = self.pool.or(nothing, inside);
        self.require(s, ok, bad)?;
        let most = (size - offset).min(self.pool.interval(len).1 as u64);
        Ok(Some(Span { object: id, offset, most, is_whole: offset == 0 && extent == Some(len) }))
    }

    /// Writes those of `bytes` that `len` includes. What is behind the end of the object nobody can
    /// read, so there a guard would be for nothing.
    fn write_some(&mut self, s: &mut State, to: &Span, bytes: &[Value], len: Term) {
        let is_whole = to.is_whole && self.uninit.is_none();
        for (i, &byte) in bytes.iter().enumerate() {
            let at = to.offset + i as u64;
            let Some(object) = s.memory.get(to.object) else { return };
            let old = object.byte(&mut self.pool, at);
            let index = self.pool.constant(64, i as u128);
            let inside = self.pool.ult(index, len);
            let new = if is_whole { byte } else { self.either(inside, 8, byte, old) };
            if let Some(object) = s.memory.get_mut(to.object) {
                object.write(&mut self.pool, at, 1, new);
            }
        }
    }
}

impl Machine {
    /// Makes the first bytes of an object inputs, as many as `len` says.
    pub(crate) fn symbolic_some(&mut self, s: &mut State, address: u64, len: Term, name: &str) -> Flow {
        let Some(to) = self.span(s, address, len, Access::Write)? else {
            self.input(s, name, 0);
            return Ok(());
        };
        let bytes = self.input(s, name, to.most);
        if let Some(input) = std::rc::Rc::make_mut(&mut s.world).inputs.last_mut() {
            input.len = Some(len);
        }
        let bytes: Vec<Value> = bytes.into_iter().map(Value::Term).collect();
        self.write_some(s, &to, &bytes, len);
        Ok(())
    }
}
