//! Copies and fills.
//!
//! Where place and length are known, bytes are moved at once. Otherwise they are moved under guards: a
//! symbolic address is taken apart into the places it may be, and each byte is read from all of them and
//! written to all of them, where the guard of the place holds and the length includes the byte. Only where
//! that would be too many is the state split.

use crate::access::Access;
use crate::machine::Machine;
use crate::outcome::Flow;
use crate::size::SymSize;
use crate::state::{GapKind, State};
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_memory::{ObjectId, Value};
use rejoin_solver::Answer;

/// Bytes that may be read or changed under guards; more split the state.
pub(crate) const MAX_BULK: u64 = 4096;
/// Lengths up to which nobody asks how long the bytes really are.
const SHORT: u64 = 64;
/// Offsets that one pointer may have.
const MAX_OFFSETS: u128 = 256;
/// Long copies look at the clock after so many bytes.
const PART: usize = 1 << 16;
/// Bytes that are moved together where that is possible, so that pointers stay whole.
const WORD: u64 = 8;

/// Bytes side by side in one of several places.
pub(crate) struct Span {
    places: Vec<Place>,
    /// The most bytes it can have.
    pub(crate) most: u64,
}

/// Where a span may begin.
#[derive(Clone, Copy)]
struct Place {
    /// When; `None` for always.
    guard: Option<Term>,
    object: ObjectId,
    offset: u64,
    /// Whether the span is then the whole object.
    is_whole: bool,
}

/// A value that is moved, of one or more bytes.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) len: u64,
    pub(crate) value: Value,
}

impl Machine {
    /// Copies `len` bytes as if through a buffer.
    pub(crate) fn copy(&mut self, s: &mut State, dst: Value, src: Value, len: Value) -> Flow {
        let len = self.plain_value(len);
        let [dst, src] = [self.place_of(s, dst)?, self.place_of(s, src)?];
        let known = [dst, src, len].iter().all(|v| v.bits().is_some());
        if known || self.options.sym_size != SymSize::Lazy {
            return self.copy_known(s, dst, src, len);
        }
        let count = self.term_of(len, 64);
        let Some(to) = self.span(s, dst, count, Access::Write)? else {
            return self.copy_known(s, dst, src, len);
        };
        let Some(from) = self.span(s, src, count, Access::Read)? else {
            return self.copy_known(s, dst, src, len);
        };
        let most = to.most.min(from.most);
        let aligned = to.is_aligned() && from.is_aligned() && len.bits().is_some();
        let chunks = self.read_span(s, &from, most, if aligned { WORD } else { 1 });
        self.write_span(s, &to, &chunks, count);
        Ok(())
    }

    /// The address of a copy. A summary of addresses splits the state: all bytes of all places, each under the
    /// guards of all the others, are more than guards can tell apart.
    pub(crate) fn place_of(&mut self, s: &mut State, address: Value) -> Flow<Value> {
        match self.summaries.is_some() {
            true => Ok(Value::Bits(self.fork_value(s, address)?)),
            false => Ok(address),
        }
    }

    /// Copies with everything known: what is not becomes states of their own.
    fn copy_known(&mut self, s: &mut State, dst: Value, src: Value, len: Value) -> Flow {
        let len = self.fork_value(s, len)? as u64;
        let len = len - u64::from(len > 1 && planted("copy-one-byte-less"));
        if len == 0 {
            return Ok(());
        }
        let (to, to_offset) = self.fix_place(s, dst, len, Access::Write)?;
        let (from, from_offset) = self.fix_place(s, src, len, Access::Read)?;
        // Parts that overlap are copied before they are overwritten.
        let backwards = from == to && from_offset < to_offset;
        for done in (0..len).step_by(PART) {
            if done > 0 {
                self.check_time(s)?;
            }
            let part = (len - done).min(PART as u64);
            let at = if backwards { len - done - part } else { done };
            self.copy_part(s, (from, from_offset + at), (to, to_offset + at), part as usize);
        }
        Ok(())
    }

    /// Copies bytes from one place to another.
    fn copy_part(&mut self, s: &mut State, from: (ObjectId, u64), to: (ObjectId, u64), len: usize) {
        let Some(object) = s.memory.get(from.0) else { return };
        if let Some(bytes) = object.read_bytes(from.1, len) {
            if let Some(object) = s.memory.get_mut(to.0) {
                object.write_bytes(&mut self.pool, to.1, &bytes);
            }
            return;
        }
        let pieces = object.cut(&mut self.pool, from.1, len);
        if let Some(object) = s.memory.get_mut(to.0) {
            object.paste(&mut self.pool, to.1, &pieces);
        }
    }

