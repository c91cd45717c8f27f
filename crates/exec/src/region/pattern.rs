//! Merging by patterns: Definition 3.6 of ESEC/FSE'23.
//!
//! The states of a regular partition whose formula is found become one state with a fresh variable
//! k: its path is the region's with φ1, the values of k, ∀ 1 ≤ i ≤ k. φ2(i), and φ3(k). A value is a
//! term in k if one fits; otherwise it is chosen by k. On every input exactly one k satisfies the
//! path, so `k = k_j` says which state it was.
//!
//! A region inside another one is merged by a pattern if that makes one state of all that left by an exit: of
//! two there would be four after the next iteration of the loop around it.

use super::Trail;
use super::account::{Level, Place};
use super::cases::Cases;
use super::join::Join;
use super::rivals::Rival;
use super::undo::{Before, Blamed};
use crate::machine::Machine;
use crate::merge::United;
use crate::state::State;
use rejoin_expr::{Assignment, Node, Pool, Term, Var};
use rejoin_fault::planted;
use rejoin_ir::LocId;
use rejoin_pattern::{Formula, Group, Shapes, Step, formula, partition, scan, value};
use rejoin_solver::{Path, Solver, conjuncts};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer states are not worth a quantifier.
const FEW: usize = 3;

/// So many letters of words are compared in the time of one term of a question to the backend; each is compared with
/// each pattern that was found, and that it is made takes as long as to compare it so often.
const LETTERS: u64 = 256;
const BEFORE: usize = 4;

/// So many turns of a loop may be unlike those that follow.
const MOST_TURNS: usize = 2;

/// A pattern by which states were merged, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundPattern {
    /// Where the merged state goes on.
    pub loc: LocId,
    /// The values of k.
    pub ks: Vec<u128>,
    /// φ1
    pub start: Vec<String>,
    /// φ2, in the index
    pub core: String,
    /// What φ2 says of inner patterns
    pub nested: Vec<String>,
    /// φ3, in k
    pub end: String,
}

fn trail(s: &State) -> Option<&Trail> {
    s.regions.last().map(|inside| &inside.trail)
}

/// What led `s` through its region.
fn steps_of(s: &State) -> Vec<Step> {
    trail(s).map_or_else(Vec::new, Trail::steps)
}

impl Machine {
    /// Merges what fits patterns into `merged`; gives the rest back, and how it is to be merged.
    pub(super) fn merge_by_patterns(
        &mut self,
        states: Vec<State>,
        place: Place,
        max_patterns: usize,
        merged: &mut Vec<State>,
    ) -> (Vec<State>, Join) {
        if states.len() < FEW {
            return (states, Join::Any(None));
        }
        let inner = self.variables_inside(&states[0]);
        let mut shapes = Shapes::with_alike(inner.clone());
        let lengths: Vec<usize> = states.iter().map(|s| trail(s).map_or(0, Trail::len)).collect();
        let is_inner = states[0].regions.len() > 1;
        let mut letters = 0;
        let word = |n: usize| {
            letters += lengths[n];
            steps_of(&states[n]).iter().map(|s| shapes.of_step(&self.pool, s)).collect()
        };
        let found = partition(&lengths, word, if is_inner { 1 } else { max_patterns });
        // Looking for patterns is paid for, whether they are found or not.
        letters *= found.as_ref().map_or(0, Vec::len) + BEFORE;
        self.regions.accounts.charge(Some(place), letters as u64 / LETTERS);
        let leaves: Vec<Vec<Step>> =
            if found.is_some() { states.iter().map(steps_of).collect() } else { Vec::new() };
        let Some(groups) = found.filter(|_| !is_inner || self.pays(&states, &leaves)) else {
            return (states, Join::Any(None));
        };
        let mut states: Vec<Option<State>> = states.into_iter().map(Some).collect();
        let mut rival = None;
        for group in groups {
            // If none fits the whole group, one may fit the subtree below the first turns.
            let turns = if is_inner { 0 } else { MOST_TURNS };
            let found = (0..=turns).find_map(|turns| {
                let group = group.below(turns);
                Some((self.formula_of(&group, &states, &leaves, &inner, place)?, group))
            });
            let Some((formula, group)) = found else { continue };
            // What is compared is all that leaves by one exit.
            let chosen = rival.unwrap_or_else(|| self.choose_rival(&states, place));
            rival = Some(chosen);
            if chosen == Rival::Terms {
                break;
            }
            let members = group.members.iter().filter_map(|&(n, k)| Some((states[n].take()?, k as u128)));
            let members: Vec<(State, u128)> = members.collect();
            merged.push(self.merge_group(members, Blamed { place, level: Level::Patterns, rival }, &formula));
        }
        (states.into_iter().flatten().collect(), Join::Any(rival))
    }

