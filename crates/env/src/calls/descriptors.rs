//! Closing and duplicating descriptors, and `fcntl`.

use super::{Call, error};
use crate::errno::Errno;
use crate::files::*;
use crate::guest::{Done, Fallible, Reply, Stop};
use crate::node::{Kind, NodeId};

/// Frees a descriptor; a file without name and without descriptors goes with its last one.
fn release(c: &mut Call, fd: u64) -> Done<()> {
    if let Some(open) = c.os.files.remove(fd)? {
        c.os.collect(open.node);
    }
    Ok(())
}

pub(super) fn close(c: &mut Call) -> Done {
    let fd = u64::from(c.unsigned(0));
    c.os.files.descriptor(fd)?;
    if c.fails(Fallible::Close)? {
        return error(Errno::EIO);
    }
    release(c, fd)?;
    Ok(0)
}

pub(super) fn close_range(c: &mut Call) -> Done {
    const CLOSE_RANGE_CLOEXEC: u32 = 4;
    let (first, last, flags) = (c.unsigned(0), c.unsigned(1), c.unsigned(2));
    if first > last || flags & !(2 | CLOSE_RANGE_CLOEXEC) != 0 {
        return error(Errno::EINVAL);
    }
    for fd in c.os.files.numbers().into_iter().filter(|fd| (first..=last).contains(fd)) {
        if flags & CLOSE_RANGE_CLOEXEC == 0 {
            release(c, fd.into())?;
        } else if let Some(descriptor) = c.os.files.descriptors.get_mut(fd) {
            descriptor.cloexec = true;
        }
    }
    Ok(0)
}

pub(super) fn dup(c: &mut Call) -> Done {
    let fd = u64::from(c.unsigned(0));
    duplicate(c, fd, 0, false)
}

fn duplicate(c: &mut Call, fd: u64, from: u64, cloexec: bool) -> Done {
    let open = c.os.files.descriptor(fd)?.open;
    let new = c.os.files.free(from, c.descriptor_limit())?;
    c.os.files.descriptors.insert(new, Descriptor { open, cloexec });
    Ok(new.into())
}

pub(super) fn dup2(c: &mut Call) -> Done {
    let (old, new) = (c.unsigned(0), c.unsigned(1));
    if old == new {
        c.os.files.descriptor(old.into())?;
        return Ok(old.into());
    }
    duplicate_to(c, old, new, false)
}

pub(super) fn dup3(c: &mut Call) -> Done {
    let (old, new, flags) = (c.unsigned(0), c.unsigned(1), c.unsigned(2));
    if flags & !O_CLOEXEC != 0 || old == new {
        return error(Errno::EINVAL);
    }
    duplicate_to(c, old, new, flags != 0)
}

fn duplicate_to(c: &mut Call, old: u32, new: u32, cloexec: bool) -> Done {
    if u64::from(new) >= c.descriptor_limit() {
        return error(Errno::EBADF);
    }
    let open = c.os.files.descriptor(old.into())?.open;
    if c.os.files.descriptor(new.into()).is_ok() {
        release(c, new.into())?;
    }
    c.os.files.descriptors.insert(new, Descriptor { open, cloexec });
    Ok(new.into())
}

pub(super) const PIPE_SIZE: u64 = 65536;

