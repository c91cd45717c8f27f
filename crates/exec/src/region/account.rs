//! What merging costs and saves, counted loop by loop while the program runs: a loop whose merged states
//! cost more than forking would is not merged any more, and what it made of several states is taken apart.
//!
//! The unit is a term that the backend is asked about, a step of its search, or a question that needs no backend;
//! they take about as long. What is gone over without the backend, terms by evaluation and substitution and edges
//! of diagrams, counts a part of it each: a merged state's questions may be large and still need no backend. A loop is
//! credited with a constant (`--merge-worth`) for each state that is merged away, and
//! charged with all that states ask whose last merge was there, less what as many questions of other states
//! cost. Nobody knows what a state that is gone would have asked; as paths multiply, it is more rather than
//! less, so that loops have some credit at the start. The credit is shared, and grows with what is asked by
//! states that were not merged: by this measure merging may lose a constant and a fraction of the rest, and
//! no more. No clock is read, so that a run can be repeated.
//!
//! At the start of a run merging is on trial: if a loop has to give something up, what was explored is thrown
//! away and the exploration begins again, knowing better. That costs less than to take merges apart again, and
//! the whole trial is short. Each time there is less credit, so that many loops do not lose more than one.
//!
//! Patterns are given up earlier, in three ways: they have less credit; where a loop merges often they are held
//! against if-then-else terms (`rivals.rs`); and where some loops have given them up on trial, all do.
//!
//! This is beyond the paper, whose modes go on merging whatever it costs. The similarity of PLDI'12 (section
//! 3) predicts the cost from the program's text; "undo instead of predict" is what QuASoQ'18 proposes.

use super::rivals::{Rival, Rivals};
use rejoin_analysis::loops::LoopId;
use rejoin_ir::FuncId;
use rustc_hash::FxHashMap;

/// What merging may cost in all before it saves anything: as much as so many states.
const CREDIT: i64 = 80;
/// The same for patterns, which have if-then-else terms to compare with.
const CREDIT_OF_PATTERNS: i64 = 48;
/// One part in so many of what other states ask may be lost by merging.
const SHARE: i64 = 16;
/// Where so many loops have given patterns up on trial, all do.
const MOST_GIVEN_UP: usize = 3;
/// After so many failures credit shrinks no more.
const MOST_FAILURES: u32 = 3;
/// What may be asked while merging is on trial, all beginnings together.
const TRIAL: i64 = 1 << 18;
/// Instructions that may be executed meanwhile: what has ended waits to be written.
const TRIAL_INSTRUCTIONS: u64 = 1 << 23;
/// States for which none with an equal store was found, for each for which there was one.
const IN_VAIN: u64 = 16;
/// States for which one is looked for in any case.
const TRIES: u64 = 256;

/// Patterns may cost as much more than if-then-else terms as so many states are worth.
const PATIENCE: i64 = 16;

/// A loop of the program.
pub(crate) type Place = (FuncId, LoopId);

/// What is merged at a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// All that can become one state, by patterns where they fit.
    Patterns,
    /// All that can become one state, by if-then-else terms.
    All,
    /// States with equal stores.
    Equal,
    /// Nothing: the loop is no region.
    Nothing,
}

struct Account {
    balance: i64,
    level: Level,
    /// States for which one with an equal store was looked for, and was found.
    compared: u64,
    equal: u64,
    rivals: Rivals,
}

impl Account {
    fn new(level: Level) -> Self {
        Account { balance: 0, level, compared: 0, equal: 0, rivals: Rivals::default() }
    }
}

/// Whether what was explored may be thrown away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trial {
    /// It may be.
    Open,
    /// It has to be: a loop gave something up.
    Failed,
    /// It stays.
    Over,
}

/// The accounts of all loops.
pub(crate) struct Accounts {
    trial: Trial,
    /// How often the trial failed, and what was asked and executed in it.
    failures: u32,
    tried: i64,
    executed: u64,
    /// What a state that is merged away would have cost.
    worth: i64,
    /// Where loops begin.
    first: Level,
    loops: FxHashMap<Place, Account>,
    /// What loops have taken of the shared credit, and what of it was for patterns.
    lent: i64,
    lent_to_patterns: i64,
    /// What states asked that no merge is to blame for, and how often.
    others: i64,
    questions: i64,
}

impl Accounts {
    pub(super) fn new(worth: u32, first: Level, on_trial: bool) -> Self {
        Accounts {
            trial: if on_trial { Trial::Open } else { Trial::Over },
            failures: 0,
            tried: 0,
            executed: 0,
            worth: worth.into(),
            first,
            loops: FxHashMap::default(),
            lent: 0,
            lent_to_patterns: 0,
            others: 0,
            questions: 0,
        }
    }

