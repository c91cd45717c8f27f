//! The engine's modes that have to agree with brute force. A new mode is one line.

/// A way to run the engine.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The name on the oracle's command line.
    pub name: &'static str,
    /// The options of `rejoin run`.
    pub flags: &'static [&'static str],
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
    Mode { name: "summaries-dse", flags: &["--merge", "summaries", "--no-coalesce"] },
    Mode { name: "loops", flags: &["--merge", "loops"] },
    Mode { name: "loops-bfs", flags: &["--merge", "loops", "--search", "bfs"] },
    Mode { name: "eager-sizes", flags: &["--merge", "none", "--sym-size", "eager"] },
    Mode { name: "pattern", flags: &["--merge", "pattern"] },
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
}
