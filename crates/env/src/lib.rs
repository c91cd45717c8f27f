//! The Linux system-call layer, as far as a program can see it, as a pure and persistent value.
//!
//! [`Os`] holds files, descriptors, the process and the clock; [`Os::call`] answers one system
//! call. The program's memory is reached through [`Guest`], which the engine implements; bytes may
//! be symbolic and are only carried. Sizes, positions and names are known, but for the size of a file
//! that may be shorter: the engine forks before it calls, or when asked to [`decide`](Guest::decide). A call that the guest stops leaves no
//! trace, so that it can be repeated.
//!
//! There is one process with one thread. Nothing of the host is visible but what
//! [`Os::allow_read`] shows, and nothing of it is ever changed.

mod bytes;
mod calls;
mod data;
mod errno;
mod files;
mod fs;
mod guest;
mod host;
mod lookup;
mod merge;
mod node;
mod os;
mod output;
mod path;
mod process;
mod record;
mod setup;
mod size;
mod stat;

pub use bytes::Bytes;
pub use calls::name;
pub use errno::Errno;
pub use guest::{Fallible, Fault, Guest, Reply};
pub use node::NodeId;
pub use os::{Os, SYMBOLIC_STAT};
pub use output::Output;
pub use setup::{Input, Setup, Sink};
