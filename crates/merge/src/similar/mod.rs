//! Similarity relations.

mod always;
mod live;
mod paying;
mod qce;
mod qce_full;
mod variables;

pub use always::Always;
pub use live::Live;
pub use paying::Paying;
pub use qce::Qce;
pub use qce_full::QceFull;

use rejoin_exec::{Against, Machine, State};

/// A relation between states that the machine can merge.
pub trait Similarity {
    /// `Ok` if merging the two is worth it, else what stands against it.
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against>;

    /// `Err` if no state that is where `s` is should be merged, which is asked before any pair.
    fn pays_at(&mut self, _m: &Machine, _s: &State) -> Result<(), Against> {
        Ok(())
    }

    /// What the relation looks at in a state, beside its place: states of one place are expected to
    /// be similar if this is equal. It may be coarser or finer than the relation.
    fn abstraction(&mut self, m: &Machine, s: &State, out: &mut Vec<u64>);
}
