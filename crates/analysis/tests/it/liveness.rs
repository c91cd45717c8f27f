//! Liveness against its definition: some path uses the slot before it writes it.

use crate::random;
use rejoin_analysis::cfg::Cfg;
use rejoin_analysis::liveness::Liveness;
use rejoin_ir::{BlockId, Function, Inst, Operand};

/// Whether a path of at most `steps` blocks from the head of `b` reads `slot` before writing it.
fn used(f: &Function, b: BlockId, slot: u32, steps: usize) -> bool {
    for inst in f.insts_of(b) {
        match touch(f, inst, slot) {
            Some(read) => return read,
            None => continue,
        }
    }
    steps > 0
        && f.out_edges(b).any(|e| {
            let copies = f.copies_of(e);
            copies.iter().any(|c| c.src == Operand::reg(rejoin_ir::Reg(slot)))
                || (copies.iter().all(|c| c.dst.0 != slot)
                    && used(f, f.edges[e.index()].target, slot, steps - 1))
        })
}

/// Whether an instruction reads (`true`) or only writes (`false`) a slot.
fn touch(f: &Function, inst: &Inst, slot: u32) -> Option<bool> {
    let (mut read, mut written) = (false, false);
    inst.for_each_use(f, |operand, _| read |= operand.as_reg().is_some_and(|r| r.0 == slot));
    inst.for_each_def(f, |reg, _| written |= reg.0 == slot);
    if read { Some(true) } else { written.then_some(false) }
}

#[test]
fn live_slots_are_those_that_some_path_reads() {
    for seed in 0..200 {
        let blocks = 1 + seed as usize % 6;
        let f = random::module(seed, blocks, 3).functions.remove(0);
        let cfg = Cfg::new(&f);
        let live = Liveness::new(&f, &cfg);
        for &b in cfg.reverse_postorder() {
            for slot in 0..f.slots {
                let expected = used(&f, b, slot, blocks);
                assert_eq!(live.at_head(b).contains(slot as usize), expected, "seed {seed}: {b:?} %{slot}");
            }
            let first = f.blocks[b.index()].insts.start;
            assert_eq!(&live.before(&f, first), live.at_head(b), "seed {seed}: {b:?}");
        }
    }
}

#[test]
fn all_slots_of_a_wide_value_are_live_and_a_waiting_call_has_no_result() {
    let text = "func @g(i32 %0) -> i128
        func @f(i128 %0, i32 %2) -> i128 slots 7 {
        b0: %3 = call @g(i32 %2) -> i128
            %5 = add i128 %3, %0
            return (i128 %5)
        }";
    let module = rejoin_ir::text::parse(text).unwrap();
    let f = &module.functions[1];
    let live = Liveness::new(f, &Cfg::new(f));
    assert_eq!(live.at_head(BlockId(0)).iter().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(live.while_calling(f, 0).iter().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(live.before(f, 1).iter().collect::<Vec<_>>(), [0, 1, 3, 4]);
}
