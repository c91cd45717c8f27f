//! The store of nodes, and what directories do with names.

use crate::data::Data;
use crate::errno::Errno;
use crate::host::Host;
use crate::node::{Dir, Entry, Kind, Meta, Name, Node, NodeId, S_IFDIR, S_IFMT, Time};
use rejoin_memory::Table;
use std::path::PathBuf;
use std::rc::Rc;

/// The root directory.
pub(crate) const ROOT: NodeId = NodeId(2);

/// The device number that nodes of the model report.
const DEVICE: u64 = 0x801;

/// All nodes: those of the model, laid over those of the host.
#[derive(Clone, Debug)]
pub(crate) struct Fs {
    pub(crate) nodes: Table<Rc<Node>>,
    pub(crate) host: Option<Rc<Host>>,
}

/// Who a new node belongs to, and when it was made.
#[derive(Clone, Copy)]
pub(crate) struct Birth {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) now: Time,
}

impl Fs {
    /// Only a root directory.
    pub(crate) fn new(birth: Birth) -> Self {
        let mut fs = Fs { nodes: Table::default(), host: None };
        let root = fs.add(S_IFDIR | 0o755, birth, Kind::Dir(empty_dir(ROOT)));
        debug_assert_eq!(root, ROOT);
        fs.edit(ROOT).meta.nlink = 2;
        fs
    }

    /// The node of a number in use.
    pub(crate) fn node(&self, id: NodeId) -> Rc<Node> {
        let own = self.nodes.get(id.0).cloned();
        own.or_else(|| self.host.as_ref()?.node(id)).expect("a number in use has a node")
    }

    /// The node, to be changed; a host node is copied first.
    pub(crate) fn edit(&mut self, id: NodeId) -> &mut Node {
        if self.nodes.get(id.0).is_none() {
            let node = self.node(id);
            self.nodes.insert(id.0, node);
        }
        Rc::make_mut(self.nodes.get_mut(id.0).expect("was inserted"))
    }

    /// A new node without a name, under the least free number: paths that make and remove the
    /// same files have equal numbers.
    pub(crate) fn add(&mut self, mode: u32, birth: Birth, kind: Kind) -> NodeId {
        let id = (ROOT.0..).find(|&i| self.nodes.get(i).is_none()).unwrap_or(u32::MAX);
        let Birth { uid, gid, now } = birth;
        let meta = Meta {
            dev: DEVICE,
            ino: u64::from(id),
            mode,
            nlink: 0,
            uid,
            gid,
            accessed: now,
            modified: now,
            changed: now,
            symbols: Vec::new(),
        };
        self.nodes.insert(id, Rc::new(Node { meta, kind }));
        NodeId(id)
    }

