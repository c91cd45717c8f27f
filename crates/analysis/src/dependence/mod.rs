//! Which query sites may depend on the value that a variable has at a location: the relation
//! (ℓ, v) ◁ (ℓ', e) of Kuznetsov et al., PLDI 2012, section 3.2.
//!
//! Variables are registers and pieces of memory at constant places of objects. The analysis goes
//! backwards through a function and keeps, per variable, the set of sites that depend on it. It
//! follows values through registers, edge copies, memory and calls; a store that covers a piece of
//! memory for sure ends the dependence on its old content. Where it differs from the paper's
//! prototype:
//!
//! 1. Dependences go through memory (store to load), and stores kill.
//! 2. All live registers are variables, not only parameters and phis: at a block head they are what
//!    a state holds.
//! 3. A callee's queries are known with the *sets* of variables they depend on, and its results
//!    with the inputs they depend on, so a caller sees it as if it were inlined.
//! 4. Memory behind a pointer that is itself in memory is followed one such step far.
//! 5. It is known of each loop around a location whether a dependence survives its back edge.
//!
//! Calls of functions without a body depend on their arguments and on what those point to.

mod flow;
mod sets;
pub(crate) mod site;
pub(crate) mod summary;
mod variable;

pub use site::Sites;
pub use variable::{Base, Cell, Extent, VarId, Variable};

use crate::callgraph::CallGraph;
use crate::cfg::{Cfg, out_edges};
use crate::defs::Defs;
use crate::loops::{LoopId, Loops};
pub(crate) use flow::Dependents;
use flow::Flow;
use rejoin_ir::{BlockId, EdgeId, FuncId, Function, Inst, Module};
pub(crate) use sets::{SetId, Sets};
use site::{Collector, SiteTable};
use std::rc::Rc;
use summary::{Out, Output, Summaries};
use variable::{Overlap, Variables};

/// How many pieces of memory a summary follows from entry to return.
const MAX_OUTPUTS: usize = 32;

/// What the analysis of a function needs.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) m: &'a Module,
    pub(crate) f: &'a Function,
    pub(crate) cfg: &'a Cfg,
    pub(crate) loops: &'a Loops,
    pub(crate) calls: &'a CallGraph,
    pub(crate) summaries: &'a Summaries,
    pub(crate) sites: Sites,
    pub(crate) beta: f64,
    pub(crate) kappa: u32,
}

/// The dependences of a function.
pub(crate) struct Dependence<'a> {
    pub(crate) sites: SiteTable,
    pub(crate) sets: Sets,
    /// Per block: what holds at its head.
    pub(crate) heads: Vec<Dependents>,
    /// What holds just before some instructions, as asked for; ascending.
    pub(crate) points: Vec<(u32, Dependents)>,
    variables: Variables<'a>,
    defs: Defs,
    outputs: Vec<Out>,
}

impl<'a> Dependence<'a> {
    /// Analyses a function; also keeps what holds just before the instructions of `points`
    /// (ascending).
    pub(crate) fn new(input: Input<'a>, points: &[u32]) -> Self {
        let (mut solver, defs) = Solver::new(input);
        solver.solve();
        let points = solver.points(points);
        let Solver { sites, outputs, flow, heads, .. } = solver;
        Dependence { sites, sets: flow.sets, heads, points, variables: flow.variables, defs, outputs }
    }

    pub(crate) fn variable(&self, id: VarId) -> Variable {
        self.variables.get(id)
    }

    /// Whether what `set` belongs to survives the back edge of `l`.
    pub(crate) fn survives(&self, set: SetId, l: LoopId) -> bool {
        self.sets.get(set).contains(self.sites.sites.len() + self.outputs.len() + l.index())
    }

    /// Whether a query site or an output is in `set`.
    pub(crate) fn counts(&self, set: SetId) -> bool {
        self.sets.has_site(set) || self.reached(set) != 0
    }

