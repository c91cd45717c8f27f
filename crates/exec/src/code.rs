//! The module as the machine runs it: resolved constants, addresses, and segments for counting.
//!
//! A *segment* is a run of instructions without a call in the middle: once entered it is executed
//! to its end unless the path ends. Instructions and coverage are counted per segment, on entry.

use crate::builtin::{self, Builtin};
use crate::facts::Mark;
use rejoin_ir::{Address, BlockId, Const, EdgeId, FuncId, Function, GlobalId, Inst, Module, Type};
use rejoin_memory::{BASE, Kind, Names, Object, ObjectId, Space};
use rustc_hash::FxHashMap;

/// A run of instructions that is entered at its first.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its first instruction.
    pub start: u32,
    /// One past its last.
    pub end: u32,
    /// LLVM instructions it stands for.
    pub weight: u32,
}

/// Where an edge leads: the first segment of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) start: u32,
    pub(crate) weight: u32,
}

/// What the machine keeps per function beside the IR.
#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    /// All segments by position.
    pub segments: Vec<Segment>,
    /// Per block: its first segment.
    pub block_segment: Vec<u32>,
    /// Per edge: where it leads.
    pub(crate) targets: Vec<Target>,
    /// Per edge: whether it closes a loop.
    pub(crate) is_back_edge: Vec<bool>,
    /// Per edge: what merging and `--max-loop` have to do on it; empty without them.
    pub(crate) marks: Vec<Mark>,
    /// Per edge: how often it was taken.
    pub taken: Vec<u64>,
    /// Per segment: how often it was entered other than along an edge.
    entered: Vec<u64>,
    /// The machine's own implementation, if it has one.
    pub(crate) builtin: Option<Builtin>,
}

/// How often edges were taken, and segments entered otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    taken: Vec<u64>,
    entered: Vec<u64>,
}

impl FunctionCode {
    fn new(f: &Function, builtin: Option<Builtin>) -> Self {
        let mut code = FunctionCode { builtin, taken: vec![0; f.edges.len()], ..FunctionCode::default() };
        for block in &f.blocks {
            code.block_segment.push(code.segments.len() as u32);
            let range = block.insts.indices();
            let mut start = range.start;
            let mut weight = 0;
            for i in range.clone() {
                weight += u32::from(f.weights[i]);
                if matches!(f.insts[i], Inst::Call { .. }) || i + 1 == range.end {
                    code.segments.push(Segment { start: start as u32, end: i as u32 + 1, weight });
                    start = i + 1;
                    weight = 0;
                }
            }
        }
        code.entered = vec![0; code.segments.len()];
        code.is_back_edge = back_edges(f);
        code.targets = f
            .edges
            .iter()
            .map(|e| {
                let segment = code.segments[code.block_segment[e.target.index()] as usize];
                Target { start: segment.start, weight: segment.weight }
            })
            .collect();
        code
    }

    /// Whether a segment that no edge leads to was never entered.
    pub(crate) fn is_unknown(&self, segment: usize) -> bool {
        self.entered[segment] == 0
    }

    /// Counts an entry into a segment that no edge leads to, and gives it.
    pub(crate) fn enter(&mut self, segment: usize) -> Segment {
        self.entered[segment] += 1;
        self.segments[segment]
    }

    /// What [`FunctionCode::set_counts`] takes.
    pub(crate) fn counts(&self) -> Counts {
        Counts { taken: self.taken.clone(), entered: self.entered.clone() }
    }

    /// Forgets what was executed since these were the counts.
    pub(crate) fn set_counts(&mut self, counts: Counts) {
        (self.taken, self.entered) = (counts.taken, counts.entered);
    }

    /// How often each segment was entered.
    #[must_use]
    pub fn hits(&self, f: &Function) -> Vec<u64> {
        let mut hits = self.entered.clone();
        for (edge, taken) in f.edges.iter().zip(&self.taken) {
            hits[self.block_segment[edge.target.index()] as usize] += taken;
        }
        hits
    }

    /// Whether the machine answers calls of the function itself.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.builtin.is_some()
    }

    /// The segment that contains the instruction at `pc`.
    #[must_use]
    pub fn segment_at(&self, pc: u32) -> usize {
        self.segments.partition_point(|s| s.end <= pc)
    }
}

/// The edges that lead to a block from which they were reached, in a depth-first walk.
fn back_edges(f: &Function) -> Vec<bool> {
    let mut back = vec![false; f.edges.len()];
    let mut open = vec![false; f.blocks.len()];
    let mut seen = vec![false; f.blocks.len()];
    let mut walk: Vec<(BlockId, Vec<EdgeId>)> = Vec::new();
    let enter = |b: BlockId| (b, f.out_edges(b).collect::<Vec<_>>());
    if !f.is_declaration() {
        walk.push(enter(BlockId(0)));
        (seen[0], open[0]) = (true, true);
    }
    while let Some((block, edges)) = walk.last_mut() {
        let Some(edge) = edges.pop() else {
            open[block.index()] = false;
            walk.pop();
            continue;
        };
        let target = f.edges[edge.index()].target;
        back[edge.index()] = open[target.index()];
        if !seen[target.index()] {
            (seen[target.index()], open[target.index()]) = (true, true);
            walk.push(enter(target));
        }
    }
    back
}

