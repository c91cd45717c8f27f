//! The command line, in one place.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Symbolic execution of LLVM bitcode.
#[derive(Parser, Debug)]
#[command(name = "rejoin", version, about = "Symbolic execution of LLVM bitcode", max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a program on symbolic inputs, find its errors, write a test per path
    Run(Box<RunFlags>),
    /// Print query counts and hot variables per source line; takes the flags of `run`
    Qce(Box<RunFlags>),
    /// Run tests natively in a sandbox and compare with what was predicted
    Replay(ReplayFlags),
    /// A drop-in C compiler: leaves the bitcode of the whole program beside the executable
    #[command(disable_help_flag = true)]
    Cc {
        /// What clang takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// The same for C++
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// What clang++ takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// Flags of `rejoin run`.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunFlags {
    /// The program: .c, .cc, .cpp, .bc or .ll
    pub(crate) program: PathBuf,
    /// The program's own command line. Words in it make input symbolic: --sym-arg N, --sym-args MIN MAX N,
    /// --sym-stdin N, --sym-files K N, --sym-file-sizes, --sym-stdout, --max-fail N, --non-option
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,

    /// More files to compile and link (repeatable) [default: none]
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) with: Vec<PathBuf>,
    /// Flags for the compiler, quoted as for a shell (repeatable) [default: none]
    #[arg(long, value_name = "STRING", allow_hyphen_values = true, help_heading = "Input")]
    pub(crate) cflags: Vec<String>,
    /// LLVM passes before execution: `default` hides no error and merges no paths, `none`, or a
    /// list in the syntax of opt
    #[arg(long, default_value = "default", help_heading = "Input")]
    pub(crate) passes: String,
    /// The C library to link
    #[arg(long, value_enum, default_value_t = Libc::Musl, help_heading = "Input")]
    pub(crate) libc: Libc,

    /// Standard input is the content of this file [default: empty]
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) stdin: Option<PathBuf>,
    /// Let the program read the files in this directory of the machine; it never changes them
    /// (repeatable) [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub(crate) allow_read: Vec<PathBuf>,

    /// Run this function instead of main: scalars are symbolic, a pointer is null or points to
    /// --capacity symbolic bytes
    #[arg(long, value_name = "F", default_value = "main", help_heading = "Input")]
    pub(crate) entry: String,
    /// The most bytes of an object whose size is symbolic; bytes behind a pointer parameter of --entry
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1 << 20), help_heading = "Input")]
    pub(crate) capacity: u64,
    /// What becomes of symbolic sizes: they stay (lazy), one state for each (eager), the largest (max)
    #[arg(long, value_enum, default_value_t = SymSizeFlag::Lazy, help_heading = "Input")]
    pub(crate) sym_size: SymSizeFlag,

    /// Which state runs next; several take turns (repeatable) [default: dfs; with --merge dsm:
    /// topological]
    #[arg(long, value_enum, help_heading = "Exploration")]
    pub(crate) search: Vec<Search>,
    /// The seed of everything random
    #[arg(long, default_value_t = 1, help_heading = "Exploration")]
    pub(crate) seed: u64,
    /// How paths are merged
    #[arg(long, value_enum, default_value_t = Merge::None, help_heading = "Exploration")]
    pub(crate) merge: Merge,
    /// With --merge pattern: more patterns than this at one exit of a loop are merged as by `loops`
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Exploration")]
    pub(crate) max_patterns: usize,
    /// With --merge loops or pattern: do not merge states with equal stores before each iteration
    #[arg(long, help_heading = "Exploration")]
    pub(crate) no_incremental: bool,
    /// With --merge loops or pattern: what a state that is merged away is taken to have saved, counted in terms of
    /// questions to the solver; a loop whose merged states ask for more is not merged any more
    #[arg(long, value_name = "N", default_value_t = 128, help_heading = "Exploration")]
    pub(crate) merge_worth: u32,
    /// Leave quantified conditions to Z3 instead of the solving procedure
    #[arg(long, help_heading = "Exploration")]
    pub(crate) no_procedure: bool,
    /// Answer no question by decision diagrams: for comparison, and to check what is behind them
    #[arg(long, help_heading = "Exploration")]
    pub(crate) no_diagrams: bool,
    /// Which states are worth merging
    #[arg(long, value_enum, default_value_t = Similar::Qce, help_heading = "Exploration")]
    pub(crate) similar: Similar,
    #[command(flatten)]
    pub(crate) qce: QceFlags,
    /// With --merge summaries: keep all paths apart, the baseline that summaries are compared with
    #[arg(long, help_heading = "Exploration")]
    pub(crate) no_coalesce: bool,
    /// With --merge summaries: a summary with more entries than this becomes a term
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_two, help_heading = "Exploration")]
    pub(crate) max_summary: usize,
    /// With --merge summaries: a guard with more nodes than this becomes an atom
    #[arg(long, value_name = "N", default_value_t = 65536, value_parser = at_least_two, help_heading = "Exploration")]
    pub(crate) max_guard: usize,
    #[command(flatten)]
    pub(crate) dsm: DsmFlags,
    /// Which arms of a branch are followed
    #[arg(long, value_enum, default_value_t = FollowFlag::Feasible, help_heading = "Exploration")]
    pub(crate) follow: FollowFlag,
    /// Cut every loop after this many iterations [default: none is cut]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    pub(crate) max_loop: Option<u32>,

    /// Report heap memory that is unreachable when the program ends
    #[arg(long, help_heading = "Checks")]
    pub(crate) check_leaks: bool,
    /// Report branches and addresses that depend on uninitialised memory; `default` passes become
    /// `none`
    #[arg(long, help_heading = "Checks")]
    pub(crate) check_uninit: bool,
    /// Check every answer of the solver with another solver, and every merge with the solver
    #[arg(long, help_heading = "Checks")]
    pub(crate) validate: bool,
    /// Count the feasible paths of merged states exactly, one by one, and show where merged states
    /// are slower to solve than their paths
    #[arg(long, help_heading = "Checks")]
    pub(crate) exact_paths: bool,

    /// Stop after this time, such as 90s, 5m, 1h [default: no limit]
    #[arg(long, value_parser = duration, value_name = "TIME", help_heading = "Limits")]
    pub(crate) max_time: Option<Duration>,
    /// Stop at this much memory, such as 500M, 4G
    #[arg(long, value_parser = bytes, value_name = "SIZE", default_value = "4G", help_heading = "Limits")]
    pub(crate) max_memory: u64,
    /// Stop after this many tests [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_tests: Option<u64>,
    /// Stop after this many LLVM instructions [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_instructions: Option<u64>,
    /// Cut a path after this many forks [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_depth: Option<u32>,
    /// The SMT solver
    #[arg(long, value_enum, default_value_t = SolverFlag::Bitwuzla, help_heading = "Limits")]
    pub(crate) solver: SolverFlag,
    /// Give up a solver query after this time
    #[arg(long, value_parser = duration, value_name = "TIME", default_value = "10s", help_heading = "Limits")]
    pub(crate) solver_timeout: Duration,

    /// Where results go: a new or empty directory [default: rejoin-out/NNN]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Print the summary as JSON on standard output
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Also write outcomes.json: how many inputs end in which way, exactly (for few input bytes)
    #[arg(long, help_heading = "Output")]
    pub(crate) outcomes: bool,
    /// Which tests are written
    #[arg(long, value_enum, default_value_t = TestsFlag::PerState, help_heading = "Output")]
    pub(crate) tests: TestsFlag,
    /// Estimate the paths of merged states as exp(C1) * multiplicity^C2; --exact-paths fits the two
    /// [default: no estimate]
    #[arg(long, value_name = "C1,C2", value_parser = coefficients, allow_hyphen_values = true, help_heading = "Output")]
    pub(crate) path_estimate: Option<(f64, f64)>,
    /// Do not replay errors natively
    #[arg(long, help_heading = "Output")]
    pub(crate) no_replay: bool,
    /// Replay without a sandbox where there is none
    #[arg(long, help_heading = "Output")]
    pub(crate) unsafe_replay: bool,
    /// Print nothing but errors of usage
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl RunFlags {
    /// Whether paths become one where they meet.
    pub(crate) fn coalesces(&self) -> bool {
        match self.merge {
            Merge::None => false,
            Merge::Summaries => !self.no_coalesce,
            Merge::Ssm | Merge::Dsm => true,
            Merge::Loops | Merge::Pattern => false,
        }
    }
}

