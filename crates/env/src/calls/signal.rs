//! Signals that the program sends itself.

use super::*;
use crate::process::{Action, PID};
use crate::record::Record;

const SIGKILL: u32 = 9;
const SIGSTOP: u32 = 19;
/// Child, continue, urgent data, window size: ignored unless handled.
const IGNORED: u64 = bit(17) | bit(18) | bit(23) | bit(28);
/// Stop, and what stops from a terminal.
const STOPPING: u64 = bit(19) | bit(20) | bit(21) | bit(22);
const NEVER_BLOCKED: u64 = bit(SIGKILL) | bit(SIGSTOP);
const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;

const fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

impl Os {
    /// Sends the program a signal; it is delivered when the call ends, or once unblocked.
    pub(crate) fn raise(&mut self, signal: u32) {
        let handler = self.process.actions[signal as usize - 1].handler;
        let ignored = handler == SIG_IGN || handler == SIG_DFL && bit(signal) & IGNORED != 0;
        if !ignored || self.process.blocked & bit(signal) != 0 {
            self.process_mut().pending |= bit(signal);
        }
    }

    /// Whether a signal waits that is not blocked.
    pub(crate) fn is_deliverable(&self, signal: u32) -> bool {
        self.process.pending & !self.process.blocked & bit(signal) != 0
    }

    /// Delivers a waiting signal at the end of a call that returns.
    pub(crate) fn deliver(&mut self, reply: Reply) -> Reply {
        let Reply::Value(value) = reply else { return reply };
        loop {
            let waiting = self.process.pending & !self.process.blocked;
            if waiting == 0 {
                return reply;
            }
            let signal = waiting.trailing_zeros() + 1;
            let process = self.process_mut();
            process.pending &= !bit(signal);
            let action = process.actions[signal as usize - 1];
            match action.handler {
                SIG_IGN => {}
                SIG_DFL if bit(signal) & IGNORED != 0 => {}
                SIG_DFL if bit(signal) & STOPPING != 0 => return Reply::Blocked,
                SIG_DFL => return Reply::Signal(signal),
                address => {
                    const SA_NODEFER: u64 = 0x4000_0000;
                    const SA_RESETHAND: u64 = 0x8000_0000;
                    let mask = process.blocked;
                    process.blocked |= action.mask & !NEVER_BLOCKED;
                    if action.flags & SA_NODEFER == 0 {
                        process.blocked |= bit(signal);
                    }
                    if action.flags & SA_RESETHAND != 0 {
                        process.actions[signal as usize - 1].handler = SIG_DFL;
                    }
                    return Reply::Handler { signal, address, value, mask };
                }
            }
        }
    }
}

pub(super) fn rt_sigaction(c: &mut Call) -> Done {
    let [_, new, old, size, ..] = c.args;
    let signal = c.unsigned(0);
    if size != 8 || !(1..=64).contains(&signal) || new != 0 && bit(signal) & NEVER_BLOCKED != 0 {
        return error(Errno::EINVAL);
    }
    let index = signal as usize - 1;
    let mut field = [0; 4];
    for (i, f) in field.iter_mut().enumerate().filter(|_| new != 0) {
        *f = c.load(new + 8 * i as u64, 8)?;
    }
    if old != 0 {
        let Action { handler, flags, restorer, mask } = c.os.process.actions[index];
        let record =
            Record::new(32).put(0, 8, handler).put(8, 8, flags).put(16, 8, restorer).put(24, 8, mask);
        c.store(old, &record.bytes())?;
    }
    if new != 0 {
        let [handler, flags, restorer, mask] = field;
        let process = c.os.process_mut();
        process.actions[index] = Action { handler, flags, restorer, mask: mask & !NEVER_BLOCKED };
        if handler == SIG_IGN || handler == SIG_DFL && bit(signal) & IGNORED != 0 {
            process.pending &= !bit(signal);
        }
    }
    Ok(0)
}

pub(super) fn rt_sigprocmask(c: &mut Call) -> Done {
    let [_, set, old, size, ..] = c.args;
    if size != 8 {
        return error(Errno::EINVAL);
    }
    let before = c.os.process.blocked;
    if set != 0 {
        let given = c.load(set, 8)?;
        let blocked = match c.int(0) {
            0 => before | given,
            1 => before & !given,
            2 => given,
            _ => return error(Errno::EINVAL),
        };
        if blocked & !NEVER_BLOCKED != before {
            c.os.process_mut().blocked = blocked & !NEVER_BLOCKED;
        }
    }
    if old != 0 {
        c.store_number(old, 8, before)?;
    }
    Ok(0)
}

