//! `rejoin qce`: query counts and hot variables per source line.

use crate::flags::RunFlags;
use crate::{load, run, say};
use rejoin_analysis::report;
use rejoin_exec::Machine;
use rejoin_solver::Solver;

/// Prints the counts of the program's own functions. The exit code, or what is wrong with the input.
pub(crate) fn qce(flags: &RunFlags) -> Result<u8, String> {
    let (module, _) = load::load(flags)?;
    let m =
        Machine::new(module, Solver::new(rejoin_solver::Options::default()), rejoin_exec::Options::default());
    let counts = run::qce(&flags.qce, &m.module, &m.code);
    let mut lines = report::lines(&m.module, &counts);
    lines.retain(|l| !m.is_library(m.module.functions[l.function.index()].loc));
    say::print(report::Table { module: &m.module, lines: &lines })?;
    Ok(0)
}
