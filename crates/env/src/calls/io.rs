//! Reading, writing, seeking, truncating.

use super::descriptors::PIPE_SIZE;
use super::{Call, error};
use crate::bytes::Bytes;
use crate::data::MAX_FILE;
use crate::errno::Errno;
use crate::files::{O_APPEND, Open};
use crate::fs::touch;
use crate::guest::{Done, Fallible, Reply, Stop};
use crate::node::{Device, Kind, NodeId, S_ISGID, S_ISUID};
use crate::process::WRITE;

/// The most bytes one call moves.
const MAX_COUNT: u64 = 0x7fff_f000;
/// The most bytes that one read from an endless device gives.
const MAX_ENDLESS: u64 = 1 << 20;
const PIPE_BUF: u64 = 4096;
const SIGPIPE: u32 = 13;

pub(super) fn read(c: &mut Call) -> Done {
    let [_, buffer, len, ..] = c.args;
    read_into(c, &[(buffer, len)], None)
}

pub(super) fn pread(c: &mut Call) -> Done {
    let [_, buffer, len, offset, ..] = c.args;
    read_into(c, &[(buffer, len)], Some(offset))
}

pub(super) fn readv(c: &mut Call) -> Done {
    read_open(c)?;
    let parts = vector(c)?;
    if total(&parts) == 0 {
        return Ok(0);
    }
    read_into(c, &parts, None)
}

pub(super) fn preadv(c: &mut Call) -> Done {
    check_position(c, Some(c.args[3]))?;
    read_open(c)?;
    let parts = vector(c)?;
    if total(&parts) == 0 {
        return Ok(0);
    }
    read_into(c, &parts, Some(c.args[3]))
}

pub(super) fn write(c: &mut Call) -> Done {
    let [_, buffer, len, ..] = c.args;
    write_from(c, &[(buffer, len)], None)
}

pub(super) fn pwrite(c: &mut Call) -> Done {
    let [_, buffer, len, offset, ..] = c.args;
    write_from(c, &[(buffer, len)], Some(offset))
}

pub(super) fn writev(c: &mut Call) -> Done {
    write_open(c)?;
    let parts = vector(c)?;
    if total(&parts) == 0 {
        return Ok(0);
    }
    write_from(c, &parts, None)
}

pub(super) fn pwritev(c: &mut Call) -> Done {
    check_position(c, Some(c.args[3]))?;
    write_open(c)?;
    let parts = vector(c)?;
    if total(&parts) == 0 {
        return Ok(0);
    }
    write_from(c, &parts, Some(c.args[3]))
}

fn read_open(c: &Call) -> Done<Open> {
    let open = c.os.files.get(c.unsigned(0).into())?;
    if open.readable() { Ok(open) } else { error(Errno::EBADF) }
}

fn write_open(c: &Call) -> Done<Open> {
    let open = c.os.files.get(c.unsigned(0).into())?;
    if open.writable() { Ok(open) } else { error(Errno::EBADF) }
}

/// The parts of an `iovec` array given as second and third argument.
fn vector(c: &mut Call) -> Done<Vec<(u64, u64)>> {
    let [_, list, count, ..] = c.args;
    if count > 1024 {
        return error(Errno::EINVAL);
    }
    let mut parts = Vec::new();
    let mut total = 0;
    for i in 0..count {
        let base = c.load(list + 16 * i, 8)?;
        let len = c.load(list + 16 * i + 8, 8)?;
        if (len as i64) < 0 {
            return error(Errno::EINVAL);
        }
        let len = len.min(MAX_COUNT - total);
        total += len;
        parts.push((base, len));
    }
    Ok(parts)
}

fn total(parts: &[(u64, u64)]) -> u64 {
    parts.iter().fold(0u64, |sum, p| sum.saturating_add(p.1)).min(MAX_COUNT)
}

