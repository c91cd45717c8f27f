//! What the kernel cannot be asked: symbolic bytes, merging, injected failures, the host layer.

use rejoin_env::{Bytes, Errno, Fallible, Fault, Guest, Input, Os, Reply, SYMBOLIC_STAT, Setup, Sink};
use rejoin_expr::{Pool, Term};
use rejoin_memory::Value;
use std::collections::BTreeMap;

/// A program's memory: bytes at any address below the limit, and answers to the model's questions.
#[derive(Default)]
struct Program {
    memory: BTreeMap<u64, Value>,
    /// What symbolic bytes are decided to be; without an entry the engine stops.
    decided: BTreeMap<Term, u8>,
    failing: Option<(Fallible, u32)>,
    mapped: u64,
}

const LIMIT: u64 = 0x1_0000_0000;

impl Guest for Program {
    fn read(&mut self, address: u64, len: u64) -> Result<Bytes, Fault> {
        if address == 0 || address + len > LIMIT {
            return Err(Fault::Error(Errno::EFAULT));
        }
        Ok((address..address + len).map(|a| self.memory.get(&a).copied().unwrap_or(Value::Bits(0))).collect())
    }

    fn write(&mut self, address: u64, bytes: &Bytes) -> Result<(), Fault> {
        if address == 0 || address + bytes.len() as u64 > LIMIT {
            return Err(Fault::Error(Errno::EFAULT));
        }
        self.memory.extend((address..).zip(bytes.iter()));
        Ok(())
    }

    fn decide(&mut self, byte: Value) -> Result<u8, Fault> {
        match byte {
            Value::Bits(b) => Ok(b as u8),
            Value::Term(t) => self.decided.get(&t).copied().ok_or(Fault::Stop),
        }
    }

    fn map(&mut self, len: u64, at: Option<u64>) -> Result<u64, Fault> {
        self.mapped += len;
        Ok(at.unwrap_or(0x7000_0000))
    }

    fn unmap(&mut self, _: u64, len: u64) -> Result<(), Fault> {
        self.mapped = self.mapped.checked_sub(len).ok_or(Fault::Error(Errno::EINVAL))?;
        Ok(())
    }

    fn fails(&mut self, call: Fallible, nth: u32) -> Result<bool, Fault> {
        Ok(self.failing == Some((call, nth)))
    }
}

const READ: u64 = 0;
const WRITE: u64 = 1;
const OPEN: u64 = 2;
const CLOSE: u64 = 3;
const STAT: u64 = 4;
const FSTAT: u64 = 5;
const LSEEK: u64 = 8;
const MMAP: u64 = 9;
const SIGACTION: u64 = 13;
const SIGPROCMASK: u64 = 14;
const IOCTL: u64 = 16;
const ACCESS: u64 = 21;
const PIPE: u64 = 22;
const DUP2: u64 = 33;
const ALARM: u64 = 37;
const NANOSLEEP: u64 = 35;
const GETPID: u64 = 39;
const KILL: u64 = 62;
const UNLINK: u64 = 87;
const CHMOD: u64 = 90;
const GETDENTS: u64 = 217;
const CLOCK: u64 = 228;

const TEXT: u64 = 0x1000;
const BUFFER: u64 = 0x4000;

struct World {
    os: Os,
    program: Program,
}

impl World {
    fn new(setup: &Setup) -> Self {
        World { os: Os::new(setup).unwrap(), program: Program::default() }
    }

    fn call(&mut self, number: u64, args: &[u64]) -> Reply {
        let mut all = [0; 6];
        all[..args.len()].copy_from_slice(args);
        self.os.call(&mut self.program, number, all)
    }

    /// A call that returns.
    fn value(&mut self, number: u64, args: &[u64]) -> i64 {
        match self.call(number, args) {
            Reply::Value(value) => value,
            other => panic!("call {number} comes to {other:?}"),
        }
    }

    fn text(&mut self, text: &str) -> u64 {
        self.program.write(TEXT, &format!("{text}\0").into_bytes().into()).unwrap();
        TEXT
    }

