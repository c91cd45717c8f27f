//! Several modules to one, with as much of the C library as the program needs.

use crate::llvm::{Context, Module, Value, ValueKind};
use crate::lower::libm_function;
use crate::{Error, LibcDir, Options, input};
use llvm_sys::LLVMLinkage;
use std::collections::BTreeSet;

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

/// Reads all inputs and the library into one module.
pub(crate) fn link(cx: &mut Context, options: &Options) -> Result<Module, Error> {
    let (first, rest) = options.inputs.split_first().ok_or(Error::NoInput)?;
    let program = input::read(cx, first, options)?;
    for path in rest {
        let module = input::read(cx, path, options)?;
        cx.link(program, module).map_err(|reason| Error::Link { path: path.clone(), reason })?;
    }
    let defined = defined_symbols(program);
    if let Some(libc) = &options.libc {
        link_libc(cx, program, libc, &defined, options)?;
    }
    check_entry(program, options, &defined)?;
    Ok(program)
}

/// Names with a definition that other modules see.
fn defined_symbols(module: Module) -> BTreeSet<String> {
    module.symbols().into_iter().filter(|s| is_definition(*s)).map(Value::name).collect()
}

fn is_definition(symbol: Value) -> bool {
    let available = symbol.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage;
    !symbol.is_declaration() && !symbol.is_local() && !available && !symbol.name().starts_with("llvm.")
}

/// Links the library last: the program's definitions win, and what nobody needs is dropped.
fn link_libc(
    cx: &mut Context,
    program: Module,
    libc: &LibcDir,
    defined: &BTreeSet<String>,
    options: &Options,
) -> Result<(), Error> {
    let library = input::read(cx, &libc.bitcode, options)?;
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
    cx.link(program, library).map_err(|reason| Error::Link { path: libc.bitcode.clone(), reason })?;
    for symbol in program.symbols().into_iter().filter(|s| is_definition(*s)) {
        if internal.contains(&symbol.name()) {
            symbol.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    program.run_passes("globaldce").map_err(|reason| Error::Link { path: libc.bitcode.clone(), reason })
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
fn check_entry(program: Module, options: &Options, defined: &BTreeSet<String>) -> Result<(), Error> {
    const SUGGESTIONS: usize = 8;
    let functions = program.functions();
    let has = |name: &str| functions.iter().any(|f| !f.is_declaration() && f.name() == name);
    let missing = if !has(&options.entry) {
        &options.entry
    } else if options.libc.is_some() && options.entry == "_start_c" && !has("main") {
        "main"
    } else {
        return Ok(());
    };
    let is_function =
        |name: &String| functions.iter().any(|f| f.kind() == ValueKind::Function && f.name() == *name);
    let suggestions = defined.iter().filter(|n| is_function(n)).take(SUGGESTIONS).cloned().collect();
    Err(Error::NoEntry { entry: missing.to_owned(), defined: suggestions })
}
