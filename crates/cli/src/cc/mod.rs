//! `rejoin cc` and `rejoin c++`: compilers that leave whole-program bitcode beside the executable.
//!
//! Sources are compiled by clang against musl's headers, without optimisation, and clang puts the
//! bitcode into a section of the object. Archives, `ld -r` and libtool carry it along without
//! knowing. Executables are linked statically with musl; the linker appends the sections of exactly
//! the objects and archive members it takes, and from those the whole program's bitcode is made:
//! `prog` and `prog.bc`. Both are the same program, and the same library is under them.
//!
//! A shared library becomes one relocatable object with all of its code, which programs link as if
//! it were an archive of one member.

mod args;

use crate::load;
use args::{Arguments, Item, Mode};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The language that is linked for, and assumed where a file's name says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    C,
    Cxx,
}

impl Language {
    /// The language of a command name.
    pub(crate) fn of_command(name: &str) -> Option<Language> {
        match name {
            "cc" => Some(Language::C),
            "c++" => Some(Language::Cxx),
            _ => None,
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Language::C => "clang-22",
            Language::Cxx => "clang++-22",
        }
    }
}

const LINKER: &str = "ld.lld-22";
/// As `rejoin run` compiles, with the bitcode inside the machine code.
const CODE: [&str; 8] = [
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-fembed-bitcode=bitcode",
    "-g",
    "-fno-discard-value-names",
    "-Wno-unused-command-line-argument",
];

/// Where the install script put what programs are built with.
struct Places {
    musl: PathBuf,
    runtime: PathBuf,
}

impl Places {
    fn find() -> Result<Places, String> {
        let deps = load::deps();
        let places = Places { musl: deps.join("musl"), runtime: deps.join("runtime") };
        for file in [places.musl.join("lib/libc.a"), places.runtime.join("lib/librejoin.a")] {
            if !file.is_file() {
                return Err(format!("there is no {}: run scripts/install.sh", file.display()));
            }
        }
        Ok(places)
    }
}

/// Runs the compiler; the result is its exit code.
pub(crate) fn cc(language: Language, arguments: Vec<OsString>) -> Result<u8, String> {
    let places = Places::find()?;
    let arguments = Arguments::parse(arguments)?;
    match arguments.mode {
        Mode::Ask => {
            let mut command = compiler(language);
            run(command.arg("-O0").args(&arguments.all).args(headers(language, &places)))
        }
        Mode::Compile => {
            let mut command = compiler(language);
            match run(command.args(CODE).args(&arguments.all).args(headers(language, &places)))? {
                0 => claim_objects(&arguments),
                code => Ok(code),
            }
        }
        Mode::Link | Mode::Relocatable => link(language, &places, &arguments),
    }
}

/// Gives the sections with bitcode our name, in all objects that were compiled.
fn claim_objects(arguments: &Arguments) -> Result<u8, String> {
    if arguments.flags.iter().any(|f| f == "-S") {
        return Ok(0);
    }
    for item in &arguments.items {
        if let Item::Source { path, .. } = item {
            let beside = || Path::new(path.file_name().unwrap_or_default()).with_extension("o");
            claim(&arguments.output.clone().unwrap_or_else(beside))?;
        }
    }
    Ok(0)
}

fn claim(object: &Path) -> Result<(), String> {
    if !object.is_file() {
        return Ok(()); // `-o /dev/null`
    }
    let failed = |e: std::io::Error| format!("{}: {e}", object.display());
    let mut bytes = std::fs::read(object).map_err(failed)?;
    rejoin_bitcode::claim(&mut bytes);
    std::fs::write(object, bytes).map_err(failed)
}

fn compiler(language: Language) -> Command {
    let mut command = Command::new(language.compiler());
    command.arg("--target=x86_64-linux-musl");
    command
}

/// Our headers come last, so that the program's own win; the kernel's come after everything.
fn headers(language: Language, places: &Places) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-nostdlibinc".into()];
    if language == Language::Cxx {
        flags.push("-nostdinc++".into());
    }
    for dir in [places.runtime.join("include"), places.musl.join("include")] {
        flags.extend(["-isystem".into(), dir.into()]);
    }
    flags.extend(["-idirafter".into(), places.runtime.join("kernel").into()]);
    flags
}

