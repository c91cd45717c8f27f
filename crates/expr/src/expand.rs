//! Terms without unknown places: what is read somewhere in an array of inputs is a choice between its bytes,
//! and what is said for all indices up to k is said for each.
//!
//! Diagrams know nothing of arrays and quantifiers. While these are small, choices and conjunctions are
//! what merging without them would have made, and diagrams answer as they do there.

use rustc_hash::FxHashMap;

use crate::node::{Node, Term};
use crate::pool::Pool;

/// Larger arrays are left as they are.
const MOST_BYTES: usize = 64;
/// Quantifiers over more indices are left as they are: their diagrams grow with the square.
const MOST_INDICES: u128 = 32;
/// Conditions on more combinations of chosen bytes are left as they are.
const MOST_CHOICES: u32 = 512;

/// What terms have become.
#[derive(Default)]
pub(crate) struct Expansion {
    known: FxHashMap<Term, Term>,
    /// Of a number that was expanded: how many choices there are in it.
    choices: FxHashMap<Term, u32>,
    /// What quantifiers say, index by index.
    instances: FxHashMap<Term, Vec<Term>>,
}

impl Expansion {
    /// `t`, as far as what is in it is small.
    pub(crate) fn of(&mut self, pool: &mut Pool, t: Term) -> Term {
        if !pool.has_inputs() {
            return t;
        }
        let mut waiting = vec![t];
        while let Some(&t) = waiting.last() {
            if self.known.contains_key(&t) {
                waiting.pop();
                continue;
            }
            let operands = self.operands(pool, t);
            let before = waiting.len();
            waiting.extend(operands.iter().filter(|o| !self.known.contains_key(o)));
            if waiting.len() == before {
                let choices = self.choices_in(pool, t);
                let is_condition = pool.width(t) == 1;
                let made =
                    if is_condition && choices > MOST_CHOICES { t } else { self.made(pool, t, &operands) };
                if !is_condition && choices > 1 {
                    self.choices.insert(t, choices);
                }
                self.known.insert(t, made);
                waiting.pop();
            }
        }
        self.known[&t]
    }

    /// What has to be expanded before `t`: of a quantifier its instances, since its body alone has no value.
    fn operands(&mut self, pool: &mut Pool, t: Term) -> Vec<Term> {
        let Node::Forall(i, _, body) = pool.node(t) else {
            return pool.node(t).operands().filter(|o| pool.width(*o) > 0).collect();
        };
        let last = match pool.node(i) {
            Node::Var(v) => pool.index_max(v),
            _ => 0,
        };
        if last > MOST_INDICES {
            return Vec::new();
        }
        let instances = self.instances.entry(t);
        instances.or_insert_with(|| (1..=last).map(|n| pool.instance(i, n, body)).collect()).clone()
    }

    /// Between how many alternatives `t` chooses, where its numbers are expanded.
    fn choices_in(&self, pool: &Pool, t: Term) -> u32 {
        let of = |t: Term| self.choices.get(&t).copied().unwrap_or(1);
        match pool.node(t) {
            Node::Select(array, at) => match pool.node(array) {
                Node::Inputs(id) => of(at).saturating_mul(pool.input_table(id).len() as u32),
                _ => of(at),
            },
            Node::Ite(_, a, b) => of(a).saturating_add(of(b)) - 1,
            Node::Forall(..) => 1,
            node => node.operands().fold(1, |all, o| all.saturating_mul(of(o))),
        }
    }

    /// `t` of what its operands have become.
    fn made(&self, pool: &mut Pool, t: Term, operands: &[Term]) -> Term {
        match pool.node(t) {
            Node::Const(_) | Node::Var(_) => t,
            Node::Forall(..) if operands.is_empty() => t,
            Node::Forall(_, k, _) => {
                let mut all = pool.tru();
                for (n, instance) in operands.iter().enumerate() {
                    let index = pool.constant(pool.width(k), n as u128 + 1);
                    let beyond = pool.ult(k, index);
                    let here = pool.or(beyond, self.known[instance]);
                    all = pool.and(all, here);
                }
                all
            }
            Node::Select(array, at) => {
                let at = self.known[&at];
                choice(pool, array, at).unwrap_or_else(|| pool.select(array, at))
            }
            _ if operands.iter().all(|o| self.known[o] == *o) => t,
            node => {
                let width = pool.width(t);
                pool.make(node, width, |o| self.known.get(&o).copied().unwrap_or(o))
            }
        }
    }
}

/// The byte of a small array of inputs at an unknown place: by halves, since a diagram then takes n log n steps.
fn choice(pool: &mut Pool, array: Term, at: Term) -> Option<Term> {
    let Node::Inputs(id) = pool.node(array) else { return None };
    let bytes = pool.input_table(id).to_vec();
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let (inside, beyond) = (byte_below(pool, &bytes, 0, at), pool.constant(8, 0));
    let is_inside = is_below(pool, at, bytes.len());
    Some(pool.ite(is_inside, inside, beyond))
}

