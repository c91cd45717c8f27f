//! What the tests share.

#![allow(dead_code)] // not every test uses everything

use rejoin_bitcode::{Error, Options, load};
use rejoin_ir::{Function, Inst, Module};
use std::path::{Path, PathBuf};

/// A file of the test's folder.
pub(crate) fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// A folder with files of the given names and contents.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).expect("a file in it");
    }
    dir
}

/// Loads one file with this text.
pub(crate) fn load_text(name: &str, text: &str, options: &Options) -> Result<Module, Error> {
    let dir = folder(&[(name, text.as_bytes())]);
    let mut options = options.clone();
    options.inputs = vec![dir.path().join(name)];
    load(&options)
}

/// Lowers textual IR whose entry is `f`, and verifies the result.
pub(crate) fn lower(text: &str) -> Module {
    let options = Options { entry: "f".to_owned(), ..Options::default() };
    verified(load_text("test.ll", text, &options))
}

/// A module that was loaded and keeps the IR's invariants.
pub(crate) fn verified(module: Result<Module, Error>) -> Module {
    let module = module.unwrap_or_else(|e| panic!("{e}"));
    if let Err(errors) = rejoin_ir::verify::verify(&module) {
        panic!("{}", errors[0]);
    }
    module
}

/// The function of this name.
pub(crate) fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    &module.functions[module.function(name).unwrap_or_else(|| panic!("no function {name}")).index()]
}

/// The instructions of a function, as text without locations and weights.
pub(crate) fn text_of(module: &Module, name: &str) -> Vec<String> {
    let f = function(module, name);
    f.insts.iter().map(|i| rejoin_ir::text::print_inst(module, f, i)).collect()
}

/// How many instructions of the module satisfy a question.
pub(crate) fn count(module: &Module, question: impl Fn(&Inst) -> bool) -> usize {
    module.functions.iter().flat_map(|f| &f.insts).filter(|i| question(i)).count()
}
