//! Files that are there whole or not at all, whenever the process is killed.
//!
//! There are two ways. The usual one is a temporary name and a rename. Where files are many, each is made
//! without a name (`O_TMPFILE`) and gets its name when it is complete: the directory is searched and
//! changed once per file instead of three times, which is most of the cost of a small file. Not every file
//! system can do that; then the usual way is taken. Neither waits for the disk: what the kernel was given
//! survives the process.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open, openat};
use std::{
    fs::{self, File},
    io::{self, Write},
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

/// Writes a file under a temporary name, then renames it: readers see all of it or none.
pub(crate) fn write_renamed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    let result = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // Best effort: the failure to report is the first one.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A directory that gets many files, each under a new name.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    open: OwnedFd,
    /// Whether its file system makes files without a name, as far as we know.
    nameless: bool,
}

impl Directory {
    /// Makes the directory if need be.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        let open = open(&path, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Directory { path, open, nameless: true })
    }

    /// Writes a file.
    pub(crate) fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if self.nameless && self.write_nameless(name, bytes).is_ok() {
            return Ok(());
        }
        self.nameless = false;
        write_renamed(&self.path.join(name), bytes)
    }

    fn write_nameless(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.open, ".", flags, Mode::from_raw_mode(0o666))?);
        file.write_all(bytes)?;
        // The short way is not open to everybody.
        let named = linkat(&file, "", &self.open, name, AtFlags::EMPTY_PATH).or_else(|_| {
            let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(CWD, &itself, &self.open, name, AtFlags::SYMLINK_FOLLOW)
        });
        Ok(named?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn both_ways_leave_the_same_file_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        for nameless in [true, false] {
            let mut dir = Directory::create(base.path().join(nameless.to_string())).unwrap();
            dir.nameless = nameless;
            dir.write("a", b"first").unwrap();
            assert_eq!(fs::read(dir.path.join("a")).unwrap(), b"first");
            let mode = fs::metadata(dir.path.join("a")).unwrap().permissions().mode();
            fs::write(dir.path.join("other"), "").unwrap();
            let other = fs::metadata(dir.path.join("other")).unwrap().permissions().mode();
            assert_eq!(mode, other);
            assert_eq!(fs::read_dir(&dir.path).unwrap().count(), 2);
        }
    }

    #[test]
    fn where_no_name_can_be_given_later_the_file_is_renamed() {
        let base = tempfile::tempdir().unwrap();
        let mut dir = Directory::create(base.path().join("d")).unwrap();
        // A name that is taken cannot be given by a link.
        fs::write(dir.path.join("a"), "old").unwrap();
        dir.write("a", b"new").unwrap();
        assert!(!dir.nameless);
        assert_eq!(fs::read(dir.path.join("a")).unwrap(), b"new");
        assert_eq!(fs::read_dir(&dir.path).unwrap().count(), 1);
    }
}
