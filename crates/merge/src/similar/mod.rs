//! Similarity relations.

mod always;
mod live;
mod qce;

pub use always::Always;
pub use live::Live;
pub use qce::Qce;

use rejoin_exec::{Against, Machine, State};

/// A relation between states that the machine can merge.
pub trait Similarity {
    /// `Ok` if merging the two is worth it, else what stands against it.
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against>;
}
