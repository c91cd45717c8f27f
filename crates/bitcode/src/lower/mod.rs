//! LLVM modules to Rejoin's IR.
//!
//! Every LLVM value becomes a list of scalar *leaves*: one for a scalar, one per element of a
//! vector, one per scalar inside an aggregate. Taking values apart and putting them together again
//! is then only a matter of renaming; what remains are scalar instructions.
//!
//! What cannot be lowered is a [`Gap`]. It becomes `Inst::Unsupported` in the place of the
//! instruction, so that only the paths that get there end.

mod aggregates;
mod arithmetic;
mod asm;
mod calls;
mod constants;
mod control;
mod debug;
mod function;
mod globals;
mod intrinsics;
mod layout;
mod memory;
mod operator;
mod pool;
mod shape;

pub(crate) use intrinsics::libm_function;

use crate::Passes;
use crate::llvm::{DataLayout, Module, Ty, Value};
use layout::Layout;
use pool::Pool;
use rejoin_ir::{FuncId, Function, GlobalId, Param, Reg, TextId, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use shape::Shape;
use std::rc::Rc;

/// Something that the lowering has no words for.
#[derive(Debug)]
struct Gap(String);

impl<S: Into<String>> From<S> for Gap {
    fn from(text: S) -> Gap {
        Gap(text.into())
    }
}

/// The module under construction, and what is known about LLVM's.
struct Program {
    ir: rejoin_ir::Module,
    data: DataLayout,
    /// Make one block of blocks in a straight line.
    join_blocks: bool,
    /// Passes of the user's choice were run.
    speculates: bool,
    functions: FxHashMap<Value, FuncId>,
    globals: FxHashMap<Value, GlobalId>,
    by_name: FxHashMap<String, FuncId>,
    /// Functions that are defined here.
    has_body: FxHashSet<FuncId>,
    /// Functions with types that have no scalars: nothing is known about their parameters.
    odd_signatures: FxHashMap<FuncId, Gap>,
    pool: Pool,
    layouts: FxHashMap<Ty, Rc<Layout>>,
    shapes: FxHashMap<Value, Rc<Shape>>,
    texts: FxHashMap<String, TextId>,
    debug: debug::Tables,
    intrinsics: FxHashMap<Value, Option<intrinsics::Action>>,
}

/// Lowers a verified module.
pub(crate) fn lower(module: Module, passes: &Passes) -> rejoin_ir::Module {
    let mut program = Program {
        ir: rejoin_ir::Module::default(),
        data: module.data_layout(),
        join_blocks: *passes == Passes::Default,
        speculates: matches!(passes, Passes::List(_)),
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        by_name: FxHashMap::default(),
        has_body: FxHashSet::default(),
        odd_signatures: FxHashMap::default(),
        pool: Pool::default(),
        layouts: FxHashMap::default(),
        shapes: FxHashMap::default(),
        texts: FxHashMap::default(),
        debug: debug::Tables::default(),
        intrinsics: FxHashMap::default(),
    };
    let bodies = program.declare_functions(module);
    program.lower_globals(module);
    for (value, id) in bodies {
        program.lower_body(value, id);
    }
    program.finish()
}

impl Program {
    /// Enters all functions into the table; returns those with a body.
    fn declare_functions(&mut self, module: Module) -> Vec<(Value, FuncId)> {
        let mut bodies = Vec::new();
        for value in module.functions() {
            if value.intrinsic().is_some() {
                continue;
            }
            let id = self.declare(value);
            if !value.is_declaration() {
                bodies.push((value, id));
                self.has_body.insert(id);
            }
        }
        for value in module.ifuncs() {
            self.declare(value);
        }
        bodies
    }

    fn declare(&mut self, value: Value) -> FuncId {
        let id = FuncId(self.ir.functions.len() as u32);
        let name = value.name();
        let weak = value.linkage() == llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage;
        let mut function = Function { weak, loc: self.function_loc(value), ..Function::default() };
        if let Err(gap) = self.set_signature(&mut function, value.content_ty()) {
            function = Function { weak, loc: function.loc, ..Function::default() };
            self.odd_signatures.insert(id, gap);
        }
        function.name.clone_from(&name);
        self.ir.functions.push(function);
        self.functions.insert(value, id);
        if !name.is_empty() {
            self.by_name.insert(name, id);
        }
        id
    }

    fn set_signature(&mut self, function: &mut Function, ty: Ty) -> Result<(), Gap> {
        function.variadic = ty.is_variadic();
        function.rets = self.result_types(ty.result())?;
        for param in ty.params() {
            for &leaf in &self.layout(param)?.leaves {
                function.params.push(Param { ty: leaf, reg: Reg(function.slots) });
                function.slots += leaf.slots();
            }
        }
        Ok(())
    }

    /// Scalars of a result type, none for `void`.
    fn result_types(&mut self, ty: Ty) -> Result<Vec<Type>, Gap> {
        if ty.is_void() { Ok(Vec::new()) } else { Ok(self.layout(ty)?.leaves.clone()) }
    }

    /// The function of this name; declared with this signature if there is none.
    fn function_named(&mut self, name: &str, params: &[Type], rets: &[Type]) -> FuncId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = FuncId(self.ir.functions.len() as u32);
        let mut function = Function { name: name.to_owned(), rets: rets.to_vec(), ..Function::default() };
        for &ty in params {
            function.params.push(Param { ty, reg: Reg(function.slots) });
            function.slots += ty.slots();
        }
        self.ir.functions.push(function);
        self.by_name.insert(name.to_owned(), id);
        id
    }

    fn text(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.texts.get(text) {
            return id;
        }
        let id = TextId(self.ir.texts.len() as u32);
        self.ir.texts.push(text.to_owned());
        self.texts.insert(text.to_owned(), id);
        id
    }

    /// Order and numbers of a function's blocks.
    fn shape(&mut self, function: Value) -> Rc<Shape> {
        let join = self.join_blocks;
        self.shapes.entry(function).or_insert_with(|| Rc::new(Shape::of(function, join))).clone()
    }

    fn finish(mut self) -> rejoin_ir::Module {
        self.ir.consts = self.pool.consts;
        // A terminator that turned out to be a gap may have left edges behind.
        self.ir.canonicalize();
        self.ir
    }
}