/// The loaded program: what does not change while it runs, and what all states start from.
#[derive(Debug)]
pub struct Code {
    /// Per function.
    pub functions: Vec<FunctionCode>,
    /// Per entry of the constant pool: its bits.
    pub consts: Vec<u64>,
    /// Addresses of the globals.
    pub globals: Vec<u64>,
    /// Globals that are only declared, by object.
    pub externals: FxHashMap<ObjectId, GlobalId>,
    /// The memory that all states start with.
    pub image: Space,
}

impl Code {
    /// Loads `module`: gives everything an address and writes the initial memory.
    #[must_use]
    pub fn load(module: &Module, names: &mut Names, pool: &mut rejoin_expr::Pool) -> Self {
        let functions = module
            .functions
            .iter()
            .map(|f| {
                names.fixed(Kind::Function, f.loc);
                FunctionCode::new(f, builtin::lookup(&f.name, f.is_declaration()))
            })
            .collect();
        let mut externals = FxHashMap::default();
        let mut ids = Vec::new();
        for (i, g) in module.globals.iter().enumerate() {
            let kind = if g.constant { Kind::Constant } else { Kind::Global };
            let id = names.fixed(kind, g.loc);
            if g.init.is_none() {
                externals.insert(id, GlobalId(i as u32));
            }
            ids.push(id);
        }
        let mut code =
            Code { functions, consts: Vec::new(), globals: Vec::new(), externals, image: Space::default() };
        code.place_globals(module, names, &ids);
        code.write_image(module, pool, &ids);
        code.consts = module
            .consts
            .iter()
            .map(|c| match *c {
                Const::Bits(b) => b,
                Const::Undef => 0,
                Const::Address(a) => code.address(module, a),
            })
            .collect();
        code
    }

    fn place_globals(&mut self, module: &Module, names: &mut Names, ids: &[ObjectId]) {
        let array = |names: &mut Names, functions: &[FuncId]| {
            let start = names.fixed(Kind::Environment, rejoin_ir::LocId::NONE);
            (start, start.address() + 8 * functions.len() as u64)
        };
        let (init, init_end) = array(names, &module.constructors);
        let (fini, fini_end) = array(names, &module.destructors);
        for (g, id) in module.globals.iter().zip(ids) {
            let address = match g.name.as_str() {
                _ if g.init.is_some() => id.address(),
                "__init_array_start" => init.address(),
                "__init_array_end" => init_end,
                "__fini_array_start" => fini.address(),
                "__fini_array_end" => fini_end,
                _ if g.weak => 0,
                _ => id.address(),
            };
            self.globals.push(address);
        }
        // libc runs the second array from its end.
        let destructors: Vec<FuncId> = module.destructors.iter().rev().copied().collect();
        for (id, functions) in [(init, &module.constructors), (fini, &destructors)] {
            let size = 8 * functions.len() as u64;
            let mut object = Object::new(size, 8, Kind::Environment, rejoin_ir::LocId::NONE);
            for (i, f) in functions.iter().enumerate() {
                let address = self.address(module, Address::Function(*f, 0));
                object.write_concrete(8 * i as u64, 8, address);
            }
            self.image.insert(id, object);
        }
    }

    fn write_image(&mut self, module: &Module, pool: &mut rejoin_expr::Pool, ids: &[ObjectId]) {
        for (g, id) in module.globals.iter().zip(ids) {
            let Some(init) = &g.init else { continue };
            let kind = if g.constant { Kind::Constant } else { Kind::Global };
            let mut object = Object::new(g.size, g.align, kind, g.loc);
            if init.bytes.iter().any(|b| *b != 0) {
                object.write_bytes(pool, 0, &init.bytes);
            }
            for r in &init.relocs {
                object.write_bytes(pool, r.offset, &self.address(module, r.address).to_le_bytes());
            }
            self.image.insert(*id, object);
        }
    }

    /// The value of an address constant.
    #[must_use]
    pub fn address(&self, module: &Module, a: Address) -> u64 {
        match a {
            Address::Global(g, offset) => self.globals[g.index()].wrapping_add(offset as u64),
            Address::Function(f, offset) => {
                let function = &module.functions[f.index()];
                if function.weak && function.is_declaration() && self.functions[f.index()].builtin.is_none() {
                    return 0;
                }
                function_address(f).wrapping_add(offset as u64)
            }
            Address::Block(f, b) => function_address(f) + 1 + u64::from(b.0),
        }
    }

    /// The function whose address this is.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        let (id, offset) = ObjectId::of_address(address);
        let index = (id.0 as usize).checked_sub(1)?;
        (offset == 0 && index < self.functions.len()).then_some(FuncId(index as u32))
    }

    /// The block of `f` whose address this is.
    #[must_use]
    pub fn block_at(&self, f: FuncId, address: u64) -> Option<BlockId> {
        let block = address.checked_sub(function_address(f) + 1)?;
        (block < BASE).then_some(BlockId(block as u32))
    }
}

/// The address of a function: functions have the first object numbers.
fn function_address(f: FuncId) -> u64 {
    ObjectId(f.0 + 1).address()
}

/// The width in bytes that a value of this type takes among variadic arguments.
#[must_use]
pub(crate) fn variadic_size(ty: Type) -> (u64, u64) {
    match ty.bits() {
        0..=64 => (8, 8),
        bits => (u64::from(bits).div_ceil(64) * 8, 16),
    }
}
