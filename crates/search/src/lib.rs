//! `pick_next`: strategies, one per file, and how they combine. All are told of insertions and
//! removals, pick in constant or logarithmic time, and are deterministic for a seed.

mod bfs;
mod coverage;
mod dfs;
mod fast_forward;
mod random_path;
mod random_state;
mod rng;
mod round_robin;
mod topological;
mod until_covered;

pub use bfs::Bfs;
pub use coverage::{Coverage, Distance, Goal};
pub use dfs::Dfs;
pub use fast_forward::{FastForward, Forwards, Histories};
pub use random_path::RandomPath;
pub use random_state::RandomState;
pub use rng::Rng;
pub use round_robin::RoundRobin;
pub use topological::{Order, Topological};
pub use until_covered::UntilCovered;

#[cfg(test)]
mod tests;
