//! Query count estimation: how many solver queries a difference between two states may cost.
//!
//! Kuznetsov, Kinder, Bucur, Candea: "Efficient State Merging in Symbolic Execution", PLDI 2012,
//! section 3. At a location ℓ, Q_t(ℓ) estimates the queries from there on, and Q_add(ℓ, v) those
//! that depend on variable v; v is *hot* if Q_add(ℓ, v) > α·Q_t(ℓ).
//!
//! Counts here are *local*: they include the calls from ℓ to the function's end, but not what
//! happens after it returns. [`Qce::counts`] gives them for block heads and for the points after
//! calls; [`Qce::stack`] sums them up over a call stack, as section 3.2 does at run time.
//!
//! Choices that the paper leaves open:
//! 1. A header is evaluated κ times (or as often as is known, at most 1000 times); then its back
//!    edge is cut to the loop's exit. Locations in loops are in the first iteration.
//! 2. n ways to go on get β/(β + (1-β)(n-1)) each.
//! 3. Recursive functions are unrolled κ levels deep; large groups of them less, see [`Qce::new`].
//! 4. A query of a callee counts once for a variable, however many arguments depend on it.

mod count;
mod visits;

use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
pub use crate::count::Count;
use crate::dependence::Input;
use crate::dependence::summary::Summaries;
pub use crate::dependence::{Base, Cell, Extent, Sites, VarId, Variable};
use crate::loops::Loops;
use rejoin_ir::{BlockId, FuncId, Module};
use std::collections::BTreeSet;

/// Blocks that the rounds over one group of recursive functions may visit.
const RECURSION_BUDGET: usize = 20_000;

/// The parameters of the estimate.
#[derive(Clone, Debug)]
pub struct Params {
    /// α: which part of the queries may depend on a variable before it is hot.
    pub alpha: f64,
    /// β: the probability that a side of a branch is feasible.
    pub beta: f64,
    /// κ: how often a loop's header is evaluated and how deep a recursion goes, where unknown.
    pub kappa: u32,
    /// What makes a query.
    pub sites: Sites,
    /// Functions whose bodies are not run: the machine answers their calls.
    pub opaque: BTreeSet<String>,
}

impl Default for Params {
    /// The values of the paper's evaluation.
    fn default() -> Self {
        Params { alpha: 1e-12, beta: 0.8, kappa: 10, sites: Sites::All, opaque: BTreeSet::new() }
    }
}

impl Params {
    /// Whether a variable is hot, equation 2.
    #[must_use]
    pub fn is_hot(&self, q_add: Count, q_t: Count) -> bool {
        self.alpha.is_finite() && q_add > q_t * self.alpha
    }
}

/// A place in a function that has counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Location {
    /// The head of a block, after the copies of the edge that led there.
    Head(BlockId),
    /// The place after a call, where a caller's frame waits: the call's results do not exist yet.
    AfterCall(u32),
    /// The place after a call that has just returned: its results exist.
    Returned(u32),
    /// Just before an instruction; only where it was asked for.
    Before(u32),
}

/// The local counts at a location.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counts {
    /// Q_t.
    pub q_t: Count,
    /// Q_add of every variable for which it is not zero, by variable.
    pub q_add: Vec<(VarId, Count)>,
}

/// The counts of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionQce {
    variables: Vec<Variable>,
    locations: Vec<Location>,
    counts: Vec<Counts>,
}

impl FunctionQce {
    /// The variables that have counts, ascending; [`VarId`] is the position.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// A variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> Variable {
        self.variables[id.index()]
    }

    /// The counts at a location; `None` if it has none.
    #[must_use]
    pub fn at(&self, location: Location) -> Option<&Counts> {
        self.locations.binary_search(&location).ok().map(|i| &self.counts[i])
    }

    /// All locations with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Location, &Counts)> {
        self.locations.iter().copied().zip(&self.counts)
    }

    /// Q_add of a variable at a location.
    #[must_use]
    pub fn q_add(&self, location: Location, variable: Variable) -> Count {
        let find = || {
            let id = VarId(self.variables.binary_search(&variable).ok()? as u32);
            let counts = self.at(location)?;
            counts.q_add.binary_search_by_key(&id, |(v, _)| *v).ok().map(|i| counts.q_add[i].1)
        };
        find().unwrap_or_default()
    }
}

/// A variable of a state: seen from the frame of this number, outermost first. A global is seen from
/// frame 0.
pub type StackVariable = (usize, Variable);

