//! The analyses on small programs.

mod calls;
mod echo;
mod graphs;
mod large;
mod liveness;
mod memory;
mod random;
mod report;
mod taint;
mod trips;
mod unrolled;
