//! When a solver has to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Why;

/// The limits of one call. Clocks decide only whether an answer is given up, never which.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    until: Option<Instant>,
    /// The end of the whole run comes before the end of this query's time.
    run_ends: bool,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Stop {
    pub(crate) fn new(
        limit: Option<Duration>,
        deadline: Option<Instant>,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Self {
        let query = limit.and_then(|l| Instant::now().checked_add(l));
        let run_ends = match (query, deadline) {
            (Some(q), Some(d)) => d <= q,
            (None, d) => d.is_some(),
            (Some(_), None) => false,
        };
        Stop { until: if run_ends { deadline } else { query }, run_ends, interrupt }
    }

    /// Why the call has to end now, if it has to.
    pub(crate) fn reason(&self) -> Option<Why> {
        if self.interrupt.as_ref().is_some_and(|i| i.load(Ordering::Relaxed)) {
            return Some(Why::Interrupted);
        }
        match self.until {
            Some(until) if Instant::now() >= until => {
                Some(if self.run_ends { Why::Interrupted } else { Why::Timeout })
            }
            _ => None,
        }
    }

    /// The call can neither time out nor be interrupted.
    pub(crate) fn is_never(&self) -> bool {
        self.until.is_none() && self.interrupt.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_limit_names_the_reason() {
        let now = Instant::now();
        let far = Duration::from_secs(1000);
        assert_eq!(Stop::new(Some(far), Some(now), None).reason(), Some(Why::Interrupted));
        assert_eq!(Stop::new(Some(Duration::ZERO), Some(now + far), None).reason(), Some(Why::Timeout));
        assert_eq!(Stop::new(Some(far), None, None).reason(), None);
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop::new(None, None, Some(flag.clone()));
        assert_eq!(stop.reason(), None);
        flag.store(true, Ordering::Relaxed);
        assert_eq!(stop.reason(), Some(Why::Interrupted));
        assert!(Stop::new(None, None, None).is_never());
    }
}
