//! What a program finds when it starts: its argument vector and environment as the kernel lays them
//! out, and files whose content is symbolic.
//!
//! Inputs have the names of KLEE's POSIX model. An argument that there may be is an input and an
//! object whether it is there or not, and the argument vector has one size, so that paths with
//! different numbers of arguments can merge later.

use crate::machine::{Machine, Start};
use crate::state::State;
use rejoin_env::{Bytes, Fallible, NodeId};
use rejoin_expr::Term;
use rejoin_ir::LocId;
use rejoin_memory::{Kind, Object, ObjectId, Value};
use rejoin_solver::Answer;
use std::rc::Rc;

/// A word of the command line, or what stands for several.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The word.
    Text(Vec<u8>),
    /// From `min` to `max` symbolic words of up to `len` bytes.
    Symbolic {
        /// The least number.
        min: usize,
        /// The greatest.
        max: usize,
        /// The most bytes of each.
        len: usize,
    },
}

/// What of the system is symbolic.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    /// Names and sizes of symbolic files in the working directory.
    pub files: Vec<(String, usize)>,
    /// The size of standard input, if it is symbolic.
    pub stdin: Option<usize>,
    /// Those sizes are the greatest: files and standard input may be shorter.
    pub sizes: bool,
    /// What `stat` tells of standard output is symbolic; it is a file then.
    pub stdout: bool,
    /// How many system calls may fail.
    pub max_fail: u32,
    /// Symbolic arguments do not begin with a dash.
    pub non_option: bool,
}

/// The initial stack of one state.
pub(crate) struct Stack {
    pub(crate) address: u64,
    pub(crate) argc: u64,
}

/// One or more words in memory.
enum Words {
    One(u64),
    /// The first so many of these, as the input says.
    Some {
        min: usize,
        words: Vec<u64>,
        count: Option<Term>,
    },
}

impl Machine {
    /// Puts the program's world into `s`; a state for every number of arguments.
    pub(crate) fn initial_stacks(&mut self, s: &mut State, start: &Start) -> Vec<(Stack, State)> {
        let args = self.place_arguments(s, start);
        self.add_symbolic_files(s, &start.symbolic);
        let env: Vec<u64> = start.env.iter().map(|text| self.place_string(s, text)).collect();
        let random = self.place_string(s, b"rejoin's entropy");
        let id = self.names.fixed(Kind::Environment, LocId::NONE);
        let mut choices: Vec<(Vec<u64>, State)> = vec![(Vec::new(), s.clone())];
        let mut most = 0;
        for words in &args {
            choices = match words {
                Words::One(word) => {
                    choices.iter_mut().for_each(|c| c.0.push(*word));
                    choices
                }
                Words::Some { min, words, count } => self.choose_count(choices, *min, words, *count),
            };
            most += if let Words::Some { words, .. } = words { words.len() } else { 1 };
        }
        let lay_out = |(argv, mut s): (Vec<u64>, State)| {
            let argc = argv.len() as u64;
            let mut words = vec![argc];
            words.extend(argv);
            words.push(0);
            words.extend(&env);
            // AT_PAGESZ, AT_RANDOM, AT_SECURE, AT_HWCAP, AT_NULL
            words.extend([0, 6, 4096, 25, random, 23, 0, 16, 0, 0, 0]);
            words.resize(words.len() + most - argc as usize, 0);
            let object = self.words(&words);
            s.memory.insert(id, object);
            (Stack { address: id.address(), argc }, s)
        };
        choices.into_iter().map(lay_out).collect()
    }

    fn words(&mut self, words: &[u64]) -> Object {
        let mut object = Object::new(8 * words.len() as u64, 16, Kind::Environment, LocId::NONE);
        for (i, word) in words.iter().enumerate() {
            object.write(&mut self.pool, 8 * i as u64, 8, Value::Bits(u128::from(*word)));
        }
        object
    }

    /// Each choice once for every number of words there may be.
    fn choose_count(
        &mut self,
        choices: Vec<(Vec<u64>, State)>,
        min: usize,
        words: &[u64],
        count: Option<Term>,
    ) -> Vec<(Vec<u64>, State)> {
        let mut next = Vec::new();
        for (argv, s) in choices {
            for n in min..=words.len() {
                let mut s = s.clone();
                if let Some(count) = count {
                    let n = self.pool.constant(32, n as u128);
                    let cond = self.pool.eq(count, n);
                    self.take_for_granted(&mut s, cond);
                }
                next.push(([&argv[..], &words[..n]].concat(), s));
            }
        }
        next
    }

    /// Narrows inputs that nothing is known of yet.
    fn take_for_granted(&mut self, s: &mut State, cond: Term) {
        match self.solver.check(&mut self.pool, &s.path, cond) {
            Answer::Sat(model) => self.assume(s, cond, Some(model)),
            _ => self.assume(s, cond, None),
        }
    }

    fn place_arguments(&mut self, s: &mut State, start: &Start) -> Vec<Words> {
        let mut number = 0;
        let mut all = Vec::new();
        for arg in &start.args {
            all.push(match *arg {
                Argument::Text(ref text) => Words::One(self.place_string(s, text)),
                Argument::Symbolic { min, max, len } => {
                    let count = (min < max).then(|| self.input_value(s, "n_args", 32));
                    let place = |i| self.place_argument(s, number + i, len, start.symbolic.non_option);
                    let words = (0..max).map(place).collect();
                    number += max;
                    Words::Some { min, words, count }
                }
            });
        }
        all
    }

