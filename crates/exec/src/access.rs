//! Loads and stores: which object, which offset, and what is wrong with it.
//!
//! A symbolic address is taken apart into the pointers it may be made from; each names its object.
//! Candidates are told apart by guards, never by forking; a symbolic offset reads as a mux over the
//! words it may reach and writes each of them under a guard. Only where that would be too many is
//! the state split, by halving the range. An address that shows no object is asked of the solver.

use crate::comprehension::{comprehension, input_read};
use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow, Outcome};
use crate::state::{GapKind, State};
use rejoin_expr::{Node, Pool, Term};
use rejoin_fault::planted;
use rejoin_memory::{Kind, Object, ObjectId, Value};
use rejoin_solver::{Answer, Model};

/// Words a symbolic read may choose from before the state is split.
const MAX_READ: u64 = 4096;
/// Words a symbolic write may change before the state is split.
const MAX_WRITE: u64 = 256;

/// Pointers that become states of their own when they are read, at most.
const MAX_SPLIT: usize = 8;

/// What is to be done with the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
}

/// An object an address may point into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// When; `None` for always.
    guard: Option<Term>,
    object: ObjectId,
    /// From the object's start, 64 bits.
    offset: Value,
}

impl Machine {
    /// Reads `len` bytes.
    pub(crate) fn load_value(&mut self, s: &mut State, address: Value, len: u64) -> Flow<Value> {
        let candidates = self.resolve(s, address, len, Access::Read)?;
        let mut result: Option<Value> = None;
        for c in candidates.iter().rev() {
            let v = self.read_candidate(s, *c, len)?;
            result = Some(match (c.guard, result) {
                (Some(g), Some(rest)) => self.either(g, 8 * len as u16, v, rest),
                _ => v,
            });
        }
        match (address, result) {
            (Value::Term(_), Some(Value::Term(t))) if len == 8 && self.is_worth_a_split(t) => {
                let address = self.fork_value(s, address)?;
                self.load_value(s, Value::Bits(address), len)
            }
            (_, result) => Ok(result.unwrap_or(Value::Bits(0))),
        }
    }

    /// Whether a value that was read through a symbolic address is one of a few pointers, null among
    /// them. The program will ask for null, and where nothing is merged it is cheaper to have a state
    /// for each than to choose between them at every access.
    fn is_worth_a_split(&self, t: Term) -> bool {
        let merges = self.options.merging || self.options.regions.is_some();
        let mut leaves = Vec::new();
        if merges || !self.leaves(t, &mut leaves) {
            return false;
        }
        leaves.contains(&ObjectId(0)) && leaves.iter().any(|id| self.names.get(*id).is_some())
    }

    /// The objects that the constants of a small tree of ites point to.
    fn leaves(&self, t: Term, out: &mut Vec<ObjectId>) -> bool {
        match self.pool.node(t) {
            Node::Const(c) => {
                out.push(ObjectId::of_address(c as u64).0);
                true
            }
            Node::Ite(_, a, b) => out.len() < MAX_SPLIT && self.leaves(a, out) && self.leaves(b, out),
            _ => false,
        }
    }

    /// Writes `len` bytes.
    pub(crate) fn store_value(&mut self, s: &mut State, address: Value, len: u64, v: Value) -> Flow {
        let candidates = self.resolve(s, address, len, Access::Write)?;
        let mut ranges = Vec::new();
        for c in &candidates {
            ranges.push(self.range(s, *c, len, MAX_WRITE)?);
        }
        for (c, (lo, hi)) in candidates.iter().zip(ranges) {
            match c.offset {
                Value::Bits(offset) => self.write_guarded(s, c.object, offset as u64, len, c.guard, v),
                Value::Term(offset) => {
                    for at in self.offsets(offset, lo, hi) {
                        let here = self.pool.constant(64, u128::from(at));
                        let here = self.pool.eq(offset, here);
                        let guard = c.guard.map_or(here, |g| self.pool.and(g, here));
                        self.write_guarded(s, c.object, at, len, Some(guard), v);
                    }
                }
            }
        }
        Ok(())
    }

