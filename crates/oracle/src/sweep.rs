//! Many seeds, a few at a time, with a count of what came out.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{fs, thread};

/// What became of one seed.
#[derive(Debug)]
pub enum Verdict {
    /// Everything agrees.
    Passed,
    /// There was nothing to compare, for the reason given.
    Skipped(String),
    /// The engine did not finish, so nothing can be said of its answer; the text says why.
    Incomplete(String),
    /// Something differs; the text says what.
    Failed(String),
}

/// The seeds to go through.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first seed.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// How many at the same time.
    pub jobs: usize,
    /// A file that says how far an earlier sweep got; this one goes on from there and keeps it up to date.
    pub progress: Option<PathBuf>,
}

/// How many seeds had which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Agreed.
    pub passed: u64,
    /// Differed.
    pub failed: u64,
    /// The engine did not finish.
    pub incomplete: u64,
    /// Were not compared.
    pub skipped: u64,
}

struct Shared {
    tally: Tally,
    /// Seeds that are done though an earlier one is not.
    ahead: Vec<u64>,
    /// All seeds before this one are done.
    next: u64,
}

/// Asks for the verdict of every seed of the plan. Failures are printed as they are found.
pub fn sweep(plan: &Plan, verdict: &(dyn Fn(u64) -> Verdict + Sync)) -> Tally {
    let first =
        plan.progress.as_deref().and_then(read).filter(|&seed| seed >= plan.seed).unwrap_or(plan.seed);
    let end = plan.seed + plan.count;
    let shared = Mutex::new(Shared { tally: Tally::default(), ahead: Vec::new(), next: first });
    let (next, start) = (AtomicU64::new(first), Instant::now());
    thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    let verdict = verdict(seed);
                    let mut shared = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    shared.note(seed, &verdict, plan.progress.as_deref());
                    let Tally { passed, failed, incomplete, skipped } = shared.tally;
                    let done = passed + failed + incomplete + skipped;
                    if done.is_multiple_of(50) {
                        let rate = done as f64 * 60.0 / start.elapsed().as_secs_f64();
                        eprintln!(
                            "{done} of {}, {failed} failed, {incomplete} incomplete, {rate:.0} per minute",
                            end - first,
                        );
                    }
                }
            });
        }
    });
    shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).tally
}

impl Shared {
    fn note(&mut self, seed: u64, verdict: &Verdict, progress: Option<&Path>) {
        match verdict {
            Verdict::Passed => self.tally.passed += 1,
            Verdict::Skipped(_) => self.tally.skipped += 1,
            Verdict::Incomplete(why) => {
                self.tally.incomplete += 1;
                println!("seed {seed}: {why}");
            }
            Verdict::Failed(why) => {
                self.tally.failed += 1;
                println!("seed {seed}: {why}");
            }
        }
        self.ahead.push(seed);
        while let Some(at) = self.ahead.iter().position(|&done| done == self.next) {
            self.ahead.swap_remove(at);
            self.next += 1;
        }
        if let Some(path) = progress
            && let Err(error) = fs::write(path, format!("{}\n", self.next))
        {
            eprintln!("{}: {error}", path.display());
        }
    }
}

fn read(progress: &Path) -> Option<u64> {
    fs::read_to_string(progress).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_asked_once_and_a_second_sweep_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let seen = Mutex::new(Vec::new());
        let verdict = |seed: u64| {
            seen.lock().unwrap().push(seed);
            match seed % 3 {
                0 if seed == 12 => Verdict::Incomplete("twelve".into()),
                0 => Verdict::Failed("three".into()),
                1 => Verdict::Passed,
                _ => Verdict::Skipped("two".into()),
            }
        };
        let mut plan = Plan { seed: 10, count: 6, jobs: 2, progress: Some(dir.path().join("progress")) };
        assert_eq!(sweep(&plan, &verdict), Tally { passed: 2, failed: 1, incomplete: 1, skipped: 2 });
        plan.count = 8;
        assert_eq!(sweep(&plan, &verdict), Tally { passed: 1, skipped: 1, ..Tally::default() });
        let mut seeds = seen.into_inner().unwrap();
        seeds.sort_unstable();
        assert_eq!(seeds, (10..18).collect::<Vec<_>>());
    }
}
