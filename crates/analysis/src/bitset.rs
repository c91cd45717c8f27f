//! Dense sets of small numbers.

/// A set of numbers below a bound that is fixed when the set is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct BitSet {
    words: Box<[u64]>,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    #[must_use]
    pub fn new(bound: usize) -> Self {
        BitSet { words: vec![0; bound.div_ceil(64)].into_boxed_slice() }
    }

    /// Whether `i` is in it.
    #[must_use]
    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        self.words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 != 0)
    }

    /// Adds `i`, which is below the bound.
    #[inline]
    pub fn insert(&mut self, i: usize) {
        self.words[i / 64] |= 1 << (i % 64);
    }

    /// Removes `i`, which is below the bound.
    #[inline]
    pub fn remove(&mut self, i: usize) {
        self.words[i / 64] &= !(1 << (i % 64));
    }

    /// Adds all of `other`, a set with the same bound; whether that added anything.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut grown = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            grown |= *b & !*a != 0;
            *a |= b;
        }
        grown
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// How many numbers are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.iter_from(0)
    }

    /// The numbers from `start` on, ascending.
    pub fn iter_from(&self, start: usize) -> impl Iterator<Item = usize> + '_ {
        let first = start / 64;
        self.words.iter().enumerate().skip(first).flat_map(move |(i, &word)| {
            let mut rest = if i == first { word & (!0 << (start % 64)) } else { word };
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = BitSet::new(200);
        for i in [3, 64, 127, 199] {
            set.insert(i);
        }
        set.remove(127);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 199]);
        assert_eq!(set.iter_from(4).collect::<Vec<_>>(), [64, 199]);
        assert_eq!(set.len(), 3);
        assert!(set.contains(199) && !set.contains(127) && !set.contains(10_000));
        let mut more = BitSet::new(200);
        assert!(more.is_empty() && more.union(&set) && !more.union(&set));
        assert_eq!(more, set);
    }
}
