//! Walks over all blocks and expressions of a program, to count, rewrite or shrink them.

use super::{Block, BufferOp, Expr, Fault, HeapOp, Place, Program, Stmt, TextOp, WorldOp};

impl Program {
    /// Calls `f` on every block, outer ones first.
    pub fn each_block(&mut self, f: &mut dyn FnMut(&mut Block)) {
        for function in &mut self.functions {
            block_blocks(&mut function.body, f);
        }
    }

    /// Calls `f` on every expression, outer ones first.
    pub fn each_expr(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        for expr in &mut self.assumptions {
            expr_exprs(expr, f);
        }
        for function in &mut self.functions {
            block_exprs(&mut function.body, f);
            expr_exprs(&mut function.result, f);
        }
    }

    /// Calls `f` on every statement, outer ones first.
    pub fn each_stmt(&mut self, f: &mut dyn FnMut(&mut Stmt)) {
        self.each_block(&mut |block| block.iter_mut().for_each(&mut *f));
    }
}

impl Stmt {
    /// The blocks directly inside of a statement.
    pub fn blocks(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::If(_, first, second)
            | Stmt::Enter { first, second, .. }
            | Stmt::ChosenJump { first, second, .. } => vec![first, second],
            Stmt::Loop { body, .. } | Stmt::Skip(_, body) | Stmt::Again { body, .. } => vec![body],
            Stmt::Switch { arms, default, .. } => {
                arms.iter_mut().map(|arm| &mut arm.body).chain([default]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The expressions directly inside of a statement, those of its places included.
    fn exprs(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Assign(to, value) => with_place(to, [value]),
            Stmt::If(when, ..)
            | Stmt::Break(when)
            | Stmt::Continue(when)
            | Stmt::Skip(when, _)
            | Stmt::Again { when, .. }
            | Stmt::Enter { when, .. }
            | Stmt::Exit(when, _)
            | Stmt::ChosenJump { when, .. }
            | Stmt::Assume(when) => vec![when],
            Stmt::Loop { bound, .. } => bound.iter_mut().collect(),
            Stmt::Switch { on, .. } => vec![on],
            Stmt::Call { to, depth, args, .. } => with_place(to, args.iter_mut().chain([depth])),
            Stmt::CallTable { to, select, args, .. } => with_place(to, args.iter_mut().chain([select])),
            Stmt::Walk { to, from, end, .. } => with_place(to, [from, end]),
            Stmt::Mix(_, to, from, value) => vec![to, from, value],
            Stmt::Recur { to, args } | Stmt::Variadic { to, args } => with_place(to, args.iter_mut()),
            Stmt::Return(when, value) | Stmt::CopyRecord(_, when, value) => vec![when, value],
            Stmt::Out { value, .. } => vec![value],
            Stmt::OutText(_) | Stmt::Swap(..) => Vec::new(),
            Stmt::Through { which, value, .. } => vec![which, value],
            Stmt::ChosenFloat { to, one, two } => with_place(to, [one, two]),
            Stmt::ChosenCall { to, one, two, args, .. } => with_place(to, args.iter_mut().chain([one, two])),
            Stmt::Text(op) => text_exprs(op),
            Stmt::Heap(op) => heap_exprs(op),
            Stmt::Buffer(op) => buffer_exprs(op),
            Stmt::World(op) => world_exprs(op),
            Stmt::Fault(fault) => fault_exprs(fault),
        }
    }
}

fn with_place<'a>(place: &'a mut Place, rest: impl IntoIterator<Item = &'a mut Expr>) -> Vec<&'a mut Expr> {
    place_index(place).into_iter().chain(rest).collect()
}

fn place_index(place: &mut Place) -> Option<&mut Expr> {
    match place {
        Place::Local(_) | Place::Param(_) | Place::Global(_) => None,
        Place::LocalElem(_, index)
        | Place::GlobalElem(_, index)
        | Place::Field(_, index, _)
        | Place::Part(_, index) => Some(index),
    }
}

fn text_exprs(op: &mut TextOp) -> Vec<&mut Expr> {
    match op {
        TextOp::Put(_, one, two) | TextOp::Fill(_, one, two) => vec![one, two],
        TextOp::Copy(_, _, length) => vec![length],
        TextOp::Set(..) | TextOp::Slide(..) => Vec::new(),
        TextOp::Find(to, _, value) => with_place(to, [value]),
        TextOp::Length(to, _)
        | TextOp::Compare(to, ..)
        | TextOp::CompareBytes(to, ..)
        | TextOp::Hash(to, _)
        | TextOp::Number(to, _) => with_place(to, []),
    }
}

fn buffer_exprs(op: &mut BufferOp) -> Vec<&mut Expr> {
    match op {
        BufferOp::Span { to, from, len, .. } => with_place(to, from.iter_mut().chain(len)),
        BufferOp::SpanBack { to, .. } => with_place(to, []),
        BufferOp::Map { to, len, .. } => with_place(to, [len]),
        BufferOp::Block { to, size, len, index, .. } => with_place(to, len.iter_mut().chain([size, index])),
    }
}

fn heap_exprs(op: &mut HeapOp) -> Vec<&mut Expr> {
    match op {
        HeapOp::Push(value) | HeapOp::Insert(value) | HeapOp::Remove(value) | HeapOp::Grow(value) => {
            vec![value]
        }
        HeapOp::Pop(to) | HeapOp::Sum(to) => with_place(to, []),
        HeapOp::Depth(to, value) => with_place(to, [value]),
        HeapOp::Reverse => Vec::new(),
    }
}

fn world_exprs(op: &mut WorldOp) -> Vec<&mut Expr> {
    match op {
        WorldOp::Get { to, .. }
        | WorldOp::Size { to, .. }
        | WorldOp::Exists { to }
        | WorldOp::Length { to, .. }
        | WorldOp::Equals { to, .. }
        | WorldOp::Number { to, .. } => with_place(to, []),
        WorldOp::Put { value, .. } | WorldOp::Say { value, .. } => vec![value],
        WorldOp::Seek { at, .. } | WorldOp::Truncate { size: at } => vec![at],
        WorldOp::Back { to, at, .. } => with_place(to, [at]),
        WorldOp::Pipe { to, value } => with_place(to, [value]),
        WorldOp::Remove { when } => vec![when],
    }
}

fn fault_exprs(fault: &mut Fault) -> Vec<&mut Expr> {
    match fault {
        Fault::Load { index, to, .. } => with_place(to, [index]),
        Fault::Store { index, value, .. } => vec![index, value],
        Fault::Null { when, value, .. }
        | Fault::AfterFree { when, value, .. }
        | Fault::NullCall { when, value } => vec![when, value],
        Fault::DoubleFree { when }
        | Fault::BadFree { when, .. }
        | Fault::MinByMinusOne { when, .. }
        | Fault::Constant { when }
        | Fault::Unreachable { when }
        | Fault::Abort { when }
        | Fault::Report { when } => vec![when],
        Fault::Divide { left, right, .. } => vec![left, right],
        Fault::Shift { value, amount, .. } => vec![value, amount],
        Fault::Assert { holds } => vec![holds],
    }
}

impl Expr {
    /// The direct operands.
    pub fn operands(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Const(..) | Expr::Input(_) | Expr::Counter(_) => Vec::new(),
            Expr::Read(place) => place_index(place).into_iter().collect(),
            Expr::Un(_, _, a) | Expr::LogicNot(a) | Expr::Cast(_, a) => vec![a],
            Expr::Bin(_, _, a, b) | Expr::Cmp(_, _, a, b) | Expr::Logic(_, a, b) => vec![a, b],
            Expr::Cond(_, c, a, b) => vec![c, a, b],
        }
    }
}

fn block_blocks(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    f(block);
    for stmt in block {
        for inner in stmt.blocks() {
            block_blocks(inner, f);
        }
    }
}

fn block_exprs(block: &mut Block, f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        for expr in stmt.exprs() {
            expr_exprs(expr, f);
        }
        for inner in stmt.blocks() {
            block_exprs(inner, f);
        }
    }
}

fn expr_exprs(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    f(expr);
    for operand in expr.operands() {
        expr_exprs(operand, f);
    }
}
