//! Query count estimation: how many solver queries a difference between two states may cost.
//!
//! Kuznetsov, Kinder, Bucur, Candea: "Efficient State Merging in Symbolic Execution", PLDI 2012,
//! section 3. At a location ℓ, Q_t(ℓ) estimates the queries from there on, and Q_add(ℓ, v) those
//! that depend on variable v; v is *hot* if Q_add(ℓ, v) > α·Q_t(ℓ).
//!
//! Counts here are *local*: they include the calls from ℓ to the function's end, but not what
//! happens after it returns. [`Qce::counts`] gives them for block heads and for the points after
//! calls; [`Qce::stack`] sums them up over a call stack, as section 3.2 does at run time. A function
//! is counted when it is first asked for, with what it calls.
//!
//! Choices that the paper leaves open:
//! 1. A header is evaluated κ times (or as often as is known, at most 1000 times); then its back
//!    edge is cut to the loop's exit. Locations in loops are in the first iteration.
//! 2. n ways to go on get β/(β + (1-β)(n-1)) each.
//! 3. Recursive functions are unrolled κ levels deep; large groups of them less, see
//!    `RECURSION_BUDGET`.
//! 4. A query of a callee counts once for a variable, however many arguments depend on it.
//! 5. What a function returns, or leaves in memory, is used by its callers: a variable that goes
//!    into it counts with their queries too, see [`stack`].
//! 6. With [`Sites::All`], a question about an address or a length weighs 8: it is not the answer that
//!    is dear where an address is one of several, but the access that follows.

mod count;
pub mod stack;
mod visits;

use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
pub use crate::count::Count;
use crate::dependence::Input;
use crate::dependence::summary::{Out, Summaries, Summary};
pub use crate::dependence::{Base, Cell, Extent, Sites, VarId, Variable};
use crate::loops::Loops;
use rejoin_ir::{BlockId, FuncId, Module};
pub use stack::{StackCounts, StackVariable};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Blocks that the rounds over one group of recursive functions may visit. They are counted κ times,
/// each time with the result of the time before (at first as if the others had no queries); fewer
/// times, but at least twice, if the group has many blocks: more levels make all counts larger and
/// tell no more about which variables matter.
const RECURSION_BUDGET: usize = 1000;

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
    /// β = 0.5 makes Q_t the queries of one path: where states merge, their number does not grow at
    /// every branch. The paper's evaluation has α = 1e-12, β = 0.8 and κ = 10: then Q_t is the queries
    /// of all states to come, and in programs with large functions what comes last outweighs all else.
    fn default() -> Self {
        Params { alpha: 1e-3, beta: 0.5, kappa: 10, sites: Sites::All, opaque: BTreeSet::new() }
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
    /// Which of the function's outputs each variable goes into, if any, by variable.
    reaches: Vec<(VarId, Outputs)>,
}

/// Numbers of outputs of a function; those above 63 are left out.
type Outputs = u64;

/// A call: per function that it may reach, what its outputs are for the caller.
#[derive(Clone, PartialEq, Debug)]
struct Link {
    call: u32,
    callee: FuncId,
    outputs: Vec<(Out, Variable)>,
}

/// The counts of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionQce {
    variables: Vec<Variable>,
    locations: Vec<Location>,
    counts: Vec<Counts>,
    outputs: Vec<Out>,
    links: Vec<Link>,
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

/// The counts of a module.
#[derive(Clone, Debug)]
pub struct Qce {
    m: Rc<Module>,
    params: Params,
    calls: CallGraph,
    /// Per function: its group of [`CallGraph::bottom_up`].
    group_of: Vec<usize>,
    summaries: RefCell<Summaries>,
    /// For recursive functions: the summaries with one level less.
    inner: RefCell<Summaries>,
    functions: Vec<OnceCell<FunctionQce>>,
    callers: RefCell<stack::KnownCallers>,
}

