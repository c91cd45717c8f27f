//! Results that are remembered: tables that grow with the number of results up to a limit, in which a later result takes
//! the place of an earlier one.

use crate::guard::Guard;

/// Results that are remembered, as a power of two: at first, and at most. More of them would be found more often, but in
/// memory that is far away, or that nobody touched before: that takes longer than to compute some again.
const CACHED: [u32; 2] = [10, 14];

/// Results of an operation on so many guards.
pub(crate) struct Cache<const N: usize> {
    /// Operands and their result.
    slots: Vec<([u32; N], u32)>,
    bits: u32,
    /// Results so far.
    results: usize,
}

impl<const N: usize> Cache<N> {
    pub(crate) fn new() -> Self {
        Cache { slots: vec![([u32::MAX; N], 0); 1 << CACHED[0]], bits: CACHED[0], results: 0 }
    }

    #[inline]
    fn slot(&self, of: [u32; N]) -> usize {
        let mix = |key: u64, g: u32| (key.rotate_left(32) ^ u64::from(g)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (of.into_iter().fold(0, mix) >> (64 - self.bits)) as usize
    }

    #[inline]
    pub(crate) fn get(&self, of: [Guard; N]) -> Option<u32> {
        let of = of.map(Guard::bits);
        let (known, result) = self.slots[self.slot(of)];
        (known == of).then_some(result)
    }

    pub(crate) fn insert(&mut self, of: [Guard; N], result: u32) {
        let of = of.map(Guard::bits);
        let slot = self.slot(of);
        self.slots[slot] = (of, result);
        self.results += 1;
    }

    pub(crate) fn forget(&mut self, of: [Guard; N]) {
        if self.get(of).is_some() {
            let slot = self.slot(of.map(Guard::bits));
            self.slots[slot] = ([u32::MAX; N], 0);
        }
    }

    /// Makes room for as many results as there were.
    pub(crate) fn fit(&mut self) {
        while self.results > self.slots.len() && self.bits < CACHED[1] {
            self.bits += 1;
            let old = std::mem::replace(&mut self.slots, vec![([u32::MAX; N], 0); 1 << self.bits]);
            for (of, result) in old.into_iter().filter(|s| s.0[0] != u32::MAX) {
                let slot = self.slot(of);
                self.slots[slot] = (of, result);
            }
        }
    }

    /// The result of some operation with this first operand: for a planted fault.
    pub(crate) fn stale(&self, first: Guard) -> Option<u32> {
        self.slots.iter().find(|s| s.0[0] == first.bits()).map(|s| s.1)
    }
}
