//! From path names to nodes.

use crate::errno::Errno;
use crate::fs::ROOT;
use crate::node::{Device, Kind, Name, Node, NodeId};
use crate::os::Os;
use crate::process::EXECUTE;

const NAME_MAX: usize = 255;
const MAX_LINKS: u32 = 40;

/// The longest path, with its NUL.
pub(crate) const PATH_MAX: usize = 4096;

/// The last component of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    Name(Name),
    Dot,
    DotDot,
    /// The path is a row of slashes.
    Root,
}

/// A directory and what is named in it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) dir: NodeId,
    pub(crate) last: Last,
    /// Slashes follow the last component.
    pub(crate) slash: bool,
}

/// Walks paths, counting the links followed.
pub(crate) struct Walk<'a> {
    os: &'a Os,
    links: u32,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(os: &'a Os) -> Self {
        Walk { os, links: 0 }
    }

    fn node(&self, id: NodeId) -> std::rc::Rc<Node> {
        self.os.fs.node(id)
    }

    /// Walks all but the last component.
    pub(crate) fn parent(&mut self, start: NodeId, path: &[u8]) -> Result<Place, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let mut dir = if path[0] == b'/' { ROOT } else { start };
        let mut rest = trim(path).to_vec();
        if rest.is_empty() {
            return Ok(Place { dir: ROOT, last: Last::Root, slash: true });
        }
        if !self.node(dir).is_dir() {
            return Err(Errno::ENOTDIR);
        }
        loop {
            let end = rest.iter().position(|&b| b == b'/').unwrap_or(rest.len());
            let (component, after) = rest.split_at(end);
            self.searchable(dir)?;
            let last = match component {
                b"." => Last::Dot,
                b".." => Last::DotDot,
                name => Last::Name(name.into()),
            };
            let next = trim(after);
            if next.is_empty() {
                return Ok(Place { dir, last, slash: !after.is_empty() });
            }
            let node = self.step(dir, &last)?;
            if let Kind::Link(target) = &self.node(node).kind {
                self.count()?;
                if target.starts_with(b"/") {
                    dir = ROOT;
                }
                // Trimmed again, for the target may be the root itself.
                rest = trim(&[trim(target), after].concat()).to_vec();
                continue;
            }
            if !self.node(node).is_dir() {
                return Err(Errno::ENOTDIR);
            }
            dir = node;
            rest = next.to_vec();
        }
    }

    fn count(&mut self) -> Result<(), Errno> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Errno::ELOOP) } else { Ok(()) }
    }

    fn searchable(&self, dir: NodeId) -> Result<(), Errno> {
        self.os.permit(&self.node(dir), EXECUTE)
    }

    fn step(&self, dir: NodeId, last: &Last) -> Result<NodeId, Errno> {
        match last {
            Last::Name(name) => self.look_up(dir, name)?.ok_or(Errno::ENOENT),
            Last::Dot => Ok(dir),
            Last::DotDot => Ok(self.node(dir).dir().map_or(dir, |d| d.parent)),
            Last::Root => Ok(ROOT),
        }
    }

    /// What a name in a directory stands for, links not followed.
    pub(crate) fn look_up(&self, dir: NodeId, name: &[u8]) -> Result<Option<NodeId>, Errno> {
        if self.os.fs.is_dead(dir) {
            return Ok(None);
        }
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        if let Kind::Device(Device::Descriptors) = self.node(dir).kind {
            let number = std::str::from_utf8(name).ok().and_then(|n| n.parse().ok());
            return Ok(number.and_then(|fd| self.os.files.any(fd).ok()).map(|o| o.node));
        }
        Ok(self.os.fs.entry(dir, name))
    }

    /// Follows a link found at `place`: where its target leads.
    pub(crate) fn follow(&mut self, place: &Place, link: NodeId) -> Result<Option<Place>, Errno> {
        let Kind::Link(target) = &self.node(link).kind else { return Ok(None) };
        self.count()?;
        let mut next = self.parent(place.dir, target)?;
        next.slash |= place.slash;
        Ok(Some(next))
    }

    /// The node a path leads to.
    pub(crate) fn resolve(&mut self, start: NodeId, path: &[u8], follow: bool) -> Result<NodeId, Errno> {
        let mut place = self.parent(start, path)?;
        loop {
            let node = self.step(place.dir, &place.last)?;
            if (follow || place.slash)
                && let Some(next) = self.follow(&place, node)?
            {
                place = next;
                continue;
            }
            if place.slash && !self.node(node).is_dir() {
                return Err(Errno::ENOTDIR);
            }
            return Ok(node);
        }
    }
}

fn trim(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|&&b| b == b'/').count();
    &path[slashes..]
}
