//! States: persistent values. A state holds no solver, no options and no other state.

use crate::fixed::Fixed;
use crate::frame::{Callers, Frame};
use crate::merge::Parts;
use crate::multiplicity::Multiplicity;
use crate::news::News;
use crate::region::{Inside, Merged};
use rejoin_env::Os;
use rejoin_expr::{Pool, Term, Var};
use rejoin_ir::LocId;
use rejoin_memory::{Space, Value};
use rejoin_solver::Path;
use std::rc::Rc;

/// One path, or several that were merged: the triple (location, path condition, store).
#[derive(Clone)]
pub struct State {
    /// The running frame: where the state is.
    pub frame: Frame,
    /// The frames below.
    pub callers: Callers,
    /// The path condition.
    pub path: Path,
    /// The store.
    pub memory: Space,
    /// What the program sees of the outside, and what it did there.
    pub world: Rc<World>,
    /// What was lost or approximated on this path.
    pub gaps: Gaps,
    /// How many times this path forked.
    pub depth: u32,
    /// How many paths this state stands for: at most, since a fork hands all of them on.
    pub multiplicity: Multiplicity,
    /// These paths one by one, where somebody wants to know.
    pub parts: Parts,
    /// Inputs that were the first to reach some code.
    pub news: News,
    /// How many arms were taken without asking, since it was last asked, whether the path is feasible.
    pub unasked: u32,
    /// How often it was put off: what is left of a fixed value waits for everything else.
    pub later: u32,
    /// Just came to a place where paths meet.
    pub at_join: bool,
    /// The merge regions it is in, outermost first.
    pub regions: Vec<Inside>,
    /// How it was merged at the end of a region.
    pub merged: Option<Rc<Merged>>,
}

impl State {
    /// Puts the image of each term that is not in `base`, which this state was merged from, in its
    /// place: in frames and in memory.
    pub(crate) fn map_terms(&mut self, base: &State, pool: &mut Pool, image: Image) {
        self.frame.map_terms(pool, image);
        let changed = base.callers.pairs(&self.callers).count();
        let mut frames: Vec<Frame> = (0..changed).filter_map(|_| self.callers.pop()).collect();
        frames.iter_mut().for_each(|f| f.map_terms(pool, image));
        frames.into_iter().rev().for_each(|f| self.callers.push(f));
        self.memory.map_words(&base.memory, pool, image);
    }

    /// Puts the image of each term in its place: in all frames, and in memory that is not as it was in `start`.
    pub(crate) fn map_all_terms(&mut self, start: &Space, pool: &mut Pool, image: Image) {
        self.frame.map_terms(pool, image);
        let mut frames: Vec<Frame> = std::iter::from_fn(|| self.callers.pop()).collect();
        frames.iter_mut().for_each(|f| f.map_terms(pool, image));
        frames.into_iter().rev().for_each(|f| self.callers.push(f));
        self.memory.map_words(start, pool, image);
    }
}

/// Another term for a term.
pub(crate) type Image<'a> = &'a mut dyn FnMut(&mut Pool, Term) -> Term;

/// The outside as one path sees it.
#[derive(Clone, Debug)]
pub struct World {
    /// Files, descriptors, the process, what was written.
    pub os: Os,
    /// Symbolic inputs in the order of their making.
    pub inputs: Vec<Input>,
    /// Marks of `setjmp`, by token.
    pub jumps: Vec<JumpMark>,
    /// Signal handlers that run: the depth of the frame that goes on after each, and its signal mask.
    pub handlers: Vec<(u32, u64)>,
    /// The exit code while destructors run.
    pub exit_code: Option<Value>,
    /// What the test of this path should satisfy if it can, in the order it was asked for.
    pub preferences: Vec<Term>,
    /// Objects at addresses that the program chose.
    pub fixed: Vec<Fixed>,
    /// The program wants no forks (`klee_set_forking`).
    pub forks_disabled: bool,
}

