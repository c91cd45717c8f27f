//! Random programs against brute force, in every mode.

use crate::accept::{self, Case, Limits};
use crate::engine::{Engine, Merges, Trouble};
use crate::feature::{self, Features};
use crate::keep::Keep;
use crate::modes::Mode;
use crate::native::{Toolchain, sanitized};
use crate::outcome::differences;
use crate::shrink::shrink;
use crate::sweep::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;

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
    /// What was compared so far, by mode.
    pub compared: Mutex<BTreeMap<&'static str, Compared>>,
}

/// What was compared in one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Programs that agreed.
    pub programs: u64,
    /// Their inputs.
    pub inputs: u64,
    /// Their outcome classes.
    pub classes: u64,
    /// How often states became one, and how often of that by a pattern.
    pub merges: Merges,
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
                let small = self.smaller(engine, mode, &case, &why, scratch.path());
                let report = self.report(seed, mode, &why, &case, small.as_ref());
                return Ok(if why.is_wrong() {
                    Verdict::Failed(report)
                } else {
                    Verdict::Incomplete(report)
                });
            }
            self.note(mode, &case, engine.merges(scratch.path()));
        }
        Ok(Verdict::Passed)
    }

    /// Counts an agreement.
    fn note(&self, mode: &Mode, case: &Case, merges: Merges) {
        let mut compared = self.compared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let sum = compared.entry(mode.name).or_default();
        sum.programs += 1;
        sum.inputs += case.native.histogram().values().sum::<u128>() as u64;
        sum.classes += case.native.classes.len() as u64;
        sum.merges.merges += merges.merges;
        sum.merges.pattern_merges += merges.pattern_merges;
    }

    /// A line for each mode: what was compared.
    pub fn table(&self) -> String {
        let compared = self.compared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut text = String::new();
        let _ = writeln!(text, "mode,programs,inputs,classes,merges,pattern_merges");
        for mode in &self.modes {
            let c = compared.get(mode.name).copied().unwrap_or_default();
            let Merges { merges, pattern_merges } = c.merges;
            let Compared { programs, inputs, classes, .. } = c;
            let _ = writeln!(text, "{},{programs},{inputs},{classes},{merges},{pattern_merges}", mode.name);
        }
        text
    }

    fn case(&self, seed: u64, scratch: &Path) -> Result<Case, String> {
        let case = accept::case(&self.tools, seed, self.features, self.limits, scratch)?;
        if self.confirm {
            sanitized::confirm(&self.tools, &case.native, scratch)?;
        }
        Ok(case)
    }

    /// The smallest program found that is also in trouble in `mode`: a difference is not shrunk to a run that
    /// only does not end.
    fn smaller(
        &self,
        engine: &Engine,
        mode: &Mode,
        case: &Case,
        why: &Trouble,
        scratch: &Path,
    ) -> Option<(Case, Trouble)> {
        let is_wrong = why.is_wrong();
        let mut best = None;
        shrink(case.program.clone(), self.shrink, &mut |program| {
            let Ok(candidate) = accept::brute_force(&self.tools, case.seed, program.clone(), scratch) else {
                return false;
            };
            match compare(engine, mode, &candidate, scratch) {
                Err(why) if why.is_wrong() == is_wrong => {
                    best = Some((candidate, why));
                    true
                }
                _ => false,
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
        let _ = writeln!(report, "again: rejoin run --outcomes {flags} prog.c {}", case.words().join(" "));
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
    let words = case.words();
    let found = engine.outcomes(&mode.flags(case.seed), &words, scratch)?;
    let lines = differences(&case.histogram(), &found);
    if lines.is_empty() {
        return Ok(());
    }
    let mut text = lines[..lines.len().min(LISTED)].join("\n");
    if lines.len() > LISTED {
        let _ = write!(text, "\nand {} more classes", lines.len() - LISTED);
    }
    Err(Trouble::Wrong(text))
}