/// Compiles what is source, links, and writes the bitcode beside the result.
fn link(language: Language, places: &Places, arguments: &Arguments) -> Result<u8, String> {
    let objects = tempfile::tempdir().map_err(|e| format!("cannot make a temporary directory: {e}"))?;
    let output = arguments.output.clone().unwrap_or_else(|| "a.out".into());
    let mut linker = Command::new(LINKER);
    linker.args(["-m", "elf_x86_64", "-o"]).arg(&output);
    if arguments.mode == Mode::Relocatable {
        linker.arg("-r");
    } else {
        linker.args(["-static", "--eh-frame-hdr"]);
        if arguments.start_files {
            linker.args(["crt1.o", "crti.o"].map(|o| places.musl.join("lib").join(o)));
        }
    }
    for dir in &arguments.library_dirs {
        linker.arg("-L").arg(dir);
    }
    for (i, item) in arguments.items.iter().enumerate() {
        match item {
            Item::Source { path, language: given } => {
                let object = objects.path().join(format!("{i}.o"));
                let code = compile(language, places, arguments, path, given.as_deref(), &object)?;
                if code != 0 {
                    return Ok(code);
                }
                claim(&object)?;
                linker.arg(object);
            }
            Item::File(path) => {
                note_missing_bitcode(path);
                linker.arg(path);
            }
            Item::Library(name) => library(&mut linker, name, arguments),
            Item::Option(option) => {
                if !arguments.shared || SHARED_OPTIONS.iter().any(|o| option == o) {
                    linker.arg(option);
                }
            }
        }
    }
    if arguments.mode == Mode::Link {
        linker.arg("-L").arg(places.musl.join("lib"));
        if arguments.libraries {
            linker.arg("--start-group");
            linker.args(["librejoin.a", "libbuiltins.a"].map(|l| places.runtime.join("lib").join(l)));
            linker.args(["-lc", "--end-group"]);
        }
        if arguments.start_files {
            linker.arg(places.musl.join("lib/crtn.o"));
        }
    }
    match run(&mut linker)? {
        0 if arguments.mode == Mode::Link || arguments.shared => bitcode(&output),
        code => Ok(code),
    }
}

/// What of the linker's options still means something when a shared library becomes an object.
const SHARED_OPTIONS: [&str; 4] = ["--whole-archive", "--no-whole-archive", "--start-group", "--end-group"];

fn compile(
    language: Language,
    places: &Places,
    arguments: &Arguments,
    source: &Path,
    given: Option<&OsStr>,
    object: &Path,
) -> Result<u8, String> {
    let mut command = compiler(language);
    command.args(CODE).args(&arguments.flags).args(headers(language, places));
    let depends = |name: &str| arguments.flags.iter().any(|f| f == name);
    if (depends("-MD") || depends("-MMD")) && !depends("-MF") {
        // It would be written beside the temporary object.
        command.arg("-MF").arg(Path::new(source.file_name().unwrap_or_default()).with_extension("d"));
    }
    command.args(given.map(|l| [OsStr::new("-x"), l]).into_iter().flatten());
    run(command.arg("-c").arg(source).arg("-o").arg(object))
}

/// `-lNAME`. A shared library that is an object of ours is found too, where there is no archive.
fn library(linker: &mut Command, name: &str, arguments: &Arguments) {
    let found = arguments.library_dirs.iter().find_map(|dir| {
        let [archive, shared] = ["a", "so"].map(|e| dir.join(format!("lib{name}.{e}")));
        if archive.is_file() { Some(archive) } else { Some(shared).filter(|s| is_relocatable(s)) }
    });
    match found {
        Some(path) => drop(linker.arg(path)),
        // What an object needs from elsewhere is found when a program is linked.
        None if arguments.mode == Mode::Relocatable => {}
        None => drop(linker.arg(format!("-l{name}"))),
    }
}

fn is_relocatable(path: &Path) -> bool {
    const RELOCATABLE: [u8; 2] = [1, 0];
    std::fs::read(path)
        .is_ok_and(|bytes| bytes.starts_with(b"\x7fELF") && bytes.get(16..18) == Some(&RELOCATABLE))
}

/// Says which objects the bitcode will lack.
fn note_missing_bitcode(path: &Path) {
    let Ok(bytes) = std::fs::read(path) else { return };
    if rejoin_bitcode::embedded(&bytes).is_some_and(|modules| modules.is_empty()) {
        crate::say::tell(format_args!(
            "rejoin cc: {} has no bitcode: its functions will be unknown to `rejoin run`\n",
            path.display()
        ));
    }
}

/// Writes the program's bitcode beside it.
fn bitcode(output: &Path) -> Result<u8, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", output.display());
    let file = std::fs::read(output).map_err(failed)?;
    let mut name = output.as_os_str().to_owned();
    name.push(".bc");
    let beside = PathBuf::from(name);
    // One from before must not be taken for this program's.
    match std::fs::remove_file(&beside) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
    if let Some(bitcode) = rejoin_bitcode::combine(output, &file).map_err(|e| e.to_string())? {
        std::fs::write(&beside, bitcode).map_err(|e| format!("{}: {e}", beside.display()))?;
    }
    Ok(0)
}

/// Runs a tool to its end.
fn run(command: &mut Command) -> Result<u8, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status =
        command.status().map_err(|e| format!("cannot run {name}: {e}; scripts/install.sh installs it"))?;
    Ok(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1))
}