fn read_into(c: &mut Call, parts: &[(u64, u64)], at: Option<u64>) -> Done {
    let open = check_position(c, at)?;
    if !open.readable() {
        return error(Errno::EBADF);
    }
    check_range(c, open, at, parts)?;
    if c.fails(Fallible::Read)? {
        return error(Errno::EIO);
    }
    let bytes = take(c, open, at.unwrap_or(open.offset), total(parts))?;
    let mut done = 0;
    for &(buffer, len) in parts {
        let end = bytes.len().min(done + len as usize);
        if done < end {
            c.store(buffer, &bytes.slice(done, end))?;
        }
        done = end;
    }
    if at.is_none() && c.os.fs.node(open.node).has_position() {
        advance(c, bytes.len() as u64)?;
    }
    Ok(bytes.len() as i64)
}

/// The open file; with an explicit position, one that has positions.
fn check_position(c: &Call, at: Option<u64>) -> Done<Open> {
    if at.is_some_and(|at| (at as i64) < 0) {
        return error(Errno::EINVAL);
    }
    let open = c.os.files.get(c.unsigned(0).into())?;
    if at.is_some() && !c.os.fs.node(open.node).has_position() {
        return error(Errno::ESPIPE);
    }
    Ok(open)
}

/// Whether all positions that would be touched are numbers that the kernel can count.
fn check_range(c: &Call, open: Open, at: Option<u64>, parts: &[(u64, u64)]) -> Done<()> {
    let start = match c.os.fs.node(open.node).has_position() {
        true => at.unwrap_or(open.offset),
        false => 0,
    };
    let end = parts.iter().try_fold(start, |end, p| end.checked_add(p.1));
    if end.is_some_and(|end| end <= i64::MAX as u64) { Ok(()) } else { error(Errno::EINVAL) }
}

fn advance(c: &mut Call, by: u64) -> Done<()> {
    c.os.files.edit(c.unsigned(0).into())?.offset += by;
    Ok(())
}

/// Up to `len` bytes from a node; from a channel they are gone then.
fn take(c: &mut Call, open: Open, offset: u64, len: u64) -> Done<Bytes> {
    let node = c.os.fs.node(open.node);
    match &node.kind {
        Kind::File(_) | Kind::HostFile(_) => c.content(open.node, offset, len),
        Kind::Dir(_) | Kind::Device(Device::Descriptors) => error(Errno::EISDIR),
        Kind::Link(_) => error(Errno::EBADF),
        Kind::Pipe(held) => {
            if held.is_empty() && len > 0 {
                return if c.os.files.on(open.node).iter().any(|o| o.writable()) {
                    wait(open)
                } else {
                    Ok(Bytes::default())
                };
            }
            let count = held.len().min(len as usize);
            let (bytes, rest) = (held.slice(0, count), held.slice(count, held.len()));
            c.os.fs.edit(open.node).kind = Kind::Pipe(rest);
            Ok(bytes)
        }
        Kind::Stream(stream) => {
            let bytes = stream.input.read(stream.taken, len);
            if let Kind::Stream(stream) = &mut c.os.fs.edit(open.node).kind {
                stream.taken += bytes.len() as u64;
            }
            Ok(bytes)
        }
        Kind::Device(Device::Null) => Ok(Bytes::default()),
        Kind::Device(Device::Zero | Device::Full) => Ok(Bytes::zeros(len.min(MAX_ENDLESS) as usize)),
        Kind::Device(Device::Random) => Ok(c.os.random_bytes(len.min(MAX_ENDLESS)).into()),
        Kind::Device(Device::Tty | Device::Foreign) => error(Errno::EIO),
    }
}

/// Nothing is there yet, and nobody but the program itself could bring it.
fn wait<T>(open: Open) -> Done<T> {
    if open.nonblocking() { error(Errno::EAGAIN) } else { Err(Stop::End(Reply::Blocked)) }
}

