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
    let result = match passes {
        Passes::None => Ok(()),
        Passes::Default => module.run_passes(DEFAULT),
        Passes::List(list) => module.run_passes(list).and_then(|()| module.verify()),
    };
    let name = match passes {
        Passes::List(list) => list,
        _ => DEFAULT,
    };
    result.map_err(|reason| Error::Passes { passes: name.to_owned(), reason })
}
