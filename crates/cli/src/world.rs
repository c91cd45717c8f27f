//! The world that the analysed program finds itself in.
//!
//! It is the one that native replay makes: an unprivileged user in a scratch directory, standard
//! input a file, standard output and error pipes.

use crate::flags::RunFlags;
use rejoin_env::{Bytes, Input, Os, Setup, Sink};
use rejoin_report::replay::sandbox::{NOBODY, SCRATCH};
use std::path::Path;

/// The system, with what the user shows of the machine.
pub(crate) fn system(flags: &RunFlags) -> Result<Os, String> {
    let stdin = flags.stdin.as_deref().map_or_else(|| Ok(Vec::new()), read)?;
    let setup = Setup {
        stdin: Input::File(Bytes::from(stdin)),
        stdout: Sink::Pipe,
        stderr: Sink::Pipe,
        uid: NOBODY,
        gid: NOBODY,
        cwd: SCRATCH.to_owned(),
    };
    let mut os = Os::new(&setup).map_err(|e| format!("{SCRATCH}: error {}", e.0))?;
    for dir in &flags.allow_read {
        os.allow_read(dir).map_err(|e| format!("--allow-read {}: {e}", dir.display()))?;
    }
    Ok(os)
}

/// Environment variables, the same in every run.
pub(crate) fn environment() -> Vec<Vec<u8>> {
    vec![b"PATH=/usr/bin:/bin".to_vec()]
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("--stdin {}: {e}", path.display()))
}
