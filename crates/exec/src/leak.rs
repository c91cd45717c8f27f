//! Memory that nobody frees: heap objects that nothing reaches when the program ends.

use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_memory::{Kind, ObjectId, Value};
use std::collections::BTreeSet;

impl Machine {
    /// A heap object that no living object reaches; of several, the one that the source makes
    /// first. What differs between merged paths, objects that exist and pointers to them, is told
    /// apart first.
    pub(crate) fn leaked(&mut self, s: &mut State) -> Flow<Option<ObjectId>> {
        let mut guarded = Vec::new();
        s.memory.for_each_guarded(&mut |id, exists, _| guarded.push((id, exists)));
        for (id, exists) in guarded {
            let exists = self.choose(s, exists)?;
            s.memory.settle(id, exists);
        }
        let (mut roots, mut heap) = (Vec::new(), BTreeSet::new());
        s.memory.for_each(&mut |id, o| {
            if o.kind == Kind::Heap {
                heap.insert(id);
            } else {
                roots.push(id);
            }
        });
        while let Some(id) = roots.pop() {
            let size = s.memory.get(id).map_or(0, |o| o.size);
            for offset in (0..size.saturating_sub(7)).step_by(8) {
                let word = s.memory.get(id).map(|o| o.read(&mut self.pool, offset, 8));
                let target = match word {
                    Some(Value::Bits(bits)) => ObjectId::of_address(bits as u64).0,
                    Some(Value::Term(t)) => self.pointee(s, t)?,
                    None => continue,
                };
                if heap.remove(&target) {
                    roots.push(target);
                }
            }
        }
        let site = |id: &ObjectId| (self.names.get(*id).map(|n| n.site), *id);
        Ok(heap.into_iter().min_by_key(site))
    }

    /// The object that a symbolic word points to in what `s` goes on as.
    fn pointee(&mut self, s: &mut State, word: Term) -> Flow<ObjectId> {
        for (guard, pointer) in self.pointers_of(word) {
            let Some(id) = self.base(pointer) else { continue };
            if s.memory.get(id).is_some_and(|o| o.kind == Kind::Heap) && self.choose(s, guard)? {
                return Ok(id);
            }
        }
        let word = self.plain(word);
        let bits = self.witnessed(s, word);
        Ok(ObjectId::of_address(bits as u64).0)
    }
}
