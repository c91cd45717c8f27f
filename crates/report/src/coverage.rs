//! Line and branch coverage, and its lcov text.

use std::{collections::BTreeMap, fmt::Write};

use serde::{Deserialize, Serialize};

/// One arm of one branch: line, number of the branch on that line, number of the arm.
pub type Arm = (u32, u32, u32);

/// Coverage of one source file. What was never executed is present with a count of zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// Function name to (first line, times entered).
    pub functions: BTreeMap<String, (u32, u64)>,
    /// Line to times executed.
    pub lines: BTreeMap<u32, u64>,
    /// Arm to times taken.
    pub branches: BTreeMap<Arm, u64>,
}

/// Coverage of a program, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Path of the source file to its coverage.
    pub files: BTreeMap<String, FileCoverage>,
}

/// `coverage` in `summary.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageTotals {
    /// Lines executed at least once.
    pub lines_covered: u64,
    /// Lines with code.
    pub lines_total: u64,
    /// Arms taken at least once.
    pub branches_covered: u64,
    /// Arms of branches.
    pub branches_total: u64,
}

impl Coverage {
    /// The coverage of one file, made on first use.
    pub fn file(&mut self, path: &str) -> &mut FileCoverage {
        self.files.entry(path.to_owned()).or_default()
    }

    /// Adds the counts of another run of the same program.
    pub fn merge(&mut self, other: &Coverage) {
        for (path, theirs) in &other.files {
            let ours = self.file(path);
            for (name, (line, hits)) in &theirs.functions {
                ours.functions.entry(name.clone()).or_insert((*line, 0)).1 += hits;
            }
            for (line, hits) in &theirs.lines {
                *ours.lines.entry(*line).or_default() += hits;
            }
            for (arm, taken) in &theirs.branches {
                *ours.branches.entry(*arm).or_default() += taken;
            }
        }
    }

    /// How much of everything was covered.
    pub fn totals(&self) -> CoverageTotals {
        let mut totals = CoverageTotals::default();
        for file in self.files.values() {
            totals.lines_covered += covered(file.lines.values());
            totals.lines_total += file.lines.len() as u64;
            totals.branches_covered += covered(file.branches.values());
            totals.branches_total += file.branches.len() as u64;
        }
        totals
    }

    /// The lcov tracefile (`coverage.info`).
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (path, file) in &self.files {
            // Writing to a string cannot fail.
            let _ = file.write_lcov(path, &mut text);
        }
        text
    }
}

impl FileCoverage {
    fn write_lcov(&self, path: &str, text: &mut String) -> std::fmt::Result {
        writeln!(text, "TN:\nSF:{path}")?;
        for (name, (line, _)) in &self.functions {
            writeln!(text, "FN:{line},{name}")?;
        }
        for (name, (_, hits)) in &self.functions {
            writeln!(text, "FNDA:{hits},{name}")?;
        }
        let entered = covered(self.functions.values().map(|(_, hits)| hits));
        writeln!(text, "FNF:{}\nFNH:{entered}", self.functions.len())?;
        for (&(line, block, arm), &taken) in &self.branches {
            // lcov tells an arm not taken from one whose branch was never evaluated.
            let evaluated = self.lines.get(&line).is_none_or(|&hits| hits > 0) || taken > 0;
            let taken = if evaluated { taken.to_string() } else { "-".to_owned() };
            writeln!(text, "BRDA:{line},{block},{arm},{taken}")?;
        }
        writeln!(text, "BRF:{}\nBRH:{}", self.branches.len(), covered(self.branches.values()))?;
        for (line, hits) in &self.lines {
            writeln!(text, "DA:{line},{hits}")?;
        }
        writeln!(text, "LF:{}\nLH:{}\nend_of_record", self.lines.len(), covered(self.lines.values()))
    }
}

fn covered<'a>(counts: impl Iterator<Item = &'a u64>) -> u64 {
    counts.filter(|&&n| n > 0).count() as u64
}

impl std::fmt::Display for CoverageTotals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CoverageTotals { lines_covered, lines_total, branches_covered, branches_total } = self;
        write!(f, "{lines_covered}/{lines_total} lines, {branches_covered}/{branches_total} branches")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Coverage {
        let mut coverage = Coverage::default();
        let file = coverage.file("a.c");
        file.functions.insert("main".into(), (1, 1));
        file.lines.extend([(2, 5), (3, 0)]);
        file.branches.extend([((2, 0, 0), 5), ((2, 0, 1), 0), ((3, 0, 0), 0)]);
        coverage
    }

    #[test]
    fn lcov_text() {
        let want = "TN:\nSF:a.c\nFN:1,main\nFNDA:1,main\nFNF:1\nFNH:1\n\
            BRDA:2,0,0,5\nBRDA:2,0,1,0\nBRDA:3,0,0,-\nBRF:3\nBRH:1\n\
            DA:2,5\nDA:3,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(sample().lcov(), want);
    }

    #[test]
    fn merging_adds_counts_and_keeps_what_only_one_side_has() {
        let mut left = sample();
        let mut right = sample();
        right.file("b.c").lines.insert(9, 1);
        right.file("a.c").lines.insert(3, 2);
        left.merge(&right);
        assert_eq!(left.files["a.c"].lines[&2], 10);
        assert_eq!(left.files["a.c"].functions["main"], (1, 2));
        let totals = left.totals();
        assert_eq!((totals.lines_covered, totals.lines_total), (3, 3));
        assert_eq!((totals.branches_covered, totals.branches_total), (1, 3));
        assert_eq!(totals.to_string(), "3/3 lines, 1/3 branches");
    }
}
