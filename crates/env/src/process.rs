//! What the kernel knows about the program itself.

use crate::node::{Meta, NodeId, S_IFDIR};

/// The program's own process number.
pub(crate) const PID: u64 = 1000;
/// Its parent's.
pub(crate) const PARENT: u64 = 999;

/// Reading, writing and executing, as bits of a permission check.
pub(crate) const READ: u32 = 4;
pub(crate) const WRITE: u32 = 2;
pub(crate) const EXECUTE: u32 = 1;

/// Who the program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ids {
    /// Real, effective and saved user.
    pub(crate) user: [u32; 3],
    /// Real, effective and saved group.
    pub(crate) group: [u32; 3],
    pub(crate) groups: Vec<u32>,
}

impl Ids {
    pub(crate) fn is_root(&self) -> bool {
        self.user[1] == 0
    }

    pub(crate) fn in_group(&self, gid: u32) -> bool {
        self.group[1] == gid || self.groups.contains(&gid)
    }

    /// Whether one may do `want` with a node, judged by its permission bits `mode`.
    pub(crate) fn may(&self, meta: &Meta, mode: u32, want: u32) -> bool {
        if self.is_root() {
            return want & EXECUTE == 0 || mode & 0o111 != 0 || meta.kind() == S_IFDIR;
        }
        mode >> self.class(meta) & want == want
    }

    /// Where in the permission bits those are that concern one: as owner, in the group, or neither.
    pub(crate) fn class(&self, meta: &Meta) -> u32 {
        match () {
            () if self.user[1] == meta.uid => 6,
            () if self.in_group(meta.gid) => 3,
            () => 0,
        }
    }
}

/// One entry of the table of signal actions, as the program set it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Action {
    pub(crate) handler: u64,
    pub(crate) flags: u64,
    pub(crate) restorer: u64,
    pub(crate) mask: u64,
}

/// The process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) ids: Ids,
    pub(crate) umask: u32,
    pub(crate) cwd: NodeId,
    pub(crate) actions: [Action; 64],
    pub(crate) blocked: u64,
    pub(crate) pending: u64,
    /// `sigaltstack`: address, flags, size.
    pub(crate) signal_stack: [u64; 3],
    /// Soft and hard limits.
    pub(crate) limits: [(u64, u64); 16],
    pub(crate) thread_pointer: u64,
    pub(crate) nice: i32,
    pub(crate) name: [u8; 16],
    /// When `alarm` goes off, in nanoseconds, and the interval after it.
    pub(crate) alarm: Option<(u64, u64)>,
    pub(crate) group_leader: u64,
    pub(crate) session: u64,
    /// Injected failures left.
    pub(crate) failures: u32,
    /// Calls so far of each kind that may fail, counted while failures are left.
    pub(crate) calls: [u32; 5],
}

pub(crate) const NOFILE: usize = 7;

impl Process {
    pub(crate) fn new(uid: u32, gid: u32, cwd: NodeId) -> Self {
        const INFINITE: u64 = u64::MAX;
        let mut limits = [(INFINITE, INFINITE); 16];
        limits[NOFILE] = (1024, 1 << 20);
        limits[3].0 = 8 << 20;
        limits[4].0 = 0;
        let mut name = [0; 16];
        name[..7].copy_from_slice(b"program");
        Process {
            ids: Ids { user: [uid; 3], group: [gid; 3], groups: vec![gid] },
            umask: 0o022,
            cwd,
            actions: [Action::default(); 64],
            blocked: 0,
            pending: 0,
            signal_stack: [0, 2, 0],
            limits,
            thread_pointer: 0,
            nice: 0,
            name,
            alarm: None,
            group_leader: PID,
            session: PID,
            failures: 0,
            calls: [0; 5],
        }
    }
}
