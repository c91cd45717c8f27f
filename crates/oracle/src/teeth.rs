//! Whether the oracle would notice: engine faults planted on purpose, each of which some program has to reveal.

use crate::accept::{self, Case};
use crate::campaign::{Campaign, compare};
use crate::engine::{Engine, Trouble};
use crate::modes::Mode;
use std::path::Path;

/// A fault and the first seed (with its mode) that shows it.
#[derive(Debug)]
pub struct Bite {
    /// The fault's name.
    pub fault: String,
    /// The seed and the mode; nothing if no seed of the range shows the fault.
    pub caught: Option<(u64, &'static str)>,
}

/// Looks for every fault in the programs of `count` seeds from `seed` on. The campaign's engine has to be a build
/// with faults. Programs that already differ without a fault say nothing and are left out.
pub fn bite(campaign: &Campaign, faults: &[String], seed: u64, count: u64) -> Result<Vec<Bite>, String> {
    let engine = campaign.engine.as_ref().ok_or("an engine is needed")?;
    let mut bites: Vec<Bite> =
        faults.iter().map(|fault| Bite { fault: fault.clone(), caught: None }).collect();
    for seed in seed..seed + count {
        if bites.iter().all(|bite| bite.caught.is_some()) {
            break;
        }
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let case = accept::case(&campaign.tools, seed, campaign.features, campaign.limits, scratch.path())?;
        for mode in &campaign.modes {
            if let Err(why) = compare(engine, mode, &case, scratch.path()) {
                eprintln!("seed {seed} is of no use in mode {}: {why}", mode.name);
                continue;
            }
            for bite in bites.iter_mut().filter(|bite| bite.caught.is_none()) {
                if reveals(engine, &bite.fault, mode, &case, scratch.path()) {
                    println!("{}: caught by seed {seed} in mode {}", bite.fault, mode.name);
                    bite.caught = Some((seed, mode.name));
                }
            }
        }
    }
    Ok(bites)
}

/// Whether the fault makes a difference. A run out of time is none: the machine may just be busy.
fn reveals(engine: &Engine, fault: &str, mode: &Mode, case: &Case, scratch: &Path) -> bool {
    let faulty = Engine { fault: Some(fault.into()), ..engine.clone() };
    matches!(compare(&faulty, mode, case, scratch), Err(Trouble::Wrong(_)))
}
