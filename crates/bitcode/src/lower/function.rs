//! The body of one function: registers, blocks, and the book-keeping around each instruction.

use super::shape::Shape;
use super::{Gap, Program};
use crate::llvm::{Block, Value};
use llvm_sys::LLVMOpcode as Op;
use rejoin_ir::{Block as IrBlock, Const, EdgeId, FuncId, Function, Inst, LocId, Operand, Range, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The leaves of a value: a range of [`Body::leaves`].
pub(super) type Leaves = Range;

/// A function body under construction.
pub(super) struct Body<'p> {
    pub(super) p: &'p mut Program,
    pub(super) id: FuncId,
    pub(super) f: Function,
    pub(super) shape: Rc<Shape>,
    values: FxHashMap<Value, Leaves>,
    /// The leaves of all values.
    pub(super) leaves: Vec<Operand>,
    /// Location of the instruction being lowered.
    loc: LocId,
    /// LLVM instructions met since the last instruction was emitted.
    weight: u32,
    /// The block being lowered: where the edges come from.
    pub(super) current: Block,
    /// The block has ended before its terminator.
    pub(super) ended: bool,
    /// Edges that the current terminator already has.
    pub(super) edges_here: FxHashMap<Block, EdgeId>,
    /// Phi operands by (predecessor, block), in the order of the block's phis.
    pub(super) incoming: FxHashMap<(Block, Block), Vec<Value>>,
    /// Phis of the blocks that have some.
    pub(super) phis: FxHashMap<Block, Vec<Value>>,
    /// Room for arguments passed by value, by call and argument.
    pub(super) by_value: FxHashMap<(Value, u32), Operand>,
    pub(super) variables_seen: FxHashSet<(u32, (bool, u32))>,
    pub(super) has_debug_info: bool,
    /// An optimiser was here: what has no effect may be computed in vain.
    pub(super) is_optimised: bool,
}

impl Program {
    /// Lowers the body of a function.
    pub(super) fn lower_body(&mut self, function: Value, id: FuncId) {
        let f = std::mem::take(&mut self.ir.functions[id.index()]);
        let shape = self.shape(function);
        let is_optimised = self.speculates || function.is_optimised();
        let mut body = Body {
            p: self,
            id,
            f,
            current: shape.chains[0][0],
            shape,
            values: FxHashMap::default(),
            leaves: Vec::new(),
            loc: LocId::NONE,
            weight: 0,
            ended: false,
            edges_here: FxHashMap::default(),
            incoming: FxHashMap::default(),
            phis: FxHashMap::default(),
            by_value: FxHashMap::default(),
            variables_seen: FxHashSet::default(),
            has_debug_info: function.subprogram().is_some(),
            is_optimised,
        };
        match body.p.odd_signatures.remove(&id) {
            None => {
                body.enter_params(function);
                body.lower_blocks();
            }
            Some(gap) => body.lower_nothing(&gap),
        }
        let f = body.f;
        self.ir.functions[id.index()] = f;
    }
}

