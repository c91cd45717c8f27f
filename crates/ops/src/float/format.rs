//! The layout of the floating-point formats, and the way between a representation and a number.

use rejoin_ir::FloatType;

/// How a format lays out its bits: sign, exponent, significand.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Bits of the representation.
    bits: u32,
    /// Bits of the significand, the integer bit included.
    pub(crate) precision: u32,
    /// Whether the integer bit is stored (x87) or follows from the exponent.
    explicit: bool,
}

/// A representation, read.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// Not a number; on the x87 also what it calls unsupported: numbers without their integer bit.
    Nan,
    /// An infinity.
    Infinite { negative: bool },
    /// A finite number, perhaps zero.
    Finite(Number),
}

/// The number `± significand * 2^exponent`.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
}

impl From<FloatType> for Format {
    fn from(ty: FloatType) -> Self {
        let (precision, explicit) = match ty {
            FloatType::Half => (11, false),
            FloatType::BFloat => (8, false),
            FloatType::Float => (24, false),
            FloatType::Double => (53, false),
            FloatType::X86Fp80 => (64, true),
            FloatType::Fp128 => (113, false),
        };
        Format { bits: ty.bits().into(), precision, explicit }
    }
}

impl Format {
    /// Where the exponent starts.
    fn exponent_at(self) -> u32 {
        self.precision - 1 + u32::from(self.explicit)
    }

    /// The exponent of infinities and NaNs.
    fn exponent_ones(self) -> u128 {
        (1 << (self.bits - 1 - self.exponent_at())) - 1
    }

    /// The exponent, as a power of two, of the lowest bit of the least normal number.
    fn least_exponent(self) -> i32 {
        let bias = (self.exponent_ones() >> 1) as i32;
        1 - bias - (self.precision as i32 - 1)
    }

    /// The integer bit as it is stored.
    fn integer_bit(self) -> u128 {
        u128::from(self.explicit) << (self.precision - 1)
    }

    /// The bit that makes a NaN a quiet one.
    pub(crate) fn quiet_bit(self) -> u128 {
        1 << (self.precision - 2)
    }

    /// The sign bit.
    pub(crate) fn sign_bit(self) -> u128 {
        1 << (self.bits - 1)
    }

    /// The fraction: the significand without its integer bit.
    pub(crate) fn fraction(self, a: u128) -> u128 {
        a & ((1 << (self.precision - 1)) - 1)
    }

    pub(crate) fn is_negative(self, a: u128) -> bool {
        a & self.sign_bit() != 0
    }

    pub(crate) fn with_sign(self, negative: bool, a: u128) -> u128 {
        if negative { a | self.sign_bit() } else { a & !self.sign_bit() }
    }

    pub(crate) fn infinity(self, negative: bool) -> u128 {
        self.with_sign(negative, self.exponent_ones() << self.exponent_at() | self.integer_bit())
    }

    /// The NaN with this sign and fraction, quiet.
    pub(crate) fn quiet_nan(self, negative: bool, fraction: u128) -> u128 {
        self.infinity(negative) | self.quiet_bit() | fraction
    }

    /// What the processor answers to an invalid operation: x86's "real indefinite".
    pub(crate) fn indefinite(self) -> u128 {
        self.quiet_nan(true, 0)
    }

    pub(crate) fn is_nan(self, a: u128) -> bool {
        let exponent = a >> self.exponent_at() & self.exponent_ones();
        exponent == self.exponent_ones() && self.fraction(a) != 0 || self.is_unsupported(a)
    }

    /// Whether `a` is an x87 encoding that stands for nothing.
    pub(crate) fn is_unsupported(self, a: u128) -> bool {
        self.explicit && a >> self.exponent_at() & self.exponent_ones() != 0 && a & self.integer_bit() == 0
    }

    pub(crate) fn is_signaling(self, a: u128) -> bool {
        self.is_nan(a) && (a & self.quiet_bit() == 0 || self.is_unsupported(a))
    }

    /// The NaN `a` made quiet.
    pub(crate) fn quieted(self, a: u128) -> u128 {
        if self.is_unsupported(a) { self.indefinite() } else { a | self.quiet_bit() }
    }

    /// `a` as an operation would hand it on.
    pub(crate) fn canonical(self, a: u128) -> u128 {
        match self.decode(a) {
            Value::Nan => self.quieted(a),
            Value::Infinite { .. } => a,
            Value::Finite(number) => self.encode(number),
        }
    }

    /// Whether a finite, non-zero number is below the normal ones.
    pub(crate) fn is_subnormal(self, number: Number) -> bool {
        number.significand >> (self.precision - 1) == 0
    }

    /// Reads a representation.
    pub(crate) fn decode(self, a: u128) -> Value {
        let negative = self.is_negative(a);
        let exponent = a >> self.exponent_at() & self.exponent_ones();
        if self.is_unsupported(a) {
            return Value::Nan;
        }
        if exponent == self.exponent_ones() {
            return if self.fraction(a) == 0 { Value::Infinite { negative } } else { Value::Nan };
        }
        let mut significand = a & ((1 << self.exponent_at()) - 1);
        if exponent != 0 {
            significand |= 1 << (self.precision - 1);
        }
        let exponent = self.least_exponent() + (exponent as i32 - 1).max(0);
        Value::Finite(Number { negative, significand, exponent })
    }

    /// The representation nearest to a number, ties to even.
    pub(crate) fn encode(self, number: Number) -> u128 {
        let length = (u128::BITS - number.significand.leading_zeros()) as i32;
        if length == 0 {
            return self.with_sign(number.negative, 0);
        }
        let mut exponent = (number.exponent + length - self.precision as i32).max(self.least_exponent());
        let mut significand = shift_to_nearest_even(number.significand, exponent - number.exponent);
        if significand >> self.precision != 0 {
            significand >>= 1;
            exponent += 1;
        }
        if significand >> (self.precision - 1) == 0 {
            return self.with_sign(number.negative, significand);
        }
        let exponent = (exponent - self.least_exponent() + 1) as u128;
        if exponent >= self.exponent_ones() {
            return self.infinity(number.negative);
        }
        let fraction = self.fraction(significand) | self.integer_bit();
        self.with_sign(number.negative, exponent << self.exponent_at() | fraction)
    }
}

/// `a * 2^-by`, rounded to the nearest integer, ties to even.
fn shift_to_nearest_even(a: u128, by: i32) -> u128 {
    if by <= 0 {
        return a << -by;
    }
    let (whole, dropped, half) = split(a, by);
    whole + u128::from(dropped > half || dropped == half && whole & 1 == 1)
}

/// For a positive `by`: the integer part of `a * 2^-by`, the part after it, and what would be one
/// half of a unit there.
pub(crate) fn split(a: u128, by: i32) -> (u128, u128, u128) {
    match by {
        ..128 => (a >> by, a & ((1 << by) - 1), 1 << (by - 1)),
        128 => (0, a, 1 << 127),
        // Less than half, whatever it is.
        _ => (0, u128::from(a != 0), 2),
    }
}
