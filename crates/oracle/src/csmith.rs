//! Programs by csmith: no inputs, one path, one checksum. They test the machine below symbolic execution.

use crate::engine::{Engine, Prediction, Trouble};
use crate::keep::Keep;
use crate::lines;
use crate::process::{self, Finished};
use crate::sweep::Verdict;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Options of csmith, by turns; programs shall be varied and short in time.
const PROFILES: &[&[&str]] = &[
    &["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6"],
    &["--max-funcs", "6", "--max-array-dim", "2", "--max-array-len-per-dim", "6"],
    &["--max-funcs", "3", "--max-block-depth", "4", "--float", "--max-array-len-per-dim", "5"],
    &["--max-funcs", "4", "--max-struct-fields", "6", "--max-union-fields", "4", "--max-pointer-depth", "3"],
];

/// csmith's programs are sloppy about pointer types, which later versions of clang take for errors.
const LENIENT: [&str; 2] = ["-w", "-Wno-incompatible-pointer-types"];

/// Options under which undefined behaviour ends a program; unsafe conversions of floats are such.
const STRICT: [&str; 4] = [
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
    "-Werror=uninitialized",
    "-Werror=return-type",
];

/// How long a program may run natively; csmith makes some that never end.
const NATIVE_LIMIT: Duration = Duration::from_secs(2);

/// What every csmith program is put through.
#[derive(Debug)]
pub struct Csmith {
    /// The compiler.
    pub clang: String,
    /// csmith's headers.
    pub include: String,
    /// The engine.
    pub engine: Engine,
    /// Optimisation levels: at `O0` the engine gets the C file, at others bitcode.
    pub levels: Vec<String>,
    /// More options for `rejoin run`.
    pub flags: Vec<String>,
    /// How many programs may be tried to make a failing one smaller.
    pub shrink: usize,
    /// Where failures are kept.
    pub keep: Keep,
}

impl Csmith {
    /// Generates the program of a seed and compares its output at every level.
    pub fn verdict(&self, seed: u64) -> Verdict {
        match self.try_verdict(seed) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Failed(why),
        }
    }

    fn try_verdict(&self, seed: u64) -> Result<Verdict, String> {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let dir = scratch.path();
        let profile = PROFILES[(seed % PROFILES.len() as u64) as usize];
        let mut command = Command::new("csmith");
        command.args(["--seed", &seed.to_string(), "--quiet", "--output", "prog.c"]).args(profile);
        match process::run(command.current_dir(dir), dir, Duration::from_secs(20)) {
            Ok(finished) if finished.code == Some(0) => {}
            Ok(_) => return Ok(Verdict::Skipped("csmith found no program".into())),
            Err(error) => return Err(format!("csmith: {error}")),
        }
        let Some(expected) = self.native(dir, &[])? else {
            return Ok(Verdict::Skipped("does not end in time".into()));
        };
        for level in &self.levels {
            let Err(why) = self.compare(level, &expected, dir) else { continue };
            if self.native(dir, &STRICT).ok().flatten().as_ref() != Some(&expected) {
                return Ok(Verdict::Skipped("has undefined behaviour".into()));
            }
            let source = fs::read_to_string(dir.join("prog.c")).map_err(|error| error.to_string())?;
            let small = self.smaller(level, &source, dir);
            let options = profile.join(" ");
            let report = format!("{level}: {why}\nagain: csmith --seed {seed} {options} --output prog.c\n");
            let files =
                [("prog.c", source.as_str()), ("small.c", small.as_str()), ("report.txt", report.as_str())];
            self.keep.store(&format!("csmith-{seed}"), &files);
            return Ok(if why.is_wrong() { Verdict::Failed(report) } else { Verdict::Incomplete(report) });
        }
        Ok(Verdict::Passed)
    }

    fn compiler(&self, dir: &Path, flags: &[&str], target: &str) -> Command {
        let mut command = Command::new(&self.clang);
        command
            .args(flags)
            .args(LENIENT)
            .args(["-I", &self.include, "prog.c", "-o", target])
            .current_dir(dir);
        command
    }

    /// What `prog.c` does natively; nothing if it does not end in time.
    fn native(&self, dir: &Path, flags: &[&str]) -> Result<Option<Prediction>, String> {
        let compile = |error: String| format!("compiling the program: {error}");
        let mut command = self.compiler(dir, &[&["-O0"], flags].concat(), "native");
        match process::run(&mut command, dir, Duration::from_secs(60)) {
            Ok(Finished { code: Some(0), .. }) => {}
            Ok(finished) => return Err(compile(finished.stderr)),
            Err(error) => return Err(compile(error.to_string())),
        }
        let finished = process::run(&mut Command::new(dir.join("native")), dir, NATIVE_LIMIT);
        match finished.map_err(|error| error.to_string())? {
            Finished { timed_out: true, .. } => Ok(None),
            Finished { code: Some(code), stdout, .. } => Ok(Some(Prediction { exit: code.into(), stdout })),
            Finished { stderr, .. } => Err(format!("the program crashes natively:\n{stderr}")),
        }
    }

    /// Compares the engine's prediction at one level.
    fn compare(&self, level: &str, expected: &Prediction, dir: &Path) -> Result<(), Trouble> {
        let cflags = format!("{} -I{}", LENIENT.join(" "), self.include);
        let mut flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let program = if level == "O0" {
            flags.extend(["--cflags", &cflags]);
            "prog.c"
        } else {
            let mut command =
                self.compiler(dir, &[&format!("-{level}"), "-g", "-emit-llvm", "-c"], "prog.bc");
            match process::run(&mut command, dir, Duration::from_secs(60)) {
                Ok(Finished { code: Some(0), .. }) => "prog.bc",
                Ok(finished) => return Err(finished.stderr.into()),
                Err(error) => return Err(error.to_string().into()),
            }
        };
        let found = self.engine.predict(program, &flags, dir)?;
        if found == *expected {
            return Ok(());
        }
        let show = |p: &Prediction| format!("exit {}, \"{}\"", p.exit, p.stdout.escape_ascii());
        Err(format!("natively {}, in the engine {}", show(expected), show(&found)).into())
    }

    /// The source with as few lines as possible that still differs and still has no undefined behaviour.
    fn smaller(&self, level: &str, source: &str, dir: &Path) -> String {
        lines::shrink(source, self.shrink, &mut |text| {
            let differs = || -> Result<bool, String> {
                fs::write(dir.join("prog.c"), text).map_err(|error| error.to_string())?;
                let Some(expected) = self.native(dir, &[])? else { return Ok(false) };
                let clean = self.native(dir, &STRICT)?;
                Ok(clean.as_ref() == Some(&expected) && self.compare(level, &expected, dir).is_err())
            };
            differs().unwrap_or(false)
        })
    }
}