    fn write_guarded(
        &mut self,
        s: &mut State,
        id: ObjectId,
        offset: u64,
        len: u64,
        guard: Option<Term>,
        v: Value,
    ) {
        let Some(object) = s.memory.get_guarded(id) else { return };
        let new = match guard {
            _ if planted("unguarded-store") => v,
            None => v,
            Some(g) => {
                let old = object.read(&mut self.pool, offset, len as usize);
                self.either(g, 8 * len as u16, v, old)
            }
        };
        let Some(object) = s.memory.get_guarded_mut(id) else { return };
        object.write(&mut self.pool, offset, len as usize, new);
    }

    fn read_candidate(&mut self, s: &mut State, c: Candidate, len: u64) -> Flow<Value> {
        let (lo, hi) = self.range(s, c, len, MAX_READ)?;
        let Some(object) = s.memory.get_guarded(c.object) else { return Ok(Value::Bits(0)) };
        Ok(match c.offset {
            Value::Bits(offset) => object.read(&mut self.pool, offset as u64, len as usize),
            Value::Term(offset) => {
                if let Some(t) = input_read(&mut self.pool, object, offset, (lo, hi), len) {
                    return Ok(Value::Term(t));
                }
                if self.merges_by_patterns()
                    && let Some(t) = comprehension(&mut self.pool, object, offset, (lo, hi), len)
                {
                    return Ok(self.value_of(t));
                }
                let mut mux = Mux { pool: &mut self.pool, object, offset, lo, hi, len };
                mux.read(63, 0).unwrap_or(Value::Bits(0))
            }
        })
    }

    /// The offsets a candidate may have, as a range of at most `max` words; splits until it is.
    fn range(&mut self, s: &mut State, c: Candidate, len: u64, max: u64) -> Flow<(u64, u64)> {
        let Value::Term(offset) = c.offset else { return Ok((0, 0)) };
        let size = s.memory.get_guarded(c.object).map_or(0, |o| o.size);
        let (lo, hi) = self.pool.interval(offset);
        let (mut lo, mut hi) = (lo as u64, (hi as u64).min(size.saturating_sub(len)));
        let zeros = self.pool.known_bits(offset).zeros as u64;
        let stride = 1 << zeros.trailing_ones().min(32);
        while hi > lo && (hi - lo) / stride >= max {
            let mid = lo + (hi - lo) / 2;
            let bound = self.pool.constant(64, u128::from(mid));
            let below = self.pool.ule(offset, bound);
            let below = match c.guard {
                Some(g) => self.pool.implies(g, below),
                None => below,
            };
            if self.choose(s, below)? { hi = mid } else { lo = mid + 1 }
        }
        Ok((lo, hi))
    }

    /// The offsets in the range that the known bits allow.
    fn offsets(&self, offset: Term, lo: u64, hi: u64) -> Vec<u64> {
        let known = self.pool.known_bits(offset);
        let (zeros, ones) = (known.zeros as u64, known.ones as u64);
        (lo..=hi).filter(|at| at & zeros == 0 && at & ones == ones).collect()
    }

