//! Names: making, removing, renaming, linking and listing them.

use super::open::{make, may_create};
use super::*;
use crate::fs::empty_dir;
use crate::node::{Kind, Name, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, S_ISGID, S_ISUID, S_ISVTX};
use crate::path::{Last, Place};
use crate::process::{EXECUTE, READ, WRITE};
use crate::record::Record;

/// Where a new name goes; fails if it is taken. `slash`: slashes may follow it.
fn new_place(c: &mut Call, fd: i32, path: &[u8], slash: bool) -> Done<(NodeId, Name)> {
    if path.is_empty() {
        return error(Errno::ENOENT);
    }
    let start = c.start(fd, path)?;
    let mut walk = Walk::new(c.os);
    let place = walk.parent(start, path)?;
    let Last::Name(name) = place.last else { return error(Errno::EEXIST) };
    if walk.look_up(place.dir, &name)?.is_some() {
        return error(Errno::EEXIST);
    }
    if place.slash && !slash {
        return error(Errno::ENOENT);
    }
    Ok((place.dir, name))
}

pub(super) fn mkdir(c: &mut Call) -> Done {
    let [path, mode, ..] = c.args;
    make_dir(c, AT_FDCWD, path, mode as u32)
}

pub(super) fn mkdirat(c: &mut Call) -> Done {
    let [_, path, mode, ..] = c.args;
    make_dir(c, c.int(0), path, mode as u32)
}

fn make_dir(c: &mut Call, fd: i32, path: u64, mode: u32) -> Done {
    let path = c.path_at(fd, path, Missing::IsMade)?;
    let (dir, name) = new_place(c, fd, &path, true)?;
    may_create(c, dir)?;
    let mode = S_IFDIR | mode & (0o777 | S_ISVTX) & !c.os.process.umask;
    make(c, dir, &name, mode, Kind::Dir(empty_dir(dir)));
    Ok(0)
}

pub(super) fn mknod(c: &mut Call) -> Done {
    let [path, mode, ..] = c.args;
    make_node(c, AT_FDCWD, path, mode as u32)
}

pub(super) fn mknodat(c: &mut Call) -> Done {
    let [_, path, mode, ..] = c.args;
    make_node(c, c.int(0), path, mode as u32)
}

/// Regular files only.
fn make_node(c: &mut Call, fd: i32, path: u64, mode: u32) -> Done {
    if !matches!(mode & S_IFMT, 0 | S_IFREG) {
        return unsupported(c);
    }
    let path = c.path_at(fd, path, Missing::IsMade)?;
    let (dir, name) = new_place(c, fd, &path, false)?;
    may_create(c, dir)?;
    let mode = S_IFREG | mode & 0o7777 & !c.os.process.umask;
    make(c, dir, &name, mode, Kind::File(Default::default()));
    Ok(0)
}

pub(super) fn symlink(c: &mut Call) -> Done {
    let [target, path, ..] = c.args;
    make_link(c, target, AT_FDCWD, path)
}

pub(super) fn symlinkat(c: &mut Call) -> Done {
    let [target, _, path, ..] = c.args;
    make_link(c, target, c.int(1), path)
}

fn make_link(c: &mut Call, target: u64, fd: i32, path: u64) -> Done {
    let target = c.path(target)?;
    if target.is_empty() {
        return error(Errno::ENOENT);
    }
    let path = c.path_at(fd, path, Missing::IsMade)?;
    let (dir, name) = new_place(c, fd, &path, false)?;
    may_create(c, dir)?;
    make(c, dir, &name, S_IFLNK | 0o777, Kind::Link(target.into()));
    Ok(0)
}

pub(super) fn link(c: &mut Call) -> Done {
    let [old, new, ..] = c.args;
    add_name(c, (AT_FDCWD, old), (AT_FDCWD, new), 0)
}

pub(super) fn linkat(c: &mut Call) -> Done {
    let [_, old, _, new, flags, _] = c.args;
    add_name(c, (c.int(0), old), (c.int(2), new), flags as u32)
}

fn add_name(c: &mut Call, old: (i32, u64), new: (i32, u64), flags: u32) -> Done {
    if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(old.0, old.1, Missing::Fails)?;
    let node = c.resolve_or_self(old.0, &path, flags & AT_SYMLINK_FOLLOW != 0, flags)?;
    let path = c.path_at(new.0, new.1, Missing::IsMade)?;
    let (dir, name) = new_place(c, new.0, &path, false)?;
    may_link(c, node)?;
    may_create(c, dir)?;
    if c.os.fs.node(node).is_dir() {
        return error(Errno::EPERM);
    }
    if c.os.fs.node(node).meta.nlink == 0 {
        return error(Errno::ENOENT);
    }
    let now = c.os.now();
    c.os.fs.enter(dir, &name, node, now);
    c.os.fs.count_links(node, 1, now);
    Ok(0)
}