pub(super) fn fcntl(c: &mut Call) -> Done {
    const SETTABLE: u32 = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
    let (fd, command, arg) = (u64::from(c.unsigned(0)), c.int(1), c.args[2]);
    let descriptor = c.os.files.descriptor(fd)?;
    let open = c.os.files.any(fd)?;
    if open.flags & O_PATH != 0 && !matches!(command, 0..=3 | 1030) {
        return error(Errno::EBADF);
    }
    match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 if arg >= c.descriptor_limit() => error(Errno::EINVAL),
        0 => duplicate(c, fd, arg, false),
        1030 => duplicate(c, fd, arg, true),
        // F_GETFD, F_SETFD
        1 => Ok(descriptor.cloexec.into()),
        2 => {
            let cloexec = arg & 1 != 0;
            c.os.files.descriptors.insert(fd as u32, Descriptor { cloexec, ..descriptor });
            Ok(0)
        }
        // F_GETFL, F_SETFL
        3 => Ok(open.flags.into()),
        4 => {
            c.os.files.edit(fd)?.flags = open.flags & !SETTABLE | arg as u32 & SETTABLE;
            Ok(0)
        }
        // F_GETLK, F_OFD_GETLK: nobody else holds a lock.
        5 | 36 => {
            const F_UNLCK: u64 = 2;
            c.store_number(arg, 2, F_UNLCK)?;
            Ok(0)
        }
        // F_SETLK, F_SETLKW and their open-file versions
        6 | 7 | 37 | 38 => lock(c, open, arg),
        // F_SETOWN, F_GETOWN, F_SETSIG, F_GETSIG
        8..=11 => Ok(0),
        // F_SETPIPE_SZ, F_GETPIPE_SZ
        1031 | 1032 if matches!(c.os.fs.node(open.node).kind, Kind::Pipe(_)) => Ok(PIPE_SIZE as i64),
        1031 | 1032 => error(Errno::EBADF),
        _ => error(Errno::EINVAL),
    }
}

/// A lock of one's own never conflicts.
fn lock(c: &mut Call, open: Open, address: u64) -> Done {
    match c.load(address, 2)? {
        0 if !open.readable() => error(Errno::EBADF),
        1 if !open.writable() => error(Errno::EBADF),
        0..=2 => Ok(0),
        _ => error(Errno::EINVAL),
    }
}

/// Locks of a file conflict between different open files, be they of one process.
pub(super) fn flock(c: &mut Call) -> Done {
    const LOCK_NB: i32 = 4;
    let fd = u64::from(c.unsigned(0));
    let wanted = match c.int(1) & !LOCK_NB {
        1 => Lock::Shared,
        2 => Lock::Exclusive,
        8 => Lock::None,
        _ => return error(Errno::EINVAL),
    };
    let open = c.os.files.get(fd)?;
    if wanted != Lock::None && !open.readable() && !open.writable() {
        return error(Errno::EBADF);
    }
    // Changing a lock gives the old one up first.
    c.os.files.edit(fd)?.lock = Lock::None;
    let strongest = c.os.files.on(open.node).into_iter().map(|o| o.lock).max().unwrap_or_default();
    if wanted != Lock::None && strongest.max(wanted) == Lock::Exclusive && strongest != Lock::None {
        return if c.int(1) & LOCK_NB != 0 { error(Errno::EAGAIN) } else { Err(Stop::End(Reply::Blocked)) };
    }
    c.os.files.edit(fd)?.lock = wanted;
    Ok(0)
}

/// Calls that need nothing but an open descriptor: `fsync` and the like.
pub(super) fn any_descriptor(c: &mut Call) -> Done {
    c.os.files.get(c.unsigned(0).into())?;
    Ok(0)
}

/// `fsync`, `fdatasync`: pipes and streams cannot.
pub(super) fn fsync(c: &mut Call) -> Done {
    let open = c.os.files.get(c.unsigned(0).into())?;
    if is_channel(c, open.node) { error(Errno::EINVAL) } else { Ok(0) }
}

pub(super) fn fadvise(c: &mut Call) -> Done {
    let open = c.os.files.get(c.unsigned(0).into())?;
    if is_pipe(c, open.node) {
        return error(Errno::ESPIPE);
    }
    if c.int(3) > 5 || (c.args[2] as i64) < 0 { error(Errno::EINVAL) } else { Ok(0) }
}

fn is_pipe(c: &Call, node: NodeId) -> bool {
    match &c.os.fs.node(node).kind {
        Kind::Pipe(_) => true,
        Kind::Stream(s) => !s.terminal,
        _ => false,
    }
}

fn is_channel(c: &Call, node: NodeId) -> bool {
    !matches!(c.os.fs.node(node).kind, Kind::File(_) | Kind::HostFile(_) | Kind::Dir(_))
}
