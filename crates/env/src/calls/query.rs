//! Asking about files: `stat`, `access`, `statfs`, extended attributes.

use super::*;
use crate::node::Kind;
use crate::process::{Ids, READ};
use crate::record::Record;
use crate::stat;

pub(super) fn stat(c: &mut Call) -> Done {
    let [path, buffer, ..] = c.args;
    stat_path(c, AT_FDCWD, path, buffer, 0)
}

pub(super) fn lstat(c: &mut Call) -> Done {
    let [path, buffer, ..] = c.args;
    stat_path(c, AT_FDCWD, path, buffer, AT_SYMLINK_NOFOLLOW)
}

pub(super) fn fstat(c: &mut Call) -> Done {
    let node = c.os.files.any(c.unsigned(0).into())?.node;
    c.store(c.args[1], &c.os.stat(node))?;
    Ok(0)
}

pub(super) fn newfstatat(c: &mut Call) -> Done {
    let [_, path, buffer, flags, ..] = c.args;
    let mut flags = flags as u32;
    if flags & AT_EMPTY_PATH != 0 && c.int(0) >= 0 && (path == 0 || c.load(path, 1)? == 0) {
        // Only the descriptor counts then.
        flags = AT_EMPTY_PATH;
    }
    stat_path(c, c.int(0), path, buffer, flags)
}

fn stat_path(c: &mut Call, fd: i32, path: u64, buffer: u64, flags: u32) -> Done {
    let node = find(c, fd, path, flags)?;
    c.store(buffer, &c.os.stat(node))?;
    Ok(0)
}

fn find(c: &mut Call, fd: i32, path: u64, flags: u32) -> Done<NodeId> {
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let path = if path == 0 && flags & AT_EMPTY_PATH != 0 {
        Vec::new()
    } else {
        c.path_at(fd, path, Missing::Fails)?
    };
    Ok(c.resolve_or_self(fd, &path, flags & AT_SYMLINK_NOFOLLOW == 0, flags)?)
}

pub(super) fn statx(c: &mut Call) -> Done {
    const RESERVED: u32 = 1 << 31;
    const SYNC_TYPE: u32 = 0x6000;
    let [_, path, flags, mask, buffer, _] = c.args;
    let flags = flags as u32;
    if mask as u32 & RESERVED != 0 || flags & SYNC_TYPE == SYNC_TYPE {
        return error(Errno::EINVAL);
    }
    let node = find(c, c.int(0), path, flags & !SYNC_TYPE)?;
    c.store(buffer, &stat::statx(&c.os.fs.node(node), c.os.namespace))?;
    Ok(0)
}

const AT_EACCESS: u32 = 0x200;

pub(super) fn access(c: &mut Call) -> Done {
    let [path, mode, ..] = c.args;
    access_path(c, AT_FDCWD, path, mode as u32, 0)
}

/// The call has no flags argument; libc answers flags itself or uses `faccessat2`.
pub(super) fn faccessat(c: &mut Call) -> Done {
    let [_, path, mode, ..] = c.args;
    access_path(c, c.int(0), path, mode as u32, 0)
}

pub(super) fn faccessat2(c: &mut Call) -> Done {
    let [_, path, mode, flags, ..] = c.args;
    access_path(c, c.int(0), path, mode as u32, flags as u32)
}

fn access_path(c: &mut Call, fd: i32, path: u64, mode: u32, flags: u32) -> Done {
    if mode & !7 != 0 || flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(fd, path, Missing::Fails)?;
    let ids = c.os.process.ids.clone();
    if flags & AT_EACCESS == 0 && (ids.user[0] != ids.user[1] || ids.group[0] != ids.group[1]) {
        // The question is about the real user: ask as that one.
        let real = Ids { user: [ids.user[0]; 3], group: [ids.group[0]; 3], groups: ids.groups.clone() };
        c.os.process_mut().ids = real;
    }
    let answer = c
        .resolve_or_self(fd, &path, flags & AT_SYMLINK_NOFOLLOW == 0, flags)
        .map_err(Stop::from)
        .and_then(|node| c.permit(node, mode));
    if c.os.process.ids != ids {
        c.os.process_mut().ids = ids;
    }
    answer.map(|()| 0)
}

