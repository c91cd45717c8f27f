//! Questions about very few bytes, decided by trying all values.
//!
//! A part of a path over one or two bytes has at most 65,536 candidates, fewer within the sets that
//! the bytes are confined to. Trying them all is exact and, while the terms are small, faster than a
//! call of the backend.

use std::ops::ControlFlow;

use rejoin_expr::{ByteSet, Pool, Solutions, Term, Var};

use crate::independence::Part;
use crate::path::{Path, byte_condition};

/// Parts of more bytes are left to the backend.
const BYTES: usize = 3;
/// So many values may be computed for one question: some two milliseconds.
const WORK: u64 = 1 << 22;

/// Values that satisfy the part.
pub(crate) enum Found {
    /// The first ones found, by variable.
    Values(Vec<(Var, u128)>),
    /// There are none.
    Nothing,
}

/// Tries all values of the part's bytes, if they are few enough.
pub(crate) fn enumerate(pool: &mut Pool, path: &Path, part: &Part) -> Option<Found> {
    let is_byte = |v: &Var| pool.width(pool.var_term(*v)) == 8;
    if part.vars.is_empty() || part.vars.len() > BYTES || !part.vars.iter().all(is_byte) {
        return None;
    }
    let bytes: Vec<(Var, ByteSet)> = part.vars.iter().map(|&v| (v, path.allowed(v))).collect();
    let conditions: Vec<Term> =
        part.conditions.iter().copied().filter(|&c| !follows_from_sets(pool, path, c)).collect();
    let mut solutions = Solutions::new(pool, bytes, &conditions, &[]);
    if solutions.work() > WORK {
        return None;
    }
    let mut found = Found::Nothing;
    let _ = solutions.visit(&mut |solution| {
        let last = solution.last.min().unwrap_or_default();
        let mut values: Vec<(Var, u128)> = solution.bytes(last).map(|(v, b)| (v, b.into())).collect();
        values.sort_unstable();
        found = Found::Values(values);
        ControlFlow::Break(())
    });
    Some(found)
}

/// Is it a condition on one byte that the byte's set already says?
fn follows_from_sets(pool: &mut Pool, path: &Path, cond: Term) -> bool {
    byte_condition(pool, cond).is_some_and(|(var, set)| path.allowed(var).is_subset(set))
}
