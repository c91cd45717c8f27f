//! Makes a program that shows something smaller, as long as it still shows it.
//!
//! Greedy and by the tree: drop runs of statements, replace a compound statement by what is inside of it, replace
//! expressions by constants or by one of their operands, shorten loops, take away inputs; again and again until
//! nothing helps.

use crate::ast::{Block, Expr, Program, Shape, Stmt, World};

/// Shrinks `program` while `shows` holds, with at most `tests` questions.
pub fn shrink(program: Program, tests: usize, shows: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut search = Search { best: program, tests, shows };
    loop {
        let before = search.tests;
        let progress = [
            search.drop_statements(),
            search.unwrap_statements(),
            search.simplify_expressions(),
            search.shorten(),
            search.drop_inputs(),
        ];
        if !progress.contains(&true) || search.tests == 0 || search.tests == before {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Program,
    tests: usize,
    shows: &'a mut dyn FnMut(&Program) -> bool,
}

impl Search<'_> {
    /// Keeps `candidate` if it shows what it has to.
    fn keep(&mut self, candidate: Program) -> bool {
        if self.tests == 0 {
            return false;
        }
        self.tests -= 1;
        let good = (self.shows)(&candidate);
        if good {
            self.best = candidate;
        }
        good
    }

    fn blocks(&self) -> Vec<usize> {
        let mut lengths = Vec::new();
        self.best.clone().each_block(&mut |block| lengths.push(block.len()));
        lengths
    }

    /// The best program with its block number `wanted` edited.
    fn with_block(&self, wanted: usize, edit: impl FnOnce(&mut Block)) -> Program {
        let (mut copy, mut at, mut edit) = (self.best.clone(), 0, Some(edit));
        copy.each_block(&mut |block| {
            if at == wanted
                && let Some(edit) = edit.take()
            {
                edit(block);
            }
            at += 1;
        });
        copy
    }

    fn drop_statements(&mut self) -> bool {
        let (mut progress, mut number) = (false, 0);
        while let Some(&length) = self.blocks().get(number) {
            let mut size = length;
            while size > 0 {
                let mut start = 0;
                while start < self.blocks().get(number).copied().unwrap_or(0) {
                    let shorter = self.with_block(number, |block| {
                        block.drain(start..block.len().min(start + size));
                    });
                    if self.keep(shorter) {
                        progress = true;
                    } else {
                        start += size;
                    }
                }
                size /= 2;
            }
            number += 1;
        }
        progress
    }

    fn unwrap_statements(&mut self) -> bool {
        let (mut progress, mut number) = (false, 0);
        while let Some(&length) = self.blocks().get(number) {
            for at in 0..length {
                for inner in 0.. {
                    let mut found = false;
                    let flat = self.with_block(number, |block| found = unwrap(block, at, inner));
                    if !found {
                        break;
                    }
                    if self.keep(flat) {
                        progress = true;
                        break;
                    }
                }
            }
            number += 1;
        }
        progress
    }

    fn simplify_expressions(&mut self) -> bool {
        let (mut progress, mut number) = (false, 0);
        while let Some(current) = self.expr(number) {
            match simpler(current).into_iter().find(|candidate| {
                let replaced = self.with_expr(number, candidate);
                self.keep(replaced)
            }) {
                // What replaced it may be simplified further.
                Some(_) => progress = true,
                None => number += 1,
            }
        }
        progress
    }

    fn expr(&self, wanted: usize) -> Option<Expr> {
        let (mut at, mut found) = (0, None);
        self.best.clone().each_expr(&mut |expr| {
            if at == wanted {
                found = Some(expr.clone());
            }
            at += 1;
        });
        found
    }

    fn with_expr(&self, wanted: usize, replacement: &Expr) -> Program {
        let (mut copy, mut at) = (self.best.clone(), 0);
        copy.each_expr(&mut |expr| {
            if at == wanted {
                *expr = replacement.clone();
            }
            at += 1;
        });
        copy
    }

    /// Loops of one round, switches of fewer arms, no assumptions.
    fn shorten(&mut self) -> bool {
        let mut shorter = self.best.clone();
        let mut changed = !shorter.assumptions.is_empty();
        shorter.assumptions.clear();
        shorter.each_stmt(&mut |stmt| match stmt {
            Stmt::Loop { limit, .. } if *limit > 2 => {
                *limit = 2;
                changed = true;
            }
            Stmt::Switch { arms, .. } => {
                let before = arms.len();
                arms.retain(|arm| !arm.body.is_empty());
                changed |= arms.len() < before;
            }
            _ => {}
        });
        changed && self.keep(shorter)
    }

    fn drop_inputs(&mut self) -> bool {
        let last = self.best.inputs.ranges.len() - 1;
        if last == 0 || self.best.inputs.shape == Shape::Half {
            return false;
        }
        let mut fewer = self.best.clone();
        fewer.inputs.ranges.pop();
        fewer.world.iter_mut().for_each(World::pop);
        fewer.each_expr(&mut |expr| {
            if matches!(expr, Expr::Input(index) if *index == last) {
                *expr = Expr::int(0);
            }
        });
        self.keep(fewer)
    }
}

/// Replaces a statement by its inner block of that number, if it has one.
fn unwrap(block: &mut Block, at: usize, inner: usize) -> bool {
    let Some(content) = block.get_mut(at).and_then(|stmt| {
        let mut blocks = stmt.blocks();
        (inner < blocks.len()).then(|| std::mem::take(blocks.swap_remove(inner)))
    }) else {
        return false;
    };
    block.splice(at..=at, content);
    true
}

/// What an expression could be replaced by, the simplest first.
fn simpler(mut expr: Expr) -> Vec<Expr> {
    let constants = match expr {
        Expr::Const(_, 0) => Vec::new(),
        Expr::Const(_, 1) => vec![Expr::int(0)],
        _ => vec![Expr::int(0), Expr::int(1)],
    };
    let operands: Vec<Expr> = expr.operands().into_iter().map(|operand| operand.clone()).collect();
    constants.into_iter().chain(operands).collect()
}
