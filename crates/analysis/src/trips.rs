//! Trip counts that can be read off: a register that starts at a constant, changes by a constant in
//! every iteration, and is compared with a constant in every iteration.
//!
//! The count is found by running that register alone, so every predicate, step and wrap-around is
//! right without a formula. Another exit may leave the loop earlier: the count is a bound then.

use crate::cfg::Cfg;
use crate::defs::{Def, Defs};
use crate::dom::Dominators;
use crate::loops::{LoopId, Loops};
use rejoin_ir::{BinOp, EdgeId, Function, Inst, IntPred, Module, Operand, Reg};

/// Loops that run longer have no known count.
pub const MAX_TRIPS: u32 = 1 << 16;

/// How often the header of each loop is evaluated, where that is known: for a loop with the test at
/// its head, once more than its body.
#[derive(Clone, Debug)]
pub struct Trips(Vec<Option<u32>>);

impl Trips {
    /// The trip counts of the loops of `f`.
    #[must_use]
    pub fn new(m: &Module, f: &Function, cfg: &Cfg, loops: &Loops) -> Self {
        if loops.all().is_empty() {
            return Trips(Vec::new());
        }
        let finder = Finder { m, f, cfg, loops, dom: &Dominators::new(cfg), defs: &Defs::new(f) };
        let bound = |l: LoopId| loops.get(l).exits.iter().filter_map(|&e| finder.trips(l, e)).min();
        Trips(loops.ids().map(bound).collect())
    }

    /// How often the header of `l` is evaluated each time the loop is entered.
    #[must_use]
    pub fn of(&self, l: LoopId) -> Option<u32> {
        self.0[l.index()]
    }
}

struct Finder<'a> {
    m: &'a Module,
    f: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    dom: &'a Dominators,
    defs: &'a Defs,
}

/// A register that walks from `first` by `step`, modulo 2^w.
struct Induction {
    first: u64,
    step: u64,
}

impl Finder<'_> {
    fn trips(&self, l: LoopId, exit: EdgeId) -> Option<u32> {
        let f = self.f;
        let the_loop = self.loops.get(l);
        let test = self.cfg.source(exit)?;
        let sources = the_loop.back_edges.iter().filter_map(|&e| self.cfg.source(e));
        let every_time = sources.into_iter().all(|latch| self.dom.dominates(test, latch));
        // Not in an inner loop, where it would run several times per iteration.
        if !every_time || !the_loop.side_entries.is_empty() || self.loops.innermost(test) != Some(l) {
            return None;
        }
        let &Inst::Branch { cond, then, els } = f.terminator(test)? else { return None };
        let &Inst::Cmp { pred, w, a, b, .. } = self.defs.inst(f, cond)? else { return None };
        if w > 64 || then == els {
            return None;
        }
        let leaves_if = then == exit;
        let (walker, bound, swapped) = match (self.bits(a), self.bits(b)) {
            (None, Some(bound)) => (a, bound, false),
            (Some(bound), None) => (b, bound, true),
            _ => return None,
        };
        let Induction { first, step } = self.tested(l, walker, w)?;
        let mut value = first;
        for evaluations in 1..=MAX_TRIPS {
            let (x, y) = if swapped { (bound, value) } else { (value, bound) };
            if holds(pred, w, x, y) == leaves_if {
                return Some(evaluations);
            }
            value = value.wrapping_add(step) & mask(w);
        }
        None
    }

    /// The values that a tested register takes: it is a phi of the header or its next value.
    fn tested(&self, l: LoopId, walker: Operand, w: u16) -> Option<Induction> {
        let reg = walker.as_reg()?;
        if let Some(induction) = self.induction(l, reg, w) {
            return Some(induction);
        }
        let (phi, step) = self.stepped(walker, w)?;
        let Induction { first, step: same } = self.induction(l, phi, w)?;
        (same == step).then(|| Induction { first: first.wrapping_add(step) & mask(w), step })
    }

    fn induction(&self, l: LoopId, phi: Reg, w: u16) -> Option<Induction> {
        let header = self.loops.get(l).header;
        if self.defs.of(phi) != Def::Copies {
            return None;
        }
        let elsewhere = |(e, edge): (usize, &rejoin_ir::Edge)| {
            edge.target != header && self.f.copies_of(EdgeId(e as u32)).iter().any(|c| c.dst == phi)
        };
        if self.f.edges.iter().enumerate().any(elsewhere) {
            return None;
        }
        let (mut first, mut step) = (None, None);
        for &edge in self.cfg.in_edges(header) {
            let copy = self.f.copies_of(edge).iter().find(|c| c.dst == phi && c.w == w)?;
            let (known, now) = if self.loops.contains(l, self.cfg.source(edge)?) {
                let (base, by) = self.stepped(copy.src, w)?;
                (&mut step, (base == phi).then_some(by)?)
            } else {
                (&mut first, self.bits(copy.src)?)
            };
            if known.replace(now).is_some_and(|before| before != now) {
                return None;
            }
        }
        Some(Induction { first: first? & mask(w), step: step? })
    }

    /// The register and constant whose sum an operand is.
    fn stepped(&self, operand: Operand, w: u16) -> Option<(Reg, u64)> {
        let &Inst::Bin { op, w: width, a, b, .. } = self.defs.inst(self.f, operand)? else { return None };
        let (reg, by) = match (op, a.as_reg(), b.as_reg()) {
            (BinOp::Add, Some(reg), None) => (reg, self.bits(b)?),
            (BinOp::Add, None, Some(reg)) => (reg, self.bits(a)?),
            (BinOp::Sub, Some(reg), None) => (reg, self.bits(b)?.wrapping_neg()),
            _ => return None,
        };
        (width == w).then_some((reg, by & mask(w)))
    }

    fn bits(&self, operand: Operand) -> Option<u64> {
        self.m.const_bits(operand.as_const()?)
    }
}

fn mask(w: u16) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

fn holds(pred: IntPred, w: u16, a: u64, b: u64) -> bool {
    let signed = |x: u64| ((x << (64 - w)) as i64) >> (64 - w);
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
        IntPred::Slt => signed(a) < signed(b),
        IntPred::Sle => signed(a) <= signed(b),
        IntPred::Sgt => signed(a) > signed(b),
        IntPred::Sge => signed(a) >= signed(b),
    }
}
