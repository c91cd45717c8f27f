//! Checks a module. Everything that reads modules relies on these invariants:
//!
//! Of a module:
//! 1. Symbols: the functions and globals that have a name have distinct names.
//! 2. Module references: files of locations, locations, functions, globals and blocks that the
//!    module's tables, constants and initial contents name exist.
//! 3. Global alignment: a power of two.
//! 4. Initial content: not longer than the global.
//! 5. Addresses in it: by increasing offset, 8 bytes each, not overlapping, inside the global.
//!
//! Of a function:
//! 6. Declaration: one without blocks has no instructions, tables or source variables either.
//! 7. Parameters: take consecutive slots from 0 on, inside the frame if there is a body.
//! 8. Types: an integer, the width of an instruction or a copy has 1 to 8192 bits.
//! 9. Parallel tables: every instruction has a location and a weight.
//! 10. Blocks: are not empty and partition the instructions, in order.
//! 11. Terminators: the last instruction of a block, and only that, is one.
//! 12. References: locations, texts, functions, edges, switch tables and ranges of pools exist.
//! 13. Edges: each leads to a block and belongs to one arm of one terminator; each switch table
//!     belongs to one switch. Only cases of the same switch may share an edge.
//! 14. Entry: no edge leads to block 0.
//! 15. Slots: a frame has at most 2^24 slots; all slots of a register lie in it, and all words of
//!     a constant in the constant pool.
//!
//! Of instructions:
//! 16. Constants: bits above the width are zero; an address fills its 64-bit word.
//! 17. Operations: extensions widen and truncations narrow; `bswap` takes a multiple of 16 bits;
//!     conversions have operand and result of the kind they convert; `fpclass` has ten classes; a
//!     switch has at most 128 bits.
//! 18. Distinct results: of one instruction, and the destinations of one edge.
//! 19. Register widths: all definitions of a register agree on the width, and a slot belongs to
//!     one register only.
//! 20. Widths of uses: an operand is read with the width its register is defined with.
//! 21. Definition before use: in a block that can be reached, on every path from the entry to a
//!     use there is a definition. What is never defined is not used in other blocks either.
//! 22. Switch cases: by increasing value, distinct, of the width of the switch.
//! 23. Calls: a direct call of a function with a body passes its parameters' types (more if and
//!     only if it is variadic) and takes its result types. A call that does not fit is indirect.
//! 24. Returns: return the function's result types.
//! 25. Alignments: of allocas and of arguments passed in memory are powers of two; the latter are
//!     pointers.
//! 26. Scale: of a wide pointer addition is a number.
//! 27. Variadic: only a variadic function starts a `va_list`.
//!
//! Where the tables of a function are broken (6 to 15), its instructions are not looked at.

mod cfg;
mod flow;
mod module;
mod ops;
mod shape;

use crate::{FuncId, Function, Module};
use std::fmt;

/// The invariants, by their numbers in the module's documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)] // see there
pub enum Rule {
    Symbols = 1,
    ModuleReferences = 2,
    GlobalAlignment = 3,
    InitialContent = 4,
    InitialAddresses = 5,
    Declaration = 6,
    Parameters = 7,
    Types = 8,
    ParallelTables = 9,
    Blocks = 10,
    Terminators = 11,
    References = 12,
    Edges = 13,
    Entry = 14,
    Slots = 15,
    Constants = 16,
    Operations = 17,
    DistinctResults = 18,
    RegisterWidths = 19,
    UseWidths = 20,
    DefinedBeforeUse = 21,
    SwitchCases = 22,
    Calls = 23,
    Returns = 24,
    Alignments = 25,
    Scale = 26,
    Variadic = 27,
}

/// One violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The invariant.
    pub rule: Rule,
    /// The function, if it is about one.
    pub function: Option<FuncId>,
    /// The index of the instruction in the function, if it is about one.
    pub inst: Option<u32>,
    /// What is wrong, for people; names the function and shows the instruction.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "invariant {} ({:?}): {}", self.rule as u8, self.rule, self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Violations reported at most.
const MAX_ERRORS: usize = 100;

/// Checks all invariants.
///
/// # Errors
/// The violations, the first 100 at most.
pub fn verify(m: &Module) -> Result<(), Vec<VerifyError>> {
    let mut report = Report { m, function: None, errors: Vec::new() };
    module::check(m, &mut report);
    for (i, f) in m.functions.iter().enumerate() {
        let before = report.errors.len();
        report.function = Some((FuncId(i as u32), f));
        let sources = shape::check(m, f, &mut report);
        if report.errors.len() == before && !f.is_declaration() {
            ops::check(m, f, &mut report);
            flow::check(f, &sources, &mut report);
        }
        if report.errors.len() >= MAX_ERRORS {
            break;
        }
    }
    if report.errors.is_empty() { Ok(()) } else { Err(report.errors) }
}

/// Collects violations.
struct Report<'m> {
    m: &'m Module,
    function: Option<(FuncId, &'m Function)>,
    errors: Vec<VerifyError>,
}

impl Report<'_> {
    /// Reports a violation of `rule` by instruction `inst` unless `holds`; `what` says what is wrong.
    fn check(&mut self, holds: bool, rule: Rule, inst: Option<usize>, what: impl FnOnce() -> String) -> bool {
        if !holds && self.errors.len() < MAX_ERRORS {
            let mut message = what();
            if let Some((id, f)) = self.function {
                message = format!("function @{} (#{}): {message}", f.name, id.0);
                if let Some(shown) = inst.and_then(|i| f.insts.get(i)) {
                    let shown = crate::text::print_inst(self.m, f, shown);
                    message = format!("{message} in `{shown}`");
                }
            }
            let function = self.function.map(|(id, _)| id);
            self.errors.push(VerifyError { rule, function, inst: inst.map(|i| i as u32), message });
        }
        holds
    }
}
