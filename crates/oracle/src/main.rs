//! The command line of the oracle.

use clap::{Args, Parser, Subcommand};
use rejoin_oracle::accept::Limits;
use rejoin_oracle::campaign::Campaign;
use rejoin_oracle::csmith::Csmith;
use rejoin_oracle::engine::Engine;
use rejoin_oracle::feature::Features;
use rejoin_oracle::keep::Keep;
use rejoin_oracle::modes::{self, Mode};
use rejoin_oracle::native::Toolchain;
use rejoin_oracle::sweep::{Plan, Tally, sweep};
use rejoin_oracle::teeth::{self, Jaw, Tooth};
use rejoin_oracle::{r#gen, print};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

/// Random programs with known outcomes, held against the engine.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Random programs over a few symbolic bytes against native brute force.
    Run {
        #[command(flatten)]
        seeds: Seeds,
        #[command(flatten)]
        programs: Programs,
        /// The engine; without one, only the native side is checked.
        #[arg(long)]
        rejoin: Option<PathBuf>,
        /// Do not confirm the native outcomes under sanitizers.
        #[arg(long)]
        no_confirm: bool,
    },
    /// Random programs without inputs, by csmith, against their native output.
    Csmith {
        #[command(flatten)]
        seeds: Seeds,
        /// The engine.
        #[arg(long)]
        rejoin: PathBuf,
        /// Optimisation levels to compare: C at O0, bitcode at others.
        #[arg(long, default_value = "O0,O1,O2", value_delimiter = ',')]
        opt: Vec<String>,
        /// The engine's budget per program.
        #[arg(long, default_value_t = 2_000_000_000)]
        max_instructions: u64,
        /// The directory of csmith.h.
        #[arg(long, default_value = "/usr/include/csmith")]
        include: String,
    },
    /// Whether the programs of crates/oracle/teeth.txt reveal every fault that can be planted in the engine.
    Teeth {
        #[command(flatten)]
        seeds: Seeds,
        /// An engine built with faults.
        #[arg(long)]
        rejoin: PathBuf,
        /// Look for programs that reveal these faults instead, and print lines for the table (`all`: every fault;
        /// `missed`: those that the table's programs do not reveal).
        #[arg(long, value_delimiter = ',')]
        find: Vec<String>,
        /// The modes of the engine to find them in, or all.
        #[arg(long, default_value = "dfs", requires = "find")]
        modes: String,
        /// The features of the programs to find them in.
        #[arg(long, default_value = "all", requires = "find")]
        features: String,
    },
    /// Prints the program of a seed.
    Show {
        /// The seed.
        seed: u64,
        /// Which of its attempts.
        #[arg(long, default_value_t = 0)]
        attempt: u64,
        /// The features it may have.
        #[arg(long, default_value = "all")]
        features: String,
    },
}

#[derive(Args)]
struct Seeds {
    /// How many programs.
    #[arg(long, default_value_t = 50)]
    count: u64,
    /// The first program's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where to keep what differs.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Go on after the last seed that an interrupted run with the same --keep finished.
    #[arg(long, requires = "keep")]
    resume: bool,
    /// Seconds that one run of the engine may take.
    #[arg(long, default_value_t = 60)]
    time: u64,
    /// How many programs to try to make a failing one smaller.
    #[arg(long, default_value_t = 300)]
    shrink: usize,
    /// The C compiler.
    #[arg(long, default_value = "clang-22")]
    clang: String,
}

#[derive(Args)]
struct Programs {
    /// Modes of the engine, or all.
    #[arg(long, default_value = "dfs")]
    modes: String,
    /// Features that programs may have: all, none, names, and names to leave out after a minus sign.
    #[arg(long, default_value = "all", allow_hyphen_values = true)]
    features: String,
    /// Refuse programs with more paths than this.
    #[arg(long, default_value_t = 1500)]
    max_paths: u64,
}

impl Seeds {
    fn plan(&self) -> Result<Plan, String> {
        if let Some(keep) = &self.keep {
            std::fs::create_dir_all(keep).map_err(|error| format!("{}: {error}", keep.display()))?;
        }
        let progress = self.keep.as_ref().map(|keep| keep.join("progress"));
        if let Some(progress) = progress.as_ref().filter(|path| !self.resume && path.exists()) {
            std::fs::remove_file(progress).map_err(|error| format!("{}: {error}", progress.display()))?;
        }
        Ok(Plan { seed: self.seed, count: self.count, jobs: self.jobs, progress })
    }