impl Qce {
    /// The counts of `m`.
    #[must_use]
    pub fn new(m: Rc<Module>, params: Params) -> Self {
        let calls = CallGraph::new(&m);
        let mut group_of = vec![0; m.functions.len()];
        for (n, group) in calls.bottom_up().iter().enumerate() {
            group.iter().for_each(|f| group_of[f.index()] = n);
        }
        Qce {
            params,
            calls,
            group_of,
            summaries: RefCell::new(Summaries(vec![None; m.functions.len()])),
            inner: RefCell::new(Summaries(vec![None; m.functions.len()])),
            functions: vec![OnceCell::new(); m.functions.len()],
            callers: RefCell::default(),
            m,
        }
    }

    /// Summarises the functions that `f` may reach, callees first.
    fn summarise(&self, f: FuncId) {
        let groups = self.calls.bottom_up();
        let is_known = |n: usize| self.summaries.borrow().get(groups[n][0]).is_some();
        let mut reached = BTreeSet::new();
        let mut waiting = vec![self.group_of[f.index()]];
        while let Some(n) = waiting.pop() {
            if !is_known(n) && reached.insert(n) {
                let callees =
                    groups[n].iter().filter(|f| self.has_body(**f)).flat_map(|&f| self.calls.callees(f));
                waiting.extend(callees.map(|c| self.group_of[c.index()]));
            }
        }
        reached.into_iter().for_each(|n| self.summarise_group(&groups[n]));
    }

    fn summarise_group(&self, group: &[FuncId]) {
        let recursive = self.calls.is_recursive(group);
        let group: Vec<FuncId> = group.iter().copied().filter(|f| self.has_body(*f)).collect();
        let blocks: usize = group.iter().map(|f| self.m.functions[f.index()].blocks.len()).sum();
        let affordable = (RECURSION_BUDGET / blocks.max(1)).max(2);
        let rounds = if recursive { (self.params.kappa as usize).clamp(1, affordable) } else { 1 };
        for _ in 0..rounds {
            let found: Vec<Summary> =
                group.iter().map(|&f| self.with_input(f, &self.summaries.borrow(), count::summary)).collect();
            let (known, inner) = (&mut self.summaries.borrow_mut().0, &mut self.inner.borrow_mut().0);
            let mut changed = false;
            for (&f, summary) in group.iter().zip(found) {
                changed |= known[f.index()].as_deref() != Some(&summary);
                inner[f.index()] = known[f.index()].replace(Rc::new(summary));
            }
            if !changed {
                break;
            }
        }
    }

    fn has_body(&self, f: FuncId) -> bool {
        let f = &self.m.functions[f.index()];
        !f.is_declaration() && !self.params.opaque.contains(&f.name)
    }

    fn with_input<T>(&self, f: FuncId, summaries: &Summaries, analyse: impl FnOnce(Input<'_>) -> T) -> T {
        let m = &*self.m;
        let f = &m.functions[f.index()];
        let cfg = &Cfg::new(f);
        let loops = &Loops::new(f, cfg);
        let Params { sites, beta, kappa, .. } = self.params;
        analyse(Input { m, f, cfg, loops, calls: &self.calls, summaries, sites, beta, kappa })
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
        self.functions[f.index()].get_or_init(|| self.with_points(f, &[]))
    }

    /// The local counts at a location.
    #[must_use]
    pub fn counts(&self, f: FuncId, location: Location) -> Option<&Counts> {
        self.function(f).at(location)
    }

    /// The local counts of a function with those before the given instructions (ascending) too.
    #[must_use]
    pub fn with_points(&self, f: FuncId, before: &[u32]) -> FunctionQce {
        if !self.has_body(f) {
            return FunctionQce::default();
        }
        self.summarise(f);
        let group = &self.calls.bottom_up()[self.group_of[f.index()]];
        let mut summaries = self.summaries.borrow().clone();
        for g in group.iter().filter(|_| self.calls.is_recursive(group)) {
            summaries.0[g.index()] = self.inner.borrow().0[g.index()].clone();
        }
        self.with_input(f, &summaries, |input| count::count(input, before))
    }
}
