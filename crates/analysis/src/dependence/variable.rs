//! What a branch condition can depend on.

use crate::defs::{Def, Defs};
use rejoin_ir::{Address, Const, Function, GlobalId, Inst, Module, Operand, Reg};
use rustc_hash::FxHashMap;

/// A variable of a state, as seen from one frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    /// A register (of a value of several slots: the first).
    Register(Reg),
    /// A piece of memory.
    Memory(Cell),
}

/// A piece of memory at a constant place of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// Where the object is.
    pub base: Base,
    /// Which part of it.
    pub extent: Extent,
}

/// How a frame finds an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// A global that can change.
    Global(GlobalId),
    /// What this register points to: an alloca, a pointer argument, a heap object, …
    Pointer(Reg),
    /// What the pointer at this offset of a global points to.
    GlobalPointer(GlobalId, i64),
    /// What the pointer at this offset behind a register points to.
    StoredPointer(Reg, i64),
}

impl Base {
    /// The object behind a pointer that is stored in this one; one such step at most is followed.
    fn pointer_at(self, offset: i64) -> Option<Base> {
        match self {
            Base::Global(g) => Some(Base::GlobalPointer(g, offset)),
            Base::Pointer(reg) => Some(Base::StoredPointer(reg, offset)),
            Base::GlobalPointer(..) | Base::StoredPointer(..) => None,
        }
    }

    /// Where the pointer to this object is stored.
    pub(crate) fn holder(self) -> Option<(Base, i64)> {
        match self {
            Base::GlobalPointer(g, offset) => Some((Base::Global(g), offset)),
            Base::StoredPointer(reg, offset) => Some((Base::Pointer(reg), offset)),
            Base::Global(_) | Base::Pointer(_) => None,
        }
    }

    /// The register that a frame needs to find the object.
    pub(crate) fn register(self) -> Option<Reg> {
        match self {
            Base::Pointer(reg) | Base::StoredPointer(reg, _) => Some(reg),
            Base::Global(_) | Base::GlobalPointer(..) => None,
        }
    }
}

/// A part of an object, counted from its base.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Extent {
    /// That many bytes at an offset.
    Bytes {
        /// The first byte.
        offset: i64,
        /// How many.
        size: u32,
    },
    /// The object as a whole: it is accessed at offsets that are not constant.
    Whole,
}

/// A variable of a function: an index into its table of variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

impl VarId {
    /// The position in the table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An address: an object and, if it is constant, the offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) base: Base,
    pub(crate) offset: Option<i64>,
}

/// How a pointer comes from another.
#[derive(Clone, Copy)]
enum Step {
    /// At this distance, if it is constant.
    By(Option<i64>),
    /// By loading it.
    Load,
}

/// How two pieces of memory lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overlap {
    Disjoint,
    Partial,
    /// The first one covers the second one.
    Covers,
}

impl Extent {
    /// How a write to `self` meets `other`.
    pub(crate) fn meets(self, other: Extent) -> Overlap {
        match (self, other) {
            (Extent::Bytes { offset: a, size: n }, Extent::Bytes { offset: b, size: m }) => {
                let (a_end, b_end) = (a.saturating_add(n.into()), b.saturating_add(m.into()));
                if a_end <= b || b_end <= a {
                    Overlap::Disjoint
                } else if a <= b && b_end <= a_end {
                    Overlap::Covers
                } else {
                    Overlap::Partial
                }
            }
            _ => Overlap::Partial,
        }
    }

    /// The same part counted from `place` instead of its base.
    pub(crate) fn shifted(self, offset: Option<i64>) -> Extent {
        match (self, offset) {
            (Extent::Bytes { offset, size }, Some(by)) => {
                Extent::Bytes { offset: offset.saturating_add(by), size }
            }
            _ => Extent::Whole,
        }
    }
}

/// More pieces of one object than this are taken as the whole.
const MAX_CELLS: usize = 32;

/// More pointers stored in one object than this are not followed.
const MAX_POINTERS: usize = 16;

