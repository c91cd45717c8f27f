//! Compares the integer operations with plain definitions and with Rust's integers.

use rejoin_ir::{AtomicOp, BinOp, CastOp, IntPred, OverflowOp, UnOp};
use rejoin_ops::*;

#[path = "native/random.rs"]
mod random;
use random::Random;

const BIN_OPS: [BinOp; 23] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::UMin,
    BinOp::UMax,
    BinOp::SMin,
    BinOp::SMax,
    BinOp::UAddSat,
    BinOp::SAddSat,
    BinOp::USubSat,
    BinOp::SSubSat,
    BinOp::UShlSat,
    BinOp::SShlSat,
];
const UN_OPS: [UnOp; 6] = [UnOp::Ctpop, UnOp::Ctlz, UnOp::Cttz, UnOp::BSwap, UnOp::BitReverse, UnOp::Abs];
const OVERFLOW_OPS: [OverflowOp; 6] = [
    OverflowOp::UAdd,
    OverflowOp::SAdd,
    OverflowOp::USub,
    OverflowOp::SSub,
    OverflowOp::UMul,
    OverflowOp::SMul,
];
const PREDS: [IntPred; 10] = [
    IntPred::Eq,
    IntPred::Ne,
    IntPred::Ult,
    IntPred::Ule,
    IntPred::Ugt,
    IntPred::Uge,
    IntPred::Slt,
    IntPred::Sle,
    IntPred::Sgt,
    IntPred::Sge,
];
const ATOMIC_OPS: [AtomicOp; 11] = [
    AtomicOp::Xchg,
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::And,
    AtomicOp::Nand,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Max,
    AtomicOp::Min,
    AtomicOp::UMax,
    AtomicOp::UMin,
];

/// The arithmetic of width `w` in terms of unbounded numbers, as far as `i64` is unbounded.
#[derive(Clone, Copy)]
struct Small(u32);

impl Small {
    fn values(self) -> std::ops::Range<i64> {
        0..1 << self.0
    }

    fn signed(self, a: i64) -> i64 {
        if a >= 1 << (self.0 - 1) { a - (1 << self.0) } else { a }
    }

    fn wrap(self, a: i64) -> u128 {
        a.rem_euclid(1 << self.0) as u128
    }

    fn saturate(self, signed: bool, a: i64) -> u128 {
        let (least, greatest) =
            if signed { (-(1 << (self.0 - 1)), (1 << (self.0 - 1)) - 1) } else { (0, (1 << self.0) - 1) };
        self.wrap(a.clamp(least, greatest))
    }

    fn bin(self, op: BinOp, a: i64, b: i64) -> u128 {
        let (x, y) = (self.signed(a), self.signed(b));
        match op {
            BinOp::Add => self.wrap(a + b),
            BinOp::Sub => self.wrap(a - b),
            BinOp::Mul => self.wrap(a * b),
            BinOp::UDiv if b == 0 => self.wrap(-1),
            BinOp::UDiv => self.wrap(a / b),
            BinOp::SDiv if b == 0 => self.wrap(if x < 0 { 1 } else { -1 }),
            BinOp::SDiv => self.wrap(x / y),
            BinOp::URem | BinOp::SRem if b == 0 => self.wrap(a),
            BinOp::URem => self.wrap(a % b),
            BinOp::SRem => self.wrap(x % y),
            BinOp::Shl => self.wrap(a << b),
            BinOp::LShr => self.wrap(a >> b),
            BinOp::AShr => self.wrap(x >> b),
            BinOp::And => self.wrap(a & b),
            BinOp::Or => self.wrap(a | b),
            BinOp::Xor => self.wrap(a ^ b),
            BinOp::UMin => self.wrap(a.min(b)),
            BinOp::UMax => self.wrap(a.max(b)),
            BinOp::SMin => self.wrap(x.min(y)),
            BinOp::SMax => self.wrap(x.max(y)),
            BinOp::UAddSat => self.saturate(false, a + b),
            BinOp::SAddSat => self.saturate(true, x + y),
            BinOp::USubSat => self.saturate(false, a - b),
            BinOp::SSubSat => self.saturate(true, x - y),
            BinOp::UShlSat => self.saturate(false, a << b),
            BinOp::SShlSat => self.saturate(true, x << b),
        }
    }

    fn overflow(self, op: OverflowOp, a: i64, b: i64) -> (u128, bool) {
        let (x, y) = (self.signed(a), self.signed(b));
        let (signed, exact) = match op {
            OverflowOp::UAdd => (false, a + b),
            OverflowOp::USub => (false, a - b),
            OverflowOp::UMul => (false, a * b),
            OverflowOp::SAdd => (true, x + y),
            OverflowOp::SSub => (true, x - y),
            OverflowOp::SMul => (true, x * y),
        };
        (self.wrap(exact), !self.fits(signed, exact))
    }

    fn fits(self, signed: bool, a: i64) -> bool {
        let wrapped = self.wrap(a) as i64;
        (if signed { self.signed(wrapped) } else { wrapped }) == a
    }

