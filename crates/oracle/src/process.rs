//! Runs a program with a time limit and collects what it wrote.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

/// What a program left behind.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code; nothing if it was ended by a signal.
    pub code: Option<i32>,
    /// Whether it was killed for running too long.
    pub timed_out: bool,
    /// What it wrote to stdout.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: String,
}

/// Runs `command` for at most `limit`; its output goes through files in `scratch`, so no pipe can fill up.
pub fn run(command: &mut Command, scratch: &Path, limit: Duration) -> io::Result<Finished> {
    let (out, err) = (scratch.join("stdout"), scratch.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let (status, timed_out) = loop {
        if let Some(status) = child.try_wait()? {
            break (status, false);
        }
        if start.elapsed() > limit {
            child.kill()?;
            break (child.wait()?, true);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let stderr = String::from_utf8_lossy(&std::fs::read(&err)?).into_owned();
    Ok(Finished { code: status.code(), timed_out, stdout: std::fs::read(&out)?, stderr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_exit_code_are_collected_and_time_is_limited() {
        let scratch = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 7"]);
        let finished = run(&mut command, scratch.path(), Duration::from_secs(20)).unwrap();
        assert_eq!((finished.code, finished.timed_out), (Some(7), false));
        assert_eq!((finished.stdout.as_slice(), finished.stderr.as_str()), (&b"one\n"[..], "two\n"));

        let mut sleeper = Command::new("sleep");
        let finished = run(sleeper.arg("30"), scratch.path(), Duration::from_millis(50)).unwrap();
        assert!(finished.timed_out);
    }
}
