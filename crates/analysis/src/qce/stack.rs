//! The counts of a state: those of its frames, summed up (section 3.2 of PLDI'12, at run time).
//!
//! Deviation: in the paper a frame adds what it counts at the place it is at. But a value that is
//! about to be returned has no queries left in its function; they are in the callers, which compare
//! or follow the result. So a variable that goes into an output of its function (a result, or memory
//! that the caller knows) counts with what the caller counts for that output, as if the function were
//! inlined. Of several outputs the one with most queries counts: there may be queries that depend on
//! all of them.

use super::{Count, Counts, FunctionQce, Location, Outputs, Qce};
use crate::dependence::{VarId, Variable, overlap};
use rejoin_ir::FuncId;

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

/// Queries of the callers that depend on an output of a function, most first.
type Later = Vec<Used>;

struct Used {
    /// The output, as the only one of the set.
    output: Outputs,
    /// What it is for the caller.
    variable: Variable,
    queries: Count,
}

impl Qce {
    /// The counts of a state with this call stack, outermost frame first: local counts at its
    /// location plus those at all return locations.
    #[must_use]
    pub fn stack(&self, stack: &[(FuncId, Location)]) -> StackCounts {
        let mut sum = StackCounts::default();
        let mut later = Later::new();
        for (frame, &(f, location)) in stack.iter().enumerate() {
            let function = self.function(f);
            let Some(counts) = function.at(location) else {
                later.clear();
                continue;
            };
            sum.q_t += counts.q_t;
            // A global that stays what it is has the queries of the callers from their frames.
            let is_new = |v: Variable, used: &Used| !is_global(v) || used.variable != v;
            for (id, q) in totals(function, counts, &later, is_new) {
                let variable = function.variable(id);
                sum.q_add.push(((if is_global(variable) { 0 } else { frame }, variable), q));
            }
            let next = stack.get(frame + 1).map(|next| next.0);
            later = match (location, next) {
                (Location::AfterCall(call), Some(callee)) => self.used(function, call, callee, &later),
                _ => Later::new(),
            };
        }
        sum.q_add.sort_by_key(|(v, _)| *v);
        sum.q_add.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 = (a.1 + b.1).min(sum.q_t);
            }
            same
        });
        sum
    }

    /// What a caller asks about the outputs of a function that it has called.
    fn used(&self, function: &FunctionQce, call: u32, callee: FuncId, later: &Later) -> Later {
        let link = function.links.iter().find(|l| (l.call, l.callee) == (call, callee));
        let Some((link, counts)) = link.zip(function.at(Location::Returned(call))) else {
            return Later::new();
        };
        let totals = totals(function, counts, later, |_, _| true);
        let known = &self.function(callee).outputs;
        let mut used = Later::new();
        for &(out, variable) in &link.outputs {
            let Some(n) = known.iter().position(|o| *o == out).filter(|n| *n < 64) else { continue };
            let meeting = totals.iter().filter(|(id, _)| overlap(function.variable(*id), variable));
            let queries = meeting.fold(Count::ZERO, |most, (_, q)| most.max(*q));
            if !queries.is_zero() {
                used.push(Used { output: 1 << n, variable, queries });
            }
        }
        used.sort_by(|a, b| b.queries.total_cmp(a.queries));
        used
    }

    /// The hot variables H of a state with this call stack, by variable, with their Q_add.
    #[must_use]
    pub fn hot(&self, stack: &[(FuncId, Location)]) -> Vec<(StackVariable, Count)> {
        let StackCounts { q_t, q_add } = self.stack(stack);
        q_add.into_iter().filter(|(_, q)| self.params().is_hot(*q, q_t)).collect()
    }
}

fn is_global(variable: Variable) -> bool {
    matches!(variable, Variable::Memory(cell) if cell.base.register().is_none())
}

/// What a frame's variables count, by variable: its own queries and those of its callers, of which
/// only some may be wanted for a variable.
fn totals(
    function: &FunctionQce,
    counts: &Counts,
    later: &Later,
    wanted: impl Fn(Variable, &Used) -> bool,
) -> Vec<(VarId, Count)> {
    if later.is_empty() {
        return counts.q_add.clone();
    }
    let mut totals = Vec::with_capacity(counts.q_add.len() + counts.reaches.len());
    totals.extend_from_slice(&counts.q_add);
    for &(id, outputs) in &counts.reaches {
        let variable = function.variable(id);
        let most = later.iter().find(|used| outputs & used.output != 0 && wanted(variable, used));
        totals.extend(most.map(|used| (id, used.queries)));
    }
    totals.sort_by_key(|(id, _)| *id);
    totals.dedup_by(|b, a| {
        let same = a.0 == b.0;
        if same {
            a.1 += b.1;
        }
        same
    });
    totals
}
