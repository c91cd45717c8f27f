//! The `rejoin` command.
//!
//! Exit codes of `run`: 0 exhaustive and no error found, 1 an error in the program was found, 2 bad
//! usage or bad input, 3 incomplete, 70 a failure of Rejoin itself.

mod cc;
mod coverage;
mod estimate;
mod flags;
mod load;
mod merging;
mod outcomes;
mod qce;
mod record;
mod replay;
mod resources;
mod run;
mod say;
mod trial;
mod world;

use clap::Parser;
use flags::{Cli, Command};
use std::process::ExitCode;

/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// A failure of Rejoin itself.
const OUR_FAULT: u8 = 70;
/// Bytes of stack; what is not used costs addresses only.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().and_then(|n| n.into_string().ok());
    if name.as_deref() == Some(rejoin_bitcode::CHILD_COMMAND) {
        return rejoin_bitcode::child_main();
    }
    if let Some(language) = name.as_deref().and_then(cc::Language::of_command) {
        // A compiler's options are not clap's.
        exit(std::panic::catch_unwind(|| cc::cc(language, arguments.collect())));
    }
    let command = Cli::parse().command;
    exit(on_large_stack(|| match command {
        Command::Run(flags) => run::run(&flags),
        Command::Qce(flags) => qce::qce(&flags),
        Command::Replay(flags) => replay::replay(&flags),
        Command::Cc { arguments } => cc::cc(cc::Language::C, arguments),
        Command::Cxx { arguments } => cc::cc(cc::Language::Cxx, arguments),
    }))
}

/// Terms and trees of merged paths may be deep, and are walked by recursion.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::thread::Result<T> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread.join(),
            Err(error) => Err(Box::new(error) as Box<dyn std::any::Any + Send>),
        }
    })
}

fn exit(result: std::thread::Result<Result<u8, String>>) -> ! {
    let code = match result {
        Ok(Ok(code)) => code,
        Ok(Err(message)) => {
            say::tell(format_args!("rejoin: {message}\n"));
            BAD_INPUT
        }
        Err(_) => {
            say::tell("rejoin: this is a fault of Rejoin; tests found so far are in the output directory\n");
            OUR_FAULT
        }
    };
    // Without destructors: a solver call that nobody waits for may still be running.
    signal_hook::low_level::exit(code.into())
}
