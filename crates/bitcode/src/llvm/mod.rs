//! Thin, copyable handles over LLVM's C interface: the only place with `unsafe` calls into LLVM.
//!
//! A handle is valid as long as the [`Context`] it was made in, which [`crate::load`] keeps until
//! the lowering is done. Methods that only make sense for one kind of value or type say so in
//! their name or documentation; callers look at the kind first.

/// Calls one function of LLVM's C interface.
macro_rules! ffi {
    ($call:expr) => {{
        #[allow(unused_unsafe)]
        // SAFETY: every handle passed here was given out by LLVM and its context is still alive;
        // the caller has checked that the value or type is of the kind that this function wants;
        // pointers to results are valid for the call.
        unsafe {
            $call
        }
    }};
}

mod debug;
mod module;
mod types;
mod value;

pub(crate) use debug::Metadata;
pub(crate) use module::{Context, Module};
pub(crate) use types::{DataLayout, Ty, TyKind};
pub(crate) use value::{Block, DebugRecord, Value, ValueKind, attribute_kind};

use llvm_sys::core::LLVMDisposeMessage;
use std::ffi::{CStr, c_char};

/// Copies a string that LLVM keeps.
fn borrowed(text: *const c_char, len: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gave the pointer together with its length.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes over a string that LLVM allocated for us.
fn owned(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a message of LLVM is a NUL-terminated string that we own and free once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}