/// As systems protect links today: only to one's own files, and harmless ones one may write to.
fn may_link(c: &mut Call, id: NodeId) -> Done<()> {
    let node = c.os.fs.node(id);
    let ids = &c.os.process.ids;
    if ids.is_root() || ids.user[1] == node.meta.uid {
        return Ok(());
    }
    let mode = c.mode(&node)?;
    let privileged = mode & S_ISUID != 0 || mode & S_ISGID != 0 && mode & 0o010 != 0;
    if !node.is_file() || privileged {
        return error(Errno::EPERM);
    }
    c.permit(id, READ | WRITE).map_err(|stop| match stop {
        Stop::Error(_) => Errno::EPERM.into(),
        other => other,
    })
}

pub(super) fn unlink(c: &mut Call) -> Done {
    remove_file(c, AT_FDCWD, c.args[0])
}

pub(super) fn rmdir(c: &mut Call) -> Done {
    remove_dir(c, AT_FDCWD, c.args[0])
}

pub(super) fn unlinkat(c: &mut Call) -> Done {
    match c.unsigned(2) {
        0 => remove_file(c, c.int(0), c.args[1]),
        AT_REMOVEDIR => remove_dir(c, c.int(0), c.args[1]),
        _ => error(Errno::EINVAL),
    }
}

fn existing_place(c: &mut Call, fd: i32, path: u64, missing: Missing) -> Done<Place> {
    let path = c.path_at(fd, path, missing)?;
    if path.is_empty() {
        return error(Errno::ENOENT);
    }
    let start = c.start(fd, &path)?;
    Ok(Walk::new(c.os).parent(start, &path)?)
}

fn look_up(c: &Call, dir: NodeId, name: &[u8]) -> Done<NodeId> {
    Ok(Walk::new(c.os).look_up(dir, name)?.ok_or(Errno::ENOENT)?)
}

fn remove_file(c: &mut Call, fd: i32, path: u64) -> Done {
    let place = existing_place(c, fd, path, Missing::Fails)?;
    let Last::Name(name) = place.last else { return error(Errno::EISDIR) };
    let node = look_up(c, place.dir, &name)?;
    let is_dir = c.os.fs.node(node).is_dir();
    if place.slash {
        return error(if is_dir { Errno::EISDIR } else { Errno::ENOTDIR });
    }
    may_delete(c, place.dir, node)?;
    if is_dir {
        return error(Errno::EISDIR);
    }
    drop_name(c, place.dir, &name, node);
    Ok(0)
}

fn drop_name(c: &mut Call, dir: NodeId, name: &[u8], node: NodeId) {
    let now = c.os.now();
    c.os.fs.remove(dir, name, now);
    c.os.fs.count_links(node, -1, now);
    c.os.collect(node);
}

fn remove_dir(c: &mut Call, fd: i32, path: u64) -> Done {
    let place = existing_place(c, fd, path, Missing::Fails)?;
    let name = match place.last {
        Last::Name(name) => name,
        Last::Dot => return error(Errno::EINVAL),
        Last::DotDot => return error(Errno::ENOTEMPTY),
        Last::Root => return error(Errno::EBUSY),
    };
    let node = look_up(c, place.dir, &name)?;
    may_delete(c, place.dir, node)?;
    if !c.os.fs.node(node).is_dir() {
        return error(Errno::ENOTDIR);
    }
    drop_dir(c, place.dir, &name, node)
}

fn drop_dir(c: &mut Call, dir: NodeId, name: &[u8], node: NodeId) -> Done {
    match c.os.fs.node(node).dir() {
        Some(d) if d.entries.is_empty() => {}
        Some(_) => return error(Errno::ENOTEMPTY),
        None => return error(Errno::EBUSY),
    }
    let now = c.os.now();
    c.os.fs.remove(dir, name, now);
    c.os.fs.edit(node).meta.nlink = 0;
    c.os.collect(node);
    Ok(0)
}

/// Whether a name may be taken out of a directory.
fn may_delete(c: &mut Call, dir: NodeId, node: NodeId) -> Done<()> {
    c.permit(dir, WRITE | EXECUTE)?;
    let (dir, node) = (c.os.fs.node(dir), c.os.fs.node(node));
    let ids = &c.os.process.ids;
    let sticky = dir.meta.mode & S_ISVTX != 0 && !ids.is_root();
    if sticky && ![dir.meta.uid, node.meta.uid].contains(&ids.user[1]) {
        return error(Errno::EPERM);
    }
    Ok(())
}

