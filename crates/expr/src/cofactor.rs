//! Conditions made short by what is known beside them.
//!
//! Two paths that become one have conditions that repeat each other: what one says is denied by the
//! other, and much follows from the path that both share. Their diagrams show what is left. The
//! generalized cofactor (`restrict` of Coudert and Madre, ICCAD 1990) is a diagram that agrees with
//! another one wherever a third holds, and is small because it may be anything elsewhere.

use rustc_hash::FxHashMap;

use crate::byteset::ByteSet;
use crate::diagram::{Diagrams, Level, Op, TooMuch};
use crate::graph::{Diagram, Id};
use crate::node::{Binary, Term};
use crate::pool::Pool;

/// Larger diagrams do not become terms.
const SMALL: usize = 64;

/// Two conjunctions as one.
pub struct Either {
    /// Hold together exactly where one of them does, on what is known.
    pub conditions: Vec<Term>,
    /// There, holds exactly where the first one does.
    pub guard: Term,
}

impl Diagrams {
    /// Where all of `known` holds: the disjunction of the conjunctions `x` and `y`, which exclude
    /// each other. `None` if one of them has no diagram, or a large one.
    pub fn either(&mut self, pool: &mut Pool, known: &[Term], x: &[Term], y: &[Term]) -> Option<Either> {
        self.renew();
        let (a, b) = (self.all(pool, x)?, self.all(pool, y)?);
        let or = self.within(|d| d.disjunction(pool, a, b))?;
        let mut care = self.value(1);
        for &t in known {
            if let Some(both) = self.of(pool, t).and_then(|t| self.both(pool, care, t)) {
                care = both;
            }
        }
        let either = self.restrict(pool, or, care)?;
        let care = self.both(pool, care, or)?;
        let guard = self.restrict(pool, a, care)?;
        let mut conditions = Vec::new();
        let mut sets = self.value(1);
        for (level, set) in self.projections(either)?.into_iter().rev() {
            conditions.push(pool.in_set(level.var(), set));
            let no = self.value(0);
            sets = self.byte(level, vec![(set, sets), (set.complement(), no)]);
        }
        let rest = self.restrict(pool, either, sets)?;
        let rest = self.term(pool, rest)?;
        conditions.push(rest);
        conditions.retain(|&c| !pool.is_true(c));
        Some(Either { conditions, guard: self.term(pool, guard)? })
    }

    /// The conjunction.
    fn all(&mut self, pool: &mut Pool, conditions: &[Term]) -> Option<Id> {
        let mut all = self.value(1);
        for &t in conditions {
            let t = self.of(pool, t)?;
            all = self.both(pool, all, t)?;
        }
        Some(all)
    }

    fn disjunction(&mut self, pool: &Pool, a: Id, b: Id) -> Result<Id, TooMuch> {
        let unused = self.value(0);
        self.apply(pool, Op::Binary(Binary::Or, 1), [a, b, unused])
    }

    /// A diagram that is `f` wherever `care` holds.
    fn restrict(&mut self, pool: &Pool, f: Id, care: Id) -> Option<Id> {
        self.within(|d| d.restricted(pool, f, care, &mut FxHashMap::default()))
    }

    fn restricted(
        &mut self,
        pool: &Pool,
        f: Id,
        care: Id,
        known: &mut FxHashMap<(Id, Id), Id>,
    ) -> Result<Id, TooMuch> {
        let (Some(own), Some(other)) = (self.top(f), self.top(care)) else { return Ok(f) };
        if let Some(&id) = known.get(&(f, care)) {
            return Ok(id);
        }
        let nothing = self.value(0);
        let id = if other < own {
            // The variable is none of `f`'s: it cares about all its values.
            let mut any = nothing;
            for (_, below) in self.edges(care, other) {
                any = self.disjunction(pool, any, below)?;
            }
            self.restricted(pool, f, any, known)?
        } else {
            let (mut edges, mut free) = (Vec::new(), ByteSet::EMPTY);
            for (set, below) in self.edges(f, own) {
                for (cares, care) in self.edges(care, own) {
                    let set = set.intersect(cares);
                    self.work = self.work.checked_sub(1).ok_or(TooMuch)?;
                    match set {
                        _ if set.is_empty() => {}
                        _ if care == nothing => free = free.union(set),
                        _ => edges.push((set, self.restricted(pool, below, care, known)?)),
                    }
                }
            }
            // What does not matter goes with the most, so that the others are few.
            if let Some(most) = edges.iter_mut().max_by_key(|e| e.0.len()) {
                most.0 = most.0.union(free);
            }
            if edges.is_empty() { f } else { self.byte(own, edges) }
        };
        known.insert((f, care), id);
        Ok(id)
    }

    /// The sets of the variables that a condition confines, if it is small.
    fn projections(&self, id: Id) -> Option<Vec<(Level, ByteSet)>> {
        let nodes = self.below(id)?;
        let mut levels: Vec<Level> = nodes.iter().filter_map(|&n| self.top(n)).collect();
        levels.sort_unstable();
        levels.dedup();
        let place = |n: Id| self.top(n).map_or(levels.len(), |own| levels.partition_point(|&l| l < own));
        let mut sets = vec![ByteSet::EMPTY; levels.len()];
        for &n in &nodes {
            let Diagram::Byte(_, edges) = self.node(n) else { continue };
            let own = place(n);
            for &(set, below) in edges.iter().filter(|e| !matches!(self.node(e.1), Diagram::Value(0))) {
                sets[own] = sets[own].union(set);
                sets[own + 1..place(below)].fill(ByteSet::FULL);
            }
        }
        Some(levels.into_iter().zip(sets).filter(|s| s.1 != ByteSet::FULL).collect())
    }

