//! Passes over the linked module.
//!
//! The default must neither hide an error nor merge paths behind the engine's back, and that rules
//! out the usual cleaners. `sroa` deletes accesses that lie outside of a local array; `simplifycfg`
//! deletes the branch that leads to a division by zero or a null dereference and turns small
//! switches into selects, whatever its options. `mem2reg` touches only scalar locals whose address
//! is never taken. Joining straight-line blocks is left to the lowering.

use crate::llvm::Module;
use crate::{Error, Passes};

const DEFAULT: &str = "mem2reg";

/// Runs the passes of the options.
pub(crate) fn run(module: Module, passes: &Passes) -> Result<(), Error> {
    let pipeline = match passes {
        Passes::None => return Ok(()),
        Passes::Default => DEFAULT,
        Passes::List(list) => list,
    };
    module
        .run_passes(pipeline)
        .and_then(|()| module.verify())
        .map_err(|reason| Error::Passes { passes: pipeline.to_owned(), reason })
}