    /// The objects an address may point into; whatever may be wrong with it is reported.
    pub(crate) fn resolve(
        &mut self,
        s: &mut State,
        address: Value,
        len: u64,
        access: Access,
    ) -> Flow<Vec<Candidate>> {
        let t = match self.ours(s, address) {
            Value::Bits(address) => {
                let (object, offset) = ObjectId::of_address(address as u64);
                self.certify(s, object, |m, s| m.bad_access(s, address as u64, len, access))?;
                let problem = self.problem(s, object, access);
                let offset = match s.memory.get(object) {
                    Some(o) if planted("bound-off-by-one-concrete") && offset == o.size => offset - len,
                    _ => offset,
                };
                let inside = s.memory.get(object).is_some_and(|o| o.may_contain(offset, len));
                return match problem {
                    None if inside => {
                        self.check_extent(s, object, offset, len, access)?;
                        let offset = Value::Bits(u128::from(offset));
                        Ok(vec![Candidate { guard: None, object, offset }])
                    }
                    _ => Err(crate::outcome::Stop::Halt(self.bad_access(s, address as u64, len, access))),
                };
            }
            Value::Term(t) => t,
        };
        self.check_defined(s, t, "an address")?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut pointers = self.pointers_of(t);
        if pointers.len() > 1 && pointers.iter().any(|p| self.base(p.1).is_none() && !self.is_near(p.1)) {
            // Differences of merged pointers: one object after the other costs less than all combinations.
            pointers = vec![(self.pool.tru(), self.plain(t))];
        }
        for (guard, pointer) in pointers {
            if self.pool.is_false(guard) {
                continue;
            }
            let object = match self.base(pointer) {
                Some(object) => object,
                None => self.ask_for_object(s, guard, pointer, len, access)?,
            };
            let candidate = self.check_candidate(s, guard, pointer, object, len, access)?;
            candidates.extend(candidate);
        }
        Ok(candidates)
    }

    /// Makes sure of an object that exists on some of the merged paths: elsewhere the path ends with
    /// `outcome`.
    pub(crate) fn certify(
        &mut self,
        s: &mut State,
        id: ObjectId,
        outcome: impl FnOnce(&Machine, &State) -> Outcome,
    ) -> Flow {
        if let Some(exists) = s.memory.exists(id) {
            self.require(s, exists, outcome)?;
            s.memory.settle(id, true);
        }
        Ok(())
    }

    /// Makes sure that `pointer`, if `guard`, points to `len` bytes inside `object`.
    fn check_candidate(
        &mut self,
        s: &mut State,
        guard: Term,
        pointer: Term,
        object: ObjectId,
        len: u64,
        access: Access,
    ) -> Flow<Option<Candidate>> {
        let base = self.pool.constant(64, u128::from(object.address()));
        let offset = self.pool.sub(pointer, base);
        let ok = match (self.problem(s, object, access), s.memory.get_guarded(object)) {
            (None, Some(o)) => {
                let inside = is_inside(&mut self.pool, (o.size, o.extent), offset, len);
                match s.memory.exists(object) {
                    Some(exists) => self.pool.and(exists, inside),
                    None => inside,
                }
            }
            _ => self.pool.fals(),
        };
        let usable = self.pool.and(guard, ok);
        let ok = self.pool.implies(guard, ok);
        self.require(s, ok, |m, s| {
            let address = m.witnessed(s, pointer);
            m.bad_access(s, address as u64, len, access)
        })?;
        if self.pool.is_false(usable) {
            return Ok(None);
        }
        let always = self.pool.is_true(guard);
        let guard = (!always).then_some(guard);
        Ok(Some(Candidate { guard, object, offset: self.value_of(offset) }))
    }

    /// An object that `pointer` may point into, by asking the solver; other objects become states.
    fn ask_for_object(
        &mut self,
        s: &mut State,
        guard: Term,
        pointer: Term,
        len: u64,
        access: Access,
    ) -> Flow<ObjectId> {
        match self.possible(s, guard) {
            Answer::Sat(model) => {
                if let Some((id, hit)) = self.object_of_model(s, guard, pointer, len, &model) {
                    let cond = self.pool.implies(guard, hit);
                    if self.choose(s, cond)? {
                        return Ok(id);
                    }
                }
            }
            Answer::Unsat => return Ok(ObjectId(0)),
            Answer::Unknown(why) => return self.give_up(s, GapKind::SolverTimeout, why.to_string()),
        }
        let mut ids = Vec::new();
        s.memory.for_each(&mut |id, o| {
            if o.size >= len {
                ids.push((id, (o.size, o.extent), None));
            }
        });
        s.memory.for_each_guarded(&mut |id, exists, o| {
            if o.size >= len {
                ids.push((id, (o.size, o.extent), Some(exists)));
            }
        });
        let mut inside = Vec::new();
        let (min, max) = self.pool.interval(pointer);
        for (id, size, exists) in ids {
            let start = u128::from(id.address());
            if start > max || start + u128::from(size.0 - len) < min {
                continue;
            }
            let base = self.pool.constant(64, start);
            let offset = self.pool.sub(pointer, base);
            let hit = is_inside(&mut self.pool, size, offset, len);
            let hit = exists.map_or(hit, |exists| self.pool.and(exists, hit));
            let cond = self.pool.and(guard, hit);
            match self.possible(s, cond) {
                Answer::Sat(_) => inside.push((id, hit)),
                Answer::Unsat => {}
                Answer::Unknown(why) => return self.give_up(s, GapKind::SolverTimeout, why.to_string()),
            }
        }
        let conds: Vec<Term> = inside.iter().map(|i| i.1).collect();
        let some = self.pool.or_all(&conds);
        let ok = self.pool.implies(guard, some);
        self.require(s, ok, |m, s| {
            let address = m.witnessed(s, pointer);
            m.bad_access(s, address as u64, len, access)
        })?;
        for (id, hit) in &inside {
            let cond = self.pool.implies(guard, *hit);
            if self.choose(s, cond)? {
                return Ok(*id);
            }
        }
        Ok(inside.last().map_or(ObjectId(0), |i| i.0))
    }

