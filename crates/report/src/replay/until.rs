//! When a run has to end, and children that end with it.

use std::{
    io,
    process::{Child, ExitStatus},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// When to stop.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// A time.
    pub deadline: Option<Instant>,
    /// Set by others.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Until {
    /// Whether it is time to stop.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
            || self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Waits for a process that leads its group, at most so long, then ends it and all it started. `None`:
    /// it had to be ended.
    pub(crate) fn wait(&self, mut child: Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if start.elapsed() >= limit || self.is_over() {
                if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
                    // It may have ended by itself just now.
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::process::CommandExt, process::Command};

    #[test]
    fn a_process_ends_with_the_run() {
        let flag = Arc::new(AtomicBool::new(true));
        let until = Until { deadline: None, interrupt: Some(flag) };
        let child = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        assert_eq!(until.wait(child, Duration::from_secs(1000)).unwrap(), None);
        let until = Until { deadline: Some(Instant::now()), interrupt: None };
        let child = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        assert_eq!(until.wait(child, Duration::from_secs(1000)).unwrap(), None);
        let child = Command::new("true").process_group(0).spawn().unwrap();
        let status = Until::default().wait(child, Duration::from_secs(1000)).unwrap();
        assert!(status.is_some_and(|s| s.success()));
    }
}
