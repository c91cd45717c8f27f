//! The engine's modes that have to agree with brute force. A new mode is one line.

use crate::rng::Rng;

/// Stands in a mode's options for parameters of merging that every program has others of.
const RANDOM: &str = "RANDOM";

/// A way to run the engine.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The name on the oracle's command line.
    pub name: &'static str,
    flags: &'static [&'static str],
}

impl Mode {
    /// The options of `rejoin run` for the program of a seed.
    pub fn flags(&self, seed: u64) -> Vec<String> {
        let mut flags = Vec::new();
        for &flag in self.flags {
            if flag == RANDOM { flags.extend(parameters(seed)) } else { flags.push(flag.to_owned()) }
        }
        flags
    }
}

/// Any parameters of merging, the extreme ones more often than not; any search, if it matters.
fn parameters(seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed, 1 << 32);
    let choices: [(&str, &[&str]); 9] = [
        ("--similar", &["always", "live", "qce", "qce", "qce", "qce-full", "qce-full"]),
        ("--alpha", &["0", "1e-20", "1e-12", "1e-6", "1e-3", "0.05", "0.3", "1", "inf"]),
        ("--beta", &["0.51", "0.6", "0.8", "0.99"]),
        ("--kappa", &["1", "2", "10", "100"]),
        ("--zeta", &["1", "1.1", "2", "50"]),
        ("--delta", &["0", "1", "2", "8", "100"]),
        ("--qce-sites", &["all", "all", "branches"]),
        ("--history", &["hashes", "hashes", "precise"]),
        ("--search", &["topological", "dfs", "bfs", "random-state", "random-path", "coverage"]),
    ];
    choices.iter().flat_map(|(flag, values)| [(*flag).to_owned(), rng.pick(values).to_owned()]).collect()
}

