//! The sink of the exploration: turns what ended into tests, errors, a ledger and counts.

use crate::estimate::{Fit, estimate};
use crate::flags::{Merge, RunFlags, TestsFlag};
use crate::outcomes::Outcomes;
use crate::world::Tests;
use crate::{coverage, resources};
use rejoin_env::Output;
use rejoin_exec::{Gap, GapKind, Input, Machine, Multiplicity, Outcome, State};
use rejoin_explore::{Sink, Worklist};
use rejoin_ir::LocId;
use rejoin_memory::Value;
use rejoin_report::out_dir::OutError;
use rejoin_report::{
    Bug, Count, Errors, Frame, KObject, KTest, Ledger, LedgerEntry, NewTest, OutDir, PathEstimate, Progress,
    ProgressLine, TestRecord,
};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Instructions that are executed after the exploration for tests of what was reached, but not ended.
const COMPLETION: u64 = 200_000_000;
/// How often memory is looked at, and events are shown.
const CHECK_EVERY: Duration = Duration::from_millis(50);
/// How long after `--max-time` or an interrupt more tests are made of what was reached.
const GRACE: Duration = Duration::from_millis(500);

/// What `events.jsonl` says of a test; the most frequent event.
#[derive(Serialize)]
struct TestEvent<'a> {
    event: &'a str,
    test: &'a str,
    outcome: &'a str,
    seconds: f64,
    instructions: u64,
    forks: u64,
    covers_new: bool,
}

