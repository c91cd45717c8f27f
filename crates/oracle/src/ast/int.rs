//! The integer types of generated programs.

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// 8, 16, 32, 64 or 128.
    pub bits: u32,
    /// Whether it has a sign.
    pub signed: bool,
}

/// `uint8_t`
pub const U8: Int = Int { bits: 8, signed: false };
/// `int8_t`
pub const I8: Int = Int { bits: 8, signed: true };
/// `uint16_t`
pub const U16: Int = Int { bits: 16, signed: false };
/// `int16_t`
pub const I16: Int = Int { bits: 16, signed: true };
/// `uint32_t`
pub const U32: Int = Int { bits: 32, signed: false };
/// `int32_t`
pub const I32: Int = Int { bits: 32, signed: true };
/// `uint64_t`
pub const U64: Int = Int { bits: 64, signed: false };
/// `int64_t`
pub const I64: Int = Int { bits: 64, signed: true };
/// `unsigned __int128`
pub const U128: Int = Int { bits: 128, signed: false };
/// `__int128`
pub const I128: Int = Int { bits: 128, signed: true };

impl Int {
    /// The type's name in the program.
    pub fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, false) => "uint8_t",
            (8, true) => "int8_t",
            (16, false) => "uint16_t",
            (16, true) => "int16_t",
            (32, false) => "uint32_t",
            (32, true) => "int32_t",
            (64, false) => "uint64_t",
            (64, true) => "int64_t",
            (_, false) => "uint128_t",
            (_, true) => "int128_t",
        }
    }

    /// The type with the same width and no sign.
    pub fn unsigned(self) -> Int {
        Int { signed: false, ..self }
    }

    /// The type with the same width and a sign.
    pub fn with_sign(self) -> Int {
        Int { signed: true, ..self }
    }

    /// The unsigned type in which wrapping arithmetic is free of promotion to `int`.
    pub fn wrapping(self) -> Int {
        Int { bits: self.bits.max(32), signed: false }
    }

    /// The type that C computes in when it is given operands of this type.
    pub fn promoted(self) -> Int {
        if self.bits < 32 { I32 } else { self }
    }

    /// The widest signed type whose sums, differences and products cannot overflow this type as C computes it.
    pub fn half(self) -> Int {
        Int { bits: (self.bits / 2).max(8), signed: true }
    }

    /// `value` cut to the width, as the bits of an unsigned number.
    pub fn cut(self, value: u128) -> u128 {
        if self.bits == 128 { value } else { value & ((1 << self.bits) - 1) }
    }
}
