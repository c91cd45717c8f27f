//! Several modules to one, with as much of the C library as the program needs.

use crate::llvm::{Context, Module, Value, ValueKind};
use crate::lower::libm_function;
use crate::{Error, Options, input};
use llvm_sys::LLVMLinkage;
use std::collections::BTreeSet;
use std::path::Path;

/// Functions that the engine itself provides: a library's definition of them is left out.
const PROVIDED: [&str; 19] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "malloc_usable_size",
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "rejoin_syscall",
];
const PROVIDED_PREFIXES: [&str; 3] = ["klee_", "rejoin_", "__VERIFIER_"];

/// Functions whose definition the engine replaces: they alone are no reason to link the library.
const ANSWERED: [&str; 5] = ["abort", "__assert_fail", "memcpy", "memmove", "memset"];
/// The library's own start, which needs a `main`.
const LIBC_ENTRY: &str = "_start_c";

/// Reads all inputs, whose compiled contents are given, into one module, and the library if it is
/// needed. A program that asks to start in the library but does not need it starts in its `main`.
pub(crate) fn link(cx: &mut Context, options: &Options, contents: &[Vec<u8>]) -> Result<Module, Error> {
    let mut inputs = options.inputs.iter().zip(contents);
    let (path, bytes) = inputs.next().ok_or(Error::NoInput)?;
    let program = program_part(cx, path, bytes, options)?;
    for (path, bytes) in inputs {
        let module = program_part(cx, path, bytes, options)?;
        cx.link(program, module).map_err(|reason| Error::Link { path: path.clone(), reason })?;
    }
    let defined = defined_symbols(program);
    let mut entry = options.entry.as_str();
    if let Some(libc) = &options.libc {
        if let Some(path) = &libc.compat {
            let compat = input::read(cx, path, &input::compiled(path, options)?)?;
            if needs(program, compat) {
                link_library(cx, program, compat, path, &defined, options)?;
            }
        }
        let library = input::read(cx, &libc.bitcode, &input::compiled(&libc.bitcode, options)?)?;
        if needs(program, library) || !options.roots.is_empty() {
            link_library(cx, program, library, &libc.bitcode, &defined, options)?;
        } else if entry == LIBC_ENTRY {
            entry = "main";
        }
    }
    check_entry(program, entry, &defined)?;
    Ok(program)
}

/// Functions that glibc and musl have under one name with different meanings, and the name under
/// which our runtime has glibc's. Other meanings are behind other names in glibc's headers, so in a
/// module that was compiled for glibc the name means this.
const GLIBC_MEANS: [(&str, &str); 3] = [
    ("strerror_r", "__rejoin_gnu_strerror_r"),
    ("basename", "__rejoin_gnu_basename"),
    ("regexec", "__rejoin_gnu_regexec"),
];

/// What the harness asks of the C library, and the name under which our runtime answers.
const HARNESS_MEANS: [(&str, &str); 1] = [("klee_get_errno", "__rejoin_errno")];

/// Reads one input; what it wants of glibc, and of the harness, it gets.
fn program_part(cx: &mut Context, path: &Path, bytes: &[u8], options: &Options) -> Result<Module, Error> {
    let module = input::read(cx, path, bytes)?;
    if options.libc.is_some() {
        let glibc: &[_] = if module.triple().contains("gnu") { &GLIBC_MEANS } else { &[] };
        for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
            let mut means = glibc.iter().chain(&HARNESS_MEANS);
            if let Some((_, ours)) = means.find(|(name, _)| function.name() == *name) {
                function.set_name(ours);
            }
        }
    }
    Ok(module)
}

/// Whether the program uses a symbol of the library that the engine does not answer itself.
fn needs(program: Module, library: Module) -> bool {
    let offered = defined_symbols(library);
    let used = |s: &Value| {
        s.is_declaration() && offered.contains(&s.name()) && !ANSWERED.contains(&s.name().as_str())
    };
    program.symbols().iter().any(used) || program.functions().into_iter().any(|f| libm_function(f).is_some())
}

/// Names with a definition that other modules see.
fn defined_symbols(module: Module) -> BTreeSet<String> {
    module.symbols().into_iter().filter(|s| is_definition(*s)).map(Value::name).collect()
}

fn is_definition(symbol: Value) -> bool {
    let available = symbol.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage;
    !symbol.is_declaration() && !symbol.is_local() && !available && !symbol.name().starts_with("llvm.")
}

/// Links a library after the program: the program's definitions win, and what nobody needs is dropped.
fn link_library(
    cx: &mut Context,
    program: Module,
    library: Module,
    path: &Path,
    defined: &BTreeSet<String>,
    options: &Options,
) -> Result<(), Error> {
    leave_out_provided(library);
    let mut internal = BTreeSet::new();
    for symbol in library.symbols().into_iter().filter(|s| is_definition(*s)) {
        if defined.contains(&symbol.name()) {
            symbol.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
        } else {
            internal.insert(symbol.name());
        }
    }
    let libm = program.functions().into_iter().filter_map(libm_function);
    for kept in options.roots.iter().cloned().chain([options.entry.clone()]).chain(libm) {
        internal.remove(&kept);
    }
    cx.link(program, library).map_err(|reason| Error::Link { path: path.to_owned(), reason })?;
    for symbol in program.symbols().into_iter().filter(|s| is_definition(*s)) {
        if internal.contains(&symbol.name()) {
            symbol.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    program.run_passes("globaldce").map_err(|reason| Error::Link { path: path.to_owned(), reason })
}

/// Turns the library's definitions of what the engine provides into declarations; the definitions
/// stay behind without a name and a user.
fn leave_out_provided(library: Module) {
    let functions = [library.functions(), library.aliases()].concat();
    for function in functions.into_iter().filter(|f| is_definition(*f)) {
        let name = function.name();
        if PROVIDED.contains(&name.as_str()) || PROVIDED_PREFIXES.iter().any(|p| name.starts_with(p)) {
            function.set_name("");
            function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
            function.replace_with(library.declare(&name, function.content_ty()));
        }
    }
}

/// The entry must be defined; the C library's entry also needs a `main`.
fn check_entry(program: Module, entry: &str, defined: &BTreeSet<String>) -> Result<(), Error> {
    const SUGGESTIONS: usize = 8;
    let functions = program.functions();
    let has = |name: &str| functions.iter().any(|f| !f.is_declaration() && f.name() == name);
    let missing = if !has(entry) {
        entry
    } else if entry == LIBC_ENTRY && !has("main") {
        "main"
    } else {
        return Ok(());
    };
    let is_function =
        |name: &String| functions.iter().any(|f| f.kind() == ValueKind::Function && f.name() == *name);
    let suggestions = defined.iter().filter(|n| is_function(n)).take(SUGGESTIONS).cloned().collect();
    Err(Error::NoEntry { entry: missing.to_owned(), defined: suggestions })
}
