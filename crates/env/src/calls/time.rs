//! Clocks, sleeping and timers. Time is a counter: it moves a little when looked at, and by what
//! the program sleeps.

use super::*;
use crate::os::EPOCH;
use crate::record::Record;

/// How much the clock advances when looked at.
const TICK: u64 = 1000;
const SECOND: u64 = 1_000_000_000;
const SIGALRM: u32 = 14;

impl Os {
    /// Looks at the clock.
    pub(crate) fn look_at_clock(&mut self) -> u64 {
        self.sleep(TICK);
        self.clock
    }

    /// Lets time pass, up to the moment when an alarm wakes the program; gives what is left.
    pub(crate) fn sleep(&mut self, ns: u64) -> u64 {
        let end = self.clock.saturating_add(ns);
        while let Some((at, interval)) = self.process.alarm.filter(|a| a.0 <= end) {
            self.clock = self.clock.max(at);
            self.process_mut().alarm = (interval > 0).then(|| (at.saturating_add(interval), interval));
            self.raise(SIGALRM);
            if self.is_deliverable(SIGALRM) {
                return (end - self.clock).max(1);
            }
        }
        if ns < u64::MAX {
            self.clock = end;
        }
        0
    }
}

/// Seconds since 1970 and nanoseconds of a clock; `None` for an unknown one.
fn clock_value(c: &mut Call, clock: i32) -> Option<(u64, u64)> {
    let base = match clock {
        // CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_REALTIME_ALARM, CLOCK_TAI
        0 | 5 | 8 | 11 => EPOCH as u64,
        // CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID
        2 | 3 => 0,
        // CLOCK_MONOTONIC and its variants: the machine was up for a while
        1 | 4 | 6 | 7 | 9 => 10_000,
        _ => return None,
    };
    let now = c.os.look_at_clock();
    Some((base + now / SECOND, now % SECOND))
}

fn store_time(c: &mut Call, address: u64, sec: u64, fraction: u64) -> Done<()> {
    c.store(address, &Record::new(16).put(0, 8, sec).put(8, 8, fraction).bytes())
}

pub(super) fn clock_gettime(c: &mut Call) -> Done {
    let Some((sec, nsec)) = clock_value(c, c.int(0)) else { return error(Errno::EINVAL) };
    store_time(c, c.args[1], sec, nsec)?;
    Ok(0)
}

pub(super) fn clock_getres(c: &mut Call) -> Done {
    if !matches!(c.int(0), 0..=9 | 11) {
        return error(Errno::EINVAL);
    }
    if c.args[1] != 0 {
        store_time(c, c.args[1], 0, 1)?;
    }
    Ok(0)
}

/// Nobody may set the clock.
pub(super) fn clock_settime(_: &mut Call) -> Done {
    error(Errno::EPERM)
}

pub(super) fn gettimeofday(c: &mut Call) -> Done {
    let [time, zone, ..] = c.args;
    let now = c.os.look_at_clock();
    if time != 0 {
        store_time(c, time, EPOCH as u64 + now / SECOND, now % SECOND / 1000)?;
    }
    if zone != 0 {
        c.store(zone, &Bytes::zeros(8))?;
    }
    Ok(0)
}

pub(super) fn time(c: &mut Call) -> Done {
    let now = EPOCH as u64 + c.os.look_at_clock() / SECOND;
    if c.args[0] != 0 {
        c.store_number(c.args[0], 8, now)?;
    }
    Ok(now as i64)
}

pub(super) fn nanosleep(c: &mut Call) -> Done {
    let [span, rest, ..] = c.args;
    sleep(c, span, rest, 0)
}