    /// Ends the path if the run is over: for instructions that may take longer than that.
    fn check_time(&self, s: &State) -> Flow {
        match self.solver.is_over() {
            true => self.give_up(s, GapKind::Unexplored, "the run ended within an instruction"),
            false => Ok(()),
        }
    }

    /// Sets `len` bytes to `byte`.
    pub(crate) fn fill(&mut self, s: &mut State, dst: Value, byte: Value, len: Value) -> Flow {
        let len = self.plain_value(len);
        let dst = self.place_of(s, dst)?;
        let known = [dst, len].iter().all(|v| v.bits().is_some());
        if known || self.options.sym_size != SymSize::Lazy {
            return self.fill_known(s, dst, byte, len);
        }
        let count = self.term_of(len, 64);
        let Some(to) = self.span(s, dst, count, Access::Write)? else {
            return self.fill_known(s, dst, byte, len);
        };
        self.write_span(s, &to, &vec![Chunk { len: 1, value: byte }; to.most as usize], count);
        Ok(())
    }

    /// Fills with everything known: what is not becomes states of their own.
    fn fill_known(&mut self, s: &mut State, dst: Value, byte: Value, len: Value) -> Flow {
        let len = self.fork_value(s, len)? as u64;
        if len == 0 {
            return Ok(());
        }
        let (id, offset) = self.fix_place(s, dst, len, Access::Write)?;
        for done in (0..len).step_by(PART) {
            if done > 0 {
                self.check_time(s)?;
            }
            let (at, part) = (offset + done, (len - done).min(PART as u64));
            let Some(object) = s.memory.get_mut(id) else { return Ok(()) };
            match byte {
                Value::Bits(b) => object.write_bytes(&mut self.pool, at, &vec![b as u8; part as usize]),
                Value::Term(_) => {
                    (0..part).for_each(|i| object.write(&mut self.pool, at + i, 1, byte));
                }
            }
        }
        Ok(())
    }
}

impl Span {
    /// Whether every place is one for words.
    fn is_aligned(&self) -> bool {
        self.places.iter().all(|p| p.offset % WORD == 0)
    }
}

/// A pointer that an address may be: its guard, its object, and its offset there.
struct Pointer {
    guard: Term,
    object: ObjectId,
    offset: Term,
    /// The offsets it may have, each with its condition.
    offsets: Vec<(Term, u64)>,
}

impl Machine {
    /// Where as many bytes at `address` as `len` says are; paths on which they are nowhere end with an
    /// error. `None` if there are too many places.
    pub(crate) fn span(
        &mut self,
        s: &mut State,
        address: Value,
        len: Term,
        access: Access,
    ) -> Flow<Option<Span>> {
        let t = match self.ours(s, address) {
            Value::Bits(address) => {
                let mut span = self.span_at(s, address as u64, len, access)?;
                if span.most > SHORT {
                    let always = self.pool.tru();
                    let Some(most) = self.greatest(s, always, len, u128::from(MAX_BULK))? else {
                        return Ok(None);
                    };
                    span.most = span.most.min(most as u64);
                }
                return Ok(Some(span));
            }
            Value::Term(t) => t,
        };
        self.check_defined(s, t, "an address")?;
        let pointers = match self.few_pointers(s, t, access)? {
            None => self.one_object(s, t, access)?,
            pointers => pointers,
        };
        let Some((pointers, nowhere)) = pointers else { return Ok(None) };
        let places: usize = pointers.iter().map(|p| p.offsets.len()).sum();
        let most = MAX_BULK / (places as u64).max(1);
        let always = self.pool.tru();
        let Some(most) = self.greatest(s, always, len, u128::from(most))? else { return Ok(None) };
        let zero = self.pool.constant(64, 0);
        let nothing = self.pool.eq(len, zero);
        let ok = self.pool.implies(nowhere, nothing);
        let plain = self.plain(t);
        self.require(s, ok, |m, s| {
            let address = m.witnessed(s, plain) as u64;
            m.bad_access(s, address, m.witnessed(s, len) as u64, access)
        })?;
        let mut span = Span { places: Vec::new(), most: most as u64 };
        for p in pointers {
            self.check_span(s, &p, len, access)?;
            for (here, offset) in p.offsets {
                let guard = self.pool.and(p.guard, here);
                let guard = (!self.pool.is_true(guard)).then_some(guard);
                span.places.push(Place { guard, object: p.object, offset, is_whole: false });
            }
        }
        Ok(Some(span))
    }