/// That of `bytes` at a place below their end, if the first one is at `first`.
fn byte_below(pool: &mut Pool, bytes: &[Term], first: usize, at: Term) -> Term {
    if let [byte] = bytes {
        return *byte;
    }
    let (low, high) = bytes.split_at(bytes.len() / 2);
    let middle = first + low.len();
    let [low, high] = [(low, first), (high, middle)].map(|(bytes, first)| match bytes {
        [] => pool.constant(8, 0),
        _ => byte_below(pool, bytes, first, at),
    });
    let is_low = is_below(pool, at, middle);
    pool.ite(is_low, low, high)
}

fn is_below(pool: &mut Pool, at: Term, end: usize) -> Term {
    let end = pool.constant(pool.width(at), end as u128);
    pool.ult(at, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::diagram::{Diagrams, QUESTION_WORK};

    /// Bytes of an input, and k.
    fn inputs(pool: &mut Pool, bytes: u32) -> (Vec<Term>, Term, Term) {
        let k = pool.choosing_var(8, "k");
        let bytes: Vec<Term> = (0..bytes).map(|i| pool.var(8, &format!("s{i}"))).collect();
        let array = pool.inputs(&bytes);
        (bytes, array, k)
    }

    /// `∀ 1 ≤ i ≤ k. s[i - 1] = 'a'`, and `s[k] ≠ 'a'`.
    fn span(pool: &mut Pool, array: Term, k: Term, max: u128) -> [Term; 2] {
        let i = pool.index_var(8, max);
        let letter = pool.constant(8, b'a'.into());
        let byte = |pool: &mut Pool, at: Term, shift: u128| {
            let (at, shift) = (pool.zext(at, 32), pool.constant(32, shift));
            let at = pool.add(at, shift);
            let byte = pool.select(array, at);
            pool.eq(byte, letter)
        };
        let (body, last) = (byte(pool, i, u128::from(u32::MAX)), byte(pool, k, 0));
        [pool.forall(i, k, body), pool.not(last)]
    }

    #[test]
    fn an_expanded_condition_says_the_same() {
        let mut pool = Pool::new();
        let (bytes, array, k) = inputs(&mut pool, 3);
        let conditions = span(&mut pool, array, k, 4);
        let mut expansion = Expansion::default();
        for c in conditions {
            let expanded = expansion.of(&mut pool, c);
            assert!(expanded != c && !pool.is_quantified(expanded));
            for n in 0..5 * 27u128 {
                let value = |v: u128| [b'a', 0, b'b'][(v % 3) as usize].into();
                let terms = [k, bytes[0], bytes[1], bytes[2]];
                let values = [n / 27, value(n), value(n / 3), value(n / 9)];
                let var = |t: Term| pool.support_vars(pool.support(t))[0];
                let a: Assignment = terms.iter().zip(values).map(|(t, v)| (var(*t), v)).collect();
                assert_eq!(pool.eval(c, &a), pool.eval(expanded, &a), "{values:?}");
            }
        }
    }

    #[test]
    fn diagrams_know_what_is_said_up_to_k() {
        let mut pool = Pool::new();
        let (bytes, array, k) = inputs(&mut pool, 20);
        let [all, end] = span(&mut pool, array, k, 20);
        let (nine, letter) = (pool.constant(8, 9), pool.constant(8, b'b'.into()));
        let (late, other) = (pool.ult(nine, k), pool.eq(bytes[9], letter));
        let mut diagrams = Diagrams::default();
        let (_, complete) =
            diagrams.solve(&mut pool, &[all, end, late], QUESTION_WORK, |_| 0).expect("possible");
        assert!(complete);
        assert_eq!(diagrams.solve(&mut pool, &[all, late, other], QUESTION_WORK, |_| 0), None);
    }

    #[test]
    fn what_is_large_stays_as_it_is() {
        let mut pool = Pool::new();
        let (_, array, k) = inputs(&mut pool, MOST_BYTES as u32 + 1);
        let mut expansion = Expansion::default();
        for c in span(&mut pool, array, k, MOST_INDICES + 1) {
            assert_eq!(expansion.of(&mut pool, c), c);
        }
        // Of two bytes that are each chosen from many there are too many pairs.
        let (_, small, other) = inputs(&mut pool, 30);
        let [at, also] = [k, other].map(|k| pool.zext(k, 32));
        let [x, y] = [at, also].map(|at| pool.select(small, at));
        let same = pool.eq(x, y);
        assert_eq!(expansion.of(&mut pool, same), same);
    }
}
