//! What merging did, by source line.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What merging did at one line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MergePlace {
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Times two states became one here.
    pub merges: u64,
    /// If-then-else terms made by that.
    pub ites: u64,
    /// What kept states apart here, the commonest first.
    pub refusals: Vec<MergeRefusal>,
    /// Times a merged state was taken apart here.
    pub splits: u64,
    /// Questions that merged states asked here.
    pub queries: u64,
    /// Time that the answers took.
    pub seconds: f64,
    /// Questions that their parts would have asked, under `--exact-paths`.
    pub parts_queries: u64,
    /// Time that those answers took.
    pub parts_seconds: f64,
}

impl MergePlace {
    /// Whether merged states were slower here than their parts together. Less than a millisecond is
    /// not worth telling.
    #[must_use]
    pub fn is_slower(&self) -> bool {
        self.parts_queries > 0 && self.seconds > self.parts_seconds && self.seconds > 1e-3
    }
}

/// What kept states apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MergeRefusal {
    /// The variable by its name, or another reason.
    pub by: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for MergePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.rsplit('/').next().unwrap_or_default();
        write!(f, "{file}:{}: {} merged", self.line, self.merges)?;
        if self.ites > 0 {
            write!(f, " ({} ites)", self.ites)?;
        }
        let refused: u64 = self.refusals.iter().map(|r| r.count).sum();
        if let Some(first) = self.refusals.first() {
            write!(f, ", {refused} kept apart, mostly by {}", first.by)?;
        }
        if self.splits > 0 {
            write!(f, ", {} split again", self.splits)?;
        }
        if self.queries > 0 {
            write!(f, ", {} queries of merged states in {:.2} s", self.queries, self.seconds)?;
        }
        Ok(())
    }
}

/// Lines for people: where merged states were slower than their parts, the worst first.
#[must_use]
pub fn slower(places: &[MergePlace], limit: usize) -> String {
    let mut slow: Vec<&MergePlace> = places.iter().filter(|p| p.is_slower()).collect();
    slow.sort_by(|a, b| (b.seconds - b.parts_seconds).total_cmp(&(a.seconds - a.parts_seconds)));
    let line = |p: &&MergePlace| {
        let file = p.file.rsplit('/').next().unwrap_or_default();
        let (merged, apart) = (p.seconds, p.parts_seconds);
        format!("  {file}:{}: slower than its parts: {merged:.3} s against {apart:.3} s\n", p.line)
    };
    slow.iter().take(limit).map(line).collect()
}

/// A few lines for people: the places where most happened.
#[must_use]
pub fn text(places: &[MergePlace], limit: usize) -> String {
    let happened = |p: &MergePlace| p.merges + p.splits + p.refusals.iter().map(|r| r.count).sum::<u64>();
    let mut sorted: Vec<&MergePlace> = places.iter().filter(|p| happened(p) > 0).collect();
    sorted.sort_by_key(|p| std::cmp::Reverse(happened(p)));
    let mut lines: Vec<String> = sorted.iter().take(limit).map(|p| format!("  {p}\n")).collect();
    if sorted.len() > limit {
        lines.push(format!("  and {} more places (summary.json)\n", sorted.len() - limit));
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_places_come_first_with_their_main_reason() {
        let refusal = |by: &str, count| MergeRefusal { by: by.into(), count };
        let quiet = MergePlace { file: "/d/a.c".into(), line: 3, merges: 1, ..MergePlace::default() };
        let busy = MergePlace {
            line: 7,
            merges: 4,
            ites: 2,
            refusals: vec![refusal("arg", 9), refusal("r", 1)],
            queries: 5,
            seconds: 0.25,
            ..quiet.clone()
        };
        let text = text(&[quiet.clone(), busy], 1);
        let expected = "  a.c:7: 4 merged (2 ites), 10 kept apart, mostly by arg, 5 queries of merged states in \
                        0.25 s\n  and 1 more places (summary.json)\n";
        assert_eq!(text, expected);
        let slow = MergePlace { seconds: 0.5, parts_queries: 2, parts_seconds: 0.25, ..quiet.clone() };
        assert_eq!(
            slower(&[quiet.clone(), slow], 5),
            "  a.c:3: slower than its parts: 0.500 s against 0.250 s\n"
        );
        assert_eq!(super::text(&[MergePlace { queries: 3, merges: 0, ..quiet }], 5), "");
    }
}
