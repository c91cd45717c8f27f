//! Building and taking apart the structures that calls exchange with the program.

use crate::bytes::Bytes;

/// A structure of the kernel's interface, zero where nothing was put.
pub(crate) struct Record(Vec<u8>);

impl Record {
    pub(crate) fn new(len: usize) -> Self {
        Record(vec![0; len])
    }

    /// Puts the low `len` bytes of a number at an offset.
    pub(crate) fn put(mut self, offset: usize, len: usize, value: u64) -> Self {
        self.0[offset..offset + len].copy_from_slice(&value.to_le_bytes()[..len]);
        self
    }

    /// Puts text at an offset.
    pub(crate) fn text(mut self, offset: usize, text: &[u8]) -> Self {
        self.0[offset..offset + text.len()].copy_from_slice(text);
        self
    }

    pub(crate) fn bytes(self) -> Bytes {
        self.0.into()
    }
}