impl World {
    /// A program that has done nothing yet.
    #[must_use]
    pub fn new(os: Os) -> Self {
        World {
            os,
            inputs: Vec::new(),
            jumps: Vec::new(),
            handlers: Vec::new(),
            exit_code: None,
            preferences: Vec::new(),
            fixed: Vec::new(),
            forks_disabled: false,
        }
    }
}

/// A symbolic input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name, as in the test file.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<Var>,
    /// How many of them there are, if that is symbolic.
    pub len: Option<Term>,
}

/// Where a `longjmp` goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JumpMark {
    /// Depth of the frame that called `setjmp`.
    pub depth: u32,
    /// Its context.
    pub context: u32,
    /// The call of `setjmp`.
    pub pc: u32,
}

/// A gap of ours that a path met: what the ledger lists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Gap {
    /// The kind of gap.
    pub kind: GapKind,
    /// Where.
    pub loc: LocId,
    /// What, by name.
    pub name: String,
}

/// Kinds of gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GapKind {
    /// A value was fixed to one of several possible.
    Concretised,
    /// One of several arms was taken, since the program wants no forks.
    NotForked,
    /// A function that is neither defined nor known to the machine was called.
    UnknownCall,
    /// An instruction, intrinsic or assembly the machine does not know.
    UnknownInstruction,
    /// A global that is only declared was used.
    UnknownGlobal,
    /// A system call the environment does not model.
    UnknownSystemCall,
    /// A loop was cut by `--max-loop`.
    CutLoop,
    /// The path was cut by `--max-depth`.
    CutDepth,
    /// Sizes above `--capacity` were left out.
    Capacity,
    /// The solver gave no answer in time.
    SolverTimeout,
    /// The shape of a parameter of `--entry` was assumed.
    EntryAssumption,
    /// The program waits forever.
    Blocked,
    /// A path was left unexplored at the end of the run.
    Unexplored,
    /// A value summary had too many entries and became a term.
    LargeSummary,
    /// A guard of value summaries had too many nodes and became an atom.
    LargeGuard,
}

impl GapKind {
    /// The name in the ledger.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GapKind::Concretised => "concretised",
            GapKind::NotForked => "not-forked",
            GapKind::UnknownCall => "unknown-call",
            GapKind::UnknownInstruction => "unknown-instruction",
            GapKind::UnknownGlobal => "unknown-global",
            GapKind::UnknownSystemCall => "unknown-system-call",
            GapKind::CutLoop => "cut-loop",
            GapKind::CutDepth => "cut-depth",
            GapKind::Capacity => "capacity",
            GapKind::SolverTimeout => "solver-timeout",
            GapKind::EntryAssumption => "entry-assumption",
            GapKind::Blocked => "blocked",
            GapKind::Unexplored => "unexplored",
            GapKind::LargeSummary => "large-summary",
            GapKind::LargeGuard => "large-guard",
        }
    }

    /// Whether behaviours of the program may be hidden. One that waits forever does nothing more, and
    /// a summary is as exact as a term as it was before.
    #[must_use]
    pub fn is_lossy(self) -> bool {
        !matches!(self, GapKind::Blocked | GapKind::LargeSummary | GapKind::LargeGuard)
    }
}

/// The gaps of a path, newest first, shared between states.
#[derive(Clone, Debug, Default)]
pub struct Gaps(Option<Rc<(Gap, Gaps)>>);

impl Gaps {
    /// Adds a gap.
    pub fn push(&mut self, gap: Gap) {
        let before = self.clone();
        self.0 = Some(Rc::new((gap, before)));
    }

    /// Takes over the gaps of another path.
    pub fn unite(&mut self, other: &Gaps) {
        let new: Vec<Gap> = other.iter().filter(|g| !self.iter().any(|mine| mine == *g)).cloned().collect();
        new.into_iter().rev().for_each(|g| self.push(g));
    }

    /// The gaps, newest first.
    pub fn iter(&self) -> impl Iterator<Item = &Gap> {
        std::iter::successors(self.0.as_deref(), |g| g.1.0.as_deref()).map(|g| &g.0)
    }
}
