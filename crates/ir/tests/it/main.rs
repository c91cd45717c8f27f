//! Tests of the IR crate through its public face.

mod broken;
mod encode;
mod generate;
mod query;
mod text;