    /// How states of which some fit a pattern are merged. States with equal stores are not compared: by terms they
    /// would be no merge that is charged for anything.
    fn choose_rival(&mut self, states: &[Option<State>], place: Place) -> Rival {
        let mut states = states.iter().flatten();
        let Some(first) = states.next() else { return Rival::Alone };
        if states.all(|s| self.compatible(first, s).is_err() || self.same_store(first, s)) {
            return Rival::Alone;
        }
        let outermost = first.regions.first().map_or(0, |i| i.region);
        self.regions.accounts.next_rival(place, outermost)
    }

    /// The formula of a group, if its states can become one.
    fn formula_of(
        &mut self,
        group: &Group,
        states: &[Option<State>],
        leaves: &[Vec<Step>],
        inner: &FxHashSet<Var>,
        place: Place,
    ) -> Option<Formula> {
        let members = group.members.iter().map(|&(n, _)| Some((states[n].as_ref()?, &leaves[n][..])));
        let members: Vec<(&State, &[Step])> = members.collect::<Option<_>>()?;
        if members.len() < FEW || !self.fits(&members) {
            return None;
        }
        let before = self.solver.work(&self.pool);
        let (pool, solver) = (&mut self.pool, &mut self.solver);
        let mut same = |pool: &mut Pool, pairs: &[(Term, Term)]| are_equal(pool, solver, pairs);
        let found = formula(pool, group, leaves, inner, &mut same);
        self.regions.accounts.charge(Some(place), self.solver.work(&self.pool) - before);
        found
    }

    /// Whether a quantifier may be worth it inside another region: states with equal stores need no choices, and
    /// what is said of one byte is a set of its values.
    fn pays(&self, states: &[State], leaves: &[Vec<Step>]) -> bool {
        let mut vars =
            leaves.iter().flatten().flat_map(|s| self.pool.support_vars(self.pool.support(s.cond)));
        let first = vars.next();
        vars.any(|v| Some(v) != first)
            && states[1..]
                .iter()
                .any(|s| self.compatible(&states[0], s).is_err() || !self.same_store(&states[0], s))
    }

    /// The variables of merges that may be inside the region that `s` has left: those not of merges before.
    fn variables_inside(&mut self, s: &State) -> FxHashSet<Var> {
        if self.regions.variables.is_empty() {
            return FxHashSet::default();
        }
        let root = s.regions.last().map_or(0, |i| i.root);
        let before = s.path.prefix(&mut self.pool, root).conditions();
        let before = self.variables_in(&before);
        self.regions.variables.difference(&before).copied().collect()
    }

    /// Whether the states can become one, and their steps say all that their paths say.
    fn fits(&self, members: &[(&State, &[Step])]) -> bool {
        let (first, _) = members[0];
        let complete = |s: &State, steps: &[Step]| {
            let said: FxHashSet<Term> = steps.iter().flat_map(|s| conjuncts(&self.pool, s.cond)).collect();
            let root = s.regions.last().map_or(0, |i| i.root);
            s.path.suffix_since(root).iter().all(|c| said.contains(c))
        };
        // Parts of a state that was taken apart inside the region have another path before it.
        let root = |s: &State| s.regions.last().map_or(0, |i| i.root);
        let begins = |s: &State| root(s) == root(first) && first.path.lca(&s.path) >= root(first);
        members.iter().all(|(s, steps)| complete(s, steps))
            && members[1..].iter().all(|(s, _)| begins(s) && self.compatible(first, s).is_ok())
    }

