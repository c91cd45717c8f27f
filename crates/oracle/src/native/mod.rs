//! Brute force: the program compiled natively and run on all of its inputs.
//!
//! Two builds of the same source. The *fast* one checks each operation that may fail before it acts, so all
//! inputs run in one process within a second and the classes come out with their counts. The *sanitized* one
//! ([`sanitized`]) makes sure that those checks say what AddressSanitizer and UBSan say.

pub mod sanitized;

use crate::outcome::{Histogram, Outcome};
use crate::process;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("rejoin.h", include_str!("rejoin.h")),
    ("native.h", include_str!("native.h")),
    ("fast.h", include_str!("fast.h")),
    ("driver.h", include_str!("driver.h")),
    ("fast.c", include_str!("fast.c")),
    ("sanitized.c", include_str!("sanitized.c")),
];

/// Warnings that would mean undefined behaviour in a program; they end its compilation.
const NO_UB: &[&str] = &[
    "-Wno-everything",
    "-Werror=array-bounds",
    "-Werror=division-by-zero",
    "-Werror=shift-count-overflow",
    "-Werror=shift-count-negative",
    "-Werror=shift-overflow",
    "-Werror=integer-overflow",
    "-Werror=uninitialized",
    "-Werror=conditional-uninitialized",
    "-Werror=unsequenced",
    "-Werror=return-type",
    "-Werror=null-dereference",
    "-Werror=format",
    "-Werror=implicit-function-declaration",
    "-Werror=fortify-source",
];

const SANITIZERS: &[&str] = &["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The compiler and the compiled drivers.
#[derive(Debug)]
pub struct Toolchain {
    clang: String,
    dir: TempDir,
}

/// A class with one of its inputs.
#[derive(Clone, Debug)]
pub struct Class {
    /// What happens.
    pub outcome: Outcome,
    /// To how many inputs.
    pub inputs: u64,
    /// The number of the first of them.
    pub first: u64,
}

/// What brute force found.
#[derive(Clone, Debug)]
pub struct Native {
    /// The classes, in the order of their first inputs.
    pub classes: Vec<Class>,
    /// How many inputs no assumption dropped are in classes, and how many were dropped.
    pub dropped: u64,
    /// How many different paths the inputs take at -O0.
    pub paths: u64,
}

impl Native {
    /// The classes as the engine's answer is compared with them.
    pub fn histogram(&self) -> Histogram {
        self.classes.iter().map(|class| (class.outcome.clone(), u128::from(class.inputs))).collect()
    }
}

impl Toolchain {
    /// Compiles the drivers with `clang`.
    pub fn new(clang: &str) -> Result<Self, String> {
        let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
        let tools = Toolchain { clang: clang.into(), dir };
        for (name, text) in FILES {
            fs::write(tools.file(name), text).map_err(|error| format!("{name}: {error}"))?;
        }
        for (driver, flags) in [("fast", &["-O2"][..]), ("sanitized", SANITIZERS)] {
            let mut command = Command::new(&tools.clang);
            command.args(flags).arg("-c").arg(tools.file(&format!("{driver}.c")));
            command.arg("-o").arg(tools.file(&format!("{driver}.o")));
            finish(&mut command, tools.dir.path(), "compiling a driver")?;
        }
        Ok(tools)
    }

    /// The symbolizer that belongs to the compiler, if it is installed.
    fn symbolizer(&self) -> Option<PathBuf> {
        let name = Path::new(&self.clang).file_name()?.to_str()?.replace("clang", "llvm-symbolizer");
        std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|dir| dir.join(&name))
            .find(|path| path.exists())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Compiles `source` with a driver, into `scratch`.
    fn build(&self, scratch: &Path, driver: &str, header: &str, flags: &[&str]) -> Result<PathBuf, String> {
        let target = scratch.join(driver);
        let mut command = Command::new(&self.clang);
        command.args(["-O0", "-std=gnu17"]).args(NO_UB).args(flags).arg("-I").arg(self.dir.path());
        command.arg("-include").arg(self.file(header)).arg("prog.c");
        command.arg(self.file(&format!("{driver}.o"))).arg("-o").arg(&target).current_dir(scratch);
        finish(&mut command, scratch, "compiling the program")?;
        Ok(target)
    }

    /// Runs the program in `source` on all of its inputs; `scratch` keeps files for [`sanitized::confirm`].
    pub fn brute_force(&self, source: &str, scratch: &Path) -> Result<Native, String> {
        fs::write(scratch.join("prog.c"), source).map_err(|error| error.to_string())?;
        let flags = ["-fsanitize-coverage=trace-pc-guard,no-prune"];
        let program = self.build(scratch, "fast", "fast.h", &flags)?;
        let (mut command, world) = (Command::new(program), world()?);
        command.arg(scratch.join("digests")).current_dir(world.path());
        let output = finish(&mut command, scratch, "brute force")?;
        parse(&output)
    }
}

/// A directory for the files that the program makes, for each input anew: in memory, if possible.
fn world() -> Result<TempDir, String> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).map_err(|error| error.to_string())
}

/// Runs a command that has to succeed, and returns its stdout.
fn finish(command: &mut Command, scratch: &Path, what: &str) -> Result<Vec<u8>, String> {
    match process::run(command, scratch, Duration::from_secs(90)) {
        Ok(finished) if finished.code == Some(0) => Ok(finished.stdout),
        Ok(finished) if finished.timed_out => Err(format!("{what}: out of time")),
        Ok(finished) => Err(format!("{what} failed:\n{}", finished.stderr)),
        Err(error) => Err(format!("{what}: {}: {error}", command.get_program().display())),
    }
}

/// Reads the classes that the fast driver prints.
fn parse(output: &[u8]) -> Result<Native, String> {
    let text = String::from_utf8_lossy(output);
    let mut native = Native { classes: Vec::new(), dropped: 0, paths: 0 };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| -> Result<u64, String> {
            let word = words.get(at).and_then(|word| word.parse().ok());
            word.ok_or_else(|| format!("driver's line `{line}`"))
        };
        match words[0] {
            "paths" => native.paths = number(1)?,
            "dropped" => native.dropped = number(1)?,
            _ => {
                let kind = words.get(1).copied().unwrap_or_default().to_string();
                let stdout = bytes(words.get(6).copied().unwrap_or_default());
                let outcome = Outcome { kind, line: number(2)? as u32, exit: number(3)? as i64, stdout };
                native.classes.push(Class { outcome, inputs: number(4)?, first: number(5)? });
            }
        }
    }
    Ok(native)
}

/// Bytes from their hexadecimal form.
fn bytes(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    hex.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
