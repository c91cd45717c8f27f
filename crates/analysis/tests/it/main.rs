//! The analyses on small programs.

mod echo;
