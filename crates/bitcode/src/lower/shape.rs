//! The order of a function's blocks.
//!
//! Reverse postorder, so that a value is lowered before whatever uses it (uses in phis aside).
//! Blocks that cannot be reached are left out, and with them the unwind sides of invokes.

use crate::llvm::{Block, Value};
use llvm_sys::LLVMOpcode;
use rejoin_ir::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The blocks of a function, as the IR will have them.
pub(super) struct Shape {
    /// Per block of the IR: the blocks of LLVM it is made of.
    pub(super) chains: Vec<Vec<Block>>,
    /// The number of each chain's first block. An unreachable block whose address is taken has the
    /// number behind the last.
    pub(super) numbers: FxHashMap<Block, BlockId>,
    /// Whether there are unreachable blocks whose address is taken.
    pub(super) has_dead: bool,
}

impl Shape {
    pub(super) fn of(function: Value, join: bool) -> Shape {
        let blocks = function.blocks();
        let order = reverse_postorder(blocks[0]);
        let mut chains: Vec<Vec<Block>> = Vec::with_capacity(order.len());
        let tails = if join { joined(&order) } else { FxHashMap::default() };
        let joined_to_another: FxHashSet<Block> = tails.values().copied().collect();
        for &block in order.iter().filter(|b| !joined_to_another.contains(b)) {
            chains.push(std::iter::successors(Some(block), |b| tails.get(b).copied()).collect());
        }
        let mut numbers = FxHashMap::default();
        for (i, chain) in chains.iter().enumerate() {
            numbers.insert(chain[0], BlockId(i as u32));
        }
        let reached: FxHashSet<Block> = order.into_iter().collect();
        let dead = blocks.iter().filter(|b| !reached.contains(b) && b.has_address());
        let end = BlockId(chains.len() as u32);
        let before = numbers.len();
        numbers.extend(dead.map(|&b| (b, end)));
        Shape { has_dead: numbers.len() > before, chains, numbers }
    }
}

/// Where control goes from a block, exceptions aside.
fn successors(block: Block) -> Vec<Block> {
    let Some(terminator) = block.terminator() else { return Vec::new() };
    match terminator.opcode() {
        LLVMOpcode::LLVMInvoke => vec![terminator.normal_dest()],
        LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr => terminator.successors(),
        _ => Vec::new(),
    }
}

fn reverse_postorder(entry: Block) -> Vec<Block> {
    let mut seen = FxHashSet::from_iter([entry]);
    // The successors still to visit, last first: so the first one comes first in the result.
    let mut stack = vec![(entry, successors(entry))];
    let mut order = Vec::new();
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => stack.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Blocks with the one that continues them: the only successor, with no other predecessor.
fn joined(order: &[Block]) -> FxHashMap<Block, Block> {
    let mut incoming: FxHashMap<Block, u32> = FxHashMap::default();
    for &block in order {
        for next in successors(block) {
            *incoming.entry(next).or_default() += 1;
        }
    }
    let mut tails = FxHashMap::default();
    for &block in order {
        let Some(terminator) = block.terminator() else { continue };
        if terminator.opcode() == LLVMOpcode::LLVMBr && !terminator.is_conditional() {
            let next = terminator.successors()[0];
            if incoming[&next] == 1 && next != block && !next.has_address() {
                tails.insert(block, next);
            }
        }
    }
    tails
}
