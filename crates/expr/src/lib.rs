//! Hash-consed terms: bit-vectors, booleans, arrays. Calls no solver.

mod node;

pub use node::{Binary, Node, Term, Unary, Var};
