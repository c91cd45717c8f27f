//! The progress line of a terminal.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use crate::CoverageTotals;

/// What the progress line shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Since the start.
    pub elapsed: Duration,
    /// Instructions executed since the start.
    pub instructions: u64,
    /// States alive.
    pub states: u64,
    /// Tests written.
    pub tests: u64,
    /// Errors found.
    pub errors: u64,
    /// Coverage so far.
    pub coverage: CoverageTotals,
    /// Time spent in solver backends since the start.
    pub solver: Duration,
    /// Memory held.
    pub memory_bytes: u64,
}

/// Draws progress over itself on standard error, if that is a terminal; otherwise stays quiet.
#[derive(Debug)]
pub struct ProgressLine {
    enabled: bool,
    drawn: Option<Instant>,
    last: Progress,
}

/// Often enough to look alive, rarely enough to cost nothing.
const INTERVAL: Duration = Duration::from_millis(250);
/// Fits the narrowest usual terminal, as a line that wraps cannot be drawn over.
const WIDTH: usize = 79;

impl ProgressLine {
    /// A line that is drawn only on a terminal, and not if `quiet`.
    pub fn new(quiet: bool) -> Self {
        let enabled = !quiet && std::io::stderr().is_terminal();
        ProgressLine { enabled, drawn: None, last: Progress::default() }
    }

    /// Whether drawing now would show anything: ask before collecting the figures.
    pub fn is_due(&self) -> bool {
        self.enabled && self.drawn.is_none_or(|t| t.elapsed() >= INTERVAL)
    }

    /// Draws the line if it is due. A terminal that cannot be written to is no reason to stop.
    pub fn draw(&mut self, progress: Progress) {
        if self.is_due() {
            let _ = write!(std::io::stderr(), "\r{:<WIDTH$.WIDTH$}", line(&progress, &self.last));
            self.last = progress;
            self.drawn = Some(Instant::now());
        }
    }

    /// Removes the line: before other output and at the end.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}

/// The text; speeds are over the time since the last one.
fn line(now: &Progress, last: &Progress) -> String {
    let seconds = now.elapsed.saturating_sub(last.elapsed).as_secs_f64().max(1e-3);
    let speed = now.instructions.saturating_sub(last.instructions) as f64 / seconds;
    let solver = now.solver.as_secs_f64() / now.elapsed.as_secs_f64().max(1e-3);
    format!(
        "{} {} instr/s {} states {} tests {} errors cov {:.0}% solver {:.0}% {} MiB",
        clock(now.elapsed),
        short(speed),
        now.states,
        now.tests,
        now.errors,
        percent(now.coverage.lines_covered, now.coverage.lines_total),
        (100.0 * solver).min(100.0),
        now.memory_bytes >> 20,
    )
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn clock(t: Duration) -> String {
    let s = t.as_secs();
    if s < 3600 {
        format!("{}:{:02}", s / 60, s % 60)
    } else {
        format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }
}

fn short(n: f64) -> String {
    match n {
        n if n >= 1e9 => format!("{:.1}G", n / 1e9),
        n if n >= 1e6 => format!("{:.1}M", n / 1e6),
        n if n >= 1e3 => format!("{:.1}k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_since_the_last_line_and_the_share_since_the_start() {
        let last =
            Progress { elapsed: Duration::from_secs(60), instructions: 1_000_000, ..Progress::default() };
        let now = Progress {
            elapsed: Duration::from_secs(62),
            instructions: 7_000_000,
            states: 12,
            tests: 3,
            errors: 1,
            coverage: CoverageTotals { lines_covered: 1, lines_total: 4, ..CoverageTotals::default() },
            solver: Duration::from_secs(31),
            memory_bytes: 300 << 20,
        };
        let want = "1:02 3.0M instr/s 12 states 3 tests 1 errors cov 25% solver 50% 300 MiB";
        assert_eq!(line(&now, &last), want);
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
        assert_eq!(line(&Progress::default(), &last).split_whitespace().next(), Some("0:00"));
    }

    #[test]
    fn a_quiet_line_is_never_due() {
        let mut line = ProgressLine::new(true);
        assert!(!line.is_due());
        line.draw(Progress::default());
        assert!(line.drawn.is_none());
    }
}
