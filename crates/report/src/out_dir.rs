//! The output directory.
//!
//! What is written whole is there whole or not at all (`whole_file`); what grows, grows by whole
//! lines (`line_file`). A test's files are in place before its line in `tests.jsonl`, so a reader of that file finds
//! everything it names, whenever the process was killed.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

use crate::{
    Bug, Count, Coverage, KTest, Ledger, LedgerEntry, Outcome, RunRecord, Summary, TestRecord,
    ktest::KTestError,
    line_file::{LineFile, read_json_lines},
    test_record::checksum,
    whole_file::{Directory, write_renamed},
};

/// Why something could not be written or read.
#[derive(Debug, Error)]
pub enum OutError {
    /// `--out` names a directory with something in it.
    #[error("{} is not empty; name a new directory or an empty one with --out", .0.display())]
    NotEmpty(PathBuf),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A test file is damaged.
    #[error("{}: {source}", path.display())]
    KTest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: KTestError,
    },
}

type Result<T> = std::result::Result<T, OutError>;

/// Attaches the path to what the system said.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T> {
    result.map_err(|source| OutError::Io { path: path.to_owned(), source })
}

/// A test about to be written; the directory gives it its name.
#[derive(Clone, Debug)]
pub struct NewTest {
    /// The input.
    pub ktest: KTest,
    /// How the program is predicted to end.
    pub outcome: Outcome,
    /// What it is predicted to write to standard output.
    pub stdout: Vec<u8>,
    /// What it is predicted to write to standard error.
    pub stderr: Vec<u8>,
    /// How many paths the state stands for.
    pub multiplicity: Count,
    /// Approximations made on this path.
    pub ledger: Vec<LedgerEntry>,
    /// The bug the path ends in, which becomes the `.err` file.
    pub bug: Option<Bug>,
}

/// An output directory being filled.
#[derive(Debug)]
pub struct OutDir {
    path: PathBuf,
    written: u64,
    /// `tests/`.
    files: Directory,
    tests: LineFile,
    events: LineFile,
    log: LineFile,
}

impl OutDir {
    /// Makes the directory for a run: `out` itself if given, which must be new or empty, else the next
    /// free `rejoin-out/NNN` under `base`, with the link `rejoin-last` pointing at it.
    pub fn create(base: &Path, out: Option<&Path>) -> Result<Self> {
        match out {
            Some(path) => {
                at(path, fs::create_dir_all(path))?;
                if at(path, fs::read_dir(path))?.next().is_some() {
                    return Err(OutError::NotEmpty(path.to_owned()));
                }
                Self::fill(path.to_owned())
            }
            None => {
                let runs = base.join("rejoin-out");
                at(&runs, fs::create_dir_all(&runs))?;
                let name = first_free(&runs)?;
                let dir = Self::fill(runs.join(&name))?;
                link_last(base, &Path::new("rejoin-out").join(&name))?;
                Ok(dir)
            }
        }
    }

