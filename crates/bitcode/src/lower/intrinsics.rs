//! LLVM's intrinsic functions, by table.

use super::constants::Scalar;
use super::control::plain_arg;
use super::function::{Body, Leaves};
use super::{Gap, Program};
use crate::llvm::{Ty, TyKind, Value};
use rejoin_ir::{
    BinOp, Callee, CastOp, FloatBinOp, FloatCastOp, FloatPred, FloatType, FloatUnOp, Inst, IntPred, Operand,
    OverflowOp, Type, UnOp,
};

/// What an intrinsic becomes.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// Nothing; a result has no value in particular.
    Nothing,
    /// Its first argument.
    First,
    /// This constant.
    Constant(u64),
    Bin(BinOp),
    Un(UnOp),
    Overflow(OverflowOp),
    FloatBin(FloatBinOp),
    FloatUn(FloatUnOp),
    FloatCast(FloatCastOp),
    /// The function of the C library of this name, with `f` or `l` appended by type.
    Libm(&'static str),
    /// All lanes of a vector combined.
    Reduce(BinOp),
    ReduceFloat(FloatBinOp),
    /// The first argument combined with all lanes of the second, in order.
    ReduceFloatFrom(FloatBinOp),
    /// Anything else.
    Do(fn(&mut Body<'_>, Value) -> Result<Leaves, Gap>),
}

use Action::*;

/// All that is known, without the prefix `llvm.`, by what it becomes.
#[rustfmt::skip]
const TABLE: &[(&str, Action)] = &[
    ("assume", Nothing), ("donothing", Nothing), ("sideeffect", Nothing), ("prefetch", Nothing),
    ("lifetime.start", Nothing), ("lifetime.end", Nothing), ("invariant.start", Nothing),
    ("invariant.end", Nothing), ("var.annotation", Nothing), ("codeview.annotation", Nothing),
    ("dbg.declare", Nothing), ("dbg.value", Nothing), ("dbg.assign", Nothing), ("dbg.label", Nothing),
    ("experimental.noalias.scope.decl", Nothing), ("pseudoprobe", Nothing), ("va_end", Nothing),
    ("x86.sse2.pause", Nothing), ("debugtrap", Nothing), ("stackprotector", Nothing), ("fake.use", Nothing),

    ("expect", First), ("expect.with.probability", First), ("annotation", First), ("ptr.annotation", First),
    ("launder.invariant.group", First), ("strip.invariant.group", First), ("threadlocal.address", First),
    ("ssa.copy", First), ("arithmetic.fence", First), ("preserve.static.offset", First),

    ("is.constant", Constant(0)), ("allow.ubsan.check", Constant(1)), ("allow.runtime.check", Constant(1)),
    ("get.rounding", Constant(1)),

    ("umin", Bin(BinOp::UMin)), ("umax", Bin(BinOp::UMax)), ("smin", Bin(BinOp::SMin)), ("smax", Bin(BinOp::SMax)),
    ("uadd.sat", Bin(BinOp::UAddSat)), ("sadd.sat", Bin(BinOp::SAddSat)), ("usub.sat", Bin(BinOp::USubSat)),
    ("ssub.sat", Bin(BinOp::SSubSat)), ("ushl.sat", Bin(BinOp::UShlSat)), ("sshl.sat", Bin(BinOp::SShlSat)),
    ("ptrmask", Bin(BinOp::And)),

    ("ctpop", Un(UnOp::Ctpop)), ("ctlz", Un(UnOp::Ctlz)), ("cttz", Un(UnOp::Cttz)), ("bswap", Un(UnOp::BSwap)),
    ("bitreverse", Un(UnOp::BitReverse)), ("abs", Un(UnOp::Abs)),

    ("uadd.with.overflow", Overflow(OverflowOp::UAdd)), ("sadd.with.overflow", Overflow(OverflowOp::SAdd)),
    ("usub.with.overflow", Overflow(OverflowOp::USub)), ("ssub.with.overflow", Overflow(OverflowOp::SSub)),
    ("umul.with.overflow", Overflow(OverflowOp::UMul)), ("smul.with.overflow", Overflow(OverflowOp::SMul)),

    ("minnum", FloatBin(FloatBinOp::MinNum)), ("maxnum", FloatBin(FloatBinOp::MaxNum)),
    ("minimumnum", FloatBin(FloatBinOp::MinNum)), ("maximumnum", FloatBin(FloatBinOp::MaxNum)),
    ("minimum", FloatBin(FloatBinOp::Minimum)), ("maximum", FloatBin(FloatBinOp::Maximum)),
    ("copysign", FloatBin(FloatBinOp::CopySign)),
    ("experimental.constrained.fadd", FloatBin(FloatBinOp::Add)),
    ("experimental.constrained.fsub", FloatBin(FloatBinOp::Sub)),
    ("experimental.constrained.fmul", FloatBin(FloatBinOp::Mul)),
    ("experimental.constrained.fdiv", FloatBin(FloatBinOp::Div)),
    ("experimental.constrained.frem", FloatBin(FloatBinOp::Rem)),

    ("fabs", FloatUn(FloatUnOp::Abs)), ("sqrt", FloatUn(FloatUnOp::Sqrt)), ("floor", FloatUn(FloatUnOp::Floor)),
    ("ceil", FloatUn(FloatUnOp::Ceil)), ("trunc", FloatUn(FloatUnOp::Trunc)), ("round", FloatUn(FloatUnOp::Round)),
    ("roundeven", FloatUn(FloatUnOp::RoundEven)), ("rint", FloatUn(FloatUnOp::Rint)),
    ("nearbyint", FloatUn(FloatUnOp::NearbyInt)), ("canonicalize", FloatUn(FloatUnOp::Canonicalize)),
    ("experimental.constrained.sqrt", FloatUn(FloatUnOp::Sqrt)),
    ("experimental.constrained.floor", FloatUn(FloatUnOp::Floor)),
    ("experimental.constrained.ceil", FloatUn(FloatUnOp::Ceil)),
    ("experimental.constrained.trunc", FloatUn(FloatUnOp::Trunc)),
    ("experimental.constrained.round", FloatUn(FloatUnOp::Round)),
    ("experimental.constrained.rint", FloatUn(FloatUnOp::Rint)),
    ("experimental.constrained.nearbyint", FloatUn(FloatUnOp::NearbyInt)),

    ("fptoui.sat", FloatCast(FloatCastOp::FpToUiSat)), ("fptosi.sat", FloatCast(FloatCastOp::FpToSiSat)),
    ("experimental.constrained.fptoui", FloatCast(FloatCastOp::FpToUi)),
    ("experimental.constrained.fptosi", FloatCast(FloatCastOp::FpToSi)),
    ("experimental.constrained.uitofp", FloatCast(FloatCastOp::UiToFp)),
    ("experimental.constrained.sitofp", FloatCast(FloatCastOp::SiToFp)),
    ("experimental.constrained.fptrunc", FloatCast(FloatCastOp::FpToFp)),
    ("experimental.constrained.fpext", FloatCast(FloatCastOp::FpToFp)),

    ("sin", Libm("sin")), ("cos", Libm("cos")), ("tan", Libm("tan")), ("asin", Libm("asin")), ("acos", Libm("acos")),
    ("atan", Libm("atan")), ("atan2", Libm("atan2")), ("sinh", Libm("sinh")), ("cosh", Libm("cosh")),
    ("tanh", Libm("tanh")), ("pow", Libm("pow")), ("exp", Libm("exp")), ("exp2", Libm("exp2")),
    ("exp10", Libm("exp10")), ("log", Libm("log")), ("log2", Libm("log2")), ("log10", Libm("log10")),
    ("ldexp", Libm("ldexp")), ("lround", Libm("lround")), ("llround", Libm("llround")), ("lrint", Libm("lrint")),
    ("llrint", Libm("llrint")),

    ("vector.reduce.add", Reduce(BinOp::Add)), ("vector.reduce.mul", Reduce(BinOp::Mul)),
    ("vector.reduce.and", Reduce(BinOp::And)), ("vector.reduce.or", Reduce(BinOp::Or)),
    ("vector.reduce.xor", Reduce(BinOp::Xor)), ("vector.reduce.smax", Reduce(BinOp::SMax)),
    ("vector.reduce.smin", Reduce(BinOp::SMin)), ("vector.reduce.umax", Reduce(BinOp::UMax)),
    ("vector.reduce.umin", Reduce(BinOp::UMin)), ("vector.reduce.fmax", ReduceFloat(FloatBinOp::MaxNum)),
    ("vector.reduce.fmin", ReduceFloat(FloatBinOp::MinNum)),
    ("vector.reduce.fmaximum", ReduceFloat(FloatBinOp::Maximum)),
    ("vector.reduce.fminimum", ReduceFloat(FloatBinOp::Minimum)),
    ("vector.reduce.fadd", ReduceFloatFrom(FloatBinOp::Add)), ("vector.reduce.fmul", ReduceFloatFrom(FloatBinOp::Mul)),

    ("fshl", Do(|b, v| b.funnel(v, true))), ("fshr", Do(|b, v| b.funnel(v, false))),
    ("fma", Do(|b, v| b.mul_add(v, true))), ("fmuladd", Do(|b, v| b.mul_add(v, false))),
    ("experimental.constrained.fma", Do(|b, v| b.mul_add(v, true))),
    ("experimental.constrained.fmuladd", Do(|b, v| b.mul_add(v, false))),
    ("experimental.constrained.fcmp", Do(|b, v| b.constrained_compare(v))),
    ("experimental.constrained.fcmps", Do(|b, v| b.constrained_compare(v))),
    ("ucmp", Do(|b, v| b.three_way(v, IntPred::Ult, IntPred::Ugt))),
    ("scmp", Do(|b, v| b.three_way(v, IntPred::Slt, IntPred::Sgt))),
    ("is.fpclass", Do(|b, v| b.float_class(v))),
    ("memcpy", Do(|b, v| b.mem_copy(v, false))), ("memcpy.inline", Do(|b, v| b.mem_copy(v, false))),
    ("memmove", Do(|b, v| b.mem_copy(v, true))),
    ("memset", Do(|b, v| b.mem_set(v))), ("memset.inline", Do(|b, v| b.mem_set(v))),
    ("va_start", Do(|b, v| b.va_start(v))), ("va_copy", Do(|b, v| b.va_copy(v))),
    ("stacksave", Do(|b, v| b.stack_save(v))), ("stackrestore", Do(|b, v| b.stack_restore(v))),
    ("thread.pointer", Do(|b, v| b.thread_pointer(v))),
    ("frameaddress", Do(|b, v| b.frame_address(v))), ("returnaddress", Do(|b, v| b.frame_address(v))),
    ("objectsize", Do(|b, v| b.object_size(v))), ("load.relative", Do(|b, v| b.load_relative(v))),
    ("trap", Do(|b, v| b.trap(v))), ("ubsantrap", Do(|b, v| b.trap(v))),
];

/// Floating-point predicates, as metadata names them.
#[rustfmt::skip]
const PREDICATES: [(&str, FloatPred); 14] = [
    ("oeq", FloatPred::Oeq), ("ogt", FloatPred::Ogt), ("oge", FloatPred::Oge), ("olt", FloatPred::Olt),
    ("ole", FloatPred::Ole), ("one", FloatPred::One), ("ord", FloatPred::Ord), ("uno", FloatPred::Uno),
    ("ueq", FloatPred::Ueq), ("ugt", FloatPred::Ugt), ("uge", FloatPred::Uge), ("ult", FloatPred::Ult),
    ("ule", FloatPred::Ule), ("une", FloatPred::Une),
];

/// What the intrinsic of this name becomes.
fn action(name: &str) -> Option<Action> {
    let name = name.strip_prefix("llvm.")?;
    TABLE.iter().find(|(known, _)| *known == name).map(|&(_, action)| action)
}

/// The function of the C library that the lowering calls in place of an intrinsic.
pub(crate) fn libm_function(function: Value) -> Option<String> {
    let Libm(name) = action(&function.intrinsic()?)? else { return None };
    let first = *function.content_ty().params().first()?;
    libm_name(name, if first.is_vector() { first.element() } else { first })
}

fn libm_name(name: &str, ty: Ty) -> Option<String> {
    let suffix = match ty.kind() {
        TyKind::Float(FloatType::Float) => "f",
        TyKind::Float(FloatType::Double) => "",
        TyKind::Float(FloatType::X86Fp80) => "l",
        _ => return None,
    };
    Some(format!("{name}{suffix}"))
}

impl Program {
    fn intrinsic_action(&mut self, function: Value) -> Option<Action> {
        *self.intrinsics.entry(function).or_insert_with(|| action(&function.intrinsic()?))
    }
}

impl Body<'_> {
    pub(super) fn intrinsic(&mut self, v: Value, function: Value) -> Result<Leaves, Gap> {
        let Some(action) = self.p.intrinsic_action(function) else {
            return Err(format!("the intrinsic {}", function.name()).into());
        };
        match action {
            Nothing => self.undefined(v),
            First => self.operands(v.operand(0)),
            Constant(c) => {
                let ty = self.p.lane(v.ty())?;
                let constant = self.p.pooled(Scalar::Bits(c), ty);
                Ok(self.one(constant))
            }
            Bin(op) => self.int_binary(op, v.operand(0), v.operand(1)),
            Un(op) => {
                let ty = self.p.lane(v.ty())?;
                self.map1(v.operand(0), ty, |dst, a| Inst::Un { op, w: ty.bits(), dst, a })
            }
            Overflow(op) => self.overflow(v, op),
            FloatBin(op) => self.float_binary(op, v.operand(0), v.operand(1)),
            FloatUn(op) => self.float_unary(op, v.operand(0)),
            FloatCast(op) => self.float_cast(op, v.operand(0), v.ty()),
            Libm(name) => self.libm(v, name),
            Reduce(op) => {
                let w = self.p.lane(v.ty())?.bits();
                self.reduce(v.operand(0), None, |body, a, b| body.binary(op, w, a, b))
            }
            ReduceFloat(op) => self.reduce_float(v.operand(0), None, op),
            ReduceFloatFrom(op) => self.reduce_float(v.operand(1), Some(v.operand(0)), op),
            Do(lower) => lower(self, v),
        }
    }

    fn undefined(&mut self, v: Value) -> Result<Leaves, Gap> {
        let types = self.p.result_types(v.ty())?;
        let lanes: Vec<Operand> = types.iter().map(|&ty| self.p.pooled(Scalar::Undef, ty)).collect();
        Ok(self.list(&lanes))
    }

    fn overflow(&mut self, v: Value, op: OverflowOp) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.operand(0).ty())?;
        let (a, b) = (self.operands(v.operand(0))?, self.operands(v.operand(1))?);
        let (mut sums, mut flags) = (Vec::new(), Vec::new());
        for i in 0..a.len as usize {
            let (dst, flag) = (self.reg(ty), self.reg(Type::Int(1)));
            self.emit(Inst::Overflow { op, w: ty.bits(), dst, flag, a: self.leaf(a, i), b: self.leaf(b, i) });
            sums.push(Operand::reg(dst));
            flags.push(Operand::reg(flag));
        }
        Ok(self.list(&[sums, flags].concat()))
    }

    fn libm(&mut self, v: Value, name: &str) -> Result<Leaves, Gap> {
        let args: Vec<Value> = v.call_args().collect();
        let first = args[0].ty();
        let element = if first.is_vector() { first.element() } else { first };
        let name = libm_name(name, element).ok_or_else(|| format!("the function {name} of {element}"))?;
        let mut params = Vec::new();
        for arg in &args {
            params.push((self.operands(*arg)?, self.p.lane(arg.ty())?));
        }
        let ret = self.p.lane(v.ty())?;
        let types: Vec<Type> = params.iter().map(|p| p.1).collect();
        let callee = Callee::Direct(self.p.function_named(&name, &types, &[ret]));
        let mut lanes = Vec::new();
        for lane in 0..params[0].0.len as usize {
            let args = params.iter().map(|&(leaves, ty)| {
                plain_arg(self.leaf(leaves, if leaves.len == 1 { 0 } else { lane }), ty)
            });
            let args = args.collect();
            let result = self.emit_call(callee, args, &[ret]);
            lanes.push(self.leaf(result, 0));
        }
        Ok(self.list(&lanes))
    }

    fn reduce(
        &mut self,
        vector: Value,
        start: Option<Value>,
        combine: impl Fn(&mut Self, Operand, Operand) -> Operand,
    ) -> Result<Leaves, Gap> {
        let lanes = self.operands(vector)?;
        let mut total = start.map(|s| self.operand(s)).transpose()?;
        for i in 0..lanes.len as usize {
            let lane = self.leaf(lanes, i);
            total = Some(match total {
                None => lane,
                Some(total) => combine(self, total, lane),
            });
        }
        let total = total.ok_or("an empty vector")?;
        Ok(self.one(total))
    }

    fn reduce_float(&mut self, vector: Value, start: Option<Value>, op: FloatBinOp) -> Result<Leaves, Gap> {
        let ty = self.float_lane(vector.ty())?;
        self.reduce(vector, start, |body, a, b| {
            let dst = body.reg(Type::Float(ty));
            body.emit(Inst::FloatBin { op, ty, dst, a, b });
            Operand::reg(dst)
        })
    }

    fn funnel(&mut self, v: Value, left: bool) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.ty())?;
        self.map3(v, ty, |dst, hi, lo, amount| Inst::Funnel { left, w: ty.bits(), dst, hi, lo, amount })
    }

    fn mul_add(&mut self, v: Value, fused: bool) -> Result<Leaves, Gap> {
        let ty = self.float_lane(v.ty())?;
        self.map3(v, Type::Float(ty), |dst, a, b, c| Inst::FloatMulAdd { fused, ty, dst, a, b, c })
    }

    /// One instruction per lane of the three arguments.
    fn map3(
        &mut self,
        v: Value,
        to: Type,
        inst: impl Fn(rejoin_ir::Reg, Operand, Operand, Operand) -> Inst,
    ) -> Result<Leaves, Gap> {
        let (a, b, c) =
            (self.operands(v.operand(0))?, self.operands(v.operand(1))?, self.operands(v.operand(2))?);
        let mut lanes = Vec::new();
        for i in 0..a.len as usize {
            let dst = self.reg(to);
            self.emit(inst(dst, self.leaf(a, i), self.leaf(b, i), self.leaf(c, i)));
            lanes.push(Operand::reg(dst));
        }
        Ok(self.list(&lanes))
    }

    /// -1, 0 or 1: `(a > b) - (a < b)`.
    fn three_way(&mut self, v: Value, less: IntPred, greater: IntPred) -> Result<Leaves, Gap> {
        let (from, to) = (self.p.lane(v.operand(0).ty())?.bits(), self.p.lane(v.ty())?.bits());
        let (a, b) = (self.operands(v.operand(0))?, self.operands(v.operand(1))?);
        let mut lanes = Vec::new();
        for i in 0..a.len as usize {
            let (a, b) = (self.leaf(a, i), self.leaf(b, i));
            let (less, greater) = (self.compare(less, from, a, b), self.compare(greater, from, a, b));
            let (less, greater) =
                (self.cast(CastOp::ZExt, less, 1, to), self.cast(CastOp::ZExt, greater, 1, to));
            lanes.push(self.binary(BinOp::Sub, to, greater, less));
        }
        Ok(self.list(&lanes))
    }

    /// A comparison whose predicate is given by name.
    fn constrained_compare(&mut self, v: Value) -> Result<Leaves, Gap> {
        let name = v.operand(2).metadata_text();
        let pred = PREDICATES.iter().find(|(known, _)| *known == name).map(|p| p.1);
        let pred = pred.ok_or_else(|| format!("the comparison {name}"))?;
        let ty = self.float_lane(v.operand(0).ty())?;
        self.map2(v.operand(0), v.operand(1), Type::Int(1), |dst, a, b| Inst::FloatCmp {
            pred,
            ty,
            dst,
            a,
            b,
        })
    }

    fn float_class(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.float_lane(v.operand(0).ty())?;
        let mask = self.constant_arg(v, 1)? as u16;
        self.map1(v.operand(0), Type::Int(1), |dst, a| Inst::FloatClass { ty, mask, dst, a })
    }

    /// An argument that LLVM wants to be a constant.
    fn constant_arg(&mut self, v: Value, index: u32) -> Result<u64, Gap> {
        let arg = self.operand(v.operand(index))?;
        self.known_bits(arg).ok_or_else(|| format!("a variable argument of {}", v.callee().name()).into())
    }

    /// The length argument of a memory intrinsic, as 64 bits.
    fn length(&mut self, v: Value) -> Result<Operand, Gap> {
        let w = self.p.lane(v.operand(2).ty())?.bits();
        let len = self.operand(v.operand(2))?;
        Ok(self.extended_to_64(CastOp::ZExt, len, w))
    }

    fn mem_copy(&mut self, v: Value, overlap: bool) -> Result<Leaves, Gap> {
        let (dst, src, len) = (self.operand(v.operand(0))?, self.operand(v.operand(1))?, self.length(v)?);
        self.emit(Inst::MemCopy { overlap, dst, src, len });
        Ok(Self::none())
    }

    fn mem_set(&mut self, v: Value) -> Result<Leaves, Gap> {
        let (dst, value, len) = (self.operand(v.operand(0))?, self.operand(v.operand(1))?, self.length(v)?);
        self.emit(Inst::MemSet { dst, value, len });
        Ok(Self::none())
    }

    fn va_start(&mut self, v: Value) -> Result<Leaves, Gap> {
        let list = self.operand(v.operand(0))?;
        self.emit(Inst::VaStart { list });
        Ok(Self::none())
    }

    fn va_copy(&mut self, v: Value) -> Result<Leaves, Gap> {
        let (dst, src) = (self.operand(v.operand(0))?, self.operand(v.operand(1))?);
        self.emit(Inst::VaCopy { dst, src });
        Ok(Self::none())
    }

    fn stack_save(&mut self, _: Value) -> Result<Leaves, Gap> {
        let dst = self.reg(Type::Ptr);
        self.emit(Inst::StackSave { dst });
        Ok(self.one(Operand::reg(dst)))
    }

    fn stack_restore(&mut self, v: Value) -> Result<Leaves, Gap> {
        let mark = self.operand(v.operand(0))?;
        self.emit(Inst::StackRestore { mark });
        Ok(Self::none())
    }

    fn thread_pointer(&mut self, _: Value) -> Result<Leaves, Gap> {
        let dst = self.reg(Type::Ptr);
        self.emit(Inst::ThreadPointer { dst });
        Ok(self.one(Operand::reg(dst)))
    }

    fn frame_address(&mut self, v: Value) -> Result<Leaves, Gap> {
        let level = self.constant_arg(v, 0)? as u32;
        let dst = self.reg(Type::Ptr);
        self.emit(Inst::FrameAddress { dst, level });
        Ok(self.one(Operand::reg(dst)))
    }

    fn object_size(&mut self, v: Value) -> Result<Leaves, Gap> {
        let ty = self.p.lane(v.ty())?;
        let (ptr, min) = (self.operand(v.operand(0))?, self.constant_arg(v, 1)? != 0);
        let dst = self.reg(ty);
        self.emit(Inst::ObjectSize { dst, w: ty.bits(), min, ptr });
        Ok(self.one(Operand::reg(dst)))
    }

    /// `base + *(i32 *)(base + offset)`
    fn load_relative(&mut self, v: Value) -> Result<Leaves, Gap> {
        let w = self.p.lane(v.operand(1).ty())?.bits();
        let (base, index) = (self.operand(v.operand(0))?, self.operand(v.operand(1))?);
        let (addr, offset, result) = (self.reg(Type::Ptr), self.reg(Type::Int(32)), self.reg(Type::Ptr));
        self.emit(Inst::PtrAdd { w, dst: addr, base, index, scale: 1 });
        self.emit(Inst::Load { w: 32, dst: offset, addr: Operand::reg(addr) });
        self.emit(Inst::PtrAdd { w: 32, dst: result, base, index: Operand::reg(offset), scale: 1 });
        Ok(self.one(Operand::reg(result)))
    }

    fn trap(&mut self, _: Value) -> Result<Leaves, Gap> {
        self.emit(Inst::Trap);
        self.ended = true;
        Ok(Self::none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_intrinsic_is_listed_once() {
        let mut names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
