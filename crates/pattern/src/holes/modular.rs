//! x mod p selects: for each remainder of x by p, a constant or a·(x div p)+b.

use super::linear;
use rejoin_expr::{Binary, Pool, Term};

/// Longer periods are not looked for.
const LONGEST: u128 = 8;

pub(super) fn fill(pool: &mut Pool, x: Term, width: u32, ds: &[u128], values: &[u128]) -> Option<Term> {
    (2..=LONGEST).find_map(|period| of_period(pool, x, width, ds, values, period))
}

fn of_period(
    pool: &mut Pool,
    x: Term,
    width: u32,
    ds: &[u128],
    values: &[u128],
    period: u128,
) -> Option<Term> {
    let p = pool.constant(pool.width(x), period);
    let (quotient, remainder) = (pool.binary(Binary::UDiv, x, p), pool.binary(Binary::URem, x, p));
    let mut selected: Option<Term> = None;
    for class in (0..period).rev() {
        let points = ds.iter().zip(values).filter(|(d, _)| *d % period == class);
        let (quotients, values): (Vec<u128>, Vec<u128>) = points.map(|(d, v)| (d / period, *v)).unzip();
        let constant = values.first().is_some_and(|first| values.iter().all(|v| v == first));
        // Two points are on a line whatever they are.
        let t = match values.len() {
            2.. if constant => pool.constant(width, values[0]),
            3.. => linear::fill(pool, quotient, width, &quotients, &values)?,
            _ => return None,
        };
        selected = Some(match selected {
            None => t,
            Some(rest) => {
                let class = pool.constant(pool.width(x), class);
                let here = pool.eq(remainder, class);
                pool.ite(here, t, rest)
            }
        });
    }
    selected
}