    fn fill(path: PathBuf) -> Result<Self> {
        let tests = path.join("tests");
        let files = at(&tests, Directory::create(tests.clone()))?;
        let lines = |name: &str| {
            let file = path.join(name);
            at(&file, LineFile::open(&file))
        };
        let (tests, events, log) = (lines("tests.jsonl")?, lines("events.jsonl")?, lines("run.log")?);
        Ok(OutDir { path, written: 0, files, tests, events, log })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many tests it holds.
    pub fn tests_written(&self) -> u64 {
        self.written
    }

    /// Writes a test: `.ktest`, `.err` if it ends in a bug, then its line in `tests.jsonl`.
    pub fn add_test(&mut self, test: &NewTest) -> Result<TestRecord> {
        let name = format!("test{:06}", self.written + 1);
        let bytes = test.ktest.to_bytes();
        self.write_test_file(&format!("{name}.ktest"), &bytes)?;
        if let Some(bug) = &test.bug {
            self.write_test_file(&format!("{name}.{}.err", bug.suffix()), bug.err_text().as_bytes())?;
        }
        let record = TestRecord {
            name,
            outcome: test.outcome.clone(),
            stdout: test.stdout.clone(),
            stderr: test.stderr.clone(),
            multiplicity: test.multiplicity.clone(),
            ledger: test.ledger.clone(),
            input: checksum(&bytes),
        };
        at(&self.path.join("tests.jsonl"), self.tests.json(&record))?;
        self.written += 1;
        Ok(record)
    }

    /// Writes one file of a test.
    fn write_test_file(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let written = self.files.write(name, bytes);
        written.map_err(|source| OutError::Io { path: self.path.join("tests").join(name), source })
    }

    /// Appends an event to `events.jsonl`; nobody sees it before [`OutDir::flush_events`].
    pub fn event(&mut self, event: &impl Serialize) -> Result<()> {
        self.events.json_later(event).map_err(|source| self.no_events(source))
    }

    /// Shows the events.
    pub fn flush_events(&mut self) -> Result<()> {
        self.events.flush().map_err(|source| self.no_events(source))
    }

    fn no_events(&self, source: io::Error) -> OutError {
        OutError::Io { path: self.path.join("events.jsonl"), source }
    }

    /// Appends a line to `run.log`.
    pub fn log(&mut self, line: &str) -> Result<()> {
        at(&self.path.join("run.log"), self.log.line(line))
    }

    /// Writes `run.json`.
    pub fn write_run(&self, run: &RunRecord) -> Result<()> {
        self.write_json("run.json", run)
    }

    /// Writes `ledger.json`.
    pub fn write_ledger(&self, ledger: &Ledger) -> Result<()> {
        self.write_json("ledger.json", &ledger.entries())
    }

    /// Writes `coverage.info`.
    pub fn write_coverage(&self, coverage: &Coverage) -> Result<()> {
        self.write("coverage.info", coverage.lcov().as_bytes())
    }

    /// Writes `summary.json`; last, as its presence says that the run ended in order.
    pub fn write_summary(&self, summary: &Summary) -> Result<()> {
        self.write_json("summary.json", summary)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let path = self.path.join(name);
        let mut text = at(&path, serde_json::to_vec_pretty(value).map_err(io::Error::from))?;
        text.push(b'\n');
        self.write(name, &text)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        at(&path, write_renamed(&path, bytes))
    }
}

/// Makes the first directory `000`, `001`, … that does not exist yet; two runs never share one, since
/// making a directory is atomic.
fn first_free(runs: &Path) -> Result<String> {
    let taken = at(runs, fs::read_dir(runs))?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u64>().ok())
        .max();
    let mut number = taken.map_or(0, |n| n + 1);
    loop {
        let name = format!("{number:03}");
        let path = runs.join(&name);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(name),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(source) => return Err(OutError::Io { path, source }),
        }
    }
}

/// Points `rejoin-last` at the run. Something of that name which is not a link is the user's: it stays.
fn link_last(base: &Path, target: &Path) -> Result<()> {
    let link = base.join("rejoin-last");
    if fs::symlink_metadata(&link).is_ok_and(|m| !m.is_symlink()) {
        return Ok(());
    }
    let temporary = base.join(format!(".rejoin-last.{}.tmp", std::process::id()));
    at(&link, symlink(target, &temporary).and_then(|()| fs::rename(&temporary, &link)))
}

/// Reading what a run wrote.
pub struct Written {
    path: PathBuf,
}

