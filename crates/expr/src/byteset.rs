//! Sets of byte values.

/// A set of the 256 values of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    /// No value.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// Every value.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    /// Is `byte` in the set?
    #[must_use]
    #[inline]
    pub fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    /// Adds `byte`.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    /// The values in either set.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// The values in both sets.
    #[must_use]
    #[inline]
    pub fn intersect(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// The values not in the set.
    #[must_use]
    #[inline]
    pub fn complement(self) -> Self {
        ByteSet(self.0.map(|word| !word))
    }

    /// Is every value of this set in `other`?
    #[must_use]
    #[inline]
    pub fn is_subset(self, other: Self) -> bool {
        self.intersect(other) == self
    }

    /// Is there no value?
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// How many values.
    #[must_use]
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The least value.
    #[must_use]
    #[inline]
    pub fn min(self) -> Option<u8> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(64 * word as u8 + self.0[word].trailing_zeros() as u8)
    }

    /// The greatest value.
    #[must_use]
    #[inline]
    pub fn max(self) -> Option<u8> {
        let word = self.0.iter().rposition(|word| *word != 0)?;
        Some(64 * word as u8 + 63 - self.0[word].leading_zeros() as u8)
    }

    /// The values, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    #[inline]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        ByteSet(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = ByteSet::EMPTY;
        for byte in bytes {
            set.insert(byte);
        }
        set
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operations_are_those_of_sets() {
        let a: ByteSet = [0, 63, 64, 255].into_iter().collect();
        let b: ByteSet = [63, 128].into_iter().collect();
        assert_eq!(a.union(b).iter().collect::<Vec<_>>(), [0, 63, 64, 128, 255]);
        assert_eq!(a.intersect(b).iter().collect::<Vec<_>>(), [63]);
        assert_eq!((a.len(), a.complement().len()), (4, 252));
        assert_eq!((a.min(), ByteSet::EMPTY.min()), (Some(0), None));
        assert_eq!((a.max(), b.max(), ByteSet::EMPTY.max()), (Some(255), Some(128), None));
        assert!(a.intersect(b).is_subset(a) && !a.is_subset(b));
        assert_eq!(ByteSet::FULL.complement(), ByteSet::EMPTY);
    }
}