/// Collects the results of a run.
pub(crate) struct Recorder<'a> {
    pub(crate) flags: &'a RunFlags,
    pub(crate) out: OutDir,
    tests: Tests,
    pub(crate) errors: Errors,
    /// The errors that were written, with their tests.
    pub(crate) bugs: Vec<(Bug, KTest, TestRecord)>,
    pub(crate) ledger: Ledger,
    pub(crate) outcomes: Option<Outcomes>,
    /// The run was over before all inputs of a path were counted.
    uncounted: bool,
    pub(crate) paths_completed: u64,
    pub(crate) paths_represented: Multiplicity,
    pub(crate) condition_nodes: u64,
    /// Sum of the multiplicities of what ended.
    multiplicity: Multiplicity,
    fit: Fit,
    /// Why the run was stopped.
    pub(crate) stopped: Option<String>,
    /// An output file could not be written.
    pub(crate) failed: Option<OutError>,
    pub(crate) started: Instant,
    pub(crate) deadline: Option<Instant>,
    /// When no more tests are made.
    last_moment: Option<Instant>,
    pub(crate) interrupt: Arc<AtomicBool>,
    progress: ProgressLine,
    checked: Instant,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        flags: &'a RunFlags,
        out: OutDir,
        tests: Tests,
        interrupt: Arc<AtomicBool>,
        started: Instant,
    ) -> Self {
        Recorder {
            flags,
            out,
            tests,
            errors: Errors::default(),
            bugs: Vec::new(),
            ledger: Ledger::default(),
            outcomes: flags.outcomes.then(Outcomes::default),
            uncounted: false,
            paths_completed: 0,
            paths_represented: Multiplicity::from(0),
            condition_nodes: 0,
            multiplicity: Multiplicity::from(0),
            fit: Fit::default(),
            stopped: None,
            failed: None,
            started,
            deadline: flags.max_time.map(|t| started + t),
            last_moment: None,
            interrupt,
            progress: ProgressLine::new(flags.quiet),
            checked: started,
        }
    }

    /// Takes the machine's messages and gaps; called when nothing more will come.
    pub(crate) fn finish(&mut self, m: &mut Machine, mut rest: Worklist<State>) {
        let last = m.stats.instructions + COMPLETION;
        let interrupted = self.interrupt.load(Ordering::Relaxed).then(Instant::now);
        self.last_moment = interrupted.or(self.deadline).map(|end| end + GRACE);
        for mut s in rest.drain() {
            if self.completes() && m.is_feasible(&mut s) {
                self.complete(m, &s, last);
            }
            let loc = m.loc(&s.frame);
            let (file, line) = place(m, loc);
            self.ledger.add("unexplored", &file, line, "a path was not followed further", true);
        }
        for (gap, count) in &m.ledger {
            self.ledger.extend([entry(m, gap, *count)]);
        }
        self.progress.clear();
    }

    /// Whether there may be more tests, and more instructions, after the end of the exploration.
    fn completes(&self) -> bool {
        let full = self.flags.max_tests.is_some_and(|max| self.out.tests_written() >= max);
        self.flags.max_instructions.is_none() && !full && self.in_time() && self.failed.is_none()
    }

    fn in_time(&self) -> bool {
        self.last_moment.is_none_or(|last| Instant::now() < last)
    }

    /// Tests for what a state reached that gets no further turn.
    fn complete(&mut self, m: &mut Machine, s: &State, last: u64) {
        while m.stats.instructions < last
            && self.completes()
            && let Some(other) = m.unshown(s)
        {
            if let Some((s, why)) = m.complete(&other, || self.in_time()) {
                self.ended(m, &s, why, true);
            }
        }
    }

    /// Writes what there is to be written of a state that ended; `new` if its witness reaches code that
    /// no test reaches yet.
    fn ended(&mut self, m: &mut Machine, s: &State, why: Outcome, new: bool) {
        match why {
            Outcome::Error(error) => {
                let s = &*m.preferred(s);
                let bug = bug(m, s, &error);
                if self.errors.is_new(&bug) {
                    self.test(m, s, bug.outcome(), Some(bug), new);
                    m.show(s);
                } else {
                    self.errors.record(&bug, "");
                }
            }
            why => self.tests(m, s, &why, new),
        }
    }

    /// Writes a test; `new` if it reaches code that no earlier one reaches.
    fn test(
        &mut self,
        m: &mut Machine,
        s: &State,
        outcome: rejoin_report::Outcome,
        bug: Option<Bug>,
        new: bool,
    ) {
        let mut ktest = ktest(m, s, self.flags);
        self.tests.complete(&mut ktest);
        let test = NewTest {
            ktest,
            outcome,
            stdout: output(m, s, &s.world.os.stdout()),
            stderr: output(m, s, &s.world.os.stderr()),
            multiplicity: Count::from(s.multiplicity.to_big()),
            ledger: s.gaps.iter().map(|g| entry(m, g, 1)).collect(),
            bug,
        };
        match self.out.add_test(&test) {
            Ok(record) => {
                let event = TestEvent {
                    event: if test.bug.is_some() { "error" } else { "test" },
                    test: &record.name,
                    outcome: record.outcome.name(),
                    seconds: self.started.elapsed().as_secs_f64(),
                    instructions: m.stats.instructions,
                    forks: s.depth.into(),
                    covers_new: new,
                };
                self.event(&event);
                if let Some(bug) = test.bug {
                    self.errors.record(&bug, &record.name);
                    self.bugs.push((bug, test.ktest, record));
                }
            }
            Err(e) => self.note(Err(e)),
        }
    }

    /// The tests of a state that ended without an error.
    fn tests(&mut self, m: &mut Machine, s: &State, why: &Outcome, new: bool) {
        let write = |r: &mut Self, m: &mut Machine, s: &State, new: bool| {
            let s = &*m.preferred(s);
            let outcome = match why {
                Outcome::Exit(code) => rejoin_report::Outcome::Exit(bits(m, s, *code) as u8),
                Outcome::Gap(gap) => {
                    rejoin_report::Outcome::Early(format!("{}: {}", gap.kind.name(), gap.name))
                }
                Outcome::Error(_) | Outcome::Silent => return,
            };
            r.test(m, s, outcome, None, new);
            m.show(s);
        };
        if let Some(parts) = s.parts.as_deref().filter(|_| self.flags.tests == TestsFlag::PerPath) {
            parts.for_each(&mut |path| {
                let single = m.single(s, path);
                let new = m.shows_news(&single);
                write(self, m, &single, new);
            });
            return;
        }
        if new || self.flags.tests != TestsFlag::CoveringNew {
            write(self, m, s, new);
        }
        while let Some(other) = m.unshown(s) {
            write(self, m, &other, true);
        }
    }

    /// Counts the paths of a state that ended.
    fn count_paths(&mut self, m: &Machine, s: &State) {
        if matches!(self.flags.merge, Merge::Loops | Merge::Pattern) {
            let nodes = m.pool.postorder(&s.path.conditions()).len() as u64;
            self.condition_nodes = self.condition_nodes.max(nodes);
        }
        self.multiplicity = self.multiplicity.plus(&s.multiplicity);
        let exact = s.parts.as_ref().map_or(Multiplicity::ONE, |parts| parts.count().into());
        let paths = if self.counts_exactly() { exact } else { s.multiplicity.clone() };
        self.paths_represented = self.paths_represented.plus(&paths);
        if self.flags.exact_paths {
            self.fit.add(self.multiplicity.ln(), self.paths_represented.ln());
        }
    }

    /// Whether the paths of merged states are counted, not estimated.
    pub(crate) fn counts_exactly(&self) -> bool {
        self.flags.merge == Merge::None || self.flags.exact_paths || self.flags.tests == TestsFlag::PerPath
    }

    /// What the multiplicities hint at.
    pub(crate) fn path_estimate(&self) -> Option<PathEstimate> {
        let given = self.flags.path_estimate.map(|(c1, c2)| estimate(c1, c2, self.multiplicity.ln()));
        given.or_else(|| self.fit.estimate(self.multiplicity.ln()))
    }

    /// Appends a line to events.jsonl.
    pub(crate) fn event(&mut self, event: &impl Serialize) {
        let written = self.out.event(event);
        self.note(written);
    }

    /// Keeps the first failure to write something.
    pub(crate) fn note(&mut self, written: Result<(), OutError>) {
        self.failed = self.failed.take().or(written.err());
    }

    /// Shows the events so far.
    pub(crate) fn flush_events(&mut self) {
        let written = self.out.flush_events();
        self.note(written);
    }

    /// Whether the run has to end, or can write nothing.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some() || self.failed.is_some()
    }

    fn over_limit(&mut self, m: &Machine) -> Option<String> {
        let instructions = m.stats.instructions;
        if self.flags.max_instructions.is_some_and(|max| instructions >= max) {
            return Some("--max-instructions is reached".into());
        }
        if self.flags.max_tests.is_some_and(|max| self.out.tests_written() >= max) {
            return Some("--max-tests is reached".into());
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|d| now >= d) {
            return Some("--max-time is over".into());
        }
        if now - self.checked >= CHECK_EVERY {
            self.checked = now;
            self.flush_events();
            if resources::memory_bytes() >= self.flags.max_memory {
                return Some("--max-memory is reached".into());
            }
        }
        if self.interrupt.load(Ordering::Relaxed) {
            return Some("interrupted".into());
        }
        None
    }

    /// The last path may have ended because the run had to, before anybody asked whether it has to.
    pub(crate) fn explain_end(&mut self, m: &Machine) {
        let cut = m.ledger.keys().any(|gap| gap.kind == GapKind::Unexplored);
        if self.stopped.is_none() && (cut || self.uncounted || m.solver.statistics().interrupted > 0) {
            self.stopped = self.over_limit(m);
        }
    }

    fn draw(&mut self, m: &Machine, states: usize) {
        self.progress.draw(Progress {
            elapsed: self.started.elapsed(),
            instructions: m.stats.instructions,
            states: states as u64,
            tests: self.out.tests_written(),
            errors: self.errors.reports().len() as u64,
            coverage: coverage::coverage(m).totals(),
            solver: Duration::from_secs_f64(m.solver.statistics().backend_seconds),
            memory_bytes: resources::memory_bytes(),
        });
    }
}