/// The variables of a function: its registers first, then the cells met so far.
///
/// Addresses are followed to their *root*: the parameter, alloca, call result or phi that they are
/// at a distance from, or the place of memory that the pointer was loaded from. Two different roots
/// are taken to point to different objects, and a pointer in memory to stay while a copy of it is in
/// use: that can only make an estimate wrong, never an exploration.
pub(crate) struct Variables<'a> {
    m: &'a Module,
    f: &'a Function,
    cells: Vec<Cell>,
    ids: FxHashMap<Cell, VarId>,
    of_base: FxHashMap<Base, Vec<VarId>>,
    /// Per object: the objects known behind pointers that are stored in it.
    stored_in: FxHashMap<Base, Vec<Base>>,
    /// Per register: what it points to.
    roots: Vec<Option<Place>>,
    /// Per register: it is the address of a local or a global at a constant offset.
    fixed: Vec<bool>,
    /// Per register: it is a pointer that walks.
    walks: Vec<bool>,
    /// Per register: a cell is found through it.
    leads: Vec<bool>,
}

impl<'a> Variables<'a> {
    pub(crate) fn new(m: &'a Module, f: &'a Function, defs: &Defs) -> Self {
        let slots = f.slots as usize;
        let mut v = Variables {
            m,
            f,
            cells: Vec::new(),
            ids: FxHashMap::default(),
            of_base: FxHashMap::default(),
            stored_in: FxHashMap::default(),
            roots: vec![None; slots],
            fixed: vec![false; slots],
            walks: vec![false; slots],
            leads: vec![false; slots],
        };
        let mut done = vec![false; slots];
        for reg in (0..f.slots).map(Reg) {
            v.follow(reg, defs, &mut done);
        }
        for copy in &f.copies {
            let to = v.place(copy.src).filter(|p| p.base == Base::Pointer(copy.dst));
            v.walks[copy.dst.index()] |= to.is_some_and(|p| p.offset != Some(0));
        }
        v
    }

    /// Finds the root of `reg` and of the registers on the way there.
    fn follow(&mut self, reg: Reg, defs: &Defs, done: &mut [bool]) {
        let mut way = Vec::new();
        let mut next = Some(reg);
        while let Some(reg) = next.filter(|r| !std::mem::replace(&mut done[r.index()], true)) {
            self.roots[reg.index()] = Some(Place { base: Base::Pointer(reg), offset: Some(0) });
            let inst = defs.inst(self.f, Operand::reg(reg));
            self.fixed[reg.index()] = matches!(inst, Some(Inst::Alloca { .. }));
            let step = inst.and_then(|i| self.derived(i));
            way.extend(step.map(|step| (reg, step)));
            next = step.and_then(|(from, _)| from.as_reg());
        }
        for (reg, (from, step)) in way.into_iter().rev() {
            let at = self.place(from);
            match step {
                Step::By(by) => {
                    self.fixed[reg.index()] = by.is_some() && self.is_fixed(from);
                    self.roots[reg.index()] = at.map(|Place { base, offset }| Place {
                        base,
                        offset: offset.zip(by).and_then(|(a, b)| a.checked_add(b)),
                    });
                }
                Step::Load => {
                    let object = at.and_then(|at| at.base.pointer_at(at.offset?));
                    if let Some(base) = object {
                        self.roots[reg.index()] = Some(Place { base, offset: Some(0) });
                    }
                }
            }
        }
    }

    /// The operand that an instruction's result comes from, and how.
    fn derived(&self, inst: &Inst) -> Option<(Operand, Step)> {
        let signed = |index: Operand, w: u16| {
            let bits = self.m.const_bits(index.as_const()?)?;
            let unused = 64 - u32::from(w.clamp(1, 64));
            Some(((bits << unused) as i64) >> unused)
        };
        match *inst {
            Inst::Move { w: 64, a, .. } => Some((a, Step::By(Some(0)))),
            Inst::Load { w: 64, addr, .. } => Some((addr, Step::Load)),
            Inst::PtrAdd { w, base, index, scale, .. } => {
                Some((base, Step::By(signed(index, w).and_then(|i| i.checked_mul(scale.into())))))
            }
            Inst::PtrAddWide { w, base, index, scale, .. } => {
                let scale = self.m.const_bits(scale).map(|s| s as i64);
                Some((base, Step::By(signed(index, w).zip(scale).and_then(|(i, s)| i.checked_mul(s)))))
            }
            _ => None,
        }
    }

