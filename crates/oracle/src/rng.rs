//! A small seeded generator of random numbers, so that a program depends on its seed and on nothing else.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of `seed`; `attempt` selects one of many independent streams of the same seed.
    pub fn new(seed: u64, attempt: u64) -> Self {
        let mut rng = Rng(seed ^ attempt.wrapping_mul(0xd134_2543_de82_ef95));
        rng.bits();
        rng
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high + 1 - low)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One element of a slice that is not empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One element of a table of (weight, value) whose weights are not all zero.
    pub fn weighted<T: Copy>(&mut self, table: &[(usize, T)]) -> T {
        let mut at = self.below(table.iter().map(|row| row.0).sum());
        for &(weight, value) in table {
            if at < weight {
                return value;
            }
            at -= weight;
        }
        table[table.len() - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let take = |seed, attempt| {
            let mut rng = Rng::new(seed, attempt);
            (0..4).map(|_| rng.bits()).collect::<Vec<_>>()
        };
        assert_eq!(take(1, 0), take(1, 0));
        assert_ne!(take(1, 0), take(2, 0));
        assert_ne!(take(1, 0), take(1, 1));
    }

    #[test]
    fn weights_of_zero_are_never_drawn() {
        let mut rng = Rng::new(7, 0);
        for _ in 0..200 {
            assert_ne!(rng.weighted(&[(0, 'a'), (3, 'b'), (0, 'c'), (1, 'd'), (0, 'e')]), 'a');
            assert!(['b', 'd'].contains(&rng.weighted(&[(0, 'a'), (3, 'b'), (0, 'c'), (1, 'd'), (0, 'e')])));
        }
    }
}
