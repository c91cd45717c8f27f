//! Permissions, owners and times.

use super::*;
use crate::node::{Meta, S_IFDIR, S_IFLNK, S_IFREG, S_ISGID, S_ISUID, Time};
use crate::process::WRITE;

pub(super) fn umask(c: &mut Call) -> Done {
    let mask = c.unsigned(0) & 0o777;
    let old = std::mem::replace(&mut c.os.process_mut().umask, mask);
    Ok(old.into())
}

pub(super) fn chmod(c: &mut Call) -> Done {
    let [path, mode, ..] = c.args;
    chmod_path(c, AT_FDCWD, path, mode as u32, 0)
}

pub(super) fn fchmodat(c: &mut Call) -> Done {
    let [_, path, mode, ..] = c.args;
    chmod_path(c, c.int(0), path, mode as u32, 0)
}

pub(super) fn fchmodat2(c: &mut Call) -> Done {
    let [_, path, mode, flags, ..] = c.args;
    chmod_path(c, c.int(0), path, mode as u32, flags as u32)
}

pub(super) fn fchmod(c: &mut Call) -> Done {
    let node = c.os.files.get(c.unsigned(0).into())?.node;
    let mode = c.unsigned(1);
    set_mode(c, node, mode)
}

fn chmod_path(c: &mut Call, fd: i32, path: u64, mode: u32, flags: u32) -> Done {
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(fd, path, Missing::Fails)?;
    let node = c.resolve_or_self(fd, &path, flags & AT_SYMLINK_NOFOLLOW == 0, flags)?;
    if c.os.fs.node(node).meta.kind() == S_IFLNK {
        return error(Errno::EOPNOTSUPP);
    }
    set_mode(c, node, mode)
}

fn owns(c: &Call, meta: &Meta) -> bool {
    let ids = &c.os.process.ids;
    ids.is_root() || ids.user[1] == meta.uid
}

fn set_mode(c: &mut Call, id: NodeId, mode: u32) -> Done {
    let node = c.os.fs.node(id);
    if !owns(c, &node.meta) {
        return error(Errno::EPERM);
    }
    let ids = &c.os.process.ids;
    let foreign = !ids.is_root() && !ids.in_group(node.meta.gid);
    let mode = mode & 0o7777 & !if foreign { S_ISGID } else { 0 };
    let now = c.os.now();
    let meta = &mut c.os.fs.edit(id).meta;
    meta.mode = meta.kind() | mode;
    meta.known(24, 4);
    changed(meta, now);
    Ok(0)
}

fn changed(meta: &mut Meta, now: Time) {
    meta.changed = now;
    meta.known(104, 16);
}

pub(super) fn chown(c: &mut Call) -> Done {
    let [path, uid, gid, ..] = c.args;
    chown_path(c, (AT_FDCWD, path), uid as u32, gid as u32, 0)
}

pub(super) fn lchown(c: &mut Call) -> Done {
    let [path, uid, gid, ..] = c.args;
    chown_path(c, (AT_FDCWD, path), uid as u32, gid as u32, AT_SYMLINK_NOFOLLOW)
}

pub(super) fn fchownat(c: &mut Call) -> Done {
    let [_, path, uid, gid, flags, _] = c.args;
    chown_path(c, (c.int(0), path), uid as u32, gid as u32, flags as u32)
}

pub(super) fn fchown(c: &mut Call) -> Done {
    let node = c.os.files.get(c.unsigned(0).into())?.node;
    let (uid, gid) = (c.unsigned(1), c.unsigned(2));
    set_owner(c, node, uid, gid)
}

fn chown_path(c: &mut Call, at: (i32, u64), uid: u32, gid: u32, flags: u32) -> Done {
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(at.0, at.1, Missing::Fails)?;
    let node = c.resolve_or_self(at.0, &path, flags & AT_SYMLINK_NOFOLLOW == 0, flags)?;
    set_owner(c, node, uid, gid)
}