    /// A symbolic argument. The input has one byte more than can be set, as in KLEE.
    fn place_argument(&mut self, s: &mut State, number: usize, len: usize, non_option: bool) -> u64 {
        let bytes = self.input(s, &format!("arg{number:02}"), len as u64 + 1);
        if let Some(first) = bytes[..len].first().filter(|_| non_option) {
            let dash = self.pool.constant(8, u128::from(b'-'));
            let other = self.pool.ne(*first, dash);
            self.take_for_granted(s, other);
        }
        let content: Bytes = bytes[..len].iter().map(|t| Value::Term(*t)).collect();
        self.place_bytes(s, &content).address()
    }

    fn place_string(&mut self, s: &mut State, text: &[u8]) -> u64 {
        self.place_bytes(s, &text.into()).address()
    }

    /// An object with these bytes and a NUL.
    fn place_bytes(&mut self, s: &mut State, bytes: &Bytes) -> ObjectId {
        let mut object = Object::new(bytes.len() as u64 + 1, 1, Kind::Environment, LocId::NONE);
        object.write_bytes(&mut self.pool, 0, bytes.plain());
        for &(at, term) in bytes.symbols() {
            object.write(&mut self.pool, u64::from(at), 1, Value::Term(term));
        }
        let id = self.names.fixed(Kind::Environment, LocId::NONE);
        s.memory.insert(id, object);
        id
    }

    fn add_symbolic_files(&mut self, s: &mut State, symbolic: &Symbolic) {
        for (name, size) in &symbolic.files {
            let content = self.symbolic_bytes(s, &format!("{name}_data"), *size);
            let os = &mut Rc::make_mut(&mut s.world).os;
            if let Ok(node) = os.add_file(name, &content, 0o644) {
                self.make_stat_symbolic(
                    s,
                    node,
                    &format!("{name}_data_stat"),
                    symbolic.sizes.then_some(*size),
                );
            }
        }
        if let Some(size) = symbolic.stdin {
            let content = self.symbolic_bytes(s, "stdin", size);
            let os = &mut Rc::make_mut(&mut s.world).os;
            let node = os.standard(0);
            os.set_content(node, &content);
            self.make_stat_symbolic(s, node, "stdin_stat", symbolic.sizes.then_some(size));
        }
        if symbolic.max_fail > 0 {
            for call in Fallible::ALL {
                self.input(s, call.input_name(), 4);
            }
            Rc::make_mut(&mut s.world).os.set_max_fail(symbolic.max_fail);
        }
        if symbolic.stdout {
            let node = s.world.os.standard(1);
            self.make_stat_symbolic(s, node, "stdout_stat", None);
        }
    }

    fn symbolic_bytes(&mut self, s: &mut State, name: &str, len: usize) -> Bytes {
        if len == 0 {
            return Bytes::default();
        }
        self.input(s, name, len as u64).into_iter().map(Value::Term).collect()
    }

    /// Permissions and time of change of a regular file become symbolic, and its size if there is a
    /// greatest: what native replay can make true. The input has `st_mode`, two bytes, the low four of
    /// `st_mtime`, and of `st_size` as many as the greatest size needs.
    fn make_stat_symbolic(&mut self, s: &mut State, node: NodeId, name: &str, most: Option<usize>) {
        const MODE: usize = 24;
        const MTIME: usize = 88;
        let size = (64 - most.unwrap_or(0).leading_zeros()).div_ceil(8);
        let bytes = self.input(s, name, 6 + u64::from(size));
        let byte = |m: &mut Machine, v: u128| m.pool.constant(8, v);
        // A regular file without set-id bits: of the high byte, one bit is free.
        let [regular, free] = [0x80, 0x01].map(|v| byte(self, v));
        let permission = self.pool.and(bytes[1], free);
        let high = self.pool.or(regular, permission);
        let plausible = self.pool.eq(bytes[1], high);
        self.take_for_granted(s, plausible);
        let late = byte(self, 0x80);
        let plausible = self.pool.ult(bytes[5], late);
        self.take_for_granted(s, plausible);
        let mut symbols = vec![(MODE, bytes[0]), (MODE + 1, high)];
        symbols.extend(bytes[2..6].iter().enumerate().map(|(i, t)| (MTIME + i, *t)));
        symbols.extend(self.symbolic_size(s, &bytes[6..], most.unwrap_or(0)));
        Rc::make_mut(&mut s.world).os.set_symbolic_stat(node, &symbols);
    }

    /// `st_size`, of these bytes and at most `most`, and `st_blocks` as it follows.
    fn symbolic_size(&mut self, s: &mut State, bytes: &[Term], most: usize) -> Vec<(usize, Term)> {
        const SIZE: usize = 48;
        const BLOCKS: usize = 64;
        let size = bytes.iter().copied().reduce(|low, high| self.pool.concat(high, low));
        let Some(size) = size else { return Vec::new() };
        let size = self.pool.zext(size, 64);
        let limit = self.pool.constant(64, most as u128);
        let plausible = self.pool.ule(size, limit);
        self.take_for_granted(s, plausible);
        // A block of 4096 bytes counts as eight.
        let [rest, twelve, three] = [4095, 12, 3].map(|v| self.pool.constant(64, v));
        let rounded = self.pool.add(size, rest);
        let pages = self.pool.lshr(rounded, twelve);
        let blocks = self.pool.shl(pages, three);
        let mut symbols: Vec<_> = bytes.iter().enumerate().map(|(i, t)| (SIZE + i, *t)).collect();
        for i in 0..8 {
            let byte = self.pool.extract(blocks, 8 * i as u32, 8);
            if let Value::Term(byte) = self.value_of(byte) {
                symbols.push((BLOCKS + i, byte));
            }
        }
        symbols
    }
}
