//! How the chain and its backend behave when paths are explored in different orders.
//!
//! `random_path [dfs|random] [CHECKS] [bitwuzla|z3] [words] [fresh]`: explores a made-up program whose
//! branches compare bytes, pairs of bytes, words and sums, and prints what each link decided, the
//! time per check and per backend call, and the memory. `words`: no comparisons of single bytes;
//! `fresh`: no two branches are alike, so that caches are of no use.

use std::env::args;
use std::fs;
use std::time::Instant;

use rejoin_expr::{Pool, Term};
use rejoin_solver::{Answer, Backend, Link, Options, Path, Solver};

const BYTES: usize = 64;
const DEPTH: usize = 400;

/// A small generator, so that runs are equal everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

/// The branch that belongs to a seed.
fn branch_condition(pool: &mut Pool, v: &[Term], seed: u64, words_only: bool) -> Term {
    let mut random = Random(seed.wrapping_mul(7919) + 13);
    for _ in 0..3 {
        random.next(2);
    }
    let i = random.next(BYTES - 4);
    let k = random.next(256) as u128;
    let kind = if words_only { 6 + random.next(4) } else { random.next(10) };
    match kind {
        0..=5 => {
            let k = pool.constant(8, k);
            if random.next(2) == 0 { pool.eq(v[i], k) } else { pool.ult(v[i], k) }
        }
        6 => pool.ult(v[i], v[i + 1 + random.next(3)]),
        7 => {
            let half = pool.concat(v[i], v[i + 1]);
            let limit = pool.constant(16, k << 8 | random.next(256) as u128);
            pool.ult(half, limit)
        }
        8 => {
            let (a, b) = (pool.concat(v[i], v[i + 1]), pool.concat(v[i + 2], v[i + 3]));
            let word = pool.concat(a, b);
            let limit = pool.constant(32, k << 24 | 0x1234);
            pool.ult(word, limit)
        }
        _ => {
            let (a, b) = (pool.zext(v[i], 16), pool.zext(v[i + 2], 16));
            let sum = pool.add(a, b);
            let limit = pool.constant(16, 2 * k);
            pool.ult(sum, limit)
        }
    }
}

fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

/// Processor time of this thread in seconds: others may use the machine too.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn main() {
    let words: Vec<String> = args().skip(1).collect();
    let has = |name: &str| words.iter().any(|w| w == name);
    let checks: u64 = words.iter().find_map(|w| w.parse().ok()).unwrap_or(100_000);
    let backend = if has("z3") { Backend::Z3 } else { Backend::Bitwuzla };
    let mut pool = Pool::new();
    let v: Vec<Term> = (0..BYTES).map(|i| pool.var(8, &format!("b{i}"))).collect();
    let mut solver = Solver::new(Options { backend, ..Options::default() });
    let mut random = Random(1);
    let mut states = vec![(Path::new(), 0usize)];
    let (start, start_cpu, before) = (Instant::now(), cpu_seconds(), resident_bytes());
    let (mut forks, mut widest) = (0u64, 0);
    while solver.statistics().queries < checks && !states.is_empty() {
        let pick = if has("random") { random.next(states.len()) } else { states.len() - 1 };
        let (path, depth) = states.swap_remove(pick);
        if depth == DEPTH {
            continue;
        }
        let seed = if has("fresh") { solver.statistics().queries } else { depth as u64 };
        let cond = branch_condition(&mut pool, &v, seed, has("words"));
        let fork = solver.branch(&mut pool, &path, cond);
        let negation = pool.not(cond);
        forks += u64::from(fork.then.is_sat() && fork.els.is_sat());
        for (cond, answer) in [(cond, fork.then), (negation, fork.els)] {
            if let Answer::Sat(model) = answer {
                let mut next = path.clone();
                next.assume_with(&mut pool, cond, &model);
                states.push((next, depth + 1));
            }
        }
        widest = widest.max(states.len());
    }
    let s = solver.statistics();
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - start_cpu);
    println!("{words:?}: {} checks, {forks} forks, at most {widest} states", s.queries);
    for link in Link::ALL {
        println!("  {link:?}: {}", s.decided_by(link));
    }
    println!("  {:.4} ms of processor time per check", cpu * 1e3 / s.queries as f64);
    println!(
        "  {} backend calls, about {:.4} ms of processor time each, {} nodes sent",
        s.backend_calls,
        s.backend_seconds / seconds * cpu * 1e3 / s.backend_calls.max(1) as f64,
        s.nodes_sent
    );
    println!("  caches: {} unsat, {} sat; {} terms", s.cached_unsat, s.cached_sat, pool.len());
    println!("  {} MB more than at the start", (resident_bytes() - before) >> 20);
    drop(solver);
    let waiting = states.len().max(1) as u64;
    println!("  without the solver {} bytes per waiting state", (resident_bytes() - before) / waiting);
}
