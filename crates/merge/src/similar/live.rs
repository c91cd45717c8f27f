//! States that differ in nothing that is still needed: merging them makes no term but the path's.

use super::Similarity;
use rejoin_analysis::qce::Variable;
use rejoin_exec::{Against, Machine, State};
use rejoin_memory::Value;

/// Equal in all live registers and in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live;

impl Similarity for Live {
    fn similar(&mut self, m: &Machine, a: &State, b: &State) -> Result<(), Against> {
        let mut differs = None;
        m.live_differences(a, b, &mut |func, reg, _, _, _| {
            differs = differs.or(Some(Against::Variable(func, Variable::Register(reg))));
        });
        let differs = differs.or_else(|| a.memory.difference(&b.memory).map(Against::Object));
        differs.map_or(Ok(()), Err)
    }

    /// The live registers. Memory is left to the comparison in full.
    fn abstraction(&mut self, m: &Machine, s: &State, out: &mut Vec<u64>) {
        m.live_state(s, &mut |value| match value {
            Value::Bits(bits) => out.extend([0, bits as u64, (bits >> 64) as u64]),
            Value::Term(t) => out.extend([1, u64::from(t.raw())]),
        });
    }
}
