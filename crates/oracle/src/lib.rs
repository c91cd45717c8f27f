//! The oracle: random programs whose outcomes are known by brute force, to hold against the engine.
//!
//! A generated program ([`mod@gen`], [`ast`], [`print`](mod@print)) has so few inputs that it can be run natively
//! on all of them ([`native`]). The engine has to find the same outcome classes with the same number of inputs in
//! each, in every mode ([`modes`]). A difference is kept and made small ([`shrink`]). Programs without inputs, by
//! csmith, test the machine below ([`csmith`]); planted engine faults test the oracle itself ([`teeth`]).

pub mod accept;
pub mod ast;
pub mod campaign;
pub mod csmith;
pub mod engine;
pub mod feature;
pub mod r#gen;
pub mod keep;
pub mod lines;
pub mod modes;
pub mod native;
pub mod outcome;
pub mod print;
pub mod process;
pub mod rng;
pub mod shrink;
pub mod sweep;
pub mod teeth;
