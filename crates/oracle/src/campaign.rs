//! Random programs against brute force, in every mode.

use crate::accept::{self, Case, Limits};
use crate::engine::{Engine, Trouble};
use crate::feature::{self, Features};
use crate::keep::Keep;
use crate::modes::Mode;
use crate::native::{Toolchain, sanitized};
use crate::outcome::differences;
use crate::shrink::shrink;
use crate::sweep::Verdict;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many differing classes a report lists.
const LISTED: usize = 12;

/// What every program of a campaign is put through.
#[derive(Debug)]
pub struct Campaign {
    /// The native side.
    pub tools: Toolchain,
    /// The engine; without one, only the native side is checked.
    pub engine: Option<Engine>,
    /// The modes to compare.
    pub modes: Vec<Mode>,
    /// The features that programs may have.
    pub features: Features,
    /// What programs are refused for.
    pub limits: Limits,
    /// Whether sanitizers confirm what brute force says.
    pub confirm: bool,
    /// How many programs may be tried to make a failing one smaller.
    pub shrink: usize,
    /// Where failures are kept.
    pub keep: Keep,
    /// How often states became one by a pattern, in all runs.
    pub pattern_merges: AtomicU64,
}

impl Campaign {
    /// Generates the program of a seed and compares it in every mode.
    pub fn verdict(&self, seed: u64) -> Verdict {
        match self.try_verdict(seed) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Failed(why),
        }
    }

    fn try_verdict(&self, seed: u64) -> Result<Verdict, String> {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let case = self
            .case(seed, scratch.path())
            .inspect_err(|why| self.keep.store(&format!("seed-{seed}"), &[("report.txt", why)]))?;
        let Some(engine) = &self.engine else { return Ok(Verdict::Passed) };
        for mode in &self.modes {
            if let Err(why) = compare(engine, mode, &case, scratch.path()) {
                let small = self.smaller(engine, mode, &case, scratch.path());
                return Ok(Verdict::Failed(self.report(seed, mode, &why, &case, small.as_ref())));
            }
            self.pattern_merges.fetch_add(engine.pattern_merges(scratch.path()), Ordering::Relaxed);
        }
        Ok(Verdict::Passed)
    }

    fn case(&self, seed: u64, scratch: &Path) -> Result<Case, String> {
        let case = accept::case(&self.tools, seed, self.features, self.limits, scratch)?;
        if self.confirm {
            sanitized::confirm(&self.tools, &case.native, scratch)?;
        }
        Ok(case)
    }

    /// The smallest program found that also differs in `mode`.
    fn smaller(&self, engine: &Engine, mode: &Mode, case: &Case, scratch: &Path) -> Option<(Case, Trouble)> {
        let mut best = None;
        shrink(case.program.clone(), self.shrink, &mut |program| {
            let Ok(candidate) = accept::brute_force(&self.tools, case.seed, program.clone(), scratch) else {
                return false;
            };
            match compare(engine, mode, &candidate, scratch) {
                Ok(()) => false,
                Err(why) => {
                    best = Some((candidate, why));
                    true
                }
            }
        });
        best
    }

    fn report(
        &self,
        seed: u64,
        mode: &Mode,
        why: &Trouble,
        case: &Case,
        small: Option<&(Case, Trouble)>,
    ) -> String {
        let flags = mode.flags(seed).join(" ");
        let mut report = format!("mode {}\n{why}\n", mode.name);
        let _ = writeln!(report, "again: rejoin run --outcomes {flags} prog.c");
        let features = feature::names(self.features);
        let _ = writeln!(
            report,
            "again: rejoin-oracle run --count 1 --seed {seed} --features {features} --modes {}",
            mode.name
        );
        let mut files = vec![("prog.c", case.source.as_str())];
        if let Some((small, why)) = small {
            let _ = writeln!(report, "\nshrunk to {} lines:\n{why}", small.source.lines().count());
            files.push(("small.c", &small.source));
        }
        files.push(("report.txt", &report));
        self.keep.store(&format!("seed-{seed}"), &files);
        report
    }
}

/// Runs the engine in one mode on `prog.c` in `scratch` and compares with brute force.
pub fn compare(engine: &Engine, mode: &Mode, case: &Case, scratch: &Path) -> Result<(), Trouble> {
    let found = engine.outcomes(&mode.flags(case.seed), scratch)?;
    let lines = differences(&case.native.histogram(), &found);
    if lines.is_empty() {
        return Ok(());
    }
    let mut text = lines[..lines.len().min(LISTED)].join("\n");
    if lines.len() > LISTED {
        let _ = write!(text, "\nand {} more classes", lines.len() - LISTED);
    }
    Err(Trouble::Wrong(text))
}
