//! Random numbers.

/// A small generator of random numbers (splitmix64), the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// Bits in long runs as well as noise.
    pub(crate) fn patterned(&mut self) -> u128 {
        let runs = |random: &mut Self| {
            let (from, to) = (random.below(128), random.below(128));
            (u128::MAX << from) ^ (u128::MAX << to)
        };
        match self.below(4) {
            0 => self.wide(),
            1 => runs(self),
            2 => runs(self) ^ runs(self),
            _ => u128::from(self.below(4)),
        }
    }
}
