//! The machine: everything that is not in a state.

use crate::code::{Code, FunctionCode};
use crate::distance::DistanceCell;
use crate::entry::Entry;
use crate::facts::{self, Facts};
use crate::frame::Frame;
use crate::multiplicity::Multiplicity;
use crate::news::News;
use crate::outcome::{Error, ErrorKind, Flow, Outcome, StackFrame, Stop};
use crate::region::{FoundPattern, OpenRegions, Regions};
use crate::size::SymSize;
use crate::state::{Gap, GapKind, Gaps, State, World};
use crate::uninit::Uninit;
use crate::world::{Argument, Stack, Symbolic};
use rejoin_explore::Step;
use rejoin_expr::{Pool, Term};
use rejoin_ir::{DebugVarPlace, FuncId, LocId, Module, Operand};
use rejoin_memory::{Names, Value};
use rejoin_solver::{Path, Solver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which arms of a branch are followed (`follow` in Algorithm 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// Those that are feasible.
    Feasible,
    /// All; what ends is asked for feasibility then.
    All,
}

/// What the machine checks and where it gives up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which arms are followed.
    pub follow: Follow,
    /// Iterations after which a loop is cut.
    pub max_loop: Option<u32>,
    /// Forks after which a path is cut.
    pub max_depth: Option<u32>,
    /// Frames after which the stack overflows.
    pub max_stack: u32,
    /// States stop where paths meet, to be merged.
    pub merging: bool,
    /// Loops that fork are merge regions.
    pub regions: Option<Regions>,
    /// States of a region with equal stores are merged before each iteration.
    pub incremental: bool,
    /// What a state that a region merges away is taken to have saved, in terms that the backend is asked about.
    pub merge_worth: u32,
    /// What regions merge at the start may be thrown away, if it does not pay.
    pub trial: bool,
    /// Merged states know the paths that they stand for.
    pub parts: bool,
    /// What merged states ask is asked of their parts as well, to compare.
    pub compare_parts: bool,
    /// Report heap objects that nobody frees.
    pub check_leaks: bool,
    /// Report branches and addresses that depend on uninitialised bytes.
    pub check_uninit: bool,
    /// LLVM instructions a state runs before others get their turn.
    pub slice: u64,
    /// What runs where the program would run `main`.
    pub entry: Option<Entry>,
    /// What becomes of symbolic sizes.
    pub sym_size: SymSize,
    /// The most bytes of an object whose size is symbolic.
    pub capacity: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            follow: Follow::Feasible,
            max_loop: None,
            max_depth: None,
            max_stack: 131_072,
            merging: false,
            regions: None,
            incremental: true,
            merge_worth: 128,
            trial: false,
            parts: false,
            compare_parts: false,
            check_leaks: false,
            check_uninit: false,
            slice: 1_000_000,
            entry: None,
            sym_size: SymSize::Lazy,
            capacity: 100,
        }
    }
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// LLVM instructions executed.
    pub instructions: u64,
    /// Forks.
    pub forks: u64,
    /// Conditions on symbolic values that were decided.
    pub branch_decisions: u64,
    /// Times two states became one.
    pub merges: u64,
    /// Times two states at one place did not.
    pub merges_refused: u64,
    /// Times a merged state was taken apart for an operation that takes no merged value.
    pub splits: u64,
    /// Merges of states whose abstractions differ.
    pub merges_beyond_hash: u64,
    /// If-then-else terms that merging made.
    pub ites: u64,
    /// Groups of states that became one by a pattern.
    pub pattern_merges: u64,
    /// Times the exploration began again, because merging did not pay.
    pub trials: u64,
}

/// Where the exploration began.
#[derive(Clone)]
pub(crate) struct Beginning {
    pub(crate) first: State,
    pub(crate) others: Vec<State>,
    pub(crate) counts: Vec<crate::code::Counts>,
    pub(crate) ledger: BTreeMap<Gap, u64>,
}

/// How the program is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The function to start with: `main`, or libc's `_start_c`.
    pub entry: FuncId,
    /// `entry` takes a pointer to the initial stack (argc, argv, envp, auxv), as the kernel lays it
    /// out, instead of `main`'s parameters.
    pub raw: bool,
    /// The argument vector.
    pub args: Vec<Argument>,
    /// The environment, as `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// The system it finds.
    pub os: rejoin_env::Os,
    /// What of the system is symbolic.
    pub symbolic: Symbolic,
}

