//! Building the world a program starts in.

use crate::bytes::Bytes;
use crate::data::Data;
use crate::errno::Errno;
use crate::files::{Files, O_LARGEFILE, O_RDWR, O_WRONLY, Open};
use crate::fs::{Birth, Fs, ROOT, empty_dir};
use crate::node::{Device, Kind, NodeId, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFREG, S_ISVTX, Stream, Time};
use crate::os::{EPOCH, Os};
use crate::output::Output;
use crate::path::{Last, Walk};
use crate::process::Process;
use rejoin_expr::Term;
use std::io;
use std::path::{Component, Path};
use std::rc::Rc;

/// Where standard input comes from.
#[derive(Clone, Debug, Default)]
pub enum Input {
    /// `/dev/null`.
    #[default]
    Empty,
    /// A regular file: it has a size and a position.
    File(Bytes),
    /// A pipe that ends after these bytes.
    Pipe(Bytes),
    /// A terminal on which these bytes are typed, then end of file.
    Terminal(Bytes),
}

/// Where standard output or standard error goes. All are kept; what differs is what the program
/// sees. Outputs of different length can be merged unless they are files, whose size is visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sink {
    /// A pipe.
    #[default]
    Pipe,
    /// A terminal.
    Terminal,
    /// A regular file.
    File,
    /// `/dev/null`: nothing is kept.
    Null,
}

/// Who runs the program, where, and with which standard streams.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Standard input.
    pub stdin: Input,
    /// Standard output.
    pub stdout: Sink,
    /// Standard error.
    pub stderr: Sink,
    /// The user; 0 may do everything.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// Whether the user is alone in a user namespace: what belongs to others is shown as 65534's, and
    /// belongs to them all the same.
    pub alone: bool,
    /// The working directory, absolute; it is made.
    pub cwd: String,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            stdin: Input::Empty,
            stdout: Sink::Pipe,
            stderr: Sink::Pipe,
            uid: 0,
            gid: 0,
            alone: false,
            cwd: "/home".to_owned(),
        }
    }
}

const DEVICES: &[(&str, Device)] = &[
    ("/dev/null", Device::Null),
    ("/dev/zero", Device::Zero),
    ("/dev/full", Device::Full),
    ("/dev/random", Device::Random),
    ("/dev/urandom", Device::Random),
    ("/dev/tty", Device::Tty),
];

const LINKS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

impl Os {
    /// A small file system (`/dev`, `/tmp`, `/proc/self/fd` and the working directory) and three
    /// standard streams.
    ///
    /// # Errors
    /// When the working directory's path is not one.
    pub fn new(setup: &Setup) -> Result<Os, Errno> {
        let birth = Birth { uid: 0, gid: 0, now: Time { sec: EPOCH, nsec: 0 } };
        let mut os = Os {
            fs: Fs::new(birth),
            files: Files::default(),
            process: Rc::new(Process::new(0, 0, ROOT)),
            clock: 0,
            random: 0,
            standard: [ROOT; 3],
            namespace: setup.alone.then_some((setup.uid, setup.gid)),
        };
        os.add_directory("/dev", 0o755)?;
        for &(path, device) in DEVICES {
            os.place(path, S_IFCHR | 0o666, Kind::Device(device))?;
        }
        for &(path, target) in LINKS {
            os.add_link(path, target)?;
        }
        os.add_directory("/tmp", S_ISVTX | 0o777)?;
        os.add_directory("/proc/self", 0o555)?;
        os.place("/proc/self/fd", S_IFDIR | 0o500, Kind::Device(Device::Descriptors))?;
        let cwd = os.add_directory(&setup.cwd, 0o755)?;
        os.process = Rc::new(Process::new(setup.uid, setup.gid, cwd));
        let home = &mut os.fs.edit(cwd).meta;
        if cwd != ROOT {
            (home.uid, home.gid) = (setup.uid, setup.gid);
        }
        os.give_streams(setup)?;
        Ok(os)
    }

