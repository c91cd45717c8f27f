//! Query count estimation, equation 1 of Kuznetsov et al., PLDI 2012: states are similar if every
//! hot variable is equal in both, or depends on symbolic inputs in one of them.

use super::Similarity;
use super::variables::{Difference, Pair, abstraction};
use rejoin_analysis::qce::{self, Location};
use rejoin_exec::{Against, Machine, State};
use rejoin_ir::FuncId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Similarity by hot variables.
pub struct Qce {
    counts: qce::Qce,
    /// Per context and instruction: the hot variables.
    hot: FxHashMap<(u32, u32), Rc<[qce::StackVariable]>>,
}

impl Qce {
    /// With counts of the machine's program.
    #[must_use]
    pub fn new(counts: qce::Qce) -> Self {
        Qce { counts, hot: FxHashMap::default() }
    }

    pub(super) fn params(&self) -> &qce::Params {
        self.counts.params()
    }

    /// The counts where `s` is.
    pub(super) fn stack_counts(&self, m: &Machine, s: &State) -> qce::StackCounts {
        self.counts.stack(&stack(m, s))
    }

    /// The hot variables where `s` is; equal contexts are equal stacks.
    fn hot(&mut self, m: &Machine, s: &State) -> Rc<[qce::StackVariable]> {
        let compute = || self.counts.hot(&stack(m, s)).into_iter().map(|(v, _)| v).collect();
        Rc::clone(self.hot.entry((s.frame.context, s.frame.pc)).or_insert_with(compute))
    }
}

/// The call stack of a state as the analysis knows it, outermost frame first.
fn stack(m: &Machine, s: &State) -> Vec<(FuncId, Location)> {
    let f = &m.module.functions[s.frame.func.index()];
    let waiting = s.callers.iter().map(|c| (c.func, Location::AfterCall(c.pc)));
    let mut stack: Vec<(FuncId, Location)> = waiting.collect();
    stack.reverse();
    if let Some(block) = f.block_of_inst(s.frame.pc) {
        let is_head = f.blocks[block.index()].insts.start == s.frame.pc;
        let location = if is_head { Location::Head(block) } else { Location::Returned(s.frame.pc - 1) };
        stack.push((s.frame.func, location));
    }
    stack
}

impl Similarity for Qce {
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against> {
        let hot = self.hot(m, a);
        let pair = Pair::new(m, a, b);
        let differing = hot.iter().find(|v| pair.difference(**v) == Difference::Concrete);
        differing.map_or(Ok(()), |v| Err(pair.against(*v)))
    }

    /// `h` of all hot variables: finer than equation 1, where a symbolic value is like any other one.
    fn abstraction(&mut self, m: &Machine, s: &State, out: &mut Vec<u64>) {
        let hot = self.hot(m, s);
        abstraction(m, s, &hot, out);
    }
}
