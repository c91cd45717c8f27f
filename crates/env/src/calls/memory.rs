//! Memory mappings. The engine owns memory; files are copied into it.

use super::*;
use crate::node::{Device, Kind};

const PAGE: u64 = 4096;
const PROT_WRITE: u64 = 2;
const MAP_SHARED: u64 = 1;
const MAP_PRIVATE: u64 = 2;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;

fn round(len: u64) -> Result<u64, Errno> {
    len.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)
}

pub(super) fn mmap(c: &mut Call) -> Done {
    let [address, len, protection, flags, _, offset] = c.args;
    if len == 0 || !offset.is_multiple_of(PAGE) || !matches!(flags & 15, 1..=3) {
        return error(Errno::EINVAL);
    }
    let at = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0).then_some(address);
    if flags & MAP_ANONYMOUS != 0 {
        return Ok(c.guest.map(round(len)?, at)? as i64);
    }
    let open = c.os.files.get(c.unsigned(4).into())?;
    if !open.readable() {
        return error(Errno::EACCES);
    }
    let content = match c.os.fs.node(open.node).kind {
        Kind::File(_) | Kind::HostFile(_) => c.content(open.node, offset, len)?,
        Kind::Device(Device::Zero) => Default::default(),
        _ => return error(Errno::ENODEV),
    };
    if flags & (MAP_SHARED | MAP_PRIVATE) != MAP_PRIVATE && protection & PROT_WRITE != 0 {
        if !open.writable() {
            return error(Errno::EACCES);
        }
        // What the program stores would have to appear in the file.
        return unsupported(c);
    }
    let mapped = c.guest.map(round(len)?, at)?;
    if !content.is_empty() {
        c.store(mapped, &content)?;
    }
    Ok(mapped as i64)
}

pub(super) fn munmap(c: &mut Call) -> Done {
    let [address, len, ..] = c.args;
    if len == 0 || !address.is_multiple_of(PAGE) {
        return error(Errno::EINVAL);
    }
    c.guest.unmap(address, round(len)?)?;
    Ok(0)
}

/// A mapping that shrinks keeps its memory; one that grows moves.
pub(super) fn mremap(c: &mut Call) -> Done {
    const MAYMOVE: u64 = 1;
    let [old, old_len, new_len, flags, ..] = c.args;
    if !old.is_multiple_of(PAGE) || new_len == 0 || old_len == 0 || flags & !MAYMOVE != 0 {
        return error(Errno::EINVAL);
    }
    let (old_len, new_len) = (round(old_len)?, round(new_len)?);
    if new_len <= old_len {
        return Ok(old as i64);
    }
    if flags & MAYMOVE == 0 {
        return error(Errno::ENOMEM);
    }
    let content = c.guest.read(old, old_len)?;
    let new = c.guest.map(new_len, None)?;
    c.store(new, &content)?;
    c.guest.unmap(old, old_len)?;
    Ok(new as i64)
}

/// Advice may be ignored, except that `MADV_DONTNEED` and `MADV_FREE` clear memory.
pub(super) fn madvise(c: &mut Call) -> Done {
    match c.int(2) {
        4 | 8 => unsupported(c),
        _ => Ok(0),
    }
}
