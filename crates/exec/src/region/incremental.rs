//! Incremental merging (ESEC/FSE'23, section 4): states of a region that are about to begin an
//! iteration with equal stores become one, so that a loop whose body branches does not double its
//! states in every iteration.
//!
//! Deviation from the paper: nobody runs ahead. A state that comes back to the head of its region's
//! loop waits there until all others inside have come back or left; then equal ones are merged. The
//! paper explores breadth-first and looks for inner nodes with an equal snapshot, whose subtrees it
//! throws away. Trees are n-ary here, and no snapshots are needed.

use super::join::Join;
use super::{Inside, MERGED, Trail};
use crate::machine::Machine;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_ir::{EdgeId, Function};
use rejoin_pattern::Step;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

impl Machine {
    /// `s` has gone along an edge to the next iteration of a loop: it stops there if the loop is its
    /// region.
    pub(crate) fn come_back(&mut self, s: &mut State, func: &Function, edge: EdgeId) {
        let Some(r) = s.regions.last().and_then(|i| self.regions.open.get(&i.region)) else { return };
        if !self.options.incremental || (r.depth, r.context) != (s.callers.depth(), s.frame.context) {
            return;
        }
        let (facts, target) = (self.facts(r.func), func.edges[edge.index()].target);
        let next = facts.source(edge).and_then(|from| facts.loops().next_iteration(from, target));
        if next == Some(r.l) {
            s.at_join = true;
            self.arrived = true;
        }
    }

    /// All states of a region have come back or left: those that came back go on, equal ones as one.
    pub(super) fn begin_iteration(&mut self, id: u32, going: &mut Vec<State>) {
        let Some(region) = self.regions.open.get_mut(&id) else { return };
        let (waiting, place) = (std::mem::take(&mut region.heads), (region.func, region.l));
        let count = waiting.len();
        let outer = waiting.first().map_or_else(Vec::new, Self::regions_of);
        let merged = match count {
            0 | 1 => waiting,
            _ => {
                let root = waiting[0].regions.last().map_or(0, |i| i.root);
                self.merge_along_tree(waiting, root, place, Join::Iteration)
            }
        };
        for outer in outer {
            if let Some(r) = self.regions.open.get_mut(&outer) {
                // Regions around this one have counted them while they waited.
                let counted = if outer == id { 0 } else { count };
                r.live = r.live + merged.len() - counted;
            }
        }
        going.extend(merged);
    }

    /// Whether two states that fit have equal stores, as far as they are still read.
    pub(super) fn same_store(&self, a: &State, b: &State) -> bool {
        let mut same = Rc::ptr_eq(&a.world, &b.world) && a.memory.difference(&b.memory).is_none();
        if same {
            self.live_differences(a, b, &mut |_, _, _, _, _| same = false);
        }
        same
    }

    /// A number that states with equal stores have in common: others need not be compared. `base`: some state.
    pub(super) fn store_digest(&self, s: &State, base: &State) -> u64 {
        let mut hasher = FxHasher::default();
        (s.frame.context, s.frame.pc).hash(&mut hasher);
        self.live_state(s, &mut |value| value.hash(&mut hasher));
        s.memory.difference_digest(&base.memory).hash(&mut hasher);
        hasher.finish()
    }

    /// One state for two with equal stores: what told them apart is one step of its trail.
    pub(super) fn unite_equal(&mut self, a: State, b: State) -> (State, Term) {
        let fork = a.path.lca(&b.path);
        let trail = match (a.regions.last(), b.regions.last()) {
            (Some(x), Some(y)) => Trail::common(&x.trail, &y.trail),
            _ => Trail::default(),
        };
        let (mut merged, guard) = self.unite_guarded(a, b);
        let suffix = merged.path.suffix_since(fork);
        let site = MERGED | u64::from(merged.frame.func.0) << 32 | u64::from(merged.frame.pc);
        if let Some(Inside { trail: kept, .. }) = merged.regions.last_mut() {
            *kept = trail;
            if !suffix.is_empty() {
                let cond = self.pool.and_all(&suffix);
                kept.push(Step { site, cond, compare: None });
            }
        }
        (merged, guard)
    }
}
