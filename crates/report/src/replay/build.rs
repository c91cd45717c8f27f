//! Building the program natively, once per kind of build that the tests need.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::{ErrorKind, RunRecord};
use rejoin_kind::Seen;

use super::{
    Until,
    sandbox::{collect, read_to},
};

/// A kind of native build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// As the program is.
    Plain,
    /// With AddressSanitizer and, from source, UndefinedBehaviorSanitizer.
    Address,
    /// With MemorySanitizer.
    Memory,
}

impl Flavour {
    /// All of them, in order.
    pub const ALL: [Flavour; 3] = [Flavour::Plain, Flavour::Address, Flavour::Memory];

    /// Its name, also that of its directory.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Plain => "plain",
            Flavour::Address => "address",
            Flavour::Memory => "memory",
        }
    }

    /// Whether a sanitizer watches.
    pub fn is_sanitized(self) -> bool {
        self != Flavour::Plain
    }

    /// The build in which an error of this kind shows, or why there is none. Errors that any build
    /// shows are still looked for under a sanitizer, as only there the line shows too.
    pub fn for_kind(kind: ErrorKind, from_bitcode: bool) -> Result<Self, String> {
        match kind.seen() {
            Seen::Plain | Seen::Address | Seen::Leak => Ok(Flavour::Address),
            Seen::Memory => Ok(Flavour::Memory),
            Seen::Undefined if !from_bitcode => Ok(Flavour::Address),
            Seen::Undefined => Err(format!("`{kind}` shows only in a program compiled from source")),
            Seen::Nowhere => Err(format!("`{kind}` leaves no trace in a native run")),
        }
    }

    /// Undefined behaviour is reported and survived: the program may well do some of another kind
    /// before it comes to what was predicted.
    fn compile_flags(self) -> &'static [&'static str] {
        match self {
            Flavour::Plain => &[],
            Flavour::Address => &[
                "-fsanitize=address,undefined",
                "-fsanitize-recover=undefined",
                "-fsanitize-address-use-after-return=always",
            ],
            Flavour::Memory => &["-fsanitize=memory", "-fsanitize-memory-track-origins"],
        }
    }

    /// The attribute that makes a sanitizer instrument a function of bitcode.
    fn attribute(self) -> Option<&'static str> {
        match self {
            Flavour::Plain => None,
            Flavour::Address => Some("sanitize_address"),
            Flavour::Memory => Some("sanitize_memory"),
        }
    }
}

/// The LLVM release whose tools are used, the one the engine reads.
const LLVM: &str = "22";
/// So many bytes of a tool's complaint are read.
const MOST_COMPLAINT: u64 = 1 << 20;
const RUNTIME: &str = include_str!("../../../../runtime/replay/replay.c");
const HEADERS: [(&str, &str); 3] = [
    ("rejoin.h", include_str!("../../../../runtime/include/rejoin.h")),
    ("rejoin-verifier.h", include_str!("../../../../runtime/include/rejoin-verifier.h")),
    ("klee/klee.h", include_str!("../../../../runtime/include/klee/klee.h")),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
    Bitcode,
}

fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "C" => Some(Language::Cxx),
        "bc" | "ll" => Some(Language::Bitcode),
        _ => None,
    }
}

impl RunRecord {
    /// Whether any part of the program comes as bitcode.
    pub fn has_bitcode(&self) -> bool {
        self.sources().iter().any(|p| language(p) == Some(Language::Bitcode))
    }
}

/// Writes the headers of the harness API (`rejoin.h`, `klee/klee.h`, …) into a directory, made if need be.
pub fn write_headers(dir: &Path) -> std::io::Result<()> {
    fs::create_dir_all(dir.join("klee"))?;
    HEADERS.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text))
}

/// Builds the program in a directory of its own; the executable's path, or why it cannot be built.
pub fn build(run: &RunRecord, flavour: Flavour, dir: &Path, until: &Until) -> Result<PathBuf, String> {
    let include = dir.join("include");
    let io = |e: std::io::Error| format!("cannot prepare the native build: {e}");
    write_headers(&include).map_err(io)?;
    let runtime = dir.join("replay.c");
    fs::write(&runtime, RUNTIME).map_err(io)?;

    let musl = made_for_musl(run).map_err(io)?;
    if musl && flavour.is_sanitized() {
        return Err("a program built for musl cannot be built with a sanitizer".into());
    }
    let job = Job { run, flavour, dir, include: &include, musl, until };
    let mut objects = vec![job.compile(Language::C, &runtime, &[], "runtime")?];
    let mut has_cxx = false;
    for (number, source) in run.sources().iter().enumerate() {
        let language = language(source).ok_or_else(|| {
            format!("{}: only .c .cc .cpp .cxx .bc and .ll can be built natively", source.display())
        })?;
        has_cxx |= language == Language::Cxx;
        objects.push(job.compile(language, source, &run.cflags, &format!("part{number}"))?);
    }
    if musl { job.link_with_musl(&objects) } else { job.link(&objects, has_cxx) }
}

