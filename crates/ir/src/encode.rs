//! Modules as bytes, for caches and jobs.
//!
//! The bytes are: a magic number, the version of the format, a checksum of the rest (all little
//! endian), and the module in postcard's format.

use crate::Module;
use crate::verify::{VerifyError, verify};
use std::fmt;

const MAGIC: [u8; 4] = *b"RJIR";
/// The version of the format. To be raised with every change of the types of this crate.
pub const VERSION: u32 = 1;
const HEADER: usize = 4 + 4 + 8;

/// Why bytes are not a module.
#[derive(Clone, PartialEq, Debug)]
pub enum DecodeError {
    /// They are something else, or only the beginning of a header.
    NotAModule,
    /// Another version of Rejoin wrote them.
    WrongVersion {
        /// The version of the bytes.
        found: u32,
    },
    /// They changed since they were written.
    WrongChecksum,
    /// They do not follow the format.
    Malformed(String),
    /// The module violates invariants.
    Invalid(Vec<VerifyError>),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::NotAModule => out.write_str("not a module of Rejoin's IR"),
            DecodeError::WrongVersion { found } => {
                write!(out, "a module of format version {found}; this is version {VERSION}")
            }
            DecodeError::WrongChecksum => out.write_str("a damaged module: the checksum is wrong"),
            DecodeError::Malformed(why) => write!(out, "a malformed module: {why}"),
            DecodeError::Invalid(errors) => {
                let first = errors.first().map(ToString::to_string).unwrap_or_default();
                write!(out, "an invalid module ({} violations): {first}", errors.len())
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// The bytes of a module. Equal modules have equal bytes.
///
/// # Panics
/// Never: all parts of a module can be written.
#[must_use]
pub fn to_bytes(m: &Module) -> Vec<u8> {
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 8]);
    let mut bytes = postcard::to_extend(m, bytes).expect("a module has nothing that cannot be written");
    let checksum = checksum(&bytes[HEADER..]);
    bytes[8..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The module that `to_bytes` made these bytes of, checked by [`verify`].
///
/// # Errors
/// When the bytes are not those of a valid module of this version.
pub fn from_bytes(bytes: &[u8]) -> Result<Module, DecodeError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(DecodeError::NotAModule)?;
    let (version, rest) = rest.split_first_chunk().ok_or(DecodeError::NotAModule)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(DecodeError::WrongVersion { found: version });
    }
    let (sum, body) = rest.split_first_chunk().ok_or(DecodeError::NotAModule)?;
    if u64::from_le_bytes(*sum) != checksum(body) {
        return Err(DecodeError::WrongChecksum);
    }
    let (module, left) =
        postcard::take_from_bytes(body).map_err(|why| DecodeError::Malformed(why.to_string()))?;
    if !left.is_empty() {
        return Err(DecodeError::Malformed(format!("{} bytes too many", left.len())));
    }
    verify(&module).map_err(DecodeError::Invalid)?;
    Ok(module)
}

/// FNV-1a over 64-bit words: finds damage, not malice.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        // A product only carries upwards; without this, damage in high bits could cancel out.
        hash ^= hash >> 32;
    }
    hash
}
