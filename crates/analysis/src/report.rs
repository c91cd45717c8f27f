//! The counts per source line, for people.
//!
//! The location of a line is its first instruction in topological order. Registers and allocas are
//! shown under the names that the source gave them; of several registers that hold one variable the
//! largest count is shown. What has no name in the source is left out unless it is hot.

use crate::cfg::Cfg;
use crate::loops::Loops;
use crate::qce::{Base, Cell, Count, Extent, FunctionQce, Location, Qce, Variable};
use rejoin_ir::{DebugVarPlace, FuncId, Function, GlobalId, Inst, Module, Reg};
use std::collections::BTreeMap;
use std::fmt;

/// A source line of a function with its local counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The function.
    pub function: FuncId,
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Q_t.
    pub q_t: Count,
    /// The variables, those with the most queries first.
    pub variables: Vec<LineVariable>,
}

/// A variable at a source line.
#[derive(Clone, PartialEq, Debug)]
pub struct LineVariable {
    /// Its name: as in the source, with `*p`, `p[8..12]` or `global[0..4]` for memory.
    pub name: String,
    /// Q_add.
    pub q_add: Count,
    /// Whether Q_add exceeds α times Q_t.
    pub hot: bool,
}

/// The lines of all functions that have a body and source locations, by function and line.
#[must_use]
pub fn lines(m: &Module, qce: &Qce) -> Vec<Line> {
    (0..m.functions.len() as u32).map(FuncId).flat_map(|f| function_lines(m, qce, f)).collect()
}

/// The lines of one function.
#[must_use]
pub fn function_lines(m: &Module, qce: &Qce, function: FuncId) -> Vec<Line> {
    let f = &m.functions[function.index()];
    let first = first_instructions(m, f);
    let mut before: Vec<u32> = first.values().copied().collect();
    before.sort_unstable();
    let counts = qce.with_points(function, &before);
    let names = Names::new(m, f);
    let line = |((file, line), inst): ((String, u32), u32)| {
        let at = counts.at(Location::Before(inst))?;
        let variables = names.variables(qce, &counts, inst);
        Some(Line { function, file, line, q_t: at.q_t, variables })
    };
    first.into_iter().filter_map(line).collect()
}

/// Per file and line: the first instruction, where source variables have their registers.
fn first_instructions(m: &Module, f: &Function) -> BTreeMap<(String, u32), u32> {
    let loops = Loops::new(f, &Cfg::new(f));
    let mut first = BTreeMap::new();
    for &b in loops.order() {
        for i in f.blocks[b.index()].insts.indices() {
            let is_static = matches!(f.insts[i], Inst::Alloca { .. });
            if let Some((file, loc)) = m.place(f.locs[i]).filter(|(_, loc)| loc.line != 0 && !is_static) {
                first.entry((file.to_owned(), loc.line)).or_insert(i as u32);
            }
        }
    }
    first
}

/// A variable's name as a function sees it: as in the source, or the number of its register.
#[must_use]
pub fn variable_name(m: &Module, function: FuncId, variable: Variable) -> String {
    Names::new(m, &m.functions[function.index()]).name(variable).0
}

struct Names<'a> {
    m: &'a Module,
    of: BTreeMap<Reg, &'a str>,
}

impl<'a> Names<'a> {
    fn new(m: &'a Module, f: &'a Function) -> Self {
        let mut of = BTreeMap::new();
        for var in &f.debug_vars {
            let (DebugVarPlace::Value(reg) | DebugVarPlace::Object(reg)) = var.place;
            if let Some(name) = m.texts.get(var.name.index()) {
                of.entry(reg).or_insert(name.as_str());
            }
        }
        Names { m, of }
    }

    fn variables(&self, qce: &Qce, counts: &FunctionQce, inst: u32) -> Vec<LineVariable> {
        let Some(at) = counts.at(Location::Before(inst)) else { return Vec::new() };
        let mut best: BTreeMap<String, Count> = BTreeMap::new();
        for &(id, q) in &at.q_add {
            let (name, known) = self.name(counts.variable(id));
            if known || qce.params().is_hot(q, at.q_t) {
                let largest = best.entry(name).or_default();
                *largest = largest.max(q);
            }
        }
        let shown = |(name, q_add)| LineVariable { name, q_add, hot: qce.params().is_hot(q_add, at.q_t) };
        let mut variables: Vec<LineVariable> = best.into_iter().map(shown).collect();
        variables.sort_by(|a, b| b.q_add.total_cmp(a.q_add));
        variables
    }

    /// A name, and whether the source gave it.
    fn name(&self, variable: Variable) -> (String, bool) {
        match variable {
            Variable::Register(reg) => self.register(reg),
            Variable::Memory(Cell { base, extent }) => {
                let global = |g: GlobalId| (self.m.globals[g.index()].name.clone(), true);
                let through = |(name, known), offset| (format!("{name}[{offset}]->"), known);
                let (object, known) = match base {
                    Base::Global(g) => global(g),
                    Base::Pointer(reg) => self.register(reg),
                    Base::GlobalPointer(g, offset) => through(global(g), offset),
                    Base::StoredPointer(reg, offset) => through(self.register(reg), offset),
                };
                let part = match extent {
                    Extent::Whole => "[..]".to_owned(),
                    Extent::Bytes { offset, size } => {
                        format!("[{offset}..{}]", offset.saturating_add(size.into()))
                    }
                };
                (object + &part, known)
            }
        }
    }

    fn register(&self, reg: Reg) -> (String, bool) {
        match self.of.get(&reg) {
            Some(name) => ((*name).to_owned(), true),
            None => (format!("%{}", reg.0), false),
        }
    }
}

/// A table of lines; hot variables carry a `*`.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The module.
    pub module: &'a Module,
    /// The lines.
    pub lines: &'a [Line],
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.lines.chunk_by(|a, b| (a.function, &a.file) == (b.function, &b.file)) {
            let name = &self.module.functions[group[0].function.index()].name;
            writeln!(out, "{name} ({})", group[0].file)?;
            writeln!(out, "{:>6} {:>12}  Q_add", "line", "Q_t")?;
            for line in group {
                write!(out, "{:>6} {:>12} ", line.line, line.q_t)?;
                for v in &line.variables {
                    write!(out, " {}{}={}", v.name, if v.hot { "*" } else { "" }, v.q_add)?;
                }
                writeln!(out)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
