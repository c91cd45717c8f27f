//! The way back: where an operation cannot take a merged value, the state is split again.

use crate::machine::Machine;
use crate::outcome::Flow;
use crate::state::State;
use rejoin_expr::{Node, Pool, Term};

impl Machine {
    /// What `t` is in what `s` goes on as: a term without choices. The state is split along the
    /// conditions of the choices; nothing is lost.
    pub(crate) fn split(&mut self, s: &mut State, mut t: Term) -> Flow<Term> {
        while let Some(cond) = choice(&self.pool, t) {
            let holds = self.choose_counted(s, cond)?;
            let known = if holds { self.pool.tru() } else { self.pool.fals() };
            t = self.pool.replace(t, cond, known);
        }
        Ok(t)
    }

    /// Fixes a value as [`Machine::choose`] does; taking a merged value apart is counted.
    pub(crate) fn fix(&mut self, s: &mut State, t: Term, cond: Term) -> Flow<bool> {
        if !s.multiplicity.is_one() && choice(&self.pool, t).is_some() {
            self.choose_counted(s, cond)
        } else {
            self.choose(s, cond)
        }
    }

    fn choose_counted(&mut self, s: &mut State, cond: Term) -> Flow<bool> {
        let before = self.stats.forks;
        let holds = self.choose(s, cond)?;
        if self.stats.forks > before {
            self.stats.splits += 1;
            self.tally(s).splits += 1;
        }
        Ok(holds)
    }
}

/// A condition that `t` chooses by.
fn choice(pool: &Pool, t: Term) -> Option<Term> {
    pool.postorder(&[t]).into_iter().find_map(|u| match pool.node(u) {
        Node::Ite(c, _, _) => Some(c),
        Node::ZExt(a) | Node::SExt(a) if pool.width(a) == 1 => Some(a),
        _ => None,
    })
}
