//! a·x+b, modulo 2^width.

use super::{mask, resize, signed};
use rejoin_expr::{Pool, Term};

pub(super) fn fill(pool: &mut Pool, x: Term, width: u32, ds: &[u128], values: &[u128]) -> Option<Term> {
    let second = ds.iter().position(|d| *d != ds[0])?;
    let run = ds[second] as i128 - ds[0] as i128;
    let rise = signed(values[second].wrapping_sub(values[0]) & mask(width), width);
    if rise % run != 0 {
        return None;
    }
    let a = rise / run;
    let b = signed(values[0], width).wrapping_sub(a.wrapping_mul(ds[0] as i128));
    let at = |d: u128| a.wrapping_mul(d as i128).wrapping_add(b) as u128 & mask(width);
    if ds.iter().zip(values).any(|(&d, &v)| at(d) != v & mask(width)) {
        return None;
    }
    let wide = resize(pool, x, width);
    let (a, b) = (pool.constant(width, a as u128), pool.constant(width, b as u128));
    let product = pool.mul(wide, a);
    Some(pool.add(product, b))
}
