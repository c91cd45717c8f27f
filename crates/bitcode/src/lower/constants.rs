//! Constants to scalars: bits, addresses, or nothing in particular.

use super::{Gap, Program};
use crate::llvm::{TyKind, Value, ValueKind};
use llvm_sys::LLVMOpcode as Op;
use rejoin_ir::{Address, Const, Operand, Type};

/// A constant scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// At most 64 bits, zero-extended.
    Bits(u64),
    /// More than 64 bits, least significant word first.
    Wide(Vec<u64>),
    Address(Address),
    Undef,
}

impl Program {
    /// All leaves of a constant. A gap means that it takes instructions to compute it.
    pub(super) fn leaves_of(&mut self, c: Value, out: &mut Vec<(Scalar, Type)>) -> Result<(), Gap> {
        let ty = c.ty();
        match ty.kind() {
            TyKind::Struct | TyKind::Array | TyKind::Vector => match c.kind() {
                ValueKind::Undef => {
                    out.extend(self.layout(ty)?.leaves.iter().map(|&ty| (Scalar::Undef, ty)));
                }
                ValueKind::Zero => {
                    out.extend(self.layout(ty)?.leaves.iter().map(|&ty| (zero(ty), ty)));
                }
                ValueKind::Expression => return Err("a vector computed at load time".into()),
                _ => {
                    self.layout(ty)?;
                    for i in 0..ty.len() as u32 {
                        let element = c.element(i).ok_or("an unknown kind of constant")?;
                        self.leaves_of(element, out)?;
                    }
                }
            },
            _ => {
                let ty = self.lane(ty)?;
                out.push((self.scalar(c)?, ty));
            }
        }
        Ok(())
    }

    /// A constant of scalar type.
    pub(super) fn scalar(&mut self, c: Value) -> Result<Scalar, Gap> {
        match c.kind() {
            ValueKind::Int => match c.ty().kind() {
                TyKind::Int(w) => Ok(integer(c, w)),
                _ => Err("a splat constant".into()),
            },
            ValueKind::Float => match c.ty().kind() {
                TyKind::Float(f) => Ok(integer(c.float_bits(u32::from(f.bits())), u32::from(f.bits()))),
                _ => Err("a splat constant".into()),
            },
            ValueKind::Zero => Ok(Scalar::Bits(0)),
            ValueKind::Undef => Ok(Scalar::Undef),
            ValueKind::Function | ValueKind::IFunc => match self.functions.get(&c) {
                Some(&id) => Ok(Scalar::Address(Address::Function(id, 0))),
                None => Err(format!("the address of {}", c.name()).into()),
            },
            ValueKind::Variable => match self.globals.get(&c) {
                Some(&id) => Ok(Scalar::Address(Address::Global(id, 0))),
                None => Err(format!("the address of {}", c.name()).into()),
            },
            ValueKind::Alias => self.scalar(c.aliasee()),
            ValueKind::BlockAddress => self.block_address(c),
            ValueKind::Expression => self.expression(c),
            _ => Err(format!("the constant {}", c.text()).into()),
        }
    }

    fn block_address(&mut self, c: Value) -> Result<Scalar, Gap> {
        let (function, block) = c.block_address();
        let id = *self.functions.get(&function).ok_or("the address of a block of an unknown function")?;
        let block =
            *self.shape(function).numbers.get(&block).ok_or("the address of a block inside another")?;
        Ok(Scalar::Address(Address::Block(id, block)))
    }

    fn expression(&mut self, c: Value) -> Result<Scalar, Gap> {
        let not_constant = || Gap::from(format!("the constant {}", c.text()));
        let opcode = c.expression_opcode();
        match opcode {
            Op::LLVMGetElementPtr if !c.ty().is_vector() => {
                let offset = self.constant_offset(c)?;
                let base = self.scalar(c.operand(0))?;
                add(base, offset).ok_or_else(not_constant)
            }
            Op::LLVMBitCast | Op::LLVMPtrToInt | Op::LLVMPtrToAddr | Op::LLVMIntToPtr | Op::LLVMTrunc => {
                let (from, to) = (self.lane(c.operand(0).ty())?, self.lane(c.ty())?);
                match self.scalar(c.operand(0))? {
                    Scalar::Bits(b) if to.bits() <= 64 && opcode != Op::LLVMBitCast => {
                        Ok(Scalar::Bits(b & mask(to.bits())))
                    }
                    same if from.bits() == to.bits() => Ok(same),
                    _ => Err(not_constant()),
                }
            }
            Op::LLVMAdd | Op::LLVMSub if c.ty() == c.ty().int_like(64) => {
                let (a, b) = (self.scalar(c.operand(0))?, self.scalar(c.operand(1))?);
                let sum = if opcode == Op::LLVMAdd { sum(a, b) } else { difference(a, b) };
                sum.ok_or_else(not_constant)
            }
            _ => Err(not_constant()),
        }
    }

    /// The sum of a GEP's offsets when all indices are constant.
    fn constant_offset(&mut self, gep: Value) -> Result<i64, Gap> {
        let path = self.gep_path(gep)?;
        if path.variable.is_empty() { Ok(path.offset) } else { Err("a variable index".into()) }
    }