    /// What an operand points to; `None` for an address that no variable is behind.
    pub(crate) fn place(&self, operand: Operand) -> Option<Place> {
        if let Some(reg) = operand.as_reg() {
            return self.roots[reg.index()];
        }
        match self.m.consts[operand.as_const()?.index()] {
            Const::Address(Address::Global(g, offset)) if !self.m.globals[g.index()].constant => {
                Some(Place { base: Base::Global(g), offset: Some(offset) })
            }
            _ => None,
        }
    }

    /// Whether an address is the same in every state: a constant, or a constant offset into an
    /// alloca.
    pub(crate) fn is_fixed(&self, operand: Operand) -> bool {
        operand.as_reg().is_none_or(|reg| self.fixed[reg.index()])
    }

    /// The register of an operand, unless it is the same in every state.
    pub(crate) fn register(&self, operand: Operand) -> Option<VarId> {
        operand.as_reg().filter(|reg| !self.fixed[reg.index()]).map(|reg| VarId(reg.0))
    }

    /// The cell of `size` bytes (or as many as there are) at `place`.
    pub(crate) fn cell_at(&mut self, place: Place, size: Option<u32>) -> VarId {
        let extent = size.map_or(Extent::Whole, |size| Extent::Bytes { offset: 0, size });
        self.cell(place.base, extent.shifted(place.offset))
    }

    pub(crate) fn cell(&mut self, base: Base, mut extent: Extent) -> VarId {
        let walks = base.register().is_some_and(|reg| self.walks[reg.index()]);
        let known = self.of_base.get(&base).map_or(0, Vec::len);
        if walks || (known >= MAX_CELLS && !self.ids.contains_key(&Cell { base, extent })) {
            extent = Extent::Whole;
        }
        let cell = Cell { base, extent };
        if let Some(&id) = self.ids.get(&cell) {
            return id;
        }
        let id = VarId(self.f.slots + self.cells.len() as u32);
        self.cells.push(cell);
        self.ids.insert(cell, id);
        if let Some(reg) = base.register() {
            self.leads[reg.index()] = true;
        }
        let pieces = self.of_base.entry(base).or_default();
        pieces.push(id);
        if let (1, Some((holder, _))) = (pieces.len(), base.holder()) {
            self.stored_in.entry(holder).or_default().push(base);
        }
        id
    }

    /// The object behind the pointer at an offset of what an operand points to.
    pub(crate) fn behind(&self, pointer: Operand, offset: i64) -> Option<Base> {
        let place = self.place(pointer)?;
        let base = place.base.pointer_at(place.offset?.checked_add(offset)?)?;
        let known = self.stored_in(place.base);
        let walks = place.base.register().is_some_and(|reg| self.walks[reg.index()]);
        (!walks && (known.len() < MAX_POINTERS || known.contains(&base))).then_some(base)
    }

    /// The objects known behind pointers that are stored in an object.
    pub(crate) fn stored_in(&self, base: Base) -> &[Base] {
        self.stored_in.get(&base).map_or(&[], Vec::as_slice)
    }

    /// Whether a cell is found through a register.
    pub(crate) fn leads_to_cells(&self, reg: Reg) -> bool {
        self.leads[reg.index()]
    }

    /// The cells known of an object.
    pub(crate) fn cells_of(&self, base: Base) -> &[VarId] {
        self.of_base.get(&base).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn get(&self, id: VarId) -> Variable {
        match id.0.checked_sub(self.f.slots) {
            None => Variable::Register(Reg(id.0)),
            Some(cell) => Variable::Memory(self.cells[cell as usize]),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.f.slots as usize + self.cells.len()
    }

    /// Whether callers know this variable: a parameter, a global, or memory behind a parameter.
    pub(crate) fn is_interface(&self, variable: Variable, defs: &Defs) -> bool {
        let is_param = |reg| matches!(defs.of(reg), Def::Param(_));
        match variable {
            Variable::Register(reg) => is_param(reg),
            Variable::Memory(cell) => cell.base.register().is_none_or(is_param),
        }
    }
}
