//! Polynomials of degree 2 and 3, by finite differences: v + Δ·y + Δ²·y(y-1)/2 + Δ³·y(y-1)(y-2)/6, where
//! y counts from the first value of x. Modulo 2^width; the binomials are computed in as many bits as they
//! need.

use super::{mask, resize, signed};
use rejoin_expr::{Binary, Pool, Term};

const DEGREE: usize = 3;

pub(super) fn fill(pool: &mut Pool, x: Term, width: u32, ds: &[u128], values: &[u128]) -> Option<Term> {
    let mut points: Vec<(u128, u128)> = ds.iter().copied().zip(values.iter().copied()).collect();
    points.sort_unstable();
    let first = points[0].0;
    let run = points.iter().enumerate().take_while(|(n, p)| p.0 == first + *n as u128).count();
    // One point more than the degree says that it is no coincidence.
    if run < DEGREE + 2 {
        return None;
    }
    let mut row: Vec<i128> = points[..=DEGREE].iter().map(|p| signed(p.1, width)).collect();
    let mut differences = Vec::new();
    while let Some(&head) = row.first() {
        differences.push(head);
        row = row.windows(2).map(|w| signed(w[1].wrapping_sub(w[0]) as u128 & mask(width), width)).collect();
    }
    let at = |d: u128| {
        let y = (d - first) as i128;
        let binomials = [1, y, y * (y - 1) / 2, y * (y - 1) * (y - 2) / 6];
        let terms = differences.iter().zip(binomials).map(|(d, b)| d.wrapping_mul(b));
        terms.fold(0i128, i128::wrapping_add) as u128 & mask(width)
    };
    if points.iter().any(|&(d, v)| at(d) != v & mask(width)) {
        return None;
    }
    // No product of three numbers below 2^n has more than 3·n bits.
    let room = 3 * pool.width(x);
    let y = resize(pool, x, room);
    let first = pool.constant(room, first);
    let y = pool.sub(y, first);
    let mut sum = pool.constant(width, differences[0] as u128);
    let (mut falling, mut factorial) = (y, 1u128);
    for (n, &difference) in differences.iter().enumerate().skip(1) {
        if n > 1 {
            let less = pool.constant(room, n as u128 - 1);
            let factor = pool.sub(y, less);
            falling = pool.mul(falling, factor);
            factorial *= n as u128;
        }
        if difference == 0 {
            continue;
        }
        let (coefficient, binomial) = match difference % factorial as i128 {
            0 => (difference / factorial as i128, falling),
            _ => {
                let divisor = pool.constant(room, factorial);
                (difference, pool.binary(Binary::UDiv, falling, divisor))
            }
        };
        let binomial = resize(pool, binomial, width);
        let coefficient = pool.constant(width, coefficient as u128);
        let term = pool.mul(binomial, coefficient);
        sum = pool.add(sum, term);
    }
    Some(sum)
}
