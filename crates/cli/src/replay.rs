//! `rejoin replay`.

use crate::flags::ReplayFlags;
use crate::say;
use rejoin_report::replay::{ReplayOptions, Verdict, exit_code};

/// Replays tests and prints what differs.
pub(crate) fn replay(flags: &ReplayFlags) -> Result<u8, String> {
    let mut options = ReplayOptions { unsafe_replay: flags.unsafe_replay, ..ReplayOptions::default() };
    options.limits.wall = flags.timeout;
    let mut printed = Ok(());
    let checked = rejoin_report::replay::replay(&flags.paths, &options, |c| {
        if printed.is_ok() && (!flags.quiet || matches!(c.verdict, Verdict::Differ(_))) {
            printed = say::print(format_args!("{}: {}\n", c.record.name, c.verdict));
        }
    })
    .map_err(|e| e.to_string())?;
    let agree = checked.iter().filter(|c| c.verdict == Verdict::Agree).count();
    printed?;
    say::print(format_args!("{agree} of {} tests agree\n", checked.len()))?;
    Ok(exit_code(checked.iter().map(|c| &c.verdict)))
}
