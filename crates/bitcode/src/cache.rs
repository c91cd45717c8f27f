//! Loaded modules on disk, so that a program is linked and lowered once.
//!
//! A file is what [`rejoin_ir::encode`] writes, and its name says what it was made of: the compiled contents of
//! the inputs and of the C library, the options, and the executable that made it. Files are written
//! beside their place and renamed, so there is never half of one; one that is damaged all the same is
//! made again. Nothing here can make a run fail: without a folder to write to, there is no cache.

use crate::contain::{decode, load_bytes};
use crate::{Error, Options, input};
use rejoin_ir::{Module, encode};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most bytes that all files of a cache may have; the longest unused go first.
const LIMIT: u64 = 256 << 20;

/// Like [`crate::load_contained`], but takes the module from the folder `cache`, or keeps it there.
/// Sources are compiled each time: their headers may have changed.
///
/// # Errors
/// Those of [`crate::load_contained`].
pub fn load_cached(exe: &Path, options: &Options, cache: &Path) -> Result<Module, Error> {
    let contents = input::all_compiled(options)?;
    let Some(file) = key(exe, options, &contents).map(|k| cache.join(k)) else {
        return decode(&load_bytes(exe, options, &contents)?);
    };
    if let Some(module) = std::fs::read(&file).ok().and_then(|bytes| encode::from_bytes(&bytes).ok()) {
        // What is used stays.
        let _ = std::fs::File::open(&file).and_then(|f| f.set_modified(SystemTime::now()));
        return Ok(module);
    }
    let bytes = load_bytes(exe, options, &contents)?;
    let module = decode(&bytes)?;
    let _ = keep(cache, &file, &bytes).and_then(|()| shrink(cache, LIMIT));
    Ok(module)
}

/// The name of the file for these inputs: 128 bits of hash. `None` if the library cannot be read.
fn key(exe: &Path, options: &Options, contents: &[Vec<u8>]) -> Option<String> {
    let libc = options.libc.iter().flat_map(|l| std::iter::once(&l.bitcode).chain(&l.compat));
    let libc = libc.map(|path| input::contents(path).ok()).collect::<Option<Vec<_>>>()?;
    let maker = std::fs::metadata(exe).ok()?;
    let half = |seed: u64| {
        let mut hash = DefaultHasher::new();
        (seed, encode::VERSION, exe, maker.len(), maker.modified().ok()).hash(&mut hash);
        (&options.inputs, format!("{:?}", options.passes), &options.entry, &options.roots).hash(&mut hash);
        (contents, &libc).hash(&mut hash);
        hash.finish()
    };
    Some(format!("{:016x}{:016x}", half(0), half(1)))
}

fn keep(cache: &Path, file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(cache)?;
    let mut new = tempfile::NamedTempFile::new_in(cache)?;
    new.write_all(bytes)?;
    new.persist(file)?;
    Ok(())
}

/// Removes the longest unused files until the rest has at most `limit` bytes.
fn shrink(cache: &Path, limit: u64) -> std::io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(cache)? {
        // Another process may have removed it meanwhile.
        if let Ok((path, meta)) = entry.and_then(|e| Ok((e.path(), e.metadata()?))) {
            files.push((meta.modified()?, meta.len(), path));
        }
    }
    files.sort_unstable();
    let mut total: u64 = files.iter().map(|f| f.1).sum();
    for (_, len, path) in files {
        if total <= limit {
            break;
        }
        let _ = std::fs::remove_file(path);
        total -= len;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_longest_unused_files_go() {
        let dir = tempfile::tempdir().expect("a folder");
        for (age, name) in ["young", "middle", "old"].iter().enumerate() {
            let file = dir.path().join(name);
            keep(dir.path(), &file, &[0; 100]).expect("a file");
            let time = SystemTime::now() - Duration::from_secs(60 * age as u64);
            std::fs::File::open(&file).and_then(|f| f.set_modified(time)).expect("a time");
        }
        let left = |limit| {
            shrink(dir.path(), limit).expect("a readable folder");
            ["young", "middle", "old"].map(|n| dir.path().join(n).exists())
        };
        assert_eq!(left(300), [true, true, true]);
        assert_eq!(left(299), [true, true, false]);
        assert_eq!(left(100), [true, false, false]);
    }
}
