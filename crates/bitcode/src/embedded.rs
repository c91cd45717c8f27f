//! Bitcode inside machine code: the section `.rejoin` of ELF files.
//!
//! `rejoin cc` lets clang put the bitcode of a translation unit into its object file. A linker that
//! knows nothing of it appends the sections of what it links, so an executable holds the bitcode of
//! exactly the objects and archive members that became part of it.
//!
//! clang's name for the section is `.llvmbc`, and plugins of other linkers and archivers then take
//! the object for one that is to be optimised at link time. [`claim`] gives it our name.

use crate::llvm::Context;
use crate::{Error, llvm};
use std::path::Path;

const ELF: &[u8] = b"\x7fELF\x02\x01";
const CLANG_SECTION: &[u8; 7] = b".llvmbc";
const SECTION: &[u8; 7] = b".rejoin";
const MAGIC: &[u8] = b"BC\xc0\xde";

/// The modules in an ELF file, in the order in which they were linked. Empty if it has none, `None`
/// if it is no ELF file for a little-endian machine of 64 bits, or is damaged.
#[must_use]
pub fn embedded(file: &[u8]) -> Option<Vec<&[u8]>> {
    match section(file, SECTION)? {
        None => Some(Vec::new()),
        Some(section) => split(section.contents),
    }
}

/// Renames clang's section in an object file.
pub fn claim(object: &mut [u8]) {
    if let Some(Some(Section { name, .. })) = section(object, CLANG_SECTION) {
        object[name..name + SECTION.len()].copy_from_slice(SECTION);
    }
}

/// Links the modules in an ELF file into one and returns its bitcode; `None` if there are none.
///
/// # Errors
/// When LLVM cannot read or link them.
pub fn combine(path: &Path, file: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let mut cx = Context::new();
    Ok(link(&mut cx, path, file)?.map(llvm::Module::bitcode))
}

/// The modules in an ELF file as one.
pub(crate) fn link(cx: &mut Context, path: &Path, file: &[u8]) -> Result<Option<llvm::Module>, Error> {
    if !file.starts_with(ELF) {
        return Ok(None);
    }
    let damaged =
        || Error::BadBitcode { path: path.to_owned(), reason: "its section .rejoin is damaged".into() };
    let modules = embedded(file).ok_or_else(damaged)?;
    let mut whole = None;
    for bytes in modules {
        let module = cx
            .parse(bytes, &path.to_string_lossy())
            .map_err(|reason| Error::BadBitcode { path: path.to_owned(), reason })?;
        match whole {
            None => whole = Some(module),
            Some(whole) => {
                cx.link(whole, module).map_err(|reason| Error::Link { path: path.to_owned(), reason })?;
            }
        }
    }
    Ok(whole)
}

/// A little-endian number of `N` bytes.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(N)?)?;
    part.iter().rev().try_fold(0usize, |n, b| Some(n.checked_mul(256)? + usize::from(*b)))
}

/// A section with a name that was asked for.
struct Section<'a> {
    /// Where in the file its name is.
    name: usize,
    contents: &'a [u8],
}

/// A section of an ELF file; `None` if the file is damaged.
fn section<'a>(file: &'a [u8], wanted: &[u8]) -> Option<Option<Section<'a>>> {
    if !file.starts_with(ELF) {
        return None;
    }
    let table = number::<8>(file, 0x28)?;
    let size = number::<2>(file, 0x3a)?;
    let header = |i: usize| {
        let start = table.checked_add(i.checked_mul(size)?)?;
        file.get(start..start.checked_add(size)?)
    };
    let contents = |header: &[u8]| {
        let start = number::<8>(header, 0x18)?;
        file.get(start..start.checked_add(number::<8>(header, 0x20)?)?)
    };
    if table == 0 {
        return Some(None);
    }
    // Files with many sections keep the two numbers in the first header.
    let count = match number::<2>(file, 0x3c)? {
        0 => number::<8>(header(0)?, 0x20)?,
        n => n,
    };
    let names = match number::<2>(file, 0x3e)? {
        0xffff => number::<4>(header(0)?, 0x28)?,
        n => n,
    };
    let names = number::<8>(header(names)?, 0x18)?;
    for i in 1..count {
        let header = header(i)?;
        let name = names.checked_add(number::<4>(header, 0)?)?;
        if file.get(name..)?.split(|b| *b == 0).next() == Some(wanted) {
            return Some(Some(Section { name, contents: contents(header)? }));
        }
    }
    Some(None)
}

/// Splits modules that follow each other without a gap. A module is the magic number and blocks; a
/// block says its length.
fn split(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(MAGIC) {
            starts.push(at);
            at += MAGIC.len();
        } else {
            // Two bits: a block begins. Eight: its kind. Four: the width of its abbreviations. Then,
            // at the next word, its length in words. All kinds at the top fit the short form.
            at = at.checked_add(8 + number::<4>(bytes, at + 4)?.checked_mul(4)?)?;
        }
    }
    if at != bytes.len() || starts.first() != Some(&0) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    Some(starts.iter().zip(ends).map(|(start, end)| &bytes[*start..end]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(blocks: &[usize]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for words in blocks {
            bytes.extend([0x35, 0x14, 0, 0]);
            bytes.extend((*words as u32).to_le_bytes());
            // Contents that look like a beginning are no beginning.
            bytes.extend(std::iter::repeat_n(MAGIC, *words).flatten());
        }
        bytes
    }

    #[test]
    fn modules_are_split_at_their_beginnings_only() {
        let (a, b) = (module(&[3, 1]), module(&[2]));
        let both = [a.clone(), b.clone()].concat();
        assert_eq!(split(&both), Some(vec![&a[..], &b[..]]));
        assert_eq!(split(&a), Some(vec![&a[..]]));
    }

    #[test]
    fn damaged_files_are_told_apart() {
        let both = [module(&[3]), module(&[2])].concat();
        for len in 1..both.len() {
            let whole = len == module(&[3]).len();
            assert_eq!(
                split(&both[..len]).is_some(),
                whole || len == 4 || len == module(&[3]).len() + 4,
                "{len}"
            );
        }
        assert_eq!(embedded(b"no ELF file"), None);
        assert_eq!(embedded(&[ELF, &[0; 58]].concat()), Some(Vec::new()));
        assert_eq!(embedded(&[ELF, &[0xff; 58]].concat()), None);
        assert_eq!(embedded(ELF), None);
    }
}
