//! Value summaries (`--merge summaries`): what the machine does where a value may be one.
//!
//! A summary is a term, its name (see `rejoin_summary`). Most of the machine moves it like any other
//! term. Here is the rest: results are expanded over the entries of their operands, conditions lose
//! their names before anybody decides them, and what leaves the machine contains none.

use crate::machine::Machine;
use crate::multiplicity::Multiplicity;
use crate::outcome::Outcome;
use crate::state::{GapKind, State};
use rejoin_expr::{Pool, Term, Var};
use rejoin_ir::{Function, Inst};
use rejoin_memory::{ObjectId, Value};
use rejoin_solver::{Answer, Model, Path, Solver};
use rejoin_summary::{Guard, Summary, Verdict};

/// Witnesses that are kept before all of them are forgotten.
const MAX_WITNESSES: usize = 4096;

impl Machine {
    /// The guard of the program counter's entry that `s` is; always if it is too large.
    fn pc_guard(&mut self, s: &State) -> Guard {
        self.exact_pc_guard(s).unwrap_or(Guard::TRUE)
    }

    fn exact_pc_guard(&mut self, s: &State) -> Option<Guard> {
        self.summaries.as_mut()?.path(&mut self.pool, s.path.newest())
    }

    /// The guard of an entry that two others become.
    pub(crate) fn unite_pc_guards(&mut self, a: &State, b: &State, united: &Path) {
        let (x, y) = (self.exact_pc_guard(a), self.exact_pc_guard(b));
        self.summaries.iter_mut().for_each(|m| m.either_path(united.id(), x, y));
    }

    /// Keeps the witness of an entry of the program counter that becomes part of another one: who takes
    /// that apart again along the same guards need not ask the solver.
    pub(crate) fn keep_witness(&mut self, s: &State) {
        if let Some(guard) = self.exact_pc_guard(s)
            && let Some(witness) = s.path.witness()
        {
            if self.witnesses.len() >= MAX_WITNESSES {
                self.witnesses.clear();
            }
            self.witnesses.insert(guard, witness);
        }
    }

    /// Whether a condition without names can hold on a merged path, if guards know: the conjunction with
    /// the program counter's guard is `false` or over bytes alone, is the guard of an entry that was there
    /// before, or has a cube that the solver finds an input for.
    pub(crate) fn by_guards(&mut self, s: &State, cond: Term) -> Option<Answer> {
        let witness = s.path.witness().filter(|_| !s.multiplicity.is_one() && self.summaries.is_some())?;
        if witness.eval(&self.pool, cond) != 0 {
            return Some(Answer::Sat(witness));
        }
        let pc = self.exact_pc_guard(s)?;
        let summaries = self.summaries.as_mut()?;
        let guard = summaries.condition_at(&mut self.pool, pc, cond)?;
        if guard == Guard::FALSE {
            return Some(Answer::Unsat);
        }
        if let Some(bytes) = summaries.bytes(guard, |v| witness.get(v) as u8) {
            if cfg!(debug_assertions) || self.solver.validates() {
                let found = s.path.changed(&self.pool, cond, bytes);
                if found.is_none() {
                    self.fault("values from a guard that do not satisfy it".to_owned());
                }
                return found.map(Answer::Sat);
            }
            return s.path.moved(bytes).map(Answer::Sat);
        }
        if let Some(model) = self.witnesses.get(&guard).and_then(|w| s.path.adopt(&self.pool, cond, w)) {
            return Some(Answer::Sat(model));
        }
        self.by_cubes(s, cond, guard, &witness)
    }

    /// Whether a guard can hold, asked one cube after the other.
    fn by_cubes(&mut self, s: &State, cond: Term, guard: Guard, witness: &Model) -> Option<Answer> {
        let (solver, mut found) = (&mut self.solver, None);
        let mut decide = |pool: &mut Pool, cube: &[Term]| {
            let values = match input_of(solver, pool, cube) {
                Ok(values) => values,
                Err(core) => return core.map_or(Verdict::Unknown, Verdict::Impossible),
            };
            found = s.path.changed(pool, cond, values);
            if found.is_some() { Verdict::Possible } else { Verdict::Unknown }
        };
        let wish = |pool: &Pool, t: Term| witness.eval(pool, t) != 0;
        match self.summaries.as_ref()?.has_cube(&mut self.pool, guard, &wish, &mut decide)? {
            true => found.map(Answer::Sat),
            false => Some(Answer::Unsat),
        }
    }