pub(super) fn rename(c: &mut Call) -> Done {
    let [old, new, ..] = c.args;
    move_name(c, (AT_FDCWD, old), (AT_FDCWD, new), 0)
}

pub(super) fn renameat(c: &mut Call) -> Done {
    let [_, old, _, new, ..] = c.args;
    move_name(c, (c.int(0), old), (c.int(2), new), 0)
}

pub(super) fn renameat2(c: &mut Call) -> Done {
    let [_, old, _, new, flags, _] = c.args;
    move_name(c, (c.int(0), old), (c.int(2), new), flags as u32)
}

const NOREPLACE: u32 = 1;
const EXCHANGE: u32 = 2;

fn move_name(c: &mut Call, old: (i32, u64), new: (i32, u64), flags: u32) -> Done {
    if flags & !(NOREPLACE | EXCHANGE) != 0 || flags == NOREPLACE | EXCHANGE {
        return error(Errno::EINVAL);
    }
    let old = existing_place(c, old.0, old.1, Missing::IsMade)?;
    let new = existing_place(c, new.0, new.1, Missing::IsMade)?;
    let Last::Name(old_name) = &old.last else { return error(Errno::EBUSY) };
    let Last::Name(new_name) = &new.last else {
        return error(if flags & NOREPLACE != 0 { Errno::EEXIST } else { Errno::EBUSY });
    };
    let source = look_up(c, old.dir, old_name)?;
    let target = Walk::new(c.os).look_up(new.dir, new_name)?;
    let is_dir = c.os.fs.node(source).is_dir();
    if flags & NOREPLACE != 0 && target.is_some() {
        return error(Errno::EEXIST);
    }
    if flags & EXCHANGE != 0 {
        let Some(target) = target else { return error(Errno::ENOENT) };
        if new.slash && !c.os.fs.node(target).is_dir() {
            return error(Errno::ENOTDIR);
        }
    }
    if !is_dir && (old.slash || new.slash && flags & EXCHANGE == 0) {
        return error(Errno::ENOTDIR);
    }
    if is_dir && c.os.fs.is_ancestor(source, new.dir) {
        return error(Errno::EINVAL);
    }
    if target.is_some_and(|t| c.os.fs.node(t).is_dir() && c.os.fs.is_ancestor(t, old.dir)) {
        return error(if flags & EXCHANGE != 0 { Errno::EINVAL } else { Errno::ENOTEMPTY });
    }
    if target == Some(source) {
        return Ok(0);
    }
    may_delete(c, old.dir, source)?;
    match target {
        None => may_create(c, new.dir)?,
        Some(target) => {
            may_delete(c, new.dir, target)?;
            let target_is_dir = c.os.fs.node(target).is_dir();
            if flags & EXCHANGE == 0 && is_dir != target_is_dir {
                return error(if is_dir { Errno::ENOTDIR } else { Errno::EISDIR });
            }
        }
    }
    if is_dir && old.dir != new.dir {
        c.permit(source, WRITE)?;
    }
    let places = ((old.dir, old_name), (new.dir, new_name));
    match target {
        Some(target) if flags & EXCHANGE != 0 => exchange(c, places.0, places.1, source, target),
        target => replace(c, places.0, places.1, source, target),
    }
}

type Named<'a> = (NodeId, &'a Name);

fn replace(c: &mut Call, old: Named, new: Named, source: NodeId, target: Option<NodeId>) -> Done {
    if let Some(target) = target {
        if c.os.fs.node(target).is_dir() {
            drop_dir(c, new.0, new.1, target)?;
        } else {
            drop_name(c, new.0, new.1, target);
        }
    }
    let now = c.os.now();
    c.os.fs.remove(old.0, old.1, now);
    c.os.fs.enter(new.0, new.1, source, now);
    c.os.fs.count_links(source, 0, now);
    Ok(0)
}

fn exchange(c: &mut Call, old: Named, new: Named, source: NodeId, target: NodeId) -> Done {
    let now = c.os.now();
    c.os.fs.remove(old.0, old.1, now);
    c.os.fs.remove(new.0, new.1, now);
    c.os.fs.enter(old.0, old.1, target, now);
    c.os.fs.enter(new.0, new.1, source, now);
    c.os.fs.count_links(source, 0, now);
    c.os.fs.count_links(target, 0, now);
    Ok(0)
}

pub(super) fn readlink(c: &mut Call) -> Done {
    let [path, buffer, len, ..] = c.args;
    read_link(c, AT_FDCWD, path, buffer, len as i32)
}

pub(super) fn readlinkat(c: &mut Call) -> Done {
    let [_, path, buffer, len, ..] = c.args;
    read_link(c, c.int(0), path, buffer, len as i32)
}

