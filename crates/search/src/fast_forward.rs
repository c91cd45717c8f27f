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
//!    is, may still come to where it waits and merge there, and running on would give that away. And only if
//!    who had its abstraction is at the same place of the order: to any other one the order leads by itself.
//!    So this is about states that go around a loop with a distance that would never shrink. The distance must
//!    be small: on a long way round a state passes by many that it could have merged with.
//! 6. Of many states with one abstraction only some are looked at when a history gets it.

use crate::{Order, Topological};
use rejoin_explore::{PickNext, StateId, Worklist};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// The most abstractions that one history holds, however many states were merged.
const MAX_HISTORY: usize = 32;

/// Over a topological search: how many steps ahead another state may be.
const MAX_LEAD: u32 = 2;

/// Of the states with one abstraction, or at one place of the order, so many are looked at. Where hundreds
/// wait side by side and none of them merges, looking at all of them would cost more than all else.
const MAX_COMPANY: usize = 32;

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
    /// For how many more steps it is fast-forwarded.
    left: u32,
    /// It was fast-forwarded for long enough.
    is_tired: bool,
}

impl Trace {
    fn had(&self, key: u64) -> bool {
        self.past.iter().any(|(k, _)| *k == key)
    }
}

/// The histories of all pending states, and who is in F.
pub struct Histories {
    delta: u32,
    traces: Vec<Option<Trace>>,
    /// Per abstraction: how many histories have it.
    past: FxHashMap<u64, u32>,
    /// Per abstraction: who has it now. Mostly it is one state.
    here: FxHashMap<u64, (StateId, Vec<StateId>)>,
    /// States that may have entered F.
    fresh: Vec<StateId>,
    /// The state that makes a step, as it was before.
    parent: Option<Trace>,
    /// Its history is counted still: no successor has taken it over.
    is_counted: bool,
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
            is_counted: false,
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
            self.depart(now, id);
            self.record(&mut trace, now);
        }
        self.parent = Some(trace);
        self.is_counted = true;
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
        let mut trace = self.parent.clone().unwrap_or_default();
        if !std::mem::take(&mut self.is_counted) {
            trace.past.iter().for_each(|(key, _)| add(&mut self.past, *key));
        }
        trace.steps += i64::from(now.is_some());
        self.drop_old(&mut trace);
        for other in &absorbed {
            self.unite(&mut trace, other);
        }
        let merged = !absorbed.is_empty();
        if self.forwarding {
            self.forwards.started += u64::from(self.children > 0);
            self.forwards.merged += u64::from(merged);
        }
        self.children += 1;
        trace.forwarded = self.forwarding && !merged;
        trace.is_tired = trace.forwarded && trace.left == 0 && now.is_some();
        trace.left = trace.left.saturating_sub(now.is_some() as u32);
        trace.now = now;
        if let Some(now) = now {
            match self.here.entry(now) {
                Entry::Vacant(nobody) => drop(nobody.insert((id, Vec::new()))),
                Entry::Occupied(mut others) => others.get_mut().1.push(id),
            }
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
        let in_history = |now| {
            let histories = self.past.get(&now).copied().unwrap_or(0);
            histories > 0 && histories > u32::from(trace.had(now))
        };
        !trace.is_tired && trace.now.map_or(trace.forwarded, in_history)
    }

    /// How many steps ago the state `other` had the abstraction that `id` has now.
    fn lead(&self, id: StateId, other: StateId) -> Option<u32> {
        let now = self.now(id).filter(|_| id != other)?;
        let trace = self.traces.get(other.index())?.as_ref()?;
        let (_, at) = trace.past.iter().find(|(key, _)| *key == now)?;
        u32::try_from(trace.steps - at).ok()
    }

    fn is_forwarded(&self, id: StateId) -> bool {
        self.traces.get(id.index()).and_then(Option::as_ref).is_some_and(|t| t.forwarded)
    }

    /// The search picked a state; from F if it is to be fast-forwarded for some steps.
    fn picked(&mut self, id: StateId, steps: Option<u32>) {
        self.settle();
        self.forwarding = steps.is_some();
        let Some(trace) = self.traces.get_mut(id.index()).and_then(Option::as_mut) else { return };
        match steps {
            None => trace.forwarded = false,
            Some(steps) if !trace.forwarded => {
                trace.left = steps;
                self.forwards.started += 1;
            }
            Some(_) => {}
        }
    }

    /// The step is over: what was before it is history of the successors only.
    fn settle(&mut self) {
        if let Some(trace) = self.parent.take()
            && std::mem::take(&mut self.is_counted)
        {
            trace.past.iter().for_each(|(key, _)| remove(&mut self.past, *key));
        }
    }

    fn forget(&mut self, id: StateId) -> Option<Trace> {
        let trace = self.traces.get_mut(id.index())?.take()?;
        if let Some(now) = trace.now {
            self.depart(now, id);
        }
        trace.past.iter().for_each(|(key, _)| remove(&mut self.past, *key));
        Some(trace)
    }

    /// A state does not have the abstraction any more.
    fn depart(&mut self, now: u64, id: StateId) {
        let Some((first, others)) = self.here.get_mut(&now) else { return };
        if *first != id {
            others.retain(|other| *other != id);
        } else if let Some(other) = others.pop() {
            *first = other;
        } else {
            self.here.remove(&now);
        }
    }

    /// What a state was becomes history.
    fn record(&mut self, trace: &mut Trace, key: u64) {
        match trace.past.iter().position(|(k, _)| *k == key) {
            Some(i) => drop(trace.past.remove(i)),
            None => self.remember(key),
        }
        trace.past.push_back((key, trace.steps));
        self.drop_old(trace);
    }

    /// One more history has an abstraction: who has it now may be in F.
    fn remember(&mut self, key: u64) {
        add(&mut self.past, key);
        if let Some((first, others)) = self.here.get(&key) {
            self.fresh.push(*first);
            self.fresh.extend(others.iter().take(MAX_COMPANY));
        }
    }

    fn drop_old(&mut self, trace: &mut Trace) {
        while let Some(&(key, at)) = trace.past.front()
            && (trace.past.len() > MAX_HISTORY || trace.steps - at > i64::from(self.delta))
        {
            trace.past.pop_front();
            remove(&mut self.past, key);
        }
    }

    /// Adds the past of a state that was merged in.
    fn unite(&mut self, trace: &mut Trace, other: &Trace) {
        for &(key, at) in &other.past {
            let at = at + trace.steps - other.steps;
            match trace.past.iter_mut().find(|(k, _)| *k == key) {
                Some(known) => known.1 = known.1.max(at),
                None => {
                    trace.past.push_back((key, at));
                    self.remember(key);
                }
            }
        }
        trace.past.make_contiguous().sort_by_key(|(_, at)| *at);
        self.drop_old(trace);
    }
}

