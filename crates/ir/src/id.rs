//! Dense typed ids. An id is an index into one table of the module or the function.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this id belongs to.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A function of the module, defined or declared.
    FuncId,
    /// A global variable of the module.
    GlobalId,
    /// A basic block of a function.
    BlockId,
    /// A control-flow edge of a function, with the copies that stand for phis.
    EdgeId,
    /// An entry of the module's constant pool.
    ConstId,
    /// A source location of the module.
    LocId,
    /// A source file of the module.
    FileId,
    /// A string of the module.
    TextId,
    /// A register slot of a function's frame.
    Reg,
}

impl LocId {
    /// No location is known.
    pub const NONE: LocId = LocId(u32::MAX);
}

impl Default for LocId {
    fn default() -> Self {
        LocId::NONE
    }
}

/// What an instruction reads: a register or a constant, packed into 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Operand(u32);

impl Operand {
    const CONST: u32 = 1 << 31;

    /// The value in register `r`.
    #[must_use]
    pub fn reg(r: Reg) -> Self {
        debug_assert!(r.0 < Self::CONST);
        Operand(r.0)
    }

    /// The constant `c`.
    #[must_use]
    pub fn constant(c: ConstId) -> Self {
        debug_assert!(c.0 < Self::CONST);
        Operand(c.0 | Self::CONST)
    }

    /// The register, unless this is a constant.
    #[must_use]
    #[inline]
    pub fn as_reg(self) -> Option<Reg> {
        (self.0 & Self::CONST == 0).then_some(Reg(self.0))
    }

    /// The constant, unless this is a register.
    #[must_use]
    #[inline]
    pub fn as_const(self) -> Option<ConstId> {
        (self.0 & Self::CONST != 0).then_some(ConstId(self.0 & !Self::CONST))
    }
}

/// A run of entries in one of the function's pools.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Range {
    /// The first entry.
    pub start: u32,
    /// How many entries.
    pub len: u32,
}

impl Range {
    /// As a range of indices.
    #[must_use]
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