/// Every mode.
pub const MODES: &[Mode] = &[
    Mode { name: "dfs", flags: &["--merge", "none", "--search", "dfs"] },
    Mode { name: "bfs", flags: &["--merge", "none", "--search", "bfs"] },
    Mode { name: "random-state", flags: &["--merge", "none", "--search", "random-state", "--seed", "1"] },
    Mode { name: "random-path", flags: &["--merge", "none", "--search", "random-path", "--seed", "1"] },
    Mode { name: "random-path-2", flags: &["--merge", "none", "--search", "random-path", "--seed", "2"] },
    Mode { name: "coverage", flags: &["--merge", "none", "--search", "coverage"] },
    Mode {
        name: "round-robin",
        flags: &["--merge", "none", "--search", "random-path", "--search", "coverage", "--seed", "3"],
    },
    Mode { name: "follow-all", flags: &["--merge", "none", "--search", "dfs", "--follow", "all"] },
    Mode { name: "no-passes", flags: &["--merge", "none", "--search", "dfs", "--passes", "none"] },
    Mode { name: "z3", flags: &["--merge", "none", "--search", "dfs", "--solver", "z3"] },
    Mode { name: "ssm-always", flags: &["--merge", "ssm", "--similar", "always"] },
    Mode { name: "ssm-live", flags: &["--merge", "ssm", "--similar", "live"] },
    Mode { name: "ssm-qce", flags: &["--merge", "ssm", "--similar", "qce"] },
    Mode { name: "ssm-qce-eager", flags: &["--merge", "ssm", "--similar", "qce", "--alpha", "0.3"] },
    Mode { name: "summaries", flags: &["--merge", "summaries"] },
    Mode { name: "summaries-validate", flags: &["--merge", "summaries", "--validate"] },
    Mode { name: "summaries-dse", flags: &["--merge", "summaries", "--no-coalesce"] },
    Mode { name: "loops", flags: &["--merge", "loops"] },
    Mode { name: "loops-bfs", flags: &["--merge", "loops", "--search", "bfs"] },
    Mode { name: "eager-sizes", flags: &["--merge", "none", "--sym-size", "eager"] },
    Mode { name: "pattern", flags: &["--merge", "pattern"] },
    Mode { name: "pattern-validate", flags: &["--merge", "pattern", "--validate"] },
    Mode { name: "pattern-plain", flags: &["--merge", "pattern", "--no-incremental", "--search", "bfs"] },
    Mode { name: "loops-undo", flags: &["--merge", "loops", "--merge-worth", "0"] },
    Mode { name: "pattern-undo", flags: &["--merge", "pattern", "--merge-worth", "0"] },
    Mode { name: "pattern-kept", flags: &["--merge", "pattern", "--merge-worth", "1000000"] },
    // Groups go by patterns and by terms in turn; with a limit to the tests nothing is thrown away.
    Mode {
        name: "pattern-rivals",
        flags: &["--merge", "pattern", "--merge-worth", "16", "--max-tests", "100000"],
    },
    Mode {
        name: "pattern-kept-procedure",
        flags: &["--merge", "pattern", "--merge-worth", "1000000", "--no-diagrams"],
    },
    Mode { name: "pattern-procedure", flags: &["--merge", "pattern", "--no-diagrams"] },
    Mode { name: "pattern-z3", flags: &["--merge", "pattern", "--no-procedure"] },
    Mode { name: "ssm-qce-full", flags: &["--merge", "ssm", "--similar", "qce-full", "--zeta", "1.5"] },
    Mode { name: "dsm-always", flags: &["--merge", "dsm", "--similar", "always"] },
    Mode { name: "dsm-live", flags: &["--merge", "dsm", "--similar", "live", "--search", "bfs"] },
    Mode { name: "dsm-qce", flags: &["--merge", "dsm", "--similar", "qce"] },
    Mode {
        name: "dsm-qce-bfs",
        flags: &["--merge", "dsm", "--search", "bfs", "--alpha", "0.3", "--delta", "3"],
    },
    Mode { name: "dsm-qce-coverage", flags: &["--merge", "dsm", "--search", "coverage", "--alpha", "inf"] },
    Mode {
        name: "dsm-qce-dfs",
        flags: &["--merge", "dsm", "--search", "dfs", "--alpha", "1e-3", "--beta", "0.6", "--kappa", "2"],
    },
    Mode {
        name: "dsm-qce-full",
        flags: &["--merge", "dsm", "--similar", "qce-full", "--zeta", "3", "--search", "random-path"],
    },
    Mode { name: "dsm-precise", flags: &["--merge", "dsm", "--history", "precise", "--alpha", "0.1"] },
    Mode { name: "ssm-random", flags: &["--merge", "ssm", RANDOM] },
    Mode { name: "dsm-random", flags: &["--merge", "dsm", RANDOM] },
    Mode { name: "ssm-validate", flags: &["--merge", "ssm", "--validate", RANDOM] },
    Mode { name: "dsm-validate", flags: &["--merge", "dsm", "--validate", RANDOM] },
    Mode { name: "validate", flags: &["--merge", "none", "--search", "dfs", "--validate"] },
];

/// Reads a list of names with commas; `all` is every mode.
pub fn parse(names: &str) -> Result<Vec<Mode>, String> {
    if names == "all" {
        return Ok(MODES.to_vec());
    }
    names.split(',').map(find).collect()
}

/// The mode of a name.
pub fn find(name: &str) -> Result<Mode, String> {
    MODES.iter().find(|mode| mode.name == name).copied().ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
    format!("unknown mode `{name}`; known: all, {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_modes() {
        let names = |list: &str| parse(list).map(|modes| modes.iter().map(|m| m.name).collect::<Vec<_>>());
        assert_eq!(names("bfs,dfs"), Ok(vec!["bfs", "dfs"]));
        assert_eq!(names("all").map(|all| all.len()), Ok(MODES.len()));
        assert!(names("dfs,nothing").is_err());
        let mut sorted = names("all").unwrap();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), MODES.len(), "names are distinct");
    }

    #[test]
    fn random_parameters_depend_on_the_seed_alone() {
        let mode = parse("dsm-random").unwrap()[0];
        assert_eq!(mode.flags(7), mode.flags(7));
        assert_eq!(mode.flags(7)[..3], ["--merge", "dsm", "--similar"]);
        let different: std::collections::BTreeSet<_> = (0..300).map(|seed| mode.flags(seed)).collect();
        assert!(different.len() > 290, "{} parameter sets", different.len());
        assert_eq!(parse("dfs").unwrap()[0].flags(7), ["--merge", "none", "--search", "dfs"]);
    }
}
