//! Everything that can merge does, as long as that pays: value summaries count what merging costs.
//!
//! Merging costs steps of diagrams. It saves states, each of which would have cost instructions and questions of
//! its own. Where guards are sets of orders of the input, of which there are about as many as paths, a merge
//! costs more than the state that it saves, and each costs more than the one before. So steps are counted by
//! place: a place where merges took more than [`STEPS_PER_MERGE`] steps on average, beyond what everybody may
//! take, has no more of them, and its states stay apart. That loses nothing. No clock is asked, so a
//! run does the same again.

use super::Similarity;
use rejoin_exec::{Against, Machine, State};

/// Steps that a merge may take: about what a path of its own would cost.
const STEPS_PER_MERGE: u64 = 1_500;

/// Steps that the merges of a place may take in any case.
const STEPS: u64 = 10_000;

/// States are similar where merging has paid so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paying;

impl Similarity for Paying {
    fn similar(&mut self, _: &Machine, _: &State, _: &State) -> Result<(), Against> {
        Ok(())
    }

    fn pays_at(&mut self, m: &Machine, s: &State) -> Result<(), Against> {
        match m.tallies.get(&(s.frame.func, s.frame.pc)) {
            Some(tally) if tally.steps > STEPS + STEPS_PER_MERGE * tally.merges => Err(Against::Cost),
            _ => Ok(()),
        }
    }

    fn abstraction(&mut self, _: &Machine, _: &State, _: &mut Vec<u64>) {}
}
