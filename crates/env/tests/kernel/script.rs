//! Random sequences of file calls.

use std::fmt::Write;

/// Where in the program's memory a call finds and leaves things.
pub(crate) const PATHS: [u64; 2] = [0x1000, 0x3000];
pub(crate) const VECTOR: u64 = 0x200;
pub(crate) const DATA: u64 = 0x5000;
pub(crate) const OUT: u64 = 0x8000;
pub(crate) const MEMORY: usize = 0x20000;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Number(i64),
    /// A position in the program's memory.
    At(u64),
}

/// What a successful call leaves behind, and how to compare it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Left {
    Nothing,
    /// As many bytes as the call returns.
    Returned,
    /// That many bytes.
    Bytes(usize),
    Stat,
    Statx,
    Directory,
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) name: &'static str,
    pub(crate) number: i64,
    pub(crate) args: [Arg; 6],
    pub(crate) before: Vec<(u64, Vec<u8>)>,
    pub(crate) vector: Option<Vector>,
    pub(crate) left: Left,
}

/// An array of buffers, put at [`VECTOR`]: they follow each other from `start`.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub(crate) start: u64,
    pub(crate) lengths: Vec<u64>,
}

impl Op {
    /// The call as a person would write it.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}(", self.name);
        for arg in self.args {
            match arg {
                Arg::Number(n) => write!(text, "{n:#o} ").unwrap(),
                Arg::At(VECTOR) => write!(text, "{:?} ", self.vector).unwrap(),
                Arg::At(at) => match self.before.iter().find(|b| b.0 == at) {
                    Some((_, bytes)) => {
                        write!(text, "{:?} ", String::from_utf8_lossy(&bytes[..bytes.len().min(40)])).unwrap()
                    }
                    None => write!(text, "@{at:#x} ").unwrap(),
                },
            }
        }
        text + ")"
    }
}

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    before: Vec<(u64, Vec<u8>)>,
    vector: Option<Vector>,
    /// Whether paths may lead upwards.
    climb: bool,
}

use Arg::{At, Number};

