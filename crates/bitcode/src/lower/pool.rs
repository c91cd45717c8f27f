//! The constant pool: every constant once.

use rejoin_ir::{Const, ConstId};
use rustc_hash::FxHashMap;

/// The module's constants.
#[derive(Default)]
pub(super) struct Pool {
    pub(super) consts: Vec<Const>,
    single: FxHashMap<Const, ConstId>,
    wide: FxHashMap<Vec<Const>, ConstId>,
}

impl Pool {
    /// A constant of one slot.
    pub(super) fn one(&mut self, c: Const) -> ConstId {
        *self.single.entry(c).or_insert_with(|| {
            self.consts.push(c);
            ConstId(self.consts.len() as u32 - 1)
        })
    }

    /// A constant of several consecutive slots.
    pub(super) fn many(&mut self, slots: Vec<Const>) -> ConstId {
        if let [c] = slots[..] {
            return self.one(c);
        }
        if let Some(&id) = self.wide.get(&slots) {
            return id;
        }
        let id = ConstId(self.consts.len() as u32);
        self.consts.extend_from_slice(&slots);
        self.wide.insert(slots, id);
        id
    }
}