/// The parameters of query count estimation.
#[derive(Args, Clone, Debug)]
pub(crate) struct QceFlags {
    /// Hot variables are those that more than this part of the queries depends on
    #[arg(long, value_parser = at_least_zero, default_value = "1e-3", help_heading = "Query count estimation")]
    pub(crate) alpha: f64,
    /// The probability that a side of a branch is feasible
    #[arg(long, value_parser = probability, default_value = "0.5", help_heading = "Query count estimation")]
    pub(crate) beta: f64,
    /// How often a loop goes round where that is unknown
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), default_value = "10", help_heading = "Query count estimation")]
    pub(crate) kappa: u32,
    /// How many times more a query costs that has an if-then-else of merging in it (qce-full)
    #[arg(long, value_parser = at_least_one, default_value = "2", help_heading = "Query count estimation")]
    pub(crate) zeta: f64,
    /// What counts as a query
    #[arg(long, value_enum, default_value_t = QceSites::All, help_heading = "Query count estimation")]
    pub(crate) qce_sites: QceSites,
}

/// The parameters of dynamic state merging.
#[derive(Args, Clone, Debug)]
pub(crate) struct DsmFlags {
    /// How many places where paths meet a state looks back
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Dynamic state merging")]
    pub(crate) delta: u32,
    /// What it keeps of them: hashes, or the values themselves, to check the hashes
    #[arg(long, value_enum, default_value_t = HistoryFlag::Hashes, help_heading = "Dynamic state merging")]
    pub(crate) history: HistoryFlag,
}

