//! Names of operations in the text syntax: one table per enum.

use crate::{
    AtomicOp, BinOp, CastOp, FloatBinOp, FloatCastOp, FloatPred, FloatType, FloatUnOp, IntPred, OverflowOp,
    UnOp,
};

/// Values with their names.
pub(crate) type Names<T> = [(&'static str, T)];

/// The name of `value`; every table is complete.
pub(crate) fn name_of<T: PartialEq>(names: &Names<T>, value: &T) -> &'static str {
    names.iter().find(|(_, v)| v == value).map_or("?", |(name, _)| name)
}

/// The value of that name.
pub(crate) fn named<T: Copy>(names: &Names<T>, name: &str) -> Option<T> {
    names.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

/// The table of an instruction without variants.
pub(crate) const fn only(name: &'static str) -> [(&'static str, ()); 1] {
    [(name, ())]
}

macro_rules! names {
    ($($table:ident: $ty:ident { $($variant:ident $name:literal),* $(,)? })*) => {$(
        pub(crate) const $table: &Names<$ty> = &[$(($name, $ty::$variant)),*];

        impl $ty {
            /// Its name in the text syntax.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),* }
            }
        }
    )*};
}

names! {
    BINARY: BinOp {
        Add "add", Sub "sub", Mul "mul", UDiv "udiv", SDiv "sdiv", URem "urem", SRem "srem",
        Shl "shl", LShr "lshr", AShr "ashr", And "and", Or "or", Xor "xor",
        UMin "umin", UMax "umax", SMin "smin", SMax "smax",
        UAddSat "uadd.sat", SAddSat "sadd.sat", USubSat "usub.sat", SSubSat "ssub.sat",
        UShlSat "ushl.sat", SShlSat "sshl.sat",
    }
    UNARY: UnOp {
        Ctpop "ctpop", Ctlz "ctlz", Cttz "cttz", BSwap "bswap", BitReverse "bitreverse", Abs "abs",
    }
    OVERFLOW: OverflowOp {
        UAdd "uadd.overflow", SAdd "sadd.overflow", USub "usub.overflow", SSub "ssub.overflow",
        UMul "umul.overflow", SMul "smul.overflow",
    }
    COMPARE: IntPred {
        Eq "icmp.eq", Ne "icmp.ne", Ult "icmp.ult", Ule "icmp.ule", Ugt "icmp.ugt", Uge "icmp.uge",
        Slt "icmp.slt", Sle "icmp.sle", Sgt "icmp.sgt", Sge "icmp.sge",
    }
    CAST: CastOp { ZExt "zext", SExt "sext", Trunc "trunc" }
    FLOAT_BINARY: FloatBinOp {
        Add "fadd", Sub "fsub", Mul "fmul", Div "fdiv", Rem "frem", MinNum "fminnum", MaxNum "fmaxnum",
        Minimum "fminimum", Maximum "fmaximum", CopySign "fcopysign",
    }
    FLOAT_UNARY: FloatUnOp {
        Neg "fneg", Abs "fabs", Sqrt "fsqrt", Floor "ffloor", Ceil "fceil", Trunc "ftrunc",
        Round "fround", RoundEven "froundeven", Rint "frint", NearbyInt "fnearbyint",
        Canonicalize "fcanonicalize",
    }
    FLOAT_COMPARE: FloatPred {
        False "fcmp.false", Oeq "fcmp.oeq", Ogt "fcmp.ogt", Oge "fcmp.oge", Olt "fcmp.olt",
        Ole "fcmp.ole", One "fcmp.one", Ord "fcmp.ord", Uno "fcmp.uno", Ueq "fcmp.ueq",
        Ugt "fcmp.ugt", Uge "fcmp.uge", Ult "fcmp.ult", Ule "fcmp.ule", Une "fcmp.une",
        True "fcmp.true",
    }
    FLOAT_CAST: FloatCastOp {
        FpToFp "fptofp", FpToUi "fptoui", FpToSi "fptosi", FpToUiSat "fptoui.sat",
        FpToSiSat "fptosi.sat", UiToFp "uitofp", SiToFp "sitofp",
    }
    ATOMIC: AtomicOp {
        Xchg "atomic.xchg", Add "atomic.add", Sub "atomic.sub", And "atomic.and", Nand "atomic.nand",
        Or "atomic.or", Xor "atomic.xor", Max "atomic.max", Min "atomic.min", UMax "atomic.umax",
        UMin "atomic.umin",
    }
    FLOAT_TYPES: FloatType {
        Half "half", BFloat "bfloat", Float "float", Double "double", X86Fp80 "x86_fp80", Fp128 "fp128",
    }
}

pub(crate) const FUNNEL: &Names<bool> = &[("fshl", true), ("fshr", false)];
pub(crate) const MUL_ADD: &Names<bool> = &[("fma", true), ("fmuladd", false)];
pub(crate) const MEM_COPY: &Names<bool> = &[("memmove", true), ("memcpy", false)];
pub(crate) const OBJECT_SIZE: &Names<bool> = &[("objectsize.min", true), ("objectsize.max", false)];
