//! Why a program could not be loaded, in words for its user.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Why a program could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[allow(missing_docs)] // the messages name every field
pub enum Error {
    #[error("no input: name a .c, .cc, .cpp, .bc or .ll file")]
    NoInput,
    #[error("{}: no such file", path.display())]
    NotFound { path: PathBuf },
    #[error("{}: is a directory; name a .c, .cc, .cpp, .bc or .ll file in it", path.display())]
    IsDirectory { path: PathBuf },
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}: the file is empty", path.display())]
    Empty { path: PathBuf },
    #[error("{}: not LLVM bitcode, and the extension is none of .c .cc .cpp .cxx .C .ll", path.display())]
    UnknownKind { path: PathBuf },
    #[error("{}: named .bc, but it does not begin like LLVM bitcode; textual IR must be named .ll", path.display())]
    NotBitcode { path: PathBuf },
    #[error("{}: machine code without bitcode; build it with `rejoin cc`, or with clang -flto and keep the bitcode", path.display())]
    MachineCode { path: PathBuf },
    #[error("no clang 22 found (tried {tried}); install clang-22 or pass bitcode")]
    NoCompiler { tried: String },
    #[error("{}: does not compile:\n{diagnostics}", path.display())]
    Compile { path: PathBuf, diagnostics: String },
    #[error("{}: LLVM 22 cannot read it: {reason}\nthe file may be cut short, damaged, or made by a newer LLVM; make it again with clang-22", path.display())]
    BadBitcode { path: PathBuf, reason: String },
    #[error("{}: the module is not valid: {reason}", path.display())]
    InvalidModule { path: PathBuf, reason: String },
    #[error("{}: made for the target `{triple}`; only x86-64 Linux (little endian, 64 bits) is supported: compile with --target=x86_64-linux-gnu", path.display())]
    Target { path: PathBuf, triple: String },
    #[error("{}: cannot be linked with the files before it: {reason}", path.display())]
    Link { path: PathBuf, reason: String },
    #[error("no function `{entry}` is defined{}", suggest(defined))]
    NoEntry { entry: String, defined: Vec<String> },
    #[error("--passes {passes}: {reason}")]
    Passes { passes: String, reason: String },
    #[error(
        "{inputs}: LLVM gave up on it ({how}); the file is probably damaged: make it again with clang-22{}",
        tail(messages)
    )]
    Crashed { inputs: String, how: String, messages: String },
    #[error("the loader could not be run: {reason}")]
    Child { reason: String },
}

fn suggest(defined: &[String]) -> String {
    match defined {
        [] => "; the program defines no function at all".to_owned(),
        names => format!("; choose one with --entry, for example {}", names.join(", ")),
    }
}

fn tail(messages: &str) -> String {
    if messages.is_empty() { String::new() } else { format!("\n{messages}") }
}
