//! What the chain did.

/// A link of the chain, in the order in which they are asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Link {
    /// The condition is a constant, or the path a contradiction.
    Constant,
    /// The path's witness satisfies the condition.
    Witness,
    /// Decided by the sets of bytes that variables may have.
    ByteSets,
    /// Decided after putting in the bytes that the path leaves no choice for.
    Simplify,
    /// Impossible by the bounds of its bytes.
    Ranges,
    /// The condition's negation is on the path.
    Negation,
    /// Decided by the diagrams of the conditions.
    Diagrams,
    /// A recent model satisfies the condition.
    RecentModel,
    /// A subset is known to be unsatisfiable.
    UnsatSubset,
    /// A superset is known to be satisfiable.
    SatSuperset,
    /// All values of the few bytes in question were tried.
    Enumeration,
    /// Decided by what is less than what.
    Order,
    /// Possible with the positions of the witness.
    Placed,
    /// The solver was asked with most variables fixed to the witness.
    Neighbourhood,
    /// The solver was asked for all that the condition depends on.
    Backend,
}

impl Link {
    /// All links, in order.
    pub const ALL: [Link; 15] = [
        Link::Constant,
        Link::Witness,
        Link::ByteSets,
        Link::Simplify,
        Link::Ranges,
        Link::Negation,
        Link::Diagrams,
        Link::RecentModel,
        Link::UnsatSubset,
        Link::SatSuperset,
        Link::Enumeration,
        Link::Order,
        Link::Placed,
        Link::Neighbourhood,
        Link::Backend,
    ];
}

/// Counts of a solver's work. Only the seconds depend on the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Feasibility questions.
    pub queries: u64,
    /// Questions decided by each link, in the order of [`Link::ALL`].
    pub decided: [u64; Link::ALL.len()],
    /// Calls of the backend.
    pub backend_calls: u64,
    /// Time spent in the backend, validation excluded.
    pub backend_seconds: f64,
    /// Time of the slowest of these calls, on the clock.
    pub slowest_seconds: f64,
    /// Term nodes that were translated for the backend.
    pub nodes_sent: u64,
    /// Calls that ended at their time limit.
    pub timeouts: u64,
    /// Calls that were interrupted, or ended with the run's time.
    pub interrupted: u64,
    /// Other calls without an answer, wrong models included.
    pub gave_up: u64,
    /// Models of the backend that did not satisfy what was asked.
    pub bad_models: u64,
    /// Answers cross-checked with the other solver.
    pub validated: u64,
    /// Cross-checks that found no answer in time.
    pub undecided: u64,
    /// Cross-checks that contradicted the answer.
    pub mismatches: u64,
    /// Calls about conditions with quantifiers.
    pub quantified_queries: u64,
    /// Answered with the quantifiers stripped, or expanded at once.
    pub strip_hits: u64,
    /// Answered by putting one byte everywhere.
    pub duplicate_hits: u64,
    /// Answered by repairing that.
    pub repair_hits: u64,
    /// Answered by instantiating what models violate.
    pub instantiation_hits: u64,
    /// Handed to a solver that knows quantifiers.
    pub fallbacks: u64,
    /// Unsatisfiable sets of conditions in the cache.
    pub cached_unsat: usize,
    /// Satisfiable sets of conditions in the cache.
    pub cached_sat: usize,
}

impl Statistics {
    /// Questions decided by a link.
    #[must_use]
    pub fn decided_by(&self, link: Link) -> u64 {
        self.decided[link as usize]
    }

    pub(crate) fn count(&mut self, link: Link) {
        self.decided[link as usize] += 1;
    }
}
