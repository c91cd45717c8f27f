//! Making modules by hand: tables that intern their entries, blocks that can be filled in any
//! order.

use crate::canonical::extend;
use crate::index::{Index, Symbol};
use crate::{
    Address, Arg, BinOp, Block, BlockId, Callee, Const, ConstId, Copy, DebugVar, DebugVarPlace, Edge, EdgeId,
    FileId, FuncId, Function, Global, GlobalId, Inst, IntPred, Loc, LocId, Module, Operand, Param, Range,
    Reg, Switch, TextId, Type,
};

/// Makes a module. Constants, locations, files and texts are kept once.
#[derive(Clone, Debug, Default)]
pub struct ModuleBuilder {
    module: Module,
    index: Index,
}

impl ModuleBuilder {
    /// An empty module.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The constant with these bits, of at most 64 bits.
    pub fn constant(&mut self, bits: u64) -> Operand {
        self.words(&[Const::Bits(bits)])
    }

    /// The constant with these words, least significant first.
    pub fn wide_constant(&mut self, words: &[u64]) -> Operand {
        let words: Vec<Const> = words.iter().copied().map(Const::Bits).collect();
        self.words(&words)
    }

    /// An address.
    pub fn address(&mut self, address: Address) -> Operand {
        self.words(&[Const::Address(address)])
    }

    /// No particular value of `w` bits.
    pub fn undef(&mut self, w: u16) -> Operand {
        self.words(&vec![Const::Undef; Type::Int(w).slots() as usize])
    }

    /// The constant made of these entries of the pool.
    pub fn words(&mut self, words: &[Const]) -> Operand {
        Operand::constant(self.const_id(words))
    }

    /// Like [`ModuleBuilder::words`], as an id.
    pub fn const_id(&mut self, words: &[Const]) -> ConstId {
        self.index.intern_const(&mut self.module, words)
    }

    /// A string of the module.
    pub fn text(&mut self, text: &str) -> TextId {
        self.index.intern_text(&mut self.module, text)
    }

    /// A source file.
    pub fn file(&mut self, path: &str) -> FileId {
        self.index.intern_file(&mut self.module, path)
    }

    /// A source location.
    pub fn loc(&mut self, file: FileId, line: u32, col: u32) -> LocId {
        self.index.intern_loc(&mut self.module, Loc { file, line, col })
    }

    /// Adds a global.
    pub fn global(&mut self, global: Global) -> GlobalId {
        let id = GlobalId(self.module.globals.len() as u32);
        self.index.name(&global.name, Symbol::Global(id));
        self.module.globals.push(global);
        id
    }

    /// Adds a function, with or without body.
    pub fn function(&mut self, function: Function) -> FuncId {
        let id = FuncId(self.module.functions.len() as u32);
        self.index.name(&function.name, Symbol::Function(id));
        self.module.functions.push(function);
        id
    }

    /// Replaces a function, say a declaration by its definition. The name has to stay.
    pub fn define(&mut self, id: FuncId, function: Function) {
        debug_assert_eq!(self.module.functions[id.index()].name, function.name);
        self.module.functions[id.index()] = function;
    }

    /// Functions to call before and after `main`.
    pub fn constructors(&mut self, constructors: Vec<FuncId>, destructors: Vec<FuncId>) {
        self.module.constructors = constructors;
        self.module.destructors = destructors;
    }

    /// The module so far.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module.
    #[must_use]
    pub fn finish(self) -> Module {
        self.module
    }
}

/// Makes a function. Instructions go to the end of the current block, with the current location
/// and weight.
#[derive(Clone, Debug, Default)]
pub struct FunctionBuilder {
    f: Function,
    blocks: Vec<OpenBlock>,
    current: usize,
    loc: LocId,
    weight: u16,
}

#[derive(Clone, Debug, Default)]
struct OpenBlock {
    name: Option<TextId>,
    insts: Vec<(Inst, LocId, u16)>,
}

impl FunctionBuilder {
    /// A function with these results; without blocks it stays a declaration.
    #[must_use]
    pub fn new(name: &str, rets: &[Type]) -> Self {
        let f = Function { name: name.to_owned(), rets: rets.to_vec(), ..Function::default() };
        FunctionBuilder { f, weight: 1, ..FunctionBuilder::default() }
    }

    /// Adds a parameter. Parameters come before registers.
    pub fn param(&mut self, ty: Type) -> Reg {
        let reg = self.reg(ty.bits());
        self.f.params.push(Param { ty, reg });
        reg
    }

    /// Makes it variadic.
    pub fn variadic(&mut self) -> &mut Self {
        self.f.variadic = true;
        self
    }

    /// Makes it weak.
    pub fn weak(&mut self) -> &mut Self {
        self.f.weak = true;
        self
    }

    /// Where it is defined.
    pub fn defined_at(&mut self, loc: LocId) -> &mut Self {
        self.f.loc = loc;
        self
    }

    /// A fresh register of that width.
    pub fn reg(&mut self, w: u16) -> Reg {
        let reg = Reg(self.f.slots);
        self.f.slots += Type::Int(w).slots();
        reg
    }