/// Flags of `rejoin replay`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayFlags {
    /// Output directories of `run`, or single .ktest files in them
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Run without a sandbox where there is none
    #[arg(long)]
    pub(crate) unsafe_replay: bool,
    /// Wall-clock limit for one test
    #[arg(long, value_parser = duration, value_name = "TIME", default_value = "10s")]
    pub(crate) timeout: Duration,
    /// Print only differences
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// C libraries.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Libc {
    /// musl, linked where the program needs it
    Musl,
    /// None: only what the program brings, and what the engine implements
    None,
}

/// Search strategies.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Search {
    /// Depth first
    Dfs,
    /// Breadth first
    Bfs,
    /// Any state, all equally likely
    RandomState,
    /// A random walk down the fork tree
    RandomPath,
    /// Towards code not covered yet
    Coverage,
    /// The earliest in the program: loops before what follows them
    Topological,
}

/// Merging modes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Merge {
    /// Plain symbolic execution
    None,
    /// Static state merging: states run in topological order and merge where paths meet; `--search`
    /// has no say
    Ssm,
    /// States wait at the exits of loops that fork, and are merged exit by exit
    Loops,
    /// As `loops`, by quantified formulas where paths have a regular pattern
    Pattern,
    /// Value summaries: where paths meet, every value that differs becomes a set of guarded values;
    /// states run as with `ssm`
    Summaries,
    /// Dynamic state merging: `--search` picks, but a state that is about to become similar to
    /// another one catches up first
    Dsm,
}

impl Merge {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
    }
}

/// Which tests are written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TestsFlag {
    /// One for every state that ends, and more for code that no test reaches yet
    PerState,
    /// One for every path that a merged state stands for
    PerPath,
    /// Only those that reach code which no earlier one reaches, and errors
    CoveringNew,
}

/// Similarity relations.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Similar {
    /// All
    Always,
    /// Those that differ in nothing that is still needed
    Live,
    /// Those whose hot variables are equal or symbolic
    Qce,
    /// The same, where if-then-else terms have a cost (--zeta)
    QceFull,
}

/// What histories keep.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HistoryFlag {
    /// Hashes
    Hashes,
    /// The values of hot variables
    Precise,
}

/// Query sites.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QceSites {
    /// Branches, symbolic addresses, checks of divisions and shifts, indirect calls
    All,
    /// Branches only
    Branches,
}