    /// The pointers that an address may be, if each has few offsets in its object; and the condition
    /// that it is none that could be accessed.
    fn few_pointers(
        &mut self,
        s: &mut State,
        address: Term,
        access: Access,
    ) -> Flow<Option<(Vec<Pointer>, Term)>> {
        let mut found = Vec::new();
        let mut nowhere = self.pool.fals();
        for (guard, pointer) in self.pointers_of(address) {
            if self.pool.is_false(guard) {
                continue;
            }
            let object = match self.pool.as_const(pointer) {
                Some(address) => ObjectId::of_address(address as u64).0,
                None => match self.base(pointer) {
                    Some(object) => object,
                    None => return Ok(None),
                },
            };
            let size = s.memory.get_guarded(object).map(|o| o.size);
            let Some(size) = size.filter(|_| self.problem(s, object, access).is_none()) else {
                nowhere = self.pool.or(nowhere, guard);
                continue;
            };
            let base = self.pool.constant(64, u128::from(object.address()));
            let offset = self.pool.sub(pointer, base);
            let lo = self.pool.interval(offset).0;
            let most = (lo + MAX_OFFSETS).min(u128::from(size));
            let hi = self.greatest(s, guard, offset, most)?.or((most == u128::from(size)).then_some(most));
            let Some(hi) = hi else { return Ok(None) };
            let offsets = self.places(offset, lo, hi);
            found.push(Pointer { guard, object, offset, offsets });
        }
        Ok(Some((found, nowhere)))
    }

    /// The offsets from `lo` to `hi` that a term may be, each with the condition that it is.
    fn places(&mut self, offset: Term, lo: u128, hi: u128) -> Vec<(Term, u64)> {
        let mut places = Vec::new();
        for at in lo..=hi {
            let constant = self.pool.constant(64, at);
            let here = self.pool.eq(offset, constant);
            if !self.pool.is_false(here) {
                places.push((here, at as u64));
            }
        }
        places
    }

    /// The same for an address that does not show its objects, if the solver knows that there is one only.
    fn one_object(
        &mut self,
        s: &mut State,
        address: Term,
        access: Access,
    ) -> Flow<Option<(Vec<Pointer>, Term)>> {
        let address = self.plain(address);
        let (object, _) = ObjectId::of_address(self.sample(s, address)? as u64);
        let Some(size) = s.memory.get(object).map(|o| u128::from(o.size)) else { return Ok(None) };
        if self.problem(s, object, access).is_some() {
            return Ok(None);
        }
        let (always, never) = (self.pool.tru(), self.pool.fals());
        let base = self.pool.constant(64, u128::from(object.address()));
        let offset = self.pool.sub(address, base);
        let Some(hi) = self.greatest(s, always, offset, size)? else { return Ok(None) };
        let Some(lo) = self.least(s, offset, hi)? else { return Ok(None) };
        let offsets = self.places(offset, lo, hi);
        Ok(Some((vec![Pointer { guard: always, object, offset, offsets }], never)))
    }

    /// No more than the least value that `t`, which is at most `most`, can have, if that is near.
    fn least(&mut self, s: &mut State, t: Term, most: u128) -> Flow<Option<u128>> {
        let mut bound = self.sample(s, t)?;
        let mut step = 1;
        while most - bound.min(most) < MAX_OFFSETS {
            let constant = self.pool.constant(64, bound);
            let below = self.pool.ult(t, constant);
            let answer = self.ask(s, |m, path| m.solver.check(&mut m.pool, path, below));
            match answer {
                Answer::Unsat => return Ok(Some(bound)),
                Answer::Sat(_) => bound = bound.saturating_sub(step),
                Answer::Unknown(_) => return Ok(None),
            }
            step *= 2;
        }
        Ok(None)
    }

    /// No less than the greatest value that `t` can have where `guard` holds, if that is at most `cap`. What
    /// the term does not show, the solver is asked.
    fn greatest(&mut self, s: &mut State, guard: Term, t: Term, cap: u128) -> Flow<Option<u128>> {
        let shown = self.pool.interval(t).1;
        if shown <= cap {
            return Ok(Some(shown));
        }
        let mut bound = self.sample(s, t)?.min(cap);
        let mut step = 1;
        loop {
            let constant = self.pool.constant(64, bound);
            let above = self.pool.ult(constant, t);
            let above = self.pool.and(guard, above);
            let answer = self.ask(s, |m, path| m.solver.check(&mut m.pool, path, above));
            match answer {
                Answer::Unsat => return Ok(Some(bound)),
                Answer::Sat(_) if bound < cap => bound = (bound + step).min(cap),
                Answer::Sat(_) | Answer::Unknown(_) => return Ok(None),
            }
            step *= 2;
        }
    }

