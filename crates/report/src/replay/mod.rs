//! Native replay: the program itself is asked whether a prediction was right.
//!
//! The program is built natively with a small runtime that answers the harness API from one test
//! ([`build`]), each test runs in its own process inside a sandbox ([`sandbox`]), what the process did
//! is read off its exit, its events and its sanitizer's reports ([`observe`]), and compared with the
//! line in `tests.jsonl` ([`compare`]).

pub mod build;
pub mod compare;
pub mod observe;
pub mod sandbox;
pub mod spec;
mod until;

use std::{
    collections::BTreeMap,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, mpsc},
    time::Duration,
};

use thiserror::Error;

use crate::{
    CommandLine, ErrorKind, KObject, KTest, Outcome, ReplayStatus, RunRecord, TestRecord,
    out_dir::{OutError, Written},
    test_record::checksum,
};
use build::Flavour;
use sandbox::{Limits, Sandbox};
use spec::Spec;
pub use until::Until;

/// What replay says about one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The native program did what was predicted.
    Agree,
    /// It did something else.
    Differ(String),
    /// What was predicted leaves no trace that a native run could show.
    NotObservable(String),
    /// The program could not be run.
    NotRun(String),
}

impl Verdict {
    /// The word for it in `summary.json`.
    pub fn status(&self) -> ReplayStatus {
        match self {
            Verdict::Agree => ReplayStatus::Confirmed,
            Verdict::Differ(_) => ReplayStatus::Contradicted,
            Verdict::NotObservable(_) => ReplayStatus::NotObservable,
            Verdict::NotRun(_) => ReplayStatus::NotRun,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Agree => f.write_str("agrees"),
            Verdict::Differ(why) => write!(f, "differs: {why}"),
            Verdict::NotObservable(why) => write!(f, "not observable: {why}"),
            Verdict::NotRun(why) => write!(f, "not run: {why}"),
        }
    }
}

/// The exit code of `rejoin replay`: 1 some differ, 2 some could not be run, 0 otherwise.
pub fn exit_code<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> u8 {
    verdicts.into_iter().fold(0, |code, verdict| match (code, verdict) {
        (1, _) | (_, Verdict::Differ(_)) => 1,
        (_, Verdict::NotRun(_)) => 2,
        _ => code,
    })
}