    /// The first 64 of the function's outputs that are in `set`.
    pub(crate) fn reached(&self, set: SetId) -> u64 {
        let first = self.sites.sites.len();
        let bits =
            self.sets.get(set).iter_from(first).take_while(|&bit| bit < first + self.outputs.len().min(64));
        bits.fold(0, |all, bit| all | 1 << (bit - first))
    }

    /// What the function may change for its callers.
    pub(crate) fn all_outputs(&self) -> &[Out] {
        &self.outputs
    }

    /// A callee's piece of memory in this function's terms.
    pub(crate) fn actual_cell(&self, callee: &Function, cell: Cell, args: &[rejoin_ir::Arg]) -> Option<Cell> {
        self.variables.actual_cell(callee, cell, args)
    }

    /// The variables at the entry that callers know, with their sets.
    pub(crate) fn inputs(&self) -> Vec<(Variable, SetId)> {
        let entry = self.heads.first().map_or(&[][..], Vec::as_slice).iter();
        let known = entry.map(|&(id, set)| (self.variable(id), set));
        known.filter(|(v, _)| self.variables.is_interface(*v, &self.defs)).collect()
    }

    /// The function's outputs with the inputs they depend on.
    pub(crate) fn outputs(&self) -> Vec<Output> {
        let inputs = self.inputs();
        let first = self.sites.sites.len();
        let from = |bit: usize| {
            inputs.iter().filter(move |(_, set)| self.sets.get(*set).contains(bit)).map(|(v, _)| *v).collect()
        };
        self.outputs.iter().enumerate().map(|(i, &what)| Output { what, from: from(first + i) }).collect()
    }
}

/// What a function may change for its callers: its results and memory they know.
fn outputs(input: Input<'_>, variables: &mut Variables<'_>, defs: &Defs) -> Vec<Out> {
    let f = input.f;
    let mut cells: Vec<VarId> = Vec::new();
    let mut add = |variables: &mut Variables<'_>, id: VarId| {
        if !cells.contains(&id)
            && variables.is_interface(variables.get(id), defs)
            && cells.len() < MAX_OUTPUTS
        {
            cells.push(id);
        }
    };
    for inst in &f.insts {
        let written = match *inst {
            Inst::Store { w, addr, .. } | Inst::AtomicRmw { w, addr, .. } | Inst::CmpXchg { w, addr, .. } => {
                Some((addr, Some(u32::from(w).div_ceil(8))))
            }
            Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => Some((dst, None)),
            _ => None,
        };
        if let Some(place) = written.and_then(|(addr, _)| variables.place(addr)) {
            let id = variables.cell_at(place, written.and_then(|(_, size)| size));
            add(variables, id);
        }
        let Inst::Call { args, .. } = *inst else { continue };
        for &target in input.calls.targets(f, inst) {
            let Some(summary) = input.summaries.get(target) else { continue };
            for output in &summary.outputs {
                let Out::Memory(cell) = output.what else { continue };
                let callee = &input.m.functions[target.index()];
                if let Some(id) = variables.translate(callee, Variable::Memory(cell), args.of(&f.args)) {
                    add(variables, id);
                }
            }
        }
    }
    let values = (0..f.rets.len() as u32).map(Out::Value);
    let memory = cells.iter().filter_map(|&id| match variables.get(id) {
        Variable::Memory(cell) => Some(Out::Memory(cell)),
        Variable::Register(_) => None,
    });
    values.chain(memory).collect()
}

struct Solver<'a> {
    input: Input<'a>,
    sites: SiteTable,
    outputs: Vec<Out>,
    /// The sets of one element.
    singles: Vec<SetId>,
    flow: Flow<'a>,
    heads: Vec<Dependents>,
}

/// What is new at the head of the target of an edge.
type News = (EdgeId, Rc<[(VarId, SetId)]>);