    fn give_streams(&mut self, setup: &Setup) -> Result<(), Errno> {
        let null = Walk::new(self).resolve(ROOT, b"/dev/null", true)?;
        let streams = [
            self.input(&setup.stdin).map(|n| (n, 0)).unwrap_or((null, 0)),
            self.sink(setup.stdout).map(|n| (n, O_WRONLY)).unwrap_or((null, O_WRONLY)),
            self.sink(setup.stderr).map(|n| (n, O_WRONLY)).unwrap_or((null, O_WRONLY)),
        ];
        for (fd, (node, access)) in streams.into_iter().enumerate() {
            let flags = match self.fs.node(node).kind {
                Kind::Stream(Stream { terminal: true, .. }) => O_RDWR | O_LARGEFILE,
                Kind::Stream(_) => access,
                _ => access | O_LARGEFILE,
            };
            self.files.install(fd as u32, Open::new(node, flags), false);
            self.standard[fd] = node;
        }
        Ok(())
    }

    fn stream(&mut self, terminal: bool, input: Data) -> NodeId {
        let mode = if terminal { S_IFCHR | 0o620 } else { S_IFIFO | 0o600 };
        let stream = Stream { terminal, input, taken: 0, output: Output::default() };
        let id = self.fs.add(mode, self.birth(), Kind::Stream(stream));
        self.fs.edit(id).meta.nlink = 1;
        id
    }

    fn input(&mut self, input: &Input) -> Option<NodeId> {
        match input {
            Input::Empty => None,
            Input::File(bytes) => Some(self.nameless_file(bytes.into())),
            Input::Pipe(bytes) => Some(self.stream(false, bytes.into())),
            Input::Terminal(bytes) => Some(self.stream(true, bytes.into())),
        }
    }

    fn sink(&mut self, sink: Sink) -> Option<NodeId> {
        match sink {
            Sink::Null => None,
            Sink::File => Some(self.nameless_file(Data::default())),
            Sink::Pipe => Some(self.stream(false, Data::default())),
            Sink::Terminal => Some(self.stream(true, Data::default())),
        }
    }

    fn nameless_file(&mut self, data: Data) -> NodeId {
        let id = self.fs.add(S_IFREG | 0o644, self.birth(), Kind::File(data));
        self.fs.edit(id).meta.nlink = 1;
        id
    }

    /// Adds a node at an absolute path whose parent exists.
    fn place(&mut self, path: &str, mode: u32, kind: Kind) -> Result<NodeId, Errno> {
        let walk = Walk::new(self).parent(ROOT, path.as_bytes())?;
        let Last::Name(name) = walk.last else { return Err(Errno::EEXIST) };
        if self.fs.entry(walk.dir, &name).is_some() {
            return Err(Errno::EEXIST);
        }
        let birth = self.birth();
        Ok(self.fs.create(walk.dir, &name, mode, birth, kind))
    }

    /// Adds a regular file, owned by the program's user.
    ///
    /// # Errors
    /// When there is one, or its directory is missing.
    pub fn add_file(&mut self, path: &str, content: &Bytes, mode: u32) -> Result<NodeId, Errno> {
        let cwd = self.process.cwd;
        let absolute = if path.starts_with('/') {
            path.to_owned()
        } else {
            let cwd = self.fs.path_of(cwd).ok_or(Errno::ENOENT)?;
            format!("{}/{path}", String::from_utf8_lossy(&cwd))
        };
        self.place(&absolute, S_IFREG | mode, Kind::File(content.into()))
    }

    /// Adds a symbolic link.
    ///
    /// # Errors
    /// When the name is taken, its directory is missing, or the target is empty.
    pub fn add_link(&mut self, path: &str, target: &str) -> Result<NodeId, Errno> {
        if target.is_empty() {
            return Err(Errno::ENOENT);
        }
        self.place(path, S_IFLNK | 0o777, Kind::Link(target.as_bytes().into()))
    }