/// Counts summed up over a call stack.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StackCounts {
    /// Q_t.
    pub q_t: Count,
    /// Q_add of every variable for which it is not zero, by variable. A piece of memory that two
    /// frames find through different pointers is two variables here: who can resolve the pointers
    /// should add them up.
    pub q_add: Vec<(StackVariable, Count)>,
}

/// The counts of a module.
#[derive(Clone, Debug)]
pub struct Qce {
    params: Params,
    functions: Vec<FunctionQce>,
    calls: CallGraph,
    summaries: Summaries,
}

impl Qce {
    /// Counts all functions, callees first. Functions that call each other are counted κ times, each
    /// time with the result of the time before (at first as if the others had no queries); fewer
    /// times, but at least twice, if the group has many blocks.
    #[must_use]
    pub fn new(m: &Module, params: Params) -> Self {
        let calls = CallGraph::new(m);
        let mut qce = Qce {
            params,
            functions: vec![FunctionQce::default(); m.functions.len()],
            summaries: Summaries(vec![None; m.functions.len()]),
            calls,
        };
        let groups = qce.calls.bottom_up().to_vec();
        for mut group in groups {
            let recursive = qce.calls.is_recursive(&group);
            group.retain(|f| qce.has_body(m, *f));
            let blocks: usize = group.iter().map(|f| m.functions[f.index()].blocks.len()).sum();
            let affordable = (RECURSION_BUDGET / blocks.max(1)).max(2);
            let rounds = if recursive { (qce.params.kappa as usize).clamp(1, affordable) } else { 1 };
            for _ in 0..rounds {
                let mut changed = false;
                let found: Vec<_> = group.iter().map(|&f| qce.count(m, f, &[])).collect();
                for (&f, (counts, summary)) in group.iter().zip(found) {
                    let known = &mut qce.summaries.0[f.index()];
                    changed |= known.as_ref() != Some(&summary);
                    *known = Some(summary);
                    qce.functions[f.index()] = counts;
                }
                if !changed {
                    break;
                }
            }
        }
        qce
    }

    fn has_body(&self, m: &Module, f: FuncId) -> bool {
        let f = &m.functions[f.index()];
        !f.is_declaration() && !self.params.opaque.contains(&f.name)
    }

    fn count(
        &self,
        m: &Module,
        f: FuncId,
        before: &[u32],
    ) -> (FunctionQce, crate::dependence::summary::Summary) {
        let f = &m.functions[f.index()];
        let cfg = &Cfg::new(f);
        let loops = &Loops::new(f, cfg);
        let Params { sites, beta, kappa, .. } = self.params;
        let input = Input { m, f, cfg, loops, calls: &self.calls, summaries: &self.summaries, sites, beta };
        count::count(input, kappa, before)
    }

    /// The parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The call graph that the counts follow.
    #[must_use]
    pub fn calls(&self) -> &CallGraph {
        &self.calls
    }

    /// The counts of a function, empty for one without a body.
    #[must_use]
    pub fn function(&self, f: FuncId) -> &FunctionQce {
        &self.functions[f.index()]
    }

    /// The local counts at a location.
    #[must_use]
    pub fn counts(&self, f: FuncId, location: Location) -> Option<&Counts> {
        self.function(f).at(location)
    }

    /// The local counts of a function with those before the given instructions (ascending) too.
    #[must_use]
    pub fn with_points(&self, m: &Module, f: FuncId, before: &[u32]) -> FunctionQce {
        if self.has_body(m, f) { self.count(m, f, before).0 } else { FunctionQce::default() }
    }

    /// The counts of a state with this call stack, outermost frame first: local counts at its
    /// location plus those at all return locations.
    #[must_use]
    pub fn stack(&self, stack: &[(FuncId, Location)]) -> StackCounts {
        let mut sum = StackCounts::default();
        for (frame, &(f, location)) in stack.iter().enumerate() {
            let Some(counts) = self.counts(f, location) else { continue };
            sum.q_t += counts.q_t;
            for &(id, q) in &counts.q_add {
                let variable = self.function(f).variable(id);
                let is_global = matches!(variable, Variable::Memory(cell) if cell.base.register().is_none());
                sum.q_add.push(((if is_global { 0 } else { frame }, variable), q));
            }
        }
        sum.q_add.sort_by_key(|(v, _)| *v);
        sum.q_add.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        sum
    }

    /// The hot variables H of a state with this call stack, by variable, with their Q_add.
    #[must_use]
    pub fn hot(&self, stack: &[(FuncId, Location)]) -> Vec<(StackVariable, Count)> {
        let StackCounts { q_t, q_add } = self.stack(stack);
        q_add.into_iter().filter(|(_, q)| self.params.is_hot(*q, q_t)).collect()
    }
}