    fn open(&mut self, path: &str, flags: u64) -> i64 {
        let path = self.text(path);
        self.value(OPEN, &[path, flags, 0o644])
    }

    fn write(&mut self, fd: u64, text: &str) -> i64 {
        self.program.write(BUFFER, &text.as_bytes().into()).unwrap();
        self.value(WRITE, &[fd, BUFFER, text.len() as u64])
    }

    fn read(&mut self, fd: u64, len: u64) -> Bytes {
        let count = self.value(READ, &[fd, BUFFER, len]);
        assert!(count >= 0, "error {count}");
        self.program.read(BUFFER, count as u64).unwrap()
    }

    fn number(&mut self, address: u64, len: u64) -> u64 {
        let bytes = self.program.read(address, len).unwrap();
        bytes.known().unwrap().iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
    }
}

const O_RDWR: u64 = 2;
const O_CREAT: u64 = 0o100;

fn symbols(pool: &mut Pool, count: usize) -> Vec<Term> {
    (0..count).map(|i| pool.var(8, &format!("b{i}"))).collect()
}

fn bytes(terms: &[Term]) -> Bytes {
    terms.iter().map(|t| Value::Term(*t)).collect()
}

fn known(output: &rejoin_env::Output) -> Vec<u8> {
    output.bytes(&mut |_| unreachable!("no merge")).known().unwrap().to_vec()
}

#[test]
fn symbolic_bytes_travel_through_stdin_files_and_output() {
    let mut pool = Pool::new();
    let terms = symbols(&mut pool, 4);
    for stdin in [Input::File(bytes(&terms)), Input::Pipe(bytes(&terms)), Input::Terminal(bytes(&terms))] {
        let mut w = World::new(&Setup { stdin, ..Setup::default() });
        let first = w.read(0, 3);
        assert_eq!(first, bytes(&terms[..3]));
        assert_eq!(w.open("f", O_RDWR | O_CREAT), 3);
        assert_eq!(w.value(WRITE, &[3, BUFFER, 3]), 3);
        assert_eq!(w.value(LSEEK, &[3, 1, 0]), 1);
        assert_eq!(w.read(3, 9), bytes(&terms[1..3]));
        assert_eq!(w.value(WRITE, &[1, BUFFER, 2]), 2);
        assert_eq!(w.os.stdout().bytes(&mut |_| 1), bytes(&terms[1..3]));
        assert_eq!(w.read(0, 9), bytes(&terms[3..]));
        assert!(w.read(0, 9).is_empty());
        assert_eq!(w.os.file("/home/f"), Some(bytes(&terms[..3])));
    }
}

#[test]
fn output_is_kept_through_duplicates_and_redirections() {
    let mut w = World::new(&Setup::default());
    w.write(1, "one ");
    assert_eq!(w.value(DUP2, &[1, 7]), 7);
    let file = w.open("f", O_RDWR | O_CREAT) as u64;
    assert_eq!(w.value(DUP2, &[file, 1]), 1);
    w.write(1, "to the file");
    w.write(7, "two ");
    let other = w.open("/dev/stdout", O_RDWR);
    assert_eq!(other, 4, "a redirected stdout is the file");
    assert_eq!(w.value(DUP2, &[2, 1]), 1);
    let stderr = w.open("/dev/fd/1", O_RDWR) as u64;
    w.write(stderr, "error");
    assert_eq!(known(&w.os.stdout()), b"one two ");
    assert_eq!(known(&w.os.stderr()), b"error");
    assert_eq!(w.os.file("/home/f").unwrap().known().unwrap(), b"to the file");
}

/// As in a sandbox: what belongs to the superuser is shown as the program's own, and may not be changed.
#[test]
fn owners_outside_the_namespace_are_not_told() {
    let mut w = World::new(&Setup { uid: 65534, gid: 65534, alone: true, ..Setup::default() });
    let path = w.text("/");
    assert_eq!(w.value(STAT, &[path, BUFFER]), 0);
    assert_eq!([28, 32].map(|at| w.number(BUFFER + at, 4)), [65534, 65534]);
    assert_eq!([w.value(ACCESS, &[path, 2]), w.value(CHMOD, &[path, 0o777])], [-13, -1]);
    let mut w = World::new(&Setup { uid: 1000, gid: 1000, ..Setup::default() });
    let path = w.text("/");
    assert_eq!(w.value(STAT, &[path, BUFFER]), 0);
    assert_eq!([28, 32].map(|at| w.number(BUFFER + at, 4)), [0, 0]);
}

