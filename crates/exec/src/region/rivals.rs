//! Patterns and if-then-else terms as rivals at one loop: where a loop merges often, some of what fits a pattern
//! is merged by if-then-else terms instead, and what the states of both ask afterwards is compared.
//!
//! The account of a loop says what merging costs beside forking, which has to be guessed. This comparison needs
//! no guess: both ways merge the same kind of groups. A loop that merges seldom never takes part in it, so that
//! what regular loops say stays regular.

/// The worth of so many merged states are as many groups that are merged by patterns in any case.
const PER_GROUP: u64 = 16;
/// Groups of each kind that are compared.
const SAMPLE: u64 = 8;
/// After the sample, one group in so many is merged by if-then-else terms, since costs change.
const RARE: u64 = 32;

/// What merges of one kind were followed by.
#[derive(Clone, Copy, Default, Debug)]
struct Rival {
    groups: u64,
    cost: i64,
}

/// The two ways to merge groups that fit a pattern, at one loop.
#[derive(Clone, Default, Debug)]
pub(super) struct Rivals {
    patterns: Rival,
    terms: Rival,
}

impl Rivals {
    /// Whether the next group is merged by a pattern.
    pub(super) fn next_by_pattern(&mut self, worth: i64) -> bool {
        let (p, t) = (self.patterns.groups, self.terms.groups);
        let first = worth.unsigned_abs() / PER_GROUP;
        let by_pattern = if t < SAMPLE { p < first + t } else { p < RARE * t };
        let rival = if by_pattern { &mut self.patterns } else { &mut self.terms };
        rival.groups += 1;
        by_pattern
    }

    /// A state asked something whose last merge was of such a group.
    pub(super) fn charge(&mut self, by_pattern: bool, cost: i64) {
        let rival = if by_pattern { &mut self.patterns } else { &mut self.terms };
        rival.cost = rival.cost.saturating_add(cost);
    }

    /// What patterns have cost more than if-then-else terms would have, as far as that is known.
    pub(super) fn excess(&self) -> i64 {
        let (p, t) = (self.patterns, self.terms);
        if t.groups < SAMPLE {
            return 0;
        }
        p.cost.saturating_sub(t.cost.saturating_mul(p.groups as i64) / t.groups as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORTH: i64 = 128;

    #[test]
    fn a_loop_that_merges_seldom_is_merged_by_patterns() {
        let mut rivals = Rivals::default();
        assert!((0..WORTH / PER_GROUP as i64).all(|_| rivals.next_by_pattern(WORTH)));
        assert!(!rivals.next_by_pattern(WORTH));
    }

    #[test]
    fn one_group_in_many_is_merged_by_terms_after_the_sample() {
        let mut rivals = Rivals::default();
        (0..10_000).for_each(|_| _ = rivals.next_by_pattern(WORTH));
        let groups = (0..3_300).filter(|_| !rivals.next_by_pattern(WORTH)).count();
        assert_eq!(groups, 100);
    }

    #[test]
    fn what_is_compared_is_the_cost_of_a_group() {
        let mut rivals = Rivals::default();
        while rivals.terms.groups < SAMPLE {
            let by_pattern = rivals.next_by_pattern(WORTH);
            rivals.charge(by_pattern, if by_pattern { 30 } else { 20 });
        }
        assert_eq!(rivals.excess(), 10 * rivals.patterns.groups as i64);
    }
}
