//! `rejoin replay`.

use crate::flags::ReplayFlags;
use rejoin_report::replay::{ReplayOptions, Verdict, exit_code};

/// Replays tests and prints what differs.
pub(crate) fn replay(flags: &ReplayFlags) -> Result<u8, String> {
    let mut options = ReplayOptions { unsafe_replay: flags.unsafe_replay, ..ReplayOptions::default() };
    options.limits.wall = flags.timeout;
    let checked = rejoin_report::replay::replay(&flags.paths, &options, |c| {
        if !flags.quiet || matches!(c.verdict, Verdict::Differ(_)) {
            println!("{}: {}", c.record.name, c.verdict);
        }
    })
    .map_err(|e| e.to_string())?;
    let agree = checked.iter().filter(|c| c.verdict == Verdict::Agree).count();
    println!("{agree} of {} tests agree", checked.len());
    Ok(exit_code(checked.iter().map(|c| &c.verdict)))
}
