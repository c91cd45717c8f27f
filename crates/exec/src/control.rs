//! Branches, switches and computed jumps on symbolic values.

use crate::decide::Sides;
use crate::machine::{Follow, Machine};
use crate::outcome::{ErrorKind, Flow, Stop};
use crate::state::{GapKind, State};
use rejoin_expr::Term;
use rejoin_fault::planted;
use rejoin_ir::{EdgeId, Function, Operand, Range};
use rejoin_memory::Value;
use rejoin_solver::{Answer, Model};

impl Machine {
    /// A conditional branch: one decision, at most one fork.
    pub(crate) fn branch(
        &mut self,
        s: &mut State,
        func: &Function,
        cond: Operand,
        then: EdgeId,
        els: EdgeId,
    ) -> Flow {
        let operand = cond;
        let cond = self.term(&s.frame, operand, 1);
        let cond = self.as_condition(s, cond);
        self.check_defined(s, cond, "a branch")?;
        self.check_depth(s)?;
        match self.sides(s, cond) {
            Sides::Then => {
                self.note_implied(s, func, operand, cond, true);
                self.take(s, func, then);
            }
            Sides::Els => {
                self.note_implied(s, func, operand, cond, false);
                self.take(s, func, els);
            }
            Sides::Both(t, e) => {
                self.open_region(s);
                self.comparison = self.comparison_of(s, func, operand, cond);
                let not = self.pool.not(cond);
                let mut other = self.sibling(s, not, e);
                let (then, els) = if planted("swap-arms") { (els, then) } else { (then, els) };
                self.take(&mut other, func, els);
                if !planted("drop-else-arm") {
                    self.forked.push(other);
                }
                self.assume(s, cond, t);
                self.comparison = None;
                self.take(s, func, then);
            }
            Sides::Neither => return Err(Stop::Replaced),
        }
        Ok(())
    }

    /// A branch that goes one way on all inputs is a step, too: it may go both ways elsewhere.
    fn note_implied(&mut self, s: &mut State, func: &Function, operand: Operand, cond: Term, holds: bool) {
        if s.regions.is_empty() || self.pool.as_const(cond).is_some() {
            return;
        }
        self.comparison = self.comparison_of(s, func, operand, cond);
        let cond = if holds { cond } else { self.pool.not(cond) };
        self.note_step(s, cond);
        self.comparison = None;
    }

    /// A switch forks once per distinct successor.
    pub(crate) fn switch(
        &mut self,
        s: &mut State,
        func: &Function,
        w: u16,
        value: Operand,
        table: u32,
    ) -> Flow {
        let table = &func.switches[table as usize];
        let v = match self.value(&s.frame, value, w) {
            Value::Bits(bits) => {
                let found = table.cases.binary_search_by_key(&bits, |c| c.0);
                let edge = found.map_or(table.default, |i| table.cases[i].1);
                self.take(s, func, edge);
                return Ok(());
            }
            Value::Term(t) => t,
        };
        self.check_defined(s, v, "a switch")?;
        self.check_depth(s)?;
        let mut arms: Vec<(EdgeId, Term)> = Vec::new();
        let mut any = self.pool.fals();
        let skipped = usize::from(planted("switch-loses-first-case"));
        for &(case, edge) in table.cases.iter().skip(skipped) {
            let case = self.pool.constant(u32::from(w), case);
            let hit = self.pool.eq(v, case);
            let hit = self.as_condition(s, hit);
            any = self.pool.or(any, hit);
            match arms.iter_mut().find(|a| a.0 == edge) {
                Some(arm) => arm.1 = self.pool.or(arm.1, hit),
                None => arms.push((edge, hit)),
            }
        }
        let none = if planted("switch-loses-default") { self.pool.fals() } else { self.pool.not(any) };
        match arms.iter_mut().find(|a| a.0 == table.default) {
            Some(arm) => arm.1 = self.pool.or(arm.1, none),
            None => arms.push((table.default, none)),
        }
        self.take_arms(s, func, arms)
    }

    /// Goes along all feasible arms, whose conditions are disjoint and cover everything.
    fn take_arms(&mut self, s: &mut State, func: &Function, arms: Vec<(EdgeId, Term)>) -> Flow {
        if self.options.follow == Follow::All {
            self.go_unasked(s)?;
        }
        let mut feasible: Vec<(EdgeId, Term, Option<Model>)> = Vec::new();
        let mut unknown = false;
        for (edge, cond) in arms {
            if self.pool.is_false(cond) {
                continue;
            }
            self.stats.branch_decisions += 1;
            if self.options.follow == Follow::All {
                feasible.push((edge, cond, None));
                continue;
            }
            let answer = self.possible(s, cond);
            match answer {
                Answer::Unknown(_) => unknown = true,
                _ => self.ask_parts(s, cond, (answer.is_sat(), None)),
            }
            if let Some(model) = self.model(s, answer) {
                feasible.push((edge, cond, Some(model)));
            }
        }
        if s.world.forks_disabled && (feasible.len() > 1 || unknown) {
            if !self.is_feasible(s) {
                return Err(Stop::Replaced);
            }
            self.note(s, GapKind::NotForked, "klee_set_forking");
            feasible.retain(|arm| self.witnessed(s, arm.1) != 0);
            unknown = true;
        }
        let Some((edge, cond, model)) = feasible.pop() else { return Err(Stop::Replaced) };
        if feasible.is_empty() && !unknown {
            self.take(s, func, edge);
            return Ok(());
        }
        self.open_region(s);
        for (edge, cond, model) in feasible {
            let mut other = self.sibling(s, cond, model);
            self.take(&mut other, func, edge);
            self.forked.push(other);
        }
        self.assume(s, cond, model);
        self.take(s, func, edge);
        Ok(())
    }

    /// A computed jump: one state per target.
    pub(crate) fn indirect_jump(
        &mut self,
        s: &mut State,
        func: &Function,
        addr: Operand,
        edges: Range,
    ) -> Flow {
        let v = self.value(&s.frame, addr, 64);
        let address = self.fork_value(s, v)? as u64;
        let block = self.code.block_at(s.frame.func, address);
        let edge =
            func.indirect[edges.indices()].iter().find(|e| Some(func.edges[e.index()].target) == block);
        match edge {
            Some(edge) => {
                self.take(s, func, *edge);
                Ok(())
            }
            None => self.fail(s, ErrorKind::Ptr, "computed jump to an address that is no label of it"),
        }
    }

    /// Ends the path if it has forked more often than allowed.
    fn check_depth(&mut self, s: &State) -> Flow {
        match self.options.max_depth {
            Some(max) if s.depth >= max => self.give_up(s, GapKind::CutDepth, "--max-depth"),
            _ => Ok(()),
        }
    }
}
