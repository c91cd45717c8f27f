//! Loading in a child process. Sources are compiled before, by clang, which is a process of its own.
//!
//! LLVM may abort the whole process when bitcode is damaged. So the program that uses this crate
//! runs itself once more with [`CHILD_COMMAND`] as its only argument; the child answers with
//! [`child_main`], and whatever happens to it becomes an [`Error`] of the parent.

use crate::llvm::Context;
use crate::{Error, Options, input, load_in};
use rejoin_ir::{Module, encode};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

/// The argument that tells an executable to act as the loading child.
pub const CHILD_COMMAND: &str = "__load";

/// Seconds of processor time that a child may take.
const CPU_SECONDS: u64 = 900;

/// What is left of the messages of a child that died.
const MESSAGE_LINES: usize = 8;

/// Like [`crate::load`], but in a child process that runs `exe`.
///
/// # Errors
/// Those of [`crate::load`], [`Error::Crashed`] if the child died, [`Error::Child`] if it could not run.
pub fn load_contained(exe: &Path, options: &Options) -> Result<Module, Error> {
    decode(&load_bytes(exe, options, &input::all_compiled(options)?)?)
}

/// The module as the child wrote it; the compiled contents of the inputs are given.
pub(crate) fn load_bytes(exe: &Path, options: &Options, contents: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let output = run_child(exe, options, contents).map_err(|reason| Error::Child { reason })?;
    if !output.status.success() {
        return Err(crashed(&output, options));
    }
    postcard::from_bytes::<Result<_, _>>(&output.stdout)
        .map_err(|e| Error::Child { reason: e.to_string() })?
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Module, Error> {
    encode::from_bytes(bytes).map_err(|e| Error::Child { reason: e.to_string() })
}

fn run_child(exe: &Path, options: &Options, contents: &[Vec<u8>]) -> Result<Output, String> {
    let request = postcard::to_stdvec(&(options, contents)).map_err(|e| e.to_string())?;
    let mut child = Command::new(exe)
        .arg(CHILD_COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", exe.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that dies early closes the pipe; how it died says more than this error.
        let _ = stdin.write_all(&request);
    }
    child.wait_with_output().map_err(|e| e.to_string())
}

fn crashed(output: &Output, options: &Options) -> Error {
    let inputs: Vec<_> = options.inputs.iter().map(|p| p.display().to_string()).collect();
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = text.lines().collect();
    let messages = lines[lines.len().saturating_sub(MESSAGE_LINES)..].join("\n");
    Error::Crashed { inputs: inputs.join(", "), how: output.status.to_string(), messages }
}

/// The child's side: reads options and contents from standard input, loads, writes the answer to standard output.
#[must_use]
pub fn child_main() -> ExitCode {
    limit();
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<(), String> {
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request).map_err(|e| e.to_string())?;
    let (options, contents): (Options, Vec<Vec<u8>>) =
        postcard::from_bytes(&request).map_err(|e| e.to_string())?;
    // Taking LLVM's data apart again would only delay the end of the process.
    let mut cx = std::mem::ManuallyDrop::new(Context::new());
    let answer = load_in(&mut cx, &options, &contents).map(|module| encode::to_bytes(&module));
    let bytes = postcard::to_stdvec(&answer).map_err(|e| e.to_string())?;
    std::io::stdout().write_all(&bytes).map_err(|e| e.to_string())
}

/// No endless loops and no core files. A limit that cannot be set is no reason to stop.
fn limit() {
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(CPU_SECONDS), maximum: Some(CPU_SECONDS) });
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}
