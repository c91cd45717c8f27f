//! The `rejoin` command.
//!
//! Exit codes of `run`: 0 exhaustive and no error found, 1 an error in the program was found, 2 bad
//! usage or bad input, 3 incomplete, 70 a failure of Rejoin itself.

mod coverage;
mod flags;
mod load;
mod merging;
mod outcomes;
mod qce;
mod record;
mod replay;
mod resources;
mod run;
mod world;

use clap::Parser;
use flags::{Cli, Command};
use std::process::ExitCode;

/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// A failure of Rejoin itself.
const OUR_FAULT: u8 = 70;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(rejoin_bitcode::CHILD_COMMAND) {
        return rejoin_bitcode::child_main();
    }
    let result = std::panic::catch_unwind(|| match Cli::parse().command {
        Command::Run(flags) => run::run(&flags),
        Command::Qce(flags) => qce::qce(&flags),
        Command::Replay(flags) => replay::replay(&flags),
    });
    let code = match result {
        Ok(Ok(code)) => code,
        Ok(Err(message)) => {
            eprintln!("rejoin: {message}");
            BAD_INPUT
        }
        Err(_) => {
            eprintln!("rejoin: this is a fault of Rejoin; tests found so far are in the output directory");
            OUR_FAULT
        }
    };
    ExitCode::from(code)
}