    /// A source variable.
    pub fn debug_var(&mut self, name: TextId, place: DebugVarPlace, line: u32) {
        self.f.debug_vars.push(DebugVar { name, place, line });
    }

    /// A new block; the first one is the entry and the current block.
    pub fn block(&mut self, name: Option<TextId>) -> BlockId {
        self.blocks.push(OpenBlock { name, insts: Vec::new() });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Makes `block` the current one.
    pub fn switch_to(&mut self, block: BlockId) -> &mut Self {
        self.current = block.index();
        self
    }

    /// The location of instructions from now on.
    pub fn at(&mut self, loc: LocId) -> &mut Self {
        self.loc = loc;
        self
    }

    /// The weight of instructions from now on.
    pub fn weight(&mut self, weight: u16) -> &mut Self {
        self.weight = weight;
        self
    }

    /// Appends an instruction to the current block.
    pub fn push(&mut self, inst: Inst) -> &mut Self {
        self.blocks[self.current].insts.push((inst, self.loc, self.weight));
        self
    }

    /// Appends the instruction that `make` makes for a fresh result of that width.
    pub fn result(&mut self, w: u16, make: impl FnOnce(Reg) -> Inst) -> Operand {
        let dst = self.reg(w);
        self.push(make(dst));
        Operand::reg(dst)
    }

    /// `a op b`
    pub fn bin(&mut self, op: BinOp, w: u16, a: Operand, b: Operand) -> Operand {
        self.result(w, |dst| Inst::Bin { op, w, dst, a, b })
    }

    /// `a pred b`
    pub fn cmp(&mut self, pred: IntPred, w: u16, a: Operand, b: Operand) -> Operand {
        self.result(1, |dst| Inst::Cmp { pred, w, dst, a, b })
    }

    /// A load.
    pub fn load(&mut self, w: u16, addr: Operand) -> Operand {
        self.result(w, |dst| Inst::Load { w, dst, addr })
    }

    /// A store.
    pub fn store(&mut self, w: u16, value: Operand, addr: Operand) -> &mut Self {
        self.push(Inst::Store { w, value, addr })
    }

    /// An alloca of `count` elements of `size` bytes.
    pub fn alloca(&mut self, size: u32, align: u32, count: Operand) -> Operand {
        self.result(64, |dst| Inst::Alloca { dst, size, align, count })
    }

    /// A call; the register is that of the first result.
    pub fn call(&mut self, callee: Callee, args: &[Arg], rets: &[Type]) -> Reg {
        let args = extend(&mut self.f.args, args);
        let range = extend(&mut self.f.types, rets);
        let dst = if rets.is_empty() { Reg(0) } else { Reg(self.f.slots) };
        for ty in rets {
            self.reg(ty.bits());
        }
        self.push(Inst::Call { callee, dst, args, rets: range });
        dst
    }

    /// An edge for a terminator.
    pub fn edge(&mut self, target: BlockId, copies: &[Copy]) -> EdgeId {
        let copies = extend(&mut self.f.copies, copies);
        self.f.edges.push(Edge { target, copies });
        EdgeId(self.f.edges.len() as u32 - 1)
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, target: BlockId, copies: &[Copy]) {
        let edge = self.edge(target, copies);
        self.push(Inst::Jump { edge });
    }

    /// Ends the block with a branch without copies.
    pub fn branch(&mut self, cond: Operand, then: BlockId, els: BlockId) {
        let (then, els) = (self.edge(then, &[]), self.edge(els, &[]));
        self.push(Inst::Branch { cond, then, els });
    }

    /// Ends the block with a switch; the cases may come in any order.
    pub fn switch(&mut self, w: u16, value: Operand, mut cases: Vec<(u128, EdgeId)>, default: EdgeId) {
        cases.sort_by_key(|&(value, _)| value);
        self.f.switches.push(Switch { cases, default });
        self.push(Inst::Switch { w, value, table: self.f.switches.len() as u32 - 1 });
    }

    /// Ends the block with a jump to one of these edges.
    pub fn indirect_jump(&mut self, addr: Operand, edges: &[EdgeId]) {
        let edges = extend(&mut self.f.indirect, edges);
        self.push(Inst::IndirectJump { addr, edges });
    }

    /// Ends the block with a return.
    pub fn ret(&mut self, values: &[Arg]) {
        let values = extend(&mut self.f.args, values);
        self.push(Inst::Return { values });
    }

    /// The function, in canonical layout.
    #[must_use]
    pub fn finish(mut self) -> Function {
        for block in self.blocks {
            let start = self.f.insts.len() as u32;
            let insts = Range { start, len: block.insts.len() as u32 };
            self.f.blocks.push(Block { insts, name: block.name });
            for (inst, loc, weight) in block.insts {
                self.f.insts.push(inst);
                self.f.locs.push(loc);
                self.f.weights.push(weight);
            }
        }
        self.f.canonicalize();
        self.f
    }
}

impl Arg {
    /// An argument passed by value.
    #[must_use]
    pub fn new(ty: Type, value: Operand) -> Self {
        Arg { value, ty, byval_size: 0, byval_align: 0 }
    }
}
