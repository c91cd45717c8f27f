//! Dominators, loops and orders against their definitions, on random graphs.

use crate::random;
use rejoin_analysis::cfg::Cfg;
use rejoin_analysis::dom::Dominators;
use rejoin_analysis::loops::Loops;
use rejoin_analysis::topo::{OrderKey, Topo};
use rejoin_ir::{BlockId, Function};

fn graphs() -> impl Iterator<Item = (u64, Function)> {
    (0..600).map(|seed| {
        let blocks = 1 + (seed as usize) % 11;
        (seed, random::module(seed, blocks, 0).functions.remove(0))
    })
}

fn blocks(f: &Function) -> impl Iterator<Item = BlockId> + use<> {
    (0..f.blocks.len() as u32).map(BlockId)
}

/// What `starts` reach along `next` without entering `without`.
fn reach(starts: &[BlockId], without: Option<BlockId>, next: impl Fn(BlockId) -> Vec<BlockId>) -> Vec<bool> {
    let mut seen = vec![false; 64];
    let mut stack: Vec<BlockId> = starts.to_vec();
    while let Some(b) = stack.pop() {
        if Some(b) != without && !std::mem::replace(&mut seen[b.index()], true) {
            stack.extend(next(b));
        }
    }
    seen
}

#[test]
fn a_block_dominates_what_cannot_be_reached_without_it() {
    for (seed, f) in graphs() {
        let cfg = Cfg::new(&f);
        let dom = Dominators::new(&cfg);
        let all = reach(&[BlockId(0)], None, |b| f.successors(b).collect());
        for a in blocks(&f).filter(|a| all[a.index()]) {
            let without = reach(&[BlockId(0)], Some(a), |b| f.successors(b).collect());
            for b in blocks(&f) {
                let expected = all[b.index()] && !without[b.index()];
                assert_eq!(dom.dominates(a, b), expected, "seed {seed}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_block_post_dominates_what_cannot_end_without_it() {
    for (seed, f) in graphs() {
        let cfg = Cfg::new(&f);
        let post = Dominators::post(&cfg);
        let ends: Vec<BlockId> = post.roots().to_vec();
        for b in blocks(&f).filter(|b| cfg.is_reachable(*b) && f.successors(*b).next().is_none()) {
            assert!(ends.contains(&b), "seed {seed}: {b:?} ends the function");
        }
        for a in blocks(&f).filter(|a| cfg.is_reachable(*a)) {
            let without = reach(&ends, Some(a), |b| cfg.predecessors(b).collect());
            for b in blocks(&f).filter(|b| cfg.is_reachable(*b)) {
                assert_eq!(post.dominates(a, b), !without[b.index()], "seed {seed}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn the_immediate_dominator_is_the_closest_one() {
    for (seed, f) in graphs() {
        let cfg = Cfg::new(&f);
        for dom in [Dominators::new(&cfg), Dominators::post(&cfg)] {
            for b in blocks(&f).filter(|b| cfg.is_reachable(*b)) {
                let others: Vec<BlockId> = blocks(&f).filter(|&a| a != b && dom.dominates(a, b)).collect();
                let closest = others.iter().copied().find(|&a| others.iter().all(|&o| dom.dominates(o, a)));
                assert_eq!(dom.immediate(b), closest, "seed {seed}: {b:?}");
            }
        }
    }
}

#[test]
fn edges_lead_forward_or_to_the_header_of_a_loop_around() {
    for (seed, f) in graphs() {
        let cfg = Cfg::new(&f);
        let loops = Loops::new(&f, &cfg);
        let mut listed: Vec<BlockId> = loops.order().to_vec();
        listed.sort_unstable();
        let reachable: Vec<BlockId> = blocks(&f).filter(|b| cfg.is_reachable(*b)).collect();
        assert_eq!(listed, reachable, "seed {seed}");
        for &from in loops.order() {
            for &to in cfg.successors(from) {
                let forward = loops.rank(from) < loops.rank(to);
                let again = loops.next_iteration(from, to);
                assert!(forward != again.is_some(), "seed {seed}: {from:?} {to:?}");
                let around = loops.around(from).find(|l| loops.get(*l).header == to);
                assert_eq!(again, around, "seed {seed}: {from:?} {to:?}");
            }
        }
    }
}

/// A loop is a maximal set of blocks that reach each other without the headers of the loops around.
#[test]
fn loops_are_the_cycles() {
    for (seed, f) in graphs() {
        let cfg = Cfg::new(&f);
        let loops = Loops::new(&f, &cfg);
        for b in blocks(&f).filter(|b| cfg.is_reachable(*b)) {
            let from = reach(cfg.successors(b), None, |b| cfg.successors(b).to_vec());
            assert_eq!(from[b.index()], loops.innermost(b).is_some(), "seed {seed}: {b:?}");
        }
        for l in loops.ids() {
            let the_loop = loops.get(l);
            let outside = |b: BlockId| {
                let mut above = std::iter::successors(the_loop.parent, |p| loops.get(*p).parent);
                above.any(|p| loops.get(p).header == b)
                    || the_loop.parent.is_some_and(|p| !loops.contains(p, b))
            };
            let next =
                |b: BlockId| cfg.successors(b).iter().copied().filter(|s| !outside(*s)).collect::<Vec<_>>();
            let after = reach(&[the_loop.header], None, next);
            for b in blocks(&f).filter(|b| cfg.is_reachable(*b)) {
                let back = reach(&next(b), None, next)[the_loop.header.index()];
                let expected = after[b.index()] && back;
                assert_eq!(loops.contains(l, b), expected, "seed {seed}: {l:?} {b:?}");
                assert_eq!(loops.blocks(l).contains(&b), expected);
            }
            let edges = |e: &rejoin_ir::EdgeId| {
                let (from, to) = (cfg.source(*e).unwrap(), f.edges[e.index()].target);
                (loops.contains(l, from), loops.contains(l, to), to == the_loop.header)
            };
            assert!(the_loop.exits.iter().map(edges).all(|e| e == (true, false, false)));
            assert!(!the_loop.back_edges.is_empty());
            assert!(the_loop.back_edges.iter().map(edges).all(|e| e == (true, true, true)));
            let dom = Dominators::new(&cfg);
            let natural = loops.blocks(l).iter().all(|b| dom.dominates(the_loop.header, *b));
            assert_eq!(the_loop.side_entries.is_empty(), natural, "seed {seed}: {l:?}");
        }
    }
}

/// Along every path keys grow, whatever loops it goes through.
#[test]
fn the_order_of_states_follows_every_path() {
    for (seed, f) in graphs() {
        let loops = Loops::new(&f, &Cfg::new(&f));
        let mut c = random::Choices::new(seed);
        let key = |b: BlockId, iterations: &[u32]| {
            let mut key = OrderKey::new();
            key.push(&loops, b, 0, iterations);
            key
        };
        let (mut at, mut iterations) = (BlockId(0), Vec::new());
        for _ in 0..40 {
            let next: Vec<BlockId> = f.successors(at).collect();
            if next.is_empty() {
                break;
            }
            let to = next[c.below(next.len())];
            let before = key(at, &iterations);
            Topo(&loops).step(at, to, &mut iterations);
            assert_eq!(iterations.len(), loops.depth(to) as usize, "seed {seed}");
            assert!(before < key(to, &iterations), "seed {seed}: {at:?} {to:?} {iterations:?}");
            at = to;
        }
    }
}

#[test]
fn a_call_is_finished_before_what_follows_it() {
    let f = random::module(3, 4, 0).functions.remove(0);
    let loops = Loops::new(&f, &Cfg::new(&f));
    let frames = |frames: &[(u32, u32)]| {
        let mut key = OrderKey::new();
        frames.iter().for_each(|&(b, inst)| key.push(&loops, BlockId(b), inst, &[]));
        key
    };
    let before = frames(&[(0, 0)]);
    let calling = frames(&[(0, 3), (0, 0)]);
    let deep = frames(&[(0, 3), (0, 5)]);
    let after = frames(&[(0, 4)]);
    assert!(before < calling && calling < deep && deep < after);
}

/// The exit of a loop has one way in, but states of all iterations come along it.
#[test]
fn states_may_merge_where_paths_meet_and_where_loops_end() {
    let text = "func @f(i1 %0) slots 1 {
        b0: jump b1
        b1: branch %0, b2, b5
        b2: branch %0, b3, b4
        b3: jump b1
        b4: jump b1
        b5: branch %0, b6, b7
        b6: trap
        b7: return ()
    }";
    let f = rejoin_ir::text::parse(text).unwrap().functions.remove(0);
    let cfg = Cfg::new(&f);
    let points = rejoin_analysis::joins::merge_points(&f, &cfg, &Loops::new(&f, &cfg));
    assert_eq!(points.iter().collect::<Vec<_>>(), [1, 5]);
}

#[test]
fn join_points_have_several_ways_in() {
    for (_, f) in graphs() {
        let cfg = Cfg::new(&f);
        let joins: Vec<BlockId> = cfg.join_points().collect();
        for b in blocks(&f).filter(|b| cfg.is_reachable(*b)) {
            let ways = blocks(&f)
                .filter(|p| cfg.is_reachable(*p))
                .flat_map(|p| rejoin_analysis::cfg::out_edges(&f, p))
                .filter(|e| f.edges[e.index()].target == b)
                .count();
            assert_eq!(joins.contains(&b), ways > 1);
        }
    }
}
