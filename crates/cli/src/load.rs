//! From the command line to a loaded program.

use crate::flags::{Libc, RunFlags};
use rejoin_bitcode::{LibcDir, Options, Passes};
use rejoin_ir::Module;
use std::path::PathBuf;

/// Where the install script puts what it builds.
pub(crate) fn deps() -> PathBuf {
    let from = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    from("REJOIN_DEPS")
        .or_else(|| from("XDG_CACHE_HOME").map(|d| d.join("rejoin")))
        .or_else(|| from("HOME").map(|d| d.join(".cache/rejoin")))
        .unwrap_or_else(|| PathBuf::from(".cache/rejoin"))
}

/// The C library, as the install script built it.
fn libc_dir() -> Result<LibcDir, String> {
    let (musl, runtime) = (deps().join("musl"), deps().join("runtime"));
    let (bitcode, compat) = (musl.join("libc.bc"), runtime.join("compat.bc"));
    for file in [&bitcode, &compat] {
        if !file.is_file() {
            let path = file.display();
            return Err(format!(
                "there is no C library at {path}: run scripts/install.sh, or use --libc none"
            ));
        }
    }
    Ok(LibcDir { bitcode, compat: Some(compat), include: musl.join("include") })
}

/// The harness headers, in a directory of their own.
fn headers() -> std::io::Result<tempfile::TempDir> {
    let dir = tempfile::tempdir()?;
    rejoin_report::replay::build::write_headers(dir.path())?;
    Ok(dir)
}

/// Compiler flags, split as a shell would.
pub(crate) fn cflags(flags: &RunFlags) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for text in &flags.cflags {
        all.extend(shell_words::split(text).map_err(|e| format!("--cflags {text}: {e}"))?);
    }
    Ok(all)
}

/// The module, and whether it starts in libc rather than in `main`.
pub(crate) fn load(flags: &RunFlags) -> Result<(Module, bool), String> {
    let exe = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    let libc = match flags.libc {
        Libc::Musl => Some(libc_dir()?),
        Libc::None => None,
    };
    let headers = headers().map_err(|e| format!("cannot write the harness headers: {e}"))?;
    let mut inputs: Vec<PathBuf> = std::iter::once(&flags.program).chain(&flags.with).cloned().collect();
    if flags.entry != "main" {
        // What starts the program needs a main; the program's own, if it has one, wins.
        let stub = headers.path().join("main.c");
        std::fs::write(&stub, "__attribute__((weak)) int main(void) { return 0; }\n")
            .map_err(|e| format!("{}: {e}", stub.display()))?;
        inputs.push(stub);
    }
    let options = Options {
        inputs,
        cflags: cflags(flags)?,
        passes: match flags.passes.as_str() {
            // Even the default passes give undefined values a definition.
            "default" if flags.check_uninit => Passes::None,
            "default" => Passes::Default,
            "none" => Passes::None,
            list => Passes::List(list.to_owned()),
        },
        libc,
        include_dirs: vec![headers.path().to_owned()],
        entry: if flags.libc == Libc::Musl { "_start_c" } else { "main" }.to_owned(),
        roots: Vec::new(),
    };
    let module =
        rejoin_bitcode::load_cached(&exe, &options, &deps().join("modules")).map_err(|e| e.to_string())?;
    let raw = module.function("_start_c").is_some_and(|f| !module.functions[f.index()].is_declaration());
    Ok((module, raw))
}
