//! The system calls, by subject. [`table`] lists them.

mod attributes;
mod descriptors;
mod io;
mod memory;
mod names;
mod open;
mod process;
mod query;
mod ready;
mod signal;
mod table;
mod terminal;
mod time;

use crate::bytes::Bytes;
use crate::errno::Errno;
use crate::guest::{Done, Fallible, Guest, Reply, Stop};
use crate::lookup::Missing;
use crate::node::NodeId;
use crate::os::Os;
use crate::path::{PATH_MAX, Walk};

/// One call under way.
pub(crate) struct Call<'a> {
    pub(crate) os: &'a mut Os,
    pub(crate) guest: &'a mut dyn Guest,
    pub(crate) args: [u64; 6],
}

pub(crate) type Handler = fn(&mut Call) -> Done;

pub(crate) const AT_FDCWD: i32 = -100;
pub(crate) const AT_SYMLINK_NOFOLLOW: u32 = 0x100;
pub(crate) const AT_REMOVEDIR: u32 = 0x200;
pub(crate) const AT_SYMLINK_FOLLOW: u32 = 0x400;
pub(crate) const AT_NO_AUTOMOUNT: u32 = 0x800;
pub(crate) const AT_EMPTY_PATH: u32 = 0x1000;

fn row(number: u64) -> Option<&'static table::Row> {
    let index = table::CALLS.binary_search_by_key(&number, |c| u64::from(c.0)).ok()?;
    table::CALLS.get(index)
}

pub(crate) fn handler(number: u64) -> Option<Handler> {
    row(number).map(|r| r.2)
}

/// The name of a system call, if the model knows the number.
#[must_use]
pub fn name(number: u64) -> Option<&'static str> {
    row(number).map(|r| r.1)
}

/// A call that is known and not modelled.
fn unsupported(_: &mut Call) -> Done {
    Err(Stop::End(Reply::Unsupported))
}

/// A call that has nothing to do here.
fn nothing(_: &mut Call) -> Done {
    Ok(0)
}

/// An error, as a handler's result.
fn error<T>(e: Errno) -> Done<T> {
    Err(e.into())
}

impl Call<'_> {
    /// An argument as C's `int`.
    fn int(&self, i: usize) -> i32 {
        self.args[i] as i32
    }

    /// An argument as C's `unsigned`.
    fn unsigned(&self, i: usize) -> u32 {
        self.args[i] as u32
    }

    /// A number of `len` bytes in the program's memory.
    fn load(&mut self, address: u64, len: u64) -> Done<u64> {
        let bytes = self.guest.read(address, len)?;
        let mut number = 0;
        for (i, byte) in bytes.iter().enumerate() {
            number |= u64::from(self.guest.decide(byte)?) << (8 * i);
        }
        Ok(number)
    }

    fn store(&mut self, address: u64, bytes: &Bytes) -> Done<()> {
        Ok(self.guest.write(address, bytes)?)
    }

    /// Stores a number of `len` bytes.
    fn store_number(&mut self, address: u64, len: usize, value: u64) -> Done<()> {
        self.store(address, &value.to_le_bytes()[..len].into())
    }

    /// The text at an address, every byte decided.
    fn path(&mut self, address: u64) -> Done<Vec<u8>> {
        Ok(self.guest.c_string(address, PATH_MAX)?)
    }

    /// The node that relative paths start from.
    pub(crate) fn start(&self, fd: i32, path: &[u8]) -> Result<NodeId, Errno> {
        if fd == AT_FDCWD || path.starts_with(b"/") {
            return Ok(self.os.process.cwd);
        }
        Ok(self.os.files.any(fd as u32 as u64)?.node)
    }

    /// The node of a path relative to a descriptor.
    fn resolve(&self, fd: i32, path: &[u8], follow: bool) -> Result<NodeId, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        Walk::new(self.os).resolve(self.start(fd, path)?, path, follow)
    }

    /// The same, where an empty path may mean the descriptor itself.
    fn resolve_or_self(&self, fd: i32, path: &[u8], follow: bool, flags: u32) -> Result<NodeId, Errno> {
        match path.is_empty() && flags & AT_EMPTY_PATH != 0 {
            true if fd == AT_FDCWD => Ok(self.os.process.cwd),
            true => Ok(self.os.files.any(fd as u32 as u64)?.node),
            false => self.resolve(fd, path, follow),
        }
    }

    /// Whether an injected failure hits this call.
    fn fails(&mut self, call: Fallible) -> Done<bool> {
        if self.os.process.failures == 0 {
            return Ok(false);
        }
        let process = self.os.process_mut();
        process.calls[call as usize] += 1;
        let nth = process.calls[call as usize];
        let fails = self.guest.fails(call, nth)?;
        if fails {
            self.os.process_mut().failures -= 1;
        }
        Ok(fails)
    }

    /// The largest number of descriptors.
    fn descriptor_limit(&self) -> u64 {
        self.os.process.limits[crate::process::NOFILE].0.min(1 << 20)
    }
}