pub(super) fn clock_nanosleep(c: &mut Call) -> Done {
    const ABSOLUTE: i32 = 1;
    let [_, _, span, rest, ..] = c.args;
    let clock = c.int(0);
    if matches!(clock, 3) || !matches!(clock, 0..=11) {
        return error(Errno::EINVAL);
    }
    if c.int(1) & ABSOLUTE == 0 {
        return sleep(c, span, rest, 0);
    }
    let Some((sec, nsec)) = clock_value(c, clock) else { return error(Errno::EINVAL) };
    sleep(c, span, 0, sec.saturating_mul(SECOND).saturating_add(nsec))
}

fn sleep(c: &mut Call, span: u64, rest: u64, since: u64) -> Done {
    let (sec, nsec) = (c.load(span, 8)?, c.load(span + 8, 8)?);
    if (sec as i64) < 0 || nsec >= SECOND {
        return error(Errno::EINVAL);
    }
    let ns = sec.saturating_mul(SECOND).saturating_add(nsec).saturating_sub(since);
    // A sleep longer than our clock can count ends at the clock's end.
    let left = c.os.sleep(ns.min(u64::MAX / 4));
    if left == 0 {
        return Ok(0);
    }
    if rest != 0 {
        store_time(c, rest, left / SECOND, left % SECOND)?;
    }
    error(Errno::EINTR)
}

pub(super) fn alarm(c: &mut Call) -> Done {
    let seconds = u64::from(c.unsigned(0));
    let left = c.os.process.alarm.map_or(0, |a| (a.0 - c.os.clock.min(a.0)).div_ceil(SECOND));
    let at = c.os.clock + seconds * SECOND;
    c.os.process_mut().alarm = (seconds > 0).then_some((at, 0));
    Ok(left as i64)
}

fn timer(c: &Call) -> Bytes {
    let (left, interval) = c.os.process.alarm.map_or((0, 0), |a| (a.0.saturating_sub(c.os.clock), a.1));
    let micro = |ns: u64| ns % SECOND / 1000;
    Record::new(32)
        .put(0, 8, interval / SECOND)
        .put(8, 8, micro(interval))
        .put(16, 8, left / SECOND)
        .put(24, 8, micro(left))
        .bytes()
}

pub(super) fn getitimer(c: &mut Call) -> Done {
    if c.int(0) != 0 {
        return unsupported(c);
    }
    c.store(c.args[1], &timer(c))?;
    Ok(0)
}

/// The real-time timer; those that count processor time are not modelled.
pub(super) fn setitimer(c: &mut Call) -> Done {
    let [_, new, old, ..] = c.args;
    if c.int(0) != 0 {
        return unsupported(c);
    }
    let mut field = [0; 4];
    for (i, f) in field.iter_mut().enumerate().filter(|_| new != 0) {
        *f = c.load(new + 8 * i as u64, 8)?;
    }
    if field[1] >= 1_000_000 || field[3] >= 1_000_000 {
        return error(Errno::EINVAL);
    }
    if old != 0 {
        c.store(old, &timer(c))?;
    }
    let ns = |sec: u64, micro: u64| sec.saturating_mul(SECOND).saturating_add(micro * 1000);
    let (interval, first) = (ns(field[0], field[1]), ns(field[2], field[3]));
    let at = c.os.clock.saturating_add(first);
    c.os.process_mut().alarm = (first > 0).then_some((at, interval));
    Ok(0)
}

pub(super) fn times(c: &mut Call) -> Done {
    let ticks = c.os.look_at_clock() / (SECOND / 100);
    if c.args[0] != 0 {
        c.store(c.args[0], &Record::new(32).put(0, 8, ticks).bytes())?;
    }
    Ok(ticks as i64 + 1_000_000)
}

pub(super) fn getrusage(c: &mut Call) -> Done {
    if !matches!(c.int(0), -1..=1) {
        return error(Errno::EINVAL);
    }
    let now = if c.int(0) == -1 { 0 } else { c.os.look_at_clock() };
    let record = Record::new(144).put(0, 8, now / SECOND).put(8, 8, now % SECOND / 1000).put(32, 8, 2048);
    c.store(c.args[1], &record.bytes())?;
    Ok(0)
}
