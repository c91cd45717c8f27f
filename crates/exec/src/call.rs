//! Calls, returns, and the end of the program.

use crate::builtin::{Call, Done};
use crate::code::variadic_size;
use crate::frame::{Callers, Frame, Variadic};
use crate::machine::Machine;
use crate::outcome::{Error, ErrorKind, Flow, Outcome, Stop};
use crate::state::{GapKind, State};
use rejoin_fault::planted;
use rejoin_ir::{Arg, BlockId, Callee, FuncId, Function, Inst, LocId, Range, Type};
use rejoin_memory::Value;
use std::rc::Rc;

impl Machine {
    /// Executes a call.
    pub(crate) fn call(&mut self, s: &mut State, func: &Function, inst: Inst) -> Flow {
        let Inst::Call { callee, args, rets, .. } = inst else { unreachable!("not a call") };
        let args = &func.args[args.indices()];
        let id = match callee {
            Callee::Direct(id) => id,
            Callee::Indirect(o) => {
                let v = self.value(&s.frame, o, 64);
                let address = self.fork_value(s, v)? as u64;
                self.function_to_call(s, address, args)?
            }
        };
        if let Some(entry) = self.options.entry
            && self.module.functions[id.index()].name == "main"
        {
            let frame = self.entry_frame(s, entry);
            let caller = std::mem::replace(&mut s.frame, frame);
            s.callers.push(caller);
            self.enter_block(s, BlockId(0));
            return Ok(());
        }
        if let Some(builtin) = self.code.functions[id.index()].builtin {
            let values = args.iter().map(|a| self.value(&s.frame, a.value, a.ty.bits())).collect();
            let types = func.types[rets.indices()].to_vec();
            let call =
                Call { callee: id, args: values, types: args.iter().map(|a| a.ty).collect(), rets: types };
            return match builtin(self, s, &call)? {
                Done::Value(v) => self.finish_call(s, &[v]),
                Done::Void => self.finish_call(s, &[]),
                Done::Elsewhere => Ok(()),
            };
        }
        let f = &self.module.functions[id.index()];
        if f.is_declaration() {
            return self.give_up(s, GapKind::UnknownCall, f.name.clone());
        }
        let site = u64::from(s.frame.func.0) << 32 | u64::from(s.frame.pc);
        let mut context = self.names.context(s.frame.context, site);
        if let Callee::Indirect(_) = callee {
            // One call, several callees: equal contexts are equal call stacks.
            context = self.names.context(context, u64::from(id.0));
        }
        self.push_frame(s, id, context, args)
    }

    /// The function at a computed address, if it can be called like this.
    fn function_to_call(&mut self, s: &State, address: u64, args: &[Arg]) -> Flow<FuncId> {
        if address == 0 {
            return self.fail(s, ErrorKind::Ptr, "call of a null function pointer");
        }
        let Some(id) = self.code.function_at(address) else {
            return self.fail(s, ErrorKind::Ptr, format!("call of {address:#x}, which is not a function"));
        };
        let f = &self.module.functions[id.index()];
        let fits = f.params.len() <= args.len()
            && f.params.iter().zip(args).all(|(p, a)| p.ty.bits() == a.ty.bits());
        if fits || f.is_declaration() {
            Ok(id)
        } else {
            let message = format!("{} is called through a pointer of another type", f.name);
            self.fail(s, ErrorKind::Ptr, message)
        }
    }

    fn push_frame(&mut self, s: &mut State, id: FuncId, context: u32, args: &[Arg]) -> Flow {
        let module = Rc::clone(&self.module);
        let f = &module.functions[id.index()];
        if s.callers.depth() >= self.options.max_stack {
            return self.fail(s, ErrorKind::Stack, "the stack overflows: too many nested calls");
        }
        let mut frame = Frame::new(id, f.slots, context);
        for (param, arg) in f.params.iter().zip(args) {
            let w = param.ty.bits();
            match self.concrete(&s.frame, arg.value) {
                Some(bits) if w <= 64 => frame.set_word(param.reg, bits),
                _ => frame.set(param.reg, w, self.value(&s.frame, arg.value, w)),
            }
        }
        if f.variadic {
            frame.variadic = Some(self.variadic(s, args.get(f.params.len()..).unwrap_or(&[]))?);
        }
        let caller = std::mem::replace(&mut s.frame, frame);
        s.callers.push(caller);
        self.enter_block(s, BlockId(0));
        Ok(())
    }

    /// Variadic arguments as they lie in the argument area.
    fn variadic(&mut self, s: &mut State, args: &[Arg]) -> Flow<Rc<[Variadic]>> {
        let mut list = Vec::new();
        for arg in args {
            let w = arg.ty.bits();
            let v = self.value(&s.frame, arg.value, w);
            if arg.byval_size > 0 {
                let pieces = self.read_pieces(s, v, u64::from(arg.byval_size))?;
                let align = u64::from(arg.byval_align).max(8);
                list.push(Variadic { align, pieces });
            } else {
                let (size, align) = variadic_size(arg.ty);
                let t = self.term_of(v, w);
                let t = self.pool.zext(t, 8 * size as u32);
                list.push(Variadic { align, pieces: vec![(size as u32, self.value_of(t))] });
            }
        }
        Ok(list.into())
    }

    /// Returns from the running function.
    pub(crate) fn ret(&mut self, s: &mut State, func: &Function, values: Range) -> Flow {
        let values: Vec<Value> =
            func.args[values.indices()].iter().map(|a| self.value(&s.frame, a.value, a.ty.bits())).collect();
        for local in std::mem::take(&mut s.frame.locals) {
            s.memory.remove(local);
        }
        let Some(mut caller) = s.callers.pop() else {
            return self.leave(s, values.first().copied().unwrap_or(Value::Bits(0)));
        };
        let forked = s.frame.forked;
        caller.forked |= forked;
        s.frame = caller;
        if s.frame.resume {
            s.frame.resume = false;
            self.end_handlers(s, true);
            return Ok(());
        }
        self.finish_call(s, &values)?;
        if forked {
            self.meet(s);
        }
        Ok(())
    }