#[test]
fn a_stopped_call_changes_nothing_and_can_be_repeated() {
    let mut pool = Pool::new();
    let terms = symbols(&mut pool, 1);
    let mut w = World::new(&Setup::default());
    w.text("f");
    w.program.write(TEXT, &bytes(&terms)).unwrap();
    assert_eq!(w.call(OPEN, &[TEXT, O_RDWR | O_CREAT, 0o644]), Reply::Stopped);
    assert_eq!(w.value(CLOSE, &[3]), -9);
    w.program.decided.insert(terms[0], b'g');
    assert_eq!(w.value(OPEN, &[TEXT, O_RDWR | O_CREAT, 0o644]), 3);
    assert!(w.os.file("/home/g").is_some());
}

#[test]
fn stat_fields_are_symbolic_until_the_program_sets_them() {
    let mut pool = Pool::new();
    let terms = symbols(&mut pool, 144);
    let mut w = World::new(&Setup { uid: 1000, gid: 1000, ..Setup::default() });
    let node = w.os.add_file("A", &b"12345"[..].into(), 0o644).unwrap();
    let before = w.os.stat(node);
    let all: Vec<(usize, Term)> = terms.iter().copied().enumerate().collect();
    w.os.set_symbolic_stat(node, &all);
    let path = w.text("A");
    assert_eq!(w.value(STAT, &[path, BUFFER]), 0);
    let seen = w.program.read(BUFFER, 144).unwrap();
    for (at, term) in terms.iter().enumerate() {
        let symbolic = SYMBOLIC_STAT.iter().any(|f| (f.1..f.1 + f.2).contains(&at));
        let expected = if symbolic { Value::Term(*term) } else { before.get(at) };
        assert_eq!(seen.get(at), expected, "byte {at}");
    }
    // Whether it may be opened depends on its permissions: the engine is asked.
    assert_eq!(w.call(OPEN, &[path, 0]), Reply::Stopped);
    w.program.decided.extend([(terms[24], 0o200), (terms[25], 0x80)]);
    assert_eq!(w.value(OPEN, &[path, 0]), -13);
    assert_eq!(w.value(OPEN, &[path, 1]), 3);
    assert_eq!(w.value(ACCESS, &[path, 4]), -13);
    assert_eq!(w.value(CHMOD, &[path, 0o600]), 0);
    w.program.decided.clear();
    assert_eq!(w.value(OPEN, &[path, 0]), 4);
    assert_eq!(w.value(FSTAT, &[4, BUFFER]), 0);
    assert_eq!(w.number(BUFFER + 24, 4), 0o100_600);
}

