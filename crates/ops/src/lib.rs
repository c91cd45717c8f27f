//! Concrete semantics of the IR's operations, bit-exact.
//!
//! A value is a `u128` (or, on the hot path, a `u64`) whose bits above its width are zero; a
//! floating-point number is its representation. Every function is total: what LLVM leaves undefined
//! has the documented value here, and whether to report it is the machine's business.
//!
//! The floating-point functions give what `clang -O0` makes of the same operation on x86-64 with
//! SSE2, the x87 unit, libgcc and glibc, down to the sign and payload of NaNs; the tests compare with
//! exactly that.

#![forbid(unsafe_code)]

mod float;
mod int;

pub use float::{float_bin, float_cast, float_class, float_cmp, float_mul_add, float_un};
pub use int::narrow::{
    atomic as atomic64, bin as bin64, cast as cast64, cmp as cmp64, funnel as funnel64,
    overflow as overflow64, un as un64,
};
pub use int::wide::{atomic, bin, cast, cmp, funnel, overflow, un};
