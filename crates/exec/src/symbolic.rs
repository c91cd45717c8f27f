//! Operations of the IR as terms.

use crate::machine::Machine;
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_ir::{AtomicOp, BinOp, CastOp, IntPred, OverflowOp, UnOp};

impl Machine {
    pub(crate) fn bin_term(&mut self, op: BinOp, x: Term, y: Term) -> Term {
        let p = &mut self.pool;
        match op {
            BinOp::Add => p.add(x, y),
            BinOp::Sub => p.sub(x, y),
            BinOp::Mul => p.mul(x, y),
            BinOp::UDiv => p.udiv(x, y),
            BinOp::SDiv => p.sdiv(x, y),
            BinOp::URem => p.urem(x, y),
            BinOp::SRem => p.srem(x, y),
            BinOp::Shl => p.shl(x, y),
            BinOp::LShr => p.lshr(x, y),
            BinOp::AShr => p.ashr(x, y),
            BinOp::And => p.and(x, y),
            BinOp::Or => p.or(x, y),
            BinOp::Xor => p.xor(x, y),
            BinOp::UMin => self.pick(IntPred::Ult, x, y, x, y),
            BinOp::UMax => self.pick(IntPred::Ugt, x, y, x, y),
            BinOp::SMin => self.pick(IntPred::Slt, x, y, x, y),
            BinOp::SMax => self.pick(IntPred::Sgt, x, y, x, y),
            BinOp::UAddSat => self.saturate_unsigned(OverflowOp::UAdd, u128::MAX, x, y),
            BinOp::USubSat => self.saturate_unsigned(OverflowOp::USub, 0, x, y),
            BinOp::SAddSat => self.saturate_signed(OverflowOp::SAdd, x, y),
            BinOp::SSubSat => self.saturate_signed(OverflowOp::SSub, x, y),
            BinOp::UShlSat | BinOp::SShlSat => self.saturate_shift(op == BinOp::SShlSat, x, y),
        }
    }

    fn pick(&mut self, pred: IntPred, x: Term, y: Term, a: Term, b: Term) -> Term {
        let c = self.cmp_term(pred, x, y);
        self.pool.ite(c, a, b)
    }

    fn saturate_unsigned(&mut self, op: OverflowOp, limit: u128, x: Term, y: Term) -> Term {
        let (r, overflow) = self.overflow_terms(op, x, y);
        let limit = self.pool.constant(self.pool.width(x), limit);
        self.pool.ite(overflow, limit, r)
    }

    /// The limit on the side of `x`'s sign.
    fn signed_limit(&mut self, x: Term) -> Term {
        let w = self.pool.width(x);
        let (min, max) = (self.pool.constant(w, 1 << (w - 1)), self.pool.constant(w, (1 << (w - 1)) - 1));
        let zero = self.pool.constant(w, 0);
        let negative = self.pool.slt(x, zero);
        self.pool.ite(negative, min, max)
    }

    fn saturate_signed(&mut self, op: OverflowOp, x: Term, y: Term) -> Term {
        let (r, overflow) = self.overflow_terms(op, x, y);
        let limit = self.signed_limit(x);
        self.pool.ite(overflow, limit, r)
    }

    fn saturate_shift(&mut self, signed: bool, x: Term, y: Term) -> Term {
        let w = self.pool.width(x);
        let r = self.pool.shl(x, y);
        let back = if signed { self.pool.ashr(r, y) } else { self.pool.lshr(r, y) };
        let fits = self.pool.eq(back, x);
        let limit = if signed { self.signed_limit(x) } else { self.pool.constant(w, u128::MAX) };
        self.pool.ite(fits, r, limit)
    }

    pub(crate) fn cmp_term(&mut self, pred: IntPred, x: Term, y: Term) -> Term {
        let p = &mut self.pool;
        match pred {
            IntPred::Eq => p.eq(x, y),
            IntPred::Ne => p.ne(x, y),
            IntPred::Ult if planted("ult-as-ule") => p.ule(x, y),
            IntPred::Slt if planted("slt-as-ult") => p.ult(x, y),
            IntPred::Ult => p.ult(x, y),
            IntPred::Ule => p.ule(x, y),
            IntPred::Ugt => p.ult(y, x),
            IntPred::Uge => p.ule(y, x),
            IntPred::Slt => p.slt(x, y),
            IntPred::Sle => p.sle(x, y),
            IntPred::Sgt => p.slt(y, x),
            IntPred::Sge => p.sle(y, x),
        }
    }

