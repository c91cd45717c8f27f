//! The operating system as one path of the analysed program sees it.

use crate::bytes::Bytes;
use crate::calls::{self, Call};
use crate::errno::Errno;
use crate::files::Files;
use crate::fs::{Birth, Fs};
use crate::guest::{Guest, Reply, Stop};
use crate::node::{Kind, Meta, Node, NodeId, Time};
use crate::output::Output;
use crate::path::Walk;
use crate::process::{Process, READ};
use rejoin_expr::Term;
use std::rc::Rc;

/// All of the system's state. A persistent value: a clone is O(1) and shares everything that
/// neither side changes later.
#[derive(Clone, Debug)]
pub struct Os {
    pub(crate) fs: Fs,
    pub(crate) files: Files,
    pub(crate) process: Rc<Process>,
    /// Nanoseconds since the start of the program. It advances when looked at and by sleeping.
    pub(crate) clock: u64,
    /// How much randomness was handed out.
    pub(crate) random: u64,
    /// The streams first given as standard input, output and error.
    pub(crate) standard: [NodeId; 3],
    /// The only user and group that can be told; others are shown as the kernel's user for that.
    pub(crate) namespace: Option<(u32, u32)>,
}

/// Seconds between 1970 and the start of every analysed program.
pub(crate) const EPOCH: i64 = 1_600_000_000;

impl Os {
    /// Answers a system call, with x86-64's numbers and structures.
    pub fn call(&mut self, guest: &mut dyn Guest, number: u64, args: [u64; 6]) -> Reply {
        let Some(handler) = calls::handler(number) else { return Reply::Unsupported };
        let mut next = self.clone();
        let reply = match handler(&mut Call { os: &mut next, guest, args }) {
            Ok(value) => Reply::Value(value),
            Err(Stop::Error(e)) => {
                // A call that fails may raise a signal or take time, but leaves files alone.
                next.fs = self.fs.clone();
                next.files = self.files.clone();
                Reply::Value(-i64::from(e.0))
            }
            Err(Stop::End(reply)) => reply,
        };
        match reply {
            Reply::Stopped | Reply::Unsupported => reply,
            _ => {
                let reply = next.deliver(reply);
                *self = next;
                reply
            }
        }
    }

    /// Whether writing to a descriptor always takes all there is and only adds to a stream, so that
    /// nothing but the stream has to know how much that is.
    #[must_use]
    pub fn is_stream(&self, fd: u64) -> bool {
        let open = self.files.get(u64::from(fd as u32)).ok().filter(|open| open.writable());
        let stream = open.is_some_and(|open| matches!(self.fs.node(open.node).kind, Kind::Stream(_)));
        stream && self.process.failures == 0
    }

    /// Writes to a stream: of each piece as many bytes as the term says, or all.
    pub fn append(&mut self, fd: u64, pieces: Vec<(Bytes, Option<Term>)>) {
        let Ok(open) = self.files.get(u64::from(fd as u32)) else { return };
        if let Kind::Stream(stream) = &mut self.fs.edit(open.node).kind {
            for (bytes, len) in pieces {
                match len {
                    Some(len) => stream.output.push_some(bytes, len),
                    None => stream.output.push(bytes),
                }
            }
        }
    }

    /// What was written to standard output as first given, through whatever descriptor.
    #[must_use]
    pub fn stdout(&self) -> Output {
        self.written(self.standard[1])
    }

    /// What was written to standard error as first given, through whatever descriptor.
    #[must_use]
    pub fn stderr(&self) -> Output {
        self.written(self.standard[2])
    }

    fn written(&self, node: NodeId) -> Output {
        match &self.fs.node(node).kind {
            Kind::Stream(stream) => stream.output.clone(),
            Kind::File(data) => {
                let mut output = Output::default();
                output.push(data.read(0, data.len()));
                output
            }
            _ => Output::default(),
        }
    }