fn read_link(c: &mut Call, fd: i32, path: u64, buffer: u64, len: i32) -> Done {
    if len <= 0 {
        return error(Errno::EINVAL);
    }
    let path = c.path_at(fd, path, Missing::Fails)?;
    // An empty path names the link that the descriptor itself was opened on.
    let empty_ok = if fd == AT_FDCWD { 0 } else { AT_EMPTY_PATH };
    let node = c.resolve_or_self(fd, &path, false, empty_ok)?;
    let Kind::Link(target) = c.os.fs.node(node).kind.clone() else {
        return error(if path.is_empty() { Errno::ENOENT } else { Errno::EINVAL });
    };
    let shown = &target[..target.len().min(len as usize)];
    c.store(buffer, &shown.into())?;
    Ok(shown.len() as i64)
}

/// There are no programs to run: what is no file, or none that may be executed, fails as it should.
pub(super) fn execve(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    let node = c.resolve(AT_FDCWD, &path, true)?;
    if !c.os.fs.node(node).is_file() {
        return error(Errno::EACCES);
    }
    c.permit(node, EXECUTE)?;
    unsupported(c)
}

pub(super) fn chdir(c: &mut Call) -> Done {
    let path = c.path_at(AT_FDCWD, c.args[0], Missing::Fails)?;
    let node = c.resolve(AT_FDCWD, &path, true)?;
    enter(c, node)
}

pub(super) fn fchdir(c: &mut Call) -> Done {
    let node = c.os.files.any(c.unsigned(0).into())?.node;
    enter(c, node)
}

fn enter(c: &mut Call, node: NodeId) -> Done {
    if !c.os.fs.node(node).is_dir() {
        return error(Errno::ENOTDIR);
    }
    c.permit(node, EXECUTE)?;
    let left = c.os.process.cwd;
    c.os.process_mut().cwd = node;
    c.os.collect(left);
    Ok(0)
}

pub(super) fn getcwd(c: &mut Call) -> Done {
    let [buffer, size, ..] = c.args;
    if c.fails(Fallible::Getcwd)? {
        return error(Errno::ERANGE);
    }
    let mut path = c.os.fs.path_of(c.os.process.cwd).ok_or(Errno::ENOENT)?;
    path.push(0);
    if path.len() as u64 > size {
        return error(Errno::ERANGE);
    }
    let len = path.len() as i64;
    c.store(buffer, &path.into())?;
    Ok(len)
}

/// One entry of a listing: position, node, name.
type Listed = (u64, NodeId, Vec<u8>);

fn listing(c: &Call, dir: NodeId) -> Done<Vec<Listed>> {
    const DOTS: u64 = 2;
    let node = c.os.fs.node(dir);
    if !node.is_dir() {
        return error(Errno::ENOTDIR);
    }
    if node.meta.nlink == 0 {
        return error(Errno::ENOENT);
    }
    let parent = node.dir().map_or(dir, |d| d.parent);
    let mut list = vec![(0, dir, b".".to_vec()), (1, parent, b"..".to_vec())];
    match node.dir() {
        Some(d) => {
            let entries = d.entries.iter().map(|(n, e)| (u64::from(e.position) + DOTS, e.node, n.to_vec()));
            list.extend(entries);
        }
        None => {
            let open = |fd: &u32| c.os.files.any((*fd).into()).ok().map(|o| o.node);
            list.extend(
                c.os.files
                    .numbers()
                    .iter()
                    .filter_map(|fd| Some((u64::from(*fd) + DOTS, open(fd)?, fd.to_string().into_bytes()))),
            );
        }
    }
    list.sort();
    Ok(list)
}

pub(super) fn getdents64(c: &mut Call) -> Done {
    let (fd, buffer, size) = (u64::from(c.unsigned(0)), c.args[1], c.unsigned(2) as usize);
    let open = c.os.files.get(fd)?;
    let list = listing(c, open.node)?;
    let mut bytes = Bytes::default();
    let mut position = open.offset;
    for (at, node, name) in list.into_iter().filter(|e| e.0 >= open.offset) {
        let len = (19 + name.len() + 1).next_multiple_of(8);
        if bytes.len() + len > size {
            if bytes.is_empty() {
                return error(Errno::EINVAL);
            }
            break;
        }
        let meta = &c.os.fs.node(node).meta;
        position = at + 1;
        let record = Record::new(len)
            .put(0, 8, meta.ino)
            .put(8, 8, position)
            .put(16, 2, len as u64)
            .put(18, 1, (meta.kind() >> 12).into())
            .text(19, &name);
        bytes.append(&record.bytes());
    }
    c.store(buffer, &bytes)?;
    c.os.files.edit(fd)?.offset = position;
    Ok(bytes.len() as i64)
}
