//! Debug metadata.

use super::{Value, borrowed, owned};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata(pub(super) LLVMMetadataRef);

impl Metadata {
    pub(super) fn wrap(node: LLVMMetadataRef) -> Option<Metadata> {
        (!node.is_null()).then_some(Metadata(node))
    }

    /// Line, column and scope of a source location.
    pub(crate) fn location(self) -> (u32, u32, Option<Metadata>) {
        let scope = Metadata::wrap(ffi!(LLVMDILocationGetScope(self.0)));
        (ffi!(LLVMDILocationGetLine(self.0)), ffi!(LLVMDILocationGetColumn(self.0)), scope)
    }

    /// File of a scope.
    pub(crate) fn scope_file(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMDIScopeGetFile(self.0)))
    }

    /// Directory and name of a file.
    pub(crate) fn file_path(self) -> (String, String) {
        let mut len = 0;
        let directory = ffi!(LLVMDIFileGetDirectory(self.0, &mut len));
        let directory = borrowed(directory, len as usize);
        let name = ffi!(LLVMDIFileGetFilename(self.0, &mut len));
        (directory, borrowed(name, len as usize))
    }

    /// Line of a function.
    pub(crate) fn subprogram_line(self) -> u32 {
        ffi!(LLVMDISubprogramGetLine(self.0))
    }

    /// Line of a variable.
    pub(crate) fn variable_line(self) -> u32 {
        ffi!(LLVMDIVariableGetLine(self.0))
    }

    /// File of a variable.
    pub(crate) fn variable_file(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMDIVariableGetFile(self.0)))
    }

    /// Name of a variable: the second operand of its node.
    pub(crate) fn variable_name(self, near: Value) -> String {
        let node = self.as_value(near);
        let count = ffi!(LLVMGetMDNodeNumOperands(node)) as usize;
        let mut operands = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetMDNodeOperands(node, operands.as_mut_ptr()));
        match operands.get(1) {
            Some(&name) if !name.is_null() => Value(name).metadata_text(),
            _ => String::new(),
        }
    }

    /// Whether a debug expression changes nothing.
    pub(crate) fn is_plain_expression(self, near: Value) -> bool {
        owned(ffi!(LLVMPrintValueToString(self.as_value(near)))).ends_with("DIExpression()")
    }

    /// The variable of what is attached to a global.
    fn global_variable(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMDIGlobalVariableExpressionGetVariable(self.0)))
    }

    fn as_value(self, near: Value) -> LLVMValueRef {
        ffi!(LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(near.0)), self.0))
    }
}

impl Value {
    /// Whether debug information says that a function was compiled with optimisation.
    pub(crate) fn is_optimised(self) -> bool {
        self.subprogram().is_some_and(|s| {
            owned(ffi!(LLVMPrintValueToString(s.as_value(self)))).contains("DISPFlagOptimized")
        })
    }

    /// Debug information of a function.
    pub(crate) fn subprogram(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMGetSubprogram(self.0)))
    }

    /// Debug information of a global variable.
    pub(crate) fn global_debug(self) -> Option<Metadata> {
        let mut count = 0;
        let entries = ffi!(LLVMGlobalCopyAllMetadata(self.0, &mut count));
        const DBG: u32 = 0; // the same in every context
        let mut found = None;
        for i in 0..u32::try_from(count).unwrap_or(0) {
            if ffi!(LLVMValueMetadataEntriesGetKind(entries, i)) == DBG {
                found = Metadata::wrap(ffi!(LLVMValueMetadataEntriesGetMetadata(entries, i)));
            }
        }
        ffi!(LLVMDisposeValueMetadataEntries(entries));
        found?.global_variable()
    }
}