    fn engine(&self, path: PathBuf) -> Result<Engine, String> {
        let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Engine { path, limit: Duration::from_secs(self.time), fault: None })
    }

    fn campaign(
        &self,
        programs: &Programs,
        rejoin: Option<PathBuf>,
        confirm: bool,
    ) -> Result<Campaign, String> {
        Ok(Campaign {
            modes: modes::parse(&programs.modes)?,
            features: Features::parse(&programs.features)?,
            engine: rejoin.map(|path| self.engine(path)).transpose()?,
            tools: Toolchain::new(&self.clang)?,
            limits: Limits { paths: programs.max_paths, ..Limits::default() },
            confirm,
            shrink: self.shrink,
            keep: Keep(self.keep.clone()),
            compared: Mutex::default(),
        })
    }
}

fn main() -> ExitCode {
    match execute(Cli::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("rejoin-oracle: {why}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything agreed.
fn execute(command: Command) -> Result<bool, String> {
    match command {
        Command::Run { seeds, programs, rejoin, no_confirm } => {
            let plan = seeds.plan()?;
            let campaign = seeds.campaign(&programs, rejoin, !no_confirm)?;
            let tally = sweep(&plan, &|seed| campaign.verdict(seed));
            print!("{}", campaign.table());
            Ok(close(tally))
        }
        Command::Csmith { seeds, rejoin, opt, max_instructions, include } => {
            let plan = seeds.plan()?;
            let csmith = Csmith {
                clang: seeds.clang.clone(),
                include,
                engine: seeds.engine(rejoin)?,
                levels: opt,
                flags: vec!["--max-instructions".into(), max_instructions.to_string()],
                shrink: seeds.shrink,
                keep: Keep(seeds.keep.clone()),
            };
            Ok(close(sweep(&plan, &|seed| csmith.verdict(seed))))
        }
        Command::Teeth { seeds, rejoin, find, modes, features } => {
            let jaw = Jaw { tools: Toolchain::new(&seeds.clang)?, engine: seeds.engine(rejoin)? };
            match find.is_empty() {
                true => check_teeth(&jaw),
                false => {
                    let seeds = seeds.seed..seeds.seed + seeds.count;
                    find_teeth(&jaw, &find, &modes::parse(&modes)?, &features, seeds)
                }
            }
        }
        Command::Show { seed, attempt, features } => {
            let program = r#gen::program(seed, attempt, Features::parse(&features)?);
            print!("{}", print::source(&program));
            Ok(true)
        }
    }
}

fn check_teeth(jaw: &Jaw) -> Result<bool, String> {
    let table = teeth::table()?;
    let missed = teeth::bite(jaw, &table)?;
    for Tooth { fault, mode, seed, .. } in missed.iter().copied() {
        println!("{fault}: seed {seed} does not show it in mode {}", mode.name);
    }
    println!("{} caught, {} missed", table.len() - missed.len(), missed.len());
    Ok(missed.is_empty())
}

fn find_teeth(
    jaw: &Jaw,
    names: &[String],
    modes: &[Mode],
    features: &str,
    seeds: Range<u64>,
) -> Result<bool, String> {
    let known = |name: &str| rejoin_fault::ALL.contains(&name);
    let faults = match names {
        [all] if all == "all" => rejoin_fault::ALL.iter().map(|&name| name.into()).collect(),
        [missed] if missed == "missed" => {
            teeth::bite(jaw, &teeth::table()?)?.iter().map(|tooth| tooth.fault.clone()).collect()
        }
        _ => names.to_vec(),
    };
    if let Some(name) = faults.iter().find(|name| !known(name)) {
        return Err(format!("no fault `{name}`"));
    }
    let print = |t: teeth::Tooth| println!("{} {} {} {features}", t.fault, t.mode.name, t.seed);
    let left = teeth::find(jaw, faults, modes, Features::parse(features)?, seeds, print)?;
    left.iter().for_each(|fault| println!("# {fault}: not found"));
    Ok(left.is_empty())
}

/// Prints the closing line.
fn close(tally: Tally) -> bool {
    if tally.skipped > 0 {
        println!("{} skipped", tally.skipped);
    }
    if tally.incomplete > 0 {
        println!("{} incomplete", tally.incomplete);
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    tally.failed + tally.incomplete == 0
}
