//! Random expressions and places.

use super::Gen;
use crate::ast::*;
use crate::feature::Feature;

const UNARY: &[(usize, UnOp)] = &[
    (4, UnOp::Not),
    (4, UnOp::Neg),
    (1, UnOp::Popcount),
    (1, UnOp::Bswap),
    (1, UnOp::Bitreverse),
    (1, UnOp::Clz),
    (1, UnOp::Ctz),
    (1, UnOp::Abs),
];

const BINARY: &[(usize, BinOp)] = &[
    (8, BinOp::Add),
    (6, BinOp::Sub),
    (3, BinOp::Mul),
    (6, BinOp::And),
    (4, BinOp::Or),
    (6, BinOp::Xor),
    (3, BinOp::NarrowAdd),
    (3, BinOp::NarrowSub),
    (2, BinOp::NarrowMul),
    (2, BinOp::Div),
    (2, BinOp::Rem),
    (1, BinOp::NegDiv),
    (1, BinOp::NegRem),
    (2, BinOp::Shl),
    (2, BinOp::Shr),
    (2, BinOp::Sar),
    (1, BinOp::Rotl),
    (1, BinOp::AddOverflows),
    (1, BinOp::SubOverflows),
    (1, BinOp::MulOverflows),
];

#[derive(Clone, Copy)]
enum Kind {
    Leaf,
    Unary,
    Binary,
    Compare,
    Cond,
    Logic,
    Cast,
}

#[derive(Clone, Copy)]
enum Spot {
    Local,
    Param,
    Global,
    LocalElem,
    GlobalElem,
    Field,
    Part,
}

