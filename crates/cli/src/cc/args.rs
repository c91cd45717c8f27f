//! What a compiler's command line asks for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The last step that is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// No output of a compilation (`-E`, `-M`, `--version`): clang's business alone.
    Ask,
    /// `-c` or `-S`.
    Compile,
    /// An executable.
    Link,
    /// `-r`, and `-shared`, which becomes the same: one object with all of it.
    Relocatable,
}

/// One thing for the linker, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// A source to compile first, and the language that `-x` gave it.
    Source { path: PathBuf, language: Option<OsString> },
    /// An object or archive.
    File(PathBuf),
    /// `-lNAME`.
    Library(String),
    /// An option of the linker.
    Option(OsString),
}

/// A command line, understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arguments {
    pub(super) mode: Mode,
    pub(super) output: Option<PathBuf>,
    /// What the compiler is told, without files and without what only the linker wants.
    pub(super) flags: Vec<OsString>,
    /// Files and options for the linker.
    pub(super) items: Vec<Item>,
    /// `-L`.
    pub(super) library_dirs: Vec<PathBuf>,
    pub(super) start_files: bool,
    pub(super) libraries: bool,
    pub(super) shared: bool,
    /// Everything, with response files expanded, less what is always dropped.
    pub(super) all: Vec<OsString>,
}

/// Options whose value is the next argument.
const SEPARATE: [&str; 26] = [
    "-I",
    "-D",
    "-U",
    "-A",
    "-G",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "-target",
    "--param",
    "-dumpdir",
];
/// Options of the linker whose value is the next argument.
const SEPARATE_LINK: [&str; 5] = ["-T", "-u", "-e", "-z", "-h"];
/// Options after which nothing is compiled.
const ASK: [&str; 11] = [
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--version",
    "-dumpmachine",
    "-dumpversion",
    "--help",
    "-###",
    "-emit-llvm",
    "--precompile",
];
/// Bitcode and machine code are to be the program as it was written, for the plain machine; and what
/// is linked with which linker is not the program's choice here.
const DROPPED: [&str; 14] = [
    "-O",
    "-flto",
    "-fno-lto",
    "-fuse-ld=",
    "-march=",
    "-mtune=",
    "-save-temps",
    "-fuse-linker-plugin",
    "-ffat-lto-objects",
    "-fno-fat-lto-objects",
    "-fwhole-program",
    "-static-libgcc",
    "-static-libstdc++",
    "-specs=",
];
/// Options that mean nothing where everything is linked statically, at a fixed address.
const DROPPED_LINK: [&str; 7] =
    ["-static", "-static-pie", "-pie", "-no-pie", "-rdynamic", "-nopie", "-dynamic"];
/// Libraries of the compiler; ours takes their place.
const COMPILER_LIBRARIES: [&str; 4] = ["gcc", "gcc_s", "gcc_eh", "atomic"];
const SOURCES: [&str; 14] =
    ["c", "i", "cc", "cp", "cxx", "cpp", "c++", "C", "CPP", "ii", "s", "S", "sx", "bc"];

