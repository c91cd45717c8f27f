//! Files whose size is symbolic: some of the bytes they hold, from none to all, are there.
//!
//! Such a file holds as many bytes as it may have, and `st_size`, among the symbolic bytes of its
//! `struct stat`, says how many of them count. A call that reads asks what it has to know and leaves
//! the file as it is, so that paths that know different sizes are still alike once nothing else of
//! theirs differs. A call that changes the file fixes its size first.

use crate::bytes::Bytes;
use crate::calls::Call;
use crate::guest::Done;
use crate::node::{Meta, NodeId};
use rejoin_memory::Value;

/// Offset and length of `st_size` in `struct stat`.
const SIZE: (u8, u8) = (48, 8);
/// Offset and length of `st_blocks`.
const BLOCKS: (u8, u8) = (64, 8);

impl Meta {
    /// The bytes of a symbolic size, the lowest first; those above them are zero. None if it is known.
    fn symbolic_size(&self) -> Vec<Value> {
        let within = |at: u8| at >= SIZE.0 && at < SIZE.0 + SIZE.1;
        self.symbols.iter().filter(|s| within(s.0)).map(|s| Value::Term(s.1)).collect()
    }

    /// The size is known from now on.
    pub(crate) fn size_known(&mut self) {
        self.known(SIZE.0, SIZE.1);
        self.known(BLOCKS.0, BLOCKS.1);
    }
}

impl Call<'_> {
    /// The size of a node; the engine decides where it is symbolic.
    pub(crate) fn size(&mut self, id: NodeId) -> Done<u64> {
        let node = self.os.fs.node(id);
        let symbolic = node.meta.symbolic_size();
        if symbolic.is_empty() {
            return Ok(node.size());
        }
        let mut size = 0;
        for (i, byte) in symbolic.into_iter().enumerate() {
            size |= u64::from(self.guest.decide(byte)?) << (8 * i);
        }
        Ok(size)
    }

    /// Up to `len` bytes of a regular file from `offset`; fewer where it ends.
    pub(crate) fn content(&mut self, id: NodeId, offset: u64, len: u64) -> Done<Bytes> {
        let held = self.os.fs.data(id)?;
        let symbolic = self.os.fs.node(id).meta.symbolic_size();
        if symbolic.is_empty() || offset >= held.len() || len == 0 {
            return Ok(held.read(offset, len));
        }
        let end = offset.saturating_add(len);
        if end <= held.len() && self.guest.at_least(&symbolic, end)? {
            return Ok(held.read(offset, len));
        }
        let size = self.size(id)?;
        Ok(held.read(offset, len.min(size.saturating_sub(offset))))
    }

    /// Fixes the size of a file whose content is about to change.
    pub(crate) fn settle(&mut self, id: NodeId) -> Done<()> {
        if self.os.fs.node(id).meta.symbolic_size().is_empty() {
            return Ok(());
        }
        let size = self.size(id)?;
        self.os.fs.edit_data(id)?.resize(size);
        self.os.fs.edit(id).meta.size_known();
        Ok(())
    }
}