impl Maker<'_> {
    fn path(&mut self, slot: usize) -> Arg {
        if self.random.one_in(200) {
            return Number(0);
        }
        let mut path = Vec::new();
        match self.random.below(20) {
            0 if self.climb => path.extend_from_slice(b"/"),
            1 if self.climb => path.extend_from_slice(b"/w/"),
            2 if self.climb => path.extend_from_slice(b"../"),
            3 => path.extend_from_slice(b"./"),
            4 if self.climb => path.extend_from_slice(b"..//w/"),
            _ => {}
        }
        for i in 0..self.random.pick(&[1, 1, 1, 1, 1, 2, 2, 3]) {
            if i > 0 {
                path.extend_from_slice(self.random.pick(&[&b"/"[..], b"/", b"//"]));
            }
            let name: &[u8] = match self.random.below(40) {
                0 => b".",
                1 if self.climb => b"..",
                2 if self.random.one_in(4) => &[b'n'; 256],
                3 if self.random.one_in(4) => &[b'm'; 255],
                n => [b"a", b"b", b"c", b"d", b"e"][n as usize % 5],
            };
            path.extend_from_slice(name);
        }
        if self.random.one_in(12) {
            path.extend_from_slice(b"/");
        }
        if self.random.one_in(100) {
            path.clear();
        }
        path.push(0);
        self.before.push((PATHS[slot], path));
        At(PATHS[slot])
    }

    /// What a symbolic link points to.
    fn target(&mut self) -> Arg {
        let mut targets: Vec<&[u8]> =
            vec![b"a", b"b", b"c", b"d", b"e", b"a/b", b"b/", b".", b"x", b"", b"./a", b"b/c/"];
        if self.climb {
            targets.extend([&b".."[..], b"/", b"/w/a", b"../w", b"../a", b"/w"]);
        }
        let target = self.random.pick(&targets);
        self.before.push((PATHS[0], [target, b"\0"].concat()));
        At(PATHS[0])
    }

    fn fd(&mut self) -> Arg {
        Number(if self.random.one_in(15) {
            self.random.pick(&[-1, 9, 30, 2000])
        } else {
            3 + self.random.below(4) as i64
        })
    }

    fn dirfd(&mut self) -> Arg {
        if self.random.one_in(2) { Number(-100) } else { self.fd() }
    }

    fn number(&mut self, from: &[i64]) -> Arg {
        Number(self.random.pick(from))
    }

    fn flags(&mut self, from: &[i64]) -> Arg {
        Number(from.iter().fold(0, |all, f| if self.random.one_in(5) { all | f } else { all }))
    }

    fn open_flags(&mut self) -> Arg {
        let access = self.random.pick(&[0, 0, 1, 2, 2, 2, 3]);
        let mut flags = 0;
        for (flag, rarity) in [
            (libc::O_CREAT, 2),
            (libc::O_EXCL, 6),
            (libc::O_TRUNC, 6),
            (libc::O_APPEND, 6),
            (libc::O_DIRECTORY, 10),
            (libc::O_NOFOLLOW, 10),
            (libc::O_CLOEXEC, 10),
            (libc::O_PATH, 20),
        ] {
            if self.random.one_in(rarity) {
                flags |= flag;
            }
        }
        if self.random.one_in(3) {
            return Number(libc::O_DIRECTORY.into());
        }
        Number((access | flags).into())
    }

    fn mode(&mut self) -> Arg {
        self.number(&[0o644, 0o600, 0o777, 0o755, 0o000, 0o400, 0o200, 0o4755, 0o2755, 0o1777, 0o111, 0o6777])
    }

    fn offset(&mut self) -> Arg {
        self.number(&[0, 0, 1, 3, 10, 100, 4090, 5000, 70000, -1, -5, i64::MAX, 1 << 44, (1 << 44) - 4096])
    }

    fn length(&mut self) -> Arg {
        self.number(&[0, 1, 2, 5, 10, 40, 200])
    }

    fn buffer(&mut self, at: u64) -> Arg {
        if self.random.one_in(40) { Number(0) } else { At(at) }
    }

    fn data(&mut self) -> Arg {
        let start = self.random.below(26) as u8;
        let text = (0..200u8).map(|i| b'a' + (start + i) % 26).collect();
        self.before.push((DATA, text));
        self.buffer(DATA)
    }

    /// A few buffers of a few bytes each.
    fn vector(&mut self, start: u64) -> (Arg, Arg) {
        let lengths: Vec<u64> = (0..self.random.below(4)).map(|_| self.random.below(9)).collect();
        let count = lengths.len() as i64;
        self.vector = Some(Vector { start, lengths });
        (At(VECTOR), Number(count))
    }
}

