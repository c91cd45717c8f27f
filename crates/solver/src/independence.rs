//! The part of a path that a condition depends on.
//!
//! Only conditions that share variables with the one asked about, directly or through others, can
//! make it impossible; the others are satisfied by the witness, whose values the answer keeps.

use rejoin_expr::{ByteSet, Pool, Term, Var};
use rustc_hash::FxHashMap;

use crate::path::{Path, conjuncts};

/// A condition with what it depends on.
pub(crate) struct Part {
    /// The conditions, that which is asked about among them, sorted.
    pub(crate) conditions: Vec<Term>,
    /// The variables of all of them, sorted.
    pub(crate) vars: Vec<Var>,
}

/// Terms that say that a variable is in a set, each made once.
#[derive(Default)]
pub(crate) struct Members(FxHashMap<(Var, ByteSet), Term>);

/// A set of variables as bits.
#[derive(Default)]
pub(crate) struct VarSet(Vec<u64>);

impl VarSet {
    pub(crate) fn contains(&self, v: Var) -> bool {
        self.0.get(v.0 as usize / 64).is_some_and(|w| w >> (v.0 % 64) & 1 == 1)
    }

    pub(crate) fn insert(&mut self, v: Var) {
        let i = v.0 as usize / 64;
        if i >= self.0.len() {
            self.0.resize(i + 1, 0);
        }
        self.0[i] |= 1 << (v.0 % 64);
    }

    /// Does the term have a variable of the set?
    pub(crate) fn touches(&self, pool: &Pool, t: Term) -> bool {
        pool.support_vars(pool.support(t)).iter().any(|&v| self.contains(v))
    }

    /// Adds the variables of a term.
    pub(crate) fn add(&mut self, pool: &Pool, t: Term) {
        pool.support_vars(pool.support(t)).iter().for_each(|&v| self.insert(v));
    }

    fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        let bits = |(i, &word): (usize, &u64)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| Var(i as u32 * 64 + b))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// The part of `path` that `cond` depends on; all of its joint conditions if there is no witness
/// that would satisfy the others.
pub(crate) fn part_of(pool: &mut Pool, path: &Path, cond: Term, members: &mut Members) -> Part {
    let mut vars = VarSet::default();
    vars.add(pool, cond);
    let rest: Vec<Term> = path.joint_conditions().collect();
    if !path.is_witnessed() {
        rest.iter().for_each(|&t| vars.add(pool, t));
    }
    let mut part = closure(pool, cond, vars, rest);
    for &v in &part.vars {
        let set = path.allowed(v);
        if set != ByteSet::FULL {
            part.conditions.push(members.term(pool, v, set));
        }
    }
    part.conditions.sort_unstable();
    part.conditions.dedup();
    part
}

/// The conditions of `rest` that `cond` depends on, with it.
pub(crate) fn connected(pool: &Pool, cond: Term, rest: Vec<Term>) -> Part {
    let mut vars = VarSet::default();
    vars.add(pool, cond);
    let mut part = closure(pool, cond, vars, rest);
    part.conditions.sort_unstable();
    part.conditions.dedup();
    part
}

/// `cond` and what of `rest` shares variables with it or with `vars`, directly or through others.
fn closure(pool: &Pool, cond: Term, mut vars: VarSet, mut rest: Vec<Term>) -> Part {
    let mut conditions = conjuncts(pool, cond);
    loop {
        let before = rest.len();
        rest.retain(|&t| {
            let shares = vars.touches(pool, t);
            if shares {
                conditions.push(t);
                vars.add(pool, t);
            }
            !shares
        });
        if rest.len() == before {
            break;
        }
    }
    Part { conditions, vars: vars.iter().collect() }
}

/// What has to be solved when only the variables of `free` may leave the witness.
pub(crate) struct Neighbourhood {
    /// Conditions of the part that mention a free variable, then equations for the others.
    pub(crate) conditions: Vec<Term>,
    /// The equations that are no conditions of the part, with their variables.
    pub(crate) fixed: Vec<(Term, Var)>,
}

/// The conditions around the free variables, with the others at the witness's values.
pub(crate) fn neighbourhood(pool: &mut Pool, path: &Path, part: &Part, free: &VarSet) -> Neighbourhood {
    let near = part.conditions.iter().copied().filter(|&t| free.touches(pool, t));
    let mut conditions: Vec<Term> = near.collect();
    let mut border = VarSet::default();
    conditions.iter().for_each(|&t| border.add(pool, t));
    let mut fixed = Vec::new();
    for v in border.iter().filter(|&v| !free.contains(v)) {
        let x = pool.var_term(v);
        let value = pool.constant(pool.width(x), path.value(v));
        let equation = pool.eq(x, value);
        if part.conditions.binary_search(&equation).is_err() {
            fixed.push((equation, v));
        }
        conditions.push(equation);
    }
    Neighbourhood { conditions, fixed }
}

impl Members {
    /// The term that says that the byte `v` is in `set`.
    fn term(&mut self, pool: &mut Pool, v: Var, set: ByteSet) -> Term {
        if let Some(&term) = self.0.get(&(v, set)) {
            return term;
        }
        let term = pool.in_set(v, set);
        self.0.insert((v, set), term);
        term
    }
}

/// The variables that occur in the conditions, in order.
pub(crate) fn variables(pool: &Pool, conditions: &[Term]) -> Vec<Var> {
    let mut vars: Vec<Var> =
        conditions.iter().flat_map(|&c| pool.support_vars(pool.support(c))).copied().collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_say_exactly_the_set() {
        let mut pool = Pool::new();
        pool.var(8, "x");
        let sets = [
            ByteSet::EMPTY,
            [0, 1, 2, 255].into_iter().collect(),
            (b'0'..=b'9').chain(b'a'..=b'f').collect(),
            ByteSet::from_iter([7]).complement(),
            ByteSet::FULL,
        ];
        for set in sets {
            let term = Members::default().term(&mut pool, Var(0), set);
            for byte in 0..=255 {
                let value = pool.eval(term, &[(Var(0), u128::from(byte))].into_iter().collect());
                assert_eq!(value == 1, set.contains(byte), "{set:?} {byte}");
            }
        }
    }

    #[test]
    fn only_what_shares_variables_is_a_part() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..6).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let mut path = Path::new();
        let (a, b, c) = (pool.ule(v[0], v[1]), pool.ule(v[1], v[2]), pool.ule(v[3], v[4]));
        for t in [a, c, b] {
            path.assume(&mut pool, t);
        }
        let nine = pool.constant(8, 9);
        let small = pool.ule(v[2], nine);
        path.assume(&mut pool, small);
        let asked = pool.ult(v[0], v[5]);
        let part = part_of(&mut pool, &path, asked, &mut Members::default());
        assert_eq!(part.vars, [0, 1, 2, 5].map(Var));
        let mut expected = vec![a, b, asked, small];
        expected.sort_unstable();
        assert_eq!(part.conditions, expected);
    }
}
