//! `--validate`: every merge is proved right by the solver.
//!
//! A merged state has to be what its definition says (PLDI'12, algorithm 1, line 20), whatever way it
//! was built: it has the inputs of its parts and no others, and under each part's condition its
//! store is that part's store. The guard has to tell the parts apart, so no input is in both.

use super::frames;
use crate::machine::Machine;
use crate::state::State;
use rejoin_expr::Term;
use rejoin_memory::Value;
use rejoin_solver::{Answer, Model, Path};

impl Machine {
    /// Whether merges are checked at all.
    pub(super) fn checks_merges(&self) -> bool {
        self.solver.validates() || cfg!(debug_assertions)
    }

    /// Checks a merge as far as this run asks for it; debug builds check all guards.
    pub(super) fn check(&mut self, a: &State, b: &State, merged: &State, guard: Term) {
        if self.solver.validates() {
            self.check_merge(a, b, merged, guard);
        } else {
            self.check_guard(a, b, guard);
        }
    }

    /// Checks `merged`, which was made of `a` and `b`.
    fn check_merge(&mut self, a: &State, b: &State, merged: &State, guard: Term) {
        let [in_a, in_b, in_merged] = [a, b, merged].map(|s| self.pool.and_all(&s.path.conditions()));
        let lost = self.pool.not(in_merged);
        for (part, name) in [(a, "first"), (b, "second")] {
            let text = format!("inputs of the {name} part are lost");
            self.prove_impossible(merged, &part.path, lost, |_, _| text);
            let (all, differences) = self.store_differences(part, merged);
            self.prove_impossible(merged, &part.path, all, |m, model| {
                let differs = differences.iter().find(|d| model.eval(&m.pool, d.1) != 0);
                let what = differs.map_or("something", |d| d.0.as_str());
                format!("under the {name} part's condition {what} has another value")
            });
        }
        let parts = self.pool.or(in_a, in_b);
        let added = self.pool.not(parts);
        self.prove_impossible(merged, &merged.path, added, |_, _| "inputs of neither part are added".into());
        self.check_guard(a, b, guard);
    }

    /// Checks the parts that `merged` was taken apart into: each with the value that `by` has on it.
    pub(crate) fn check_parts(&mut self, parts: &[(State, Term)], merged: &State, by: Term) {
        let mut lost = Vec::new();
        for (part, value) in parts {
            let inside = self.pool.and_all(&merged.path.conditions());
            let outside = self.pool.not(inside);
            let added = self.pool.replace(outside, by, *value);
            self.prove_impossible(merged, &part.path, added, |_, _| "a part has inputs of its own".into());
            let (all, _) = self.store_differences(part, merged);
            let all = self.pool.replace(all, by, *value);
            self.prove_impossible(merged, &part.path, all, |_, _| "a part has another store".into());
            let mut own = part.path.conditions();
            own.push(self.pool.eq(by, *value));
            let own = self.pool.and_all(&own);
            lost.push(self.pool.not(own));
        }
        let lost = self.pool.and_all(&lost);
        self.prove_impossible(merged, &merged.path, lost, |_, _| "inputs are in none of the parts".into());
    }

    /// Checks that the guard holds on all inputs of `a` and on none of `b`.
    fn check_guard(&mut self, a: &State, b: &State, guard: Term) {
        let not = self.pool.not(guard);
        self.prove_impossible(a, &a.path, not, |_, _| "the guard fails on an input of the first part".into());
        self.prove_impossible(b, &b.path, guard, |_, _| "the guard holds on an input of both parts".into());
    }

    /// Notes a fault of ours if `cond` is possible on `path`.
    fn prove_impossible(
        &mut self,
        s: &State,
        path: &Path,
        cond: Term,
        text: impl FnOnce(&Machine, &Model) -> String,
    ) {
        let place = |m: &Machine| m.describe_loc(m.loc_from(s.frame.func, s.frame.pc));
        let cond = self.plain(cond);
        match self.solver.check(&mut self.pool, path, cond) {
            Answer::Unsat => {}
            Answer::Sat(model) => {
                let text = text(self, &model);
                let place = place(self);
                self.fault(format!("wrong merge at {place}: {text}"));
            }
            Answer::Unknown(why) => {
                let message = format!("a merge at {} could not be checked: {why}", place(self));
                self.messages.push(message);
            }
        }
    }

    /// Where the store of a part differs from the merged one: any of it, and one by one with names.
    fn store_differences(&mut self, part: &State, merged: &State) -> (Term, Vec<(String, Term)>) {
        let mut found: Vec<(String, Term)> = Vec::new();
        for (n, (x, y)) in frames(part, merged).enumerate() {
            let name = &self.module.functions[x.func.index()].name.clone();
            for &(reg, w) in self.live_values(part, x, n > 0).iter() {
                let differs = self.unequal(x.get(reg, w), y.get(reg, w), u32::from(w));
                found.extend(differs.map(|t| (format!("register {} of {name}", reg.0), t)));
            }
            let variadic = |f: &crate::frame::Frame| {
                let args = f.variadic.iter().flat_map(|a| a.iter());
                args.flat_map(|a| a.pieces.clone()).collect::<Vec<_>>()
            };
            for (p, q) in variadic(x).into_iter().zip(variadic(y)) {
                let differs = self.unequal(p.1, q.1, 8 * p.0);
                found.extend(differs.map(|t| (format!("a variadic argument of {name}"), t)));
            }
        }
        for (id, differs) in part.memory.unequal(&merged.memory, &mut self.pool) {
            found.push((self.describe_object(id), differs));
        }
        let terms: Vec<Term> = found.iter().map(|f| f.1).collect();
        (self.pool.or_all(&terms), found)
    }

    /// The condition under which two values differ, unless they never do.
    fn unequal(&mut self, a: Value, b: Value, w: u32) -> Option<Term> {
        if a == b {
            return None;
        }
        let [a, b] = [a, b].map(|v| match v {
            Value::Bits(bits) => self.pool.constant(w, bits),
            Value::Term(t) => t,
        });
        Some(self.pool.ne(a, b))
    }
}
