//! What to load and how.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What [`crate::load`] makes a module from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// C and C++ sources, bitcode and textual IR; linked together in this order.
    pub inputs: Vec<PathBuf>,
    /// Further arguments for the compiler; they come last, so they win.
    pub cflags: Vec<String>,
    /// What to do with the linked module before lowering it.
    pub passes: Passes,
    /// The C library to compile against and to link with.
    pub libc: Option<LibcDir>,
    /// Folders with headers for harnesses.
    pub include_dirs: Vec<PathBuf>,
    /// The function that runs first; it must be defined.
    pub entry: String,
    /// More symbols of the libraries to keep, needed or not.
    pub roots: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            inputs: Vec::new(),
            cflags: Vec::new(),
            passes: Passes::Default,
            libc: None,
            include_dirs: Vec::new(),
            entry: "main".to_owned(),
            roots: Vec::new(),
        }
    }
}

/// What to do with the linked module before lowering it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Passes {
    /// The light pipeline that hides no error and merges no paths: scalar locals become registers,
    /// straight-line blocks become one.
    #[default]
    Default,
    /// The module as it is.
    None,
    /// A pipeline in the syntax of `opt -passes=`.
    List(String),
}

/// A C library as bitcode, with its headers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LibcDir {
    /// The module with all of it.
    pub bitcode: PathBuf,
    /// Names that other C libraries, and compilers, expect besides.
    pub compat: Option<PathBuf>,
    /// The folder with its headers.
    pub include: PathBuf,
}
