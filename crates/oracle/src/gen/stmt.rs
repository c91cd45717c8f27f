//! Random statements.

use super::Gen;
use crate::ast::*;
use crate::feature::Feature;

/// Strings that fit into every buffer.
pub(super) const LITERALS: &[&str] = &["", "a", "ab", "0", "42", "7x", "abc", "ABC", "zz", "-1"];

#[derive(Clone, Copy)]
enum Kind {
    Assign,
    Swap,
    If,
    Loop,
    Switch,
    Jump,
    Call,
    Return,
    Exit,
    Assume,
    Out,
    Text,
    Heap,
    Walk,
    Variadic,
    Record,
    Buffer,
    Fault,
    Break,
    Continue,
    ChosenFloat,
    ChosenCall,
    ChosenJump,
    World,
}

impl Gen {
    pub(super) fn block(&mut self, statements: usize) -> Block {
        (0..self.rng.range(statements.div_ceil(2), statements)).map(|_| self.stmt()).collect()
    }

    /// A block one level further in.
    fn inner(&mut self, rounds: usize) -> Block {
        let outer = self.scope;
        self.scope.depth += 1;
        self.scope.rounds += rounds;
        let block = self.block(3);
        self.scope = super::Scope { counters: self.scope.counters, ..outer };
        block
    }

    fn stmt(&mut self) -> Stmt {
        let deep = usize::from(self.scope.depth < 3);
        let loops = usize::from(self.scope.rounds < 2) * deep;
        let main = usize::from(self.function == 0);
        let table = [
            (12, Kind::Assign),
            (1 + 4 * self.scope.rounds, Kind::Swap),
            (5 * deep, Kind::If),
            (self.if_has(Feature::Loops, 5 * loops), Kind::Loop),
            (self.if_has(Feature::Switch, 3 * deep), Kind::Switch),
            (self.if_has(Feature::Goto, 3 * loops), Kind::Jump),
            (if self.can_call() { 4 } else { 0 }, Kind::Call),
            (1, Kind::Return),
            (1, Kind::Exit),
            (main, Kind::Assume),
            (1 + 3 * main, Kind::Out),
            (self.if_has(Feature::Strings, 5), Kind::Text),
            (self.if_has(Feature::Heap, 5), Kind::Heap),
            (self.if_has(Feature::Index, 2), Kind::Walk),
            (self.if_has(Feature::Calls, 1), Kind::Variadic),
            (self.if_has(Feature::Records, 3), Kind::Record),
            (self.if_has(Feature::Buffers, 16), Kind::Buffer),
            (self.if_has(Feature::Errors, 3), Kind::Fault),
            (if self.scope.in_loop { 3 } else { usize::from(self.scope.in_switch) }, Kind::Break),
            (if self.scope.in_loop { 2 } else { 0 }, Kind::Continue),
            (self.if_has(Feature::Chosen, 4), Kind::ChosenFloat),
            (self.if_has(Feature::Chosen, if self.can_choose_callee() { 4 } else { 0 }), Kind::ChosenCall),
            (self.if_has(Feature::Chosen, 3 * deep), Kind::ChosenJump),
            (self.if_has(Feature::World, 16), Kind::World),
        ];
        match self.rng.weighted(&table) {
            Kind::Assign => Stmt::Assign(self.place(), self.expr(3)),
            Kind::Swap => self.swap(),
            Kind::If => {
                let (when, yes) = (self.condition(), self.inner(0));
                let no = if self.rng.one_in(2) { self.inner(0) } else { Vec::new() };
                Stmt::If(when, yes, no)
            }
            Kind::Loop => self.looping(),
            Kind::Switch => self.switch(),
            Kind::Jump => self.jump(),
            Kind::Call => self.call(),
            Kind::Return => Stmt::Return(self.rare(), self.expr(2)),
            Kind::Exit => Stmt::Exit(self.rare(), self.rng.range(0, 255) as u8),
            Kind::Assume => Stmt::Assume(Expr::LogicNot(Box::new(self.rare()))),
            Kind::Out => self.out(),
            Kind::Text => self.text(),
            Kind::Heap => self.heap(),
            Kind::Walk => self.walk(),
            Kind::Variadic => {
                let args = (0..self.rng.below(4)).map(|_| self.expr(2)).collect();
                Stmt::Variadic { to: self.place(), args }
            }
            Kind::Record => self.record(),
            Kind::Buffer => self.buffer(),
            Kind::Fault => Stmt::Fault(self.fault()),
            Kind::Break => Stmt::Break(self.condition()),
            Kind::Continue => Stmt::Continue(self.condition()),
            Kind::ChosenFloat => {
                Stmt::ChosenFloat { to: self.place(), one: self.condition(), two: self.condition() }
            }
            Kind::ChosenCall => {
                let args = self.args(self.program.tables[0][0]);
                let (one, two) = (self.condition(), self.condition());
                Stmt::ChosenCall { to: self.place(), table: 0, one, two, args }
            }
            Kind::ChosenJump => {
                Stmt::ChosenJump { when: self.condition(), first: self.inner(0), second: self.inner(0) }
            }
            Kind::World => self.world(),
        }
    }

