//! Scalar types: the only ones a register can have.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a register, parameter or result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// An integer of 1 to 8192 bits.
    Int(u16),
    /// A 64-bit pointer.
    Ptr,
    /// A floating-point number, held as its bits.
    Float(FloatType),
}

/// The floating-point formats of LLVM on x86-64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatType {
    /// IEEE binary16.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// x87 80-bit extended precision.
    X86Fp80,
    /// IEEE binary128.
    Fp128,
}

impl FloatType {
    /// Bits of the representation.
    #[must_use]
    pub fn bits(self) -> u16 {
        match self {
            FloatType::Half | FloatType::BFloat => 16,
            FloatType::Float => 32,
            FloatType::Double => 64,
            FloatType::X86Fp80 => 80,
            FloatType::Fp128 => 128,
        }
    }
}

impl Type {
    /// Bits of the representation in registers.
    #[must_use]
    pub fn bits(self) -> u16 {
        match self {
            Type::Int(w) => w,
            Type::Ptr => 64,
            Type::Float(f) => f.bits(),
        }
    }

    /// Register slots a value of this type takes.
    #[must_use]
    pub fn slots(self) -> u32 {
        u32::from(self.bits()).div_ceil(64)
    }

    /// Bytes that a load or store of this type touches (LLVM's store size).
    #[must_use]
    pub fn store_bytes(self) -> u32 {
        u32::from(self.bits()).div_ceil(8)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(w) => write!(out, "i{w}"),
            Type::Ptr => out.write_str("ptr"),
            Type::Float(f) => out.write_str(f.name()),
        }
    }
}
