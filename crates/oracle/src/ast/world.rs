//! The world of a program: where its inputs come from, and what it does with files and arguments.

// What the fields of a variant are is said in the line above it.
#![allow(missing_docs)]

use super::{Expr, Place};

/// How the bytes of the input are read at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Through a `FILE`, character by character.
    Stream,
    /// By `fread`.
    Block,
    /// By system calls.
    Calls,
}

/// Where the bytes of the input come from: first the arguments, then standard input, then a file.
#[derive(Clone, Debug)]
pub struct World {
    /// The bytes of each argument.
    pub args: Vec<usize>,
    /// The bytes of standard input.
    pub stdin: usize,
    /// The bytes of the file `A`.
    pub file: usize,
    /// How standard input and the file are read.
    pub reading: Reading,
}

impl World {
    /// The words of the engine's command line after the program.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        self.args.iter().for_each(|len| words.extend(["--sym-arg".into(), len.to_string()]));
        if self.stdin > 0 {
            words.extend(["--sym-stdin".into(), self.stdin.to_string()]);
        }
        if self.file > 0 {
            words.extend(["--sym-files".into(), "1".into(), self.file.to_string()]);
        }
        words
    }

    /// How many inputs of the engine each input of the program stands for: the byte after an argument can have any
    /// value, and so can the permissions and times of a file that nobody looks at. Programs assume that they may
    /// open theirs, which takes half of the permissions.
    pub fn each(&self) -> u128 {
        let stdin = if self.stdin > 0 { STATS } else { 1 };
        let file = if self.file > 0 { STATS / 2 } else { 1 };
        256u128.pow(self.args.len() as u32) * stdin * file
    }

    /// Takes the last byte away.
    pub fn pop(&mut self) {
        if self.file > 0 {
            self.file -= 1;
        } else if self.stdin > 0 {
            self.stdin -= 1;
        } else if let Some(last) = self.args.last_mut() {
            *last -= 1;
            self.args.retain(|len| *len > 0);
        }
    }
}

/// What can be told of a regular file: 512 permissions, and a time of 31 bits.
const STATS: u128 = 512 << 31;

/// An operation on files, streams, descriptors or arguments. `stream` says whether it goes through a `FILE`.
#[derive(Clone, Debug)]
pub enum WorldOp {
    /// The next byte of standard input or of the file, or something else at its end.
    Get { to: Place, stdin: bool, stream: bool },
    /// Goes to a position of the file.
    Seek { at: Expr, stream: bool },
    /// Writes a byte to a file that is empty at first.
    Put { value: Expr, stream: bool },
    /// Reads what was written at a position, or something else if there is nothing.
    Back { to: Place, at: Expr, stream: bool },
    /// The size of what was written, or of the file.
    Size { to: Place, written: bool },
    /// Cuts or extends what was written.
    Truncate { size: Expr },
    /// Removes the name of what was written if the condition holds.
    Remove { when: Expr },
    /// Whether there is a file of that name.
    Exists { to: Place },
    /// Sends a byte through a pipe.
    Pipe { to: Place, value: Expr },
    /// Shows a few bits of a value by a system call.
    Say { value: Expr, twice: bool },
    /// The length of an argument.
    Length { to: Place, arg: usize },
    /// Whether an argument is a word.
    Equals { to: Place, arg: usize, literal: &'static str },
    /// The number that an argument writes.
    Number { to: Place, arg: usize },
}