    /// Exchanges two locals of one type; in a loop, these are values that trade places on its edge.
    fn swap(&mut self) -> Stmt {
        let locals = &mut self.program.functions[self.function].locals;
        let one = self.rng.below(locals.len());
        let ty = locals[one].ty;
        let others: Vec<usize> = (0..locals.len()).filter(|&i| i != one && locals[i].ty == ty).collect();
        if !others.is_empty() {
            return Stmt::Swap(one, self.rng.pick(&others));
        }
        locals.push(Scalar { ty, init: ty.cut(locals[one].init.wrapping_add(1)) });
        Stmt::Swap(one, locals.len() - 1)
    }

    fn counter(&mut self) -> usize {
        self.scope.counters += 1;
        self.scope.counters - 1
    }

    fn looping(&mut self) -> Stmt {
        let form = self.rng.pick(&[Form::For, Form::For, Form::While, Form::Do]);
        // The bound is made first: it may not read the counter that the condition changes.
        let bound = self.rng.one_in(3).then(|| self.expr(1));
        let (counter, limit) = (self.counter(), self.rng.range(1, 6) as u32);
        let outer = self.scope.in_loop;
        self.scope.in_loop = true;
        let body = self.inner(1);
        self.scope.in_loop = outer;
        Stmt::Loop { form, counter, limit, bound, body }
    }

    fn switch(&mut self) -> Stmt {
        let (on, mask) = (self.expr(2), self.rng.pick(&[7, 15, 31, 255]));
        let (mut arms, mut next) = (Vec::new(), 0usize);
        let outer = self.scope.in_switch;
        self.scope.in_switch = true;
        for _ in 0..self.rng.range(1, 4) {
            let low = next + self.rng.below(4);
            let high = low + if self.rng.one_in(3) { self.rng.range(1, 3) } else { 0 };
            if high > 255 {
                break;
            }
            next = high + 1;
            arms.push(Arm {
                labels: (low as u8, high as u8),
                body: self.inner(0),
                falls: self.rng.one_in(3),
            });
        }
        let default = if self.rng.one_in(2) { self.inner(0) } else { Vec::new() };
        self.scope.in_switch = outer;
        Stmt::Switch { on, mask, arms, default }
    }

    fn jump(&mut self) -> Stmt {
        // Inside of a cycle made of jumps, `break` and `continue` belong to the loop around it.
        match self.rng.below(3) {
            0 => Stmt::Skip(self.condition(), self.inner(0)),
            1 => {
                let (counter, limit) = (self.counter(), self.rng.range(2, 4) as u32);
                Stmt::Again { counter, limit, when: self.condition(), body: self.inner(1) }
            }
            _ => {
                let (counter, limit) = (self.counter(), self.rng.range(2, 3) as u32);
                let when = self.condition();
                Stmt::Enter { counter, limit, when, first: self.inner(1), second: self.inner(1) }
            }
        }
    }

    fn can_call(&self) -> bool {
        let this = &self.program.functions[self.function];
        let later = self.function + 1 < self.program.functions.len() && !self.in_table();
        self.scope.rounds < 2 && (later || (this.recursive && self.scope.rounds == 0))
    }

