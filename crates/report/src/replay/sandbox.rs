//! Running one test natively, where it can do no harm.
//!
//! The process sees the machine's files read-only, a scratch directory in memory, no network, no other
//! process, and the limits given; it is an unprivileged user. Its standard input is a file, its outputs
//! are pipes, which are read to the limit on files.

use std::{
    ffi::OsString,
    fs::{self, File, Permissions},
    io::{self, Read},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::OsStringExt,
            fs::PermissionsExt,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread::JoinHandle,
    time::{Duration, SystemTime},
};

use rustix::process::Resource;
use thiserror::Error;

use super::{
    ReplayOptions,
    build::Flavour,
    observe::{End, Observed},
    spec::{self, Spec},
};

/// What one test may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time on the clock; processor time is bounded by the same.
    pub wall: Duration,
    /// Memory.
    pub memory_bytes: u64,
    /// The size of any one file, outputs included.
    pub file_bytes: u64,
}

/// There is no sandbox here.
#[derive(Debug, Error)]
#[error(
    "no sandbox for native replay: {0}\nReplay runs the program itself. To run it without a sandbox, \
     with your own rights, say --unsafe-replay."
)]
pub struct SandboxError(String);

/// How to confine a process on this machine.
#[derive(Clone, Debug)]
pub enum Sandbox {
    /// bubblewrap, as an ordinary user.
    Bubblewrap,
    /// bubblewrap, started by root as the user nobody.
    AsNobody,
    /// bubblewrap, started by root, inside a user namespace in which it is nobody. Where nobody may
    /// not make namespaces or cannot reach the working directory.
    MappedToNobody,
    /// Only the limits.
    None,
}

/// The user and group a process runs as.
pub const NOBODY: u32 = 65534;
/// The directory a process runs in.
pub const SCRATCH: &str = "/tmp/scratch";
/// How much a process may write to `/tmp` outside of it, which is its own too.
const TMP_BYTES: &str = "67108864";
/// The environment of a process. The replay runtime puts it in place.
pub const ENVIRONMENT: [&str; 1] = ["PATH=/usr/bin:/bin"];
/// Where its program is.
const BIN: &str = "/run/rejoin/bin";
/// Where its test is.
const INPUT: &str = "/run/rejoin/input.ktest";

/// A temporary directory that others may enter: the process of a test is another user.
pub(super) fn public_dir(within: Option<&Path>) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("rejoin-replay.").permissions(Permissions::from_mode(0o755));
    within.map_or_else(|| builder.tempdir(), |dir| builder.tempdir_in(dir))
}

impl Sandbox {
    /// The best sandbox that works here, tried out with the directories that will be used.
    pub fn find(work: &Path, readable: &[PathBuf], unsafe_replay: bool) -> Result<Self, SandboxError> {
        let candidates: &[Sandbox] = if rustix::process::geteuid().is_root() {
            &[Sandbox::AsNobody, Sandbox::MappedToNobody]
        } else {
            &[Sandbox::Bubblewrap]
        };
        let mut why = String::new();
        for sandbox in candidates {
            match sandbox.try_out(work, readable) {
                Ok(()) => return Ok(sandbox.clone()),
                Err(failure) => why = failure,
            }
        }
        if unsafe_replay { Ok(Sandbox::None) } else { Err(SandboxError(why)) }
    }

