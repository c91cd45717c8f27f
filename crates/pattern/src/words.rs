//! Regular patterns: words of the form ω1 ω2^k ω3.

/// Longer cores are not looked for.
const LONGEST_CORE: usize = 256;

/// A regular pattern (Definition 3.3). An empty core means a single word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// ω1
    pub start: Vec<u64>,
    /// ω2
    pub core: Vec<u64>,
    /// ω3
    pub end: Vec<u64>,
}

/// A regular partition (Definition 3.4): words of one pattern, by number, each with its k.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The pattern.
    pub pattern: Pattern,
    /// The words, the one with the largest k first.
    pub members: Vec<(usize, usize)>,
}

impl Group {
    /// The part of the group that is below so many turns of the core, which begin the pattern then.
    #[must_use]
    pub fn below(&self, turns: usize) -> Self {
        let Pattern { start, core, end } = self.pattern.clone();
        let turned = core.iter().cycle().take(turns * core.len());
        let start = start.iter().chain(turned).copied().collect();
        let members = self.members.iter().filter_map(|&(w, k)| Some((w, k.checked_sub(turns)?))).collect();
        Group { pattern: Pattern { start, core, end }, members }
    }
}

impl Pattern {
    /// The k for which the pattern generates the word.
    #[must_use]
    pub fn matches(&self, word: &[u64]) -> Option<usize> {
        let middle = word.strip_prefix(&self.start[..])?.strip_suffix(&self.end[..])?;
        if self.core.is_empty() {
            return middle.is_empty().then_some(0);
        }
        let fits = middle.len() % self.core.len() == 0;
        let mut pieces = middle.chunks_exact(self.core.len());
        (fits && pieces.all(|piece| piece == self.core)).then(|| middle.len() / self.core.len())
    }

    /// The pattern of a word's longest run: the repetition that covers most of it, with the shortest
    /// core; as far left as possible.
    #[must_use]
    pub fn of_word(word: &[u64]) -> Self {
        let mut best: Option<(usize, usize, usize)> = None; // covered, period, start
        for period in 1..=(word.len() / 2).min(LONGEST_CORE) {
            let mut start = 0;
            while start + 2 * period <= word.len() {
                let equal = (start..word.len() - period).take_while(|&i| word[i] == word[i + period]).count();
                let covered = (equal + period) / period * period;
                if equal >= period && best.is_none_or(|b| covered > b.0) {
                    best = Some((covered, period, start));
                }
                start += equal + 1;
            }
        }
        let (covered, period, start) = best.unwrap_or((0, 0, word.len()));
        Pattern {
            start: word[..start].to_vec(),
            core: word[start..start + period].to_vec(),
            end: word[start + covered..].to_vec(),
        }
    }
}

/// Partitions words into regular partitions, unless that takes more than `most` of them: words with these lengths,
/// each of which is made when it is looked at. Words that are equal, which a valid hash excludes, are never in one
/// group.
#[must_use]
pub fn partition(
    lengths: &[usize],
    mut word: impl FnMut(usize) -> Vec<u64>,
    most: usize,
) -> Option<Vec<Group>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&w| std::cmp::Reverse(lengths[w]));
    let mut groups: Vec<Group> = Vec::new();
    for w in order {
        let word = word(w);
        // The longer words come first: of those with the same k, the last one is.
        let fit = |g: &Group| {
            let k = g.pattern.matches(&word)?;
            g.members.last().is_none_or(|m| m.1 != k).then_some(k)
        };
        match groups.iter().enumerate().find_map(|(n, g)| Some((n, fit(g)?))) {
            Some((n, k)) => groups[n].members.push((w, k)),
            None if groups.len() == most => return None,
            None => {
                let pattern = Pattern::of_word(&word);
                let k = pattern.matches(&word).unwrap_or(0);
                groups.push(Group { pattern, members: vec![(w, k)] });
            }
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(text: &str) -> Vec<u64> {
        text.bytes().map(u64::from).collect()
    }

    fn text(letters: &[u64]) -> String {
        letters.iter().map(|l| char::from(*l as u8)).collect()
    }

    #[test]
    fn table_1() {
        let words: Vec<Vec<u64>> =
            ["WR", "WGY", "WGBR", "WGBGY", "WGBGBR", "WGBGBGY", "WGBGBGBR"].map(word).to_vec();
        let groups = groups_of(&words, usize::MAX).expect("as many as there are");
        let shown: Vec<_> = groups
            .iter()
            .map(|g| {
                let p = &g.pattern;
                (text(&p.start), text(&p.core), text(&p.end), g.members.clone())
            })
            .collect();
        let [w, gb, gy, r] = ["W", "GB", "GY", "R"].map(str::to_owned);
        assert_eq!(
            shown,
            [
                (w.clone(), gb.clone(), r, vec![(6, 3), (4, 2), (2, 1), (0, 0)]),
                (w, gb, gy, vec![(5, 2), (3, 1), (1, 0)]),
            ]
        );
    }

    #[test]
    fn a_word_without_a_square_is_its_own_pattern() {
        let pattern = Pattern::of_word(&word("ABC"));
        assert_eq!((text(&pattern.start), pattern.core.len(), pattern.end.len()), ("ABC".into(), 0, 0));
        assert_eq!(pattern.matches(&word("ABC")), Some(0));
        assert_eq!(pattern.matches(&word("AB")), None);
    }

    fn groups_of(words: &[Vec<u64>], most: usize) -> Option<Vec<Group>> {
        let lengths: Vec<usize> = words.iter().map(Vec::len).collect();
        partition(&lengths, |w| words[w].clone(), most)
    }

    proptest! {
        /// Lemma 3.8, and that groups are disjoint and exhaustive.
        #[test]
        fn patterns_reproduce_their_words(words in prop::collection::vec(prop::collection::vec(0u64..3, 0..24), 0..40)) {
            let groups = groups_of(&words, usize::MAX).expect("as many as there are");
            let mut seen = vec![0; words.len()];
            for group in &groups {
                let below = group.below(2);
                for &(w, k) in &below.members {
                    prop_assert!(below.pattern.core.is_empty() || below.pattern.matches(&words[w]) == Some(k));
                }
                let Pattern { start, core, end } = &group.pattern;
                for &(w, k) in &group.members {
                    seen[w] += 1;
                    let made: Vec<u64> =
                        start.iter().chain(core.iter().cycle().take(k * core.len())).chain(end).copied().collect();
                    prop_assert_eq!(&made, &words[w]);
                }
                let mut ks: Vec<usize> = group.members.iter().map(|m| m.1).collect();
                let count = ks.len();
                ks.dedup();
                prop_assert_eq!(ks.len(), count, "each k once");
            }
            prop_assert!(seen.iter().all(|n| *n == 1));
            let same = groups_of(&words, groups.len());
            prop_assert_eq!(same.as_ref(), Some(&groups));
            prop_assert!(groups.is_empty() || groups_of(&words, groups.len() - 1).is_none());
        }

        /// The words of a loop, whatever its parts, are one group if the loop was taken often enough.
        #[test]
        fn loops_are_found(start in prop::collection::vec(0u64..2, 0..4), core in prop::collection::vec(10u64..13, 1..6), end in prop::collection::vec(20u64..22, 0..4), max in 4usize..12) {
            let words: Vec<Vec<u64>> = (0..=max)
                .map(|k| start.iter().chain(core.iter().cycle().take(k * core.len())).chain(&end).copied().collect())
                .collect();
            prop_assert_eq!(groups_of(&words, 1).map(|groups| groups.len()), Some(1));
        }
    }
}
