//! Values: constants, globals, functions, instructions, blocks.

use super::{Metadata, Ty, borrowed, owned};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMDbgRecordKind, LLVMIntPredicate, LLVMLinkage, LLVMOpcode};
use llvm_sys::{LLVMRealPredicate, LLVMValueKind as K};

/// An LLVM value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub(super) LLVMValueRef);

/// What a value is, as far as the lowering cares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Function,
    Alias,
    IFunc,
    Variable,
    BlockAddress,
    Expression,
    /// An array, struct or vector of other constants.
    Aggregate,
    /// An array of plain numbers.
    DataArray,
    Undef,
    Zero,
    Int,
    Float,
    InlineAsm,
    Instruction,
    Other,
}

fn wrap(value: LLVMValueRef) -> Option<Value> {
    (!value.is_null()).then_some(Value(value))
}

impl Value {
    pub(crate) fn kind(self) -> ValueKind {
        match ffi!(LLVMGetValueKind(self.0)) {
            K::LLVMFunctionValueKind => ValueKind::Function,
            K::LLVMGlobalAliasValueKind => ValueKind::Alias,
            K::LLVMGlobalIFuncValueKind => ValueKind::IFunc,
            K::LLVMGlobalVariableValueKind => ValueKind::Variable,
            K::LLVMBlockAddressValueKind => ValueKind::BlockAddress,
            K::LLVMConstantExprValueKind => ValueKind::Expression,
            K::LLVMConstantDataArrayValueKind => ValueKind::DataArray,
            K::LLVMConstantArrayValueKind
            | K::LLVMConstantStructValueKind
            | K::LLVMConstantVectorValueKind
            | K::LLVMConstantDataVectorValueKind => ValueKind::Aggregate,
            K::LLVMUndefValueValueKind | K::LLVMPoisonValueKind => ValueKind::Undef,
            K::LLVMConstantAggregateZeroValueKind | K::LLVMConstantPointerNullValueKind => ValueKind::Zero,
            K::LLVMConstantIntValueKind => ValueKind::Int,
            K::LLVMConstantFPValueKind => ValueKind::Float,
            K::LLVMInlineAsmValueKind => ValueKind::InlineAsm,
            // LLVM's C interface answers "instruction" for every kind it does not know.
            _ if !ffi!(LLVMIsAInstruction(self.0)).is_null() => ValueKind::Instruction,
            _ => ValueKind::Other,
        }
    }

    pub(crate) fn ty(self) -> Ty {
        Ty(ffi!(LLVMTypeOf(self.0)))
    }

    pub(crate) fn name(self) -> String {
        let mut len = 0;
        let text = ffi!(LLVMGetValueName2(self.0, &mut len));
        borrowed(text, len)
    }

    pub(crate) fn is_constant(self) -> bool {
        ffi!(LLVMIsConstant(self.0)) != 0
    }

    pub(crate) fn operand(self, index: u32) -> Value {
        Value(ffi!(LLVMGetOperand(self.0, index)))
    }

    pub(crate) fn operand_count(self) -> u32 {
        u32::try_from(ffi!(LLVMGetNumOperands(self.0))).unwrap_or(0)
    }

    /// The value as LLVM writes it.
    pub(crate) fn text(self) -> String {
        owned(ffi!(LLVMPrintValueToString(self.0))).trim().to_owned()
    }
}

/// Constants.
impl Value {
    /// The low 64 bits of an integer constant.
    pub(crate) fn int_low(self) -> u64 {
        ffi!(LLVMConstIntGetZExtValue(self.0))
    }

    /// A floating-point constant as the integer constant of its bits.
    pub(crate) fn float_bits(self, width: u32) -> Value {
        Value(ffi!(LLVMConstBitCast(self.0, self.ty().int_like(width).0)))
    }

    /// Element of a constant array, struct or vector, also of zero and undefined ones.
    pub(crate) fn element(self, index: u32) -> Option<Value> {
        wrap(ffi!(LLVMGetAggregateElement(self.0, index)))
    }

    /// The bytes of a [`ValueKind::DataArray`] (in the byte order of the host).
    pub(crate) fn raw_data(self) -> Vec<u8> {
        let mut len = 0usize;
        // The binding declares the length by value where C has a pointer to it.
        let data = ffi!(LLVMGetRawDataValues(self.0, (&raw mut len) as usize));
        // SAFETY: LLVM gave the pointer together with its length; we copy at once.
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) }.to_vec()
    }

    /// Opcode of a constant expression.
    pub(crate) fn expression_opcode(self) -> LLVMOpcode {
        ffi!(LLVMGetConstOpcode(self.0))
    }

    /// Function and block of a block address.
    pub(crate) fn block_address(self) -> (Value, Block) {
        let function = ffi!(LLVMGetBlockAddressFunction(self.0));
        (Value(function), Block(ffi!(LLVMGetBlockAddressBasicBlock(self.0))))
    }

    /// Text and constraints of inline assembly.
    pub(crate) fn asm(self) -> (String, String) {
        let mut len = 0;
        let text = ffi!(LLVMGetInlineAsmAsmString(self.0, &mut len));
        let text = borrowed(text, len);
        let constraints = ffi!(LLVMGetInlineAsmConstraintString(self.0, &mut len));
        (text, borrowed(constraints, len))
    }
}

