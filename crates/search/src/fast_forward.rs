//! Dynamic state merging: Algorithm 2 of Kuznetsov et al., PLDI 2012.
//!
//! A state whose abstraction another state had a few steps ago is likely to become similar to that
//! other state soon: it is *fast-forwarded*, that is, it runs before what the driving search would
//! pick. The forwarding set F holds the states whose abstraction is in the recent history of
//! another state; of several, the first in topological order runs.
//!
//! [`Histories`] knows abstractions as numbers only: who decides what is similar computes them and
//! tells what enters and leaves the worklist. A wrong number costs time and nothing else, since
//! states are compared in full when they meet.
//!
//! Deviations from the paper:
//! 1. A step leads from one place where paths meet to the next, and abstractions are taken there;
//!    δ counts these steps, not basic blocks. Two states at any other block have passed the same
//!    such place before.
//! 2. Between two such places a fast-forwarded state and all it forks into stay in F.
//! 3. A state that does not merge within δ steps of fast-forwarding leaves F until the driving
//!    search picks it: a loop whose iterations look alike can not stop the search.
//! 4. F is not computed anew in each step: it is looked at where a history or a state changes, in
//!    O(1) per step.
//! 5. Over a topological search, a state starts being fast-forwarded only if no other is before it: who
//!    is, may still come to where it waits and merge there, and running on would give that away.

use crate::{Order, Topological};
use rejoin_explore::{PickNext, StateId, Worklist};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// The most abstractions that one history holds, however many states were merged.
const MAX_HISTORY: usize = 64;

/// What was fast-forwarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Forwards {
    /// States that ran before their turn.
    pub started: u64,
    /// Those that merged.
    pub merged: u64,
}

/// The past of one state.
#[derive(Clone, Debug, Default)]
struct Trace {
    /// The abstraction it has now, where there is one.
    now: Option<u64>,
    /// Those it had, each with the number of the step, oldest first.
    past: VecDeque<(u64, i64)>,
    /// How many steps it made.
    steps: i64,
    /// It goes on being fast-forwarded.
    forwarded: bool,
    /// Steps since its fast-forwarding began.
    distance: u32,
    /// It was fast-forwarded for long enough.
    is_tired: bool,
    /// It is making a step.
    is_out: bool,
}

/// The histories of all pending states, and who is in F.
pub struct Histories {
    delta: u32,
    traces: Vec<Option<Trace>>,
    /// Per abstraction: whose history has it.
    past: FxHashMap<u64, Vec<StateId>>,
    /// Per abstraction: who has it now.
    here: FxHashMap<u64, Vec<StateId>>,
    /// States that may have entered F.
    fresh: Vec<StateId>,
    /// The state that makes a step, as it was before.
    parent: Option<(StateId, Trace)>,
    /// How many states the step has made.
    children: usize,
    /// Whether the step is one of fast-forwarding.
    forwarding: bool,
    /// States that were taken out to be merged with the one that enters next.
    absorbed: Vec<Trace>,
    forwards: Forwards,
}

impl Histories {
    /// Histories that go `delta` steps back.
    #[must_use]
    pub fn new(delta: u32) -> Self {
        Histories {
            delta,
            traces: Vec::new(),
            past: FxHashMap::default(),
            here: FxHashMap::default(),
            fresh: Vec::new(),
            parent: None,
            children: 0,
            forwarding: false,
            absorbed: Vec::new(),
            forwards: Forwards::default(),
        }
    }

    /// What was fast-forwarded so far.
    #[must_use]
    pub fn forwards(&self) -> Forwards {
        self.forwards
    }

    /// The abstraction that a pending state has now.
    #[must_use]
    pub fn now(&self, id: StateId) -> Option<u64> {
        self.traces.get(id.index())?.as_ref()?.now
    }

    /// A state leaves the worklist to make a step.
    pub fn step(&mut self, id: StateId) {
        self.settle();
        let Some(mut trace) = self.traces.get_mut(id.index()).and_then(Option::take) else { return };
        if let Some(now) = trace.now.take() {
            remove(&mut self.here, now, id);
            self.record(id, &mut trace, now);
        }
        self.parent = Some((id, trace.clone()));
        trace.is_out = true;
        self.traces[id.index()] = Some(trace);
        self.children = 0;
    }

