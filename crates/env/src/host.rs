//! Files of the host that the program may see: consulted when first asked for, never written.
//!
//! All states share one cache, so they agree about numbers and contents even if the host's files
//! change during a run.

use crate::bytes::Bytes;
use crate::data::Data;
use crate::errno::Errno;
use crate::node::{Device, Dir, Entry, Kind, Meta, Node, NodeId, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, Time};
use std::cell::RefCell;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A larger file is not read.
const MAX_LOADED: u64 = 1 << 30;

/// Host nodes are numbered from here.
const FIRST: u32 = 1 << 31;

#[derive(Debug, Default)]
pub(crate) struct Host {
    seen: RefCell<Vec<Seen>>,
}

#[derive(Debug)]
struct Seen {
    path: PathBuf,
    parent: NodeId,
    node: Option<Rc<Node>>,
    data: Option<Data>,
}

impl Host {
    /// Numbers a path of the host.
    pub(crate) fn register(&self, path: PathBuf, parent: NodeId) -> NodeId {
        let mut seen = self.seen.borrow_mut();
        seen.push(Seen { path, parent, node: None, data: None });
        NodeId(FIRST + seen.len() as u32 - 1)
    }

    fn index(id: NodeId) -> Option<usize> {
        id.0.checked_sub(FIRST).map(|i| i as usize)
    }

    /// The node, as the host had it when first asked; `None` if the number is not a host node's.
    pub(crate) fn node(&self, id: NodeId) -> Option<Rc<Node>> {
        let index = Self::index(id)?;
        let (path, parent) = {
            let seen = self.seen.borrow();
            let seen = seen.get(index)?;
            if let Some(node) = &seen.node {
                return Some(node.clone());
            }
            (seen.path.clone(), seen.parent)
        };
        let node = Rc::new(self.load(&path, id, parent));
        self.seen.borrow_mut()[index].node = Some(node.clone());
        Some(node)
    }

    /// The content of a host file.
    pub(crate) fn data(&self, id: NodeId) -> Result<Data, Errno> {
        let index = Self::index(id).ok_or(Errno::EIO)?;
        let node = self.node(id).ok_or(Errno::EIO)?;
        let mut seen = self.seen.borrow_mut();
        let seen = &mut seen[index];
        if let Some(data) = &seen.data {
            return Ok(data.clone());
        }
        if node.size() > MAX_LOADED {
            return Err(Errno::EFBIG);
        }
        let mut bytes = fs::read(&seen.path).map_err(|_| Errno::EIO)?;
        // The size was told already: a file that changed since must not contradict it. Files that
        // claim to be empty and are not (as in /proc) are what they are.
        if node.size() > 0 {
            bytes.resize(node.size() as usize, 0);
        }
        let data = Data::from(&Bytes::from(bytes));
        seen.data = Some(data.clone());
        Ok(data)
    }

    fn load(&self, path: &Path, id: NodeId, parent: NodeId) -> Node {
        let Ok(found) = fs::symlink_metadata(path) else {
            return Node { meta: vanished(id), kind: Kind::Device(Device::Foreign) };
        };
        let kind = match found.mode() & S_IFMT {
            S_IFREG => Kind::HostFile(found.len()),
            S_IFLNK => match fs::read_link(path) {
                Ok(target) => Kind::Link(target.as_os_str().as_bytes().into()),
                Err(_) => Kind::Device(Device::Foreign),
            },
            S_IFDIR => Kind::Dir(self.list(path, id, parent)),
            _ => Kind::Device(Device::Foreign),
        };
        Node { meta: meta(&found), kind }
    }

    /// A directory by name; one that cannot be read appears empty.
    fn list(&self, path: &Path, id: NodeId, parent: NodeId) -> Dir {
        let mut names: Vec<_> = fs::read_dir(path)
            .map(|entries| entries.filter_map(io::Result::ok).map(|e| e.file_name()).collect())
            .unwrap_or_default();
        names.sort();
        let entries = names.iter().enumerate().map(|(i, name)| {
            let entry = Entry { node: self.register(path.join(name), id), position: i as u32 };
            (name.as_bytes().into(), entry)
        });
        Dir { parent, entries: Rc::new(entries.collect()) }
    }
}

fn vanished(id: NodeId) -> Meta {
    let time = Time::default();
    Meta {
        dev: 0,
        ino: u64::from(id.0),
        mode: 0,
        nlink: 1,
        uid: 0,
        gid: 0,
        accessed: time,
        modified: time,
        changed: time,
        symbols: vec![],
    }
}

fn meta(found: &Metadata) -> Meta {
    let time = |sec, nsec: i64| Time { sec, nsec: nsec as u32 };
    Meta {
        dev: found.dev(),
        ino: found.ino(),
        mode: found.mode(),
        nlink: found.nlink() as u32,
        uid: found.uid(),
        gid: found.gid(),
        accessed: time(found.atime(), found.atime_nsec()),
        modified: time(found.mtime(), found.mtime_nsec()),
        changed: time(found.ctime(), found.ctime_nsec()),
        symbols: vec![],
    }
}
