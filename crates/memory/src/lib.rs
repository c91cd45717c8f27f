//! Memory of one state: objects of bytes and symbolic words in a persistent address space.
//!
//! An address is an object number in the upper 32 bits and a position in the lower 32 bits, where
//! an object starts at [`BASE`]. So an address finds its object without a search, a pointer one
//! past the end or somewhat before the start still names its object, and no two objects touch.

mod merge;
mod object;
mod page;
mod space;
mod table;

pub use merge::{Choice, Either};
pub use object::{Kind, Object};
pub use page::PAGE;
pub use space::{Name, Names, Space};
pub use table::{Difference, Table};

use rejoin_expr::Term;

/// Where in its 4 GiB of addresses an object starts.
pub const BASE: u64 = 0x1_0000;

/// The largest size of an object.
pub const MAX_SIZE: u64 = (1 << 32) - 2 * BASE;

/// The number of an object. Number 0 is nobody's: null and its neighbourhood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The address of the first byte.
    #[must_use]
    pub fn address(self) -> u64 {
        (u64::from(self.0) << 32) + BASE
    }

    /// The object an address belongs to, and the offset from its start (negative as wrapped).
    #[must_use]
    #[inline]
    pub fn of_address(address: u64) -> (ObjectId, u64) {
        (ObjectId((address >> 32) as u32), (address & 0xffff_ffff).wrapping_sub(BASE))
    }
}

/// What a load gives and a store takes: bits of at most 128, or a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Known bits.
    Bits(u128),
    /// A term of the value's width.
    Term(Term),
}

impl Value {
    /// The bits, unless symbolic.
    #[must_use]
    pub fn bits(self) -> Option<u128> {
        match self {
            Value::Bits(b) => Some(b),
            Value::Term(_) => None,
        }
    }

    /// The term, if symbolic.
    #[must_use]
    pub fn term(self) -> Option<Term> {
        match self {
            Value::Bits(_) => None,
            Value::Term(t) => Some(t),
        }
    }
}
