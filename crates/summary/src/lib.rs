//! Value summaries.
mod guard;
mod names;
mod summary;

pub use guard::{Diagrams, Guard, Guards};
pub use names::{Counts, Limits, Summaries};
pub use summary::Summary;
