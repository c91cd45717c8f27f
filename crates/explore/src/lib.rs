//! Algorithm 1 of "Efficient State Merging in Symbolic Execution" (Kuznetsov et al., PLDI 2012),
//! and its parameters. Knows no LLVM, no terms and no solver.
//!
//! Deviations from the paper:
//! 1. `follow` is part of [`Machine::step`]: an arm that is not worth following never becomes a
//!    state, and a branch with one arm costs no turn of the loop.
//! 2. `pick_next` is told of every insertion and removal instead of searching the worklist.

mod worklist;

pub use worklist::{StateId, Worklist};

/// What `explore` needs to know of a language: how a state steps, and how a group becomes one.
pub trait Machine {
    /// The triple (location, path condition, store).
    type State;
    /// Why a state ended.
    type Outcome;

    /// Runs `s` to its next branch, the end of its turn, or its end. The successors are disjoint
    /// and cover what `follow` accepts of `s`.
    fn step(&mut self, s: Self::State) -> Step<Self>;
    /// Replaces similar states at one location by one that covers exactly their paths.
    fn merge(&mut self, group: Vec<Self::State>) -> Self::State;
}

/// The result of one step.
pub struct Step<M: Machine + ?Sized> {
    /// States to go on with.
    pub next: Vec<M::State>,
    /// States that ended, and why.
    pub halted: Vec<(M::State, M::Outcome)>,
}

/// `pickNext`: decides which state runs, and so when states meet.
pub trait PickNext<M: Machine> {
    /// A state without a predecessor in the worklist.
    fn insert(&mut self, m: &M, id: StateId, s: &M::State);
    /// `parent` was replaced by `children`; it may be among them.
    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]);
    /// Chooses from the states it was told of; there is one.
    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId;
}

/// `~`: decides whether states merge. It is told of what enters and leaves the worklist, so that it
/// need not search it.
pub trait Similar<M: Machine> {
    /// The states of `w` that merge with `s` now; often none. Asked again for what they became.
    fn partners(&mut self, m: &mut M, w: &Worklist<M::State>, s: &M::State) -> Vec<StateId>;
    /// A state entered the worklist.
    fn inserted(&mut self, _: &M, _: StateId, _: &M::State) {}
    /// A state left the worklist.
    fn removed(&mut self, _: &M, _: StateId, _: &M::State) {}
}

/// Plain symbolic execution: no state is similar to another.
pub struct Never;

impl<M: Machine> Similar<M> for Never {
    fn partners(&mut self, _: &mut M, _: &Worklist<M::State>, _: &M::State) -> Vec<StateId> {
        Vec::new()
    }
}

/// Receives what the exploration finds.
pub trait Sink<M: Machine> {
    /// A state ended.
    fn halted(&mut self, m: &mut M, s: M::State, why: M::Outcome);
    /// Asked before every pick; `true` stops the exploration.
    fn stop(&mut self, m: &mut M, w: &Worklist<M::State>) -> bool;
}

/// Algorithm 1. Gives the worklist back, which is not empty if the sink stopped the run.
pub fn explore<M: Machine>(
    m: &mut M,
    initial: M::State,
    pick: &mut dyn PickNext<M>,
    similar: &mut dyn Similar<M>,
    sink: &mut dyn Sink<M>,
) -> Worklist<M::State> {
    let mut w = Worklist::default();
    let first = w.insert(initial); // w := {(l0, true, λv.v)}
    pick.insert(m, first, w.get(first));
    similar.inserted(m, first, w.get(first));
    while !w.is_empty() && !sink.stop(m, &w) {
        let id = pick.pick_next(m, &w);
        let s = w.take(id);
        similar.removed(m, id, &s);
        let Step { next, halted } = m.step(s); // switch instr(l), with follow
        let mut children = Vec::with_capacity(next.len());
        for mut s in next {
            loop {
                let partners = similar.partners(m, &w, &s); // {s'' ∈ w | s'' ~ s'}
                if partners.is_empty() {
                    break;
                }
                let mut group = Vec::with_capacity(partners.len() + 1);
                for p in partners {
                    // The search does not know the children yet.
                    match children.iter().position(|c| *c == p) {
                        Some(i) => drop(children.remove(i)),
                        None => pick.replace(m, p, &[]),
                    }
                    let partner = w.take(p);
                    similar.removed(m, p, &partner);
                    group.push(partner);
                }
                group.push(s);
                s = m.merge(group); // (l, pc' ∨ pc'', λv. ite(pc', s'[v], s''[v]))
            }
            // A state that goes on alone keeps its name, so that the search keeps its place.
            let name = if children.contains(&id) { w.insert(s) } else { w.put_back(id, s) };
            similar.inserted(m, name, w.get(name));
            children.push(name);
        }
        let told: Vec<(StateId, &M::State)> = children.iter().map(|c| (*c, w.get(*c))).collect();
        pick.replace(m, id, &told);
        for (s, why) in halted {
            sink.halted(m, s, why);
        }
    }
    w
}

#[cfg(test)]
mod tests;