    /// Makes sure that `len` bytes are inside the object of a pointer, if that is the address.
    fn check_span(&mut self, s: &mut State, p: &Pointer, len: Term, access: Access) -> Flow {
        let Some((size, extent)) = s.memory.get_guarded(p.object).map(|o| (o.size, o.extent)) else {
            return Ok(());
        };
        let inside = self.is_within(p.offset, len, size, extent);
        let inside = s.memory.exists(p.object).map_or(inside, |exists| self.pool.and(exists, inside));
        let zero = self.pool.constant(64, 0);
        let nothing = self.pool.eq(len, zero);
        let ok = self.pool.or(nothing, inside);
        let ok = self.pool.implies(p.guard, ok);
        let (offset, start) = (p.offset, p.object.address());
        self.require(s, ok, |m, s| {
            let address = start.wrapping_add(m.witnessed(s, offset) as u64);
            m.bad_access(s, address, m.witnessed(s, len) as u64, access)
        })
    }

    /// Whether `len` bytes from `offset` on are inside an object of this storage and size.
    fn is_within(&mut self, offset: Term, len: Term, size: u64, extent: Option<Term>) -> Term {
        let end = match extent.filter(|_| !planted("extent-ignored")) {
            Some(extent) => extent,
            None => self.pool.constant(64, u128::from(size)),
        };
        let rest = self.pool.sub(end, offset);
        let (starts, ends) = (self.pool.ule(offset, end), self.pool.ule(len, rest));
        self.pool.and(starts, ends)
    }

    /// The same for an address that is known.
    pub(crate) fn span_at(&mut self, s: &mut State, address: u64, len: Term, access: Access) -> Flow<Span> {
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
            return Ok(Span { places: Vec::new(), most: 0 });
        };
        let start = self.pool.constant(64, u128::from(offset));
        let inside = self.is_within(start, len, size, extent);
        let ok = self.pool.or(nothing, inside);
        self.require(s, ok, bad)?;
        let most = (size - offset).min(self.pool.interval(len).1 as u64);
        let is_whole = offset == 0 && extent == Some(len) && self.uninit.is_none();
        Ok(Span { places: vec![Place { guard: None, object: id, offset, is_whole }], most })
    }

    /// The first bytes of a span, `together` side by side in one value where there are so many left.
    pub(crate) fn read_span(&mut self, s: &State, span: &Span, count: u64, together: u64) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut at = 0;
        while at < count {
            let len = if at + together <= count { together } else { 1 };
            let mut result = None;
            for p in span.places.iter().rev() {
                let Some(object) = s.memory.get_guarded(p.object) else { continue };
                if p.offset + at + len > object.size {
                    continue;
                }
                let value = object.read(&mut self.pool, p.offset + at, len as usize);
                result = Some(match (p.guard, result) {
                    (Some(guard), Some(rest)) => self.either(guard, 8 * len as u16, value, rest),
                    _ => value,
                });
            }
            chunks.push(Chunk { len, value: result.unwrap_or(Value::Bits(0)) });
            at += len;
        }
        chunks
    }

    /// Writes those of the chunks that `len` includes. What is behind the end of the object nobody can
    /// read, so there a guard would be for nothing.
    pub(crate) fn write_span(&mut self, s: &mut State, to: &Span, chunks: &[Chunk], len: Term) {
        for p in &to.places {
            let mut at = 0;
            for chunk in chunks {
                let offset = p.offset + at;
                let index = self.pool.constant(64, u128::from(at));
                at += chunk.len;
                let object = s.memory.get_guarded(p.object).filter(|o| offset + chunk.len <= o.size);
                let Some(object) = object else { break };
                let included = self.pool.ult(index, len);
                let guard = p.guard.map_or(included, |guard| self.pool.and(guard, included));
                let value = if p.is_whole || self.pool.is_true(guard) {
                    chunk.value
                } else {
                    let old = object.read(&mut self.pool, offset, chunk.len as usize);
                    self.either(guard, 8 * chunk.len as u16, chunk.value, old)
                };
                if let Some(object) = s.memory.get_guarded_mut(p.object) {
                    object.write(&mut self.pool, offset, chunk.len as usize, value);
                }
            }
        }
    }
}