    fn un(self, op: UnOp, a: i64) -> u128 {
        let bit = |place| a >> place & 1;
        match op {
            UnOp::Ctpop => (0..self.0).map(|place| bit(place) as u128).sum(),
            UnOp::Ctlz => (0..self.0).rev().take_while(|&place| bit(place) == 0).count() as u128,
            UnOp::Cttz => (0..self.0).take_while(|&place| bit(place) == 0).count() as u128,
            UnOp::BitReverse => (0..self.0).map(|place| (bit(place) << (self.0 - 1 - place)) as u128).sum(),
            UnOp::Abs => self.wrap(self.signed(a).abs()),
            UnOp::BSwap => unreachable!("whole bytes only"),
        }
    }
}

#[test]
fn small_widths_exhaustively() {
    for w in 1..=4 {
        let small = Small(w.into());
        for a in small.values() {
            for op in UN_OPS.into_iter().filter(|&op| op != UnOp::BSwap) {
                assert_eq!(un(op, w, a as u128), small.un(op, a), "{op:?} i{w} {a}");
            }
            for b in small.values() {
                let (wide_a, wide_b) = (a as u128, b as u128);
                for op in BIN_OPS {
                    assert_eq!(bin(op, w, wide_a, wide_b), small.bin(op, a, b), "{op:?} i{w} {a} {b}");
                }
                for op in OVERFLOW_OPS {
                    assert_eq!(
                        overflow(op, w, wide_a, wide_b),
                        small.overflow(op, a, b),
                        "{op:?} i{w} {a} {b}"
                    );
                }
                for amount in small.values() {
                    let shift = amount % i64::from(w);
                    let both = a << w | b;
                    let left = small.wrap((both << shift) >> w);
                    assert_eq!(funnel(true, w, wide_a, wide_b, amount as u128), left);
                    assert_eq!(funnel(false, w, wide_a, wide_b, amount as u128), small.wrap(both >> shift));
                }
            }
        }
    }
}

/// Compares with Rust's own integers of a width.
macro_rules! compare_with_rust {
    ($random:expr, $U:ty, $I:ty) => {
        for _ in 0..4000 {
            let w = <$U>::BITS as u16;
            let (a, b) = ($random.patterned() as $U, $random.patterned() as $U);
            let (x, y) = (a as $I, b as $I);
            let by = b % <$U>::BITS as $U;
            let expected: [(BinOp, $U, $U); 22] = [
                (BinOp::Add, b, a.wrapping_add(b)),
                (BinOp::Sub, b, a.wrapping_sub(b)),
                (BinOp::Mul, b, a.wrapping_mul(b)),
                (BinOp::UDiv, b, if b == 0 { <$U>::MAX } else { a / b }),
                (BinOp::URem, b, if b == 0 { a } else { a % b }),
                (BinOp::SRem, b, if b == 0 { a } else { x.wrapping_rem(y) as $U }),
                (BinOp::SDiv, b | 1, x.wrapping_div((b | 1) as $I) as $U),
                (BinOp::Shl, by, a << by),
                (BinOp::LShr, by, a >> by),
                (BinOp::AShr, by, (x >> by) as $U),
                (BinOp::And, b, a & b),
                (BinOp::Or, b, a | b),
                (BinOp::Xor, b, a ^ b),
                (BinOp::UMin, b, a.min(b)),
                (BinOp::UMax, b, a.max(b)),
                (BinOp::SMin, b, x.min(y) as $U),
                (BinOp::SMax, b, x.max(y) as $U),
                (BinOp::UAddSat, b, a.saturating_add(b)),
                (BinOp::SAddSat, b, x.saturating_add(y) as $U),
                (BinOp::USubSat, b, a.saturating_sub(b)),
                (BinOp::SSubSat, b, x.saturating_sub(y) as $U),
                (BinOp::UShlSat, by, if (a << by) >> by == a { a << by } else { <$U>::MAX }),
            ];
            for (op, b, result) in expected {
                assert_eq!(bin(op, w, a as u128, b as u128), result as u128, "{op:?} i{w} {a:x} {b:x}");
            }
            let wide = |(result, flag)| (result as $U as u128, flag);
            let expected = [
                (OverflowOp::UAdd, a.overflowing_add(b)),
                (OverflowOp::USub, a.overflowing_sub(b)),
                (OverflowOp::UMul, a.overflowing_mul(b)),
            ];
            for (op, result) in expected {
                assert_eq!(overflow(op, w, a as u128, b as u128), wide(result), "{op:?} i{w} {a:x} {b:x}");
            }
            let wide = |(result, flag)| (result as $I as $U as u128, flag);
            let expected = [
                (OverflowOp::SAdd, x.overflowing_add(y)),
                (OverflowOp::SSub, x.overflowing_sub(y)),
                (OverflowOp::SMul, x.overflowing_mul(y)),
            ];
            for (op, result) in expected {
                assert_eq!(overflow(op, w, a as u128, b as u128), wide(result), "{op:?} i{w} {a:x} {b:x}");
            }
            let expected = [
                (UnOp::Ctpop, a.count_ones() as u128),
                (UnOp::Ctlz, a.leading_zeros() as u128),
                (UnOp::Cttz, a.trailing_zeros() as u128),
                (UnOp::BSwap, a.swap_bytes() as u128),
                (UnOp::BitReverse, a.reverse_bits() as u128),
                (UnOp::Abs, x.wrapping_abs() as $U as u128),
            ];
            for (op, result) in expected {
                assert_eq!(un(op, w, a as u128), result, "{op:?} i{w} {a:x}");
            }
            let expected = [
                (IntPred::Eq, a == b),
                (IntPred::Ne, a != b),
                (IntPred::Ult, a < b),
                (IntPred::Ule, a <= b),
                (IntPred::Ugt, a > b),
                (IntPred::Uge, a >= b),
                (IntPred::Slt, x < y),
                (IntPred::Sle, x <= y),
                (IntPred::Sgt, x > y),
                (IntPred::Sge, x >= y),
            ];
            for (pred, result) in expected {
                assert_eq!(cmp(pred, w, a as u128, b as u128), result, "{pred:?} i{w} {a:x} {b:x}");
                assert!(
                    !matches!(pred, IntPred::Eq | IntPred::Ule | IntPred::Sge)
                        || cmp(pred, w, a as u128, a as u128)
                );
            }
            let rotated = a.rotate_left(by as u32) as u128;
            assert_eq!(funnel(true, w, a as u128, a as u128, by as u128), rotated);
            assert_eq!(cast(CastOp::SExt, w, 128, a as u128), x as i128 as u128);
            assert_eq!(cast(CastOp::Trunc, w, 8, a as u128), a as u8 as u128);
            assert_eq!(cast(CastOp::ZExt, w, 128, a as u128), a as u128);
            assert_eq!(atomic(AtomicOp::Nand, w, a as u128, b as u128), !(a & b) as u128);
            assert_eq!(atomic(AtomicOp::Xchg, w, a as u128, b as u128), b as u128);
            assert_eq!(atomic(AtomicOp::Min, w, a as u128, b as u128), x.min(y) as $U as u128);
            assert_eq!(atomic(AtomicOp::Max, w, a as u128, b as u128), x.max(y) as $U as u128);
            assert_eq!(atomic(AtomicOp::Sub, w, a as u128, b as u128), a.wrapping_sub(b) as u128);
        }
    };
}

