//! Patterns and if-then-else terms as rivals at one loop: where a loop merges often, some of what fits a pattern
//! is merged by if-then-else terms instead, and what the states of both ask afterwards is compared.
//!
//! The account of a loop says what merging costs beside forking, which has to be guessed. This comparison needs
//! no guess: both ways merge the same kind of groups, in turn, so that those of either kind have had as long to
//! ask. A loop that merges seldom never takes part in it, and all that is merged within one outermost region is
//! merged the same way, so that what regular loops say stays regular.

/// The worth of so many merged states is one group that is merged by a pattern in any case. With less, nothing is
/// compared.
const PER_GROUP: i64 = 16;
/// Pairs of groups that are compared at first.
const SAMPLE: u64 = 8;
/// After them, so many groups are merged by patterns for each pair, since costs change.
const BETWEEN: u64 = 30;

/// The two ways to merge groups that fit a pattern, at one loop.
#[derive(Clone, Default, Debug)]
pub(super) struct Rivals {
    /// Groups that were merged by patterns and are not compared.
    alone: u64,
    /// Those that are compared, by patterns and by terms, and what followed.
    groups: [u64; 2],
    costs: [i64; 2],
    /// The outermost region of the last group, and how it is merged.
    last: Option<(u32, Rival)>,
}

/// How a group that fits a pattern is merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rival {
    /// By a pattern, and nothing is compared.
    Alone,
    /// By a pattern, and compared.
    Pattern,
    /// By if-then-else terms, and compared.
    Terms,
}

impl Rivals {
    /// How the next group is merged, in an outermost region with this number.
    pub(super) fn next(&mut self, worth: i64, outermost: u32) -> Rival {
        if let Some((_, rival)) = self.last.filter(|last| last.0 == outermost) {
            return rival;
        }
        let [patterns, terms] = self.groups;
        let first = worth.unsigned_abs() / PER_GROUP.unsigned_abs();
        let due = first + BETWEEN * terms.saturating_sub(SAMPLE - 1);
        let rival = if worth < PER_GROUP || patterns == terms && self.alone < due {
            self.alone += 1;
            Rival::Alone
        } else if patterns == terms {
            self.groups[0] += 1;
            Rival::Pattern
        } else {
            self.groups[1] += 1;
            Rival::Terms
        };
        self.last = Some((outermost, rival));
        rival
    }

    /// A state asked something whose last merge was of such a group.
    pub(super) fn charge(&mut self, rival: Rival, cost: i64) {
        let sum = match rival {
            Rival::Alone => return,
            Rival::Pattern => &mut self.costs[0],
            Rival::Terms => &mut self.costs[1],
        };
        *sum = sum.saturating_add(cost);
    }

    /// What patterns have cost more than if-then-else terms would have, as far as that is known. A quarter more is
    /// no difference that so few groups can show.
    pub(super) fn excess(&self) -> i64 {
        let ([groups, terms], [by_patterns, by_terms]) = (self.groups, self.costs);
        let more = by_patterns.saturating_sub(by_terms);
        if terms < SAMPLE || groups > terms || more <= by_terms / 4 {
            return 0;
        }
        let all = i64::try_from(self.alone + groups).unwrap_or(i64::MAX);
        more.saturating_mul(all) / i64::try_from(groups).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORTH: i64 = 128;

    fn nexts(rivals: &mut Rivals, regions: std::ops::Range<u32>) -> Vec<Rival> {
        regions.map(|n| rivals.next(WORTH, n)).collect()
    }

    #[test]
    fn a_loop_that_merges_seldom_is_merged_by_patterns() {
        let mut rivals = Rivals::default();
        let first = WORTH as u32 / PER_GROUP as u32;
        assert!(nexts(&mut rivals, 0..first).iter().all(|r| *r == Rival::Alone));
        assert_eq!(nexts(&mut rivals, first..first + 3), [Rival::Pattern, Rival::Terms, Rival::Pattern]);
    }

    #[test]
    fn what_is_in_one_region_is_merged_the_same_way() {
        let mut rivals = Rivals::default();
        nexts(&mut rivals, 0..20);
        let rival = rivals.next(WORTH, 20);
        assert!((0..100).all(|_| rivals.next(WORTH, 20) == rival));
        assert_ne!(rivals.next(WORTH, 21), rival);
    }

    #[test]
    fn where_merges_are_worth_nothing_they_are_by_patterns() {
        let mut rivals = Rivals::default();
        assert!((0..100).all(|n| rivals.next(PER_GROUP - 1, n) == Rival::Alone));
    }

    #[test]
    fn one_group_in_many_is_merged_by_terms_after_the_sample() {
        let mut rivals = Rivals::default();
        nexts(&mut rivals, 0..10_000);
        let later = nexts(&mut rivals, 10_000..10_000 + 100 * (BETWEEN as u32 + 2));
        assert_eq!(later.iter().filter(|r| **r == Rival::Terms).count(), 100);
    }

    #[test]
    fn the_difference_is_that_of_all_groups_by_patterns() {
        let compared = |by_pattern: i64, by_terms: i64| {
            let mut rivals = Rivals::default();
            while rivals.groups[1] < SAMPLE {
                let rival = rivals.next(WORTH, (rivals.alone + rivals.groups.iter().sum::<u64>()) as u32);
                rivals.charge(rival, if rival == Rival::Terms { by_terms } else { by_pattern });
            }
            rivals.excess() / (rivals.alone + rivals.groups[0]) as i64
        };
        assert_eq!(compared(30, 20), 10);
        assert_eq!(compared(24, 20), 0);
        assert_eq!(compared(20, 30), 0);
    }
}