pub(super) fn statfs(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    c.resolve(AT_FDCWD, &path, true)?;
    file_system(c)
}

pub(super) fn fstatfs(c: &mut Call) -> Done {
    c.os.files.any(c.unsigned(0).into())?;
    file_system(c)
}

/// A disk that is half full.
fn file_system(c: &mut Call) -> Done {
    const EXT4: u64 = 0xef53;
    let record = Record::new(120)
        .put(0, 8, EXT4)
        .put(8, 8, 4096)
        .put(16, 8, 1 << 20)
        .put(24, 8, 1 << 19)
        .put(32, 8, 1 << 19)
        .put(40, 8, 1 << 18)
        .put(48, 8, 1 << 17)
        .put(64, 8, 255)
        .put(72, 8, 4096);
    c.store(c.args[1], &record.bytes())?;
    Ok(0)
}

/// `getxattr`, `removexattr` and theirs: no file has extended attributes.
pub(super) fn getxattr(c: &mut Call) -> Done {
    no_attribute(c, true)
}

pub(super) fn lgetxattr(c: &mut Call) -> Done {
    no_attribute(c, false)
}

fn no_attribute(c: &mut Call, follow: bool) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    let of_user = attribute_name(c)?;
    let node = c.resolve(AT_FDCWD, &path, follow)?;
    if of_user && (c.os.fs.node(node).is_file() || c.os.fs.node(node).is_dir()) {
        c.permit(node, READ)?;
    }
    error(Errno::ENODATA)
}

/// Checks the name of an attribute; tells whether it is one of those that follow permissions.
fn attribute_name(c: &mut Call) -> Done<bool> {
    let name = c.guest.c_string(c.args[1], 256).map_err(|f| match f {
        crate::guest::Fault::Error(Errno::ENAMETOOLONG) => Errno::ERANGE.into(),
        other => Stop::from(other),
    })?;
    match name.split(|&b| b == b'.').next() {
        _ if name.is_empty() => error(Errno::ERANGE),
        Some(b"user") => Ok(true),
        Some(b"trusted" | b"security" | b"system") => Ok(false),
        _ => error(Errno::EOPNOTSUPP),
    }
}

pub(super) fn fgetxattr(c: &mut Call) -> Done {
    c.os.files.get(c.unsigned(0).into())?;
    attribute_name(c)?;
    error(Errno::ENODATA)
}

/// Attributes cannot be set.
pub(super) fn setxattr(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    c.resolve(AT_FDCWD, &path, true)?;
    error(Errno::EOPNOTSUPP)
}

pub(super) fn fsetxattr(c: &mut Call) -> Done {
    c.os.files.get(c.unsigned(0).into())?;
    error(Errno::EOPNOTSUPP)
}

pub(super) fn listxattr(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    c.resolve(AT_FDCWD, &path, true)?;
    Ok(0)
}

pub(super) fn llistxattr(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    c.resolve(AT_FDCWD, &path, false)?;
    Ok(0)
}

/// How many bytes wait to be read, for `FIONREAD`; less than none behind the end of a file.
pub(super) fn waiting(c: &mut Call, fd: u64) -> Done<u64> {
    let open = c.os.files.get(fd)?;
    let node = c.os.fs.node(open.node);
    match &node.kind {
        Kind::File(_) | Kind::HostFile(_) => Ok(c.size(open.node)?.wrapping_sub(open.offset)),
        Kind::Pipe(held) => Ok(held.len() as u64),
        Kind::Stream(s) => Ok(s.input.len() - s.taken),
        _ => error(Errno::ENOTTY),
    }
}
