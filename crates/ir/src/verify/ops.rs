//! Invariants 16, 17 and 22 to 27: what single instructions require.

use super::{Report, Rule};
use crate::{Arg, Callee, CastOp, Const, FloatCastOp, Function, Inst, Module, Operand, Range, Type, UnOp};

pub(super) fn check<'m>(m: &'m Module, f: &'m Function, report: &mut Report<'m>) {
    let mut ops = Ops { m, f, report, at: None };
    for (i, inst) in f.insts.iter().enumerate() {
        ops.at = Some(i);
        inst.for_each_use(f, |operand, w| ops.constant(operand, w));
        ops.inst(inst);
    }
    ops.at = None;
    for copy in &f.copies {
        ops.constant(copy.src, copy.w);
    }
}

struct Ops<'a, 'm> {
    m: &'m Module,
    f: &'m Function,
    report: &'a mut Report<'m>,
    at: Option<usize>,
}

impl Ops<'_, '_> {
    fn require(&mut self, holds: bool, rule: Rule, what: impl FnOnce() -> String) {
        self.report.check(holds, rule, self.at, what);
    }

    fn constant(&mut self, operand: Operand, w: u16) {
        let Some(c) = operand.as_const() else { return };
        let words = Range { start: c.0, len: Type::Int(w).slots() }.of(&self.m.consts);
        let mut left = u32::from(w);
        for word in words {
            let fits = match word {
                Const::Bits(bits) => left >= 64 || bits >> left == 0,
                Const::Address(_) => left >= 64,
                Const::Undef => true,
            };
            self.require(fits, Rule::Constants, || format!("constant #{} does not have {w} bits", c.0));
            left = left.saturating_sub(64);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match *inst {
            Inst::Un { op: UnOp::BSwap, w, .. } => {
                self.require(w % 16 == 0, Rule::Operations, || format!("bswap of {w} bits"));
            }
            Inst::Cast { op, from, to, .. } => {
                let widens = !matches!(op, CastOp::Trunc);
                let holds = if widens { from < to } else { from > to };
                self.require(holds, Rule::Operations, || format!("a change from {from} to {to} bits"));
            }
            Inst::FloatCast { op, from, to, .. } => {
                let holds = converts(op, from, to);
                self.require(holds, Rule::Operations, || format!("a conversion from {from} to {to}"));
            }
            Inst::FloatClass { mask, .. } => {
                self.require(mask < 1 << 10, Rule::Operations, || format!("classes {mask:#x}"));
            }
            Inst::Alloca { align, .. } => self.alignment(align),
            Inst::PtrAddWide { scale, .. } => {
                let is_number = matches!(self.m.consts.get(scale.index()), Some(Const::Bits(_)));
                self.require(is_number, Rule::Scale, || "a scale that is not a number".to_owned());
            }
            Inst::Call { callee, args, rets, .. } => {
                self.args(args.of(&self.f.args));
                if let Callee::Direct(callee) = callee {
                    let callee = &self.m.functions[callee.index()];
                    self.call(callee, args.of(&self.f.args), rets.of(&self.f.types));
                }
            }
            Inst::Return { values } => {
                let values = values.of(&self.f.args);
                let holds = values.iter().map(|arg| arg.ty).eq(self.f.rets.iter().copied());
                self.require(holds, Rule::Returns, || "values of other types than the function's".to_owned());
                self.args(values);
            }
            Inst::Switch { w, table, .. } => self.switch(w, table),
            Inst::VaStart { .. } => {
                let variadic = self.f.variadic;
                self.require(variadic, Rule::Variadic, || "the function is not variadic".to_owned());
            }
            _ => {}
        }
    }

    fn alignment(&mut self, align: u32) {
        self.require(align.is_power_of_two(), Rule::Alignments, || format!("alignment {align}"));
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args.iter().filter(|arg| arg.byval_size > 0) {
            self.alignment(arg.byval_align);
            self.require(arg.ty == Type::Ptr, Rule::Alignments, || format!("{} in memory", arg.ty));
        }
    }

    fn call(&mut self, callee: &Function, args: &[Arg], rets: &[Type]) {
        if callee.is_declaration() {
            return;
        }
        let params = &callee.params;
        let types_fit = args.iter().zip(params).all(|(arg, param)| arg.ty == param.ty);
        let count_fits = args.len() == params.len() || callee.variadic && args.len() > params.len();
        self.require(types_fit && count_fits && rets == callee.rets, Rule::Calls, || {
            format!("a call that does not fit the signature of @{}", callee.name)
        });
    }

    fn switch(&mut self, w: u16, table: u32) {
        self.require(w <= 128, Rule::Operations, || format!("a switch of {w} bits"));
        let cases = &self.f.switches[table as usize].cases;
        let increasing = cases.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let fit = w >= 128 || cases.last().is_none_or(|&(value, _)| value >> w == 0);
        self.require(increasing, Rule::SwitchCases, || "cases that do not increase".to_owned());
        self.require(fit, Rule::SwitchCases, || format!("cases of more than {w} bits"));
    }
}

fn converts(op: FloatCastOp, from: Type, to: Type) -> bool {
    let is_float = |ty| matches!(ty, Type::Float(_));
    let is_int = |ty| matches!(ty, Type::Int(_));
    match op {
        FloatCastOp::FpToFp => is_float(from) && is_float(to),
        FloatCastOp::FpToUi | FloatCastOp::FpToSi | FloatCastOp::FpToUiSat | FloatCastOp::FpToSiSat => {
            is_float(from) && is_int(to)
        }
        FloatCastOp::UiToFp | FloatCastOp::SiToFp => is_int(from) && is_float(to),
    }
}