impl Arguments {
    /// Reads a command line.
    pub(super) fn parse(arguments: Vec<OsString>) -> Result<Arguments, String> {
        let mut expanded = Vec::new();
        expand(arguments, 0, &mut expanded)?;
        let mut parsed = Arguments {
            mode: Mode::Link,
            output: None,
            flags: Vec::new(),
            items: Vec::new(),
            library_dirs: Vec::new(),
            start_files: true,
            libraries: true,
            shared: false,
            all: Vec::new(),
        };
        let mut language = None;
        let mut rest = expanded.into_iter();
        while let Some(argument) = rest.next() {
            if text(&argument).is_some_and(|a| DROPPED.iter().any(|d| a.starts_with(d))) {
                continue;
            }
            parsed.all.push(argument.clone());
            let mut value = |name: &str| {
                let value = rest.next().ok_or_else(|| format!("{name} needs a value"))?;
                parsed.all.push(value.clone());
                Ok::<_, String>(value)
            };
            match text(&argument) {
                Some("-o") => parsed.output = Some(value("-o")?.into()),
                Some("-x") => {
                    let name = value("-x")?;
                    language = (name != "none").then_some(name);
                }
                Some("-L") => parsed.library_dirs.push(value("-L")?.into()),
                Some("-l") => {
                    let name = value("-l")?;
                    parsed.library(&name);
                }
                Some("-Xlinker") => parsed.items.push(Item::Option(value("-Xlinker")?)),
                Some(name) if SEPARATE_LINK.contains(&name) => {
                    let v = value(name)?;
                    parsed.items.extend([Item::Option(name.into()), Item::Option(v)]);
                }
                Some(name) if SEPARATE.contains(&name) => {
                    let v = value(name)?;
                    parsed.flags.extend([name.into(), v]);
                }
                Some(option) if option.starts_with('-') && option != "-" => parsed.option(option),
                _ => parsed.file(argument, language.clone()),
            }
        }
        if parsed.items.is_empty() {
            parsed.mode = Mode::Ask;
        }
        Ok(parsed)
    }

    /// An option that stands alone.
    fn option(&mut self, option: &str) {
        if ASK.contains(&option) || option.starts_with("-print-") || option.starts_with("--print-") {
            self.mode = Mode::Ask;
        } else if let Some(name) = option.strip_prefix("-o") {
            self.output = Some(name.into());
        } else if let Some(dir) = option.strip_prefix("-L") {
            self.library_dirs.push(dir.into());
        } else if let Some(name) = option.strip_prefix("-l") {
            self.library(OsStr::new(name));
        } else if let Some(list) = option.strip_prefix("-Wl,") {
            self.items.extend(list.split(',').map(|o| Item::Option(o.into())));
        } else if option == "-c" || option == "-S" {
            self.flags.push(option.into());
            if self.mode != Mode::Ask {
                self.mode = Mode::Compile;
            }
        } else if option == "-r" || option == "-shared" {
            self.shared |= option == "-shared";
            if self.mode == Mode::Link {
                self.mode = Mode::Relocatable;
            }
        } else if option == "-s" || (option.starts_with("-T") && option != "-T") {
            self.items.push(Item::Option(option.into()));
        } else if let Some(what) =
            option.strip_prefix("-no").filter(|o| ["stdlib", "startfiles", "defaultlibs", "libc"].contains(o))
        {
            self.start_files &= what == "defaultlibs" || what == "libc";
            self.libraries &= what == "startfiles";
        } else if !DROPPED_LINK.contains(&option) {
            self.flags.push(option.into());
        }
    }

    fn library(&mut self, name: &OsStr) {
        let name = name.to_string_lossy().into_owned();
        if !COMPILER_LIBRARIES.contains(&name.as_str()) {
            self.items.push(Item::Library(name));
        }
    }

    fn file(&mut self, path: OsString, language: Option<OsString>) {
        let path = PathBuf::from(path);
        let source = path.extension().and_then(OsStr::to_str).is_some_and(|e| SOURCES.contains(&e));
        self.items.push(match (language, source) {
            (None, false) => Item::File(path),
            (language, _) => Item::Source { path, language },
        });
    }
}

fn text(argument: &OsStr) -> Option<&str> {
    argument.to_str()
}

