//! Random loops over the input's bytes, and blocks whose size depends on the input.

use super::Gen;
use crate::ast::*;
use crate::feature::Feature;

/// Sets of the letters that inputs consist of.
const SETS: &[&str] = &["a", "b", "ab", "bc", "abc"];

impl Gen {
    pub(super) fn buffer(&mut self) -> Stmt {
        let (to, set) = (self.place(), self.rng.pick(SETS));
        Stmt::Buffer(match self.rng.below(6) {
            0 | 1 => {
                let from = self.rng.one_in(3).then(|| self.expr(1));
                let len = self.rng.one_in(2).then(|| self.expr(1));
                let step = self.rng.weighted(&[(5, 1), (1, 2)]);
                let fatal = self.rng.one_in(4).then(|| self.rng.range(1, 3) as u32);
                BufferOp::Span {
                    to,
                    set,
                    not: self.rng.one_in(3),
                    by_loop: self.rng.one_in(3),
                    from,
                    len,
                    step,
                    fatal,
                }
            }
            2 => BufferOp::SpanBack { to, set },
            3 => BufferOp::Map { to, set, len: self.expr(1) },
            _ => BufferOp::Block {
                to,
                set,
                kind: self.rng.pick(&[BlockKind::Malloc, BlockKind::Calloc, BlockKind::Array]),
                size: self.expr(1),
                len: self.rng.one_in(2).then(|| self.expr(1)),
                index: self.expr(1),
                may_fail: self.has(Feature::Errors) && self.rng.one_in(3),
            },
        })
    }
}