    /// The content of the regular file at a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<Bytes> {
        let id = Walk::new(self).resolve(crate::fs::ROOT, path.as_bytes(), true).ok()?;
        let data = self.fs.data(id).ok()?;
        Some(data.read(0, data.len()))
    }

    /// The thread pointer, as `arch_prctl` set it.
    #[must_use]
    pub fn thread_pointer(&self) -> u64 {
        self.process.thread_pointer
    }

    /// A signal handler returned: the signal mask becomes what [`Reply::Handler`] said.
    pub fn end_handler(&mut self, mask: u64) {
        self.process_mut().blocked = mask;
    }

    pub(crate) fn process_mut(&mut self) -> &mut Process {
        Rc::make_mut(&mut self.process)
    }

    /// The time of day, without looking at the clock.
    pub(crate) fn now(&self) -> Time {
        Time { sec: EPOCH + (self.clock / 1_000_000_000) as i64, nsec: (self.clock % 1_000_000_000) as u32 }
    }

    /// Who and when, for new nodes.
    pub(crate) fn birth(&self) -> Birth {
        let ids = &self.process.ids;
        Birth { uid: ids.user[1], gid: ids.group[1], now: self.now() }
    }

    /// Whether the program may do `want` with a node whose permissions are known.
    pub(crate) fn permit(&self, node: &Node, want: u32) -> Result<(), Errno> {
        if self.process.ids.may(&node.meta, node.meta.mode, want) { Ok(()) } else { Err(Errno::EACCES) }
    }

    /// Forgets a node that has no name left and is not in use, and directories that were kept
    /// only for it.
    pub(crate) fn collect(&mut self, id: NodeId) {
        let Some(node) = self.fs.nodes.get(id.0).cloned() else { return };
        let named = node.meta.nlink > 0 && !matches!(node.kind, Kind::Pipe(_));
        if named || self.process.cwd == id || self.standard.contains(&id) {
            return;
        }
        if !self.files.on(id).is_empty() {
            return;
        }
        let Some(dir) = node.dir() else {
            self.fs.nodes.remove(id.0);
            return;
        };
        let mut is_parent = false;
        self.fs.nodes.for_each(&mut |i, n| {
            is_parent |= i != id.0 && n.dir().is_some_and(|d| d.parent == id);
        });
        if !is_parent {
            self.fs.nodes.remove(id.0);
            self.collect(dir.parent);
        }
    }
}

/// Bytes of `struct stat` that may be symbolic, as (name, offset, length): permissions, owner, size and
/// times. What a program uses to tell files apart (type, device, number) is always known.
pub const SYMBOLIC_STAT: &[(&str, usize, usize)] = &[
    ("st_mode", 24, 2),
    ("st_uid", 28, 4),
    ("st_gid", 32, 4),
    ("st_size", 48, 8),
    ("st_blocks", 64, 8),
    ("st_atime", 72, 8),
    ("st_mtime", 88, 8),
    ("st_ctime", 104, 8),
];

impl Meta {
    /// Makes bytes of `struct stat` symbolic; those not in [`SYMBOLIC_STAT`] stay known.
    pub(crate) fn make_symbolic(&mut self, symbols: &[(usize, Term)]) {
        let allowed =
            |at: usize| SYMBOLIC_STAT.iter().any(|&(_, offset, len)| at >= offset && at < offset + len);
        self.symbols = symbols.iter().filter(|s| allowed(s.0)).map(|s| (s.0 as u8, s.1)).collect();
        self.symbols.sort_by_key(|s| s.0);
    }
}

impl Call<'_> {
    /// The permissions of a node; where they are symbolic, the engine decides.
    pub(crate) fn mode(&mut self, node: &Node) -> Result<u32, Stop> {
        self.mode_bits(node, 0o7777)
    }

    /// Some of the permissions of a node; others may be wrong.
    fn mode_bits(&mut self, node: &Node, mask: u32) -> Result<u32, Stop> {
        let mut mode = node.meta.mode;
        for &(at, term) in node.meta.symbols.iter().filter(|s| (24..26).contains(&s.0)) {
            let shift = 8 * (u32::from(at) - 24);
            let byte = self.guest.decide_bits(rejoin_memory::Value::Term(term), (mask >> shift) as u8)?;
            mode = mode & !(0xff << shift) | u32::from(byte) << shift;
        }
        Ok(mode & 0o7777 | node.meta.kind())
    }

    /// Whether the program may do `want` with a node.
    pub(crate) fn permit(&mut self, id: NodeId, want: u32) -> Result<(), Stop> {
        let node = self.os.fs.node(id);
        // The superuser reads and writes anything: its permissions are not looked at.
        if self.os.process.ids.is_root() && want & !(READ | crate::process::WRITE) == 0 {
            return Ok(());
        }
        let ids = &self.os.process.ids;
        let mask = if ids.is_root() { 0o111 } else { want << ids.class(&node.meta) };
        let mode = self.mode_bits(&node, mask)?;
        if self.os.process.ids.may(&node.meta, mode, want) { Ok(()) } else { Err(Errno::EACCES.into()) }
    }
}
