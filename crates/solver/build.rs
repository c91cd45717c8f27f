//! Finds the solvers that `scripts/install.sh` has put into the dependency directory.
//!
//! Bitwuzla is linked statically. Z3 is loaded when it is first needed, from the path baked in
//! here: a run without it starts faster, and it cannot be confused with the older Z3 that LLVM's
//! shared library brings into the same process.

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    for name in ["REJOIN_DEPS", "XDG_CACHE_HOME", "HOME"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let deps = dependency_directory();
    let lib = deps.join("bitwuzla/lib");
    let z3 = deps.join("z3/lib/libz3.so");
    require(&lib.join("libbitwuzla.a"));
    require(&z3);

    println!("cargo:rustc-link-search=native={}", lib.display());
    for name in ["bitwuzla", "bitwuzlabb", "bitwuzlals", "bitwuzlabv", "cadical"] {
        println!("cargo:rustc-link-lib=static={name}");
    }
    // GMP is LGPL: it stays a shared library.
    println!("cargo:rustc-link-lib=dylib=gmp");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-env=REJOIN_Z3_LIBRARY={}", z3.display());
}

fn dependency_directory() -> PathBuf {
    let set = |name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("REJOIN_DEPS")
        .or_else(|| set("XDG_CACHE_HOME").map(|d| d.join("rejoin")))
        .or_else(|| set("HOME").map(|d| d.join(".cache/rejoin")))
        .unwrap_or_else(|| fail("neither REJOIN_DEPS nor HOME is set"))
}

fn require(file: &Path) {
    println!("cargo:rerun-if-changed={}", file.display());
    if !file.exists() {
        fail(&format!("{} not found; run scripts/install.sh", file.display()));
    }
}

fn fail(message: &str) -> ! {
    println!("cargo:error={message}");
    exit(1)
}
