//! Query count estimation, equation 1 of Kuznetsov et al., PLDI 2012: states are similar if every
//! hot variable is equal in both, or depends on symbolic inputs in one of them.

use super::Similarity;
use rejoin_analysis::qce::{self, Base, Cell, Extent, Location, Variable};
use rejoin_exec::{Against, Frame, Machine, State};
use rejoin_ir::FuncId;
use rejoin_memory::ObjectId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Similarity by hot variables.
pub struct Qce {
    counts: qce::Qce,
    /// Per context and instruction: the hot variables.
    hot: FxHashMap<(u32, u32), Rc<[qce::StackVariable]>>,
}

impl Qce {
    /// With counts of the machine's program.
    #[must_use]
    pub fn new(counts: qce::Qce) -> Self {
        Qce { counts, hot: FxHashMap::default() }
    }

    /// The hot variables where `s` is; equal contexts are equal stacks.
    fn hot(&mut self, m: &Machine, s: &State) -> Rc<[qce::StackVariable]> {
        let counts = &self.counts;
        let compute = || {
            let f = &m.module.functions[s.frame.func.index()];
            let mut stack: Vec<(FuncId, Location)> =
                s.callers.iter().map(|c| (c.func, Location::AfterCall(c.pc))).collect();
            stack.reverse();
            stack.extend(f.block_of_inst(s.frame.pc).map(|b| (s.frame.func, Location::Head(b))));
            counts.hot(&stack).into_iter().map(|(v, _)| v).collect()
        };
        Rc::clone(self.hot.entry((s.frame.context, s.frame.pc)).or_insert_with(compute))
    }
}

impl Similarity for Qce {
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against> {
        let hot = self.hot(m, a);
        let (x, y) = (frames(a), frames(b));
        let differing = hot.iter().find(|&&(n, variable)| match variable {
            Variable::Register(r) => {
                let (x, y) = (x[n], y[n]);
                !x.is_symbolic(r) && !y.is_symbolic(r) && x.word(r) != y.word(r)
            }
            Variable::Memory(cell) => {
                match (address(m, a, x[n], cell.base), address(m, b, y[n], cell.base)) {
                    (Some(p), Some(q)) => differs(a, b, p, q, cell),
                    _ => false,
                }
            }
        });
        differing.map_or(Ok(()), |&(n, variable)| Err(Against::Variable(x[n].func, variable)))
    }
}

/// The frames of a state, outermost first.
fn frames(s: &State) -> Vec<&Frame> {
    let mut frames: Vec<&Frame> = std::iter::once(&s.frame).chain(s.callers.iter()).collect();
    frames.reverse();
    frames
}

/// Where a cell's object is found from a frame, unless that is symbolic.
fn address(m: &Machine, s: &State, frame: &Frame, base: Base) -> Option<u64> {
    let register = |r| (!frame.is_symbolic(r)).then(|| frame.word(r));
    match base {
        Base::Global(g) => Some(m.code.globals[g.index()]),
        Base::Pointer(r) => register(r),
        Base::GlobalPointer(g, offset) => stored(s, m.code.globals[g.index()], offset),
        Base::StoredPointer(r, offset) => stored(s, register(r)?, offset),
    }
}

/// The pointer at an offset behind an address, unless it is symbolic.
fn stored(s: &State, address: u64, offset: i64) -> Option<u64> {
    let (id, at) = ObjectId::of_address(address.wrapping_add(offset as u64));
    let object = s.memory.get(id).filter(|o| o.contains(at, 8))?;
    object.read_concrete(at, 8)
}

/// Whether a cell is concrete in both states and differs.
fn differs(a: &State, b: &State, p: u64, q: u64, cell: Cell) -> bool {
    let ((p, i), (q, j)) = (ObjectId::of_address(p), ObjectId::of_address(q));
    let (Some(x), Some(y)) = (a.memory.shared(p), b.memory.shared(q)) else { return false };
    if i == j && Rc::ptr_eq(x, y) {
        return false;
    }
    match cell.extent {
        Extent::Bytes { offset, size } => {
            let (i, j, len) = (i.wrapping_add(offset as u64), j.wrapping_add(offset as u64), u64::from(size));
            if !x.contains(i, len) || !y.contains(j, len) {
                return false;
            }
            let (v, w) = (x.read_bytes(i, size as usize), y.read_bytes(j, size as usize));
            v.is_some() && w.is_some() && v != w
        }
        Extent::Whole => x.differs_concretely(y),
    }
}