/// The machine.
pub struct Machine {
    /// The program.
    pub module: Rc<Module>,
    /// The program as loaded.
    pub code: Code,
    /// All terms.
    pub pool: Pool,
    /// The solver chain.
    pub solver: Solver,
    /// Numbers of objects.
    pub names: Names,
    /// Checks and limits.
    pub options: Options,
    /// Counts.
    pub stats: Stats,
    /// What merging did, by place.
    pub tallies: crate::merge::Tallies,
    /// Gaps met, with how often.
    pub ledger: BTreeMap<Gap, u64>,
    /// Contradictions that the machine found in its own work.
    pub faults: Vec<String>,
    /// Messages of the harness, such as `klee_warning`.
    pub messages: Vec<String>,
    /// Patterns by which states were merged, for the record.
    pub patterns: Vec<FoundPattern>,
    /// Messages that are given once only.
    pub(crate) warned: FxHashSet<String>,
    /// The summaries, if values may be summaries.
    pub summaries: Option<rejoin_summary::Summaries>,
    /// Inputs of entries of the program counter that were merged, by their guards.
    pub(crate) witnesses: FxHashMap<rejoin_summary::Guard, rejoin_solver::Model>,
    /// There is no other state, so that nobody is to be waited for.
    pub alone: bool,
    /// The running state has come to where paths meet.
    pub(crate) arrived: bool,
    /// Which news a test shows.
    pub(crate) shown: Vec<bool>,
    pub(crate) facts: Vec<OnceCell<Facts>>,
    pub(crate) budget: i64,
    pub(crate) forked: Vec<State>,
    pub(crate) halted: Vec<(State, Outcome)>,
    pub(crate) regions: OpenRegions,
    /// Where to begin again, while merging is on trial.
    pub(crate) beginning: Option<Beginning>,
    /// What the branch that is being decided compares.
    pub(crate) comparison: Option<(Term, rejoin_pattern::Compare)>,
    pub(crate) uninit: Option<Uninit>,
    pub(crate) inputs: FxHashMap<String, Vec<Term>>,
    pub(crate) distances: DistanceCell,
}

impl Machine {
    /// Loads `module`.
    #[must_use]
    pub fn new(module: Module, solver: Solver, options: Options) -> Self {
        let mut names = Names::default();
        let mut pool = Pool::new();
        let mut code = Code::load(&module, &mut names, &mut pool);
        if options.merging {
            for (code, f) in code.functions.iter_mut().zip(&module.functions) {
                code.marks = facts::marks(f);
            }
        } else if options.regions.is_some() {
            for (code, f) in code.functions.iter_mut().zip(&module.functions) {
                code.marks = facts::exits(f);
            }
        }
        if options.max_loop.is_some() {
            for (code, f) in code.functions.iter_mut().zip(&module.functions) {
                facts::mark_headers(f, &code.is_back_edge, &mut code.marks);
            }
        }
        let facts = module.functions.iter().map(|_| OnceCell::new()).collect();
        let regions = OpenRegions::new(&options);
        let uninit = options.check_uninit.then(|| Uninit::new(&mut pool));
        Machine {
            module: Rc::new(module),
            code,
            pool,
            solver,
            names,
            options,
            stats: Stats::default(),
            tallies: BTreeMap::new(),
            ledger: BTreeMap::new(),
            faults: Vec::new(),
            messages: Vec::new(),
            patterns: Vec::new(),
            warned: FxHashSet::default(),
            summaries: None,
            witnesses: FxHashMap::default(),
            alone: true,
            arrived: false,
            shown: Vec::new(),
            facts,
            budget: 0,
            forked: Vec::new(),
            halted: Vec::new(),
            regions,
            beginning: None,
            comparison: None,
            uninit,
            inputs: FxHashMap::default(),
            distances: DistanceCell::default(),
        }
    }

    /// The state in which the program starts. With a symbolic number of arguments there are several;
    /// the others leave with the first step.
    pub fn start(&mut self, start: &Start) -> State {
        let context = self.names.context(0, u64::from(start.entry.0));
        let slots = self.module.functions[start.entry.index()].slots;
        let mut s = State {
            frame: Frame::new(start.entry, slots, context),
            callers: crate::Callers::default(),
            path: Path::new(),
            memory: self.code.image.clone(),
            world: Rc::new(World::new(start.os.clone())),
            gaps: Gaps::default(),
            depth: 0,
            multiplicity: Multiplicity::ONE,
            parts: None,
            news: News::default(),
            unasked: 0,
            later: 0,
            at_join: false,
            regions: Vec::new(),
            merged: None,
        };
        let mut states: Vec<State> = Vec::new();
        for (stack, mut s) in self.initial_stacks(&mut s, start) {
            self.enter(&mut s, start, stack);
            states.push(s);
        }
        self.stats.instructions += std::mem::take(&mut self.budget).unsigned_abs();
        self.stats.forks += states.len() as u64 - 1;
        let first = states.remove(0);
        if self.options.trial {
            let counts = self.code.functions.iter().map(FunctionCode::counts).collect();
            let (others, ledger) = (states.clone(), self.ledger.clone());
            self.beginning = Some(Beginning { first: first.clone(), others, counts, ledger });
        }
        self.forked = states;
        first
    }