    fn can_choose_callee(&self) -> bool {
        !self.program.tables.is_empty() && self.scope.rounds < 2 && !self.in_table()
    }

    /// Members of a table may not call each other; they come last and call nothing.
    fn in_table(&self) -> bool {
        self.program.tables.iter().any(|table| table.contains(&self.function))
    }

    fn args(&mut self, callee: usize) -> Vec<Expr> {
        (0..self.program.functions[callee].params.len()).map(|_| self.expr(2)).collect()
    }

    fn call(&mut self) -> Stmt {
        let to = self.place();
        let last = self.program.functions.len() - 1;
        let recursive = self.program.functions[self.function].recursive && self.scope.rounds == 0;
        if recursive && (self.function == last || self.rng.one_in(2)) {
            return Stmt::Recur { to, args: self.args(self.function) };
        }
        if !self.program.tables.is_empty() && (self.function == last || self.rng.one_in(3)) {
            let select = self.expr(1);
            let args = self.args(self.program.tables[0][0]);
            return Stmt::CallTable { to, table: 0, select, args };
        }
        let callee = self.rng.range(self.function + 1, last);
        Stmt::Call { to, callee, depth: self.expr(1), args: self.args(callee) }
    }

    fn out(&mut self) -> Stmt {
        let texts = self.program.functions[self.function].texts.len();
        if texts > 0 && self.rng.one_in(4) {
            return Stmt::OutText(self.rng.below(texts));
        }
        Stmt::Out { value: self.expr(2), mask: self.rng.pick(&[1, 3, 7, 15]), format: self.rng.below(32) }
    }

    fn text(&mut self) -> Stmt {
        let texts = self.program.functions[self.function].texts.len();
        let (one, two) = (self.rng.below(texts), self.rng.below(texts));
        let literal = self.rng.pick(LITERALS);
        Stmt::Text(match self.rng.below(13) {
            0..=2 => TextOp::Put(one, self.expr(1), self.expr(1)),
            3 => TextOp::Fill(one, self.expr(1), self.expr(1)),
            4 => TextOp::Set(one, literal),
            5 => TextOp::Slide(one, self.rng.one_in(2)),
            6 => TextOp::Copy(one, two, self.expr(1)),
            7 => TextOp::Length(self.place(), one),
            8 => TextOp::Compare(self.place(), one, literal),
            9 => TextOp::CompareBytes(self.place(), one, two, self.rng.range(1, 5)),
            10 => TextOp::Find(self.place(), one, self.expr(1)),
            11 => TextOp::Hash(self.place(), one),
            _ => TextOp::Number(self.place(), one),
        })
    }

    fn heap(&mut self) -> Stmt {
        Stmt::Heap(match self.rng.below(11) {
            0 | 1 => HeapOp::Push(self.expr(2)),
            2 | 3 => HeapOp::Insert(self.expr(2)),
            4 => HeapOp::Pop(self.place()),
            5 => HeapOp::Remove(self.expr(1)),
            6 => HeapOp::Reverse,
            7 => HeapOp::Sum(self.place()),
            8 | 9 => HeapOp::Grow(self.expr(1)),
            _ => HeapOp::Depth(self.place(), self.expr(1)),
        })
    }

    fn walk(&mut self) -> Stmt {
        let global = self.rng.one_in(2);
        let count = match global {
            true => self.program.arrays.len(),
            false => self.program.functions[self.function].arrays.len(),
        };
        let array = self.rng.below(count);
        Stmt::Walk { to: self.place(), global, array, from: self.expr(1), end: self.expr(1) }
    }

    fn record(&mut self) -> Stmt {
        let (record, field) = self.member();
        match self.rng.below(3) {
            0 => return Stmt::CopyRecord(record, self.expr(1), self.expr(1)),
            1 => return Stmt::Mix(record, self.expr(1), self.expr(1), self.expr(2)),
            _ => {}
        }
        let (one, two) = (self.rng.below(RECORDS), self.rng.below(RECORDS));
        Stmt::Through { record, which: self.condition(), one, two, field, value: self.expr(2) }
    }
}
