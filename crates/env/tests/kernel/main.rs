//! The model against the real kernel: random sequences of file calls give the same results, the
//! same errors and the same bytes on both.
//!
//! The real side runs in a process of its own, in a directory of its own: as root it is confined
//! to it by `chroot`, otherwise paths that lead upwards are left out.

mod model;
mod real;
mod script;

use script::{Left, OUT, Op, VECTOR, script};
use std::fmt::Write;

/// Something that answers system calls for a program with a small memory.
trait Kernel {
    /// Where the memory lies.
    fn base(&self) -> u64;
    fn write(&mut self, at: u64, bytes: &[u8]);
    fn read(&self, at: u64, len: usize) -> Vec<u8>;
    fn call(&mut self, number: i64, args: [u64; 6]) -> i64;
}

/// What both sides agree on before they start.
#[derive(Clone, Copy, Debug)]
struct World {
    uid: u32,
    /// Whether the program is confined, and may try to climb out.
    climb: bool,
    /// Whether the file system counts subdirectories as links.
    counts_directories: bool,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

const S_IFMT: u64 = 0o170_000;
const S_IFDIR: u64 = 0o040_000;

fn is_directory(kernel: &mut dyn Kernel, fd: u64) -> bool {
    let out = kernel.base() + OUT;
    kernel.call(libc::SYS_fstat, [fd, out, 0, 0, 0, 0]) == 0
        && number(&kernel.read(OUT + 24, 4)) & S_IFMT == S_IFDIR
}

/// Runs a sequence; one line per call.
fn run(kernel: &mut dyn Kernel, seed: u64, world: World) -> Vec<String> {
    let base = kernel.base();
    let mut lines = Vec::new();
    for op in script(seed, world.climb) {
        let mut args = op.args.map(|arg| match arg {
            script::Arg::Number(n) => n as u64,
            script::Arg::At(at) => base + at,
        });
        // Positions in a directory are the file system's own business, but for the start.
        let read_from = if op.name == "sendfile" { args[1] } else { args[0] };
        if ["lseek", "read", "readv", "getdents64", "sendfile"].contains(&op.name)
            && is_directory(kernel, read_from)
        {
            kernel.call(libc::SYS_lseek, [read_from, 0, 0, 0, 0, 0]);
            if op.name == "lseek" {
                (args[1], args[2]) = (0, 0);
            }
        }
        // Some file systems grow a file even if what is written behind its end cannot be read.
        if op.name == "write" && args[1] == 0 {
            kernel.call(libc::SYS_lseek, [args[0], 0, 0, 0, 0, 0]);
        }
        for (at, bytes) in &op.before {
            kernel.write(*at, bytes);
        }
        if let Some(vector) = &op.vector {
            let mut at = base + vector.start;
            for (i, len) in vector.lengths.iter().enumerate() {
                let entry = [at.to_le_bytes(), len.to_le_bytes()].concat();
                kernel.write(VECTOR + 16 * i as u64, &entry);
                at += len;
            }
        }
        let result = kernel.call(op.number, args);
        lines.push(format!("{} = {}", op.text(), outcome(kernel, &op, result, world)));
    }
    lines
}

fn outcome(kernel: &dyn Kernel, op: &Op, result: i64, world: World) -> String {
    if result < 0 {
        return format!("-{}", -result);
    }
    let mut text = result.to_string();
    match op.left {
        Left::Nothing => {}
        Left::Returned => {
            write!(text, " {:?}", String::from_utf8_lossy(&kernel.read(OUT, result as usize))).unwrap()
        }
        Left::Bytes(len) => write!(text, " {:x?}", kernel.read(OUT, len)).unwrap(),
        Left::Stat => text += &stat(kernel, [24, 16, 28, 32, 48, 88], [4, 8, 4, 4, 8, 8], world),
        Left::Statx => text += &stat(kernel, [28, 16, 20, 24, 40, 112], [2, 4, 4, 4, 8, 8], world),
        Left::Directory => text = directory(&kernel.read(OUT, result as usize)),
    }
    text
}

/// Type and mode, links, owner, group, size, and the time of modification if it was set.
fn stat(kernel: &dyn Kernel, at: [u64; 6], len: [usize; 6], world: World) -> String {
    let mut field: [u64; 6] = std::array::from_fn(|i| number(&kernel.read(OUT + at[i], len[i])));
    if field[0] & S_IFMT == S_IFDIR {
        field[4] = 0;
        if !world.counts_directories {
            field[1] = 0;
        }
    }
    if field[5] > 1000 {
        field[5] = 0;
    }
    let [mode, links, uid, gid, size, modified] = field;
    format!(" {mode:o} links {links} owner {uid}:{gid} size {size} modified {modified}")
}

/// The names and types of a listing, sorted, for the order is the file system's own business.
fn directory(mut bytes: &[u8]) -> String {
    let mut names = Vec::new();
    while !bytes.is_empty() {
        let len = number(&bytes[16..18]) as usize;
        let name = bytes[19..len].split(|b| *b == 0).next().unwrap_or_default();
        names.push(format!("{}:{}", String::from_utf8_lossy(name), bytes[18]));
        bytes = &bytes[len..];
    }
    names.sort();
    names.join(" ")
}

fn sequences() -> u64 {
    std::env::var("REJOIN_ENV_SEQUENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

fn compare(uid: u32) {
    let (world, real) = real::run(uid, sequences());
    let (mut calls, mut succeeded) = (0, 0);
    let mut differences = Vec::new();
    for (seed, real) in real.iter().enumerate() {
        let model = run(&mut model::Model::new(world), seed as u64, world);
        assert_eq!(model.len(), real.len());
        calls += model.len();
        succeeded += model.iter().filter(|line| !line.contains(" = -")).count();
        if let Some(i) = (0..model.len()).find(|&i| model[i] != real[i]) {
            if differences.is_empty() {
                println!("seed {seed} begins with\n{}", model[..i].join("\n"));
            }
            differences.push(format!("seed {seed}\n  model  {}\n  kernel {}", model[i], real[i]));
        }
    }
    println!("user {uid}: {} sequences, {calls} calls, {succeeded} successful", real.len());
    let shown = differences.iter().take(20).fold(String::new(), |all, d| all + d + "\n");
    assert!(differences.is_empty(), "{} sequences differ\n{shown}", differences.len());
    assert!(succeeded * 4 > calls, "most calls fail: the sequences say little");
}

#[test]
fn as_the_superuser_or_oneself() {
    compare(real::own_uid());
}

#[test]
fn as_an_ordinary_user() {
    if real::own_uid() == 0 {
        compare(1234);
    }
}

/// The other side of [`compare`]: runs in a process of its own.
#[test]
#[ignore = "started by the other tests"]
fn executor() {
    real::execute();
}