impl<'a> Solver<'a> {
    fn new(input: Input<'a>) -> (Self, Defs) {
        let Input { m, f, cfg, loops, calls, summaries, sites: kind, beta, .. } = input;
        let defs = Defs::new(f);
        let mut variables = Variables::new(m, f, &defs);
        let sites = Collector { m, f, cfg, calls, summaries, kind, beta }.collect(&mut variables);
        let outputs = outputs(input, &mut variables, &defs);
        let first_loop = sites.sites.len() + outputs.len();
        let mut sets = Sets::new(first_loop + loops.all().len(), sites.sites.len());
        let singles: Vec<SetId> = (0..first_loop + loops.all().len()).map(|i| sets.single(i)).collect();
        let flow = Flow::new(m, f, calls, summaries, variables, sets);
        let heads = vec![Dependents::new(); f.blocks.len()];
        (Solver { input, sites, outputs, singles, flow, heads }, defs)
    }

    /// What holds before a block is the union of what follows from each fact after it. So a block is not gone
    /// through with all facts whenever there is a new one, but with the new ones.
    fn solve(&mut self) {
        let Input { loops, cfg, .. } = self.input;
        let mut inbox: Vec<Vec<News>> = vec![Vec::new(); self.heads.len()];
        let mut is_fresh = vec![true; self.heads.len()];
        let mut any = true;
        while std::mem::take(&mut any) {
            for &b in loops.order().iter().rev() {
                let news = std::mem::take(&mut inbox[b.index()]);
                let first = std::mem::take(&mut is_fresh[b.index()]);
                if news.is_empty() && !first {
                    continue;
                }
                self.flow.clear();
                news.iter().for_each(|(edge, facts)| self.enter(b, *edge, facts));
                self.back(b, 0, first, |_, _| ());
                let grown = self.grow(b);
                if !grown.is_empty() {
                    let grown: Rc<[_]> = grown.into();
                    for &edge in cfg.in_edges(b) {
                        let Some(from) = cfg.source(edge) else { continue };
                        inbox[from.index()].push((edge, Rc::clone(&grown)));
                        any = true;
                    }
                }
            }
        }
    }

    /// Adds the facts found to those at the head of `b`; returns the ones that are new.
    fn grow(&mut self, b: BlockId) -> Dependents {
        let head = &mut self.heads[b.index()];
        let known = head.len();
        let mut grown = Dependents::new();
        for (id, set) in self.flow.snapshot() {
            let Ok(i) = head[..known].binary_search_by_key(&id, |(id, _)| *id) else {
                head.push((id, set));
                grown.push((id, set));
                continue;
            };
            let all = self.flow.sets.union(head[i].1, set);
            if std::mem::replace(&mut head[i].1, all) != all {
                grown.push((id, all));
            }
        }
        if head.len() > known && known > 0 {
            // Two ascending runs.
            head.sort_by_key(|(id, _)| *id);
        }
        grown
    }

    /// Adds facts at the target of an edge from `b`, seen from before the edge.
    fn enter(&mut self, b: BlockId, edge: EdgeId, facts: &[(VarId, SetId)]) {
        let Input { f, loops, .. } = self.input;
        let first_loop = self.sites.sites.len() + self.outputs.len();
        let around = loops.next_iteration(b, f.edges[edge.index()].target);
        let iteration = around.map_or(SetId::EMPTY, |l| self.singles[first_loop + l.index()]);
        self.flow.enter(facts, f.copies_of(edge), iteration);
    }

