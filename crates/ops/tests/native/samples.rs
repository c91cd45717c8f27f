//! Operands to try: special ones and random ones.

use crate::random::Random;
use rejoin_ir::FloatType;

/// (fraction bits below the integer bit, whether that is stored, bits of the exponent)
fn layout(ty: FloatType) -> (u32, bool, u32) {
    match ty {
        FloatType::Half => (10, false, 5),
        FloatType::BFloat => (7, false, 8),
        FloatType::Float => (23, false, 8),
        FloatType::Double => (52, false, 11),
        FloatType::X86Fp80 => (63, true, 15),
        FloatType::Fp128 => (112, false, 15),
    }
}

fn assemble(ty: FloatType, negative: bool, exponent: u128, fraction: u128) -> u128 {
    let (fraction_bits, explicit, exponent_bits) = layout(ty);
    let exponent = exponent & ((1 << exponent_bits) - 1);
    let integer = u128::from(explicit && exponent != 0);
    let fraction = fraction & ((1 << fraction_bits) - 1);
    let low = integer << fraction_bits | fraction;
    let at = fraction_bits + u32::from(explicit);
    u128::from(negative) << (at + exponent_bits) | exponent << at | low
}

/// Zeros, units, extremes, infinities, NaNs quiet and signaling, each with both signs.
pub(crate) fn special(ty: FloatType) -> Vec<u128> {
    let (fraction_bits, _, exponent_bits) = layout(ty);
    let ones = (1_u128 << exponent_bits) - 1;
    let (bias, quiet) = (ones >> 1, 1_u128 << (fraction_bits - 1));
    let mut all = Vec::new();
    for negative in [false, true] {
        for exponent in [0, 1, 2, bias - 1, bias, bias + 1, bias + 2, ones - 1, ones] {
            for fraction in [0, 1, 5, quiet, quiet | 1, quiet | 6, u128::MAX] {
                all.push(assemble(ty, negative, exponent, fraction));
            }
        }
    }
    all
}

/// A random number, often near 1 so that operands interact, and near a boundary of integer types.
pub(crate) fn random(ty: FloatType, random: &mut Random) -> u128 {
    let (fraction_bits, _, exponent_bits) = layout(ty);
    let bias = (1_u128 << (exponent_bits - 1)) - 1;
    let exponent = match random.below(8) {
        0 => u128::from(random.next()),
        1 => u128::from(random.below(u64::from(fraction_bits) + 3)),
        2..=4 => bias.wrapping_sub(4) + u128::from(random.below(8)),
        _ => bias.wrapping_sub(4) + u128::from(random.below(140)),
    };
    assemble(ty, random.below(2) == 0, exponent, random.patterned())
}

/// Tuples of operands of a type: all pairs of special ones, and `count` random ones.
pub(crate) fn tuples(ty: FloatType, arity: usize, count: usize, seed: u64) -> Vec<Vec<u128>> {
    let mut source = Random(seed);
    let special = special(ty);
    let mut all: Vec<Vec<u128>> = match arity {
        1 => special.iter().map(|&a| vec![a]).collect(),
        2 => special.iter().flat_map(|&a| special.iter().map(move |&b| vec![a, b])).collect(),
        _ => {
            let some: Vec<_> = special.iter().copied().step_by(5).collect();
            let with = |a, b| some.iter().map(move |&c| vec![a, b, c]);
            some.iter().flat_map(|&a| some.iter().flat_map(move |&b| with(a, b))).collect()
        }
    };
    for _ in 0..count {
        let pick = |source: &mut Random| match source.below(3) {
            0 => special[source.below(special.len() as u64) as usize],
            _ => random(ty, source),
        };
        all.push((0..arity).map(|_| pick(&mut source)).collect());
    }
    all
}

/// Encodings of the x87 format that it makes no more: its integer bit contradicts its exponent.
pub(crate) fn obsolete() -> Vec<u128> {
    let integer = 1 << 63;
    special(FloatType::X86Fp80).into_iter().map(|a| a ^ integer).collect()
}
