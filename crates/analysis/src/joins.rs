//! Where it is worth looking for states to merge.

use crate::bitset::BitSet;
use crate::cfg::Cfg;
use crate::dom::Dominators;
use crate::loops::Loops;
use rejoin_ir::Function;

/// The blocks where paths that parted meet again: blocks with several incoming edges, immediate
/// post-dominators of blocks with several successors, and targets of loop exits (an exit may have a
/// single edge, but states come along it from different iterations). The other such places are the
/// points after calls.
#[must_use]
pub fn merge_points(f: &Function, cfg: &Cfg, loops: &Loops) -> BitSet {
    let mut points = BitSet::new(cfg.len());
    let post = Dominators::post(cfg);
    let branches = cfg.reverse_postorder().iter().filter(|&&b| cfg.successors(b).len() > 1);
    let exits = loops.all().iter().flat_map(|l| &l.exits).map(|e| f.edges[e.index()].target);
    for b in cfg.join_points().chain(branches.filter_map(|&b| post.immediate(b))).chain(exits) {
        points.insert(b.index());
    }
    points
}