impl Sink<Machine> for Recorder<'_> {
    fn halted(&mut self, m: &mut Machine, mut s: State, why: Outcome) {
        if !m.is_feasible(&mut s) || matches!(why, Outcome::Silent) {
            return;
        }
        self.paths_completed += 1;
        self.count_paths(m, &s);
        if let Some(outcomes) = &mut self.outcomes {
            self.uncounted |= !outcomes.count(m, &s, &why);
        }
        for found in std::mem::take(&mut m.patterns) {
            let (file, line) = place(m, found.loc);
            let ks: Vec<u64> = found.ks.iter().map(|k| *k as u64).collect();
            self.event(&json!({
                "event": "pattern", "file": file, "line": line, "k": ks,
                "start": found.start, "core": found.core, "nested": found.nested, "end": found.end,
            }));
        }
        for message in m.messages.drain(..) {
            let written = self.out.log(&message);
            self.note(written);
        }
        let new = m.shows_news(&s);
        self.ended(m, &s, why, new);
    }

    fn stop(&mut self, m: &mut Machine, w: &Worklist<State>) -> bool {
        if self.progress.is_due() {
            self.draw(m, w.len());
        }
        self.stopped = self.over_limit(m);
        self.is_stopped()
    }
}

/// The value of something on the input that witnesses the path.
fn bits(m: &Machine, s: &State, v: Value) -> u128 {
    match v {
        Value::Bits(b) => b,
        Value::Term(t) => m.witnessed(s, t),
    }
}