/// Globals and functions.
impl Value {
    pub(crate) fn is_declaration(self) -> bool {
        ffi!(LLVMIsDeclaration(self.0)) != 0
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        ffi!(LLVMGetLinkage(self.0))
    }

    pub(crate) fn set_linkage(self, linkage: LLVMLinkage) {
        ffi!(LLVMSetLinkage(self.0, linkage));
    }

    /// Whether other modules cannot see this symbol.
    pub(crate) fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Type of what a global, alias or function names.
    pub(crate) fn content_ty(self) -> Ty {
        Ty(ffi!(LLVMGlobalGetValueType(self.0)))
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        wrap(ffi!(LLVMGetInitializer(self.0)))
    }

    pub(crate) fn aliasee(self) -> Value {
        Value(ffi!(LLVMAliasGetAliasee(self.0)))
    }

    /// Explicit alignment of a global, alloca, load or store; 0 if none.
    pub(crate) fn align(self) -> u32 {
        ffi!(LLVMGetAlignment(self.0))
    }

    pub(crate) fn is_global_constant(self) -> bool {
        ffi!(LLVMIsGlobalConstant(self.0)) != 0
    }

    pub(crate) fn section(self) -> String {
        let text = ffi!(LLVMGetSection(self.0));
        // SAFETY: a section name is NUL-terminated; null means none.
        if text.is_null() {
            String::new()
        } else {
            borrowed(text, unsafe { std::ffi::CStr::from_ptr(text) }.count_bytes())
        }
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        let count = ffi!(LLVMCountBasicBlocks(self.0)) as usize;
        let mut blocks = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetBasicBlocks(self.0, blocks.as_mut_ptr()));
        blocks.into_iter().map(Block).collect()
    }

    pub(crate) fn params(self) -> Vec<Value> {
        let count = ffi!(LLVMCountParams(self.0)) as usize;
        let mut params = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetParams(self.0, params.as_mut_ptr()));
        params.into_iter().map(Value).collect()
    }

    /// Name of the intrinsic that this function declares, without the suffixes for its types.
    pub(crate) fn intrinsic(self) -> Option<String> {
        let id = ffi!(LLVMGetIntrinsicID(self.0));
        if id == 0 {
            return None;
        }
        let mut len = 0;
        let text = ffi!(LLVMIntrinsicGetName(id, &mut len));
        Some(borrowed(text, len))
    }

    /// Puts `other` in the place of this value everywhere.
    pub(crate) fn replace_with(self, other: Value) {
        ffi!(LLVMReplaceAllUsesWith(self.0, other.0));
    }

    pub(crate) fn set_name(self, name: &str) {
        ffi!(LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()));
    }
}