    pub(crate) fn cast_term(&mut self, op: CastOp, to: u16, x: Term) -> Term {
        let to = u32::from(to);
        match op {
            CastOp::ZExt => self.pool.zext(x, to),
            CastOp::SExt if planted("sext-as-zext") => self.pool.zext(x, to),
            CastOp::SExt => self.pool.sext(x, to),
            CastOp::Trunc => self.pool.extract(x, 0, to),
        }
    }

    /// Result and overflow flag, computed at a width where nothing overflows.
    pub(crate) fn overflow_terms(&mut self, op: OverflowOp, x: Term, y: Term) -> (Term, Term) {
        let p = &mut self.pool;
        let w = p.width(x);
        let wide = match op {
            OverflowOp::UMul | OverflowOp::SMul => 2 * w,
            _ => w + 1,
        };
        let signed = matches!(op, OverflowOp::SAdd | OverflowOp::SSub | OverflowOp::SMul);
        let (a, b) =
            if signed { (p.sext(x, wide), p.sext(y, wide)) } else { (p.zext(x, wide), p.zext(y, wide)) };
        let exact = match op {
            OverflowOp::UAdd | OverflowOp::SAdd => p.add(a, b),
            OverflowOp::USub | OverflowOp::SSub => p.sub(a, b),
            OverflowOp::UMul | OverflowOp::SMul => p.mul(a, b),
        };
        let r = p.extract(exact, 0, w);
        let back = if signed { p.sext(r, wide) } else { p.zext(r, wide) };
        (r, p.ne(back, exact))
    }

    pub(crate) fn un_term(&mut self, op: UnOp, x: Term) -> Term {
        let w = self.pool.width(x);
        match op {
            UnOp::Ctpop => {
                let mut sum = self.pool.constant(w, 0);
                for i in 0..w {
                    let bit = self.pool.extract(x, i, 1);
                    let bit = self.pool.zext(bit, w);
                    sum = self.pool.add(sum, bit);
                }
                sum
            }
            // The last bit tested wins, so the one that decides is tested last.
            UnOp::Ctlz => self.first_bit(x, 0..w, |i| w - 1 - i),
            UnOp::Cttz => self.first_bit(x, (0..w).rev(), |i| i),
            UnOp::BSwap => self.reverse(x, 8),
            UnOp::BitReverse => self.reverse(x, 1),
            UnOp::Abs => {
                let zero = self.pool.constant(w, 0);
                let negative = self.pool.slt(x, zero);
                let minus = self.pool.neg(x);
                self.pool.ite(negative, minus, x)
            }
        }
    }

    fn first_bit(&mut self, x: Term, bits: impl Iterator<Item = u32>, count: impl Fn(u32) -> u32) -> Term {
        let w = self.pool.width(x);
        let mut r = self.pool.constant(w, u128::from(w));
        for i in bits {
            let bit = self.pool.extract(x, i, 1);
            let n = self.pool.constant(w, u128::from(count(i)));
            r = self.pool.ite(bit, n, r);
        }
        r
    }

    /// Groups of `unit` bits in the opposite order.
    fn reverse(&mut self, x: Term, unit: u32) -> Term {
        let w = self.pool.width(x);
        let mut r = self.pool.extract(x, 0, unit);
        for lo in (unit..w).step_by(unit as usize) {
            let group = self.pool.extract(x, lo, unit);
            r = self.pool.concat(r, group);
        }
        r
    }

    pub(crate) fn funnel_term(&mut self, left: bool, hi: Term, lo: Term, amount: Term) -> Term {
        let p = &mut self.pool;
        let w = p.width(hi);
        let width = p.constant(w, u128::from(w));
        let n = p.urem(amount, width);
        let both = p.concat(hi, lo);
        let n = p.zext(n, 2 * w);
        if left {
            let shifted = p.shl(both, n);
            p.extract(shifted, w, w)
        } else {
            let shifted = p.lshr(both, n);
            p.extract(shifted, 0, w)
        }
    }

    pub(crate) fn atomic_term(&mut self, op: AtomicOp, old: Term, v: Term) -> Term {
        match op {
            AtomicOp::Xchg => v,
            AtomicOp::Add => self.pool.add(old, v),
            AtomicOp::Sub => self.pool.sub(old, v),
            AtomicOp::And => self.pool.and(old, v),
            AtomicOp::Nand => {
                let t = self.pool.and(old, v);
                self.pool.not(t)
            }
            AtomicOp::Or => self.pool.or(old, v),
            AtomicOp::Xor => self.pool.xor(old, v),
            AtomicOp::Max => self.bin_term(BinOp::SMax, old, v),
            AtomicOp::Min => self.bin_term(BinOp::SMin, old, v),
            AtomicOp::UMax => self.bin_term(BinOp::UMax, old, v),
            AtomicOp::UMin => self.bin_term(BinOp::UMin, old, v),
        }
    }
}
