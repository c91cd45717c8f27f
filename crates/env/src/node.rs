//! Nodes of the file system: files, directories, links, pipes, streams, devices.

use crate::bytes::Bytes;
use crate::data::Data;
use crate::output::Output;
use rejoin_expr::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

pub(crate) const S_IFMT: u32 = 0o170_000;
pub(crate) const S_IFIFO: u32 = 0o010_000;
pub(crate) const S_IFCHR: u32 = 0o020_000;
pub(crate) const S_IFDIR: u32 = 0o040_000;
pub(crate) const S_IFREG: u32 = 0o100_000;
pub(crate) const S_IFLNK: u32 = 0o120_000;
pub(crate) const S_IFSOCK: u32 = 0o140_000;
pub(crate) const S_ISUID: u32 = 0o4000;
pub(crate) const S_ISGID: u32 = 0o2000;
pub(crate) const S_ISVTX: u32 = 0o1000;

/// A point in time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Time {
    pub(crate) sec: i64,
    pub(crate) nsec: u32,
}

/// What `stat` tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meta {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    /// Type and permissions.
    pub(crate) mode: u32,
    pub(crate) nlink: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
    pub(crate) changed: Time,
    /// Bytes of `struct stat` that are symbolic, by offset. A field that the program sets
    /// becomes known again.
    pub(crate) symbols: Vec<(u8, Term)>,
}

impl Meta {
    pub(crate) fn kind(&self) -> u32 {
        self.mode & S_IFMT
    }

    /// The field of `struct stat` at `offset` is known from now on.
    pub(crate) fn known(&mut self, offset: u8, len: u8) {
        self.symbols.retain(|s| s.0 < offset || s.0 >= offset + len);
    }
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) meta: Meta,
    pub(crate) kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    File(Data),
    /// A file of the host that has not been written to, of this size.
    HostFile(u64),
    Dir(Dir),
    Link(Rc<[u8]>),
    /// Both ends are in this program; holds the bytes on their way.
    Pipe(Bytes),
    Stream(Stream),
    Device(Device),
}

/// A name in a directory.
pub(crate) type Name = Rc<[u8]>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dir {
    pub(crate) parent: NodeId,
    pub(crate) entries: Rc<BTreeMap<Name, Entry>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) node: NodeId,
    /// Where in the order in which `getdents` lists.
    pub(crate) position: u32,
}

/// A channel to the outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    pub(crate) terminal: bool,
    pub(crate) input: Data,
    /// How much of the input was read.
    pub(crate) taken: u64,
    pub(crate) output: Output,
}

/// Character devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Device {
    Null,
    Zero,
    Full,
    Random,
    /// The controlling terminal.
    Tty,
    /// A directory whose names are the numbers of open descriptors.
    Descriptors,
    /// Something of the host that is neither file, directory nor link.
    Foreign,
}

impl Device {
    pub(crate) fn number(self) -> u64 {
        match self {
            Device::Null => 0x103,
            Device::Zero => 0x105,
            Device::Full => 0x107,
            Device::Random => 0x109,
            Device::Tty => 0x500,
            Device::Descriptors | Device::Foreign => 0,
        }
    }
}

impl Node {
    /// The size that `stat` tells.
    pub(crate) fn size(&self) -> u64 {
        match &self.kind {
            Kind::File(data) => data.len(),
            Kind::HostFile(len) => *len,
            Kind::Dir(_) => 4096,
            Kind::Link(target) => target.len() as u64,
            Kind::Pipe(_) | Kind::Stream(_) | Kind::Device(_) => 0,
        }
    }

    pub(crate) fn dir(&self) -> Option<&Dir> {
        match &self.kind {
            Kind::Dir(dir) => Some(dir),
            _ => None,
        }
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.meta.kind() == S_IFDIR
    }

    pub(crate) fn is_file(&self) -> bool {
        self.meta.kind() == S_IFREG
    }

    /// Whether descriptors on it have a position that `lseek` moves.
    pub(crate) fn has_position(&self) -> bool {
        match &self.kind {
            Kind::Pipe(_) | Kind::Stream(_) => false,
            Kind::Device(d) => *d != Device::Tty,
            _ => true,
        }
    }
}
