//! Paths with symbolic bytes.
//!
//! A path that is only looked up need not be known: what matters is which of the names that exist it
//! begins with. So the engine is asked name by name, directory by directory, and where none fits, all
//! other paths are alike: they lead nowhere, and any one of them stands for them.

use crate::calls::Call;
use crate::errno::Errno;
use crate::fs::ROOT;
use crate::guest::Done;
use crate::node::{Kind, Name, NodeId};
use crate::path::PATH_MAX;
use rejoin_memory::Value;

/// A longer path may have a component that is too long.
const SHORT: usize = 255;

/// What a call does with a path that leads nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// It fails.
    Fails,
    /// It may make the last component, whose name is then to be known.
    IsMade,
}

impl Call<'_> {
    /// The path at an address, or another one that does the same to a call which looks it up from
    /// `fd`.
    pub(crate) fn path_at(&mut self, fd: i32, address: u64, missing: Missing) -> Done<Vec<u8>> {
        let text = self.text(address)?;
        let known: Option<Vec<u8>> = text.iter().map(|b| b.bits().map(|b| b as u8)).collect();
        match known {
            Some(path) => Ok(path),
            None if text.len() > SHORT => self.decide_all(&text),
            None => self.representative(fd, &text, missing),
        }
    }

    /// The bytes before the NUL; where it is, is decided.
    fn text(&mut self, address: u64) -> Done<Vec<Value>> {
        let mut text = Vec::new();
        while text.len() < PATH_MAX {
            let byte = self.guest.read(address.wrapping_add(text.len() as u64), 1)?.get(0);
            if self.is(byte, 0)? {
                return Ok(text);
            }
            text.push(byte);
        }
        Err(Errno::ENAMETOOLONG.into())
    }

    fn is(&mut self, byte: Value, expected: u8) -> Done<bool> {
        match byte {
            Value::Bits(b) => Ok(b as u8 == expected),
            Value::Term(_) => Ok(self.guest.matches(&[byte], &[expected])?),
        }
    }

    fn decide_all(&mut self, text: &[Value]) -> Done<Vec<u8>> {
        text.iter().map(|&b| Ok(self.guest.decide(b)?)).collect()
    }

    fn representative(&mut self, fd: i32, text: &[Value], missing: Missing) -> Done<Vec<u8>> {
        let mut path = Vec::new();
        let mut rest = text;
        let mut at_slash = self.is(text[0], b'/')?;
        let mut dir = match self.start(fd, b".") {
            _ if at_slash => ROOT,
            Ok(start) => start,
            Err(_) => return self.decide_all(text),
        };
        loop {
            while at_slash {
                path.push(b'/');
                rest = &rest[1..];
                at_slash = !rest.is_empty() && self.is(rest[0], b'/')?;
            }
            if rest.is_empty() {
                return Ok(path);
            }
            let Some(names) = self.names_in(dir) else { return self.append_decided(path, rest) };
            let Some((name, node)) = self.first_match(&names, rest)? else {
                return match missing {
                    Missing::Fails => self.append_any(path, rest),
                    Missing::IsMade => self.append_decided(path, rest),
                };
            };
            path.extend_from_slice(&name);
            rest = &rest[name.len()..];
            if rest.is_empty() {
                return Ok(path);
            }
            dir = node;
            at_slash = true;
            let node = self.os.fs.node(dir);
            if matches!(node.kind, Kind::Link(_)) {
                return self.append_decided(path, rest);
            }
            if !node.is_dir() {
                return self.append_any(path, rest);
            }
        }
    }

    /// The names that mean something in a directory; `None` if they cannot be listed.
    fn names_in(&self, dir: NodeId) -> Option<Vec<(Name, NodeId)>> {
        let node = self.os.fs.node(dir);
        let own = node.dir().filter(|_| !self.os.fs.is_dead(dir))?;
        let mut names: Vec<(Name, NodeId)> = own.entries.iter().map(|e| (e.0.clone(), e.1.node)).collect();
        names.push((b"."[..].into(), dir));
        names.push((b".."[..].into(), own.parent));
        Some(names)
    }

    /// The first name that `rest` begins with, as a whole component.
    fn first_match(&mut self, names: &[(Name, NodeId)], rest: &[Value]) -> Done<Option<(Name, NodeId)>> {
        for (name, node) in names {
            let mut component = name.to_vec();
            if rest.len() > name.len() {
                component.push(b'/');
            }
            if rest.len() < component.len() {
                continue;
            }
            let part = &rest[..component.len()];
            let known = part.iter().zip(&component).all(|(b, c)| b.bits().is_none_or(|b| b as u8 == *c));
            if known && self.guest.matches(part, &component)? {
                return Ok(Some((name.clone(), *node)));
            }
        }
        Ok(None)
    }

    fn append_decided(&mut self, mut path: Vec<u8>, rest: &[Value]) -> Done<Vec<u8>> {
        path.extend(self.decide_all(rest)?);
        Ok(path)
    }

    fn append_any(&mut self, mut path: Vec<u8>, rest: &[Value]) -> Done<Vec<u8>> {
        for &byte in rest {
            path.push(self.guest.sample(byte)?);
        }
        Ok(path)
    }
}
