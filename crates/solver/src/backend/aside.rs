//! Calls that may overrun their limit, made on threads of their own.
//!
//! A solver looks at its limits while it searches, but not while it makes gates of a large term. Such a call
//! is made on another thread. When its time is over nobody waits for it any longer: it goes on to its own
//! end, alone with its solver, and both are dropped there. A process that wants to end does not wait for it
//! either.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

use super::stop::Stop;
use crate::Why;

/// How often a waiting caller looks at its limits.
const POLL: Duration = Duration::from_millis(10);
/// So many calls that nobody waits for may still run. One more has to wait for its turn, in its own time.
const LEFT_ALONE: usize = 4;
/// Bytes of stack; what is not used costs addresses only.
const STACK: usize = 1 << 30;

/// The calls that nobody waits for any longer.
#[derive(Default)]
pub(crate) struct Aside {
    left_alone: Vec<JoinHandle<()>>,
}

impl Aside {
    /// Does some work on a subject and gives both back, unless `stop` says before why not.
    pub(crate) fn call<T: Send + 'static, R: Send + 'static>(
        &mut self,
        mut subject: T,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
        stop: &Stop,
    ) -> Result<(T, R), Why> {
        while self.crowded() {
            if let Some(why) = stop.reason() {
                return Err(why);
            }
            sleep(POLL);
        }
        let (done, wait) = channel();
        let thread = Builder::new().stack_size(STACK).spawn(move || {
            let result = work(&mut subject);
            // A caller that is gone wants nothing: what comes back is dropped here.
            let _ = done.send((subject, result));
        });
        let Ok(thread) = thread else { return Err(Why::GaveUp) };
        loop {
            match wait.recv_timeout(POLL) {
                Ok(both) => return Ok(both),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = stop.reason() {
                        self.left_alone.push(thread);
                        return Err(why);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => return Err(Why::GaveUp),
                },
            }
        }
    }

    fn crowded(&mut self) -> bool {
        self.left_alone.retain(|thread| !thread.is_finished());
        self.left_alone.len() >= LEFT_ALONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender};

    fn short() -> Stop {
        Stop::new(Some(Duration::from_millis(20)), None, None)
    }

    fn long() -> Stop {
        Stop::new(Some(Duration::from_secs(600)), None, None)
    }

    /// A call that does not return before the sender is dropped.
    fn stuck() -> (Sender<()>, Receiver<()>) {
        channel()
    }

    #[test]
    fn a_call_that_does_not_return_is_left_alone() {
        let mut aside = Aside::default();
        let mut releases = Vec::new();
        // Also the call that finds no free place ends in its time.
        for _ in 0..LEFT_ALONE + 1 {
            let (release, held) = stuck();
            let answer = aside.call(held, |held| held.recv().is_err(), &short());
            assert_eq!(answer.err(), Some(Why::Timeout));
            releases.push(release);
        }
        assert_eq!(aside.left_alone.len(), LEFT_ALONE);
        drop(releases);
        let answer = aside.call(6, |n| *n * 7, &long());
        assert_eq!(answer.ok(), Some((6, 42)));
    }

    #[test]
    fn what_is_left_alone_is_dropped_where_it_ends() {
        let (release, held) = stuck();
        let (kept, dropped) = channel::<()>();
        let mut aside = Aside::default();
        let answer = aside.call((held, kept), |(held, _)| held.recv().is_err(), &short());
        assert_eq!(answer.err(), Some(Why::Timeout));
        drop(release);
        assert!(
            dropped
                .recv_timeout(Duration::from_secs(600))
                .is_err_and(|e| e == RecvTimeoutError::Disconnected)
        );
    }

    #[test]
    #[should_panic(expected = "ours")]
    fn a_panic_is_passed_on() {
        let _ = Aside::default().call((), |()| panic!("ours"), &long());
    }
}
