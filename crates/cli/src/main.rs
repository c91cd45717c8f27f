//! The `rejoin` command.
fn main() {}