    /// The object that `pointer` points into on the input of `model`, and the condition that it does:
    /// one question then settles what would be one for each object.
    fn object_of_model(
        &mut self,
        s: &State,
        guard: Term,
        pointer: Term,
        len: u64,
        model: &Model,
    ) -> Option<(ObjectId, Term)> {
        let mut path = s.path.clone();
        path.assume_with(&mut self.pool, guard, model);
        let (id, offset) = ObjectId::of_address(path.witness_value(&self.pool, pointer)? as u64);
        let object = s.memory.get(id).filter(|o| o.may_contain(offset, len))?;
        let size = (object.size, object.extent);
        let base = self.pool.constant(64, u128::from(id.address()));
        let offset = self.pool.sub(pointer, base);
        Some((id, is_inside(&mut self.pool, size, offset, len)))
    }

    /// Why an object may not be accessed at all.
    pub(crate) fn problem(&self, s: &State, id: ObjectId, access: Access) -> Option<String> {
        let Some(object) = s.memory.get_guarded(id) else { return Some(self.absence(id)) };
        (access == Access::Write && object.kind == Kind::Constant).then(|| "the object is constant".into())
    }

    /// Why there is no object of this number.
    fn absence(&self, id: ObjectId) -> String {
        match self.names.get(id) {
            None if id.0 == 0 => "null pointer".into(),
            None => "no object is there".into(),
            Some(n) => match n.kind {
                Kind::Function => "a function is not data".into(),
                Kind::Heap => {
                    format!("use after free of memory allocated at {}", self.describe_loc(n.site))
                }
                Kind::Stack => format!("use after return of a local made at {}", self.describe_loc(n.site)),
                _ => "the object is gone".into(),
            },
        }
    }

    /// What is wrong with an access at this address.
    pub(crate) fn bad_access(&self, s: &State, address: u64, len: u64, access: Access) -> Outcome {
        let (id, offset) = ObjectId::of_address(address);
        if let Some(global) = self.code.externals.get(&id)
            && s.memory.get(id).is_none()
        {
            let name = self.module.globals[global.index()].name.clone();
            return Outcome::Gap(self.gap(s, GapKind::UnknownGlobal, name));
        }
        let what = if access == Access::Read { "read" } else { "write" };
        let bytes = if len == 1 { "1 byte".into() } else { format!("{len} bytes") };
        let missing = s.memory.exists(id).is_some_and(|exists| self.witnessed(s, exists) == 0);
        let problem = if missing { Some(self.absence(id)) } else { self.problem(s, id, access) };
        if let Some(problem) = problem {
            let constant = s.memory.get(id).is_some();
            let kind = if constant { ErrorKind::ReadOnly } else { ErrorKind::Ptr };
            return self.error(s, kind, format!("{what} of {bytes}: {problem}"));
        }
        let (size, site) = s.memory.get_guarded(id).map_or((0, String::new()), |o| {
            (
                o.extent.map_or(o.size, |extent| self.witnessed(s, extent) as u64),
                self.module.place(o.site).map_or(String::new(), |(f, l)| format!(" made at {f}:{}", l.line)),
            )
        });
        let message = format!(
            "out of bounds: {what} of {bytes} at offset {} of an object of {size} bytes{site}",
            offset as i64
        );
        self.error(s, ErrorKind::Ptr, message)
    }