    /// A scalar as an operand.
    pub(super) fn pooled(&mut self, scalar: Scalar, ty: Type) -> Operand {
        let slots = ty.slots() as usize;
        let first = match scalar {
            Scalar::Bits(b) => Const::Bits(b),
            Scalar::Address(a) => Const::Address(a),
            Scalar::Undef => return Operand::constant(self.pool.many(vec![Const::Undef; slots.max(1)])),
            Scalar::Wide(words) => {
                return Operand::constant(self.pool.many(words.into_iter().map(Const::Bits).collect()));
            }
        };
        if slots <= 1 {
            return Operand::constant(self.pool.one(first));
        }
        let mut all = vec![Const::Bits(0); slots];
        all[0] = first;
        Operand::constant(self.pool.many(all))
    }
}

fn zero(ty: Type) -> Scalar {
    if ty.bits() <= 64 { Scalar::Bits(0) } else { Scalar::Wide(vec![0; ty.slots() as usize]) }
}

/// All ones below bit `w`.
fn mask(w: u16) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

/// An integer constant. LLVM's C interface gives wide ones only as text.
fn integer(c: Value, w: u32) -> Scalar {
    if w <= 64 {
        return Scalar::Bits(c.int_low());
    }
    let text = c.text();
    Scalar::Wide(parse_decimal(text.rsplit(' ').next().unwrap_or_default(), w))
}

/// The value of a switch's case or another integer constant, if it fits.
pub(super) fn integer_u128(c: Value) -> Option<u128> {
    let TyKind::Int(w) = c.ty().kind() else { return None };
    match integer(c, w) {
        Scalar::Bits(b) => Some(u128::from(b)),
        Scalar::Wide(words) if words.len() == 2 => Some(u128::from(words[0]) | u128::from(words[1]) << 64),
        _ => None,
    }
}

/// A decimal number, maybe negative, as `w` bits in two's complement.
fn parse_decimal(text: &str, w: u32) -> Vec<u64> {
    let mut words = vec![0u64; w.div_ceil(64) as usize];
    let digits = text.strip_prefix('-');
    for digit in digits.unwrap_or(text).bytes() {
        let mut carry = u128::from(digit.wrapping_sub(b'0'));
        for word in &mut words {
            let x = u128::from(*word) * 10 + carry;
            *word = x as u64;
            carry = x >> 64;
        }
    }
    if digits.is_some() {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    if let (Some(last), rest @ 1..) = (words.last_mut(), w % 64) {
        *last &= mask(rest as u16);
    }
    words
}

/// `a + offset`, if that is a constant.
fn add(a: Scalar, offset: i64) -> Option<Scalar> {
    match a {
        Scalar::Bits(b) => Some(Scalar::Bits(b.wrapping_add_signed(offset))),
        Scalar::Address(Address::Global(id, o)) => {
            Some(Scalar::Address(Address::Global(id, o.wrapping_add(offset))))
        }
        Scalar::Address(Address::Function(id, o)) => {
            Some(Scalar::Address(Address::Function(id, o.wrapping_add(offset))))
        }
        Scalar::Undef => Some(Scalar::Undef),
        Scalar::Address(Address::Block(..)) if offset == 0 => Some(a),
        Scalar::Address(Address::Block(..)) | Scalar::Wide(_) => None,
    }
}

fn sum(a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a, b) {
        (a, Scalar::Bits(b)) => add(a, b.cast_signed()),
        (Scalar::Bits(a), b) => add(b, a.cast_signed()),
        _ => None,
    }
}

fn difference(a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a, b) {
        (a, Scalar::Bits(b)) => add(a, b.cast_signed().wrapping_neg()),
        (Scalar::Address(Address::Global(x, p)), Scalar::Address(Address::Global(y, q))) if x == y => {
            Some(Scalar::Bits(p.wrapping_sub(q).cast_unsigned()))
        }
        (Scalar::Address(Address::Function(x, p)), Scalar::Address(Address::Function(y, q))) if x == y => {
            Some(Scalar::Bits(p.wrapping_sub(q).cast_unsigned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_decimals_are_twos_complement() {
        assert_eq!(parse_decimal("18446744073709551616", 128), [0, 1]);
        assert_eq!(parse_decimal("-1", 128), [u64::MAX, u64::MAX]);
        assert_eq!(parse_decimal("-1", 80), [u64::MAX, 0xffff]);
        assert_eq!(parse_decimal("-18446744073709551616", 128), [0, u64::MAX]);
    }

    #[test]
    fn differences_of_addresses_need_one_object() {
        let at = |g, o| Scalar::Address(Address::Global(rejoin_ir::GlobalId(g), o));
        assert_eq!(difference(at(1, 12), at(1, 4)), Some(Scalar::Bits(8)));
        assert_eq!(difference(at(1, 12), at(2, 4)), None);
        assert_eq!(difference(at(1, 12), Scalar::Bits(4)), Some(at(1, 8)));
    }
}
