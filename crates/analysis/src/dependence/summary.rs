//! What callers need to know of a function.

use super::variable::{Base, Cell, Place, VarId, Variable, Variables};
use crate::count::Count;
use rejoin_ir::{Arg, FuncId, Function, Operand, Reg};
use std::rc::Rc;

/// The local queries of a function from its entry on, and how its results depend on its inputs.
/// Variables are parameters, globals and memory behind parameters, in the function's own terms.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) atoms: Vec<Atom>,
    pub(crate) outputs: Vec<Output>,
}

/// Queries that depend on the same variables. A caller adds up atoms and so counts a query once,
/// however many of its variables depend on the same thing: as if the function were inlined.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Atom {
    pub(crate) weight: Count,
    pub(crate) on: Vec<Variable>,
}

/// A result of a function with the inputs it may depend on.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Output {
    pub(crate) what: Out,
    pub(crate) from: Vec<Variable>,
}

/// What a function changes for its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Out {
    /// The return value of this number.
    Value(u32),
    /// Memory of the caller.
    Memory(Cell),
}

impl Output {
    /// Whether the old content of a piece of memory is gone on all paths.
    pub(crate) fn overwrites(&self) -> bool {
        !matches!(self.what, Out::Memory(cell) if self.from.contains(&Variable::Memory(cell)))
    }
}

/// Summaries by function: `None` for those without a body and those not analysed yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summaries(pub(crate) Vec<Option<Rc<Summary>>>);

impl Summaries {
    pub(crate) fn get(&self, f: FuncId) -> Option<&Summary> {
        self.0.get(f.index())?.as_deref()
    }
}

/// Functions that give a fresh object: nothing the caller knew is behind their result.
pub(crate) fn allocates(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "malloc",
        "calloc",
        "memalign",
        "aligned_alloc",
        "valloc",
        "__libc_malloc",
        "__libc_calloc",
        "_Znwm",
        "_Znam",
    ];
    NAMES.contains(&name)
}

impl Variables<'_> {
    /// A callee's variable in the caller's terms; `None` if it is a constant there.
    pub(crate) fn translate(&mut self, callee: &Function, variable: Variable, args: &[Arg]) -> Option<VarId> {
        match variable {
            Variable::Register(reg) => self.register(actual(callee, reg, args)?),
            Variable::Memory(cell) => {
                let Cell { base, extent } = self.actual_cell(callee, cell, args)?;
                Some(self.cell(base, extent))
            }
        }
    }

    /// A callee's piece of memory in the caller's terms.
    pub(crate) fn actual_cell(&self, callee: &Function, cell: Cell, args: &[Arg]) -> Option<Cell> {
        match cell.base {
            Base::Global(_) | Base::GlobalPointer(..) => Some(cell),
            Base::Pointer(reg) => {
                let Place { base, offset } = self.place(actual(callee, reg, args)?)?;
                Some(Cell { base, extent: cell.extent.shifted(offset) })
            }
            Base::StoredPointer(reg, offset) => {
                let base = self.behind(actual(callee, reg, args)?, offset)?;
                Some(Cell { base, extent: cell.extent })
            }
        }
    }
}

fn actual(callee: &Function, reg: Reg, args: &[Arg]) -> Option<Operand> {
    let param = callee.params.iter().position(|p| p.reg == reg)?;
    args.get(param).map(|arg| arg.value)
}
