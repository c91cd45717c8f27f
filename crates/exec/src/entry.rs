//! `--entry F`: a function of the program instead of `main`, called with symbolic arguments.
//!
//! A scalar parameter is any value of its type. A pointer parameter is null or points to a fresh
//! object of symbolic bytes; that no other shape is tried is an assumption, and the ledger says so.

use crate::frame::Frame;
use crate::machine::Machine;
use crate::state::{GapKind, State};
use rejoin_ir::{DebugVarPlace, FuncId, Reg, Type};
use rejoin_memory::{Kind, Object, Value};
use std::rc::Rc;

/// A function to run where the program would run `main`.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The function.
    pub function: FuncId,
    /// Bytes behind each pointer parameter.
    pub capacity: u64,
}

impl Machine {
    /// A frame of the entry function with its symbolic arguments; its result is that of `main`.
    pub(crate) fn entry_frame(&mut self, s: &mut State, entry: Entry) -> Frame {
        let module = Rc::clone(&self.module);
        let f = &module.functions[entry.function.index()];
        let context = self.names.context(s.frame.context, u64::from(entry.function.0));
        let mut frame = Frame::new(entry.function, f.slots, context);
        for (i, p) in f.params.iter().enumerate() {
            let name = self.parameter_name(entry.function, p.reg).unwrap_or_else(|| format!("arg{i}"));
            let value = match p.ty {
                Type::Ptr => self.pointer_argument(s, &name, entry.capacity),
                ty => Value::Term(self.input_value(s, &name, ty.bits())),
            };
            frame.set(p.reg, p.ty.bits(), value);
        }
        frame
    }

    fn parameter_name(&self, f: FuncId, reg: Reg) -> Option<String> {
        let f = &self.module.functions[f.index()];
        let var = f.debug_vars.iter().find(|v| v.place == DebugVarPlace::Value(reg))?;
        self.module.texts.get(var.name.index()).cloned()
    }

    /// Null, or the address of `capacity` symbolic bytes, as a further input decides.
    fn pointer_argument(&mut self, s: &mut State, name: &str, capacity: u64) -> Value {
        let loc = self.loc(&s.frame);
        let mut object = Object::new(capacity, 16, Kind::Environment, loc);
        for (i, byte) in self.input(s, name, capacity).into_iter().enumerate() {
            object.write(&mut self.pool, i as u64, 1, Value::Term(byte));
        }
        let id = self.names.fixed(Kind::Environment, loc);
        s.memory.insert(id, object);
        let is_null = self.input_value(s, &format!("{name}_is_null"), 8);
        let zero = self.pool.constant(8, 0);
        let exists = self.pool.eq(is_null, zero);
        let (address, null) = (self.pool.constant(64, u128::from(id.address())), self.pool.constant(64, 0));
        let pointer = self.pool.ite(exists, address, null);
        let text = format!("{name} is null or points to {capacity} bytes of its own");
        self.note(s, GapKind::EntryAssumption, text);
        self.value_of(pointer)
    }
}