    /// Bytes from a place that is fixed first: for copies.
    pub(crate) fn read_pieces(&mut self, s: &mut State, address: Value, len: u64) -> Flow<Vec<(u32, Value)>> {
        let (id, offset) = self.fix_place(s, address, len, Access::Read)?;
        let Some(object) = s.memory.get(id) else { return Ok(Vec::new()) };
        Ok(object.cut(&mut self.pool, offset, len as usize))
    }

    /// One object and one offset: several candidates become several states.
    pub(crate) fn fix_place(
        &mut self,
        s: &mut State,
        address: Value,
        len: u64,
        access: Access,
    ) -> Flow<(ObjectId, u64)> {
        let address = self.fork_value(s, address)?;
        let candidates = self.resolve(s, Value::Bits(address), len, access)?;
        let offset = candidates[0].offset.bits().map_or(0, |offset| offset as u64);
        Ok((candidates[0].object, offset))
    }
}

/// Whether `len` bytes at `offset` are inside an object of this storage and size.
fn is_inside(pool: &mut Pool, (size, extent): (u64, Option<Term>), offset: Term, len: u64) -> Term {
    match extent {
        _ if size < len => pool.fals(),
        // However large the object is, there is no storage.
        Some(_) if pool.interval(offset).0 > u128::from(size - len) => pool.fals(),
        None => {
            let last = size - len + u64::from(planted("bound-off-by-one"));
            let last = pool.constant(64, u128::from(last));
            pool.ule(offset, last)
        }
        // The form in which loops compare.
        Some(extent) if len == 1 => pool.ult(offset, extent),
        Some(extent) => {
            let len = pool.constant(64, u128::from(len));
            let last = pool.sub(extent, len);
            let (fits, inside) = (pool.ule(len, extent), pool.ule(offset, last));
            pool.and(fits, inside)
        }
    }
}

/// The words of an object that a symbolic offset chooses from.
struct Mux<'a> {
    pool: &'a mut rejoin_expr::Pool,
    object: &'a Object,
    offset: Term,
    lo: u64,
    hi: u64,
    len: u64,
}

impl Mux<'_> {
    /// The value at offsets that begin with `prefix` above `bit`; `None` if none is in range.
    fn read(&mut self, bit: i32, prefix: u64) -> Option<Value> {
        let rest = if bit < 0 { 0 } else { (2u64 << bit).wrapping_sub(1) };
        if prefix | rest < self.lo || prefix > self.hi {
            return None;
        }
        if bit < 0 {
            return Some(self.object.read(self.pool, prefix, self.len as usize));
        }
        let known = self.pool.known_bits(self.offset);
        let one = 1u64 << bit;
        if known.zeros as u64 & one != 0 {
            return self.read(bit - 1, prefix);
        }
        if known.ones as u64 & one != 0 {
            return self.read(bit - 1, prefix | one);
        }
        if bit == 0 && planted("mux-ignores-low-bit") {
            return self.read(bit - 1, prefix);
        }
        match (self.read(bit - 1, prefix | one), self.read(bit - 1, prefix)) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => {
                let cond = self.pool.extract(self.offset, bit as u32, 1);
                let w = 8 * self.len as u32;
                let mut term = |v: Value| match v {
                    Value::Bits(b) => self.pool.constant(w, b),
                    Value::Term(t) => t,
                };
                let (a, b) = (term(a), term(b));
                let t = self.pool.ite(cond, a, b);
                Some(self.pool.as_const(t).map_or(Value::Term(t), Value::Bits))
            }
            (a, b) => a.or(b),
        }
    }
}