    /// Under `--validate`, an answer of the guards has to be the solver's.
    pub(crate) fn check_answer(&mut self, s: &State, cond: Term, answer: &Answer) {
        if self.solver.validates() {
            let asked = self.solver.check(&mut self.pool, &s.path, cond);
            if !matches!(asked, Answer::Unknown(_)) && asked.is_sat() != answer.is_sat() {
                self.fault("guards and solver disagree about a condition".to_owned());
            }
        }
    }

    /// Tells summaries of how many paths the values are that come now.
    pub(crate) fn on_paths(&mut self, multiplicity: &Multiplicity) {
        self.summaries.iter_mut().for_each(|m| m.on_paths(multiplicity.to_f64()));
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

    /// The first value if the guard holds, else the second: a summary if summaries are made, else a
    /// term.
    pub(crate) fn either(&mut self, guard: Term, w: u16, a: Value, b: Value) -> Value {
        if let Some(summaries) = self.summaries.as_mut().filter(|_| self.options.merging) {
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

    /// A value for people; a summary as `{(guard, value), …}`.
    pub(crate) fn in_words(&mut self, v: Value) -> String {
        let Value::Term(t) = v else { return format!("{:#x}", v.bits().unwrap_or(0)) };
        let Some(summary) = self.summary(v, self.pool.width(t) as u16) else {
            return self.pool.display(t).to_string();
        };
        let mut entries = Vec::new();
        for &(g, v) in summary.entries() {
            let guard = self.guard_term(g);
            let value = self.in_words(v);
            entries.push(format!("({}, {value})", self.pool.display(guard)));
        }
        format!("{{{}}}", entries.join(", "))
    }

    /// A guard as a term.
    pub(crate) fn guard_term(&mut self, g: Guard) -> Term {
        match &mut self.summaries {
            Some(summaries) => summaries.term(&mut self.pool, g),
            None => self.pool.tru(),
        }
    }

    /// What `compute` makes of all combinations of the operands' entries, if one of them is a summary
    /// and all entries are bits: what no solver knows stays concrete under guards. `None` if there are too many.
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
        for t in symbolic {
            let names = self.pool.support_vars(self.pool.support(t));
            self.summaries.iter_mut().for_each(|m| names.iter().for_each(|n| m.census.beyond_terms(*n)));
        }
        let pc = self.pc_guard(s);
        let operands: Vec<(Value, u32)> = operands.iter().map(|&(v, w)| (v, u32::from(w))).collect();
        self.summaries.as_mut()?.compute(&mut self.pool, pc, &operands, u32::from(w), compute)
    }

    /// Counts the operands that an instruction on symbolic values reads.
    pub(crate) fn count_reads(&mut self, s: &State, func: &Function, inst: Inst) {
        let mut operands = Vec::new();
        inst.for_each_use(func, |o, w| operands.extend(o.as_reg().map(|r| s.frame.get(r, w))));
        if operands.iter().any(|v| v.term().is_some())
            && let Some(summaries) = &mut self.summaries
        {
            operands.into_iter().for_each(|v| summaries.count_read(&self.pool, v, s.multiplicity.to_f64()));
        }
    }

    /// After a merge: notes if it merged pointers to different objects, which terms cannot do without
    /// asking again which one it is.
    pub(crate) fn take_census(&mut self) {
        let Some(summaries) = &mut self.summaries else { return };
        for name in summaries.census.end() {
            let t = self.pool.var_term(name);
            let Some(summary) = summaries.get(&self.pool, t).filter(|_| self.pool.width(t) == 64) else {
                continue;
            };
            let object = |v: &Value| v.bits().map(|bits| ObjectId::of_address(bits as u64).0);
            let mut objects: Vec<ObjectId> = summary.entries().iter().filter_map(|e| object(&e.1)).collect();
            objects.sort_unstable();
            objects.dedup();
            if objects.len() > 1 && objects.iter().any(|id| self.names.get(*id).is_some()) {
                summaries.census.beyond_terms(name);
            }
        }
    }

    /// Steps that guards took so far.
    #[must_use]
    pub fn guard_steps(&self) -> u64 {
        self.summaries.as_ref().map_or(0, rejoin_summary::Summaries::guard_steps)
    }

    /// How often limits of summaries and guards were met.
    pub(crate) fn limits_met(&self) -> [u64; 2] {
        self.summaries.as_ref().map_or([0; 2], |m| [m.counts.large_summaries, m.counts.large_guards])
    }

    /// Tells the ledger of limits that were met since, where `s` is.
    pub(crate) fn note_limits(&mut self, s: &State, before: [u64; 2]) {
        let kinds = [(GapKind::LargeSummary, "now a term"), (GapKind::LargeGuard, "now an atom")];
        for ((kind, what), (now, before)) in kinds.into_iter().zip(self.limits_met().into_iter().zip(before))
        {
            if now > before {
                let gap = self.gap(s, kind, what);
                *self.ledger.entry(gap).or_insert(0) += now - before;
            }
        }
    }

    /// Checks that the guards of every new summary are disjoint and that one of them always holds, so
    /// that they cover whatever the program counter's guards are. Diagrams know; where a guard became an
    /// atom, the solver does.
    pub(crate) fn check_summaries(&mut self) {
        let Some(summaries) = &mut self.summaries else { return };
        for name in summaries.fresh() {
            let Some(summaries) = &mut self.summaries else { return };
            if summaries.is_partition(&self.pool, name) {
                continue;
            }
            let entries = summaries.get(&self.pool, name).map(|s| s.entries().to_vec()).unwrap_or_default();
            let guards: Vec<Term> = entries.iter().map(|e| summaries.term(&mut self.pool, e.0)).collect();
            let mut wrong = Vec::new();
            for (i, a) in guards.iter().enumerate() {
                wrong.extend(guards[..i].iter().map(|b| self.pool.and(*a, *b)));
            }
            let covered = self.pool.or_all(&guards);
            wrong.push(self.pool.not(covered));
            let wrong = self.pool.or_all(&wrong);
            if let Answer::Sat(_) = self.solver.check(&mut self.pool, &Path::new(), wrong) {
                self.fault(format!("the guards of a value summary are no partition: {entries:?}"));
            }
        }
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

/// Values with which all conditions hold, or some of the conditions that contradict each other, if that is
/// known. The backend is asked last.
fn input_of(
    solver: &mut Solver,
    pool: &mut Pool,
    cube: &[Term],
) -> Result<Vec<(Var, u128)>, Option<Vec<Term>>> {
    let is_joint = |pool: &Pool, t: &Term| pool.support_vars(pool.support(*t)).len() > 1;
    let (joint, single): (Vec<Term>, Vec<Term>) = cube.iter().copied().partition(|t| is_joint(pool, t));
    let mut path = Path::new();
    let mut said = Vec::new();
    let mut model = None;
    for t in single.into_iter().chain(joint) {
        said.push(t);
        match solver.check_cheaply(pool, &path, t) {
            Some(Answer::Sat(found)) => {
                path.assume_with(pool, t, &found);
                model = Some(found);
            }
            Some(Answer::Unsat) => return Err(Some(connected(pool, &said))),
            _ => {
                model = match solver.check_all(pool, cube) {
                    Ok(Answer::Sat(found)) => Some(found),
                    Ok(_) => return Err(None),
                    Err(core) => return Err(Some(core)),
                };
                break;
            }
        }
    }
    let model = model.ok_or(None)?;
    let mut vars: Vec<Var> = cube.iter().flat_map(|t| pool.support_vars(pool.support(*t))).copied().collect();
    vars.sort_unstable();
    vars.dedup();
    Ok(vars.into_iter().map(|v| (v, model.get(v))).collect())
}

/// Those of the conditions that the last one depends on: they share variables with it, or with one that does.
fn connected(pool: &Pool, conditions: &[Term]) -> Vec<Term> {
    let Some((last, mut rest)) = conditions.split_last().map(|(l, r)| (*l, r.to_vec())) else {
        return Vec::new();
    };
    let mut all = vec![last];
    let mut at = 0;
    while let Some(&t) = all.get(at) {
        let vars = pool.support_vars(pool.support(t));
        let shares = |u: &Term| pool.support_vars(pool.support(*u)).iter().any(|v| vars.contains(v));
        let (near, far) = rest.into_iter().partition(shares);
        rest = far;
        let near: Vec<Term> = near;
        all.extend(near);
        at += 1;
    }
    all
}