    fn try_out(&self, work: &Path, readable: &[PathBuf]) -> Result<(), String> {
        let probe = work.join("probe");
        fs::write(&probe, "").map_err(|e| e.to_string())?;
        let mut command = self.bubblewrap();
        command.arg("--ro-bind").arg(&probe).arg(INPUT).args(["--size", "4096", "--tmpfs", SCRATCH]);
        show(&mut command, readable);
        command.args(["--remount-ro", "/run", "--", "prlimit", "--core=0", "true"]);
        let output = command.stdin(Stdio::null()).output().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => "bubblewrap (bwrap) is not installed".to_owned(),
            _ => e.to_string(),
        })?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Everything about the sandbox that does not depend on the test.
    fn bubblewrap(&self) -> Command {
        let mut command = Command::new("bwrap");
        match self {
            Sandbox::AsNobody => {
                command.uid(NOBODY).gid(NOBODY);
            }
            Sandbox::Bubblewrap | Sandbox::MappedToNobody => {
                command.args(["--uid", "65534", "--gid", "65534"]);
            }
            Sandbox::None => {}
        }
        command.args(["--unshare-user", "--unshare-all", "--die-with-parent", "--new-session"]);
        command.args(["--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]);
        command.args(["--remount-ro", "/dev"]);
        // Services of the machine listen on sockets there, and a read-only socket still answers.
        command.args(["--tmpfs", "/run", "--perms", "1777", "--size", TMP_BYTES, "--tmpfs", "/tmp"]);
        command
    }

    /// Runs a program on a test and watches it to its end.
    pub(super) fn run(
        &self,
        work: &Path,
        program: &Path,
        flavour: Flavour,
        test: &[u8],
        spec: &Spec,
        options: &ReplayOptions,
    ) -> io::Result<Observed> {
        let limits = &options.limits;
        let dir = public_dir(Some(work))?;
        let run = Run { dir: dir.path(), program, flavour, spec, limits };
        fs::write(run.input(), test)?;
        let stdin = self.standard(&run, "stdin", &spec.stdin)?;
        let stdout = spec.stdout.as_ref().map(|f| self.standard(&run, "stdout", f)).transpose()?;
        let events = File::create(dir.path().join("events"))?;
        // Duplicates stay open across exec; the originals do not.
        let inherited = rustix::io::dup(&events)?;
        let files = run.files()?;
        let mut command = match self {
            Sandbox::None => run.unconfined()?,
            _ => run.confined(self.bubblewrap(), &files)?,
        };
        let (name, value) = ("REJOIN_REPLAY_FD", inherited.as_raw_fd().to_string());
        command.env(name, value).process_group(0).stdin(stdin).stderr(Stdio::piped());
        command.stdout(stdout.map_or_else(Stdio::piped, Stdio::from));
        let mut child = command.spawn()?;
        drop((inherited, files));
        let outputs = (child.stdout.take(), child.stderr.take());
        let outputs = (read_to(outputs.0, limits.file_bytes), read_to(outputs.1, limits.file_bytes));
        let status = options.until.wait(child, limits.wall)?;
        let mut observed = Observed::parse(&fs::read(dir.path().join("events"))?);
        observed.end = self.end(status, &observed);
        (observed.stdout, observed.stderr) = (collect(outputs.0), collect(outputs.1));
        if spec.stdout.is_some() {
            observed.stdout = fs::read(dir.path().join("stdout"))?;
        }
        Ok(observed)
    }

    /// A file for a standard stream, which belongs to the user that the process is.
    fn standard(&self, run: &Run, name: &str, file: &spec::File) -> io::Result<File> {
        let path = run.dir.join(name);
        fs::write(&path, &file.bytes)?;
        // Opened before its permissions are set: a stream is open, whatever they are.
        let opened = File::options().read(name == "stdin").write(name != "stdin").open(&path)?;
        if matches!(self, Sandbox::AsNobody) {
            std::os::unix::fs::chown(&path, Some(NOBODY), Some(NOBODY))?;
        }
        opened.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(file.modified))?;
        opened.set_permissions(Permissions::from_mode(file.mode))?;
        Ok(opened)
    }

    /// How a process ended. bubblewrap tells of a signal as a shell does, by an exit code above 128,
    /// which a program may also choose: the runtime's event decides, except for the signals that
    /// nobody can catch or that mean a limit.
    fn end(&self, status: Option<ExitStatus>, observed: &Observed) -> End {
        const UNCAUGHT: [i32; 3] = [9, 24, 25];
        let Some(status) = status else { return End::Timeout };
        if let Some(signal) = status.signal() {
            return End::Signal(signal);
        }
        let code = status.code().unwrap_or(0);
        let signal = code - 128;
        let told = observed.signal().is_some_and(|s| s == signal);
        if !matches!(self, Sandbox::None) && (told || UNCAUGHT.contains(&signal)) {
            return End::Signal(signal);
        }
        End::Code(code as u8)
    }
}

/// Directories that the process reads; they may be below what is covered.
fn show(command: &mut Command, readable: &[PathBuf]) {
    for dir in readable {
        command.arg("--ro-bind").args([dir, dir]);
    }
}

/// Reads a pipe to its end, or to this many bytes, in a thread of its own.
pub(super) fn read_to(pipe: Option<impl Read + Send + 'static>, most: u64) -> Option<JoinHandle<Vec<u8>>> {
    let pipe = pipe?;
    Some(std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is what there is.
        let _ = pipe.take(most).read_to_end(&mut bytes);
        bytes
    }))
}

pub(super) fn collect(reader: Option<JoinHandle<Vec<u8>>>) -> Vec<u8> {
    reader.and_then(|r| r.join().ok()).unwrap_or_default()
}

/// One run of one program.
struct Run<'a> {
    dir: &'a Path,
    program: &'a Path,
    flavour: Flavour,
    spec: &'a Spec,
    limits: &'a Limits,
}

