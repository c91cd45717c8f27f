//! The variables of the analysis in states: how they are found there, and how they differ.

use rejoin_analysis::qce::{Base, Cell, Extent, StackVariable, Variable};
use rejoin_exec::{Against, Frame, Machine, State};
use rejoin_memory::ObjectId;
use std::rc::Rc;

/// How a variable differs between two states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Difference {
    /// It does not, or it is not to be found in one of them.
    None,
    /// It does, and depends on symbolic inputs in one of them.
    Symbolic,
    /// It has two concrete values.
    Concrete,
}

/// Two states of one place.
pub(super) struct Pair<'a> {
    m: &'a Machine,
    states: [&'a State; 2],
    frames: [Vec<&'a Frame>; 2],
}

impl<'a> Pair<'a> {
    pub(super) fn new(m: &'a Machine, a: &'a State, b: &'a State) -> Self {
        Pair { m, states: [a, b], frames: [frames(a), frames(b)] }
    }

    /// What stands against merging them if they differ in a variable.
    pub(super) fn against(&self, (n, variable): StackVariable) -> Against {
        Against::Variable(self.frames[0][n].func, variable)
    }

    /// How they differ in a variable.
    pub(super) fn difference(&self, (n, variable): StackVariable) -> Difference {
        let [x, y] = [self.frames[0][n], self.frames[1][n]];
        match variable {
            Variable::Register(r) => {
                let same = x.is_symbolic(r) == y.is_symbolic(r) && x.word(r) == y.word(r);
                kind(same, x.is_symbolic(r) || y.is_symbolic(r))
            }
            Variable::Memory(cell) => {
                let [a, b] = self.states;
                let addresses = (address(self.m, a, x, cell.base), address(self.m, b, y, cell.base));
                let (Some(p), Some(q)) = addresses else { return Difference::None };
                memory_difference(a, b, p, q, cell)
            }
        }
    }
}

fn kind(same: bool, symbolic: bool) -> Difference {
    match (same, symbolic) {
        (true, _) => Difference::None,
        (false, true) => Difference::Symbolic,
        (false, false) => Difference::Concrete,
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

fn memory_difference(a: &State, b: &State, p: u64, q: u64, cell: Cell) -> Difference {
    let ((p, i), (q, j)) = (ObjectId::of_address(p), ObjectId::of_address(q));
    let (Some(x), Some(y)) = (a.memory.shared(p), b.memory.shared(q)) else { return Difference::None };
    if i == j && Rc::ptr_eq(x, y) {
        return Difference::None;
    }
    match cell.extent {
        Extent::Bytes { offset, size } => {
            let (i, j) = (i.wrapping_add(offset as u64), j.wrapping_add(offset as u64));
            let len = u64::from(size);
            if !x.contains(i, len) || !y.contains(j, len) {
                return Difference::None;
            }
            match (x.read_bytes(i, size as usize), y.read_bytes(j, size as usize)) {
                (Some(v), Some(w)) => kind(v == w, false),
                _ => kind(x.same_range(i, y, j, len), true),
            }
        }
        Extent::Whole if x.differs_concretely(y) => Difference::Concrete,
        Extent::Whole => kind(x == y, true),
    }
}

/// In abstractions: a symbolic value.
const STAR: u64 = 1;
/// In abstractions: a concrete value follows.
const VALUE: u64 = 0;

/// `h` of variables: their values, or ★ for a symbolic one.
pub(super) fn abstraction(m: &Machine, s: &State, variables: &[StackVariable], out: &mut Vec<u64>) {
    let frames = frames(s);
    for &(n, variable) in variables {
        match variable {
            Variable::Register(r) if frames[n].is_symbolic(r) => out.push(STAR),
            Variable::Register(r) => out.extend([VALUE, frames[n].word(r)]),
            Variable::Memory(cell) => match address(m, s, frames[n], cell.base) {
                Some(address) => content(s, address, cell.extent, out),
                None => out.push(STAR),
            },
        }
    }
}

/// The abstraction of a piece of memory. What is not inside an object counts as symbolic.
fn content(s: &State, address: u64, extent: Extent, out: &mut Vec<u64>) {
    let (id, at) = ObjectId::of_address(address);
    let Some(object) = s.memory.get(id) else { return out.push(STAR) };
    match extent {
        Extent::Whole => out.extend([VALUE, object.digest()]),
        Extent::Bytes { offset, size } => {
            let at = at.wrapping_add(offset as u64);
            let inside = object.contains(at, u64::from(size));
            match inside.then(|| object.read_bytes(at, size as usize)).flatten() {
                None => out.push(STAR),
                Some(bytes) => {
                    out.push(VALUE);
                    let word = |c: &[u8]| c.iter().rev().fold(0, |acc, b| acc << 8 | u64::from(*b));
                    out.extend(bytes.chunks(8).map(word));
                }
            }
        }
    }
}