    /// A state leaves the worklist to be merged with the one that enters next.
    pub fn absorb(&mut self, id: StateId) {
        let trace = self.forget(id);
        self.absorbed.extend(trace);
    }

    /// A state enters the worklist: a successor of the one that made a step, merged with what was
    /// absorbed. `now` is its abstraction, if it is where paths meet.
    pub fn enter(&mut self, id: StateId, now: Option<u64>) {
        if self.traces.len() <= id.index() {
            self.traces.resize_with(id.index() + 1, || None);
        }
        let absorbed = std::mem::take(&mut self.absorbed);
        let before = self.parent.as_ref().map(|p| p.1.clone()).unwrap_or_default();
        let mut trace = match self.traces[id.index()].take() {
            Some(trace) if trace.is_out => trace,
            _ => {
                before.past.iter().for_each(|(key, _)| add(&mut self.past, *key, id));
                before
            }
        };
        trace.is_out = false;
        trace.steps += i64::from(now.is_some());
        self.drop_old(id, &mut trace);
        for other in &absorbed {
            self.unite(id, &mut trace, other);
        }
        let merged = !absorbed.is_empty();
        if self.forwarding {
            self.forwards.started += u64::from(self.children > 0);
            self.forwards.merged += u64::from(merged);
        }
        self.children += 1;
        trace.forwarded = self.forwarding && !merged;
        trace.distance = if trace.forwarded { trace.distance + u32::from(now.is_some()) } else { 0 };
        trace.is_tired = trace.distance > self.delta;
        trace.now = now;
        if let Some(now) = now {
            add(&mut self.here, now, id);
        }
        self.traces[id.index()] = Some(trace);
        if self.is_forwardable(id) {
            self.fresh.push(id);
        }
    }

    /// Whether a pending state is in F.
    #[must_use]
    pub fn is_forwardable(&self, id: StateId) -> bool {
        let Some(trace) = self.traces.get(id.index()).and_then(Option::as_ref) else { return false };
        let in_history = |now| self.past.get(&now).is_some_and(|ids| ids.iter().any(|other| *other != id));
        !trace.is_tired && trace.now.map_or(trace.forwarded, in_history)
    }

    fn is_forwarded(&self, id: StateId) -> bool {
        self.traces.get(id.index()).and_then(Option::as_ref).is_some_and(|t| t.forwarded)
    }

    /// The search picked a state, from F or not.
    fn picked(&mut self, id: StateId, forwarding: bool) {
        self.settle();
        self.forwarding = forwarding;
        let Some(trace) = self.traces.get_mut(id.index()).and_then(Option::as_mut) else { return };
        if !forwarding {
            trace.distance = 0;
            trace.forwarded = false;
        } else if !trace.forwarded {
            trace.distance = 0;
            self.forwards.started += 1;
        }
    }

    /// Forgets the state that made a step, if it has no successor of its name.
    fn settle(&mut self) {
        if let Some((id, _)) = self.parent.take()
            && self.traces[id.index()].as_ref().is_some_and(|t| t.is_out)
        {
            self.forget(id);
        }
    }

    fn forget(&mut self, id: StateId) -> Option<Trace> {
        let trace = self.traces.get_mut(id.index())?.take()?;
        if let Some(now) = trace.now {
            remove(&mut self.here, now, id);
        }
        trace.past.iter().for_each(|(key, _)| remove(&mut self.past, *key, id));
        Some(trace)
    }

    /// What a state was becomes history.
    fn record(&mut self, id: StateId, trace: &mut Trace, key: u64) {
        match trace.past.iter().position(|(k, _)| *k == key) {
            Some(i) => drop(trace.past.remove(i)),
            None => {
                add(&mut self.past, key, id);
                self.fresh.extend(self.here.get(&key).into_iter().flatten());
            }
        }
        trace.past.push_back((key, trace.steps));
        self.drop_old(id, trace);
    }