fn set_owner(c: &mut Call, id: NodeId, uid: u32, gid: u32) -> Done {
    const KEEP: u32 = u32::MAX;
    let node = c.os.fs.node(id);
    let ids = &c.os.process.ids;
    let may_user = uid == KEEP || ids.user[1] == node.meta.uid && uid == node.meta.uid;
    let may_group =
        gid == KEEP || ids.user[1] == node.meta.uid && (gid == node.meta.gid || ids.in_group(gid));
    if !(ids.is_root() || may_user && may_group) {
        return error(Errno::EPERM);
    }
    let now = c.os.now();
    let meta = &mut c.os.fs.edit(id).meta;
    if uid != KEEP {
        meta.uid = uid;
        meta.known(28, 4);
    }
    if gid != KEEP {
        meta.gid = gid;
        meta.known(32, 4);
    }
    if meta.kind() != S_IFDIR {
        let group_runs = meta.kind() == S_IFREG && meta.mode & 0o010 != 0;
        meta.mode &= !(S_ISUID | if group_runs { S_ISGID } else { 0 });
    }
    changed(meta, now);
    Ok(0)
}

pub(super) fn utimensat(c: &mut Call) -> Done {
    let [_, path, times, flags, ..] = c.args;
    let times = match times {
        0 => None,
        _ => Some([timespec(c, times)?, timespec(c, times + 16)?]),
    };
    if times.is_some_and(|given| given.iter().all(|g| g.1 == OMIT)) {
        return Ok(0);
    }
    let flags = flags as u32;
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let fd = c.int(0);
    let node = if path == 0 && fd != AT_FDCWD {
        if flags != 0 {
            return error(Errno::EINVAL);
        }
        c.os.files.get(fd as u32 as u64)?.node
    } else {
        let path = c.path_at(fd, path, Missing::Fails)?;
        c.resolve_or_self(fd, &path, flags & AT_SYMLINK_NOFOLLOW == 0, flags)?
    };
    set_times(c, node, times)
}

const NOW: u64 = 0x3fff_ffff;
const OMIT: u64 = 0x3fff_fffe;

/// Seconds and nanoseconds (or what stands for them).
type Given = (i64, u64);

fn timespec(c: &mut Call, address: u64) -> Done<Given> {
    Ok((c.load(address, 8)? as i64, c.load(address + 8, 8)?))
}

/// `utimes` and `futimesat`, in microseconds.
pub(super) fn utimes(c: &mut Call) -> Done {
    let [path, times, ..] = c.args;
    utimes_at(c, AT_FDCWD, path, times)
}

pub(super) fn futimesat(c: &mut Call) -> Done {
    let [_, path, times, ..] = c.args;
    utimes_at(c, c.int(0), path, times)
}

fn utimes_at(c: &mut Call, fd: i32, path: u64, times: u64) -> Done {
    let times = match times {
        0 => None,
        _ => {
            let given = [timespec(c, times)?, timespec(c, times + 16)?];
            if given.iter().any(|g| g.1 >= 1_000_000) {
                return error(Errno::EINVAL);
            }
            Some(given.map(|g| (g.0, g.1 * 1000)))
        }
    };
    let path = c.path_at(fd, path, Missing::Fails)?;
    let node = c.resolve(fd, &path, true)?;
    set_times(c, node, times)
}

/// `utime`, in seconds.
pub(super) fn utime(c: &mut Call) -> Done {
    let [path, times, ..] = c.args;
    let times = match times {
        0 => None,
        _ => Some([(c.load(times, 8)? as i64, 0), (c.load(times + 8, 8)? as i64, 0)]),
    };
    let path = c.path_at(AT_FDCWD, path, Missing::Fails)?;
    let node = c.resolve(AT_FDCWD, &path, true)?;
    set_times(c, node, times)
}

fn set_times(c: &mut Call, id: NodeId, times: Option<[Given; 2]>) -> Done {
    let node = c.os.fs.node(id);
    let [accessed, modified] = times.unwrap_or([(0, NOW); 2]);
    if [accessed.1, modified.1].iter().any(|n| !matches!(*n, 0..=999_999_999 | NOW | OMIT)) {
        return error(Errno::EINVAL);
    }
    if !owns(c, &node.meta) {
        if accessed.1 != NOW || modified.1 != NOW {
            return error(Errno::EPERM);
        }
        c.permit(id, WRITE)?;
    }
    let now = c.os.now();
    let meta = &mut c.os.fs.edit(id).meta;
    let time = |given: Given| match given.1 {
        NOW => Some(now),
        OMIT => None,
        nsec => Some(Time { sec: given.0, nsec: nsec as u32 }),
    };
    if let Some(time) = time(accessed) {
        meta.accessed = time;
        meta.known(72, 16);
    }
    if let Some(time) = time(modified) {
        meta.modified = time;
        meta.known(88, 16);
    }
    changed(meta, now);
    Ok(0)
}