fn write_from(c: &mut Call, parts: &[(u64, u64)], at: Option<u64>) -> Done {
    let open = check_position(c, at)?;
    if !open.writable() {
        return error(Errno::EBADF);
    }
    check_range(c, open, at, parts)?;
    if c.fails(Fallible::Write)? {
        return error(Errno::EIO);
    }
    if total(parts) > 0 && matches!(c.os.fs.node(open.node).kind, Kind::Pipe(_)) {
        check_readers(c, open.node)?;
    }
    let mut bytes = Bytes::default();
    let mut left = total(parts);
    for &(buffer, len) in parts {
        let len = len.min(left);
        left -= len;
        if len > 0 {
            bytes.append(&c.guest.read(buffer, len)?);
        }
    }
    let node = c.os.fs.node(open.node);
    let offset = match at {
        _ if open.flags & O_APPEND != 0 => c.size(open.node)?,
        Some(at) => at,
        None => open.offset,
    };
    let count = put(c, open, offset, &bytes)?;
    if at.is_none() && node.has_position() && count > 0 {
        c.os.files.edit(c.unsigned(0).into())?.offset = offset + count;
    }
    Ok(count as i64)
}

/// Writes to a node; tells how many bytes it took.
fn put(c: &mut Call, open: Open, offset: u64, bytes: &Bytes) -> Done<u64> {
    let len = bytes.len() as u64;
    match &c.os.fs.node(open.node).kind {
        Kind::File(_) | Kind::HostFile(_) => put_in_file(c, open.node, offset, bytes),
        Kind::Pipe(held) => {
            let space = PIPE_SIZE - held.len() as u64;
            put_in_pipe(c, open, space, bytes)
        }
        Kind::Stream(_) => {
            if let Kind::Stream(stream) = &mut c.os.fs.edit(open.node).kind {
                stream.output.push(bytes.clone());
            }
            Ok(len)
        }
        Kind::Device(Device::Full) if len > 0 => error(Errno::ENOSPC),
        Kind::Device(_) => Ok(len),
        Kind::Dir(_) | Kind::Link(_) => error(Errno::EBADF),
    }
}

fn put_in_file(c: &mut Call, node: NodeId, offset: u64, bytes: &Bytes) -> Done<u64> {
    if bytes.is_empty() {
        return Ok(0);
    }
    if offset >= MAX_FILE {
        return error(Errno::EFBIG);
    }
    let count = (bytes.len() as u64).min(MAX_FILE - offset);
    c.settle(node)?;
    let data = c.os.fs.edit_data(node)?;
    if count == bytes.len() as u64 {
        data.write(offset, bytes);
    } else {
        data.write(offset, &bytes.slice(0, count as usize));
    }
    changed(c, node);
    Ok(count)
}

/// A file's content changed: times, and the set-id bits that only the superuser's writing keeps.
pub(super) fn changed(c: &mut Call, node: NodeId) {
    let (now, root) = (c.os.now(), c.os.process.ids.is_root());
    let meta = &mut c.os.fs.edit(node).meta;
    touch(meta, now);
    if !root {
        meta.mode &= !(S_ISUID | if meta.mode & 0o010 != 0 { S_ISGID } else { 0 });
    }
}

/// A pipe that nobody reads from is broken.
fn check_readers(c: &mut Call, pipe: NodeId) -> Done<()> {
    if c.os.files.on(pipe).iter().any(|o| o.readable()) {
        return Ok(());
    }
    c.os.raise(SIGPIPE);
    error(Errno::EPIPE)
}

fn put_in_pipe(c: &mut Call, open: Open, space: u64, bytes: &Bytes) -> Done<u64> {
    let len = bytes.len() as u64;
    if len == 0 {
        return Ok(0);
    }
    if len > space && (!open.nonblocking() || len <= PIPE_BUF || space == 0) {
        return wait(open);
    }
    let count = len.min(space);
    if let Kind::Pipe(held) = &mut c.os.fs.edit(open.node).kind {
        held.append(&bytes.slice(0, count as usize));
    }
    Ok(count)
}

