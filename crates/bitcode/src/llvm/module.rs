//! Contexts and modules: parsing, verifying, linking, passes.

use super::{DataLayout, Ty, Value, owned};
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMGetModuleDataLayout;
use llvm_sys::transforms::pass_builder::*;
use llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage};
use std::ffi::{CStr, CString, c_void};

/// Owner of everything LLVM makes. The modules made in it live as long as it does.
pub(crate) struct Context {
    raw: LLVMContextRef,
    /// Error messages LLVM reported; it keeps the address, so we keep only that, too.
    errors: *mut Vec<String>,
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    if ffi!(LLVMGetDiagInfoSeverity(info)) == LLVMDiagnosticSeverity::LLVMDSError {
        let message = owned(ffi!(LLVMGetDiagInfoDescription(info)));
        // SAFETY: the pointer is the context's own list, alive while LLVM can report, and no
        // reference to it is held during calls into LLVM.
        unsafe { (*errors.cast::<Vec<String>>()).push(message) };
    }
}

impl Context {
    pub(crate) fn new() -> Context {
        let errors: *mut Vec<String> = Box::into_raw(Box::default());
        let raw = ffi!(LLVMContextCreate());
        ffi!(LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), errors.cast()));
        Context { raw, errors }
    }

    /// What LLVM complained about since the last time.
    pub(crate) fn take_errors(&mut self) -> String {
        // SAFETY: the list is alive until we are dropped, and LLVM is not running.
        std::mem::take(unsafe { &mut *self.errors }).join("\n")
    }

    /// Reads bitcode or textual IR.
    pub(crate) fn parse(&mut self, bytes: &[u8], name: &str) -> Result<Module, String> {
        let name = CString::new(name).unwrap_or_default();
        let buffer = ffi!(LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            name.as_ptr()
        ));
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        let failed = ffi!(LLVMParseIRInContext2(self.raw, buffer, &mut module, &mut message)) != 0;
        ffi!(LLVMDisposeMemoryBuffer(buffer));
        let message = owned(message);
        if failed || module.is_null() {
            let errors = self.take_errors();
            return Err(if message.is_empty() { errors } else { message });
        }
        Ok(Module(module))
    }

    /// Moves everything of `source` into `target`.
    pub(crate) fn link(&mut self, target: Module, source: Module) -> Result<(), String> {
        if ffi!(LLVMLinkModules2(target.0, source.0)) == 0 { Ok(()) } else { Err(self.take_errors()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        ffi!(LLVMContextDispose(self.raw));
        // SAFETY: made by `Box::into_raw`, and LLVM has forgotten it.
        drop(unsafe { Box::from_raw(self.errors) });
    }
}

/// A module.
#[derive(Clone, Copy)]
pub(crate) struct Module(LLVMModuleRef);

impl Module {
    pub(crate) fn triple(self) -> String {
        let text = ffi!(LLVMGetTarget(self.0));
        // SAFETY: LLVM keeps a NUL-terminated string.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    pub(crate) fn has_data_layout(self) -> bool {
        // SAFETY: LLVM keeps a NUL-terminated string.
        !unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.0)) }.is_empty()
    }

    pub(crate) fn set_target(self, triple: &CStr, layout: &CStr) {
        ffi!(LLVMSetTarget(self.0, triple.as_ptr()));
        ffi!(LLVMSetDataLayout(self.0, layout.as_ptr()));
    }

    pub(crate) fn data_layout(self) -> DataLayout {
        DataLayout(ffi!(LLVMGetModuleDataLayout(self.0)))
    }

    pub(crate) fn verify(self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = ffi!(LLVMVerifyModule(self.0, action, &mut message)) != 0;
        let message = owned(message);
        if broken { Err(message) } else { Ok(()) }
    }

    /// Runs a pipeline in the syntax of `opt -passes=`.
    pub(crate) fn run_passes(self, passes: &str) -> Result<(), String> {
        let passes = CString::new(passes).map_err(|e| e.to_string())?;
        let options = ffi!(LLVMCreatePassBuilderOptions());
        let error = ffi!(LLVMRunPasses(self.0, passes.as_ptr(), std::ptr::null_mut(), options));
        ffi!(LLVMDisposePassBuilderOptions(options));
        if error.is_null() {
            return Ok(());
        }
        let message = ffi!(LLVMGetErrorMessage(error));
        // SAFETY: an error message is NUL-terminated and ours to free.
        let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
        ffi!(LLVMDisposeErrorMessage(message));
        Err(text)
    }

    /// The module as bitcode.
    pub(crate) fn bitcode(self) -> Vec<u8> {
        let buffer = ffi!(LLVMWriteBitcodeToMemoryBuffer(self.0));
        let (start, len) = (ffi!(LLVMGetBufferStart(buffer)), ffi!(LLVMGetBufferSize(buffer)));
        // SAFETY: the buffer has that many bytes and lives until it is disposed of below.
        let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) }.to_vec();
        ffi!(LLVMDisposeMemoryBuffer(buffer));
        bytes
    }

    pub(crate) fn functions(self) -> Vec<Value> {
        list(ffi!(LLVMGetFirstFunction(self.0)), |f| ffi!(LLVMGetNextFunction(f)))
    }

    pub(crate) fn globals(self) -> Vec<Value> {
        list(ffi!(LLVMGetFirstGlobal(self.0)), |g| ffi!(LLVMGetNextGlobal(g)))
    }

    pub(crate) fn aliases(self) -> Vec<Value> {
        list(ffi!(LLVMGetFirstGlobalAlias(self.0)), |a| ffi!(LLVMGetNextGlobalAlias(a)))
    }

    pub(crate) fn ifuncs(self) -> Vec<Value> {
        list(ffi!(LLVMGetFirstGlobalIFunc(self.0)), |f| ffi!(LLVMGetNextGlobalIFunc(f)))
    }

    /// Functions, variables and aliases: all that has a symbol and may have a definition.
    pub(crate) fn symbols(self) -> Vec<Value> {
        [self.functions(), self.globals(), self.aliases()].concat()
    }

    /// Adds a declaration.
    pub(crate) fn declare(self, name: &str, ty: Ty) -> Value {
        let function = ffi!(LLVMAddFunction(self.0, c"".as_ptr(), ty.0));
        let function = Value(function);
        function.set_linkage(LLVMLinkage::LLVMExternalLinkage);
        function.set_name(name);
        function
    }
}

fn list(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value> {
    std::iter::successors((!first.is_null()).then_some(first), |v| {
        let n = next(*v);
        (!n.is_null()).then_some(n)
    })
    .map(Value)
    .collect()
}
