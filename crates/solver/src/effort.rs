//! How much work diagrams are worth before the backend is asked.
//!
//! Diagrams that are large answer some questions far faster than the backend and others far slower; which,
//! depends on the program. So both is tried, what a question cost in the end is counted, and what was cheaper
//! on average is done from then on, and the other one now and then.

/// So many edges are looked at for each question.
pub(crate) const LITTLE: u32 = 1 << 10;
/// Each way is tried so often before they are compared.
const TRIES: u64 = 8;
/// And later once in so many questions.
const AGAIN: u64 = 64;

/// What questions cost so far that little work did not answer.
#[derive(Default)]
pub(crate) struct Effort {
    /// Of those that took more work, and of the others.
    ways: [Mean; 2],
    asked: u64,
    /// Which way the present question went.
    way: Option<bool>,
}

#[derive(Default)]
struct Mean {
    cost: u64,
    count: u64,
}

impl Mean {
    fn is_below(&self, other: &Mean) -> bool {
        u128::from(self.cost) * u128::from(other.count) <= u128::from(other.cost) * u128::from(self.count)
    }
}

impl Effort {
    /// A question is asked.
    pub(crate) fn begin(&mut self) {
        self.way = None;
    }

    /// Little work did not answer the question: whether to do more.
    pub(crate) fn is_worth_more(&mut self) -> bool {
        if let Some(way) = self.way {
            return way;
        }
        self.asked += 1;
        let [more, little] = &self.ways;
        let cheaper = more.is_below(little);
        let way = match (more.count, little.count) {
            (0..TRIES, _) => true,
            (_, 0..TRIES) => false,
            _ if self.asked.is_multiple_of(AGAIN) => !cheaper,
            _ => cheaper,
        };
        self.way = Some(way);
        way
    }

    /// The question is answered.
    pub(crate) fn end(&mut self, cost: u64) {
        if let Some(way) = self.way.take() {
            let mean = &mut self.ways[usize::from(!way)];
            mean.cost += cost;
            mean.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often more work is done, in a program where each way costs the same all the time.
    fn share(more: u64, little: u64) -> usize {
        let mut effort = Effort::default();
        let mut ask = || {
            effort.begin();
            let way = effort.is_worth_more();
            effort.end(if way { more } else { little });
            way
        };
        (0..1000).filter(|_| ask()).count()
    }

    #[test]
    fn the_cheaper_way_is_gone_nearly_always() {
        assert!(share(10, 100) > 950);
        assert!(share(100, 10) < 50);
    }

    #[test]
    fn a_question_goes_one_way() {
        let mut effort = Effort::default();
        effort.begin();
        assert!(effort.is_worth_more() && effort.is_worth_more());
        effort.end(5);
        assert_eq!((effort.ways[0].count, effort.ways[1].count, effort.asked), (1, 0, 1));
    }
}