    /// Makes `s` begin with this many arguments, laid out at `stack`.
    fn enter(&mut self, s: &mut State, start: &Start, stack: Stack) {
        let module = Rc::clone(&self.module);
        let f = &module.functions[start.entry.index()];
        let argv = stack.address + 8;
        let envp = argv + 8 * (stack.argc + 1);
        let values = if start.raw { [stack.address, 0, 0] } else { [stack.argc, argv, envp] };
        for (param, value) in f.params.iter().zip(values) {
            s.frame.set_word(param.reg, value);
        }
        if let Some(entry) = self.options.entry.filter(|_| !start.raw) {
            s.frame = self.entry_frame(s, entry);
        }
        self.enter_block(s, rejoin_ir::BlockId(0));
        if !start.raw {
            for ctor in module.constructors.iter().rev() {
                self.enter_before(s, *ctor);
            }
        }
    }

    /// Makes `f`, without arguments, run before what `s` is about to run.
    pub(crate) fn enter_before(&mut self, s: &mut State, f: FuncId) {
        let slots = self.module.functions[f.index()].slots;
        let context = self.names.context(s.frame.context, 1 << 62 | u64::from(f.0));
        let mut caller = std::mem::replace(&mut s.frame, Frame::new(f, slots, context));
        caller.resume = true;
        s.callers.push(caller);
        self.enter_block(s, rejoin_ir::BlockId(0));
    }

    /// LLVM instructions from where `s` is to the end of the segment, for which it was charged.
    pub(crate) fn rest_of_segment(&self, s: &State) -> u64 {
        let f = &self.module.functions[s.frame.func.index()];
        let code = &self.code.functions[s.frame.func.index()];
        let end = code.segments.get(code.segment_at(s.frame.pc)).map_or(0, |segment| segment.end);
        let rest = f.weights.get(s.frame.pc as usize..end as usize).unwrap_or(&[]);
        rest.iter().map(|w| u64::from(*w)).sum()
    }

    /// Something of ours is wrong: nothing should be believed. Debug builds stop at once.
    pub fn fault(&mut self, what: String) {
        debug_assert!(false, "{what}");
        self.faults.push(what);
    }

    /// Ends `s`.
    pub(crate) fn halt(&mut self, s: State, outcome: Outcome) {
        let outcome = self.plain_outcome(outcome);
        if let Outcome::Gap(gap) = &outcome {
            *self.ledger.entry(gap.clone()).or_insert(0) += 1;
        }
        self.halted.push((s, outcome));
    }

    /// The location of the instruction a frame is at.
    #[must_use]
    pub fn loc(&self, frame: &Frame) -> LocId {
        let f = &self.module.functions[frame.func.index()];
        f.locs.get(frame.pc as usize).copied().unwrap_or(LocId::NONE)
    }

    /// Whether a location is in a library's source, which is given relative to the library.
    #[must_use]
    pub fn is_library(&self, loc: LocId) -> bool {
        self.module.place(loc).is_none_or(|(file, _)| !file.starts_with('/') || file.contains("/musl-"))
    }

    /// The call stack, innermost first.
    #[must_use]
    pub fn stack(&self, s: &State) -> Vec<StackFrame> {
        let frames = std::iter::once(&s.frame).chain(s.callers.iter());
        frames.map(|f| StackFrame { func: f.func, loc: self.loc(f), args: self.args(f) }).collect()
    }

    /// The parameters of a frame that debug information names.
    fn args(&self, frame: &Frame) -> Vec<(String, u16, Value)> {
        let f = &self.module.functions[frame.func.index()];
        let name = |reg| {
            let var = f.debug_vars.iter().find(|v| v.place == DebugVarPlace::Value(reg))?;
            self.module.texts.get(var.name.index())
        };
        let named =
            |p: &rejoin_ir::Param| Some((name(p.reg)?.clone(), p.ty.bits(), frame.get(p.reg, p.ty.bits())));
        f.params.iter().filter_map(named).collect()
    }

    /// An error where `s` is.
    pub(crate) fn error(&self, s: &State, kind: ErrorKind, message: impl Into<String>) -> Outcome {
        let stack = self.stack(s);
        Outcome::Error(Error { kind, suffix: None, message: message.into(), loc: stack[0].loc, stack })
    }

    /// Ends the path with an error.
    pub(crate) fn fail<T>(&self, s: &State, kind: ErrorKind, message: impl Into<String>) -> Flow<T> {
        Err(Stop::Halt(self.error(s, kind, message)))
    }

    /// A gap where `s` is.
    pub(crate) fn gap(&self, s: &State, kind: GapKind, name: impl Into<String>) -> Gap {
        Gap { kind, loc: self.loc(&s.frame), name: name.into() }
    }