    pub(super) fn trial(&self) -> Trial {
        self.trial
    }

    /// The exploration begins again: what loops have given up stays given up.
    pub(super) fn begin_again(&mut self) {
        let given_up = self.loops.values().filter(|a| a.level > Level::Patterns).count();
        if given_up >= MOST_GIVEN_UP {
            self.first = self.first.max(Level::All);
        }
        for account in self.loops.values_mut() {
            *account = Account::new(account.level.max(self.first));
        }
        self.failures += 1;
        (self.lent, self.lent_to_patterns, self.others, self.questions) = (0, 0, 0, 0);
        self.trial = Trial::Open;
        self.end_trial();
    }

    /// So many instructions were executed.
    pub(super) fn execute(&mut self, instructions: u64) {
        self.executed += instructions;
        self.end_trial();
    }

    /// Ends a trial that has lasted long enough, unless it has failed.
    fn end_trial(&mut self) {
        if self.trial == Trial::Open && (self.tried > TRIAL || self.executed > TRIAL_INSTRUCTIONS) {
            self.trial = Trial::Over;
        }
    }

    /// A loop gives up what it does not have to do for its outcomes.
    fn lower(&mut self, place: Place, level: Level) {
        self.account(place).level = level;
        if self.trial == Trial::Open {
            self.trial = Trial::Failed;
        }
    }

    fn account(&mut self, place: Place) -> &mut Account {
        self.loops.entry(place).or_insert_with(|| Account::new(self.first))
    }

    /// What is merged at a loop.
    pub(crate) fn level(&self, place: Place) -> Level {
        self.loops.get(&place).map_or(self.first, |a| a.level)
    }

    /// Whether states of a loop are not even compared.
    pub(super) fn is_hopeless(&self, place: Place) -> bool {
        self.level(place) == Level::Nothing
    }

    /// So many states were merged away.
    pub(super) fn credit(&mut self, place: Place, states: usize) {
        self.account(place).balance += self.worth * states as i64;
    }

    /// A state asked something: the loop of its last merge pays.
    pub(crate) fn charge(&mut self, place: Option<Place>, cost: u64) {
        let cost = i64::try_from(cost).unwrap_or(i64::MAX);
        self.tried = self.tried.saturating_add(cost);
        self.end_trial();
        let Some(place) = place else {
            self.others = self.others.saturating_add(cost);
            self.questions += 1;
            return;
        };
        // What any state asks is no cost of merging.
        let cost = cost - self.others / self.questions.max(1);
        let share = self.others / SHARE;
        let account = self.account(place);
        account.balance = account.balance.saturating_sub(cost);
        let (level, missing) = (account.level, -account.balance);
        if missing <= 0 || level > Level::All {
            return;
        }
        account.balance = 0;
        let (lent, credit) = match level {
            Level::Patterns => (&mut self.lent_to_patterns, CREDIT_OF_PATTERNS),
            _ => (&mut self.lent, CREDIT),
        };
        *lent = lent.saturating_add(missing);
        if self.worth == 0 || *lent > ((credit * self.worth) >> self.failures.min(MOST_FAILURES)) + share {
            self.lower(place, if level == Level::Patterns { Level::All } else { Level::Equal });
        }
    }

    /// How a group that fits a pattern is merged, in an outermost region with this number.
    pub(super) fn next_rival(&mut self, place: Place, outermost: u32) -> Rival {
        let worth = self.worth;
        self.account(place).rivals.next(worth, outermost)
    }

    /// A state asked something whose last merge was of a group that fitted a pattern.
    pub(super) fn compare(&mut self, place: Place, rival: Rival, cost: u64) {
        let dearest = PATIENCE * self.worth;
        let account = self.account(place);
        account.rivals.charge(rival, i64::try_from(cost).unwrap_or(i64::MAX));
        if account.level == Level::Patterns && account.rivals.excess() > dearest {
            self.lower(place, Level::All);
        }
    }