    fn merge_group(&mut self, mut members: Vec<(State, u128)>, blamed: Blamed, formula: &Formula) -> State {
        let ks: Vec<u128> = members.iter().map(|m| m.1).collect();
        let width = self.pool.width(formula.x);
        self.stats.pattern_merges += 1;
        let k = self.pool.choosing_var(width, &format!("k{}", self.stats.pattern_merges));
        let path = self.pattern_path(&members, formula, k);
        self.record_pattern(&members[0].0, formula, k, &ks);
        if self.solver.validates() {
            self.validate_pattern(&members, formula, &path, k);
        }
        let base = members[0].0.clone();
        let parts = members.iter().map(|(s, value)| Before::new(s, self.pool.constant(width, *value)));
        let parts: Vec<Before> = parts.collect();
        self.regions.accounts.credit(blamed.place, members.len() - 1);
        for (s, value) in &mut members {
            self.fix_in_parts(s, k, *value);
        }
        let mut states = members.into_iter();
        let Some((mut merged, _)) = states.next() else { unreachable!("a group has members") };
        for (s, value) in states {
            let value = self.pool.constant(width, value);
            let guard = self.pool.eq(k, value);
            merged = self.unite_by(s, merged, United { path: path.clone(), guard });
        }
        let Node::Var(var) = self.pool.node(k) else { return merged };
        self.regions.variables.insert(var);
        let mut cases = Cases::new(k, var, &ks);
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let mut image = |pool: &mut Pool, t: Term| {
            *known.entry(t).or_insert_with(|| in_terms_of(pool, t, formula.x, k, &ks, &mut cases))
        };
        merged.map_terms(&base, &mut self.pool, &mut image);
        let values = values_of(&mut self.pool, k, ks);
        self.remember(&mut merged, blamed, (k, values), parts);
        merged
    }

    fn record_pattern(&mut self, s: &State, formula: &Formula, k: Term, ks: &[u128]) {
        let end = self.pool.replace(formula.end, formula.x, k);
        let mut ks = ks.to_vec();
        ks.sort_unstable();
        let shown = |t: &Term| self.pool.display(*t).to_string();
        self.patterns.push(FoundPattern {
            loc: self.loc(&s.frame),
            ks,
            start: formula.start.iter().map(shown).collect(),
            core: shown(&formula.core),
            nested: formula.nested.iter().map(shown).collect(),
            end: shown(&end),
        });
    }

    /// Theorem 3.7: for each value of k, the merged path is that of its state. That stores are equal is
    /// checked as they are made.
    fn validate_pattern(&mut self, members: &[(State, u128)], formula: &Formula, path: &Path, k: Term) {
        let unused = unused(&mut self.pool, formula, k);
        for (s, value) in members {
            let root = s.regions.last().map_or(0, |i| i.root);
            let [mut single, merged] = [&s.path, path].map(|p| p.suffix_since(root));
            single.extend(&unused);
            let (single, merged) = (self.pool.and_all(&single), self.pool.and_all(&merged));
            let value = self.pool.constant(self.pool.width(k), *value);
            let [single, merged] = [single, merged].map(|t| self.pool.replace(t, k, value));
            let mut query = s.path.prefix(&mut self.pool, root).conditions();
            query.push(self.pool.xor(single, merged));
            if self.solver.decide_directly(&mut self.pool, &query).is_sat() {
                self.solver.note_mismatch();
                self.messages.push("a merged path is not that of its parts (Theorem 3.7)".to_owned());
            }
        }
    }

    /// The path of the merged state.
    fn pattern_path(&mut self, members: &[(State, u128)], formula: &Formula, k: Term) -> Path {
        // The shortest one: from there later loops can go on for long without another k.
        let witnesses = members.iter().filter(|m| m.0.path.witness().is_some());
        let witness = witnesses.min_by_key(|m| m.1).unwrap_or(&members[0]);
        let root = witness.0.regions.last().map_or(0, |i| i.root);
        let mut path = witness.0.path.prefix(&mut self.pool, root);
        if let Node::Var(v) = self.pool.node(k) {
            path.give(&self.pool, v, witness.1);
        }
        let own = self.variables_in(&witness.0.path.conditions());
        for &v in formula.families.iter().flat_map(|f| &f.vars).filter(|v| !own.contains(v)) {
            path.give(&self.pool, v, 0);
        }
        for &c in &formula.start {
            path.assume(&mut self.pool, c);
        }
        let pool = &mut self.pool;
        let all = pool.forall(formula.x, k, formula.core);
        let end = pool.replace(formula.end, formula.x, k);
        let ks = members.iter().map(|m| m.1).collect();
        let mut conditions = values_of(pool, k, ks);
        conditions.push(all);
        conditions.extend(formula.nested.iter().map(|t| pool.replace(*t, formula.x, k)));
        conditions.push(end);
        conditions.extend(unused(pool, formula, k));
        for c in conditions {
            path.assume(pool, c);
        }
        path
    }
}