/// A weight, a name, a number, and how to make its arguments.
type Row = (u64, &'static str, i64, fn(&mut Maker) -> (Vec<Arg>, Left));

const ROWS: &[Row] = &[
    (14, "open", libc::SYS_open, |m| (vec![m.path(0), m.open_flags(), m.mode()], Left::Nothing)),
    (8, "openat", libc::SYS_openat, |m| {
        (vec![m.dirfd(), m.path(0), m.open_flags(), m.mode()], Left::Nothing)
    }),
    (2, "creat", libc::SYS_creat, |m| (vec![m.path(0), m.mode()], Left::Nothing)),
    (6, "close", libc::SYS_close, |m| (vec![m.fd()], Left::Nothing)),
    (2, "dup", libc::SYS_dup, |m| (vec![m.fd()], Left::Nothing)),
    (2, "dup2", libc::SYS_dup2, |m| (vec![m.fd(), m.fd()], Left::Nothing)),
    (1, "dup3", libc::SYS_dup3, |m| {
        (vec![m.fd(), m.fd(), m.number(&[0, libc::O_CLOEXEC.into(), 1])], Left::Nothing)
    }),
    (3, "pipe2", libc::SYS_pipe2, |m| {
        let extra = m.number(&[libc::O_NONBLOCK.into(), (libc::O_NONBLOCK | libc::O_CLOEXEC).into(), 1]);
        (vec![m.buffer(OUT), extra], Left::Bytes(8))
    }),
    (10, "read", libc::SYS_read, |m| (vec![m.fd(), m.buffer(OUT), m.length()], Left::Returned)),
    (4, "pread", libc::SYS_pread64, |m| {
        (vec![m.fd(), m.buffer(OUT), m.length(), m.offset()], Left::Returned)
    }),
    (3, "readv", libc::SYS_readv, |m| {
        let (list, count) = m.vector(OUT);
        (vec![m.fd(), list, count], Left::Returned)
    }),
    (1, "preadv", libc::SYS_preadv, |m| {
        let (list, count) = m.vector(OUT);
        (vec![m.fd(), list, count, m.offset()], Left::Returned)
    }),
    (12, "write", libc::SYS_write, |m| (vec![m.fd(), m.data(), m.length()], Left::Nothing)),
    (4, "pwrite", libc::SYS_pwrite64, |m| {
        // Not from a bad address: some file systems then grow the file all the same.
        m.data();
        (vec![m.fd(), At(DATA), m.length(), m.offset()], Left::Nothing)
    }),
    (3, "writev", libc::SYS_writev, |m| {
        m.data();
        let (list, count) = m.vector(DATA);
        (vec![m.fd(), list, count], Left::Nothing)
    }),
    (1, "pwritev", libc::SYS_pwritev, |m| {
        m.data();
        let (list, count) = m.vector(DATA);
        (vec![m.fd(), list, count, m.offset()], Left::Nothing)
    }),
    (8, "lseek", libc::SYS_lseek, |m| {
        (vec![m.fd(), m.offset(), m.number(&[0, 0, 1, 1, 2, 2, 9])], Left::Nothing)
    }),
    (3, "ftruncate", libc::SYS_ftruncate, |m| (vec![m.fd(), m.offset()], Left::Nothing)),
    (2, "truncate", libc::SYS_truncate, |m| (vec![m.path(0), m.offset()], Left::Nothing)),
    (1, "fallocate", libc::SYS_fallocate, |m| {
        let len = m.number(&[0, 1, 10, 5000]);
        (vec![m.fd(), m.number(&[0, 1, 3]), m.number(&[0, 3, 5000, -1]), len], Left::Nothing)
    }),
    (2, "sendfile", libc::SYS_sendfile, |m| (vec![m.fd(), m.fd(), Number(0), m.length()], Left::Nothing)),
    (2, "copy_file_range", libc::SYS_copy_file_range, |m| {
        (vec![m.fd(), Number(0), m.fd(), Number(0), m.length(), Number(0)], Left::Nothing)
    }),
    (5, "stat", libc::SYS_stat, |m| (vec![m.path(0), m.buffer(OUT)], Left::Stat)),
    (5, "lstat", libc::SYS_lstat, |m| (vec![m.path(0), m.buffer(OUT)], Left::Stat)),
    (5, "fstat", libc::SYS_fstat, |m| (vec![m.fd(), m.buffer(OUT)], Left::Stat)),
    (4, "newfstatat", libc::SYS_newfstatat, |m| {
        (vec![m.dirfd(), m.path(0), At(OUT), m.flags(&[0x100, 0x1000, 0x200])], Left::Stat)
    }),
    (2, "statx", libc::SYS_statx, |m| {
        let flags = m.flags(&[0x100, 0x1000]);
        (vec![m.dirfd(), m.path(0), flags, Number(0x7ff), At(OUT)], Left::Statx)
    }),
    (4, "access", libc::SYS_access, |m| {
        (vec![m.path(0), m.number(&[0, 1, 2, 3, 4, 5, 6, 7, 8])], Left::Nothing)
    }),
    (2, "faccessat2", libc::SYS_faccessat2, |m| {
        let flags = m.flags(&[0x100, 0x1000, 0x200]);
        (vec![m.dirfd(), m.path(0), m.number(&[0, 1, 2, 4, 7]), flags], Left::Nothing)
    }),
    (4, "readlink", libc::SYS_readlink, |m| {
        (vec![m.path(0), At(OUT), m.number(&[100, 100, 2, 0, -1])], Left::Returned)
    }),
    (1, "readlinkat", libc::SYS_readlinkat, |m| {
        (vec![m.dirfd(), m.path(0), At(OUT), m.number(&[100, 1])], Left::Returned)
    }),
    (8, "getdents64", libc::SYS_getdents64, |m| (vec![m.fd(), At(OUT), Number(0x10000)], Left::Directory)),
    (10, "mkdir", libc::SYS_mkdir, |m| (vec![m.path(0), m.mode()], Left::Nothing)),
    (2, "mkdirat", libc::SYS_mkdirat, |m| (vec![m.dirfd(), m.path(0), m.mode()], Left::Nothing)),
    (1, "mknod", libc::SYS_mknod, |m| (vec![m.path(0), m.mode()], Left::Nothing)),
    (5, "rmdir", libc::SYS_rmdir, |m| (vec![m.path(0)], Left::Nothing)),
    (5, "unlink", libc::SYS_unlink, |m| (vec![m.path(0)], Left::Nothing)),
    (2, "unlinkat", libc::SYS_unlinkat, |m| {
        (vec![m.dirfd(), m.path(0), m.number(&[0, 0x200, 1])], Left::Nothing)
    }),
    (8, "rename", libc::SYS_rename, |m| (vec![m.path(0), m.path(1)], Left::Nothing)),
    (3, "renameat2", libc::SYS_renameat2, |m| {
        let flags = m.number(&[0, 1, 2, 3, 16]);
        (vec![m.dirfd(), m.path(0), m.dirfd(), m.path(1), flags], Left::Nothing)
    }),
    (6, "link", libc::SYS_link, |m| (vec![m.path(0), m.path(1)], Left::Nothing)),
    (2, "linkat", libc::SYS_linkat, |m| {
        let flags = m.flags(&[0x400, 0x100]);
        (vec![m.dirfd(), m.path(0), m.dirfd(), m.path(1), flags], Left::Nothing)
    }),
    (8, "symlink", libc::SYS_symlink, |m| (vec![m.target(), m.path(1)], Left::Nothing)),
    (1, "symlinkat", libc::SYS_symlinkat, |m| (vec![m.target(), m.dirfd(), m.path(1)], Left::Nothing)),
    (4, "chdir", libc::SYS_chdir, |m| (vec![m.path(0)], Left::Nothing)),
    (2, "fchdir", libc::SYS_fchdir, |m| (vec![m.fd()], Left::Nothing)),
    (4, "getcwd", libc::SYS_getcwd, |m| (vec![m.buffer(OUT), m.number(&[4096, 4096, 3])], Left::Returned)),
    (3, "chmod", libc::SYS_chmod, |m| (vec![m.path(0), m.mode()], Left::Nothing)),
    (1, "fchmod", libc::SYS_fchmod, |m| (vec![m.fd(), m.mode()], Left::Nothing)),
    (1, "fchmodat", libc::SYS_fchmodat, |m| (vec![m.dirfd(), m.path(0), m.mode()], Left::Nothing)),
    (2, "fchownat", libc::SYS_fchownat, |m| {
        let (user, group) = (m.number(&[-1, 0, 1234, 4321]), m.number(&[-1, 0, 1234, 4321]));
        (vec![m.dirfd(), m.path(0), user, group, m.flags(&[0x100])], Left::Nothing)
    }),
    (1, "umask", libc::SYS_umask, |m| (vec![m.number(&[0o22, 0o77, 0, 0o1777])], Left::Nothing)),
    (2, "utimensat", libc::SYS_utimensat, |m| {
        let nanoseconds = m.random.pick(&[5u64, 0x3fff_ffff, 0x3fff_fffe, 1_000_000_000]);
        let times = [7u64, 0x3fff_fffe, 11, nanoseconds];
        m.before.push((DATA, times.iter().flat_map(|t| t.to_le_bytes()).collect()));
        let times = if m.random.one_in(3) { Number(0) } else { At(DATA) };
        (vec![m.dirfd(), m.path(0), times, m.flags(&[0x100])], Left::Nothing)
    }),
    (4, "fcntl", libc::SYS_fcntl, |m| {
        let command = m.random.pick(&[0, 1, 2, 3, 3, 4, 1030, 77]);
        let argument = match command {
            4 => m.number(&[0o4000, 0o6000]),
            _ => m.number(&[0, 1, 5, 2000]),
        };
        (vec![m.fd(), Number(command), argument], Left::Nothing)
    }),
    (2, "ioctl", libc::SYS_ioctl, |m| (vec![m.fd(), m.number(&[0x5401, 0x541b]), At(OUT)], Left::Bytes(4))),
    (2, "poll", libc::SYS_poll, |m| {
        let mut list = Vec::new();
        for _ in 0..2 {
            let Number(fd) = m.fd() else { continue };
            list.extend((fd as i32).to_le_bytes());
            list.extend(m.random.pick(&[1u16, 4, 5, 0x145]).to_le_bytes());
            list.extend([0xff; 2]);
        }
        m.before.push((OUT, list));
        (vec![At(OUT), Number(2), Number(0)], Left::Bytes(16))
    }),
    (1, "fsync", libc::SYS_fsync, |m| (vec![m.fd()], Left::Nothing)),
    (1, "flock", libc::SYS_flock, |m| (vec![m.fd(), m.number(&[5, 6, 8, 4])], Left::Nothing)),
    (1, "getxattr", libc::SYS_getxattr, |m| {
        m.before.push((PATHS[1], b"user.x\0".to_vec()));
        (vec![m.path(0), At(PATHS[1]), At(OUT), Number(100)], Left::Nothing)
    }),
];

/// How a sequence begins: with something to work on.
const START: &[Row] = &[
    (4, "open", libc::SYS_open, |m| {
        (vec![m.path(0), Number((libc::O_CREAT | libc::O_RDWR).into()), Number(0o644)], Left::Nothing)
    }),
    (3, "mkdir", libc::SYS_mkdir, |m| (vec![m.path(0), Number(0o755)], Left::Nothing)),
    (2, "open", libc::SYS_open, |m| (vec![m.path(0), Number(libc::O_DIRECTORY.into())], Left::Nothing)),
    (1, "symlink", libc::SYS_symlink, |m| (vec![m.target(), m.path(1)], Left::Nothing)),
    (2, "write", libc::SYS_write, |m| (vec![m.fd(), m.data(), Number(40)], Left::Nothing)),
];

/// The sequence of a seed.
pub(crate) fn script(seed: u64, climb: bool) -> Vec<Op> {
    let mut random = Random::new(seed);
    for _ in 0..8 {
        random.below(2);
    }
    let (start, len) = (10 + random.below(15), 20 + random.below(60));
    (0..start + len).map(|i| op(if i < start { START } else { ROWS }, &mut random, climb)).collect()
}

fn op(rows: &[Row], random: &mut Random, climb: bool) -> Op {
    let mut at = random.below(rows.iter().map(|r| r.0).sum());
    let mut chosen = 0;
    while at >= rows[chosen].0 {
        at -= rows[chosen].0;
        chosen += 1;
    }
    let (_, name, number, make) = rows[chosen];
    let mut maker = Maker { random, before: Vec::new(), vector: None, climb };
    let (given, left) = make(&mut maker);
    let mut args = [Number(0); 6];
    args[..given.len()].copy_from_slice(&given);
    Op { name, number, args, before: maker.before, vector: maker.vector, left }
}