    /// A signal interrupts the system call that `s` is at: its handler runs, then the call returns.
    pub(crate) fn enter_handler(
        &mut self,
        s: &mut State,
        signal: u32,
        address: u64,
        value: i64,
        mask: u64,
    ) -> Flow {
        let module = Rc::clone(&self.module);
        let Some(id) = self.code.function_at(address) else {
            let message = format!("the handler of signal {signal}, {address:#x}, is not a function");
            return self.fail(s, ErrorKind::Ptr, message);
        };
        let f = &module.functions[id.index()];
        if f.is_declaration() || self.code.functions[id.index()].is_builtin() {
            return self.give_up(s, GapKind::UnknownCall, format!("{} as a signal handler", f.name));
        }
        if f.params.len() > 1 {
            return self.give_up(s, GapKind::UnknownCall, format!("{}, which wants siginfo_t", f.name));
        }
        self.finish_call(s, &[Value::Bits(u128::from(value as u64))])?;
        Rc::make_mut(&mut s.world).handlers.push((s.callers.depth(), mask));
        let context = self.names.context(s.frame.context, u64::from(id.0));
        let mut frame = Frame::new(id, f.slots, context);
        if let Some(param) = f.params.first() {
            frame.set_word(param.reg, u64::from(signal));
        }
        let mut caller = std::mem::replace(&mut s.frame, frame);
        caller.resume = true;
        s.callers.push(caller);
        self.enter_block(s, BlockId(0));
        Ok(())
    }

    /// Handlers that run above the frame that `s` is in have ended; their signals may come again if
    /// they returned or were left by `siglongjmp`.
    pub(crate) fn end_handlers(&mut self, s: &mut State, unblock: bool) {
        let depth = s.callers.depth();
        while let Some(&(_, mask)) = s.world.handlers.last().filter(|h| h.0 >= depth) {
            let world = Rc::make_mut(&mut s.world);
            world.handlers.pop();
            if unblock {
                world.os.end_handler(mask);
            }
        }
    }

    /// Completes the call that the running frame waits for.
    pub(crate) fn finish_call(&mut self, s: &mut State, values: &[Value]) -> Flow {
        let module = Rc::clone(&self.module);
        let func = &module.functions[s.frame.func.index()];
        let Inst::Call { dst, rets, .. } = func.insts[s.frame.pc as usize] else {
            unreachable!("a caller waits at a call")
        };
        let mut at = dst;
        for (i, ty) in func.types[rets.indices()].iter().enumerate() {
            let v = values.get(i).copied().unwrap_or(Value::Bits(0));
            let v = if planted("returns-zero") && v.bits().is_none() { Value::Bits(0) } else { v };
            let v = self.fit(v, *ty);
            s.frame.set(at, ty.bits(), v);
            at.0 += ty.slots();
        }
        let next = self.code.functions[s.frame.func.index()].segment_at(s.frame.pc + 1);
        self.enter_segment(s, next);
        if self.summaries.is_some() {
            self.meet(s);
        }
        Ok(())
    }

    /// A result as the type that the call expects.
    fn fit(&mut self, v: Value, ty: Type) -> Value {
        let w = u32::from(ty.bits());
        match v {
            Value::Bits(b) => Value::Bits(if w >= 128 { b } else { b & ((1 << w) - 1) }),
            Value::Term(t) if self.pool.width(t) == w => v,
            Value::Term(t) if self.pool.width(t) > w => {
                let t = self.pool.extract(t, 0, w);
                self.value_of(t)
            }
            Value::Term(t) => {
                let t = self.pool.zext(t, w);
                self.value_of(t)
            }
        }
    }

    /// `main` returned or the program called `exit`: runs the destructors, then ends the program.
    pub(crate) fn leave(&mut self, s: &mut State, code: Value) -> Flow {
        let module = Rc::clone(&self.module);
        if s.world.exit_code.is_none()
            && let Some(last) = module.destructors.last()
        {
            Rc::make_mut(&mut s.world).exit_code = Some(code);
            s.callers = Callers::default();
            let context = self.names.context(0, u64::from(last.0));
            s.frame = Frame::new(*last, module.functions[last.index()].slots, context);
            self.enter_block(s, BlockId(0));
            for f in module.destructors.iter().rev().skip(1) {
                self.enter_before(s, *f);
            }
            return Ok(());
        }
        let code = s.world.exit_code.unwrap_or(code);
        self.exit(s, code)
    }

    /// Ends the program with an exit code.
    pub(crate) fn exit<T>(&mut self, s: &mut State, code: Value) -> Flow<T> {
        if self.options.check_leaks
            && let Some(id) = self.leaked(s)?
        {
            let message = "memory allocated here is never freed".to_owned();
            let loc = self.names.get(id).map_or(LocId::NONE, |n| n.site);
            let error = Error { kind: ErrorKind::Leak, suffix: None, message, loc, stack: self.stack(s) };
            return Err(Stop::Halt(Outcome::Error(error)));
        }
        let code = if planted("exit-code-lost") { Value::Bits(0) } else { code };
        Err(Stop::Halt(Outcome::Exit(self.fit(code, Type::Int(32)))))
    }

    /// `file:line` of a location.
    pub(crate) fn describe_loc(&self, loc: rejoin_ir::LocId) -> String {
        self.module.place(loc).map_or_else(|| "an unknown place".into(), |(f, l)| format!("{f}:{}", l.line))
    }
}
