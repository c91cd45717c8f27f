//! Objects of symbolic size: the memory model that ESEC/FSE'23, section 7, is evaluated on.
//!
//! An object whose size is a term has storage for the most that it can be, `--capacity`, and one
//! address; every access is checked against the term. Larger sizes are left out, and the ledger
//! says so.
//!
//! Deviations from that model:
//! 1. A size that merging made of constants, a choice between them or a term in k of patterns, is never cut: the
//!    storage is the largest that it can be.
//! 2. Where no size fits, the capacity is doubled until one does.
//! 3. Copies and fills of a symbolic length do not loop ([`crate::bulk`]).

use crate::access::Access;
use crate::bulk::Chunk;
use crate::decide::Sides;
use crate::machine::Machine;
use crate::outcome::{Flow, Stop};
use crate::state::{GapKind, State};
use rejoin_expr::{Binary, Node, Term};
use rejoin_fault::planted;
use rejoin_ir::LocId;
use rejoin_memory::{Kind, MAX_SIZE, Object, ObjectId, Value};

/// The largest term that merging made and that is a symbolic size, in nodes.
const MAX_CHOICES: u32 = 1024;
/// The largest that such a term can be, where nothing is known but the range of its operator.
const MAX_MADE: u128 = 1 << 16;

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
        if let Some(bound) = self.bound_by_choices(s, count, &mut { MAX_CHOICES })
            && bound <= limit
        {
            return Ok(Some(bound));
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

    /// A bound on a term whose value is made of constants and of variables that choose between paths, whatever its
    /// choices depend on.
    fn bound_by_choices(&self, s: &State, t: Term, left: &mut u32) -> Option<u128> {
        *left = left.checked_sub(1)?;
        let (_, most) = self.pool.interval(t);
        let otherwise = (most <= MAX_MADE).then_some(most);
        let mut of = |t| self.bound_by_choices(s, t, left);
        let bound = match self.pool.node(t) {
            Node::Const(value) => value,
            Node::Var(k) if self.pool.chooses(k) && self.pool.width(t) == 8 => {
                s.path.allowed(k).max()?.into()
            }
            Node::Ite(_, a, b) => of(a)?.max(of(b)?),
            Node::ZExt(a) | Node::Extract(a, 0) => of(a)?,
            Node::Concat(a, b) => {
                let place = 1u128.checked_shl(self.pool.width(b)).unwrap_or(u128::MAX);
                of(a)?.saturating_mul(place).saturating_add(of(b)?)
            }
            Node::Binary(Binary::Add, a, b) => of(a)?.saturating_add(of(b)?),
            Node::Binary(Binary::Mul, a, b) => of(a)?.saturating_mul(of(b)?),
            Node::Binary(_, a, b) => of(a).and(of(b)).and(otherwise)?,
            Node::Unary(_, a) | Node::SExt(a) | Node::Extract(a, _) => of(a).and(otherwise)?,
            _ => return None,
        };
        // Where that overflows, it is beyond what the term can be.
        Some(bound.min(most))
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
}

impl Machine {
    /// Makes the first bytes of an object inputs, as many as `len` says.
    pub(crate) fn symbolic_some(&mut self, s: &mut State, address: u64, len: Term, name: &str) -> Flow {
        let to = self.span_at(s, address, len, Access::Write)?;
        let bytes = self.input(s, name, to.most);
        if !bytes.is_empty()
            && let Some(input) = std::rc::Rc::make_mut(&mut s.world).inputs.last_mut()
        {
            input.len = Some(len);
        }
        let bytes: Vec<Chunk> =
            bytes.into_iter().map(|byte| Chunk { len: 1, value: Value::Term(byte) }).collect();
        self.write_span(s, &to, &bytes, len);
        Ok(())
    }
}
