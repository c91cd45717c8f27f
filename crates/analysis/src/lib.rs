//! Facts about the IR: pure functions, computed before a program is explored.
//!
//! Control flow ([`mod@cfg`], [`dom`], [`loops`], [`trips`], [`topo`], [`joins`],
//! [`callgraph`]), registers
//! ([`liveness`]) and the future of a state: which query sites may depend on which variable
//! ([`dependence`]), how many queries that makes ([`qce`]), and the same per source line
//! ([`report`]). Counts are [`count::Count`]s.

pub mod bitset;
pub mod callgraph;
pub mod cfg;
pub mod count;
mod defs;
pub mod dependence;
pub mod dom;
pub mod joins;
pub mod liveness;
pub mod loops;
pub mod qce;
pub mod report;
mod scc;
pub mod topo;
pub mod trips;
