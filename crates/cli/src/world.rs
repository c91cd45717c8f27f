//! The world that the analysed program finds itself in.
//!
//! It is the one that native replay makes: an unprivileged user in a scratch directory, or in the
//! user's where the program may read that; standard input a file, standard output and error pipes.

use crate::flags::RunFlags;
use rejoin_env::{Bytes, Input, Os, Setup, Sink};
use rejoin_exec::{Argument, Symbolic};
use rejoin_report::replay::sandbox::{ENVIRONMENT, NOBODY, SCRATCH};
use rejoin_report::{CommandLine, KTest, RunRecord, Word};
use std::io::Read;
use std::path::PathBuf;

/// More than this is not read from `--stdin`: a device may never end.
const MAX_STDIN: u64 = 64 << 20;

/// What `--stdin` names.
pub(crate) fn stdin(flags: &RunFlags) -> Result<Vec<u8>, String> {
    let Some(path) = &flags.stdin else { return Ok(Vec::new()) };
    let fail = |e: std::io::Error| format!("--stdin {}: {e}", path.display());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    file.take(MAX_STDIN + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_STDIN {
        return Err(format!("--stdin {}: more than {} MiB", path.display(), MAX_STDIN >> 20));
    }
    Ok(bytes)
}

/// What `--allow-read` names, as absolute paths.
pub(crate) fn readable(flags: &RunFlags) -> Result<Vec<PathBuf>, String> {
    let absolute = |dir: &PathBuf| {
        let fail = |e: std::io::Error| format!("--allow-read {}: {e}", dir.display());
        let path = dir.canonicalize().map_err(fail)?;
        std::fs::read_dir(&path).map_err(fail)?;
        Ok(path)
    };
    flags.allow_read.iter().map(absolute).collect()
}

/// The system, with what the user shows of the machine.
pub(crate) fn system(run: &RunRecord, line: &CommandLine) -> Result<Os, String> {
    let setup = Setup {
        stdin: Input::File(Bytes::from(&run.stdin[..])),
        stdout: if line.stdout { Sink::File } else { Sink::Pipe },
        stderr: Sink::Pipe,
        uid: NOBODY,
        gid: NOBODY,
        alone: true,
        cwd: SCRATCH.to_owned(),
    };
    let mut os = Os::new(&setup).map_err(|e| format!("{SCRATCH}: error {}", e.0))?;
    for dir in &run.allow_read {
        os.allow_read(dir).map_err(|e| format!("--allow-read {}: {e}", dir.display()))?;
    }
    if let Some(dir) = run.shared_directory(line) {
        os.enter(dir).map_err(|e| format!("{}: error {}", dir.display(), e.0))?;
    }
    Ok(os)
}

/// Environment variables, the same in every run and in replay.
pub(crate) fn environment() -> Vec<Vec<u8>> {
    ENVIRONMENT.iter().map(|variable| variable.as_bytes().to_vec()).collect()
}

/// The argument vector.
pub(crate) fn arguments(argv0: &str, line: &CommandLine) -> Vec<Argument> {
    let word = |w: &Word| match *w {
        Word::Text(ref text) => Argument::Text(text.clone().into_bytes()),
        Word::Symbolic { min, max, len } => Argument::Symbolic { min, max, len },
    };
    let name = Argument::Text(argv0.as_bytes().to_vec());
    std::iter::once(name).chain(line.words.iter().map(word)).collect()
}

/// What of the system is symbolic.
pub(crate) fn symbolic(line: &CommandLine) -> Symbolic {
    let size = line.files.map_or(0, |f| f.1);
    Symbolic {
        files: line.file_names().map(|name| (name, size)).collect(),
        stdin: line.stdin,
        sizes: line.sizes,
        stdout: line.stdout,
        max_fail: line.max_fail,
        non_option: line.non_option,
    }
}

/// What turns the inputs of a path into a test.
pub(crate) struct Tests {
    pub(crate) line: CommandLine,
    /// What `stat` tells of a regular file of the program's, and of one of its standard streams.
    stat: Vec<u8>,
}

impl Tests {
    pub(crate) fn new(os: &Os, line: CommandLine) -> Self {
        let stat = os.stat(os.standard(0)).plain().to_vec();
        Tests { line, stat }
    }

    /// Brings a test into its final form.
    pub(crate) fn complete(&self, test: &mut KTest) {
        let symbolic: Vec<String> = self.line.file_names().map(|n| format!("{n}_data")).collect();
        self.line.complete(test, |name| {
            let size = match name {
                "stdin" => self.line.stdin,
                "stdout" => self.line.stdout.then_some(0),
                file => symbolic.iter().any(|s| s == file).then_some(self.line.files.map_or(0, |f| f.1)),
            };
            let mut stat = self.stat.clone();
            stat[48..56].copy_from_slice(&(size? as u64).to_le_bytes());
            Some(stat)
        });
    }
}