/// Whether the program is bitcode that `rejoin cc` made: then musl is the library it was made for, and
/// the machine's would not do.
fn made_for_musl(run: &RunRecord) -> std::io::Result<bool> {
    const TARGET: &[u8] = b"linux-musl";
    for source in run.sources().iter().filter(|s| language(s) == Some(Language::Bitcode)) {
        if fs::read(source)?.windows(TARGET.len()).any(|w| w == TARGET) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Job<'a> {
    run: &'a RunRecord,
    flavour: Flavour,
    dir: &'a Path,
    include: &'a Path,
    musl: bool,
    until: &'a Until,
}

impl Job<'_> {
    fn compile(
        &self,
        language: Language,
        source: &Path,
        cflags: &[String],
        name: &str,
    ) -> Result<PathBuf, String> {
        let object = self.dir.join(format!("{name}.o"));
        if language == Language::Bitcode {
            return self.compile_bitcode(source, name, object);
        }
        let driver = if language == Language::Cxx { "clang++" } else { "clang" };
        let mut command = self.tool(driver);
        command.arg("-I").arg(self.include).args(cflags);
        if self.musl {
            command.args(["--target=x86_64-linux-musl", "-nostdlibinc", "-isystem"]);
            command.arg(self.run.sysroot.join("musl/include"));
        }
        // Last, so that they win: the program as written, not as some optimisation sees it.
        command.args(["-O0", "-g", "-fno-omit-frame-pointer", "-w"]).args(self.flavour.compile_flags());
        command.arg("-c").arg(source).arg("-o").arg(&object);
        self.call(command).map(|()| object)
    }

    /// Bitcode carries no wish to be sanitized; the attribute that says so is added to every function.
    fn compile_bitcode(&self, source: &Path, name: &str, object: PathBuf) -> Result<PathBuf, String> {
        let mut input = source.to_owned();
        if let Some(attribute) = self.flavour.attribute() {
            input = self.dir.join(format!("{name}.bc"));
            let mut opt = self.tool("opt");
            opt.arg("-passes=forceattrs").arg(format!("-force-attribute={attribute}"));
            opt.arg(source).arg("-o").arg(&input);
            self.call(opt)?;
        }
        let mut clang = self.tool("clang");
        clang.args(["-O0", "-g", "-w", "-Wno-override-module"]);
        // Undefined behaviour is instrumented by the front end only, which bitcode has behind it.
        clang.args(self.flavour.attribute().map(|a| a.replacen("sanitize_", "-fsanitize=", 1)));
        clang.args(["-x", "ir", "-c"]).arg(&input).arg("-o").arg(&object);
        self.call(clang).map(|()| object)
    }

    /// As `rejoin cc` links.
    fn link_with_musl(&self, objects: &[PathBuf]) -> Result<PathBuf, String> {
        let program = self.dir.join("program");
        let musl = |name: &str| self.run.sysroot.join("musl/lib").join(name);
        let runtime = |name: &str| self.run.sysroot.join("runtime/lib").join(name);
        let mut linker = self.tool("ld.lld");
        linker.args(["-m", "elf_x86_64", "-static", "--eh-frame-hdr", "-o"]).arg(&program);
        linker.args(["crt1.o", "crti.o"].map(musl)).args(objects).arg("--start-group");
        linker.args(["librejoin.a", "libbuiltins.a"].map(runtime)).arg(musl("libc.a"));
        linker.arg("--end-group").arg(musl("crtn.o"));
        self.call(linker).map(|()| program)
    }

    /// Bitcode does not say whether it was C++ once: what does not link as C is tried as C++.
    fn link(&self, objects: &[PathBuf], has_cxx: bool) -> Result<PathBuf, String> {
        let program = self.dir.join("program");
        let drivers: &[&str] = match (has_cxx, self.run.has_bitcode()) {
            (true, _) => &["clang++"],
            (false, true) => &["clang", "clang++"],
            (false, false) => &["clang"],
        };
        let mut failure = String::new();
        for driver in drivers {
            let mut command = self.tool(driver);
            command.args(self.flavour.compile_flags()).args(objects);
            command.args(libraries(&self.run.cflags)).args(["-lm", "-lpthread", "-o"]).arg(&program);
            match self.call(command) {
                Ok(()) => return Ok(program),
                Err(why) if failure.is_empty() => failure = why,
                Err(_) => {}
            }
        }
        Err(failure)
    }

    fn call(&self, command: Command) -> Result<(), String> {
        call(command, self.until)
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(format!("{name}-{LLVM}"));
        if !self.run.directory.as_os_str().is_empty() {
            command.current_dir(&self.run.directory);
        }
        command
    }
}

/// What in the compiler's words concerns the linker.
fn libraries(cflags: &[String]) -> impl Iterator<Item = &String> {
    cflags.iter().filter(|f| f.starts_with("-l") || f.starts_with("-L"))
}

/// Calls a tool; its complaint, cut to what a reader can use, if it fails.
fn call(mut command: Command, until: &Until) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => format!("{name} is needed to build the program natively"),
        _ => format!("{name}: {e}"),
    };
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let complaint = read_to(child.stderr.take(), MOST_COMPLAINT);
    let status = until.wait(child, Duration::MAX).map_err(failed)?.ok_or("the run is over")?;
    let complaint = collect(complaint);
    if status.success() {
        return Ok(());
    }
    let words: Vec<OsString> = command.get_args().map(OsStr::to_owned).collect();
    let line = words.join(OsStr::new(" "));
    let complaint = String::from_utf8_lossy(&complaint);
    let complaint: Vec<&str> = complaint.lines().take(20).collect();
    Err(format!("the native build failed: {name} {}\n{}", line.to_string_lossy(), complaint.join("\n")))
}