impl Gen {
    pub(super) fn boxed(&mut self, depth: usize) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    /// An expression of at most this depth.
    pub(super) fn expr(&mut self, depth: usize) -> Expr {
        let inner = usize::from(depth > 0);
        let kind = self.rng.weighted(&[
            (4, Kind::Leaf),
            (2 * inner, Kind::Unary),
            (10 * inner, Kind::Binary),
            (2 * inner, Kind::Compare),
            (inner, Kind::Cond),
            (inner, Kind::Logic),
            (2 * inner, Kind::Cast),
        ]);
        let below = depth.saturating_sub(1);
        match kind {
            Kind::Leaf => self.leaf(),
            Kind::Unary => Expr::Un(self.rng.weighted(UNARY), self.ty(), self.boxed(below)),
            Kind::Binary => {
                let (op, mut ty) = (self.rng.weighted(BINARY), self.ty());
                // Division circuits of 128 bits cost a solver minutes; they are tested at 64.
                if ty.bits == 128 && matches!(op, BinOp::Div | BinOp::Rem | BinOp::NegDiv | BinOp::NegRem) {
                    ty.bits = 64;
                }
                Expr::Bin(op, ty, self.boxed(below), self.boxed(below))
            }
            Kind::Compare => self.comparison(below),
            Kind::Cond => {
                let when = Box::new(self.comparison(below));
                Expr::Cond(self.ty(), when, self.boxed(below), self.boxed(below))
            }
            Kind::Logic => {
                let op = self.rng.pick(&[Logic::And, Logic::Or]);
                Expr::Logic(op, Box::new(self.comparison(below)), Box::new(self.comparison(below)))
            }
            Kind::Cast => Expr::Cast(self.ty(), self.boxed(below)),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let op = self.rng.pick(&[Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge]);
        Expr::Cmp(op, self.ty(), self.boxed(depth), self.boxed(depth))
    }

    /// A condition for a branch: of any shape, and mostly one that both kinds of input can take.
    pub(super) fn condition(&mut self) -> Expr {
        match self.rng.below(8) {
            0 => self.expr(2),
            1 => self.comparison(2),
            2 => Expr::LogicNot(self.boxed(1)),
            3 => Expr::Logic(
                self.rng.pick(&[Logic::And, Logic::Or]),
                Box::new(self.comparison(1)),
                Box::new(self.threshold()),
            ),
            _ => self.threshold(),
        }
    }

    /// A comparison of something symbolic with a constant in its range.
    fn threshold(&mut self) -> Expr {
        let ty = self.rng.pick(&[U8, U8, I8, U16, I16, U32, I32]);
        let op = self.rng.pick(&[Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge]);
        let bound = Expr::Const(ty, self.rng.bits().into());
        let left = if self.rng.one_in(2) { self.input() } else { self.expr(1) };
        let (left, bound) = match op {
            // Equality with a full byte is rare; with a few of its bits it is a fair branch.
            Cmp::Eq | Cmp::Ne => {
                let mask = self.rng.pick(&[3, 7, 15, 255]);
                let bits = Expr::Bin(BinOp::And, ty, Box::new(left), Box::new(Expr::int(mask)));
                (bits, Expr::int(u128::from(self.rng.bits()) & mask))
            }
            _ => (left, bound),
        };
        Expr::Cmp(op, ty, Box::new(left), Box::new(bound))
    }

    /// A condition that few inputs meet.
    pub(super) fn rare(&mut self) -> Expr {
        let mask = self.rng.pick(&[7, 15, 31, 63, 255]);
        let left = if self.rng.one_in(2) { self.input() } else { self.expr(2) };
        let bits = Expr::Bin(BinOp::And, U32, Box::new(left), Box::new(Expr::int(mask)));
        let bound = Expr::int(u128::from(self.rng.bits()) & mask);
        Expr::Cmp(Cmp::Eq, U32, Box::new(bits), Box::new(bound))
    }

    pub(super) fn input(&mut self) -> Expr {
        let count =
            if self.program.inputs.shape == Shape::Half { 1 } else { self.program.inputs.ranges.len() };
        Expr::Input(self.rng.below(count))
    }

    fn leaf(&mut self) -> Expr {
        match self.rng.below(8) {
            0..=2 => self.input(),
            3 => {
                let ty = self.ty();
                Expr::Const(ty, self.value(ty))
            }
            4 if self.scope.rounds > 0 => Expr::Counter(self.rng.below(self.scope.counters)),
            _ => Expr::Read(self.place()),
        }
    }

    /// A place of any kind.
    pub(super) fn place(&mut self) -> Place {
        let this = &self.program.functions[self.function];
        let (locals, arrays, params) = (this.locals.len(), this.arrays.len(), this.params.len());
        let index = self.if_has(Feature::Index, 1);
        let table = [
            (6, Spot::Local),
            (if params > 0 { 4 } else { 0 }, Spot::Param),
            (3, Spot::Global),
            (3 * index, Spot::LocalElem),
            (3 * index, Spot::GlobalElem),
            (self.if_has(Feature::Records, 4), Spot::Field),
            (self.if_has(Feature::Records, 2), Spot::Part),
        ];
        match self.rng.weighted(&table) {
            Spot::Local => Place::Local(self.rng.below(locals)),
            Spot::Param => Place::Param(self.rng.below(params)),
            Spot::Global => Place::Global(self.rng.below(self.program.globals.len())),
            Spot::LocalElem => Place::LocalElem(self.rng.below(arrays), self.index()),
            Spot::GlobalElem => Place::GlobalElem(self.rng.below(self.program.arrays.len()), self.index()),
            Spot::Field => {
                let (record, field) = self.member();
                Place::Field(record, self.index(), field)
            }
            Spot::Part => Place::Part(self.rng.below(4) as u32, self.index()),
        }
    }

    /// A structure type and one of its members.
    pub(super) fn member(&mut self) -> (usize, usize) {
        let record = self.rng.below(self.program.records.len());
        (record, self.rng.below(self.program.records[record].fields.len()))
    }

    fn index(&mut self) -> Box<Expr> {
        Box::new(match self.rng.below(3) {
            0 => Expr::int(self.rng.below(8) as u128),
            1 => self.input(),
            _ => Expr::Bin(BinOp::Add, U32, Box::new(self.input()), Box::new(Expr::int(3))),
        })
    }
}