    /// Goes back through a block to its instruction number `down_to` (an index into the function's
    /// instructions); `visit` sees the state before each.
    fn block(&mut self, b: BlockId, down_to: usize, visit: impl FnMut(usize, &Flow<'_>)) {
        self.flow.clear();
        for edge in out_edges(self.input.f, b) {
            let target = self.input.f.edges[edge.index()].target;
            let head = std::mem::take(&mut self.heads[target.index()]);
            self.enter(b, edge, &head);
            self.heads[target.index()] = head;
        }
        self.back(b, down_to, true, visit);
    }

    /// The same with what was entered; its own sites and outputs count if `all`.
    fn back(&mut self, b: BlockId, down_to: usize, all: bool, mut visit: impl FnMut(usize, &Flow<'_>)) {
        let f = self.input.f;
        for i in f.blocks[b.index()].insts.indices().rev() {
            if i < down_to {
                break;
            }
            match &f.insts[i] {
                Inst::Return { values } if all => {
                    let sets = &self.singles[self.sites.sites.len()..];
                    let outputs = self.outputs.iter().copied().zip(sets.iter().copied());
                    self.flow.ret(values.of(&f.args), outputs);
                }
                inst => self.flow.before(inst),
            }
            for site in self.sites.of(i).filter(|_| all) {
                for &id in &self.sites.sites[site].on {
                    self.flow.add(id, self.singles[site]);
                }
            }
            visit(i, &self.flow);
        }
    }

    fn points(&mut self, points: &[u32]) -> Vec<(u32, Dependents)> {
        let f = self.input.f;
        let mut found = Vec::with_capacity(points.len());
        for group in points.chunk_by(|a, b| f.block_of_inst(*a) == f.block_of_inst(*b)) {
            let Some(b) = f.block_of_inst(group[0]) else { continue };
            let mut here = Vec::new();
            self.block(b, group[0] as usize, |i, flow| {
                if group.binary_search(&(i as u32)).is_ok() {
                    here.push((i as u32, flow.snapshot()));
                }
            });
            here.reverse();
            found.extend(here);
        }
        found
    }
}

/// Whether two variables of a frame are the same, or memory that is in part the same.
pub(crate) fn overlap(a: Variable, b: Variable) -> bool {
    match (a, b) {
        (Variable::Memory(a), Variable::Memory(b)) => {
            a.base == b.base && a.extent.meets(b.extent) != Overlap::Disjoint
        }
        _ => a == b,
    }
}

/// Analyses one function alone, callees without a body.
fn alone<T>(m: &Module, f: FuncId, sites: Sites, analyse: impl FnOnce(Input<'_>) -> T) -> T {
    let f = &m.functions[f.index()];
    let (cfg, calls) = (&Cfg::new(f), &CallGraph::new(m));
    let loops = &Loops::new(f, cfg);
    let summaries = &Summaries::default();
    analyse(Input { m, f, cfg, loops, calls, summaries, sites, beta: 1.0, kappa: 1 })
}

/// The query sites of a function that may depend on each variable at the head of a block, as
/// indices of instructions, by variable; one function alone, callees without a body.
#[must_use]
pub fn dependents(m: &Module, f: FuncId, sites: Sites, at: BlockId) -> Vec<(Variable, Vec<u32>)> {
    alone(m, f, sites, |input| {
        let found = Dependence::new(input, &[]);
        let table = &found.sites.sites;
        let insts = |set: SetId| {
            let sites = found.sets.get(set).iter().take_while(|&i| i < table.len());
            sites.map(|i| table[i].inst).collect::<Vec<u32>>()
        };
        let head = found.heads[at.index()].iter().map(|&(id, set)| (found.variable(id), insts(set)));
        let mut head: Vec<_> = head.filter(|(_, on)| !on.is_empty()).collect();
        head.sort_unstable();
        head
    })
}

/// Whether all facts are found: going through every block again, with all facts and not only new ones, adds
/// nothing. One function alone, callees without a body; the number of facts.
///
/// # Errors
/// A block at whose head something was missing.
pub fn settled(m: &Module, f: FuncId, sites: Sites) -> Result<usize, BlockId> {
    alone(m, f, sites, |input| {
        let (mut solver, _) = Solver::new(input);
        solver.solve();
        for &b in input.loops.order() {
            solver.block(b, 0, |_, _| ());
            if !solver.grow(b).is_empty() {
                return Err(b);
            }
        }
        Ok(solver.heads.iter().map(Vec::len).sum())
    })
}
