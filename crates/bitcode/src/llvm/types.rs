//! Types and the data layout.

use super::owned;
use llvm_sys::LLVMTypeKind as K;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMTypeRef;
use llvm_sys::target::*;
use rejoin_ir::FloatType;

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ty(pub(super) LLVMTypeRef);

/// What a type is, as far as the lowering cares.
pub(crate) enum TyKind {
    Void,
    Int(u32),
    Float(FloatType),
    /// With its address space.
    Pointer(u32),
    Struct,
    Array,
    Vector,
    Other,
}

impl Ty {
    pub(crate) fn kind(self) -> TyKind {
        match ffi!(LLVMGetTypeKind(self.0)) {
            K::LLVMVoidTypeKind => TyKind::Void,
            K::LLVMIntegerTypeKind => TyKind::Int(ffi!(LLVMGetIntTypeWidth(self.0))),
            K::LLVMHalfTypeKind => TyKind::Float(FloatType::Half),
            K::LLVMBFloatTypeKind => TyKind::Float(FloatType::BFloat),
            K::LLVMFloatTypeKind => TyKind::Float(FloatType::Float),
            K::LLVMDoubleTypeKind => TyKind::Float(FloatType::Double),
            K::LLVMX86_FP80TypeKind => TyKind::Float(FloatType::X86Fp80),
            K::LLVMFP128TypeKind => TyKind::Float(FloatType::Fp128),
            K::LLVMPointerTypeKind => TyKind::Pointer(ffi!(LLVMGetPointerAddressSpace(self.0))),
            K::LLVMStructTypeKind => TyKind::Struct,
            K::LLVMArrayTypeKind => TyKind::Array,
            K::LLVMVectorTypeKind => TyKind::Vector,
            _ => TyKind::Other,
        }
    }

    pub(crate) fn is_void(self) -> bool {
        matches!(self.kind(), TyKind::Void)
    }

    pub(crate) fn is_vector(self) -> bool {
        matches!(self.kind(), TyKind::Vector)
    }

    /// Element type of an array or vector.
    pub(crate) fn element(self) -> Ty {
        Ty(ffi!(LLVMGetElementType(self.0)))
    }

    /// Number of elements of an array or vector, of fields of a struct; 0 for other types.
    pub(crate) fn len(self) -> u64 {
        match self.kind() {
            TyKind::Array => ffi!(LLVMGetArrayLength2(self.0)),
            TyKind::Vector => u64::from(ffi!(LLVMGetVectorSize(self.0))),
            TyKind::Struct => u64::from(ffi!(LLVMCountStructElementTypes(self.0))),
            _ => 0,
        }
    }

    /// Type of a struct's field.
    pub(crate) fn field(self, index: u32) -> Ty {
        Ty(ffi!(LLVMStructGetTypeAtIndex(self.0, index)))
    }

    /// Whether the type has a size (opaque structs and functions have none).
    pub(crate) fn is_sized(self) -> bool {
        ffi!(LLVMTypeIsSized(self.0)) != 0
    }

    /// Result type of a function type.
    pub(crate) fn result(self) -> Ty {
        Ty(ffi!(LLVMGetReturnType(self.0)))
    }

    /// Parameter types of a function type.
    pub(crate) fn params(self) -> Vec<Ty> {
        let count = ffi!(LLVMCountParamTypes(self.0)) as usize;
        let mut params = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetParamTypes(self.0, params.as_mut_ptr()));
        params.into_iter().map(Ty).collect()
    }

    /// Whether a function type takes more arguments than its parameters.
    pub(crate) fn is_variadic(self) -> bool {
        ffi!(LLVMIsFunctionVarArg(self.0)) != 0
    }

    /// The integer type of this width.
    pub(crate) fn int_like(self, width: u32) -> Ty {
        Ty(ffi!(LLVMIntTypeInContext(LLVMGetTypeContext(self.0), width)))
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&owned(ffi!(LLVMPrintTypeToString(self.0))))
    }
}

/// Sizes and offsets of a module's types.
#[derive(Clone, Copy)]
pub(crate) struct DataLayout(pub(super) LLVMTargetDataRef);

impl DataLayout {
    pub(crate) fn is_little_endian(self) -> bool {
        matches!(ffi!(LLVMByteOrder(self.0)), LLVMByteOrdering::LLVMLittleEndian)
    }

    pub(crate) fn pointer_bytes(self) -> u32 {
        ffi!(LLVMPointerSize(self.0))
    }

    /// Distance of two elements of this type in an array; the type must be sized.
    pub(crate) fn size(self, ty: Ty) -> u64 {
        ffi!(LLVMABISizeOfType(self.0, ty.0))
    }

    pub(crate) fn align(self, ty: Ty) -> u32 {
        ffi!(LLVMABIAlignmentOfType(self.0, ty.0))
    }

    /// Offset of a struct's field.
    pub(crate) fn offset(self, ty: Ty, field: u32) -> u64 {
        ffi!(LLVMOffsetOfElement(self.0, ty.0, field))
    }
}