    /// Ends the path with a gap.
    pub(crate) fn give_up<T>(&self, s: &State, kind: GapKind, name: impl Into<String>) -> Flow<T> {
        Err(Stop::Halt(Outcome::Gap(self.gap(s, kind, name))))
    }

    /// Records a gap that does not end the path.
    pub(crate) fn note(&mut self, s: &mut State, kind: GapKind, name: impl Into<String>) {
        let gap = self.gap(s, kind, name);
        *self.ledger.entry(gap.clone()).or_insert(0) += 1;
        s.gaps.push(gap);
    }

    /// The bits of an operand of at most 64 bits, unless it is symbolic.
    #[inline]
    pub(crate) fn concrete(&self, frame: &Frame, o: Operand) -> Option<u64> {
        match o.as_reg() {
            Some(r) => (!frame.is_symbolic(r)).then(|| frame.word(r)),
            None => {
                let c = o.as_const()?;
                if self.uninit.is_some() && self.module.consts[c.index()] == rejoin_ir::Const::Undef {
                    return None;
                }
                Some(self.code.consts[c.index()])
            }
        }
    }

    /// The value of an operand.
    pub(crate) fn value(&mut self, frame: &Frame, o: Operand, w: u16) -> Value {
        let Some(c) = o.as_const() else {
            return frame.get(rejoin_ir::Reg(o.as_reg().map_or(0, |r| r.0)), w);
        };
        if self.module.consts[c.index()] == rejoin_ir::Const::Undef
            && let Some(t) = self.undef_bits(w)
        {
            return Value::Term(t);
        }
        if w > 128 {
            return Value::Term(self.wide_constant(c.index(), u32::from(w)));
        }
        let lo = u128::from(self.code.consts[c.index()]);
        let hi = if w > 64 { u128::from(self.code.consts[c.index() + 1]) } else { 0 };
        Value::Bits(lo | hi << 64)
    }

    /// A constant of more than 128 bits, which is never a value of bits.
    fn wide_constant(&mut self, first: usize, w: u32) -> Term {
        let mut t = self.pool.constant(64, u128::from(self.code.consts[first]));
        for i in 1..w.div_ceil(64) as usize {
            let word = self.pool.constant(64, u128::from(self.code.consts[first + i]));
            t = self.pool.concat(word, t);
        }
        self.pool.extract(t, 0, w)
    }

    /// An operand as a term.
    pub(crate) fn term(&mut self, frame: &Frame, o: Operand, w: u16) -> Term {
        let v = self.value(frame, o, w);
        self.term_of(v, w)
    }

    /// A value as a term.
    pub(crate) fn term_of(&mut self, v: Value, w: u16) -> Term {
        match v {
            Value::Bits(b) => self.pool.constant(u32::from(w), b),
            Value::Term(t) => t,
        }
    }

    /// A term as a value: bits if it is constant.
    pub(crate) fn value_of(&self, t: Term) -> Value {
        self.pool.as_const(t).map_or(Value::Term(t), Value::Bits)
    }
}

impl rejoin_explore::Machine for Machine {
    type State = State;
    type Outcome = Outcome;

    fn step(&mut self, mut s: State) -> Step<Self> {
        self.budget = i64::try_from(self.options.slice).unwrap_or(i64::MAX);
        let budget = self.budget;
        self.arrived = false;
        let regions = Self::regions_of(&s);
        self.drop_stale_regions(&mut s);
        if self.is_to_be_undone(&s) {
            let parts = self.undo(s);
            let next = self.settle_regions(regions, parts, 0);
            return Step { next, halted: std::mem::take(&mut self.halted) };
        }
        let limits = self.limits_met();
        let flow = self.run(&mut s);
        self.note_limits(&s, limits);
        self.check_summaries();
        self.stats.instructions += (budget - self.budget).unsigned_abs();
        match flow {
            // A path that is none may run forever.
            Ok(()) if self.budget < 0 && !self.is_feasible(&mut s) => {}
            Ok(()) => self.forked.insert(0, s),
            Err(Stop::Halt(outcome)) => {
                let here = self.module.functions[s.frame.func.index()].weights.get(s.frame.pc as usize);
                let skipped = self.rest_of_segment(&s) - here.map_or(0, |w| u64::from(*w));
                self.stats.instructions -= skipped;
                self.halt(s, outcome);
            }
            Err(Stop::Replaced) => {}
        }
        let mut next = std::mem::take(&mut self.forked);
        if self.options.regions.is_some() {
            next = self.settle_regions(regions, next, (budget - self.budget).unsigned_abs());
        }
        Step { next, halted: std::mem::take(&mut self.halted) }
    }

    fn merge(&mut self, group: Vec<State>) -> State {
        let merged = group.into_iter().reduce(|a, b| self.unite(a, b));
        self.check_summaries();
        merged.unwrap_or_else(|| unreachable!("a group has states"))
    }
}
