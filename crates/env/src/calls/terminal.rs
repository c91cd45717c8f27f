//! `ioctl`: mostly the question whether a descriptor is a terminal.

use super::*;
use crate::files::O_NONBLOCK;
use crate::node::Kind;
use crate::record::Record;

pub(super) fn ioctl(c: &mut Call) -> Done {
    let (fd, request, argument) = (u64::from(c.unsigned(0)), c.unsigned(1), c.args[2]);
    let open = c.os.files.get(fd)?;
    match request {
        // FIONREAD
        0x541b => {
            let count = query::waiting(c, fd)?;
            c.store_number(argument, 4, count)?;
            return Ok(0);
        }
        // FIONBIO
        0x5421 => {
            let on = c.load(argument, 4)? != 0;
            let open = c.os.files.edit(fd)?;
            open.flags = open.flags & !O_NONBLOCK | if on { O_NONBLOCK } else { 0 };
            return Ok(0);
        }
        // FIONCLEX, FIOCLEX
        0x5450 | 0x5451 => {
            if let Some(descriptor) = c.os.files.descriptors.get_mut(fd as u32) {
                descriptor.cloexec = request == 0x5451;
            }
            return Ok(0);
        }
        // FICLONE, FICLONERANGE
        0x4004_9409 | 0x4020_940d => return error(Errno::EOPNOTSUPP),
        _ => {}
    }
    let terminal = matches!(&c.os.fs.node(open.node).kind, Kind::Stream(s) if s.terminal);
    if !terminal {
        return error(Errno::ENOTTY);
    }
    let group = c.os.process.group_leader;
    let answer = match request {
        // TCGETS: a terminal in its usual, canonical mode.
        0x5401 => Record::new(36)
            .put(0, 4, 0o2400)
            .put(4, 4, 0o5)
            .put(8, 4, 0o277)
            .put(12, 4, 0o105_073)
            .text(17, b"\x03\x1c\x7f\x15\x04\x00\x01\x00\x11\x13\x1a\x00\x12\x0f\x17\x16"),
        // TIOCGPGRP, TIOCGSID
        0x540f | 0x5429 => Record::new(4).put(0, 4, group),
        // TIOCGWINSZ
        0x5413 => Record::new(8).put(0, 2, 24).put(2, 2, 80),
        // TCSETS, TCSETSW, TCSETSF, TCSBRK, TCXONC, TCFLSH, TIOCSPGRP, TIOCSWINSZ
        0x5402..=0x5404 | 0x5409..=0x540b | 0x5410 | 0x5414 => return Ok(0),
        _ => return error(Errno::ENOTTY),
    };
    c.store(argument, &answer.bytes())?;
    Ok(0)
}