    fn drop_old(&mut self, id: StateId, trace: &mut Trace) {
        while let Some(&(key, at)) = trace.past.front()
            && (trace.past.len() > MAX_HISTORY || trace.steps - at > i64::from(self.delta))
        {
            trace.past.pop_front();
            remove(&mut self.past, key, id);
        }
    }

    /// Adds the past of a state that was merged in.
    fn unite(&mut self, id: StateId, trace: &mut Trace, other: &Trace) {
        for &(key, at) in &other.past {
            let at = at + trace.steps - other.steps;
            match trace.past.iter_mut().find(|(k, _)| *k == key) {
                Some(known) => known.1 = known.1.max(at),
                None => {
                    trace.past.push_back((key, at));
                    add(&mut self.past, key, id);
                    self.fresh.extend(self.here.get(&key).into_iter().flatten());
                }
            }
        }
        trace.past.make_contiguous().sort_by_key(|(_, at)| *at);
        self.drop_old(id, trace);
    }
}

fn add(map: &mut FxHashMap<u64, Vec<StateId>>, key: u64, id: StateId) {
    map.entry(key).or_default().push(id);
}

fn remove(map: &mut FxHashMap<u64, Vec<StateId>>, key: u64, id: StateId) {
    if let Some(ids) = map.get_mut(&key) {
        ids.retain(|other| *other != id);
        if ids.is_empty() {
            map.remove(&key);
        }
    }
}

/// Search by another strategy, unless there is a state to fast-forward.
pub struct FastForward<M: Order> {
    driver: Box<dyn PickNext<M>>,
    histories: Rc<RefCell<Histories>>,
    /// The driving search is topological, and who is behind its first state does not start.
    waits: bool,
    queue: BTreeSet<(Turn<M>, StateId)>,
    queued: Vec<Option<Turn<M>>>,
}

/// When a state of F runs: those that have to wait to start come last, then the order of the program.
type Turn<M> = (bool, <M as Order>::Key);

impl<M: Order> FastForward<M> {
    /// Over a driving search; `histories` says who is in F.
    #[must_use]
    pub fn new(driver: Box<dyn PickNext<M>>, histories: Rc<RefCell<Histories>>) -> Self {
        FastForward { driver, histories, waits: false, queue: BTreeSet::new(), queued: Vec::new() }
    }

    /// Over the topological search.
    #[must_use]
    pub fn in_order(histories: Rc<RefCell<Histories>>) -> Self
    where
        M: 'static,
    {
        FastForward { waits: true, ..FastForward::new(Box::new(Topological::default()), histories) }
    }

    fn leave(&mut self, id: StateId) {
        if let Some(turn) = self.queued.get_mut(id.index()).and_then(Option::take) {
            self.queue.remove(&(turn, id));
        }
    }

    /// The first state of F.
    fn first(&mut self, m: &M, w: &Worklist<M::State>) -> Option<StateId> {
        let fresh = std::mem::take(&mut self.histories.borrow_mut().fresh);
        for id in fresh {
            self.leave(id);
            if self.histories.borrow().is_forwardable(id) {
                if self.queued.len() <= id.index() {
                    self.queued.resize(id.index() + 1, None);
                }
                let waits = self.waits && !self.histories.borrow().is_forwarded(id);
                let turn = (waits, m.key(w.get(id)));
                self.queued[id.index()] = Some(turn.clone());
                self.queue.insert((turn, id));
            }
        }
        while let Some(((waits, key), id)) = self.queue.first() {
            if self.histories.borrow().is_forwardable(*id) {
                let may_start = !waits || *key <= m.key(w.get(self.driver.pick_next(m, w)));
                return may_start.then_some(*id);
            }
            let id = *id;
            self.leave(id);
        }
        None
    }
}

impl<M: Order> PickNext<M> for FastForward<M> {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.driver.insert(m, id, s);
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.leave(parent);
        self.driver.replace(m, parent, children);
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        self.histories.borrow_mut().settle();
        let first = self.first(m, w);
        let id = first.unwrap_or_else(|| self.driver.pick_next(m, w));
        self.histories.borrow_mut().picked(id, first.is_some());
        id
    }
}
