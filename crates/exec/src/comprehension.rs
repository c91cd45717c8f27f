//! Reads of a whole array by one term: section 3.3 of ESEC/FSE'23 has terms for single values only, so
//! that what a loop writes becomes a choice for each byte. Bytes that are one function of their place are
//! an array comprehension, which is looked for where somebody reads at a symbolic place.

use rejoin_expr::{Node, Pool, Term};
use rejoin_memory::{Object, Value};

/// Fewer bytes are chosen from one by one.
const FEW_BYTES: u64 = 4;

/// The value at a symbolic offset in a range, if all that is there are bytes of one array of inputs in
/// their order: reads of that array. Unlike a mux its size does not depend on the range.
pub(crate) fn input_read(
    pool: &mut Pool,
    object: &Object,
    offset: Term,
    range: (u64, u64),
    len: u64,
) -> Option<Term> {
    let mut start: Option<(Term, u32)> = None;
    for at in range.0..range.1 + len {
        let Value::Term(t) = object.read(pool, at, 1) else { return None };
        let Node::Var(v) = pool.node(t) else { return None };
        let (array, place) = pool.input_place(v)?;
        let first = (array, place.wrapping_sub(at as u32));
        if *start.get_or_insert(first) != first {
            return None;
        }
    }
    let (array, first) = start?;
    let low = pool.extract(offset, 0, 32);
    let mut word: Option<Term> = None;
    for byte in 0..len {
        let shift = pool.constant(32, u128::from(first.wrapping_add(byte as u32)));
        let at = pool.add(low, shift);
        let byte = pool.select(array, at);
        word = Some(word.map_or(byte, |word| pool.concat(byte, word)));
    }
    word
}

/// The byte at a symbolic offset in a range, if what is there is a function of the offset: what a loop
/// has written is `ite(j < k, t(j), a[j])`. Unlike a mux its size does not depend on the range.
pub(crate) fn comprehension(
    pool: &mut Pool,
    object: &Object,
    offset: Term,
    range: (u64, u64),
    len: u64,
) -> Option<Term> {
    if len != 1 || range.1 > u64::from(u16::MAX) || range.1.saturating_sub(range.0) < FEW_BYTES {
        return None;
    }
    let x = pool.index_var(16, u128::from(u16::MAX));
    let places: Vec<u128> = (range.0..=range.1).map(u128::from).collect();
    let bytes: Vec<Term> = (range.0..=range.1)
        .map(|at| match object.read(pool, at, 1) {
            Value::Bits(bits) => pool.constant(8, bits),
            Value::Term(t) => t,
        })
        .collect();
    // The first and the last byte may be unlike the others, say because the loop never writes there.
    let (found, first, last) = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().find_map(|(first, last)| {
        let inner = first..bytes.len() - last;
        let found = rejoin_pattern::value(pool, x, &places[inner.clone()], &bytes[inner])?;
        Some((found, first, last))
    })?;
    let at = pool.extract(offset, 0, 16);
    let mut read = pool.replace(found, x, at);
    let odd = (0..first).chain(bytes.len() - last..bytes.len());
    for n in odd {
        let place = pool.constant(16, places[n]);
        let here = pool.eq(at, place);
        read = pool.ite(here, bytes[n], read);
    }
    Some(read)
}