    /// The content of a regular file.
    pub(crate) fn data(&self, id: NodeId) -> Result<Data, Errno> {
        match (&self.node(id).kind, &self.host) {
            (Kind::File(data), _) => Ok(data.clone()),
            (Kind::HostFile(_), Some(host)) => host.data(id),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The content of a regular file, to be changed.
    pub(crate) fn edit_data(&mut self, id: NodeId) -> Result<&mut Data, Errno> {
        if matches!(self.node(id).kind, Kind::HostFile(_)) {
            let data = self.data(id)?;
            self.edit(id).kind = Kind::File(data);
        }
        match &mut self.edit(id).kind {
            Kind::File(data) => Ok(data),
            _ => Err(Errno::EINVAL),
        }
    }

    /// What a name in a directory stands for.
    pub(crate) fn entry(&self, dir: NodeId, name: &[u8]) -> Option<NodeId> {
        self.node(dir).dir()?.entries.get(name).map(|e| e.node)
    }

    /// Whether a directory was removed.
    pub(crate) fn is_dead(&self, dir: NodeId) -> bool {
        self.node(dir).meta.nlink == 0
    }

    /// Puts a name into a directory, in place of what had it.
    pub(crate) fn enter(&mut self, dir: NodeId, name: &[u8], node: NodeId, now: Time) {
        let is_dir = self.node(node).is_dir();
        let parent = self.edit(dir);
        touch(&mut parent.meta, now);
        if let Kind::Dir(d) = &mut parent.kind {
            let position = d.entries.values().map(|e| e.position + 1).max().unwrap_or(0);
            Rc::make_mut(&mut d.entries).insert(name.into(), Entry { node, position });
        }
        if is_dir {
            parent.meta.nlink += 1;
            if let Kind::Dir(child) = &mut self.edit(node).kind {
                child.parent = dir;
            }
        }
    }

    /// Takes a name out of a directory.
    pub(crate) fn remove(&mut self, dir: NodeId, name: &[u8], now: Time) {
        let Some(node) = self.entry(dir, name) else { return };
        let is_dir = self.node(node).is_dir();
        let parent = self.edit(dir);
        touch(&mut parent.meta, now);
        if is_dir {
            parent.meta.nlink = parent.meta.nlink.saturating_sub(1);
        }
        if let Kind::Dir(d) = &mut parent.kind {
            Rc::make_mut(&mut d.entries).remove(name);
        }
    }

    /// Adds a new node under a name.
    pub(crate) fn create(&mut self, dir: NodeId, name: &[u8], mode: u32, birth: Birth, kind: Kind) -> NodeId {
        let id = self.add(mode, birth, kind);
        self.edit(id).meta.nlink = if mode & S_IFMT == S_IFDIR { 2 } else { 1 };
        self.enter(dir, name, id, birth.now);
        id
    }

    /// Counts a name more or less of a node that is not a directory.
    pub(crate) fn count_links(&mut self, node: NodeId, change: i32, now: Time) {
        let meta = &mut self.edit(node).meta;
        meta.nlink = meta.nlink.saturating_add_signed(change);
        meta.changed = now;
        meta.known(16, 8);
        meta.known(104, 16);
    }

    /// The absolute path of a directory, unless it was removed.
    pub(crate) fn path_of(&self, dir: NodeId) -> Option<Vec<u8>> {
        let mut names: Vec<Name> = Vec::new();
        let mut at = dir;
        while at != ROOT {
            if self.is_dead(at) {
                return None;
            }
            let parent = self.node(at).dir()?.parent;
            let above = self.node(parent);
            names.push(above.dir()?.entries.iter().find(|e| e.1.node == at)?.0.clone());
            at = parent;
        }
        if names.is_empty() {
            return Some(b"/".to_vec());
        }
        Some(names.iter().rev().flat_map(|n| [b"/", &n[..]].concat()).collect())
    }

    /// Whether `above` is `dir` or one of the directories it is in.
    pub(crate) fn is_ancestor(&self, above: NodeId, dir: NodeId) -> bool {
        let mut at = dir;
        loop {
            if at == above {
                return true;
            }
            match self.node(at).dir().map(|d| d.parent) {
                Some(parent) if parent != at => at = parent,
                _ => return false,
            }
        }
    }

    /// Makes a directory of the host appear as `name` in `dir`; names already there stay.
    pub(crate) fn show_host(&mut self, dir: NodeId, name: &[u8], path: PathBuf, now: Time) {
        let host = self.host.get_or_insert_default().clone();
        let shown = host.register(path, dir);
        match self.entry(dir, name) {
            None => self.enter(dir, name, shown, now),
            Some(present) => self.show_host_in(present, shown, now),
        }
    }

    /// Adds the entries of a host directory to one of the model.
    fn show_host_in(&mut self, present: NodeId, shown: NodeId, now: Time) {
        let Kind::Dir(listing) = self.node(shown).kind.clone() else { return };
        for (name, entry) in listing.entries.iter() {
            if self.entry(present, name).is_none() {
                self.enter(present, name, entry.node, now);
            }
        }
    }

    /// Makes the root of the host appear as the root.
    pub(crate) fn show_host_root(&mut self, now: Time) {
        let host = self.host.get_or_insert_default().clone();
        let shown = host.register(PathBuf::from("/"), ROOT);
        self.show_host_in(ROOT, shown, now);
    }
}

/// A directory without entries.
pub(crate) fn empty_dir(parent: NodeId) -> Dir {
    Dir { parent, entries: Rc::default() }
}

/// The content of a node changed.
pub(crate) fn touch(meta: &mut Meta, now: Time) {
    meta.modified = now;
    meta.changed = now;
    meta.known(88, 32);
}
