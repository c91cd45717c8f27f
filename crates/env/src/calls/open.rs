//! Opening files and pipes.

use super::{AT_FDCWD, Call, error, unsupported};
use crate::data::Data;
use crate::errno::Errno;
use crate::files::*;
use crate::guest::{Done, Reply, Stop};
use crate::lookup::Missing;
use crate::node::{Device, Kind, NodeId, S_IFIFO, S_IFREG, S_IFSOCK, S_ISGID};
use crate::path::{Last, Walk};
use crate::process::{READ, WRITE};

pub(super) fn open(c: &mut Call) -> Done {
    let [path, flags, mode, ..] = c.args;
    open_path(c, AT_FDCWD, path, flags as u32, mode as u32)
}

pub(super) fn openat(c: &mut Call) -> Done {
    let [_, path, flags, mode, ..] = c.args;
    open_path(c, c.int(0), path, flags as u32, mode as u32)
}

pub(super) fn creat(c: &mut Call) -> Done {
    let [path, mode, ..] = c.args;
    open_path(c, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode as u32)
}

/// `openat2`, without the restrictions on resolution that it can ask for.
pub(super) fn openat2(c: &mut Call) -> Done {
    let [_, path, how, size, ..] = c.args;
    if size < 24 {
        return error(Errno::EINVAL);
    }
    let (flags, mode) = (c.load(how, 8)?, c.load(how + 8, 8)?);
    if c.load(how + 16, 8)? != 0 {
        return Err(Stop::End(Reply::Unsupported));
    }
    open_path(c, c.int(0), path, flags as u32, mode as u32)
}

