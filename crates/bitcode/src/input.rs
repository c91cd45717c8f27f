//! From paths to modules: what kind of file is it, and does LLVM like it.
//!
//! Sources are compiled first, all of them: what a program is made of is then said by bytes alone.

use crate::llvm::{Context, Module};
use crate::{Error, Options, compile, embedded};
use std::path::Path;

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bitcode,
    TextualIr,
    /// Machine code that may have its bitcode inside.
    Elf,
    C,
    Cxx,
}

/// Triple and layout for textual IR that says nothing about its target.
const DEFAULT_TARGET: (&std::ffi::CStr, &std::ffi::CStr) = (
    c"x86_64-unknown-linux-gnu",
    c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
);

/// The contents of a file, compiled if it is a source.
pub(crate) fn compiled(path: &Path, options: &Options) -> Result<Vec<u8>, Error> {
    let bytes = contents(path)?;
    match kind(path, &bytes)? {
        Kind::Bitcode | Kind::TextualIr | Kind::Elf => Ok(bytes),
        Kind::C => compile::compile(path, compile::Language::C, options),
        Kind::Cxx => compile::compile(path, compile::Language::Cxx, options),
    }
}

/// The same for all inputs of the program.
pub(crate) fn all_compiled(options: &Options) -> Result<Vec<Vec<u8>>, Error> {
    options.inputs.iter().map(|path| compiled(path, options)).collect()
}

/// The module in the contents of a file that is no source, or not any more.
pub(crate) fn read(cx: &mut Context, path: &Path, bytes: &[u8]) -> Result<Module, Error> {
    let module = if bytes.starts_with(ELF) {
        embedded::link(cx, path, bytes)?.ok_or(Error::MachineCode { path: path.to_owned() })?
    } else {
        parse(cx, path, bytes)?
    };
    check(path, module)
}

pub(crate) fn contents(path: &Path) -> Result<Vec<u8>, Error> {
    let path_buf = path.to_owned();
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(Error::NotFound { path: path_buf }),
        Err(e) => return Err(Error::Unreadable { path: path_buf, reason: e.to_string() }),
    };
    if meta.is_dir() {
        return Err(Error::IsDirectory { path: path_buf });
    }
    if !meta.is_file() {
        return Err(Error::Unreadable { path: path_buf, reason: "not a regular file".to_owned() });
    }
    let bytes =
        std::fs::read(path).map_err(|e| Error::Unreadable { path: path_buf, reason: e.to_string() })?;
    if bytes.is_empty() { Err(Error::Empty { path: path.to_owned() }) } else { Ok(bytes) }
}

const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", &[0xde, 0xc0, 0x17, 0x0b]];
const ELF: &[u8] = b"\x7fELF";

fn kind(path: &Path, bytes: &[u8]) -> Result<Kind, Error> {
    const MACHINE: [&[u8]; 2] = [b"!<arch>\n", b"!<thin>\n"];
    if BITCODE.iter().any(|magic| bytes.starts_with(magic)) {
        return Ok(Kind::Bitcode);
    }
    if bytes.starts_with(ELF) {
        return Ok(Kind::Elf);
    }
    if MACHINE.iter().any(|magic| bytes.starts_with(magic)) {
        return Err(Error::MachineCode { path: path.to_owned() });
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i") => Ok(Kind::C),
        Some("cc" | "cpp" | "cxx" | "C" | "c++" | "ii") => Ok(Kind::Cxx),
        Some("ll") => Ok(Kind::TextualIr),
        Some("bc") => Err(Error::NotBitcode { path: path.to_owned() }),
        _ => Err(Error::UnknownKind { path: path.to_owned() }),
    }
}

fn parse(cx: &mut Context, path: &Path, bytes: &[u8]) -> Result<Module, Error> {
    cx.parse(bytes, &path.to_string_lossy())
        .map_err(|reason| Error::BadBitcode { path: path.to_owned(), reason })
}

/// Whether the module is one that we can execute.
fn check(path: &Path, module: Module) -> Result<Module, Error> {
    let triple = module.triple();
    if triple.is_empty() && !module.has_data_layout() {
        module.set_target(DEFAULT_TARGET.0, DEFAULT_TARGET.1);
    }
    let layout = module.data_layout();
    let known = triple.is_empty() || triple.starts_with("x86_64-") || triple.starts_with("amd64-");
    if !known || !layout.is_little_endian() || layout.pointer_bytes() != 8 {
        return Err(Error::Target { path: path.to_owned(), triple });
    }
    module.verify().map_err(|reason| Error::InvalidModule { path: path.to_owned(), reason })?;
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(name: &str, bytes: &[u8]) -> Result<Kind, Error> {
        kind(Path::new(name), bytes)
    }

    #[test]
    fn content_decides_before_the_extension() {
        assert_eq!(kind_of("a.c", b"BC\xc0\xde...."), Ok(Kind::Bitcode));
        assert_eq!(kind_of("a.out", &[0xde, 0xc0, 0x17, 0x0b, 0]), Ok(Kind::Bitcode));
        assert_eq!(kind_of("a.bc", b"\x7fELF"), Ok(Kind::Elf));
        assert!(matches!(kind_of("libx.a", b"!<arch>\n"), Err(Error::MachineCode { .. })));
    }

    #[test]
    fn text_is_told_by_its_extension() {
        assert_eq!(kind_of("a.c", b"int x;"), Ok(Kind::C));
        assert_eq!(kind_of("a.cpp", b"int x;"), Ok(Kind::Cxx));
        assert_eq!(kind_of("a.ll", b"; x"), Ok(Kind::TextualIr));
        assert!(matches!(kind_of("a.bc", b"; x"), Err(Error::NotBitcode { .. })));
        assert!(matches!(kind_of("a.txt", b"; x"), Err(Error::UnknownKind { .. })));
        assert!(matches!(kind_of("a", b"; x"), Err(Error::UnknownKind { .. })));
    }
}