pub(super) fn rt_sigpending(c: &mut Call) -> Done {
    let pending = c.os.process.pending & c.os.process.blocked;
    let size = c.args[1].min(8) as usize;
    c.store_number(c.args[0], size, pending)?;
    Ok(0)
}

/// Waits, with another mask, for a signal.
pub(super) fn rt_sigsuspend(c: &mut Call) -> Done {
    let [set, size, ..] = c.args;
    if size != 8 {
        return error(Errno::EINVAL);
    }
    let mask = c.load(set, 8)? & !NEVER_BLOCKED;
    let before = std::mem::replace(&mut c.os.process_mut().blocked, mask);
    let reply = await_signal(c);
    match c.os.deliver(Reply::Value(-i64::from(Errno::EINTR.0))) {
        Reply::Handler { signal, address, value, .. } => {
            Err(Stop::End(Reply::Handler { signal, address, value, mask: before }))
        }
        Reply::Value(_) => {
            c.os.process_mut().blocked = before;
            reply
        }
        ended => Err(Stop::End(ended)),
    }
}

/// Time passes until an alarm goes off, if one is set.
fn await_signal(c: &mut Call) -> Done {
    let waiting = c.os.process.pending & !c.os.process.blocked;
    if waiting != 0 || c.os.sleep(u64::MAX) > 0 {
        return error(Errno::EINTR);
    }
    Err(Stop::End(Reply::Blocked))
}

pub(super) fn pause(c: &mut Call) -> Done {
    await_signal(c)
}

pub(super) fn rt_sigtimedwait(c: &mut Call) -> Done {
    let [set, _, timeout, size, ..] = c.args;
    if size != 8 {
        return error(Errno::EINVAL);
    }
    let waiting = c.load(set, 8)? & c.os.process.pending;
    if waiting != 0 {
        let signal = waiting.trailing_zeros() + 1;
        c.os.process_mut().pending &= !bit(signal);
        if c.args[1] != 0 {
            c.store(c.args[1], &Record::new(128).put(0, 4, signal.into()).bytes())?;
        }
        return Ok(signal.into());
    }
    if timeout == 0 {
        return Err(Stop::End(Reply::Blocked));
    }
    error(Errno::EAGAIN)
}

pub(super) fn sigaltstack(c: &mut Call) -> Done {
    let [new, old, ..] = c.args;
    let [address, flags, size] = c.os.process.signal_stack;
    let mut field = [0; 3];
    for (i, f) in field.iter_mut().enumerate().filter(|_| new != 0) {
        *f = c.load(new + 8 * i as u64, if i == 1 { 4 } else { 8 })?;
    }
    if old != 0 {
        let record = Record::new(24).put(0, 8, address).put(8, 4, flags).put(16, 8, size);
        c.store(old, &record.bytes())?;
    }
    if new != 0 {
        const DISABLE: u64 = 2;
        if field[1] & DISABLE == 0 && field[2] < 2048 {
            return error(Errno::ENOMEM);
        }
        c.os.process_mut().signal_stack = if field[1] & DISABLE == 0 { field } else { [0, DISABLE, 0] };
    }
    Ok(0)
}

pub(super) fn kill(c: &mut Call) -> Done {
    let (pid, signal) = (c.int(0), c.unsigned(1));
    let own = PID as i32;
    send(c, pid == own || pid == 0 || pid == -(c.os.process.group_leader as i32), signal)
}

pub(super) fn tkill(c: &mut Call) -> Done {
    let (thread, signal) = (c.int(0), c.unsigned(1));
    if thread <= 0 {
        return error(Errno::EINVAL);
    }
    send(c, thread == PID as i32, signal)
}

pub(super) fn tgkill(c: &mut Call) -> Done {
    let (group, thread, signal) = (c.int(0), c.int(1), c.unsigned(2));
    if thread <= 0 || group <= 0 {
        return error(Errno::EINVAL);
    }
    send(c, thread == PID as i32 && group == PID as i32, signal)
}

fn send(c: &mut Call, to_self: bool, signal: u32) -> Done {
    if signal > 64 {
        return error(Errno::EINVAL);
    }
    if !to_self {
        return error(Errno::ESRCH);
    }
    if signal > 0 {
        c.os.raise(signal);
    }
    Ok(0)
}
