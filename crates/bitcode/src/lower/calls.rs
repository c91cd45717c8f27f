//! Calls: flattened arguments and results, arguments passed by value.

use super::Gap;
use super::constants::Scalar;
use super::control::plain_arg;
use super::function::{Body, Leaves};
use super::shape::Shape;
use crate::llvm::{Value, ValueKind, attribute_kind};
use llvm_sys::LLVMOpcode as Op;
use rejoin_ir::{Address, Arg, Callee, FloatType, FuncId, Inst, Operand, Range, Reg, Type};

/// What LLVM calls the attribute of an argument that the callee gets a copy of.
const BYVAL: &str = "byval";

impl Body<'_> {
    /// Lowers a call or the call in an invoke.
    pub(super) fn call(&mut self, v: Value) -> Result<Leaves, Gap> {
        let callee = v.callee();
        if callee.kind() == ValueKind::InlineAsm {
            return self.inline_asm(v);
        }
        if callee.kind() == ValueKind::Function && callee.name().starts_with("llvm.") {
            return self.intrinsic(v, callee);
        }
        let ty = v.call_ty();
        let rets = self.p.result_types(ty.result())?;
        let args = self.arguments(v, ty.params().len())?;
        let callee = self.target(callee, &args, &rets)?;
        Ok(self.emit_call(callee, args, &rets))
    }

    /// Emits a call; its results are new registers.
    pub(super) fn emit_call(&mut self, callee: Callee, args: Vec<Arg>, rets: &[Type]) -> Leaves {
        let args_range = Range { start: self.f.args.len() as u32, len: args.len() as u32 };
        self.f.args.extend(args);
        let rets_range = Range { start: self.f.types.len() as u32, len: rets.len() as u32 };
        self.f.types.extend_from_slice(rets);
        let dst = Reg(self.f.slots);
        let result = self.fresh(rets);
        let dst = if rets.is_empty() { Reg(0) } else { dst };
        self.emit(Inst::Call { callee, dst, args: args_range, rets: rets_range });
        result
    }

    /// A call that does not fit the function it names is indirect: the machine judges it.
    fn target(&mut self, callee: Value, args: &[Arg], rets: &[Type]) -> Result<Callee, Gap> {
        match self.known_function(callee) {
            Some(id) if self.fits(id, args, rets) => Ok(Callee::Direct(id)),
            _ => Ok(Callee::Indirect(self.operand(callee)?)),
        }
    }

    fn fits(&self, id: FuncId, args: &[Arg], rets: &[Type]) -> bool {
        let bodies = &self.p.has_body;
        let f = &self.p.ir.functions[id.index()];
        let (params, variadic) =
            if id == self.id { (&self.f.params, self.f.variadic) } else { (&f.params, f.variadic) };
        let results = if id == self.id { &self.f.rets } else { &f.rets };
        let enough = if variadic { args.len() >= params.len() } else { args.len() == params.len() };
        !bodies.contains(&id)
            || enough
                && results == rets
                && args.iter().zip(params).all(|(a, p)| a.ty == p.ty && a.byval_size == 0)
    }

    /// The function that a constant names, through aliases.
    fn known_function(&mut self, callee: Value) -> Option<FuncId> {
        if !callee.is_constant() {
            return None;
        }
        match self.p.scalar(callee) {
            Ok(Scalar::Address(Address::Function(id, 0))) => Some(id),
            _ => None,
        }
    }

    fn arguments(&mut self, call: Value, fixed: usize) -> Result<Vec<Arg>, Gap> {
        let byval = attribute_kind(BYVAL);
        let mut args = Vec::new();
        for (i, arg) in call.call_args().enumerate() {
            let types = self.p.layout(arg.ty())?;
            let leaves = self.operands(arg)?;
            if let Some(content) = call.arg_type_attribute(i as u32, byval) {
                let pointer = self.leaf(leaves, 0);
                let size = self.p.data.size(content);
                args.push(if i < fixed {
                    plain_arg(self.copy_by_value(call, i as u32, pointer, size)?, Type::Ptr)
                } else {
                    let size = u32::try_from(size).map_err(|_| "an argument of more than 4 GiB")?;
                    let align = self.by_value_align(call, i as u32, content);
                    Arg { value: pointer, ty: Type::Ptr, byval_size: size, byval_align: align }
                });
                continue;
            }
            if i >= fixed && arg.ty().is_vector() {
                args.push(self.variadic_vector(leaves, &types.leaves)?);
                continue;
            }
            args.extend(types.leaves.iter().enumerate().map(|(k, &ty)| plain_arg(self.leaf(leaves, k), ty)));
        }
        Ok(args)
    }

    /// A vector among the variadic arguments: the callee looks for it in one vector register, as
    /// it does for a floating-point number of its size.
    fn variadic_vector(&mut self, leaves: Leaves, types: &[Type]) -> Result<Arg, Gap> {
        let widths: Vec<u16> = types.iter().map(|t| t.bits()).collect();
        let lanes = self.leaves[leaves.indices()].to_vec();
        let whole = self.join(&lanes, &widths)?;
        let ty = match widths.iter().sum() {
            16u16 => FloatType::Half,
            32 => FloatType::Float,
            64 => FloatType::Double,
            128 => FloatType::Fp128,
            bits => return Err(format!("a variadic vector of {bits} bits").into()),
        };
        Ok(plain_arg(whole, Type::Float(ty)))
    }

    fn by_value_align(&self, call: Value, arg: u32, content: crate::llvm::Ty) -> u32 {
        let explicit = call.arg_int_attribute(arg, attribute_kind("align"));
        explicit.map_or_else(|| self.p.data.align(content), |a| a as u32)
    }

    /// Copies what an argument points to, as the callee may change it.
    fn copy_by_value(&mut self, call: Value, arg: u32, from: Operand, size: u64) -> Result<Operand, Gap> {
        let to = *self.by_value.get(&(call, arg)).ok_or("an argument by value without room")?;
        let len = self.bits(size);
        self.emit(Inst::MemCopy { overlap: false, dst: to, src: from, len });
        Ok(to)
    }

    /// Makes room at the entry for all arguments that calls pass by value.
    pub(super) fn make_room_for_by_value(&mut self, shape: &Shape) {
        let byval = attribute_kind(BYVAL);
        for &block in shape.chains.iter().flatten() {
            for call in block.instructions().filter(|i| matches!(i.opcode(), Op::LLVMCall | Op::LLVMInvoke)) {
                let fixed = call.call_ty().params().len() as u32;
                for arg in 0..fixed {
                    if let Some(content) = call.arg_type_attribute(arg, byval) {
                        let size = self.p.data.size(content);
                        let align = self.by_value_align(call, arg, content);
                        let (size, count) = u32::try_from(size).map_or((1, size), |size| (size, 1));
                        let (dst, count) = (self.reg(Type::Ptr), self.bits(count));
                        self.emit(Inst::Alloca { dst, size, align, count });
                        self.by_value.insert((call, arg), Operand::reg(dst));
                    }
                }
            }
        }
    }
}
