//! Where registers are defined.

use rejoin_ir::{Function, Inst, Operand, Reg};

/// The definitions of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Def {
    /// Never.
    None,
    /// By this instruction and nothing else.
    Inst(u32),
    /// It is a parameter and nothing else.
    Param(u32),
    /// By copies on edges only: a phi.
    Copies,
    /// In several of these ways.
    Many,
}

/// Per register of a function: its definition.
pub(crate) struct Defs(Vec<Def>);

impl Defs {
    pub(crate) fn new(f: &Function) -> Self {
        let mut defs = vec![Def::None; f.slots as usize];
        let mut define = |reg: Reg, def| {
            let known = &mut defs[reg.index()];
            *known = match *known {
                Def::None => def,
                Def::Copies if def == Def::Copies => def,
                _ => Def::Many,
            };
        };
        for (i, param) in f.params.iter().enumerate().filter(|_| !f.is_declaration()) {
            define(param.reg, Def::Param(i as u32));
        }
        for (i, inst) in f.insts.iter().enumerate() {
            inst.for_each_def(f, |reg, _| define(reg, Def::Inst(i as u32)));
        }
        f.copies.iter().for_each(|copy| define(copy.dst, Def::Copies));
        Defs(defs)
    }

    pub(crate) fn of(&self, reg: Reg) -> Def {
        self.0.get(reg.index()).copied().unwrap_or(Def::None)
    }

    /// The one instruction that computes an operand.
    pub(crate) fn inst<'f>(&self, f: &'f Function, operand: Operand) -> Option<&'f Inst> {
        match self.of(operand.as_reg()?) {
            Def::Inst(i) => f.insts.get(i as usize),
            _ => None,
        }
    }
}