    /// Adds a directory and those above it, as far as they are missing.
    ///
    /// # Errors
    /// When something in the way is not a directory, or the path is not absolute.
    pub fn add_directory(&mut self, path: &str, mode: u32) -> Result<NodeId, Errno> {
        let mut dir = ROOT;
        for name in path.split('/').filter(|n| !n.is_empty()) {
            if name == "." || name == ".." {
                return Err(Errno::EINVAL);
            }
            dir = match self.fs.entry(dir, name.as_bytes()) {
                Some(node) if self.fs.node(node).dir().is_some() => node,
                Some(_) => return Err(Errno::ENOTDIR),
                None => {
                    let birth = self.birth();
                    self.fs.create(dir, name.as_bytes(), S_IFDIR | mode, birth, Kind::Dir(empty_dir(dir)))
                }
            };
        }
        Ok(dir)
    }

    /// Replaces the content of a regular file.
    pub fn set_content(&mut self, node: NodeId, content: &Bytes) {
        if let Kind::File(data) = &mut self.fs.edit(node).kind {
            *data = content.into();
        }
    }

    /// Makes bytes of what `stat` tells about a node symbolic, by their offset in x86-64's
    /// `struct stat`. Only those of [`SYMBOLIC_STAT`](crate::SYMBOLIC_STAT) are taken. Of a symbolic
    /// size the low bytes are given, all that the size may need; it is never above that of the content.
    pub fn set_symbolic_stat(&mut self, node: NodeId, symbols: &[(usize, Term)]) {
        self.fs.edit(node).meta.make_symbolic(symbols);
    }

    /// The node of standard input, output or error (0, 1, 2).
    #[must_use]
    pub fn standard(&self, stream: usize) -> NodeId {
        self.standard[stream]
    }

    /// `struct stat` of a node, as the program would see it now.
    #[must_use]
    pub fn stat(&self, node: NodeId) -> Bytes {
        crate::stat::stat(&self.fs.node(node), self.namespace)
    }

    /// How many calls may fail by injection; [`Guest::fails`](crate::Guest::fails) says which.
    pub fn set_max_fail(&mut self, count: u32) {
        self.process_mut().failures = count;
    }

    /// Shows a directory of the host under its own path. It is read when the program looks, and
    /// never written: changes stay in the model.
    ///
    /// # Errors
    /// When it is not a directory that can be read.
    pub fn allow_read(&mut self, dir: &Path) -> io::Result<()> {
        let path = dir.canonicalize()?;
        std::fs::read_dir(&path)?;
        let mut parent = ROOT;
        let names: Vec<_> = path
            .components()
            .filter_map(|c| match c {
                Component::Normal(name) => Some(name.to_owned()),
                _ => None,
            })
            .collect();
        let now = self.now();
        let Some((last, above)) = names.split_last() else {
            self.fs.show_host_root(now);
            return Ok(());
        };
        for name in above {
            let name = name.as_encoded_bytes();
            parent = match self.fs.entry(parent, name) {
                Some(node) => node,
                None => {
                    let birth = self.birth();
                    self.fs.create(parent, name, S_IFDIR | 0o755, birth, Kind::Dir(empty_dir(parent)))
                }
            };
        }
        self.fs.show_host(parent, last.as_encoded_bytes(), path, now);
        Ok(())
    }

    /// Makes a directory the working directory.
    ///
    /// # Errors
    /// When the program cannot see it.
    pub fn enter(&mut self, dir: &Path) -> Result<(), Errno> {
        let cwd = Walk::new(self).resolve(ROOT, dir.as_os_str().as_encoded_bytes(), true)?;
        if self.fs.node(cwd).dir().is_none() {
            return Err(Errno::ENOTDIR);
        }
        self.process_mut().cwd = cwd;
        Ok(())
    }
}
