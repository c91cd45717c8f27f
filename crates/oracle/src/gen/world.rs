//! Random worlds.

use super::Gen;
use crate::ast::*;

/// Words that arguments are compared with.
const WORDS: &[&str] = &["", "a", "-", "ab", "0"];

impl Gen {
    /// One to three bytes, each from an argument, standard input or a file.
    pub(super) fn world_inputs(&mut self) {
        let ranges = match self.rng.below(4) {
            0 => vec![(0, 255)],
            1 => vec![(0, 255), (40, 55)],
            2 => vec![(0, 39), (97, 136)],
            _ => vec![(0, 9), (45, 57), (97, 105)],
        };
        let (mut arg, mut stdin, mut file) = (0, 0, 0);
        for _ in &ranges {
            match self.rng.below(3) {
                0 => arg += 1,
                1 => stdin += 1,
                _ => file += 1,
            }
        }
        let args = match arg {
            0 => vec![],
            2.. if self.rng.one_in(2) => vec![1; arg],
            n => vec![n],
        };
        let reading = self.rng.pick(&[Reading::Stream, Reading::Block, Reading::Calls]);
        self.program.world = Some(World { args, stdin, file, reading });
        let shape = self.rng.pick(&[Shape::Bytes, Shape::Array]);
        self.program.inputs = Inputs { shape, signed: shape == Shape::Bytes && self.rng.one_in(3), ranges };
    }

    pub(super) fn world(&mut self) -> Stmt {
        let stream = self.rng.one_in(2);
        let arg = self.rng.below(2);
        Stmt::World(match self.rng.below(18) {
            0..=2 => WorldOp::Get { to: self.place(), stdin: self.rng.one_in(2), stream },
            3 => WorldOp::Seek { at: self.expr(1), stream },
            4..=6 => WorldOp::Put { value: self.expr(1), stream },
            7 | 8 => WorldOp::Back { to: self.place(), at: self.expr(1), stream },
            9 => WorldOp::Size { to: self.place(), written: !self.rng.one_in(3) },
            10 => WorldOp::Truncate { size: self.expr(1) },
            11 => WorldOp::Remove { when: self.rare() },
            12 => WorldOp::Exists { to: self.place() },
            13 => WorldOp::Pipe { to: self.place(), value: self.expr(1) },
            14 => WorldOp::Say { value: self.expr(1), twice: stream },
            15 => WorldOp::Length { to: self.place(), arg },
            16 => WorldOp::Equals { to: self.place(), arg, literal: self.rng.pick(WORDS) },
            _ => WorldOp::Number { to: self.place(), arg },
        })
    }
}
