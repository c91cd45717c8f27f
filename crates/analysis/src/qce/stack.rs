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
use rustc_hash::FxHashMap;
use std::rc::Rc;

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

#[derive(Clone, Debug)]
struct Used {
    /// The output, as the only one of the set.
    output: Outputs,
    /// What it is for the caller.
    variable: Variable,
    queries: Count,
}

/// What the callers of a frame add to its counts. Call stacks share their callers, so each is summed up once.
#[derive(Clone, Debug, Default)]
struct Callers {
    /// Of all callers.
    q_t: Count,
    /// Of the innermost caller: its variables that are not global, largest count first.
    locals: Vec<(Variable, Count)>,
    /// Of all callers: global variables, ascending.
    globals: Vec<(Variable, Count)>,
    later: Later,
}

/// The callers met so far; number 0 is none.
#[derive(Clone, Debug)]
pub(super) struct KnownCallers {
    all: Vec<Rc<Callers>>,
    numbers: FxHashMap<(u32, FuncId, Location, FuncId), u32>,
}

impl Default for KnownCallers {
    fn default() -> Self {
        KnownCallers { all: vec![Rc::default()], numbers: FxHashMap::default() }
    }
}

impl Qce {
    /// The counts of a state with this call stack, outermost frame first: local counts at its
    /// location plus those at all return locations.
    #[must_use]
    pub fn stack(&self, stack: &[(FuncId, Location)]) -> StackCounts {
        let (q_t, q_add) = self.above(stack, |_, _| true);
        StackCounts { q_t, q_add }
    }

    /// The hot variables H of a state with this call stack, by variable, with their Q_add.
    #[must_use]
    pub fn hot(&self, stack: &[(FuncId, Location)]) -> Vec<(StackVariable, Count)> {
        self.above(stack, |q, q_t| self.params().is_hot(q, q_t)).1
    }

    /// Q_t, and the variables whose Q_add is large enough beside it.
    fn above(
        &self,
        stack: &[(FuncId, Location)],
        is_enough: impl Fn(Count, Count) -> bool,
    ) -> (Count, Vec<(StackVariable, Count)>) {
        let Some((&(f, location), callers)) = stack.split_last() else { return Default::default() };
        let numbers = self.callers(callers, f);
        let outer = self.known_callers(*numbers.last().unwrap_or(&0));
        let top = self.frame(&outer, f, location);
        let mut found = Vec::new();
        for (frame, number) in numbers.iter().enumerate() {
            let caller = self.known_callers(*number);
            let enough = caller.locals.iter().take_while(|(_, q)| is_enough(*q, top.q_t));
            found.extend(enough.map(|&(v, q)| ((frame, v), q)));
        }
        let enough = top.locals.iter().take_while(|(_, q)| is_enough(*q, top.q_t));
        found.extend(enough.map(|&(v, q)| ((callers.len(), v), q)));
        let globals = top.globals.iter().map(|&(v, q)| ((0, v), q.min(top.q_t)));
        found.extend(globals.filter(|(_, q)| is_enough(*q, top.q_t)));
        found.sort_unstable_by_key(|(v, _)| *v);
        (top.q_t, found)
    }

    fn known_callers(&self, number: u32) -> Rc<Callers> {
        Rc::clone(&self.callers.borrow().all[number as usize])
    }

    /// The numbers of the callers of `top` down to each frame of `stack`, outermost first.
    fn callers(&self, stack: &[(FuncId, Location)], top: FuncId) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(stack.len());
        let mut outer = 0;
        for (frame, &(f, location)) in stack.iter().enumerate() {
            let callee = stack.get(frame + 1).map_or(top, |next| next.0);
            let key = (outer, f, location, callee);
            let known = self.callers.borrow().numbers.get(&key).copied();
            outer = known.unwrap_or_else(|| {
                let before = self.known_callers(outer);
                let mut callers = self.frame(&before, f, location);
                if let Location::AfterCall(call) = location {
                    callers.later = self.used(self.function(f), call, callee, &before.later);
                }
                let mut table = self.callers.borrow_mut();
                let number = table.all.len() as u32;
                table.all.push(Rc::new(callers));
                table.numbers.insert(key, number);
                number
            });
            numbers.push(outer);
        }
        numbers
    }

    /// The counts with a frame below some callers.
    fn frame(&self, outer: &Callers, f: FuncId, location: Location) -> Callers {
        let function = self.function(f);
        let Some(counts) = function.at(location) else {
            return Callers { q_t: outer.q_t, globals: outer.globals.clone(), ..Callers::default() };
        };
        // A global that stays what it is has the queries of the callers from their frames.
        let is_new = |v: Variable, used: &Used| !is_global(v) || used.variable != v;
        let totals = totals(function, counts, &outer.later, is_new);
        let own = totals.into_iter().map(|(id, q)| (function.variable(id), q));
        let (own, mut locals): (Vec<_>, Vec<_>) = own.partition(|(v, _)| is_global(*v));
        locals.sort_by(|a, b| b.1.total_cmp(a.1));
        let mut globals = Vec::with_capacity(outer.globals.len() + own.len());
        globals.extend_from_slice(&outer.globals);
        globals.extend(own);
        add_up(&mut globals);
        Callers { q_t: outer.q_t + counts.q_t, locals, globals, ..Callers::default() }
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
    add_up(&mut totals);
    totals
}

/// Sorts counts, and makes one of those with the same name.
fn add_up<T: Ord + Copy>(counts: &mut Vec<(T, Count)>) {
    counts.sort_by_key(|(name, _)| *name);
    counts.dedup_by(|b, a| {
        let same = a.0 == b.0;
        if same {
            a.1 += b.1;
        }
        same
    });
}