/// A file that may have up to five bytes, and has `size` of them, is for every call the file of that size.
#[test]
fn a_file_of_symbolic_size_is_one_of_its_sizes() {
    const TRUNCATE: u64 = 76;
    const FTRUNCATE: u64 = 77;
    const SENDFILE: u64 = 40;
    const FALLOCATE: u64 = 285;
    const COPY_RANGE: u64 = 326;
    const PREAD: u64 = 17;
    let mut pool = Pool::new();
    let term = symbols(&mut pool, 1)[0];
    // Descriptor 3 is the file, 4 the same for appending, 5 another file.
    let calls: &[&[u64]] = &[
        &[READ, 3, BUFFER, 2],
        &[READ, 3, BUFFER, 9],
        &[READ, 4, BUFFER, 1],
        &[PREAD, 3, BUFFER, 2, 3],
        &[PREAD, 3, BUFFER, 1, 5],
        &[LSEEK, 3, u64::MAX, 2],
        &[LSEEK, 3, 1, 0],
        &[LSEEK, 3, 2, 3],
        &[LSEEK, 3, 1, 4],
        &[WRITE, 3, TEXT, 2],
        &[WRITE, 4, TEXT, 2],
        &[TRUNCATE, TEXT, 0],
        &[FTRUNCATE, 3, 0],
        &[FTRUNCATE, 3, 3],
        &[FALLOCATE, 3, 0, 1, 3],
        &[FALLOCATE, 3, 3, 1, 9],
        &[SENDFILE, 5, 3, 0, 3],
        &[COPY_RANGE, 3, 0, 5, 0, 9],
        &[MMAP, 0, 4096, 1, 2, 3, 0],
        &[IOCTL, 3, 0x541b, BUFFER],
        &[OPEN, TEXT, O_RDWR | 0o1000],
        &[CLOSE, 6],
    ];
    let mut seed = 11u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % n
    };
    for round in 0..3000 {
        let size = round % 6;
        let mut worlds = [size, 5].map(|len| {
            let mut w = World::new(&Setup::default());
            let node = w.os.add_file("A", &b"12345"[..len].into(), 0o644).unwrap();
            (w, node)
        });
        let node = worlds[1].1;
        worlds[1].0.os.set_symbolic_stat(node, &[(48, term)]);
        worlds[1].0.program.decided.insert(term, size as u8);
        let script: Vec<&[u64]> = (0..5).map(|_| calls[random(calls.len())]).collect();
        let [known, symbolic] = worlds.map(|(mut w, _)| {
            assert_eq!(
                [w.open("A", O_RDWR), w.open("A", O_RDWR | 0o2000), w.open("f", O_RDWR | O_CREAT)],
                [3, 4, 5]
            );
            w.text("A");
            let mut said = Vec::new();
            for call in &script {
                let reply = w.call(call[0], &call[1..]);
                said.push((reply, w.program.read(BUFFER, 8).unwrap()));
            }
            // What is there in the end; the size of what was not changed may be symbolic still.
            w.value(LSEEK, &[3, 0, 0]);
            let content = w.read(3, 20);
            w.value(LSEEK, &[5, 0, 0]);
            let copied = w.read(5, 20);
            w.value(FSTAT, &[3, BUFFER]);
            let told = w.program.read(BUFFER + 48, 1).unwrap().get(0);
            let told = w.program.decide(told).unwrap();
            (said, content, copied, told, w.program.mapped, w.program.read(0x7000_0000, 8).unwrap())
        });
        assert_eq!(symbolic, known, "size {size}: {script:?}");
    }
}

/// Reading leaves the size as it is: paths that know different sizes can merge once the file is closed.
#[test]
fn what_was_only_read_keeps_its_symbolic_size() {
    let mut pool = Pool::new();
    let [size, condition] = [pool.var(8, "size"), pool.var(1, "c")];
    let mut first = World::new(&Setup::default());
    let node = first.os.add_file("A", &b"12345"[..].into(), 0o644).unwrap();
    first.os.set_symbolic_stat(node, &[(48, size)]);
    assert_eq!(first.open("A", O_RDWR), 3);
    let [mut a, mut b] = [2, 4].map(|len| {
        let mut w = World { os: first.os.clone(), program: Program::default() };
        w.program.decided.insert(size, len);
        assert_eq!(w.read(3, 9).len(), usize::from(len));
        w
    });
    assert!(!a.os.fits(&b.os), "positions differ");
    assert_eq!([a.value(CLOSE, &[3]), b.value(CLOSE, &[3])], [0, 0]);
    assert!(a.os.merge(&b.os, condition, &mut |x, _| x).is_some());
    // What nobody has to know is not asked for: the first byte and what lies behind the greatest size.
    let mut w = World { os: first.os.clone(), program: Program::default() };
    assert_eq!(w.call(READ, &[3, BUFFER, 9]), Reply::Stopped);
    assert_eq!(w.value(LSEEK, &[3, 5, 0]), 5);
    assert_eq!(w.value(READ, &[3, BUFFER, 9]), 0);
    assert_eq!(w.value(FSTAT, &[3, BUFFER]), 0);
    assert_eq!(w.program.read(BUFFER + 48, 1).unwrap().get(0), Value::Term(size));
}