/// Conditions that the variables of inner patterns are 0 that the state of k says nothing of.
fn unused(pool: &mut Pool, formula: &Formula, k: Term) -> Vec<Term> {
    formula.families.iter().flat_map(|f| f.unused(pool, k)).collect()
}

/// Conditions that k is one of `ks`: a range, and exceptions.
fn values_of(pool: &mut Pool, k: Term, mut ks: Vec<u128>) -> Vec<Term> {
    ks.sort_unstable();
    let (min, mut max) = (ks[0], ks[ks.len() - 1]);
    if planted("pattern-k-off-by-one") {
        max -= 1;
    }
    let width = pool.width(k);
    let [least, most] = [min, max].map(|v| pool.constant(width, v));
    let mut conditions = vec![pool.ule(least, k), pool.ule(k, most)];
    let exceptions = (min..max).filter(|v| ks.binary_search(v).is_err());
    for missing in exceptions.skip(usize::from(planted("pattern-loses-exception"))) {
        let value = pool.constant(width, missing);
        conditions.push(pool.ne(k, value));
    }
    conditions
}

/// `t`, which may choose by k, as a term in k, if that is what it is for all values.
fn in_terms_of(pool: &mut Pool, t: Term, x: Term, k: Term, ks: &[u128], cases: &mut Cases) -> Term {
    if !cases.depends(pool, t) {
        return t;
    }
    let values = cases.of(pool, t);
    match value(pool, x, ks, &values).or_else(|| scan(pool, x, ks, &values)) {
        Some(found) if planted("pattern-wrong-stride") => {
            let twice = pool.add(k, k);
            pool.replace(found, x, twice)
        }
        Some(found) => pool.replace(found, x, k),
        None => t,
    }
}

/// Whether the booleans of each pair are equal: bytes are compared by their sets of values, some inputs are
/// tried, and of what is left the solver is asked once.
fn are_equal(pool: &mut Pool, solver: &mut Solver, pairs: &[(Term, Term)]) -> bool {
    let mut differ = Vec::new();
    for &(a, b) in pairs {
        let vars = |pool: &Pool, t: Term| pool.support_vars(pool.support(t)).to_vec();
        let one = vars(pool, a);
        if one.len() == 1
            && one == vars(pool, b)
            && let (Some(x), Some(y)) = (pool.byte_set(a), pool.byte_set(b))
        {
            if x != y {
                return false;
            }
            continue;
        }
        differ.push(pool.xor(a, b));
    }
    if differ.is_empty() {
        return true;
    }
    let any = pool.or_all(&differ);
    !is_seen_to_hold(pool, any) && solver.decide_directly(pool, &[any]).is_unsat()
}

/// Whether one of a few inputs satisfies `t`.
fn is_seen_to_hold(pool: &Pool, t: Term) -> bool {
    const TRIES: u64 = 8;
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let vars = pool.support_vars(pool.support(t)).to_vec();
    (0..TRIES).any(|n| {
        // All zero, all ones, small numbers, then anything.
        let value = |v: Var| match n {
            0 => 0,
            1 => u128::MAX,
            2 | 3 => u128::from(v.0 % (4 * n as u32)),
            _ => u128::from((u64::from(v.0) + 1).wrapping_mul(MIX).rotate_left(11 * n as u32)),
        };
        let mut a = Assignment::default();
        for &v in &vars {
            let width = pool.width(pool.var_term(v)).min(128);
            a.set(v, value(v) & (u128::MAX >> (128 - width)));
        }
        pool.eval(t, &a) == 1
    })
}
