//! Whether an effort is worth it.
//!
//! Diagrams answer some questions far faster than the backend, and others far slower; which, depends on the
//! program. So questions are answered with the effort and without it, what each cost in the end is counted, and
//! what was cheaper lately is done from then on. The other way goes on being tried, as long as that takes a small
//! part of what all questions take: so one expensive question is not asked again and again to learn what is known.

/// One part in so many of what questions cost may be spent on the way that is not the cheaper one.
const SHARE: u64 = 32;
/// So much is spent on the effort before it is judged: what the first questions make, later ones find.
const FIRST: u64 = 1 << 14;
/// So many questions are what is remembered.
const LATELY: u64 = 32;

/// What questions cost so far.
#[derive(Default)]
pub(crate) struct Effort {
    /// With the effort, and without it: the mean cost lately, times `LATELY`, if there is one.
    ways: [Option<u64>; 2],
    spent: u64,
    /// What may be spent on the way that is not the cheaper one, times `SHARE`.
    credit: u64,
    /// Which way the present question goes, and whether it is the cheaper one.
    way: Option<(bool, bool)>,
}

impl Effort {
    /// Another question is asked.
    pub(crate) fn begin(&mut self) {
        self.way = None;
    }

    /// Whether to make the effort; the same for all of a question.
    pub(crate) fn is_worth_it(&mut self) -> bool {
        let way = self.way.unwrap_or_else(|| self.choice());
        self.way = Some(way);
        way.0
    }

    fn choice(&self) -> (bool, bool) {
        let [with, without] = self.ways;
        if self.spent < FIRST {
            return (true, true);
        }
        let is_better = without.is_none_or(|without| with.is_some_and(|with| with <= without));
        let other = if is_better { without } else { with };
        let tries_other = other.unwrap_or_default() / LATELY <= self.credit / SHARE;
        (is_better ^ tries_other, !tries_other)
    }

    /// The question is answered. It counts if it was asked whether the effort is worth it.
    pub(crate) fn end(&mut self, cost: u64) {
        let Some((way, is_better)) = self.way.take() else { return };
        let mean = &mut self.ways[usize::from(!way)];
        *mean = Some(mean.map_or(LATELY * cost, |mean| mean - mean / LATELY + cost));
        self.spent += cost;
        self.credit = if is_better { self.credit + cost } else { self.credit.saturating_sub(SHARE * cost) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the effort is made, in a program where each way costs the same all the time, and what all of it
    /// costs.
    fn run(with: u64, without: u64) -> (usize, u64) {
        let (mut effort, mut all) = (Effort::default(), 0);
        let mut ask = || {
            effort.begin();
            let way = effort.is_worth_it();
            let cost = if way { with } else { without };
            effort.end(cost);
            all += cost;
            way
        };
        let made = (0..1000).filter(|_| ask()).count();
        (made, all)
    }

    #[test]
    fn the_cheaper_way_is_gone_nearly_always() {
        assert!(run(10, 100).0 > 980);
        assert!(run(100, 10).0 < FIRST as usize / 100 + 50);
    }

    #[test]
    fn trying_the_other_way_costs_little() {
        for [with, without] in [[10, 100], [100, 10], [10, 100_000]] {
            let least = with.min(without);
            assert!(run(with, without).1 < 1000 * least * (SHARE + 2) / SHARE + with.max(without) + FIRST);
        }
    }

    #[test]
    fn what_was_made_at_first_is_not_held_against_the_effort() {
        let (mut effort, mut all) = (Effort::default(), 0);
        for n in 0..1000 {
            effort.begin();
            let cost = if !effort.is_worth_it() {
                150
            } else if n < 16 {
                300
            } else {
                10
            };
            effort.end(cost);
            all += cost;
        }
        assert!(all < 1000 * 150 / 3, "{all}");
    }

    #[test]
    fn a_question_goes_one_way() {
        let mut effort = Effort::default();
        effort.begin();
        assert!(effort.is_worth_it() && effort.is_worth_it());
        effort.end(2 * FIRST);
        effort.begin();
        assert!(!effort.is_worth_it() && !effort.is_worth_it(), "the other way was never gone");
        effort.end(3 * FIRST);
        let before = effort.ways;
        effort.begin();
        effort.end(7);
        assert_eq!(effort.ways, before, "nobody asked");
    }
}