#[test]
fn worlds_merge_where_only_bytes_and_output_differ() {
    let mut pool = Pool::new();
    let condition = pool.var(1, "c");
    let byte = pool.var(8, "ite");
    let mut a = World::new(&Setup::default());
    assert_eq!(a.open("f", O_RDWR | O_CREAT), 3);
    a.write(3, "hello");
    a.write(1, "common ");
    let mut b = World { os: a.os.clone(), program: Program::default() };
    a.value(LSEEK, &[3, 0, 0]);
    b.value(LSEEK, &[3, 0, 0]);
    a.write(3, "j");
    b.write(3, "h");
    a.write(1, "longer");
    b.write(1, "b");
    let mut asked = Vec::new();
    let merged = a.os.merge(&b.os, condition, &mut |x, y| {
        asked.push((x, y));
        Value::Term(byte)
    });
    let merged = merged.unwrap();
    assert_eq!(asked, [(Value::Bits(b'j'.into()), Value::Bits(b'h'.into()))]);
    let file = merged.file("/home/f").unwrap();
    assert_eq!((file.get(0), file.get(1), file.len()), (Value::Term(byte), Value::Bits(b'e'.into()), 5));
    assert_eq!(merged.stdout().bytes(&mut |_| 1).known().unwrap(), b"common longer");
    assert_eq!(merged.stdout().bytes(&mut |t| u128::from(t != condition)).known().unwrap(), b"common b");

    let mut never = |_, _| -> Value { unreachable!("nothing is merged") };
    for differ in [
        |w: &mut World| assert_eq!(w.value(LSEEK, &[3, 2, 0]), 2),
        |w: &mut World| assert_eq!(w.open("g", O_CREAT), 4),
        |w: &mut World| assert_eq!(w.value(CLOSE, &[3]), 0),
        |w: &mut World| assert_eq!(w.value(LSEEK, &[3, 5, 0]) + w.write(3, "!"), 6),
        |w: &mut World| assert_eq!(w.value(ALARM, &[9]), 0),
    ] {
        let mut c = World { os: a.os.clone(), program: Program::default() };
        differ(&mut c);
        assert!(a.os.merge(&c.os, condition, &mut never).is_none());
        assert!(c.os.merge(&a.os, condition, &mut never).is_none());
    }
    // What was undone is no difference, and the clock may have moved.
    let mut asked_time = World { os: a.os.clone(), program: Program::default() };
    asked_time.value(CLOCK, &[0, BUFFER]);
    assert!(a.os.merge(&asked_time.os, condition, &mut never).is_some());
    let mut c = World { os: a.os.clone(), program: Program::default() };
    assert_eq!(c.open("g", O_CREAT), 4);
    assert_eq!(c.value(CLOSE, &[4]), 0);
    let path = c.text("g");
    assert_eq!(c.value(UNLINK, &[path]), 0);
    assert!(a.os.merge(&c.os, condition, &mut never).is_some());
}

#[test]
fn the_engine_decides_which_calls_fail() {
    let mut w = World::new(&Setup { stdin: Input::File(b"abc"[..].into()), ..Setup::default() });
    w.os.set_max_fail(1);
    w.program.failing = Some((Fallible::Read, 2));
    assert_eq!(w.read(0, 1).len(), 1);
    assert_eq!(w.value(READ, &[0, BUFFER, 1]), -5);
    w.program.failing = Some((Fallible::Read, 3));
    assert_eq!(w.read(0, 9).known().unwrap(), b"bc", "only one failure was allowed");
}