fn add(histories: &mut FxHashMap<u64, u32>, key: u64) {
    *histories.entry(key).or_default() += 1;
}

fn remove(histories: &mut FxHashMap<u64, u32>, key: u64) {
    if let Entry::Occupied(mut count) = histories.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// Search by another strategy, unless there is a state to fast-forward.
pub struct FastForward<M: Order> {
    driver: Driver<M>,
    histories: Rc<RefCell<Histories>>,
    queue: BTreeSet<(Turn<M>, StateId)>,
    queued: Vec<Option<Turn<M>>>,
}

/// The driving search.
enum Driver<M: Order> {
    Any(Box<dyn PickNext<M>>),
    /// Who is behind its first states does not start.
    InOrder(Topological<M>),
}

impl<M: Order> Driver<M> {
    fn get(&mut self) -> &mut dyn PickNext<M> {
        match self {
            Driver::Any(search) => &mut **search,
            Driver::InOrder(search) => search,
        }
    }
}

/// When a state of F runs: those that have to wait to start come last, then the order of the program.
type Turn<M> = (bool, <M as Order>::Key);

impl<M: Order> FastForward<M> {
    /// Over a driving search; `histories` says who is in F.
    #[must_use]
    pub fn new(driver: Box<dyn PickNext<M>>, histories: Rc<RefCell<Histories>>) -> Self {
        Self::over(Driver::Any(driver), histories)
    }

    /// Over the topological search.
    #[must_use]
    pub fn in_order(histories: Rc<RefCell<Histories>>) -> Self {
        Self::over(Driver::InOrder(Topological::default()), histories)
    }

    fn over(driver: Driver<M>, histories: Rc<RefCell<Histories>>) -> Self {
        FastForward { driver, histories, queue: BTreeSet::new(), queued: Vec::new() }
    }

    fn leave(&mut self, id: StateId) {
        if let Some(turn) = self.queued.get_mut(id.index()).and_then(Option::take) {
            self.queue.remove(&(turn, id));
        }
    }

    /// The first state of F, and how many steps it is to be fast-forwarded.
    fn first(&mut self, m: &M, w: &Worklist<M::State>) -> Option<(StateId, u32)> {
        let fresh = std::mem::take(&mut self.histories.borrow_mut().fresh);
        for id in fresh {
            self.leave(id);
            if self.histories.borrow().is_forwardable(id) {
                if self.queued.len() <= id.index() {
                    self.queued.resize(id.index() + 1, None);
                }
                let in_order = matches!(self.driver, Driver::InOrder(_));
                let waits = in_order && !self.histories.borrow().is_forwarded(id);
                let turn = (waits, m.key(w.get(id)));
                self.queued[id.index()] = Some(turn.clone());
                self.queue.insert((turn, id));
            }
        }
        while let Some(((waits, key), id)) = self.queue.first() {
            let histories = self.histories.borrow();
            let steps = match &self.driver {
                _ if !histories.is_forwardable(*id) => None,
                Driver::InOrder(search) if *waits => {
                    if search.first().is_some_and(|first| first < key) {
                        return None;
                    }
                    let company = search.at(key).take(MAX_COMPANY);
                    let lead = company.filter_map(|other| histories.lead(*id, other)).min();
                    lead.filter(|lead| *lead <= MAX_LEAD)
                }
                _ => Some(histories.delta),
            };
            if let Some(steps) = steps {
                return Some((*id, steps));
            }
            drop(histories);
            let id = *id;
            self.leave(id);
        }
        None
    }
}

impl<M: Order> PickNext<M> for FastForward<M> {
    fn insert(&mut self, m: &M, id: StateId, s: &M::State) {
        self.driver.get().insert(m, id, s);
    }

    fn replace(&mut self, m: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        self.leave(parent);
        self.driver.get().replace(m, parent, children);
    }

    fn pick_next(&mut self, m: &M, w: &Worklist<M::State>) -> StateId {
        self.histories.borrow_mut().settle();
        let first = self.first(m, w);
        let id = first.map_or_else(|| self.driver.get().pick_next(m, w), |(id, _)| id);
        self.histories.borrow_mut().picked(id, first.map(|(_, steps)| steps));
        id
    }
}
