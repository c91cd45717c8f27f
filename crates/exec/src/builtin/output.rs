//! Writing as much as a term says: what merged states print has no one length.
//!
//! libc's buffers make one system call of many small writes, so that states merged in between come
//! there with a length for each of them. A stream only grows: it keeps the bytes and the term, and the
//! call's result, the term itself, is what libc compares with its own count. Nothing has to be decided.

use super::Call;
use crate::access::Access;
use crate::machine::Machine;
use crate::outcome::Flow;
use crate::size::SymSize;
use crate::state::State;
use rejoin_env::Bytes;
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_memory::{ObjectId, Value};
use std::rc::Rc;

/// The most parts of one call that may have symbolic lengths.
const MAX_PARTS: u128 = 16;
/// Bytes of a `struct iovec`.
const IOVEC: u128 = 16;

/// `write` or `writev` (`vector`) of a symbolic length to a stream: its result. `None` if the call is
/// not such a one; then nothing has happened.
pub(super) fn write_some(m: &mut Machine, s: &mut State, call: &Call, vector: bool) -> Flow<Option<Value>> {
    if m.options.sym_size != SymSize::Lazy {
        return Ok(None);
    }
    let fd = m.fork_value(s, call.arg(1))? as u64;
    if !s.world.os.is_stream(fd) {
        return Ok(None);
    }
    let Some(parts) = parts(m, s, call, vector)? else { return Ok(None) };
    if parts.iter().all(|part| part.1.bits().is_some()) {
        return Ok(None);
    }
    let mut total = m.pool.constant(64, 0);
    let mut pieces = Vec::new();
    for (base, len) in parts {
        let len = m.term_of(len, 64);
        match piece(m, s, base, len)? {
            Some(piece) => pieces.extend(piece),
            None => return Ok(None),
        }
        total = m.pool.add(total, len);
    }
    if !planted("output-lost") {
        Rc::make_mut(&mut s.world).os.append(fd, pieces);
    }
    Ok(Some(m.value_of(total)))
}

/// Addresses and lengths of what is to be written, if there are not too many.
fn parts(m: &mut Machine, s: &mut State, call: &Call, vector: bool) -> Flow<Option<Vec<(Value, Value)>>> {
    let [address, len] = [call.arg(2), call.arg(3)].map(|v| m.plain_value(v));
    if !vector {
        return Ok(Some(vec![(address, len)]));
    }
    let (list, count) = (m.fork_value(s, address)?, m.fork_value(s, len)?);
    if count > MAX_PARTS || list == 0 {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for i in 0..count {
        let [base, len] = [0, 8].map(|field| m.load_value(s, Value::Bits(list + IOVEC * i + field), 8));
        let [base, len] = [base?, len?].map(|v| m.plain_value(v));
        parts.push((base, len));
    }
    Ok(Some(parts))
}

/// What a part adds to the output: the bytes, and how many of them if that is not known. Nothing at all
/// for a part without bytes; `None` outside if the kernel has to look at it.
fn piece(m: &mut Machine, s: &mut State, base: Value, len: Term) -> Flow<Option<Option<Piece>>> {
    let zero = m.pool.constant(64, 0);
    let nothing = m.pool.eq(len, zero);
    if m.pool.is_true(nothing) {
        return Ok(Some(None));
    }
    // It also has one to a length that is none.
    let largest = m.pool.constant(64, i64::MAX as u128);
    let is_length = m.pool.ule(len, largest);
    if !m.choose(s, is_length)? {
        return Ok(None);
    }
    let base = m.place_of(s, base)?;
    let (address, first) = (m.term_of(base, 64), m.pool.constant(64, u128::from(ObjectId(1).address())));
    let null = m.pool.ult(address, first);
    // The kernel has its own answer to a null pointer.
    if m.choose(s, null)? {
        return Ok(m.choose(s, nothing)?.then_some(None));
    }
    let Some(from) = m.span(s, base, len, Access::Read)? else { return Ok(None) };
    let bytes = m.read_span(s, &from, from.most, 1);
    let bytes = bytes.into_iter().map(|byte| m.plain_value(byte.value)).collect();
    Ok(Some(Some((bytes, m.pool.as_const(len).is_none().then_some(len)))))
}

type Piece = (Bytes, Option<Term>);