fn output(m: &Machine, s: &State, output: &Output) -> Vec<u8> {
    let bytes = output.bytes(&mut |t| m.witnessed(s, t));
    bytes.iter().map(|b| bits(m, s, b) as u8).collect()
}

/// The test that makes the program take this path.
fn ktest(m: &Machine, s: &State, flags: &RunFlags) -> KTest {
    let model = s.path.witness();
    let byte = |v| model.as_ref().map_or(0, |model| model.get(v) as u8);
    let object = |i: &Input| {
        let len = i.len.map_or(i.bytes.len(), |len| m.witnessed(s, len) as usize);
        KObject { name: i.name.clone(), bytes: i.bytes.iter().take(len).map(|v| byte(*v)).collect() }
    };
    let objects = s.world.inputs.iter().map(object).collect();
    let program = flags.program.to_string_lossy().into_owned();
    KTest { args: std::iter::once(program).chain(flags.args.iter().cloned()).collect(), objects }
}

/// File and line of a location; empty and 0 if unknown.
pub(crate) fn place(m: &Machine, loc: LocId) -> (String, u32) {
    m.module.place(loc).map_or((String::new(), 0), |(f, l)| (f.to_owned(), l.line))
}

fn entry(m: &Machine, gap: &Gap, count: u64) -> LedgerEntry {
    let (file, line) = place(m, gap.loc);
    let lossy = gap.kind.is_lossy();
    LedgerEntry { kind: gap.kind.name().to_owned(), file, line, name: gap.name.clone(), count, lossy }
}

/// Where an error is, for people: the innermost place in the program's own code.
pub(crate) fn error_loc(m: &Machine, error: &rejoin_exec::Error) -> LocId {
    let mut places = std::iter::once(error.loc).chain(error.stack.iter().map(|f| f.loc));
    places.find(|loc| !m.is_library(*loc)).unwrap_or(error.loc)
}

/// An error for reports.
fn bug(m: &Machine, s: &State, error: &rejoin_exec::Error) -> Bug {
    let loc = error_loc(m, error);
    let (file, line) = place(m, loc);
    let mut bug = Bug::new(error.kind, error.message.clone(), file, line);
    bug.suffix.clone_from(&error.suffix);
    bug.column = m.module.place(loc).map_or(0, |(_, l)| l.col);
    bug.stack = error.stack.iter().map(|f| frame(m, s, f)).collect();
    bug
}

fn frame(m: &Machine, s: &State, f: &rejoin_exec::StackFrame) -> Frame {
    let (file, line) = place(m, f.loc);
    let value = |w: u16, v: Value| match v {
        Value::Bits(b) if w <= 32 => b.to_string(),
        Value::Bits(b) => format!("{b:#x}"),
        Value::Term(t) => format!("symbolic, here {}", m.witnessed(s, t)),
    };
    let args = f.args.iter().map(|(name, w, v)| (name.clone(), value(*w, *v))).collect();
    Frame { function: m.module.functions[f.func.index()].name.clone(), file, line, args }
}
