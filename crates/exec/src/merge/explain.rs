//! What merging did, by place: for people who ask why states did or did not become one.

use super::Refusal;
use crate::machine::Machine;
use crate::state::State;
use rejoin_analysis::qce::Variable;
use rejoin_analysis::report::variable_name;
use rejoin_ir::{FuncId, LocId};
use rejoin_memory::{Kind, ObjectId};
use std::collections::BTreeMap;

/// What stood against a merge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Against {
    /// The states can not become one.
    Refused(Refusal),
    /// A variable, as this function sees it, differs and matters.
    Variable(FuncId, Variable),
    /// An object differs.
    Object(ObjectId),
    /// Merging would cost more than it saves.
    Cost,
}

/// What merging did at one place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tally {
    /// Times two states became one here.
    pub merges: u64,
    /// If-then-else terms made by that.
    pub ites: u64,
    /// Steps of guards that merging took here.
    pub steps: u64,
    /// Times two states stayed apart here, by what stood against it.
    pub refusals: BTreeMap<Against, u64>,
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

impl Tally {
    /// Adds what happened at another place.
    pub fn add(&mut self, other: &Tally) {
        self.merges += other.merges;
        self.ites += other.ites;
        self.steps += other.steps;
        self.splits += other.splits;
        self.queries += other.queries;
        self.seconds += other.seconds;
        self.parts_queries += other.parts_queries;
        self.parts_seconds += other.parts_seconds;
        for (why, n) in &other.refusals {
            *self.refusals.entry(*why).or_insert(0) += n;
        }
    }
}

/// What merging did, by function and instruction.
pub type Tallies = BTreeMap<(FuncId, u32), Tally>;

impl Machine {
    /// What merging did where `s` is.
    pub(crate) fn tally(&mut self, s: &State) -> &mut Tally {
        self.tallies.entry((s.frame.func, s.frame.pc)).or_default()
    }

    /// Counts that a state at the place of `s` was not merged with it.
    pub fn refused(&mut self, s: &State, why: Against) {
        self.stats.merges_refused += 1;
        *self.tally(s).refusals.entry(why).or_insert(0) += 1;
    }

    /// What stood against a merge, in words.
    #[must_use]
    pub fn describe_against(&self, why: Against) -> String {
        match why {
            Against::Refused(refusal) => refusal.text().to_owned(),
            Against::Variable(f, variable) => variable_name(&self.module, f, variable),
            Against::Object(id) => self.describe_object(id),
            Against::Cost => "the cost of the merged values".to_owned(),
        }
    }

    pub(super) fn describe_object(&self, id: ObjectId) -> String {
        let global = self.code.globals.iter().position(|g| ObjectId::of_address(*g).0 == id);
        if let Some(g) = global {
            return self.module.globals[g].name.clone();
        }
        match self.names.get(id) {
            Some(n) if n.kind == Kind::Stack => format!("the local of {}", self.describe_loc(n.site)),
            Some(n) => format!("the object made at {}", self.describe_loc(n.site)),
            None => "memory".to_owned(),
        }
    }

    /// The source location of an instruction, or of the first one after it in its function that has
    /// one.
    #[must_use]
    pub fn loc_from(&self, func: FuncId, pc: u32) -> LocId {
        let f = &self.module.functions[func.index()];
        let known = |l: &&LocId| self.module.place(**l).is_some_and(|(_, l)| l.line != 0);
        f.locs.iter().skip(pc as usize).find(known).copied().unwrap_or(LocId::NONE)
    }
}