    /// A state with an equal store was looked for.
    pub(super) fn compared(&mut self, place: Place, equal: bool) {
        let account = self.account(place);
        account.compared += 1;
        account.equal += u64::from(equal);
        let in_vain = account.compared > TRIES + IN_VAIN * account.equal;
        if in_vain && account.level == Level::Equal {
            account.level = Level::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: Place = (FuncId(0), LoopId(0));
    const WORTH: u32 = 100;
    const ALL_CREDIT: u64 = CREDIT as u64 * WORTH as u64;

    #[test]
    fn a_loop_that_costs_more_than_it_saves_is_closed() {
        let mut accounts = Accounts::new(WORTH, Level::All, false);
        accounts.credit(LOOP, 10);
        accounts.charge(Some(LOOP), 10 * u64::from(WORTH) + ALL_CREDIT);
        assert_eq!(accounts.level(LOOP), Level::All);
        accounts.charge(Some(LOOP), 1);
        assert_eq!(accounts.level(LOOP), Level::Equal);
    }

    #[test]
    fn patterns_have_less_credit() {
        let mut accounts = Accounts::new(WORTH, Level::Patterns, false);
        accounts.charge(Some(LOOP), CREDIT_OF_PATTERNS as u64 * u64::from(WORTH));
        assert_eq!(accounts.level(LOOP), Level::Patterns);
        accounts.charge(Some(LOOP), 1);
        assert_eq!(accounts.level(LOOP), Level::All);
    }

    #[test]
    fn what_others_ask_is_credit_for_all_loops() {
        let mut accounts = Accounts::new(WORTH, Level::All, false);
        let other = (FuncId(1), LoopId(0));
        (0..100 * SHARE).for_each(|_| accounts.charge(None, 1));
        // Each question costs one less: so much do those of others.
        accounts.charge(Some(LOOP), ALL_CREDIT + 100 + 1);
        assert_eq!(accounts.level(LOOP), Level::All);
        accounts.charge(Some(other), 1 + 1);
        assert_eq!((accounts.level(LOOP), accounts.level(other)), (Level::All, Level::Equal));
    }

    #[test]
    fn a_loop_where_no_stores_are_equal_is_no_region() {
        let mut accounts = Accounts::new(WORTH, Level::All, false);
        accounts.charge(Some(LOOP), 2 * ALL_CREDIT);
        for n in 0..=TRIES + IN_VAIN {
            assert_eq!(accounts.level(LOOP), Level::Equal);
            accounts.compared(LOOP, n == 7);
        }
        assert_eq!(accounts.level(LOOP), Level::Nothing);
    }

    #[test]
    fn what_loops_gave_up_on_trial_stays_given_up() {
        let mut accounts = Accounts::new(WORTH, Level::All, true);
        accounts.charge(Some(LOOP), ALL_CREDIT + 1);
        assert_eq!((accounts.trial(), accounts.level(LOOP)), (Trial::Failed, Level::Equal));
        accounts.begin_again();
        assert_eq!((accounts.trial(), accounts.level(LOOP)), (Trial::Open, Level::Equal));
        // Another loop has half the credit now.
        let other = (FuncId(1), LoopId(0));
        accounts.charge(Some(other), ALL_CREDIT / 2 + 1);
        assert_eq!((accounts.trial(), accounts.level(other)), (Trial::Failed, Level::Equal));
    }

    #[test]
    fn where_some_loops_gave_patterns_up_on_trial_all_do() {
        let mut accounts = Accounts::new(WORTH, Level::Patterns, true);
        let place = |n: usize| (FuncId(n as u32), LoopId(0));
        for n in 0..MOST_GIVEN_UP {
            assert_eq!(accounts.level(place(99)), Level::Patterns);
            accounts.charge(Some(place(n)), CREDIT_OF_PATTERNS as u64 * u64::from(WORTH) + 1);
            accounts.begin_again();
        }
        assert_eq!(accounts.level(place(99)), Level::All);
    }

    #[test]
    fn patterns_that_are_dearer_than_terms_are_given_up() {
        let mut accounts = Accounts::new(WORTH, Level::Patterns, false);
        let mut groups = 0;
        while accounts.level(LOOP) == Level::Patterns {
            let rival = accounts.next_rival(LOOP, groups);
            accounts.credit(LOOP, 1);
            accounts.compare(LOOP, rival, if rival == Rival::Terms { 1 } else { WORTH.into() });
            groups += 1;
        }
        assert!(groups < 100 && accounts.level(LOOP) == Level::All, "{groups}");
        let mut accounts = Accounts::new(WORTH, Level::Patterns, false);
        for n in 0..1000 {
            let rival = accounts.next_rival(LOOP, n);
            accounts.compare(LOOP, rival, 1);
        }
        assert_eq!(accounts.level(LOOP), Level::Patterns);
    }

    #[test]
    fn a_trial_ends() {
        let mut accounts = Accounts::new(WORTH, Level::All, true);
        accounts.charge(None, TRIAL as u64 + 1);
        assert_eq!(accounts.trial(), Trial::Over);
        accounts.charge(Some(LOOP), 100 * TRIAL as u64);
        assert_eq!((accounts.trial(), accounts.level(LOOP)), (Trial::Over, Level::Equal));
    }

    #[test]
    fn a_trial_that_executes_much_and_asks_nothing_ends() {
        let mut accounts = Accounts::new(WORTH, Level::All, true);
        accounts.execute(TRIAL_INSTRUCTIONS);
        assert_eq!(accounts.trial(), Trial::Open);
        accounts.execute(1);
        assert_eq!(accounts.trial(), Trial::Over);
    }
}
