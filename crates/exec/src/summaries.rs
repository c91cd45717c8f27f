//! Value summaries (`--merge summaries`): what the machine does where a value may be one.
//!
//! A summary is a term, its name (see `rejoin_summary`). Most of the machine moves it like any other
//! term. Here is the rest: results are expanded over the entries of their operands, conditions lose
//! their names before anybody decides them, and what leaves the machine contains none.

use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_ir::{Function, Inst};
use rejoin_memory::Value;
use rejoin_summary::{Guard, Summary};

impl Machine {
    /// The guard of the program counter's entry that `s` is.
    fn pc_guard(&mut self, s: &State) -> Guard {
        match &mut self.summaries {
            Some(summaries) => summaries.path(&mut self.pool, s.path.id(), || s.path.conditions()),
            None => Guard::TRUE,
        }
    }

    fn has_names(&mut self, t: Term) -> bool {
        self.summaries.as_mut().is_some_and(|m| m.has_names(&self.pool, t))
    }

    /// A term without names of summaries, equal to `t`.
    pub(crate) fn plain(&mut self, t: Term) -> Term {
        self.summaries.as_mut().map_or(t, |m| m.plain(&mut self.pool, t))
    }

    /// A value without names of summaries.
    pub(crate) fn plain_value(&mut self, v: Value) -> Value {
        match v {
            Value::Term(t) if self.has_names(t) => {
                let t = self.plain(t);
                self.value_of(t)
            }
            v => v,
        }
    }

    /// A condition without names, equal to `cond` on the path of `s`.
    pub(crate) fn as_condition(&mut self, s: &State, cond: Term) -> Term {
        if !self.has_names(cond) {
            return cond;
        }
        let pc = self.pc_guard(s);
        self.summaries.as_mut().map_or(cond, |m| m.condition(&mut self.pool, pc, cond))
    }

    /// The first value if the guard holds, else the second: a summary if there are summaries, else a
    /// term.
    pub(crate) fn either(&mut self, guard: Term, w: u16, a: Value, b: Value) -> Value {
        if let Some(summaries) = &mut self.summaries {
            return summaries.either(&mut self.pool, guard, u32::from(w), a, b);
        }
        let (a, b) = (self.term_of(a, w), self.term_of(b, w));
        let t = self.pool.ite(guard, a, b);
        self.value_of(t)
    }

    /// Turns the results of an instruction that were made from summaries into summaries.
    pub(crate) fn settle(&mut self, s: &mut State, func: &Function, inst: Inst) {
        let mut defs = Vec::new();
        inst.for_each_def(func, |reg, w| defs.push((reg, w)));
        for (reg, w) in defs {
            let Value::Term(t) = s.frame.get(reg, w) else { continue };
            if !self.has_names(t) {
                continue;
            }
            let pc = self.pc_guard(s);
            if let Some(summaries) = &mut self.summaries {
                let v = summaries.settle(&mut self.pool, pc, u32::from(w), Value::Term(t));
                s.frame.set(reg, w, v);
            }
        }
    }

    /// The entries of a value, if it is a summary.
    pub(crate) fn summary(&mut self, v: Value, w: u16) -> Option<Summary<Value>> {
        let Value::Term(t) = v else { return None };
        if !self.has_names(t) {
            return None;
        }
        self.summaries.as_mut()?.entries(&mut self.pool, u32::from(w), v)
    }

    /// A guard as a term.
    pub(crate) fn guard_term(&mut self, g: Guard) -> Term {
        match &mut self.summaries {
            Some(summaries) => summaries.term(&mut self.pool, g),
            None => self.pool.tru(),
        }
    }

    /// What `compute` makes of all combinations of the operands' entries, if one of them is a summary
    /// and all entries are bits: what no solver knows stays concrete under guards.
    pub(crate) fn on_entries(
        &mut self,
        s: &State,
        operands: &[(Value, u16)],
        w: u16,
        compute: &dyn Fn(&[u128]) -> u128,
    ) -> Option<Value> {
        let symbolic: Vec<Term> = operands.iter().filter_map(|o| o.0.term()).collect();
        if !symbolic.iter().any(|t| self.has_names(*t)) {
            return None;
        }
        let pc = self.pc_guard(s);
        let summaries = self.summaries.as_mut()?;
        let mut rows: Vec<(Guard, Vec<u128>)> = vec![(pc, Vec::new())];
        for &(v, w) in operands {
            let entries = summaries.entries(&mut self.pool, u32::from(w), v)?;
            let mut next = Vec::new();
            for (g, row) in &rows {
                for &(h, value) in entries.entries() {
                    let both = summaries.and(&mut self.pool, *g, h)?;
                    if both != Guard::FALSE {
                        let mut row = row.clone();
                        row.push(value.bits()?);
                        next.push((both, row));
                    }
                }
            }
            rows = next;
        }
        let results = rows.into_iter().map(|(g, row)| (g, Value::Bits(compute(&row)))).collect();
        summaries.one_of(&mut self.pool, u32::from(w), results)
    }

    /// What leaves the machine contains no names.
    pub(crate) fn plain_outcome(&mut self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Exit(code) => Outcome::Exit(self.plain_value(code)),
            Outcome::Error(mut e) => {
                for (_, _, v) in e.stack.iter_mut().flat_map(|f| f.args.iter_mut()) {
                    *v = self.plain_value(*v);
                }
                Outcome::Error(e)
            }
            other => other,
        }
    }
}