/// Which arms are followed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FollowFlag {
    /// Those that are feasible
    Feasible,
    /// All; feasibility is asked after eight branches and at the end of a path, with --max-loop at the end only
    All,
}

/// What becomes of symbolic sizes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymSizeFlag {
    /// They stay symbolic, up to --capacity
    Lazy,
    /// One state for each value
    Eager,
    /// The largest value up to --capacity
    Max,
}

/// SMT solvers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SolverFlag {
    /// Bitwuzla
    Bitwuzla,
    /// Z3
    Z3,
}

/// A number with a unit.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = units.iter().find(|u| u.0.eq_ignore_ascii_case(unit))?.1;
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x >= 0.0 => Ok(x),
        _ => Err(format!("`{text}` is no number from 0 to inf")),
    }
}

fn at_least_one(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x >= 1.0 => Ok(x),
        _ => Err(format!("`{text}` is no number from 1 to inf")),
    }
}

fn at_least_two(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= 2 => Ok(n),
        _ => Err(format!("`{text}` is no number from 2 on")),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x <= 1.0 => Ok(x),
        _ => Err(format!("`{text}` is no probability above 0")),
    }
}

fn coefficients(text: &str) -> Result<(f64, f64), String> {
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let pair = text.split_once(',').and_then(|(a, b)| Some((number(a)?, number(b)?)));
    pair.ok_or_else(|| format!("`{text}` is no pair of numbers; write for example 0.5,0.8"))
}

fn duration(text: &str) -> Result<Duration, String> {
    let units = [("", 1.0), ("s", 1.0), ("ms", 1e-3), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];
    with_unit(text, &units)
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| format!("`{text}` is no time; write for example 90s, 5m or 1h"))
}

fn bytes(text: &str) -> Result<u64, String> {
    let kib = 1024.0;
    let units = [("", 1.0), ("b", 1.0), ("k", kib), ("m", kib * kib), ("g", kib * kib * kib)];
    match with_unit(text.trim_end_matches(['i', 'B']), &units) {
        Some(n) if n >= 1.0 && n < 2f64.powi(63) => Ok(n as u64),
        _ => Err(format!("`{text}` is no size; write for example 500M or 4G")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_are_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn every_option_with_a_value_says_its_default() {
        use clap::CommandFactory;
        let cli = Cli::command();
        let run = cli.find_subcommand("run").expect("a subcommand");
        for option in run.get_opts() {
            let said = option.get_help().is_some_and(|help| help.to_string().contains("[default: "));
            let known = said || !option.get_default_values().is_empty();
            assert!(known || !option.get_action().takes_values(), "{option}");
        }
    }

    proptest::proptest! {
        /// Words that are flags, values of flags, or anything.
        #[test]
        fn any_command_line_gives_an_answer(words in proptest::collection::vec(word(), 0..8)) {
            let _ = Cli::try_parse_from(std::iter::once("rejoin".to_owned()).chain(words));
        }
    }

    fn word() -> impl proptest::strategy::Strategy<Value = String> {
        use clap::CommandFactory;
        use proptest::prelude::*;
        let mut known = vec!["".into(), "-".into(), "--".into(), "-1".into(), "90s".into(), "inf,nan".into()];
        for command in Cli::command().get_subcommands() {
            known.push(command.get_name().to_owned());
            known.extend(command.get_arguments().filter_map(|a| Some(format!("--{}", a.get_long()?))));
        }
        let equals =
            (proptest::sample::select(known.clone()), ".{0,8}").prop_map(|(a, b)| format!("{a}={b}"));
        prop_oneof![proptest::sample::select(known), equals, any::<String>()]
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("500MiB"), Ok(500 << 20));
        for bad in ["0", "0s", "", "s", "-1s", "1x", "nan", "inf", "1e999h", "9999999999999999999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert_eq!(coefficients("-0.5, 0.8"), Ok((-0.5, 0.8)));
        for bad in ["", "1", "1,", "1;2", "1,nan"] {
            assert!(coefficients(bad).is_err(), "{bad}");
        }
        for bad in ["", "0", "-4G", "1T1", "1e30"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