#[test]
fn signals_to_oneself() {
    let mut w = World::new(&Setup::default());
    let pid = w.value(GETPID, &[]) as u64;
    assert_eq!(w.call(KILL, &[pid, 17]), Reply::Value(0), "ignored by default");
    assert_eq!(w.os.clone().call(&mut w.program, KILL, [pid, 15, 0, 0, 0, 0]), Reply::Signal(15));
    // Blocked, then unblocked: as libc's raise() does it.
    w.program.write(BUFFER, &vec![0xff; 8].into()).unwrap();
    assert_eq!(w.value(SIGPROCMASK, &[0, BUFFER, 0, 8]), 0);
    assert_eq!(w.value(KILL, &[pid, 6]), 0);
    assert_eq!(w.os.clone().call(&mut w.program, SIGPROCMASK, [1, BUFFER, 0, 8, 0, 0]), Reply::Signal(6));
    // A handler runs with its signal blocked.
    w.program.write(TEXT, &[&0x1234u64.to_le_bytes()[..], &[0; 24]].concat().into()).unwrap();
    assert_eq!(w.value(SIGACTION, &[6, TEXT, 0, 8]), 0);
    let reply = w.call(SIGPROCMASK, &[1, BUFFER, 0, 8]);
    assert_eq!(reply, Reply::Handler { signal: 6, address: 0x1234, value: 0, mask: 0 });
    assert_eq!(w.value(KILL, &[pid, 6]), 0, "blocked inside the handler");
    w.os.end_handler(0);
    assert!(matches!(w.call(GETPID, &[]), Reply::Handler { signal: 6, .. }));
}

#[test]
fn time_passes_by_sleeping_and_alarms_wake() {
    let mut w = World::new(&Setup::default());
    let second = |w: &mut World| {
        assert_eq!(w.value(CLOCK, &[1, BUFFER]), 0);
        w.number(BUFFER, 8)
    };
    let start = second(&mut w);
    w.program
        .write(TEXT, &[10u64, 0].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>().into())
        .unwrap();
    assert_eq!(w.value(NANOSLEEP, &[TEXT, 0]), 0);
    assert_eq!(second(&mut w), start + 10);
    assert_eq!(w.value(ALARM, &[3]), 0);
    assert_eq!(w.call(NANOSLEEP, &[TEXT, 0]), Reply::Signal(14));
    assert_eq!(second(&mut w), start + 13);
}

#[test]
fn a_lone_program_on_an_empty_pipe_waits_forever() {
    let mut w = World::new(&Setup::default());
    assert_eq!(w.value(PIPE, &[BUFFER]), 0);
    assert_eq!(w.call(READ, &[3, BUFFER, 1]), Reply::Blocked);
    assert_eq!(w.write(4, "x"), 1);
    assert_eq!(w.value(READ, &[3, BUFFER, 1]), 1);
    assert_eq!(w.value(CLOSE, &[4]), 0);
    assert_eq!(w.value(READ, &[3, BUFFER, 1]), 0);
    assert_eq!(w.call(56, &[]), Reply::Unsupported);
    assert_eq!(w.call(9999, &[]), Reply::Unsupported);
    assert_eq!(rejoin_env::name(56), Some("clone"));
    assert_eq!(w.call(231, &[7]), Reply::Exit(7));
}

#[test]
fn only_terminals_are_terminals() {
    const TIOCGWINSZ: u64 = 0x5413;
    let setup = Setup { stdout: Sink::Terminal, stderr: Sink::File, ..Setup::default() };
    let mut w = World::new(&setup);
    assert_eq!(w.value(IOCTL, &[1, TIOCGWINSZ, BUFFER]), 0);
    assert_eq!(w.number(BUFFER, 4), 24 | 80 << 16);
    assert_eq!(w.value(IOCTL, &[0, TIOCGWINSZ, BUFFER]), -25);
    assert_eq!(w.value(IOCTL, &[2, TIOCGWINSZ, BUFFER]), -25);
    assert_eq!(w.open("/dev/tty", O_RDWR), 3);
    w.write(3, "prompt");
    assert_eq!(known(&w.os.stdout()), b"prompt");
    assert_eq!(World::new(&Setup::default()).open("/dev/tty", O_RDWR), -6);
    w.write(2, "kept");
    assert_eq!(known(&w.os.stderr()), b"kept");
}