#[test]
#[allow(clippy::unnecessary_cast)] // the macro casts from every width
fn native_widths_against_rust() {
    let mut random = Random(7);
    compare_with_rust!(random, u8, i8);
    compare_with_rust!(random, u16, i16);
    compare_with_rust!(random, u32, i32);
    compare_with_rust!(random, u64, i64);
    compare_with_rust!(random, u128, i128);
}

#[test]
fn narrow_is_wide() {
    let mut random = Random(8);
    for w in 1..=64_u16 {
        let ones = u64::MAX >> (64 - w);
        for _ in 0..200 {
            let [a, b, c] = [(); 3].map(|()| random.patterned() as u64 & ones);
            let [wide_a, wide_b, wide_c] = [a, b, c].map(u128::from);
            for op in BIN_OPS {
                assert_eq!(
                    u128::from(bin64(op, w, a, b)),
                    bin(op, w, wide_a, wide_b),
                    "{op:?} i{w} {a:x} {b:x}"
                );
            }
            for op in OVERFLOW_OPS {
                let (result, flag) = overflow64(op, w, a, b);
                assert_eq!((result.into(), flag), overflow(op, w, wide_a, wide_b), "{op:?} i{w} {a:x} {b:x}");
            }
            for op in UN_OPS.into_iter().filter(|&op| op != UnOp::BSwap || w % 8 == 0) {
                assert_eq!(u128::from(un64(op, w, a)), un(op, w, wide_a), "{op:?} i{w} {a:x}");
            }
            for pred in PREDS {
                assert_eq!(cmp64(pred, w, a, b), cmp(pred, w, wide_a, wide_b), "{pred:?} i{w} {a:x} {b:x}");
            }
            for op in ATOMIC_OPS {
                assert_eq!(u128::from(atomic64(op, w, a, b)), atomic(op, w, wide_a, wide_b), "{op:?} i{w}");
            }
            for left in [false, true] {
                assert_eq!(u128::from(funnel64(left, w, a, b, c)), funnel(left, w, wide_a, wide_b, wide_c));
            }
            for to in w..=64 {
                for op in [CastOp::ZExt, CastOp::SExt] {
                    assert_eq!(
                        u128::from(cast64(op, w, to, a)),
                        cast(op, w, to, wide_a),
                        "{op:?} i{w} i{to}"
                    );
                }
                assert_eq!(u128::from(cast64(CastOp::Trunc, to, w, a)), cast(CastOp::Trunc, to, w, wide_a));
            }
        }
    }
}
