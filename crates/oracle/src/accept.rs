//! From a seed to a program worth giving to the engine.

use crate::ast::{Program, World};
use crate::feature::Features;
use crate::native::{Native, Toolchain};
use crate::outcome::Histogram;
use crate::{r#gen, print};
use std::path::Path;

/// What programs are refused for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// More paths than this.
    pub paths: u64,
    /// More outcome classes than this.
    pub classes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { paths: 1500, classes: 3000 }
    }
}

impl Limits {
    /// Whether a program stays within the limits and does something at all.
    pub fn admit(&self, native: &Native) -> bool {
        native.paths <= self.paths && (1..=self.classes).contains(&native.classes.len())
    }
}

/// A program with its native outcomes.
#[derive(Debug)]
pub struct Case {
    /// The seed it comes from.
    pub seed: u64,
    /// The program.
    pub program: Program,
    /// Its C source.
    pub source: String,
    /// What it does on all inputs.
    pub native: Native,
}

impl Case {
    /// The words of the command line that the engine is called with.
    pub fn words(&self) -> Vec<String> {
        self.program.world.as_ref().map(World::words).unwrap_or_default()
    }

    /// What the engine has to answer.
    pub fn histogram(&self) -> Histogram {
        let each = self.program.world.as_ref().map_or(1, World::each);
        self.native.histogram().into_iter().map(|(outcome, inputs)| (outcome, inputs * each)).collect()
    }
}

/// Brute-forces a program.
pub fn brute_force(tools: &Toolchain, seed: u64, program: Program, scratch: &Path) -> Result<Case, String> {
    let source = print::source(&program);
    let native = tools.brute_force(&source, scratch)?;
    Ok(Case { seed, program, source, native })
}

/// The first program of a seed that the limits admit; attempts get smaller, so there always is one.
pub fn case(
    tools: &Toolchain,
    seed: u64,
    allowed: Features,
    limits: Limits,
    scratch: &Path,
) -> Result<Case, String> {
    for attempt in 0..40 {
        let case = brute_force(tools, seed, r#gen::program(seed, attempt, allowed), scratch)?;
        // Most programs should branch on their input.
        let dull = attempt < 4 && case.native.paths < 4;
        if limits.admit(&case.native) && !dull {
            return Ok(case);
        }
    }
    Err(format!("seed {seed}: no program within the limits"))
}