    /// A condition's diagram as a term, if it is small.
    fn term(&mut self, pool: &mut Pool, id: Id) -> Option<Term> {
        let mut terms: FxHashMap<Id, Term> = FxHashMap::default();
        // Those below come first.
        let mut nodes = self.below(id)?;
        nodes.sort_by_key(|&n| self.top(n).map_or((0, None), |level| (1, Some(std::cmp::Reverse(level)))));
        for n in nodes {
            let term = match self.node(n) {
                Diagram::Value(value) => pool.bool(value != 0),
                Diagram::Byte(level, edges) => {
                    let mut edges: Vec<(ByteSet, Id)> = edges.to_vec();
                    edges.sort_by_key(|e| std::cmp::Reverse(e.0.len()));
                    let var = level.var();
                    let all = edges.into_iter().map(|(set, below)| (set, terms[&below]));
                    let term = all.reduce(|(_, otherwise), (set, then)| {
                        let is_in = pool.in_set(var, set);
                        (set, pool.ite(is_in, then, otherwise))
                    });
                    term?.1
                }
            };
            terms.insert(n, term);
        }
        terms.get(&id).copied()
    }

    /// All diagrams that one consists of, if they are few.
    fn below(&self, id: Id) -> Option<Vec<Id>> {
        let (mut all, mut next) = (vec![id], 0);
        while next < all.len() {
            if let Diagram::Byte(_, edges) = self.node(all[next]) {
                for &(_, below) in edges.iter() {
                    if !all.contains(&below) {
                        all.push(below);
                    }
                }
            }
            next += 1;
            if all.len() > SMALL {
                return None;
            }
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::node::Var;

    /// Conditions on three bytes, each as a path would have them.
    fn conditions(pool: &mut Pool) -> Vec<Term> {
        let v: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let k: Vec<Term> = [0, 1, 2, 5].map(|k| pool.constant(8, k)).into();
        let mut all = vec![pool.eq(v[0], k[0]), pool.ult(v[1], k[3]), pool.eq(v[2], k[1])];
        all.push(pool.ult(v[2], k[2]));
        all.push(pool.ite(all[1], all[0], all[2]));
        let both = pool.and(all[0], all[2]);
        all.push(pool.or(both, all[1]));
        let negations: Vec<Term> = all.iter().map(|&t| pool.not(t)).collect();
        all.extend(negations);
        all
    }

    #[test]
    fn either_path_and_what_tells_them_apart_are_exact_where_the_shared_part_holds() {
        let mut pool = Pool::new();
        let all = conditions(&mut pool);
        let mut diagrams = Diagrams::default();
        let steps = [0, 1, 2, 4, 5, 255];
        let inputs: Vec<Assignment> = (0..216)
            .map(|i| [i / 36, i / 6 % 6, i % 6].map(|at| steps[at]))
            .map(|b| Assignment::from_iter((0..3).map(|i| (Var(i), b[i as usize]))))
            .collect();
        let n = all.len();
        for i in 0..n * n * n {
            let (known, x, y) = (all[i / n / n], all[i / n % n], all[i % n]);
            let not = pool.not(x);
            let either = diagrams.either(&mut pool, &[known], &[x], &[y, not]).expect("these are small");
            for inputs in &inputs {
                let holds = |t: &Term| pool.eval(*t, inputs) == 1;
                if holds(&known) {
                    assert_eq!(either.conditions.iter().all(holds), holds(&x) || holds(&y));
                    assert!(!(holds(&x) || holds(&y)) || holds(&either.guard) == holds(&x));
                }
            }
        }
    }

    #[test]
    fn what_is_known_is_not_repeated() {
        let mut pool = Pool::new();
        let (v, w) = (pool.var(8, "v"), pool.var(8, "w"));
        let (five, letter) = (pool.constant(8, 5), pool.constant(8, b'a'.into()));
        let (small, is_letter) = (pool.ult(v, five), pool.eq(w, letter));
        let (large, other) = (pool.not(small), pool.not(is_letter));
        let mut diagrams = Diagrams::default();
        // The second branch is only on the first path.
        let either =
            diagrams.either(&mut pool, &[], &[small, is_letter], &[large, is_letter]).expect("small");
        assert_eq!((either.conditions, either.guard), (vec![is_letter], small));
        let either = diagrams.either(&mut pool, &[small], &[is_letter], &[other]).expect("small");
        assert_eq!((either.conditions, either.guard), (vec![], is_letter));
        let apart = pool.and(small, is_letter);
        let either = diagrams.either(&mut pool, &[small], &[apart], &[small, other]).expect("small");
        assert_eq!((either.conditions, either.guard), (vec![], is_letter));
    }

    /// Each further condition goes down all bytes before it: together they may not take more than one question may.
    #[test]
    fn long_paths_end_within_the_work_of_a_question() {
        let mut pool = Pool::new();
        let one = pool.constant(8, 1);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for i in 0..3000 {
            let v = pool.var(8, &format!("v{i}"));
            let is_one = pool.eq(v, one);
            x.push(pool.not(is_one));
            y.push(is_one);
        }
        let mut diagrams = Diagrams::default();
        assert!(diagrams.either(&mut pool, &x, &x, &y).is_none());
        assert!(diagrams.looked_at() <= 1 << 17, "{} edges", diagrams.looked_at());
    }
}
