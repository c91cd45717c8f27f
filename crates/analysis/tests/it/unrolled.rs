//! The closed form of the recursion q against the recursion itself, loops unrolled one by one.

use crate::random;
use rejoin_analysis::cfg::{Cfg, out_edges};
use rejoin_analysis::dependence::dependents;
use rejoin_analysis::loops::{LoopId, Loops};
use rejoin_analysis::qce::{Location, Params, Qce, Sites};
use rejoin_analysis::topo::Topo;
use rejoin_ir::{BlockId, EdgeId, FuncId, Function, Inst};
use std::collections::HashMap;
use std::rc::Rc;

struct Unrolled<'a> {
    f: &'a Function,
    cfg: &'a Cfg,
    loops: &'a Loops,
    beta: f64,
    kappa: u32,
    /// The sites to count.
    sites: &'a [u32],
    known: HashMap<(BlockId, Vec<u32>), f64>,
}

impl Unrolled<'_> {
    /// q at a block's head, in these iterations of the loops around.
    fn q(&mut self, b: BlockId, iterations: Vec<u32>) -> f64 {
        let key = (b, iterations);
        if let Some(&q) = self.known.get(&key) {
            return q;
        }
        let last = self.f.blocks[b.index()].insts.indices().end as u32 - 1;
        let mut q = f64::from(self.sites.contains(&last));
        let edges = out_edges(self.f, b);
        let share = if edges.len() == 1 { 1.0 } else { self.beta };
        for edge in edges {
            q += share * self.follow(edge, key.1.clone());
        }
        self.known.insert(key, q);
        q
    }

    fn follow(&mut self, edge: EdgeId, mut iterations: Vec<u32>) -> f64 {
        let (from, to) = (self.cfg.source(edge).unwrap(), self.f.edges[edge.index()].target);
        if let Some(l) = self.loops.next_iteration(from, to) {
            let depth = self.loops.get(l).depth as usize;
            if iterations[depth - 1] == self.kappa {
                return self.cut(l, &iterations[..depth]);
            }
        }
        Topo(self.loops).step(from, to, &mut iterations);
        self.q(to, iterations)
    }

    /// The loop ends after its last iteration.
    fn cut(&mut self, l: LoopId, iterations: &[u32]) -> f64 {
        let (cfg, the_loop) = (self.cfg, self.loops.get(l));
        let latches: Vec<_> = the_loop.back_edges.iter().map(|e| cfg.source(*e).unwrap()).collect();
        let from = |blocks: &[BlockId]| -> Vec<EdgeId> {
            the_loop.exits.iter().copied().filter(|e| blocks.contains(&cfg.source(*e).unwrap())).collect()
        };
        let choices = [from(&[the_loop.header]), from(&latches), the_loop.exits.clone()];
        let exits = choices.into_iter().find(|e| !e.is_empty()).unwrap_or_default();
        let sum: f64 = exits.iter().map(|&e| self.follow(e, iterations.to_vec())).sum();
        if exits.is_empty() { 0.0 } else { sum / exits.len() as f64 }
    }
}

fn sites(f: &Function) -> Vec<u32> {
    let asks = |i: &u32| matches!(f.insts[*i as usize], Inst::Branch { .. } | Inst::Switch { .. });
    (0..f.insts.len() as u32).filter(asks).collect()
}

#[test]
fn the_closed_form_is_the_unrolled_recursion() {
    let (mut in_loops, mut compared) = (0, 0);
    for seed in 0..300 {
        let m = random::module(seed, 2 + seed as usize % 8, 2);
        let f = &m.functions[0];
        let cfg = Cfg::new(f);
        let loops = Loops::new(f, &cfg);
        let (beta, kappa) = (0.6, 1 + seed as u32 % 3);
        let params = Params { alpha: 0.5, beta, kappa, sites: Sites::Branches, ..Params::default() };
        let qce = Qce::new(Rc::new(m.clone()), params);
        let all = sites(f);
        let mut totals =
            Unrolled { f, cfg: &cfg, loops: &loops, beta, kappa, sites: &all, known: HashMap::new() };
        for &b in loops.order() {
            let first = vec![1; loops.depth(b) as usize];
            let counts = qce.counts(FuncId(0), Location::Head(b)).unwrap();
            let expected = totals.q(b, first.clone());
            assert!(
                (counts.q_t.to_f64() - expected).abs() <= 1e-9 * expected,
                "seed {seed}: {b:?} {expected}"
            );
            for (variable, on) in dependents(&m, FuncId(0), Sites::Branches, b) {
                let (sites, known) = (&on[..], HashMap::new());
                let expected = Unrolled { sites, known, ..totals }.q(b, first.clone());
                let found = qce.function(FuncId(0)).q_add(Location::Head(b), variable).to_f64();
                // In a loop, what dies before its back edge counts less.
                let exact = loops.depth(b) == 0;
                let low = if exact { expected * (1.0 - 1e-9) } else { 0.0 };
                assert!(found >= low && found <= expected * (1.0 + 1e-9), "seed {seed}: {b:?} {variable:?}");
                in_loops += usize::from(!exact && found < expected * 0.99);
                compared += usize::from(exact && expected > 0.0);
            }
        }
    }
    assert!(compared > 200 && in_loops > 20, "{compared} {in_loops}");
}