/// Why nothing can be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The output directory cannot be read.
    #[error(transparent)]
    Out(#[from] OutError),
    /// No sandbox, and no permission to go without.
    #[error(transparent)]
    Sandbox(#[from] sandbox::SandboxError),
    /// No place to work in.
    #[error("cannot make a temporary directory: {0}")]
    Temporary(#[from] std::io::Error),
    /// A path that is no output directory and no test in one.
    #[error("{}: {why}", path.display())]
    NotATest {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// How to replay.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// Go without a sandbox where there is none (`--unsafe-replay`).
    pub unsafe_replay: bool,
    /// What one test may use.
    pub limits: Limits,
    /// When to stop altogether: what has no verdict by then is not run.
    pub until: Until,
    /// Run tests that end by themselves under sanitizers as well: one that makes an error there was
    /// predicted wrongly, however well its exit code fits.
    pub sanitize_all: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        let limits = Limits { wall: Duration::from_secs(10), memory_bytes: 2 << 30, file_bytes: 64 << 20 };
        ReplayOptions { unsafe_replay: false, limits, until: Until::default(), sanitize_all: true }
    }
}

/// A program ready to replay tests. Each kind of build is made when the first test needs it; tests may
/// be checked from several threads.
pub struct Replayer {
    run: RunRecord,
    options: ReplayOptions,
    sandbox: Sandbox,
    work: tempfile::TempDir,
    built: [OnceLock<Result<PathBuf, String>>; Flavour::ALL.len()],
}

impl Replayer {
    /// Prepares for the tests of one run; nothing is built yet.
    pub fn new(run: RunRecord, options: ReplayOptions) -> Result<Self, ReplayError> {
        let work = sandbox::public_dir(None)?;
        let sandbox = Sandbox::find(work.path(), &run.allow_read, options.unsafe_replay)?;
        Ok(Replayer { run, options, sandbox, work, built: Default::default() })
    }

    /// Replays one test, whose input is the file at `ktest`, and compares.
    pub fn check(&self, record: &TestRecord, ktest: &Path) -> Verdict {
        let verdict = self.check_to_the_end(record, ktest);
        // Whatever was cut short says nothing.
        if self.options.until.is_over() { Verdict::NotRun("the run is over".into()) } else { verdict }
    }

    fn check_to_the_end(&self, record: &TestRecord, ktest: &Path) -> Verdict {
        let bytes = match fs::read(ktest) {
            Ok(bytes) => bytes,
            Err(e) => return Verdict::NotRun(format!("{}: {e}", ktest.display())),
        };
        if checksum(&bytes) != record.input {
            return Verdict::Differ("the test file is not the one the prediction was made for".into());
        }
        let test = match KTest::from_bytes(&bytes) {
            Ok(test) => test,
            Err(e) => return Verdict::NotRun(format!("{}: {e}", ktest.display())),
        };
        if self.run.entry != "main" {
            return Verdict::NotRun(format!("the run began in `{}`, not in main", self.run.entry));
        }
        if let Some(call) = injected_failure(&self.run, &test) {
            return Verdict::NotObservable(format!(
                "a call of {call} is to fail, which no system can be asked for"
            ));
        }
        let flavours = match self.flavours(&record.outcome) {
            Ok(flavours) => flavours,
            Err(why) => return Verdict::NotObservable(why),
        };
        for flavour in flavours {
            let verdict = self.check_in(flavour, record, &test, &bytes);
            if verdict != Verdict::Agree {
                return verdict;
            }
        }
        Verdict::Agree
    }

    /// The builds in which the outcome must show, or why there is none.
    fn flavours(&self, outcome: &Outcome) -> Result<Vec<Flavour>, String> {
        match outcome {
            // A program that cannot be sanitized is still a program.
            Outcome::Exit(_) if self.options.sanitize_all && self.program(Flavour::Address).is_ok() => {
                Ok(vec![Flavour::Plain, Flavour::Address])
            }
            Outcome::Exit(_) => Ok(vec![Flavour::Plain]),
            Outcome::Error { kind, .. } => {
                let flavour = Flavour::for_kind(*kind, self.run.has_bitcode())?;
                let falls_back = flavour == Flavour::Address && self.program(flavour).is_err();
                Ok(vec![if falls_back { Flavour::Plain } else { flavour }])
            }
            Outcome::Early(_) => Err("the engine stopped before the program ended".into()),
        }
    }

    fn check_in(&self, flavour: Flavour, record: &TestRecord, test: &KTest, bytes: &[u8]) -> Verdict {
        let program = match self.program(flavour) {
            Ok(program) => program,
            Err(why) => return Verdict::NotRun(why.clone()),
        };
        let mut spec = match Spec::new(&self.run, test) {
            Ok(spec) => spec,
            Err(why) => return Verdict::Differ(why),
        };
        spec.leaks = record.outcome.error_kind() == Some(ErrorKind::Leak);
        match self.sandbox.run(self.work.path(), program, flavour, bytes, &spec, &self.options) {
            Ok(observed) => compare::compare(record, &observed, flavour),
            Err(e) => Verdict::NotRun(e.to_string()),
        }
    }

    fn program(&self, flavour: Flavour) -> &Result<PathBuf, String> {
        self.built[flavour as usize].get_or_init(|| {
            let dir = self.work.path().join(flavour.name());
            build::build(&self.run, flavour, &dir, &self.options.until)
        })
    }
}

/// The kind of system call that `--max-fail` lets fail in this test.
fn injected_failure(run: &RunRecord, test: &KTest) -> Option<String> {
    CommandLine::parse(&run.args).ok().filter(|l| l.max_fail > 0)?;
    let fails = |o: &&KObject| o.name.ends_with("_fail") && o.bytes.iter().any(|&b| b != 0);
    let object = test.objects.iter().find(fails)?;
    object.name.strip_suffix("_fail").map(str::to_owned)
}

/// A test, and what replay says about it.
pub struct Checked {
    /// Its input.
    pub ktest: PathBuf,
    /// Its line in `tests.jsonl`.
    pub record: TestRecord,
    /// What replay says.
    pub verdict: Verdict,
}

/// `rejoin replay`: replays every test of an output directory, or single tests in one. `each` hears of
/// every test, in order, as soon as it and all before it are done.
pub fn replay(
    paths: &[PathBuf],
    options: &ReplayOptions,
    mut each: impl FnMut(&Checked),
) -> Result<Vec<Checked>, ReplayError> {
    let mut all = vec![];
    let mut replayer: Option<(PathBuf, Replayer)> = None;
    for path in paths {
        let (out, records) = select(path)?;
        let ready = match replayer.take() {
            Some((dir, ready)) if dir == out.path() => ready,
            _ => Replayer::new(out.run()?, options.clone())?,
        };
        let check = |record: TestRecord| {
            let ktest = out.ktest_path(&record.name);
            let verdict = ready.check(&record, &ktest);
            Checked { ktest, record, verdict }
        };
        in_parallel(records, check, |checked| {
            each(&checked);
            all.push(checked);
        });
        replayer = Some((out.path().to_owned(), ready));
    }
    Ok(all)
}

/// Does every job on as many threads as there are processors; the results come in the jobs' order.
fn in_parallel<J: Send, R: Send>(jobs: Vec<J>, work: impl Fn(J) -> R + Sync, mut done: impl FnMut(R)) {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len());
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, jobs, work) = (sender.clone(), &jobs, &work);
            scope.spawn(move || {
                // The lock is held for the taking only. A receiver that is gone wants no more results.
                let next = || jobs.lock().ok()?.next();
                while let Some((number, job)) = next() {
                    if sender.send((number, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&next) {
                done(result);
                next += 1;
            }
        }
    });
}

/// The output directory a path speaks of, and the tests in it that are meant.
fn select(path: &Path) -> Result<(Written, Vec<TestRecord>), ReplayError> {
    let fail = |why| ReplayError::NotATest { path: path.to_owned(), why };
    if path.is_dir() {
        let out = Written::open(path);
        let records = out.tests()?;
        return Ok((out, records));
    }
    if !path.is_file() {
        return Err(fail("no such file or directory"));
    }
    let name = path.file_name().and_then(|n| n.to_str()?.strip_suffix(".ktest"));
    let name = name.ok_or(fail("neither an output directory nor a .ktest file"))?;
    let full = path.canonicalize()?;
    let dir = full.parent().and_then(Path::parent).ok_or(fail("not inside an output directory"))?;
    let out = Written::open(dir);
    let mut records = out.tests()?;
    records.retain(|r| r.name == name);
    if records.is_empty() {
        return Err(fail("tests.jsonl has no prediction for this test"));
    }
    Ok((out, records))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Count;

    #[test]
    fn without_a_sandbox_the_limits_still_hold() {
        let work = sandbox::public_dir(None).unwrap();
        let source =
            "#include <stdio.h>\nint main(int n, char **a) { puts(a[0]); for (; n > 1;) {} return 5; }";
        fs::write(work.path().join("p.c"), source).unwrap();
        let test = KTest::default().to_bytes();
        let ktest = work.path().join("t.ktest");
        fs::write(&ktest, &test).unwrap();
        let record = TestRecord {
            name: "t".into(),
            outcome: Outcome::Exit(5),
            stdout: b"name\n".to_vec(),
            stderr: vec![],
            multiplicity: Count::one(),
            ledger: vec![],
            input: checksum(&test),
        };
        let run = RunRecord {
            directory: work.path().to_owned(),
            program: "p.c".into(),
            argv0: "name".into(),
            entry: "main".into(),
            ..RunRecord::default()
        };
        let mut options = ReplayOptions { sanitize_all: false, ..ReplayOptions::default() };
        options.limits.wall = Duration::from_secs(2);
        let built = Default::default();
        let mut replayer = Replayer { run, options, sandbox: Sandbox::None, work, built };
        assert_eq!(replayer.check(&record, &ktest), Verdict::Agree);
        replayer.run.args.push("loop".into());
        let verdict = replayer.check(&record, &ktest).to_string();
        assert!(verdict.contains("still running"), "{verdict}");
        replayer.options.until.deadline = Some(std::time::Instant::now());
        assert_eq!(replayer.check(&record, &ktest), Verdict::NotRun("the run is over".into()));
    }

    #[test]
    fn parallel_results_come_in_order() {
        let slow_first = |n: u64| {
            std::thread::sleep(Duration::from_millis(20 - n));
            n * n
        };
        let mut got = vec![];
        in_parallel((0..20).collect(), slow_first, |r| got.push(r));
        assert_eq!(got, (0..20).map(|n| n * n).collect::<Vec<_>>());
        in_parallel(vec![], slow_first, |_| panic!("there is no job"));
    }

    #[test]
    fn one_difference_decides_the_exit_code() {
        let differ = Verdict::Differ("x".into());
        let unseen = Verdict::NotObservable("x".into());
        let not_run = Verdict::NotRun("x".into());
        assert_eq!(exit_code([&Verdict::Agree, &unseen]), 0);
        assert_eq!(exit_code([&Verdict::Agree, &not_run, &unseen]), 2);
        assert_eq!(exit_code([&differ, &not_run, &Verdict::Agree]), 1);
        assert_eq!(exit_code([&not_run, &differ]), 1);
    }
}