fn open_path(c: &mut Call, fd: i32, path: u64, flags: u32, mode: u32) -> Done {
    let mut flags = flags | O_LARGEFILE;
    if flags & O_PATH != 0 {
        flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    }
    if flags & (O_CREAT | O_DIRECTORY) == O_CREAT | O_DIRECTORY {
        return error(Errno::EINVAL);
    }
    let missing = if flags & O_CREAT == 0 { Missing::Fails } else { Missing::IsMade };
    let path = c.path_at(fd, path, missing)?;
    if flags & O_TMPFILE != 0 {
        return error(if flags & O_DIRECTORY == 0 { Errno::EINVAL } else { Errno::EOPNOTSUPP });
    }
    let number = c.os.files.free(0, c.descriptor_limit())?;
    if path.is_empty() {
        return error(Errno::ENOENT);
    }
    let (node, created) = find(c, fd, &path, flags, mode)?;
    let node = if created { node } else { check(c, node, flags)? };
    let kept = flags & !(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
    c.os.files.install(number, Open::new(node, kept), flags & O_CLOEXEC != 0);
    Ok(number.into())
}

/// The node to open, made if need be.
fn find(c: &mut Call, fd: i32, path: &[u8], flags: u32, mode: u32) -> Done<(NodeId, bool)> {
    let start = c.start(fd, path)?;
    let no_follow = flags & O_NOFOLLOW != 0 || flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL;
    let mut walk = Walk::new(c.os);
    if flags & O_CREAT == 0 {
        return Ok((walk.resolve(start, path, !no_follow)?, false));
    }
    let mut place = walk.parent(start, path)?;
    loop {
        let Last::Name(name) = place.last.clone() else {
            return error(if flags & O_EXCL != 0 { Errno::EEXIST } else { Errno::EISDIR });
        };
        if place.slash {
            return error(Errno::EISDIR);
        }
        let Some(node) = walk.look_up(place.dir, &name)? else {
            return Ok((create(c, place.dir, &name, mode)?, true));
        };
        if flags & O_EXCL != 0 {
            return error(Errno::EEXIST);
        }
        match walk.follow(&place, node) {
            _ if no_follow => return Ok((node, false)),
            Ok(Some(next)) => place = next,
            Ok(None) => return Ok((node, false)),
            Err(e) => return error(e),
        }
    }
}

fn create(c: &mut Call, dir: NodeId, name: &[u8], mode: u32) -> Done<NodeId> {
    may_create(c, dir)?;
    let mode = S_IFREG | mode & 0o7777 & !c.os.process.umask;
    Ok(make(c, dir, name, mode, Kind::File(Data::default())))
}

/// Whether a name may be added to a directory.
pub(super) fn may_create(c: &mut Call, dir: NodeId) -> Done<()> {
    if c.os.fs.is_dead(dir) || c.os.fs.node(dir).dir().is_none() {
        return error(Errno::ENOENT);
    }
    c.permit(dir, WRITE | crate::process::EXECUTE)
}

/// Makes a node; a set-group-id directory hands its group on.
pub(super) fn make(c: &mut Call, dir: NodeId, name: &[u8], mode: u32, kind: Kind) -> NodeId {
    let mut birth = c.os.birth();
    let parent = c.os.fs.node(dir);
    let mut mode = mode;
    if parent.meta.mode & S_ISGID != 0 {
        birth.gid = parent.meta.gid;
        if matches!(kind, Kind::Dir(_)) {
            mode |= S_ISGID;
        }
    }
    c.os.fs.create(dir, name, mode, birth, kind)
}

/// Whether an existing node may be opened so; gives the node that is really opened.
fn check(c: &mut Call, id: NodeId, flags: u32) -> Done<NodeId> {
    let node = c.os.fs.node(id);
    if flags & O_DIRECTORY != 0 && !node.is_dir() {
        return error(Errno::ENOTDIR);
    }
    if flags & O_PATH != 0 {
        return Ok(id);
    }
    let (reads, writes) = match flags & O_ACCMODE {
        0 => (true, false),
        O_WRONLY => (false, true),
        _ => (true, true),
    };
    let writes = writes || flags & O_TRUNC != 0;
    match &node.kind {
        Kind::Link(_) => return error(Errno::ELOOP),
        Kind::Device(Device::Descriptors) | Kind::Dir(_) if writes || flags & O_CREAT != 0 => {
            return error(Errno::EISDIR);
        }
        Kind::Device(Device::Foreign) if node.meta.kind() == S_IFSOCK => return error(Errno::ENXIO),
        _ => {}
    }
    c.permit(id, if reads { READ } else { 0 } | if writes { WRITE } else { 0 })?;
    if flags & O_NOATIME != 0 && !c.os.process.ids.is_root() && c.os.process.ids.user[1] != node.meta.uid {
        return error(Errno::EPERM);
    }
    match &node.kind {
        Kind::Device(Device::Tty) => terminal(c),
        // What a device or a pipe of the host would do is not known here, and it may be anything.
        Kind::Device(Device::Foreign) => unsupported(c).map(|_| id),
        Kind::File(_) | Kind::HostFile(_) if flags & O_TRUNC != 0 => {
            c.os.fs.edit_data(id)?.resize(0);
            c.os.fs.edit(id).meta.size_known();
            super::io::changed(c, id);
            Ok(id)
        }
        _ => Ok(id),
    }
}

/// `/dev/tty`: the terminal among the standard streams, if there is one.
fn terminal(c: &Call) -> Done<NodeId> {
    let is_terminal = |id: &&NodeId| matches!(&c.os.fs.node(**id).kind, Kind::Stream(s) if s.terminal);
    c.os.standard.iter().find(is_terminal).copied().ok_or(Errno::ENXIO.into())
}

pub(super) fn pipe(c: &mut Call) -> Done {
    c.args[1] = 0;
    pipe2(c)
}

pub(super) fn pipe2(c: &mut Call) -> Done {
    let flags = c.unsigned(1);
    if flags & !(O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0 {
        return error(Errno::EINVAL);
    }
    let limit = c.descriptor_limit();
    let first = c.os.files.free(0, limit)?;
    let second = c.os.files.free(u64::from(first) + 1, limit)?;
    let numbers = [first.to_le_bytes(), second.to_le_bytes()].concat();
    c.store(c.args[0], &numbers.into())?;
    let birth = c.os.birth();
    let node = c.os.fs.add(S_IFIFO | 0o600, birth, Kind::Pipe(Default::default()));
    c.os.fs.edit(node).meta.nlink = 1;
    for (fd, access) in [(first, 0), (second, O_WRONLY)] {
        let open = Open::new(node, access | flags & (O_NONBLOCK | O_DIRECT));
        c.os.files.install(fd, open, flags & O_CLOEXEC != 0);
    }
    Ok(0)
}
