//! Integer operations, written once and instantiated for `u64` (`narrow`) and `u128` (`wide`).

/// Defines the integer operations on `$U`, for widths from 1 to `$U::BITS`.
macro_rules! integer_operations {
    ($U:ty, $I:ty) => {
        use rejoin_ir::{AtomicOp, BinOp, CastOp, IntPred, OverflowOp, UnOp};

        /// All ones at width `w`.
        #[inline]
        fn ones(w: u16) -> $U {
            <$U>::MAX >> (<$U>::BITS - u32::from(w))
        }

        /// `a` as a signed number.
        #[inline]
        fn signed(w: u16, a: $U) -> $I {
            let unused = <$U>::BITS - u32::from(w);
            ((a << unused) as $I) >> unused
        }

        /// The least and the greatest signed number.
        #[inline]
        fn signed_bounds(w: u16) -> ($I, $I) {
            let greatest = (ones(w) >> 1) as $I;
            (!greatest, greatest)
        }

        /// `a op b`.
        ///
        /// Division by zero is as in SMT-LIB: `udiv` gives all ones, `sdiv` 1 for a negative `a` and
        /// -1 otherwise, both remainders give `a`. A shift by `w` or more gives 0, or copies of the
        /// sign bit for `ashr`; the saturating ones saturate unless `a` is 0. `MIN / -1` is `MIN`.
        #[inline]
        #[must_use]
        pub fn bin(op: BinOp, w: u16, a: $U, b: $U) -> $U {
            let ones = ones(w);
            match op {
                BinOp::Add => a.wrapping_add(b) & ones,
                BinOp::Sub => a.wrapping_sub(b) & ones,
                BinOp::Mul => a.wrapping_mul(b) & ones,
                BinOp::UDiv => a.checked_div(b).unwrap_or(ones),
                BinOp::URem => a.checked_rem(b).unwrap_or(a),
                BinOp::SDiv => {
                    let (a, b) = (signed(w, a), signed(w, b));
                    let quotient = match b {
                        0 if a < 0 => 1,
                        0 => -1,
                        _ => a.wrapping_div(b),
                    };
                    quotient as $U & ones
                }
                BinOp::SRem => match signed(w, b) {
                    0 => a,
                    b => signed(w, a).wrapping_rem(b) as $U & ones,
                },
                BinOp::Shl if b < <$U>::from(w) => (a << b) & ones,
                BinOp::LShr if b < <$U>::from(w) => a >> b,
                BinOp::Shl | BinOp::LShr => 0,
                BinOp::AShr => (signed(w, a) >> b.min(<$U>::from(w - 1))) as $U & ones,
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::UMin => a.min(b),
                BinOp::UMax => a.max(b),
                BinOp::SMin => signed(w, a).min(signed(w, b)) as $U & ones,
                BinOp::SMax => signed(w, a).max(signed(w, b)) as $U & ones,
                BinOp::UAddSat => a.saturating_add(b).min(ones),
                BinOp::USubSat => a.saturating_sub(b),
                BinOp::SAddSat => clamp(w, signed(w, a).saturating_add(signed(w, b))),
                BinOp::SSubSat => clamp(w, signed(w, a).saturating_sub(signed(w, b))),
                BinOp::UShlSat => {
                    let shifted = bin(BinOp::Shl, w, a, b);
                    if bin(BinOp::LShr, w, shifted, b) == a { shifted } else { ones }
                }
                BinOp::SShlSat => {
                    let shifted = bin(BinOp::Shl, w, a, b);
                    if bin(BinOp::AShr, w, shifted, b) == a {
                        shifted
                    } else {
                        let (least, greatest) = signed_bounds(w);
                        (if signed(w, a) < 0 { least } else { greatest }) as $U & ones
                    }
                }
            }
        }

        /// The signed number of width `w` nearest to `a`.
        #[inline]
        fn clamp(w: u16, a: $I) -> $U {
            let (least, greatest) = signed_bounds(w);
            a.clamp(least, greatest) as $U & ones(w)
        }

        /// `op a`. `BSwap` swaps whole bytes: its width is a multiple of 8.
        #[inline]
        #[must_use]
        pub fn un(op: UnOp, w: u16, a: $U) -> $U {
            let unused = <$U>::BITS - u32::from(w);
            match op {
                UnOp::Ctpop => <$U>::from(a.count_ones()),
                UnOp::Ctlz => <$U>::from(a.leading_zeros() - unused),
                UnOp::Cttz => <$U>::from(a.trailing_zeros().min(u32::from(w))),
                UnOp::BSwap => a.swap_bytes() >> unused,
                UnOp::BitReverse => a.reverse_bits() >> unused,
                UnOp::Abs => signed(w, a).unsigned_abs() & ones(w),
            }
        }

        /// `a op b`, wrapped, and whether it did not fit.
        #[inline]
        #[must_use]
        pub fn overflow(op: OverflowOp, w: u16, a: $U, b: $U) -> ($U, bool) {
            let (x, y) = (signed(w, a), signed(w, b));
            match op {
                OverflowOp::UAdd => wrap_unsigned(w, a.overflowing_add(b)),
                OverflowOp::USub => wrap_unsigned(w, a.overflowing_sub(b)),
                OverflowOp::UMul => wrap_unsigned(w, a.overflowing_mul(b)),
                OverflowOp::SAdd => wrap_signed(w, x.overflowing_add(y)),
                OverflowOp::SSub => wrap_signed(w, x.overflowing_sub(y)),
                OverflowOp::SMul => wrap_signed(w, x.overflowing_mul(y)),
            }
        }

        #[inline]
        fn wrap_unsigned(w: u16, (exact, overflowed): ($U, bool)) -> ($U, bool) {
            let wrapped = exact & ones(w);
            (wrapped, overflowed || wrapped != exact)
        }

        #[inline]
        fn wrap_signed(w: u16, (exact, overflowed): ($I, bool)) -> ($U, bool) {
            let wrapped = exact as $U & ones(w);
            (wrapped, overflowed || signed(w, wrapped) != exact)
        }

        /// The upper (`left`) or lower half of `hi:lo` shifted by `amount mod w`.
        #[inline]
        #[must_use]
        pub fn funnel(left: bool, w: u16, hi: $U, lo: $U, amount: $U) -> $U {
            let width = <$U>::from(w);
            match (amount % width, left) {
                (0, true) => hi,
                (0, false) => lo,
                (amount, true) => (hi << amount | lo >> (width - amount)) & ones(w),
                (amount, false) => (hi << (width - amount) | lo >> amount) & ones(w),
            }
        }

        /// `a pred b`.
        #[inline]
        #[must_use]
        pub fn cmp(pred: IntPred, w: u16, a: $U, b: $U) -> bool {
            match pred {
                IntPred::Eq => a == b,
                IntPred::Ne => a != b,
                IntPred::Ult => a < b,
                IntPred::Ule => a <= b,
                IntPred::Ugt => a > b,
                IntPred::Uge => a >= b,
                IntPred::Slt => signed(w, a) < signed(w, b),
                IntPred::Sle => signed(w, a) <= signed(w, b),
                IntPred::Sgt => signed(w, a) > signed(w, b),
                IntPred::Sge => signed(w, a) >= signed(w, b),
            }
        }

        /// `a` of width `from`, at width `to`.
        #[inline]
        #[must_use]
        pub fn cast(op: CastOp, from: u16, to: u16, a: $U) -> $U {
            match op {
                CastOp::ZExt => a,
                CastOp::SExt => signed(from, a) as $U & ones(to),
                CastOp::Trunc => a & ones(to),
            }
        }

        /// What an atomic read-modify-write with `value` makes of `old`.
        #[inline]
        #[must_use]
        pub fn atomic(op: AtomicOp, w: u16, old: $U, value: $U) -> $U {
            match op {
                AtomicOp::Xchg => value,
                AtomicOp::Add => bin(BinOp::Add, w, old, value),
                AtomicOp::Sub => bin(BinOp::Sub, w, old, value),
                AtomicOp::And => old & value,
                AtomicOp::Nand => !(old & value) & ones(w),
                AtomicOp::Or => old | value,
                AtomicOp::Xor => old ^ value,
                AtomicOp::Max => bin(BinOp::SMax, w, old, value),
                AtomicOp::Min => bin(BinOp::SMin, w, old, value),
                AtomicOp::UMax => bin(BinOp::UMax, w, old, value),
                AtomicOp::UMin => bin(BinOp::UMin, w, old, value),
            }
        }
    };
}

/// Values of up to 64 bits.
pub(crate) mod narrow {
    integer_operations!(u64, i64);
}

/// Values of up to 128 bits.
pub(crate) mod wide {
    integer_operations!(u128, i128);
}
