//! Waiting for descriptors: `poll`, `select`.

use super::*;
use crate::files::Open;
use crate::node::Kind;

const IN: u32 = 0x001;
const OUT: u32 = 0x004;
const ERR: u32 = 0x008;
const HUP: u32 = 0x010;
const NVAL: u32 = 0x020;
const RDNORM: u32 = 0x040;
const WRNORM: u32 = 0x100;

/// What could be done with an open file without waiting.
fn ready(c: &Call, open: Open) -> u32 {
    let node = c.os.fs.node(open.node);
    match &node.kind {
        Kind::Pipe(held) => {
            let ends = c.os.files.on(open.node);
            let mut mask = 0;
            if open.readable() {
                mask |= if held.is_empty() { 0 } else { IN | RDNORM };
                mask |= if ends.iter().any(|o| o.writable()) { 0 } else { HUP };
            }
            if open.writable() {
                mask |= if held.len() as u64 == super::descriptors::PIPE_SIZE { 0 } else { OUT | WRNORM };
                mask |= if ends.iter().any(|o| o.readable()) { 0 } else { ERR };
            }
            mask
        }
        Kind::Stream(s) if !s.terminal && open.readable() => {
            HUP | if s.taken < s.input.len() { IN | RDNORM } else { 0 }
        }
        Kind::Stream(s) if !s.terminal => OUT | WRNORM,
        _ => IN | OUT | RDNORM | WRNORM,
    }
}

/// Nothing is ready: time passes, or the program waits forever.
fn wait(c: &mut Call, timeout: Option<u64>) -> Done {
    match timeout {
        Some(0) => Ok(0),
        Some(ns) => {
            if c.os.sleep(ns) > 0 {
                return error(Errno::EINTR);
            }
            Ok(0)
        }
        None if c.os.sleep(u64::MAX) > 0 => error(Errno::EINTR),
        None => Err(Stop::End(Reply::Blocked)),
    }
}

pub(super) fn poll(c: &mut Call) -> Done {
    let timeout = c.int(2);
    poll_until(c, u64::try_from(timeout).ok().map(|ms| ms * 1_000_000))
}

pub(super) fn ppoll(c: &mut Call) -> Done {
    let timeout = optional_time(c, c.args[2], 1)?;
    poll_until(c, timeout)
}

fn poll_until(c: &mut Call, timeout: Option<u64>) -> Done {
    let (list, count) = (c.args[0], c.unsigned(1));
    if u64::from(count) > c.descriptor_limit() {
        return error(Errno::EINVAL);
    }
    let mut answers = Vec::new();
    for i in 0..u64::from(count) {
        let fd = c.load(list + 8 * i, 4)? as i32;
        let wanted = c.load(list + 8 * i + 4, 2)? as u32 | ERR | HUP;
        answers.push(match c.os.files.get(fd as u32 as u64) {
            _ if fd < 0 => 0,
            Ok(open) => ready(c, open) & wanted,
            Err(_) => NVAL,
        });
    }
    for (i, answer) in answers.iter().enumerate() {
        c.store_number(list + 8 * i as u64 + 6, 2, (*answer).into())?;
    }
    match answers.iter().filter(|a| **a != 0).count() {
        0 => wait(c, timeout),
        count => Ok(count as i64),
    }
}

/// A time span at an address, in nanoseconds; `unit` nanoseconds are one of its second field.
fn optional_time(c: &mut Call, address: u64, unit: u64) -> Done<Option<u64>> {
    if address == 0 {
        return Ok(None);
    }
    let (sec, fraction) = (c.load(address, 8)?, c.load(address + 8, 8)?);
    if (sec as i64) < 0 || fraction >= 1_000_000_000 / unit {
        return error(Errno::EINVAL);
    }
    Ok(Some(sec.saturating_mul(1_000_000_000).saturating_add(fraction * unit)))
}

pub(super) fn select(c: &mut Call) -> Done {
    let timeout = optional_time(c, c.args[4], 1000)?;
    select_until(c, timeout)
}

pub(super) fn pselect(c: &mut Call) -> Done {
    let timeout = optional_time(c, c.args[4], 1)?;
    select_until(c, timeout)
}

fn select_until(c: &mut Call, timeout: Option<u64>) -> Done {
    const CONDITIONS: [u32; 3] = [IN | RDNORM | HUP | ERR, OUT | WRNORM | ERR, 0x002];
    let count = c.int(0);
    if count < 0 {
        return error(Errno::EINVAL);
    }
    let count = (count as u64).min(1024);
    let words = count.div_ceil(64);
    let mut total = 0;
    let mut answers = Vec::new();
    for (set, condition) in CONDITIONS.iter().enumerate() {
        let address = c.args[1 + set];
        for word in 0..if address == 0 { 0 } else { words } {
            let wanted = c.load(address + 8 * word, 8)?;
            let mut found = 0u64;
            for bit in (0..64).filter(|b| wanted >> b & 1 != 0 && 64 * word + b < count) {
                let open = c.os.files.get(64 * word + bit)?;
                if ready(c, open) & condition != 0 {
                    found |= 1 << bit;
                    total += 1;
                }
            }
            answers.push((address + 8 * word, found));
        }
    }
    let result = if total > 0 { total } else { wait(c, timeout)? };
    for (address, found) in answers {
        c.store_number(address, 8, found)?;
    }
    if result == 0 && c.args[4] != 0 {
        c.store(c.args[4], &Bytes::zeros(16))?;
    }
    Ok(result)
}