impl Run<'_> {
    fn input(&self) -> PathBuf {
        self.dir.join("input.ktest")
    }

    /// The name of the program for itself, without directories: it is found through PATH.
    fn name(&self) -> OsString {
        let argv0 = self.spec.argv.first().map_or(&b""[..], Vec::as_slice);
        let name = argv0.rsplit(|&b| b == b'/').next().unwrap_or(b"");
        if name.is_empty() { "program".into() } else { OsString::from_vec(name.to_vec()) }
    }

    /// The files of the test, open and inheritable.
    fn files(&self) -> io::Result<Vec<OwnedFd>> {
        let mut open = Vec::new();
        for (name, file) in &self.spec.files {
            let path = self.dir.join(format!("{name}.file"));
            fs::write(&path, &file.bytes)?;
            open.push(rustix::io::dup(File::open(path)?)?);
        }
        Ok(open)
    }

    fn confined(&self, mut command: Command, files: &[OwnedFd]) -> io::Result<Command> {
        let bin = Path::new(BIN).join(self.name());
        command.arg("--ro-bind").arg(self.program).arg(bin);
        command.arg("--ro-bind").arg(self.input()).arg(INPUT);
        command.args(["--size", &self.limits.file_bytes.to_string(), "--tmpfs", SCRATCH]);
        for ((name, _), open) in self.spec.files.iter().zip(files) {
            command.arg("--file").arg(open.as_raw_fd().to_string()).arg(Path::new(SCRATCH).join(name));
        }
        show(&mut command, &self.spec.readable);
        command.args(["--remount-ro", "/run"]);
        command.arg("--chdir").arg(self.spec.directory.as_deref().unwrap_or(Path::new(SCRATCH)));
        command.args(["--", "prlimit"]);
        self.finish(&mut command, BIN, Path::new(INPUT));
        Ok(command)
    }

    fn unconfined(&self) -> io::Result<Command> {
        let bin = self.dir.join("bin");
        let scratch = self.dir.join("scratch");
        fs::create_dir(&bin)?;
        fs::create_dir(&scratch)?;
        std::os::unix::fs::symlink(self.program, bin.join(self.name()))?;
        for (name, file) in &self.spec.files {
            fs::write(scratch.join(name), &file.bytes)?;
        }
        let mut command = Command::new("prlimit");
        command.current_dir(self.spec.directory.as_ref().unwrap_or(&scratch));
        self.finish(&mut command, &bin.to_string_lossy(), &self.input());
        Ok(command)
    }

    /// Limits, environment and command line. Nothing else of our environment is passed on.
    fn finish(&self, command: &mut Command, bin: &str, input: &Path) {
        for (name, resource, value) in self.resources() {
            // A limit that we are under ourselves cannot be raised.
            let most = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
            command.arg(format!("--{name}={}", value.min(most)));
        }
        command.arg("--").arg(self.name());
        command.args(self.spec.argv.iter().skip(1).map(|a| OsString::from_vec(a.clone())));
        // The tools themselves (bwrap, prlimit, the symbolizer) are found as they were found by us.
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".to_owned());
        command.env_clear().env("PATH", format!("{bin}:{path}")).env("KTEST_FILE", input);
        for (name, value) in self.sanitizer_options() {
            command.env(name, value);
        }
    }

    fn resources(&self) -> Vec<(&'static str, Resource, u64)> {
        let mut resources = vec![
            ("cpu", Resource::Cpu, self.limits.wall.as_secs() + 1),
            ("fsize", Resource::Fsize, self.limits.file_bytes),
            ("core", Resource::Core, 0),
            ("nproc", Resource::Nproc, 64),
            ("nofile", Resource::Nofile, 1024),
        ];
        if self.flavour.is_sanitized() {
            // A sanitizer reserves terabytes of addresses, bounds memory itself, and needs more stack.
            resources.push(("stack", Resource::Stack, 64 << 20));
        } else {
            resources.push(("stack", Resource::Stack, 8 << 20));
            resources.push(("as", Resource::As, self.limits.memory_bytes));
        }
        resources
    }

    fn sanitizer_options(&self) -> Vec<(&'static str, String)> {
        let megabytes = self.limits.memory_bytes >> 20;
        let common = format!(
            "exitcode=86:color=never:handle_abort=1:handle_sigfpe=1:handle_sigill=1:\
             allocator_may_return_null=1:hard_rss_limit_mb={megabytes}"
        );
        let leaks = u8::from(self.spec.leaks);
        match self.flavour {
            Flavour::Plain => vec![],
            Flavour::Address => vec![
                (
                    "ASAN_OPTIONS",
                    format!(
                        "{common}:redzone=128:quarantine_size_mb=16:detect_leaks={leaks}:leak_check_at_exit={leaks}"
                    ),
                ),
                ("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=0:color=never".to_owned()),
            ],
            Flavour::Memory => vec![("MSAN_OPTIONS", common)],
        }
    }
}