impl Body<'_> {
    fn enter_params(&mut self, function: Value) {
        let mut regs: Vec<Reg> = self.f.params.iter().map(|p| p.reg).collect();
        regs.reverse();
        for param in function.params() {
            let count = self.p.layout(param.ty()).map_or(0, |l| l.leaves.len());
            let start = self.leaves.len();
            self.leaves.extend((0..count).filter_map(|_| regs.pop()).map(Operand::reg));
            let leaves = self.since(start);
            self.values.insert(param, leaves);
            self.note_name(param);
        }
    }

    fn lower_blocks(&mut self) {
        let shape = self.shape.clone();
        for chain in &shape.chains {
            self.enter_phis(chain[0]);
        }
        for (index, chain) in shape.chains.iter().enumerate() {
            let start = self.f.insts.len() as u32;
            if index == 0 {
                self.make_room_for_by_value(&shape);
            }
            self.lower_chain(chain);
            let len = self.f.insts.len() as u32 - start;
            let name = chain[0].name();
            let name = (!name.is_empty()).then(|| self.p.text(&name));
            self.f.blocks.push(IrBlock { insts: Range { start, len }, name });
        }
        if shape.has_dead {
            let start = self.f.insts.len() as u32;
            self.loc = LocId::NONE;
            self.emit(Inst::Unreachable);
            self.f.blocks.push(IrBlock { insts: Range { start, len: 1 }, name: None });
        }
    }

    /// A body that cannot be entered.
    fn lower_nothing(&mut self, gap: &Gap) {
        self.unsupported(gap);
        self.emit(Inst::Unreachable);
        self.f.blocks.push(IrBlock { insts: Range { start: 0, len: 2 }, name: None });
    }

    /// Gives the phis of a block their registers, and sorts their operands by predecessor.
    fn enter_phis(&mut self, block: Block) {
        let mut phis: Vec<Value> = Vec::new();
        for phi in block.instructions().take_while(|i| i.opcode() == Op::LLVMPHI) {
            for (from, value) in phi.incoming() {
                let values = self.incoming.entry((from, block)).or_default();
                // A switch may lead here more than once, always with the same values.
                if values.len() == phis.len() {
                    values.push(value);
                }
            }
            let types = self.p.layout(phi.ty()).map_or_else(|_| Vec::new(), |l| l.leaves.clone());
            let leaves = self.fresh(&types);
            self.values.insert(phi, leaves);
            self.note_name(phi);
            phis.push(phi);
        }
        if !phis.is_empty() {
            self.phis.insert(block, phis);
        }
    }

    fn lower_chain(&mut self, chain: &[Block]) {
        for (i, &block) in chain.iter().enumerate() {
            let is_last = i + 1 == chain.len();
            let previous = self.current;
            self.current = block;
            self.edges_here.clear();
            for instruction in block.instructions() {
                self.note_variables(instruction);
                let is_terminator = Some(instruction) == block.terminator();
                if is_terminator && !is_last {
                    break;
                }
                self.weight += 1;
                self.loc = self.p.loc(instruction.debug_location());
                if instruction.opcode() == Op::LLVMPHI {
                    if i > 0 {
                        self.rename_phi(instruction, previous);
                    }
                    continue;
                }
                if self.lower_instruction(instruction, is_terminator) {
                    return;
                }
            }
        }
    }

    /// A phi with one predecessor that runs straight into it is only a name.
    fn rename_phi(&mut self, phi: Value, from: Block) {
        let value = phi.incoming().find(|(block, _)| *block == from).map(|(_, value)| value);
        let leaves = value.ok_or_else(|| "a phi without a value".into()).and_then(|v| self.operands(v));
        self.define(phi, leaves);
        self.note_name(phi);
    }

    /// Lowers one instruction; tells whether the block ends here.
    fn lower_instruction(&mut self, instruction: Value, is_terminator: bool) -> bool {
        if is_terminator {
            if let Err(gap) = self.terminator(instruction) {
                self.unsupported(&gap);
                self.emit(Inst::Unreachable);
            }
            return true;
        }
        let leaves = self.operator(instruction.opcode(), instruction);
        self.define(instruction, leaves);
        if instruction.opcode() == Op::LLVMAlloca {
            self.note_name(instruction);
        }
        std::mem::take(&mut self.ended)
    }

    /// Binds a value to its leaves; a gap leaves an `Unsupported` and undefined leaves.
    pub(super) fn define(&mut self, value: Value, leaves: Result<Leaves, Gap>) {
        let leaves = leaves.unwrap_or_else(|gap| {
            self.unsupported(&gap);
            let types = self.p.layout(value.ty()).map_or_else(|_| Vec::new(), |l| l.leaves.clone());
            let start = self.leaves.len();
            for ty in types {
                let undef = self.p.pooled(super::constants::Scalar::Undef, ty);
                self.leaves.push(undef);
            }
            self.since(start)
        });
        self.values.insert(value, leaves);
    }

    fn unsupported(&mut self, gap: &Gap) {
        let what = self.p.text(&gap.0);
        self.emit(Inst::Unsupported { what });
    }

    /// Appends an instruction; it stands for all LLVM instructions since the last one.
    pub(super) fn emit(&mut self, inst: Inst) {
        self.f.insts.push(inst);
        self.f.locs.push(self.loc);
        self.f.weights.push(u16::try_from(self.weight).unwrap_or(u16::MAX));
        self.weight = 0;
    }

    /// A new register.
    pub(super) fn reg(&mut self, ty: Type) -> Reg {
        let reg = Reg(self.f.slots);
        self.f.slots += ty.slots();
        reg
    }

    /// New registers, one after the other.
    pub(super) fn fresh(&mut self, types: &[Type]) -> Leaves {
        let start = self.leaves.len();
        for &ty in types {
            let reg = self.reg(ty);
            self.leaves.push(Operand::reg(reg));
        }
        self.since(start)
    }

    /// All leaves from `start` on.
    pub(super) fn since(&self, start: usize) -> Leaves {
        Range { start: start as u32, len: (self.leaves.len() - start) as u32 }
    }

    /// One leaf as a list.
    pub(super) fn one(&mut self, operand: Operand) -> Leaves {
        self.leaves.push(operand);
        self.since(self.leaves.len() - 1)
    }

    /// No leaves.
    pub(super) fn none() -> Leaves {
        Range::default()
    }

    /// Leaf `index` of a list.
    pub(super) fn leaf(&self, leaves: Leaves, index: usize) -> Operand {
        self.leaves[leaves.start as usize..][..leaves.len as usize][index]
    }

    /// The leaves of a value.
    pub(super) fn operands(&mut self, value: Value) -> Result<Leaves, Gap> {
        if let Some(&leaves) = self.values.get(&value) {
            return Ok(leaves);
        }
        if !value.is_constant() {
            return Err(format!("the value {}", value.text()).into());
        }
        let mut scalars = Vec::new();
        if let Err(gap) = self.p.leaves_of(value, &mut scalars) {
            return self.computed_constant(value, gap);
        }
        let start = self.leaves.len();
        for (scalar, ty) in scalars {
            let operand = self.p.pooled(scalar, ty);
            self.leaves.push(operand);
        }
        let leaves = self.since(start);
        self.values.insert(value, leaves);
        Ok(leaves)
    }

    /// The only leaf of a scalar value.
    pub(super) fn operand(&mut self, value: Value) -> Result<Operand, Gap> {
        let leaves = self.operands(value)?;
        if leaves.len == 1 { Ok(self.leaf(leaves, 0)) } else { Err("an aggregate used as a scalar".into()) }
    }

    /// The register of a scalar value, if it is already known and in one.
    pub(super) fn known_register(&self, value: Value) -> Option<Reg> {
        let leaves = *self.values.get(&value)?;
        if leaves.len == 1 { self.leaf(leaves, 0).as_reg() } else { None }
    }

    /// A constant that takes instructions to compute, here and now.
    fn computed_constant(&mut self, value: Value, gap: Gap) -> Result<Leaves, Gap> {
        use crate::llvm::ValueKind;
        match value.kind() {
            ValueKind::Expression => self.operator(value.expression_opcode(), value),
            ValueKind::Aggregate => {
                let mut all = Vec::new();
                for i in 0..value.ty().len() as u32 {
                    let element = value.element(i).ok_or("an unknown kind of constant")?;
                    let leaves = self.operands(element)?;
                    all.extend_from_slice(&self.leaves[leaves.indices()]);
                }
                let start = self.leaves.len();
                self.leaves.extend(all);
                Ok(self.since(start))
            }
            _ => Err(gap),
        }
    }

    /// A constant of at most 64 bits.
    pub(super) fn bits(&mut self, value: u64) -> Operand {
        Operand::constant(self.p.pool.one(Const::Bits(value)))
    }

    /// The value of an operand that is a plain constant of one slot.
    pub(super) fn known_bits(&self, operand: Operand) -> Option<u64> {
        match self.p.pool.consts[operand.as_const()?.index()] {
            Const::Bits(b) => Some(b),
            _ => None,
        }
    }
}