#[test]
fn a_file_is_mapped_as_a_copy() {
    let mut w = World::new(&Setup::default());
    w.os.add_file("/tmp/f", &b"mapped"[..].into(), 0o644).unwrap();
    let fd = w.open("/tmp/f", O_RDWR) as u64;
    let (private, shared) = (2, 1);
    let at = w.value(MMAP, &[0, 100, 3, private, fd, 0]) as u64;
    assert_eq!(w.program.mapped, 4096);
    assert_eq!(w.program.read(at, 7).unwrap().known().unwrap(), b"mapped\0");
    assert_eq!(w.call(MMAP, &[0, 100, 3, shared, fd, 0]), Reply::Unsupported);
    assert_eq!(w.value(MMAP, &[0, 0, 3, private, fd, 0]), -22);
    assert_eq!(w.value(11, &[at, 100]), 0);
    assert_eq!(w.program.mapped, 0);
}

#[test]
fn host_files_are_seen_where_allowed_and_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let shown = dir.path().join("shown").canonicalize().unwrap_or(dir.path().join("shown"));
    std::fs::create_dir(&shown).unwrap();
    std::fs::write(shown.join("f"), "from the host").unwrap();
    std::fs::write(dir.path().join("secret"), "hidden").unwrap();
    std::os::unix::fs::symlink("../secret", shown.join("out")).unwrap();
    let shown = shown.canonicalize().unwrap();
    let name = |n: &str| shown.join(n).to_str().unwrap().to_owned();
    let pipe = std::ffi::CString::new(name("pipe")).unwrap();
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o666) }, 0);
    let _socket = std::os::unix::net::UnixListener::bind(name("socket")).unwrap();

    let mut w = World::new(&Setup::default());
    assert_eq!(w.open(&name("f"), 0), -2);
    w.os.allow_read(&shown).unwrap();
    assert!(w.os.allow_read(&shown.join("f")).is_err());
    assert_eq!(w.open(&name("f"), O_RDWR), 3);
    assert_eq!(w.open(&name("out"), 0), -2, "a link leads nowhere that is not allowed");
    // What is neither file, directory nor link cannot be opened, and it is said so.
    let path = w.text(&name("pipe"));
    assert_eq!(w.call(OPEN, &[path, 0]), Reply::Unsupported);
    assert_eq!(w.value(STAT, &[path, BUFFER]), 0);
    assert_eq!(w.open(&name("socket"), 0), -6);
    let untouched = w.os.clone();
    assert_eq!(w.read(3, 4).known().unwrap(), b"from");
    assert_eq!(w.write(3, "!"), 1);
    assert_eq!(w.os.file(&name("f")).unwrap().known().unwrap(), b"from!the host");
    assert_eq!(untouched.file(&name("f")).unwrap().known().unwrap(), b"from the host");
    assert_eq!(w.open(&name("new"), O_RDWR | O_CREAT), 4);
    let path = w.text(&name("f"));
    assert_eq!(w.value(UNLINK, &[path]), 0);
    let directory = w.open(shown.to_str().unwrap(), 0) as u64;
    let listed = w.value(GETDENTS, &[directory, BUFFER, 1000]) as u64;
    let listing = w.program.read(BUFFER, listed).unwrap();
    let listing = String::from_utf8_lossy(listing.known().unwrap()).into_owned();
    assert!(listing.contains("new\0") && listing.contains("out\0") && !listing.contains("\u{8}f\0"));
    assert_eq!(w.value(GETDENTS, &[directory, BUFFER, 1000]), 0);
    assert_eq!(std::fs::read_to_string(shown.join("f")).unwrap(), "from the host");
    assert!(!shown.join("new").exists());
}

#[test]
fn bad_addresses_are_the_programs_errors() {
    let mut w = World::new(&Setup { stdin: Input::File(b"abc"[..].into()), ..Setup::default() });
    assert_eq!(w.value(READ, &[0, 0, 2]), -14);
    assert_eq!(w.value(WRITE, &[1, 0, 2]), -14);
    assert_eq!(w.value(OPEN, &[0, 0]), -14);
    assert_eq!(w.read(0, 9).known().unwrap(), b"abc", "the failed read took nothing");
    assert!(known(&w.os.stdout()).is_empty());
}