/// Instructions and constant expressions.
impl Value {
    pub(crate) fn opcode(self) -> LLVMOpcode {
        ffi!(LLVMGetInstructionOpcode(self.0))
    }

    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        ffi!(LLVMGetICmpPredicate(self.0))
    }

    pub(crate) fn float_predicate(self) -> LLVMRealPredicate {
        ffi!(LLVMGetFCmpPredicate(self.0))
    }

    /// Source element type of a GEP, also of a constant one.
    pub(crate) fn gep_source(self) -> Ty {
        Ty(ffi!(LLVMGetGEPSourceElementType(self.0)))
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        let count = ffi!(LLVMGetNumIndices(self.0)) as usize;
        // SAFETY: the array belongs to the instruction and has that many entries.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), count) }.to_vec()
    }

    /// Mask of a `shufflevector`; `None` where any element will do.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<u32>> {
        let count = ffi!(LLVMGetNumMaskElements(self.0));
        (0..count).map(|i| u32::try_from(ffi!(LLVMGetMaskValue(self.0, i))).ok()).collect()
    }

    pub(crate) fn allocated(self) -> Ty {
        Ty(ffi!(LLVMGetAllocatedType(self.0)))
    }

    pub(crate) fn atomic_op(self) -> LLVMAtomicRMWBinOp {
        ffi!(LLVMGetAtomicRMWBinOp(self.0))
    }

    pub(crate) fn is_conditional(self) -> bool {
        ffi!(LLVMIsConditional(self.0)) != 0
    }

    /// Condition of a conditional branch.
    pub(crate) fn condition(self) -> Value {
        Value(ffi!(LLVMGetCondition(self.0)))
    }

    pub(crate) fn successors(self) -> Vec<Block> {
        (0..ffi!(LLVMGetNumSuccessors(self.0))).map(|i| Block(ffi!(LLVMGetSuccessor(self.0, i)))).collect()
    }

    /// Value of the case that leads to the successor of this index (at least 1) of a switch.
    pub(crate) fn case_value(self, successor: u32) -> Value {
        Value(ffi!(LLVMGetSwitchCaseValue(self.0, successor)))
    }

    pub(crate) fn normal_dest(self) -> Block {
        Block(ffi!(LLVMGetNormalDest(self.0)))
    }

    /// Blocks and values of a phi.
    pub(crate) fn incoming(self) -> impl Iterator<Item = (Block, Value)> {
        (0..ffi!(LLVMCountIncoming(self.0))).map(move |i| {
            (Block(ffi!(LLVMGetIncomingBlock(self.0, i))), Value(ffi!(LLVMGetIncomingValue(self.0, i))))
        })
    }

    pub(crate) fn callee(self) -> Value {
        Value(ffi!(LLVMGetCalledValue(self.0)))
    }

    /// The function type that a call site says.
    pub(crate) fn call_ty(self) -> Ty {
        Ty(ffi!(LLVMGetCalledFunctionType(self.0)))
    }

    pub(crate) fn call_args(self) -> impl Iterator<Item = Value> {
        (0..ffi!(LLVMGetNumArgOperands(self.0))).map(move |i| Value(ffi!(LLVMGetArgOperand(self.0, i))))
    }

    /// The type named by a type attribute of a call's argument.
    pub(crate) fn arg_type_attribute(self, arg: u32, kind: u32) -> Option<Ty> {
        let attribute = ffi!(LLVMGetCallSiteEnumAttribute(self.0, arg + 1, kind));
        (!attribute.is_null()).then(|| Ty(ffi!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// The value of an integer attribute of a call's argument.
    pub(crate) fn arg_int_attribute(self, arg: u32, kind: u32) -> Option<u64> {
        let attribute = ffi!(LLVMGetCallSiteEnumAttribute(self.0, arg + 1, kind));
        (!attribute.is_null()).then(|| ffi!(LLVMGetEnumAttributeValue(attribute)))
    }

    pub(crate) fn debug_location(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMInstructionGetDebugLoc(self.0)))
    }

    /// Text of a metadata string used as an operand.
    pub(crate) fn metadata_text(self) -> String {
        let mut len = 0;
        let text = ffi!(LLVMGetMDString(self.0, &mut len));
        borrowed(text, len as usize)
    }

    /// Debug records in front of this instruction.
    pub(crate) fn debug_records(self) -> impl Iterator<Item = DebugRecord> {
        let first = ffi!(LLVMGetFirstDbgRecord(self.0));
        std::iter::successors((!first.is_null()).then_some(first), |r| {
            let next = ffi!(LLVMGetNextDbgRecord(*r));
            (!next.is_null()).then_some(next)
        })
        .map(DebugRecord)
    }
}

/// The number of an attribute kind.
pub(crate) fn attribute_kind(name: &str) -> u32 {
    ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// What says where a source variable is.
#[derive(Clone, Copy)]
pub(crate) struct DebugRecord(LLVMDbgRecordRef);

impl DebugRecord {
    pub(crate) fn kind(self) -> LLVMDbgRecordKind {
        ffi!(LLVMDbgRecordGetKind(self.0))
    }

    /// The place or value; not for labels.
    pub(crate) fn value(self) -> Option<Value> {
        wrap(ffi!(LLVMDbgVariableRecordGetValue(self.0, 0)))
    }

    pub(crate) fn variable(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMDbgVariableRecordGetVariable(self.0)))
    }

    pub(crate) fn expression(self) -> Option<Metadata> {
        Metadata::wrap(ffi!(LLVMDbgVariableRecordGetExpression(self.0)))
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block(pub(super) LLVMBasicBlockRef);

impl Block {
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value> {
        std::iter::successors(wrap(ffi!(LLVMGetFirstInstruction(self.0))), |i| {
            wrap(ffi!(LLVMGetNextInstruction(i.0)))
        })
    }

    /// The last instruction; a verified module has one in every block.
    pub(crate) fn terminator(self) -> Option<Value> {
        wrap(ffi!(LLVMGetBasicBlockTerminator(self.0)))
    }

    pub(crate) fn name(self) -> String {
        Value(ffi!(LLVMBasicBlockAsValue(self.0))).name()
    }

    /// Whether a `blockaddress` names this block.
    pub(crate) fn has_address(self) -> bool {
        let mut u = ffi!(LLVMGetFirstUse(LLVMBasicBlockAsValue(self.0)));
        while !u.is_null() {
            if !ffi!(LLVMIsABlockAddress(LLVMGetUser(u))).is_null() {
                return true;
            }
            u = ffi!(LLVMGetNextUse(u));
        }
        false
    }
}