pub(super) fn lseek(c: &mut Call) -> Done {
    let (fd, by, whence) = (u64::from(c.unsigned(0)), c.args[1] as i64, c.unsigned(2));
    let open = c.os.files.get(fd)?;
    if whence > 4 {
        return error(Errno::EINVAL);
    }
    let node = c.os.fs.node(open.node);
    if !node.has_position() {
        return error(Errno::ESPIPE);
    }
    if let Kind::Device(Device::Null | Device::Zero | Device::Full) = node.kind {
        c.os.files.edit(fd)?.offset = 0;
        return Ok(0);
    }
    let size = if whence < 2 { 0 } else { c.size(open.node)? as i64 };
    let to = match whence {
        0 => Some(by),
        1 => (open.offset as i64).checked_add(by),
        2 => size.checked_add(by),
        // SEEK_DATA, SEEK_HOLE: a file is all data.
        _ if !node.is_file() => return error(Errno::EINVAL),
        _ if by < 0 || by >= size => return error(Errno::ENXIO),
        3 => Some(by),
        _ => Some(size),
    };
    match to {
        Some(to) if to >= 0 && (to as u64 <= MAX_FILE || !node.is_file()) => {
            c.os.files.edit(fd)?.offset = to as u64;
            Ok(to)
        }
        _ => error(Errno::EINVAL),
    }
}

pub(super) fn ftruncate(c: &mut Call) -> Done {
    let len = c.args[1];
    if (len as i64) < 0 {
        return error(Errno::EINVAL);
    }
    let open = c.os.files.get(c.unsigned(0).into())?;
    if c.fails(Fallible::Ftruncate)? {
        return error(Errno::EIO);
    }
    if !c.os.fs.node(open.node).is_file() || !open.writable() {
        return error(Errno::EINVAL);
    }
    resize(c, open.node, len)
}

pub(super) fn truncate(c: &mut Call) -> Done {
    let [path, len, ..] = c.args;
    if (len as i64) < 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(super::AT_FDCWD, path, crate::lookup::Missing::Fails)?;
    let id = c.resolve(super::AT_FDCWD, &path, true)?;
    let node = c.os.fs.node(id);
    if node.is_dir() {
        return error(Errno::EISDIR);
    }
    if !node.is_file() {
        return error(Errno::EINVAL);
    }
    c.permit(id, WRITE)?;
    resize(c, id, len)
}

fn resize(c: &mut Call, node: NodeId, len: u64) -> Done {
    if len > MAX_FILE {
        return error(Errno::EFBIG);
    }
    if len > 0 {
        c.settle(node)?;
    }
    c.os.fs.edit_data(node)?.resize(len);
    c.os.fs.edit(node).meta.size_known();
    changed(c, node);
    Ok(0)
}

/// `fallocate`: room is always there; holes can be made, nothing can be shifted.
pub(super) fn fallocate(c: &mut Call) -> Done {
    const KEEP_SIZE: u32 = 1;
    const PUNCH_HOLE: u32 = 2;
    const ZERO_RANGE: u32 = 16;
    let (mode, offset, len) = (c.unsigned(1), c.args[2], c.args[3]);
    let open = c.os.files.get(c.unsigned(0).into())?;
    if (offset as i64) < 0 || (len as i64) <= 0 {
        return error(Errno::EINVAL);
    }
    if mode & !(KEEP_SIZE | PUNCH_HOLE | ZERO_RANGE) != 0 {
        return error(Errno::EOPNOTSUPP);
    }
    if !open.writable() {
        return error(Errno::EBADF);
    }
    let node = c.os.fs.node(open.node);
    match &node.kind {
        Kind::Dir(_) => return error(Errno::EISDIR),
        Kind::Pipe(_) => return error(Errno::ESPIPE),
        Kind::File(_) | Kind::HostFile(_) => {}
        _ => return error(Errno::ENODEV),
    }
    let end = offset.saturating_add(len);
    if end > MAX_FILE {
        return error(Errno::EFBIG);
    }
    c.settle(open.node)?;
    let size = c.os.fs.node(open.node).size();
    let data = c.os.fs.edit_data(open.node)?;
    if mode & (PUNCH_HOLE | ZERO_RANGE) != 0 && offset < size {
        data.write(offset, &Bytes::zeros((end.min(size) - offset) as usize));
    }
    if mode & KEEP_SIZE == 0 && end > size {
        data.resize(end);
    }
    changed(c, open.node);
    Ok(0)
}

