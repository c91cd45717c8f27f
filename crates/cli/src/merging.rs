//! What merging did, by source line, from what the machine counted.

use crate::record::place;
use rejoin_exec::{Machine, Tally};
use rejoin_report::{MergePlace, MergeRefusal};
use std::collections::BTreeMap;

/// One entry per source line where merging did something.
pub(crate) fn places(m: &Machine) -> Vec<MergePlace> {
    let mut lines: BTreeMap<(String, u32), Tally> = BTreeMap::new();
    for (&(func, pc), tally) in &m.tallies {
        lines.entry(place(m, m.loc_from(func, pc))).or_default().add(tally);
    }
    lines.into_iter().map(|((file, line), tally)| entry(m, file, line, &tally)).collect()
}

fn entry(m: &Machine, file: String, line: u32, tally: &Tally) -> MergePlace {
    let mut by: BTreeMap<String, u64> = BTreeMap::new();
    for (why, n) in &tally.refusals {
        *by.entry(m.describe_against(*why)).or_insert(0) += n;
    }
    let mut refusals: Vec<MergeRefusal> =
        by.into_iter().map(|(by, count)| MergeRefusal { by, count }).collect();
    refusals.sort_by_key(|r| std::cmp::Reverse(r.count));
    MergePlace {
        file,
        line,
        merges: tally.merges,
        ites: tally.ites,
        refusals,
        splits: tally.splits,
        queries: tally.queries,
        seconds: tally.seconds,
        parts_queries: tally.parts_queries,
        parts_seconds: tally.parts_seconds,
    }
}
