//! Merging on trial: what regions merge at the start of a run is thrown away if it does not pay.
//!
//! So long, nothing of it is written: the results of one exploration are recorded, not those of several. The
//! machine says when the trial is over; it counts work and instructions, and takes some seconds at the most.

use crate::record::Recorder;
use rejoin_exec::{Machine, Outcome, State};
use rejoin_explore::{Sink, Worklist};

/// A sink that keeps what ended until it is known to stay.
pub(crate) struct Trial<'a, 'f> {
    recorder: &'a mut Recorder<'f>,
    ended: Vec<(State, Outcome)>,
}

impl Trial<'_, '_> {
    fn record(&mut self, m: &mut Machine) {
        for (s, why) in std::mem::take(&mut self.ended) {
            self.recorder.halted(m, s, why);
        }
    }
}

impl Sink<Machine> for Trial<'_, '_> {
    fn halted(&mut self, m: &mut Machine, s: State, why: Outcome) {
        self.ended.push((s, why));
        if !m.is_on_trial() {
            self.record(m);
        }
    }

    fn stop(&mut self, m: &mut Machine, w: &Worklist<State>) -> bool {
        if !m.is_on_trial() {
            self.record(m);
        }
        self.recorder.stop(m, w) || m.has_failed()
    }
}

/// Explores from `initial`, and from there again as long as merging is on trial and fails. Gives the states
/// that are left.
pub(crate) fn explore_on_trial(
    m: &mut Machine,
    mut initial: State,
    recorder: &mut Recorder,
    explore: impl Fn(&mut Machine, State, &mut Trial) -> Worklist<State>,
) -> Worklist<State> {
    loop {
        let mut trial = Trial { recorder, ended: Vec::new() };
        let rest = explore(m, initial, &mut trial);
        let again = (m.has_failed() && !trial.recorder.is_stopped()).then(|| m.begin_again());
        match again.flatten() {
            Some(first) => initial = first,
            None => {
                trial.record(m);
                return rest;
            }
        }
    }
}