/// `sendfile`: from a file to anything.
pub(super) fn sendfile(c: &mut Call) -> Done {
    let (sink, source) = (u64::from(c.unsigned(0)), u64::from(c.unsigned(1)));
    let [_, _, pointer, count, ..] = c.args;
    let open = c.os.files.get(source)?;
    if !open.readable() {
        return error(Errno::EBADF);
    }
    let at = if pointer == 0 { open.offset } else { c.load(pointer, 8)? };
    let seekable = c.os.fs.node(open.node).has_position();
    if pointer != 0 && !seekable {
        return error(Errno::ESPIPE);
    }
    if at.checked_add(count).is_none_or(|end| end > i64::MAX as u64) {
        return error(Errno::EINVAL);
    }
    let target = c.os.files.get(sink)?;
    if !target.writable() {
        return error(Errno::EBADF);
    }
    if at + count > MAX_FILE && at >= MAX_FILE {
        return error(Errno::EOVERFLOW);
    }
    if matches!(c.os.fs.node(target.node).kind, Kind::Pipe(_)) {
        check_readers(c, target.node)?;
    } else if target.flags & O_APPEND != 0 || !seekable {
        return error(Errno::EINVAL);
    }
    if count > 0 && !c.os.fs.node(open.node).is_file() {
        return error(Errno::EINVAL);
    }
    let sent = send(c, open.node, at, target, count.min(MAX_COUNT))?;
    if c.os.fs.node(target.node).has_position() {
        c.os.files.edit(sink)?.offset = target.offset + sent;
    }
    match pointer {
        0 if seekable => c.os.files.edit(source)?.offset = at + sent,
        0 => {}
        _ => c.store_number(pointer, 8, at + sent)?,
    }
    Ok(sent as i64)
}

/// Copies up to `count` bytes; what is written to the very same file is read again.
fn send(c: &mut Call, source: NodeId, at: u64, target: Open, count: u64) -> Done<u64> {
    let mut sent = 0;
    while sent < count {
        let bytes = c.content(source, at + sent, count - sent)?;
        if bytes.is_empty() {
            break;
        }
        let taken = put(c, target, target.offset + sent, &bytes)?;
        sent += taken;
        if taken < bytes.len() as u64 || !c.os.fs.node(target.node).is_file() {
            break;
        }
    }
    Ok(sent)
}

/// `copy_file_range`: between regular files.
pub(super) fn copy_file_range(c: &mut Call) -> Done {
    let [_, in_at, _, out_at, count, flags] = c.args;
    let (source, sink) = (u64::from(c.unsigned(0)), u64::from(c.unsigned(2)));
    let (from, to) = (c.os.files.get(source)?, c.os.files.get(sink)?);
    let read_at = if in_at == 0 { from.offset } else { c.load(in_at, 8)? };
    let write_at = if out_at == 0 { to.offset } else { c.load(out_at, 8)? };
    if flags != 0 {
        return error(Errno::EINVAL);
    }
    let (a, b) = (c.os.fs.node(from.node), c.os.fs.node(to.node));
    if a.is_dir() || b.is_dir() {
        return error(Errno::EISDIR);
    }
    if !a.is_file() || !b.is_file() {
        return error(Errno::EINVAL);
    }
    if !from.readable() || !to.writable() || to.flags & O_APPEND != 0 {
        return error(Errno::EBADF);
    }
    if (read_at as i64) < 0 || (write_at as i64) < 0 {
        return error(Errno::EINVAL);
    }
    if write_at >= MAX_FILE {
        return error(Errno::EFBIG);
    }
    let count = count.min(MAX_COUNT).min(c.size(from.node)?.saturating_sub(read_at));
    if from.node == to.node && read_at < write_at + count && write_at < read_at + count {
        return error(Errno::EINVAL);
    }
    let bytes = c.os.fs.data(from.node)?.read(read_at, count);
    let copied = put_in_file(c, to.node, write_at, &bytes)?;
    for (fd, pointer, at) in [(source, in_at, read_at), (sink, out_at, write_at)] {
        match pointer {
            0 => c.os.files.edit(fd)?.offset = at + copied,
            _ => c.store_number(pointer, 8, at + copied)?,
        }
    }
    Ok(copied as i64)
}
