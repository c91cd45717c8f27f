//! Similarity relations.

mod always;
mod live;
mod qce;

pub use always::Always;
pub use live::Live;
pub use qce::Qce;

use rejoin_exec::{Machine, State};

/// A relation between states that the machine can merge.
pub trait Similarity {
    /// Whether merging the two is worth it.
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> bool;
}