impl Written {
    /// The output directory at `path`.
    pub fn open(path: &Path) -> Self {
        Written { path: path.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `run.json`.
    pub fn run(&self) -> Result<RunRecord> {
        self.json("run.json")
    }

    /// `summary.json`.
    pub fn summary(&self) -> Result<Summary> {
        self.json("summary.json")
    }

    /// `ledger.json`.
    pub fn ledger(&self) -> Result<Vec<LedgerEntry>> {
        self.json("ledger.json")
    }

    /// The lines of `tests.jsonl`.
    pub fn tests(&self) -> Result<Vec<TestRecord>> {
        let path = self.path.join("tests.jsonl");
        at(&path, read_json_lines(&path))
    }

    /// Where the input of a test is.
    pub fn ktest_path(&self, name: &str) -> PathBuf {
        self.path.join("tests").join(format!("{name}.ktest"))
    }

    /// The input of a test.
    pub fn ktest(&self, name: &str) -> Result<KTest> {
        let path = self.ktest_path(name);
        let bytes = at(&path, fs::read(&path))?;
        KTest::from_bytes(&bytes).map_err(|source| OutError::KTest { path, source })
    }

    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let path = self.path.join(name);
        at(&path, fs::read(&path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, KObject};

    fn new_test(outcome: Outcome, bug: Option<Bug>) -> NewTest {
        NewTest {
            ktest: KTest {
                args: vec!["p".into()],
                objects: vec![KObject { name: "x".into(), bytes: vec![7; 4] }],
            },
            outcome,
            stdout: b"out".to_vec(),
            stderr: vec![],
            multiplicity: Count::one(),
            ledger: vec![],
            bug,
        }
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn numbered_directories_and_the_link_to_the_last() {
        let base = tempfile::tempdir().unwrap();
        for number in ["000", "001"] {
            let out = OutDir::create(base.path(), None).unwrap();
            assert_eq!(out.path(), base.path().join("rejoin-out").join(number));
            assert_eq!(
                fs::read_link(base.path().join("rejoin-last")).unwrap(),
                Path::new("rejoin-out").join(number)
            );
        }
        fs::create_dir(base.path().join("rejoin-out/041")).unwrap();
        assert!(OutDir::create(base.path(), None).unwrap().path().ends_with("042"));
        assert_eq!(names(base.path()), ["rejoin-last", "rejoin-out"]);
    }

    #[test]
    fn a_directory_in_the_place_of_the_link_is_left_alone() {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("rejoin-last")).unwrap();
        OutDir::create(base.path(), None).unwrap();
        assert!(base.path().join("rejoin-last").is_dir());
    }

    #[test]
    fn a_non_empty_or_unwritable_directory_is_refused() {
        let base = tempfile::tempdir().unwrap();
        fs::write(base.path().join("mine"), "x").unwrap();
        let error = OutDir::create(base.path(), Some(base.path())).unwrap_err();
        assert!(matches!(error, OutError::NotEmpty(_)), "{error}");
        let error = OutDir::create(base.path(), Some(&base.path().join("mine"))).unwrap_err();
        assert!(error.to_string().contains("mine"), "{error}");
        let error = OutDir::create(base.path(), Some(Path::new("/proc/nothing"))).unwrap_err();
        assert!(error.to_string().starts_with("/proc/nothing: "), "{error}");
    }

    #[test]
    fn everything_written_is_read_back_and_nothing_temporary_stays() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("out");
        let mut out = OutDir::create(base.path(), Some(&path)).unwrap();
        let run = RunRecord { program: "a.c".into(), directory: "/d".into(), ..RunRecord::default() };
        out.write_run(&run).unwrap();
        let bug = Bug::new(ErrorKind::Div, "division by zero", "a.c", 3);
        let first = out.add_test(&new_test(Outcome::Exit(0), None)).unwrap();
        let second = out.add_test(&new_test(bug.outcome(), Some(bug))).unwrap();
        out.event(&serde_json::json!({"event": "fork"})).unwrap();
        out.flush_events().unwrap();
        out.log("done").unwrap();
        out.write_ledger(&Ledger::default()).unwrap();
        out.write_coverage(&Coverage::default()).unwrap();
        out.write_summary(&Summary::default()).unwrap();
        let files = "coverage.info events.jsonl ledger.json run.json run.log summary.json tests tests.jsonl";
        assert_eq!(names(&path).join(" "), files);
        let tests = "test000001.ktest test000002.div.err test000002.ktest";
        assert_eq!(names(&path.join("tests")).join(" "), tests);

        let written = Written::open(&path);
        assert_eq!(written.tests().unwrap(), [first, second]);
        assert_eq!(written.run().unwrap(), run);
        assert_eq!(run.sources(), [Path::new("/d/a.c")]);
        assert_eq!(written.summary().unwrap(), Summary::default());
        assert_eq!(written.ledger().unwrap(), []);
        assert_eq!(written.ktest("test000001").unwrap().object("x"), Some(&[7u8; 4][..]));
        assert!(written.ktest("test000009").is_err());
    }

    #[test]
    fn a_write_that_fails_is_returned() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("out");
        let mut out = OutDir::create(base.path(), Some(&path)).unwrap();
        fs::remove_dir(path.join("tests")).unwrap();
        assert!(out.add_test(&new_test(Outcome::Exit(0), None)).is_err());
        assert_eq!(out.tests_written(), 0);
        assert!(Written::open(&path).tests().unwrap().is_empty());
    }
}
