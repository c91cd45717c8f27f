//! The real kernel's side.

use crate::script::MEMORY;
use crate::{Kernel, World, run as run_script};
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

pub(crate) fn own_uid() -> u32 {
    // SAFETY: has no preconditions.
    unsafe { libc::geteuid() }
}

/// Runs the first `count` sequences as `uid` in a process of their own.
pub(crate) fn run(uid: u32, count: u64) -> (World, Vec<Vec<String>>) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let root = dir.path().join("root");
    for name in ["dev", "proc", "tmp", "w"] {
        fs::create_dir_all(root.join(name)).expect("a directory");
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).expect("one's own directory");
    if own_uid() == 0 {
        std::os::unix::fs::chown(root.join("w"), Some(uid), Some(uid)).expect("root may");
    }
    let counts_directories = fs::metadata(&root).expect("is there").nlink() == 6;
    let world = World { uid, climb: own_uid() == 0, counts_directories };
    let results = dir.path().join("results");
    let status = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "executor", "--ignored", "--nocapture"])
        .env("REJOIN_ENV_EXECUTOR", format!("{uid} {count} {counts_directories}"))
        .env("REJOIN_ENV_ROOT", &root)
        .env("REJOIN_ENV_RESULTS", &results)
        .stdout(std::process::Stdio::null())
        .status()
        .expect("this test runs");
    assert!(status.success(), "the executor failed");
    let text = fs::read_to_string(&results).expect("the executor's results");
    let sequences = text.split_terminator("\n\n").map(|s| s.lines().map(str::to_owned).collect());
    (world, sequences.collect())
}

struct Real(Box<[u8; MEMORY]>);

impl Kernel for Real {
    fn base(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    fn write(&mut self, at: u64, bytes: &[u8]) {
        self.0[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }

    fn read(&self, at: u64, len: usize) -> Vec<u8> {
        self.0[at as usize..at as usize + len].to_vec()
    }

    fn call(&mut self, number: i64, args: [u64; 6]) -> i64 {
        let [a, b, c, d, e, f] = args;
        // SAFETY: the calls of a script write only to its own memory, which `self` owns and whose
        // size exceeds all lengths that scripts use; none of them maps or unmaps memory.
        let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
        if result >= 0 {
            return result;
        }
        -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    }
}

const RESULTS: i32 = 200;
const DESCRIPTORS: i32 = 1024;

/// Confines the process, becomes the user asked for, and runs the sequences.
pub(crate) fn execute() {
    let Ok(order) = std::env::var("REJOIN_ENV_EXECUTOR") else { return };
    let order: Vec<&str> = order.split(' ').collect();
    let (uid, count): (u32, u64) = (order[0].parse().unwrap(), order[1].parse().unwrap());
    let climb = own_uid() == 0;
    let world = World { uid, climb, counts_directories: order[2] == "true" };
    let root = std::env::var("REJOIN_ENV_ROOT").unwrap();
    let results = CString::new(std::env::var("REJOIN_ENV_RESULTS").unwrap()).unwrap();
    let path = CString::new(root.clone()).unwrap();
    // SAFETY: plain system calls on strings and arrays that live long enough; this process does
    // nothing else.
    unsafe {
        let fd = libc::open(results.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o644);
        assert!(libc::dup2(fd, RESULTS) == RESULTS);
        let limit = libc::rlimit { rlim_cur: DESCRIPTORS as u64, rlim_max: DESCRIPTORS as u64 };
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
        if climb {
            assert_eq!(libc::chroot(path.as_ptr()), 0);
            assert_eq!(libc::setgroups(1, &uid), 0);
            assert_eq!(libc::setgid(uid), 0);
            assert_eq!(libc::setuid(uid), 0);
        }
    }
    let root = if climb { "/".to_owned() } else { root };
    let mut text = String::new();
    for seed in 0..count {
        clean(&root);
        let mut real = Real(vec![0; MEMORY].into_boxed_slice().try_into().unwrap());
        text += &(run_script(&mut real, seed, world).join("\n") + "\n\n");
    }
    // SAFETY: writes a string that lives, to a descriptor that no script closes.
    let written = unsafe { libc::write(RESULTS, text.as_ptr().cast(), text.len()) };
    assert_eq!(written, text.len() as isize);
}

/// An empty working directory, no descriptors, the usual mask.
fn clean(root: &str) {
    // SAFETY: closes descriptors that nothing here owns.
    unsafe {
        (3..DESCRIPTORS).filter(|fd| *fd != RESULTS).for_each(|fd| _ = libc::close(fd));
        libc::umask(0o022);
    }
    let home = Path::new(root).join("w");
    for entry in fs::read_dir(root).unwrap().map(Result::unwrap) {
        if !["dev", "proc", "tmp", "w"].iter().any(|n| entry.file_name() == *n) {
            remove(&entry.path());
        }
    }
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&home, mode.clone()).unwrap();
    for entry in fs::read_dir(&home).unwrap().map(Result::unwrap) {
        remove(&entry.path());
    }
    if own_uid() == 0 {
        fs::set_permissions(root, mode).unwrap();
        std::os::unix::fs::chown(&home, Some(0), Some(0)).unwrap();
        std::os::unix::fs::chown(root, Some(0), Some(0)).unwrap();
    }
    std::env::set_current_dir(&home).unwrap();
}

fn remove(path: &Path) {
    if fs::symlink_metadata(path).unwrap().is_dir() {
        _ = fs::set_permissions(path, fs::Permissions::from_mode(0o777));
        for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
            remove(&entry.path());
        }
        fs::remove_dir(path).unwrap();
    } else {
        fs::remove_file(path).unwrap();
    }
}
