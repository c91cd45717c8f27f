//! Descriptors and the open files they refer to.

use crate::errno::Errno;
use crate::node::NodeId;
use rejoin_memory::Table;

pub(crate) const O_ACCMODE: u32 = 3;
pub(crate) const O_WRONLY: u32 = 1;
pub(crate) const O_RDWR: u32 = 2;
pub(crate) const O_CREAT: u32 = 0o100;
pub(crate) const O_EXCL: u32 = 0o200;
pub(crate) const O_NOCTTY: u32 = 0o400;
pub(crate) const O_TRUNC: u32 = 0o1000;
pub(crate) const O_APPEND: u32 = 0o2000;
pub(crate) const O_NONBLOCK: u32 = 0o4000;
pub(crate) const O_DIRECT: u32 = 0o40000;
pub(crate) const O_LARGEFILE: u32 = 0o100_000;
pub(crate) const O_DIRECTORY: u32 = 0o200_000;
pub(crate) const O_NOFOLLOW: u32 = 0o400_000;
pub(crate) const O_NOATIME: u32 = 0o1_000_000;
pub(crate) const O_CLOEXEC: u32 = 0o2_000_000;
pub(crate) const O_PATH: u32 = 0o10_000_000;
pub(crate) const O_TMPFILE: u32 = 0o20_000_000;

/// An entry of the descriptor table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Descriptor {
    pub(crate) open: u32,
    pub(crate) cloexec: bool,
}

/// An open file; duplicated descriptors share one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Open {
    pub(crate) node: NodeId,
    pub(crate) offset: u64,
    pub(crate) flags: u32,
    /// The lock held by `flock`.
    pub(crate) lock: Lock,
}

/// A lock of a whole file, held by an open file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Lock {
    #[default]
    None,
    Shared,
    Exclusive,
}

impl Open {
    /// A newly opened file.
    pub(crate) fn new(node: NodeId, flags: u32) -> Self {
        Open { node, offset: 0, flags, lock: Lock::None }
    }

    pub(crate) fn readable(self) -> bool {
        self.flags & O_PATH == 0 && matches!(self.flags & O_ACCMODE, 0 | O_RDWR)
    }

    pub(crate) fn writable(self) -> bool {
        self.flags & O_PATH == 0 && matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR)
    }

    pub(crate) fn nonblocking(self) -> bool {
        self.flags & O_NONBLOCK != 0
    }
}

/// The descriptors of the program. New ones take the least free number, as POSIX demands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    pub(crate) descriptors: Table<Descriptor>,
    pub(crate) opens: Table<Open>,
}

impl Files {
    /// A descriptor that can do more than name its file.
    pub(crate) fn get(&self, fd: u64) -> Result<Open, Errno> {
        self.any(fd).and_then(|o| if o.flags & O_PATH == 0 { Ok(o) } else { Err(Errno::EBADF) })
    }

    /// Any descriptor, those opened with `O_PATH` too.
    pub(crate) fn any(&self, fd: u64) -> Result<Open, Errno> {
        let descriptor = self.descriptor(fd)?;
        self.opens.get(descriptor.open).copied().ok_or(Errno::EBADF)
    }

    pub(crate) fn descriptor(&self, fd: u64) -> Result<Descriptor, Errno> {
        self.descriptors.get(fd as u32).copied().ok_or(Errno::EBADF)
    }

    /// The open file behind a descriptor, to be changed.
    pub(crate) fn edit(&mut self, fd: u64) -> Result<&mut Open, Errno> {
        let descriptor = self.descriptor(fd)?;
        self.opens.get_mut(descriptor.open).ok_or(Errno::EBADF)
    }

    /// The least free descriptor from `from` on, below `limit`.
    pub(crate) fn free(&self, from: u64, limit: u64) -> Result<u32, Errno> {
        (from..limit).map(|fd| fd as u32).find(|&fd| self.descriptors.get(fd).is_none()).ok_or(Errno::EMFILE)
    }

    /// A new open file on a descriptor that is free.
    pub(crate) fn install(&mut self, fd: u32, open: Open, cloexec: bool) {
        let id = (0..).find(|&i| self.opens.get(i).is_none()).unwrap_or(u32::MAX);
        self.opens.insert(id, open);
        self.descriptors.insert(fd, Descriptor { open: id, cloexec });
    }

    /// Frees a descriptor; gives the open file if this was its last.
    pub(crate) fn remove(&mut self, fd: u64) -> Result<Option<Open>, Errno> {
        let open = self.descriptors.remove(fd as u32).ok_or(Errno::EBADF)?.open;
        let mut shared = false;
        self.descriptors.for_each(&mut |_, d| shared |= d.open == open);
        Ok(if shared { None } else { self.opens.remove(open) })
    }

    /// The open files on a node.
    pub(crate) fn on(&self, node: NodeId) -> Vec<Open> {
        let mut found = Vec::new();
        self.opens.for_each(&mut |_, o| {
            if o.node == node {
                found.push(*o);
            }
        });
        found
    }

    /// All descriptors in order.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.descriptors.for_each(&mut |fd, _| numbers.push(fd));
        numbers
    }
}
