//! Objects at addresses that the program chooses, such as the registers of a device
//! (`klee_define_fixed_object`).
//!
//! An address of ours has the number of its object in its upper half, and number 0 is nobody's. So
//! addresses below 4 GiB are free to be chosen. A range of them stands for an object that has an address
//! of ours as any other; pointers keep the program's numbers and are translated where they are used.

use crate::machine::Machine;
use crate::outcome::{ErrorKind, Flow};
use crate::state::{GapKind, State};
use rejoin_memory::{Kind, Object, ObjectId, Value};
use std::rc::Rc;

/// A range of addresses, and the object that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixed {
    start: u64,
    /// The first address behind it.
    end: u64,
    object: ObjectId,
}

impl Machine {
    /// Makes an object of zeros at an address.
    pub(crate) fn define_fixed(&mut self, s: &mut State, start: u64, len: u64) -> Flow {
        let end = start.saturating_add(len);
        if start == 0 || len == 0 {
            return self.fail(s, ErrorKind::User, "a fixed object needs an address and a size");
        }
        if s.world.fixed.iter().any(|f| f.start < end && start < f.end) {
            return self.fail(s, ErrorKind::User, "a fixed object overlaps another");
        }
        if end > 1 << 32 {
            return self.give_up(s, GapKind::UnknownCall, "a fixed object above the first 4 GiB");
        }
        let object = Object::new(len, 1, Kind::Environment, self.loc(&s.frame));
        let source = self.names.context(s.frame.context, 1 << 63 | u64::from(s.frame.pc));
        let object = s.memory.allocate(&mut self.names, source, object);
        Rc::make_mut(&mut s.world).fixed.push(Fixed { start, end, object });
        Ok(())
    }

    /// An address as one of ours: where a fixed object is, the address of that object.
    pub(crate) fn ours(&mut self, s: &State, address: Value) -> Value {
        let mut result = address;
        for f in &s.world.fixed {
            let distance = u128::from(f.object.address() - f.start);
            match address {
                Value::Bits(bits) if (f.start..f.end).contains(&(bits as u64)) => {
                    return Value::Bits(bits + distance);
                }
                Value::Bits(_) => {}
                Value::Term(t) => {
                    let t = self.plain(t);
                    let [start, end, distance] = [u128::from(f.start), u128::from(f.end), distance]
                        .map(|bits| self.pool.constant(64, bits));
                    let (from, to) = (self.pool.ule(start, t), self.pool.ult(t, end));
                    let inside = self.pool.and(from, to);
                    let moved = self.pool.add(t, distance);
                    let rest = self.term_of(result, 64);
                    result = Value::Term(self.pool.ite(inside, moved, rest));
                }
            }
        }
        result
    }
}
