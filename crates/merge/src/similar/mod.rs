//! Similarity relations.

mod always;
mod live;
mod qce;
mod qce_full;
mod variables;

pub use always::Always;
pub use live::Live;
pub use qce::Qce;
pub use qce_full::QceFull;

use rejoin_exec::{Against, Machine, State};

/// A relation between states that the machine can merge.
pub trait Similarity {
    /// `Ok` if merging the two is worth it, else what stands against it.
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against>;

    /// What the relation looks at in a state, beside its place: states of one place are expected to
    /// be similar if this is equal. It may be coarser or finer than the relation.
    fn abstraction(&mut self, m: &Machine, s: &State, out: &mut Vec<u64>);
}
