//! From C, C++ and LLVM bitcode to Rejoin's IR: the only crate that knows LLVM.
//!
//! [`load`] compiles what is source, links everything with the C library, runs the passes and
//! lowers the result into a [`rejoin_ir::Module`]. What the lowering has no words for becomes
//! `Inst::Unsupported` and ends only the path that reaches it.
//!
//! LLVM may abort the process on damaged bitcode: programs use [`load_contained`], or [`load_cached`].

mod cache;
mod compile;
mod contain;
mod embedded;
mod error;
mod input;
mod link;
mod llvm;
mod lower;
mod options;
mod passes;

pub use cache::load_cached;
pub use contain::{CHILD_COMMAND, child_main, load_contained};
pub use embedded::{claim, combine, embedded};
pub use error::Error;
pub use options::{LibcDir, Options, Passes};

/// Loads a program.
///
/// # Errors
/// When an input cannot be read, compiled, linked, or has no entry function.
pub fn load(options: &Options) -> Result<rejoin_ir::Module, Error> {
    load_in(&mut llvm::Context::new(), options, &input::all_compiled(options)?)
}

fn load_in(
    cx: &mut llvm::Context,
    options: &Options,
    contents: &[Vec<u8>],
) -> Result<rejoin_ir::Module, Error> {
    let module = link::link(cx, options, contents)?;
    passes::run(module, &options.passes)?;
    Ok(lower::lower(module, &options.passes))
}
