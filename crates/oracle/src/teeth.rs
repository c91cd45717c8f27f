//! Whether the oracle would notice: engine faults planted on purpose, each of which some program has to reveal.
//!
//! `teeth.txt` names for every fault of [`rejoin_fault::ALL`] a mode and a seed whose program reveals it.
//! [`bite`] checks such a list; [`find`] makes one.

use crate::accept::{self, Case, Limits};
use crate::campaign::compare;
use crate::engine::{Engine, Trouble};
use crate::feature::Features;
use crate::modes::{self, Mode};
use crate::native::Toolchain;
use std::path::Path;

/// A fault and where it shows.
#[derive(Clone, Debug)]
pub struct Tooth {
    /// The fault's name.
    pub fault: String,
    /// The mode it shows in.
    pub mode: Mode,
    /// The seed of the program that it shows in.
    pub seed: u64,
    /// The features that the program may have.
    pub features: Features,
}

/// What faults are looked for with.
#[derive(Debug)]
pub struct Jaw {
    /// The native side.
    pub tools: Toolchain,
    /// A build of the engine with faults.
    pub engine: Engine,
}

/// Programs for this are small: there are many runs, and a fault that needs a large program is worth little.
const LIMITS: Limits = Limits { paths: 60, classes: 3000 };

/// The list that every fault has a line in.
pub fn table() -> Result<Vec<Tooth>, String> {
    parse(include_str!("../teeth.txt"))
}

/// Reads lines of fault, mode, seed and, where it is not `all`, features. Empty lines and what follows a `#` say nothing.
fn parse(text: &str) -> Result<Vec<Tooth>, String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let tooth = |line: &str| {
        let wrong = || format!("`{line}` is not a fault, a mode, a seed and perhaps features");
        let (fault, mode, seed, features) = match line.split_whitespace().collect::<Vec<_>>()[..] {
            [fault, mode, seed] => (fault, mode, seed, Features::ALL),
            [fault, mode, seed, features] => (fault, mode, seed, Features::parse(features)?),
            _ => return Err(wrong()),
        };
        let mode = modes::find(mode)?;
        Ok(Tooth { fault: fault.into(), mode, seed: seed.parse().map_err(|_| wrong())?, features })
    };
    lines.filter(|line| !line.trim().is_empty()).map(tooth).collect()
}

/// The faults of `teeth` that do not show where they should.
pub fn bite<'a>(jaw: &Jaw, teeth: &'a [Tooth]) -> Result<Vec<&'a Tooth>, String> {
    let mut teeth: Vec<&Tooth> = teeth.iter().collect();
    let program = |tooth: &Tooth| (tooth.seed, tooth.features);
    teeth.sort_by_key(|tooth| (program(tooth), tooth.mode.name));
    let mut missed = Vec::new();
    for same in teeth.chunk_by(|a, b| program(a) == program(b)) {
        jaw.program(program(same[0]), |case, scratch| {
            for mode in same.chunk_by(|a, b| a.mode.name == b.mode.name) {
                let fair = jaw.merges(mode[0].seed, &mode[0].mode, case, scratch);
                let caught = |t: &&&Tooth| {
                    fair.is_some_and(|merges| jaw.reveals(&t.fault, &t.mode, merges, case, scratch))
                };
                missed.extend(mode.iter().filter(|tooth| !caught(tooth)));
            }
        })?;
    }
    Ok(missed)
}

/// Looks for faults in the programs of `seeds`, and hands over each that shows, with the first place where it does.
/// What is left was not found.
pub fn find(
    jaw: &Jaw,
    mut faults: Vec<String>,
    modes: &[Mode],
    features: Features,
    seeds: std::ops::Range<u64>,
    mut found: impl FnMut(Tooth),
) -> Result<Vec<String>, String> {
    for seed in seeds {
        if faults.is_empty() {
            break;
        }
        jaw.program((seed, features), |case, scratch| {
            for &mode in modes {
                let Some(merges) = jaw.merges(seed, &mode, case, scratch) else { continue };
                let (caught, left) =
                    faults.drain(..).partition(|fault| jaw.reveals(fault, &mode, merges, case, scratch));
                faults = left;
                let caught: Vec<String> = caught;
                caught.into_iter().for_each(|fault| found(Tooth { fault, mode, seed, features }));
            }
        })?;
    }
    Ok(faults)
}

impl Jaw {
    /// Gives the program of a seed and its features, and the directory that it is in, to `use_it`.
    fn program(
        &self,
        (seed, features): (u64, Features),
        use_it: impl FnOnce(&Case, &Path),
    ) -> Result<(), String> {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let case = accept::case(&self.tools, seed, features, LIMITS, scratch.path())?;
        use_it(&case, scratch.path());
        Ok(())
    }

    /// How often states become one without a fault. Without agreement, the program says nothing.
    fn merges(&self, seed: u64, mode: &Mode, case: &Case, scratch: &Path) -> Option<u64> {
        let verdict = compare(&self.engine, mode, case, scratch);
        if let Err(why) = &verdict {
            eprintln!("seed {seed} is of no use in mode {}: {why}", mode.name);
        }
        verdict.is_ok().then(|| self.engine.merges(scratch).merges)
    }

    /// Whether the fault makes a difference; that the engine gives up on something is one. A run out of time is
    /// none: the machine may just be busy.
    fn reveals(&self, fault: &str, mode: &Mode, merges: u64, case: &Case, scratch: &Path) -> bool {
        let faulty = Engine { fault: Some(fault.into()), ..self.engine.clone() };
        match compare(&faulty, mode, case, scratch) {
            Ok(()) => {
                rejoin_fault::LOSING_MERGES.contains(&fault) && self.engine.merges(scratch).merges < merges
            }
            Err(Trouble::Wrong(_) | Trouble::Incomplete(_)) => true,
            Err(Trouble::OutOfTime) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_fault_once() {
        let mut listed: Vec<String> = table().unwrap().into_iter().map(|tooth| tooth.fault).collect();
        let mut faults = rejoin_fault::ALL.to_vec();
        listed.sort_unstable();
        faults.sort_unstable();
        assert_eq!(listed, faults);
        assert!(faults.len() >= 20);
    }

    #[test]
    fn lines_of_the_table() {
        let buffers = parse("lost-error dfs 7 all,buffers").unwrap()[0].features;
        assert_eq!(buffers, Features::ALL.with(crate::feature::Feature::Buffers));
        let teeth = parse("# all\n\nlost-error dfs 7 # soon\n").unwrap();
        assert_eq!((teeth[0].fault.as_str(), teeth[0].mode.name, teeth[0].seed), ("lost-error", "dfs", 7));
        for wrong in [
            "lost-error",
            "lost-error dfs",
            "lost-error dfs x",
            "lost-error nothing 7",
            "a dfs 1 2",
            "a dfs 1 all 2",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