/// Puts the contents of response files (`@FILE`) in their place.
fn expand(arguments: Vec<OsString>, depth: u32, all: &mut Vec<OsString>) -> Result<(), String> {
    const DEEPEST: u32 = 20;
    for argument in arguments {
        match text(&argument).and_then(|a| a.strip_prefix('@')) {
            // As everywhere: what names no file is taken literally.
            Some(path) if Path::new(path).is_file() => {
                if depth == DEEPEST {
                    return Err(format!("@{path}: response files are nested too deeply"));
                }
                let contents = std::fs::read_to_string(path).map_err(|e| format!("@{path}: {e}"))?;
                let words = shell_words::split(&contents).map_err(|e| format!("@{path}: {e}"))?;
                expand(words.into_iter().map(OsString::from).collect(), depth + 1, all)?;
            }
            _ => all.push(argument),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        Arguments::parse(line.split_whitespace().map(OsString::from).collect()).expect("it is well formed")
    }

    #[test]
    fn the_mode_is_the_last_step() {
        assert_eq!(parse("a.c").mode, Mode::Link);
        assert_eq!(parse("-c a.c -o a.o").mode, Mode::Compile);
        assert_eq!(parse("-S a.c").mode, Mode::Compile);
        assert_eq!(parse("-E a.c").mode, Mode::Ask);
        assert_eq!(parse("-c -M a.c").mode, Mode::Ask);
        assert_eq!(parse("-c -MD -MF a.d a.c").mode, Mode::Compile);
        assert_eq!(parse("--version").mode, Mode::Ask);
        assert_eq!(parse("-v").mode, Mode::Ask);
        assert_eq!(parse("-print-prog-name=ld").mode, Mode::Ask);
        assert_eq!(parse("-shared a.o -o a.so").mode, Mode::Relocatable);
        assert_eq!(parse("-r a.o b.o -o c.o").mode, Mode::Relocatable);
    }

    #[test]
    fn files_libraries_and_linker_options_keep_their_order() {
        let a = parse(
            "-O2 -g a.c -Wl,--whole-archive libx.a -Wl,-z,now -lm -L lib -Lmore -u f b.o -pthread -static",
        );
        let option = |o: &str| Item::Option(o.into());
        assert_eq!(
            a.items,
            [
                Item::Source { path: "a.c".into(), language: None },
                option("--whole-archive"),
                Item::File("libx.a".into()),
                option("-z"),
                option("now"),
                Item::Library("m".into()),
                option("-u"),
                option("f"),
                Item::File("b.o".into()),
            ]
        );
        assert_eq!(a.library_dirs, [PathBuf::from("lib"), PathBuf::from("more")]);
        assert_eq!(a.flags, ["-g", "-pthread"]);
    }

    #[test]
    fn values_are_not_files() {
        let a = parse("-I inc -include x.h -D a.c -MF a.o -Xclang -O2 -c real.c -o out.o");
        assert_eq!(a.items, [Item::Source { path: "real.c".into(), language: None }]);
        assert_eq!(a.output, Some("out.o".into()));
        assert_eq!(a.all[8..11], ["-Xclang", "-O2", "-c"]);
    }

    #[test]
    fn a_given_language_makes_everything_a_source() {
        let a = parse("-x c - -x none b.o");
        assert_eq!(a.items.len(), 2);
        assert_eq!(a.items[0], Item::Source { path: "-".into(), language: Some("c".into()) });
        assert_eq!(a.items[1], Item::File("b.o".into()));
    }

    #[test]
    fn response_files_are_read_and_may_nest() {
        let dir = tempfile::tempdir().expect("a directory");
        let (outer, inner) = (dir.path().join("outer"), dir.path().join("inner"));
        std::fs::write(&inner, "'b c.o' -lm").expect("written");
        std::fs::write(&outer, format!("a.o\n@{}", inner.display())).expect("written");
        let a = parse(&format!("@{} @nosuchfile", outer.display()));
        let files = [Item::File("a.o".into()), Item::File("b c.o".into()), Item::Library("m".into())];
        assert_eq!(a.items[..3], files);
        assert_eq!(a.items[3], Item::File("@nosuchfile".into()));
        std::fs::write(&inner, format!("@{}", inner.display())).expect("written");
        assert!(Arguments::parse(vec![format!("@{}", inner.display()).into()]).is_err());
    }

    #[test]
    fn what_is_linked_by_default_can_be_left_out() {
        let all = |a: Arguments| (a.start_files, a.libraries);
        assert_eq!(all(parse("a.o")), (true, true));
        assert_eq!(all(parse("-nostdlib a.o")), (false, false));
        assert_eq!(all(parse("-nostartfiles a.o")), (false, true));
        assert_eq!(all(parse("-nodefaultlibs a.o")), (true, false));
        assert!(Arguments::parse(vec!["-o".into()]).is_err());
    }
}
