//! A condition on a choice of inputs is a choice of conditions.
//!
//! Merged states hold bytes such as `ite(c, x, y)` and ask whether they are a letter. As a function
//! of `x`, `y` and the bytes of `c`, the byte has a diagram of 256 times 256 branches; the condition
//! `ite(c, x = 'a', y = 'a')` has a handful. So conditions are asked of the alternatives, wherever
//! the alternatives are inputs; choices between constants are left as they are.

use rustc_hash::FxHashMap;

use crate::node::{Node, Term};
use crate::pool::Pool;

/// Which terms are made of choices between inputs.
#[derive(Default)]
pub(crate) struct Choices {
    known: FxHashMap<Term, bool>,
}

impl Choices {
    /// The condition `t` as a choice: its first operand is decided, then one of the two others is asked.
    pub(crate) fn lifted(&mut self, pool: &mut Pool, t: Term) -> Option<[Term; 3]> {
        if pool.width(t) != 1 || is_logic(pool, t) || !self.chooses(pool, t) {
            return None;
        }
        // The way from the condition down to the choice.
        let mut way = vec![t];
        let (choice, [c, a, b]) = loop {
            let last = *way.last()?;
            if let Node::Ite(c, a, b) = pool.node(last) {
                break (last, [c, a, b]);
            }
            let next = wide(pool, last).find(|o| self.known.get(o) == Some(&true))?;
            way.push(next);
        };
        way.pop();
        let mut instead = |with: Term| {
            way.iter().rev().fold((choice, with), |(from, to), &t| {
                let (node, width) = (pool.node(t), pool.width(t));
                (t, pool.make(node, width, |operand| if operand == from { to } else { operand }))
            })
        };
        let (yes, no) = (instead(a).1, instead(b).1);
        Some([c, yes, no])
    }

    /// Is the term, beside operators, a choice that has an input among its alternatives?
    fn chooses(&mut self, pool: &Pool, t: Term) -> bool {
        let mut waiting = vec![t];
        while let Some(&t) = waiting.last() {
            let before = waiting.len();
            if !self.known.contains_key(&t) {
                waiting.extend(wide(pool, t).filter(|o| !self.known.contains_key(o)));
            }
            if waiting.len() == before {
                let known = |o: Term| self.known.get(&o) == Some(&true);
                let chooses = match pool.node(t) {
                    Node::Ite(_, a, b) => [a, b].into_iter().any(|o| is_input(pool, o) || known(o)),
                    _ => wide(pool, t).any(known),
                };
                self.known.entry(t).or_insert(chooses);
                waiting.pop();
            }
        }
        self.known.get(&t) == Some(&true)
    }
}

/// The operands that are numbers.
fn wide(pool: &Pool, t: Term) -> impl Iterator<Item = Term> {
    pool.node(t).operands().filter(|&o| pool.width(o) > 1)
}

/// Is this an alternative of which the value depends on the input itself?
fn is_input(pool: &Pool, t: Term) -> bool {
    !matches!(pool.node(t), Node::Ite(..) | Node::Const(_)) && pool.as_const(t).is_none()
}

/// Is this an operator on conditions?
pub(crate) fn is_logic(pool: &Pool, t: Term) -> bool {
    matches!(pool.node(t), Node::Ite(..)) || wide(pool, t).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::node::Var;

    #[test]
    fn a_condition_on_a_choice_of_inputs_is_a_choice_of_conditions() {
        let mut pool = Pool::new();
        let [c, x, y] = ["c", "x", "y"].map(|name| pool.var(8, name));
        let (ten, five) = (pool.constant(8, 10), pool.constant(8, 5));
        let small = pool.ult(c, ten);
        let lifted = |pool: &mut Pool, yes, no| {
            let chosen = pool.ite(small, yes, no);
            let wide = pool.zext(chosen, 32);
            let limit = pool.constant(32, 50);
            let asked = pool.ult(wide, limit);
            (asked, Choices::default().lifted(pool, asked))
        };
        assert_eq!(lifted(&mut pool, ten, five).1, None, "these are constants");
        let (asked, parts) = lifted(&mut pool, x, y);
        let [c, yes, no] = parts.expect("these are inputs");
        assert_eq!(c, small);
        for bytes in [[9, 49, 50], [9, 50, 49], [10, 49, 50], [10, 50, 49]] {
            let inputs = Assignment::from_iter((0..3).map(|i| (Var(i), bytes[i as usize])));
            let value = |t| pool.eval(t, &inputs);
            assert_eq!(value(asked), if value(c) == 1 { value(yes) } else { value(no) });
        }
        let (_, mixed) = lifted(&mut pool, five, y);
        assert!(mixed.is_some_and(|[_, yes, _]| pool.is_true(yes)));
    }
}
