//! Random planted errors.

use super::Gen;
use crate::ast::*;
use crate::feature::Feature;

impl Gen {
    pub(super) fn fault(&mut self) -> Fault {
        let when = self.rare();
        let write = self.rng.one_in(2);
        match self.rng.below(17) {
            0..=2 => self.bounds(write),
            3 => Fault::Null { when, write, value: self.expr(1) },
            4 => Fault::AfterFree { when, write, value: self.expr(1) },
            5 => Fault::DoubleFree { when },
            6 => Fault::BadFree { when, inside: self.rng.one_in(2) },
            7 => {
                let ty = self.ty();
                let ty = if ty.bits == 128 { U64 } else { ty };
                Fault::Divide { ty, rem: write, left: self.expr(2), right: self.expr(2) }
            }
            8 | 16 => {
                let ty = if self.has(Feature::Wide) && self.rng.one_in(2) { I64 } else { I32 };
                Fault::MinByMinusOne { ty, rem: write, when }
            }
            9 => self.shift(write),
            10 => Fault::Assert { holds: Expr::LogicNot(Box::new(when)) },
            11 => Fault::Abort { when },
            12 => Fault::Constant { when },
            13 => Fault::NullCall { when, value: self.expr(1) },
            14 => Fault::Unreachable { when },
            _ => Fault::Report { when },
        }
    }

    fn bounds(&mut self, write: bool) -> Fault {
        let global = self.rng.one_in(2);
        let arrays = match global {
            true => &self.program.arrays,
            false => &self.program.functions[self.function].arrays,
        };
        let array = self.rng.below(arrays.len());
        let (len, low) = (arrays[array].init.len(), self.rng.pick(&[0, 0, -1]));
        // An index that does not depend on the input fails wherever control gets, so not at the top.
        let index = match self.rng.below(7) {
            0 if self.scope.rounds > 0 => Expr::Counter(self.rng.below(self.scope.counters)),
            1 | 2 if self.scope.depth > 0 => Expr::int(self.rng.range(len - 1, len + 1) as u128),
            0..=3 => self.input(),
            _ => self.expr(2),
        };
        match write {
            true => Fault::Store { global, array, low, index, value: self.expr(2) },
            false => Fault::Load { global, array, low, index, to: self.place() },
        }
    }

    fn shift(&mut self, left: bool) -> Fault {
        let ty = match (left, self.has(Feature::Wide)) {
            (true, false) => U32,
            (true, true) => self.rng.pick(&[U32, U64, U128]),
            (false, false) => self.rng.pick(&[U32, I32]),
            (false, true) => self.rng.pick(&[U32, I32, U64, I64, U128, I128]),
        };
        Fault::Shift { ty, left, value: self.expr(2), amount: self.expr(1) }
    }
}
