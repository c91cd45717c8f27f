//! Sources to bitcode, with clang.
//!
//! The code stays as it was written: `-O0`, because optimisers remove what is undefined and unused,
//! but without `optnone`, so that the light passes may still work on it.

use crate::{Error, Options};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The languages that clang compiles for us.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
}

impl Language {
    fn compilers(self) -> [&'static str; 2] {
        match self {
            Language::C => ["clang-22", "/usr/lib/llvm-22/bin/clang"],
            Language::Cxx => ["clang++-22", "/usr/lib/llvm-22/bin/clang++"],
        }
    }
}

const FLAGS: [&str; 7] =
    ["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-fno-discard-value-names", "-emit-llvm", "-c"];

/// Compiles one file and returns its bitcode.
pub(crate) fn compile(path: &Path, language: Language, options: &Options) -> Result<Vec<u8>, Error> {
    let output = run(language, |command| {
        command.args(FLAGS);
        command.args(headers(language, options)?);
        command.args(&options.cflags);
        // A path that begins with a dash would be an option.
        command.arg("-o").arg("-").arg("--").arg(path);
        Ok(())
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let diagnostics = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    Err(Error::Compile { path: path.to_owned(), diagnostics })
}

/// Options for the target and the headers: the C library's own instead of the machine's.
fn headers(language: Language, options: &Options) -> Result<Vec<PathBuf>, Error> {
    let mut flags: Vec<PathBuf> = Vec::new();
    let mut system = options.include_dirs.clone();
    match &options.libc {
        None => flags.push("--target=x86_64-linux-gnu".into()),
        Some(libc) => {
            flags.extend(["--target=x86_64-linux-musl".into(), "-nostdinc".into()]);
            if language == Language::Cxx {
                flags.push("-nostdinc++".into());
            }
            system.push(libc.include.clone());
            system.push(resource_dir(language)?.join("include"));
        }
    }
    for dir in system {
        flags.extend(["-isystem".into(), dir]);
    }
    Ok(flags)
}

/// Where clang keeps the headers that belong to the compiler (`stddef.h`, `stdarg.h`, …).
fn resource_dir(language: Language) -> Result<PathBuf, Error> {
    let output = run(language, |command| {
        command.arg("-print-resource-dir");
        Ok(())
    })?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()))
}

/// Runs the first compiler that exists.
fn run(language: Language, arguments: impl Fn(&mut Command) -> Result<(), Error>) -> Result<Output, Error> {
    for compiler in language.compilers() {
        let mut command = Command::new(compiler);
        arguments(&mut command)?;
        match command.stdin(std::process::Stdio::null()).output() {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::NoCompiler { tried: format!("{compiler}: {e}") }),
            Ok(output) => return Ok(output),
        }
    }
    Err(Error::NoCompiler { tried: language.compilers().join(", ") })
}
