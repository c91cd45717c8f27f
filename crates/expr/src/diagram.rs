//! Decision diagrams over bytes: terms as functions of their input bytes.
//!
//! A diagram is a value, or a byte variable with a diagram for each class of its 256 values. Equal
//! functions are equal diagrams, so a conjunction that nothing satisfies is the diagram of `false`.
//! Merged states ask long questions that look at each byte through a few comparisons only, as
//! parsers do: their diagrams are about as large as the automaton of the parser. Each term gets its
//! diagram once, so a question costs what is new in it.
//!
//! A term whose diagram is not found within a counted amount of work has none: sums of many bytes,
//! say. The answer is then left to others.

use crate::byteset::ByteSet;
use crate::choice::Choices;
use crate::compare::{Comparison, compare};
use crate::expand::Expansion;
use crate::graph::{Diagram, Edge, Graph, Id, Results};
use crate::node::{Binary, Node, Term, Unary, Var};
use crate::pool::Pool;
use crate::semantics::{NARROW, binary, mask, sign_extend, unary};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many edges are looked at for one operator of a term.
const TERM_WORK: u32 = 1 << 12;
/// So often conditions on choices are looked at for one question, twice each, to be asked of the alternatives.
const LIFTS: u32 = 1 << 10;
/// So many edges are looked at for one conjunction, or another step of a question.
const CONJUNCTION_WORK: u32 = 1 << 15;
/// So many edges are looked at for all conjunctions of a question: some ten milliseconds.
pub const QUESTION_WORK: u32 = 1 << 17;
/// One part in so many where not all conditions of a question have a diagram: an answer is less likely.
const INCOMPLETE: u32 = 16;
/// With more diagrams than this all are forgotten.
const MAX_NODES: usize = 1 << 17;

/// A variable by its place in the order of all diagrams: those that choose between paths come first, since
/// what they choose from are inputs; otherwise the older one does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Level(u32);

impl Level {
    const INPUT: u32 = 1 << 31;

    pub(crate) fn new(pool: &Pool, var: Var) -> Self {
        Level(if pool.chooses(var) { var.0 } else { var.0 | Self::INPUT })
    }

    pub(crate) fn var(self) -> Var {
        Var(self.0 & !Self::INPUT)
    }
}

/// What is done with values at the ends of diagrams.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Unary(Unary, u32),
    Binary(Binary, u32),
    Ite,
    /// With the width of the lower part.
    Concat(u32),
    /// With the first bit and the width.
    Extract(u32, u32),
    /// From, to.
    SExt(u32, u32),
    /// A byte of a constant table.
    Table(u32),
}

/// The work allowed was done.
pub(crate) struct TooMuch;

fn single(byte: u8) -> ByteSet {
    [byte].into_iter().collect()
}

/// What a term does with the values of its operands, if diagrams can do it.
fn operator(pool: &Pool, t: Term) -> Option<Op> {
    let (node, width) = (pool.node(t), pool.width(t));
    if width > NARROW || node.operands().any(|o| pool.width(o) > NARROW) {
        return None;
    }
    Some(match node {
        Node::Unary(op, _) => Op::Unary(op, width),
        Node::Binary(op, a, _) => Op::Binary(op, pool.width(a)),
        Node::Ite(..) => Op::Ite,
        Node::Concat(_, lo) => Op::Concat(pool.width(lo)),
        Node::Extract(_, lo) => Op::Extract(lo, width),
        Node::ZExt(a) => Op::Extract(0, pool.width(a)),
        Node::SExt(a) => Op::SExt(pool.width(a), width),
        Node::Select(array, _) => match pool.node(array) {
            Node::ConstArray(table) => Op::Table(table),
            _ => return None,
        },
        _ => return None,
    })
}

/// All diagrams made so far.
#[derive(Default)]
pub struct Diagrams {
    graph: Graph,
    /// Per term: its diagram, if it has one.
    terms: FxHashMap<Term, Option<Id>>,
    expansion: Expansion,
    choices: Choices,
    /// So many more conditions may be asked of alternatives.
    lifts: u32,
    results: Results,
    /// The cells that are gone through, and the edges made of them, of all operations that are under way.
    cells: Vec<(ByteSet, [Id; 3])>,
    made: Vec<Edge>,
    /// Pairs whose conjunction was too much work.
    heavy: FxHashSet<(Id, Id)>,
    /// What is left of the step's work.
    pub(crate) work: u32,
    /// What is left of the question's.
    left: u32,
    ran_out: bool,
    looked_at: u64,
}

impl Diagrams {
    /// Values of bytes that satisfy all `conditions` that have a diagram, near to `wish` where there
    /// is a choice, and whether these are all; `None` if there are no such values. Looks at `work` edges at
    /// the most to put conditions together; [`Diagrams::ran_out`] says whether more would have helped.
    pub fn solve(
        &mut self,
        pool: &mut Pool,
        conditions: &[Term],
        work: u32,
        wish: impl Fn(Var) -> u8,
    ) -> Option<(Vec<(Var, u8)>, bool)> {
        self.renew();
        self.left = work;
        let known: Vec<Id> = conditions.iter().filter_map(|&c| self.of(pool, c)).collect();
        let (mut all, mut complete) = (self.value(1), known.len() == conditions.len());
        if !complete {
            self.left /= INCOMPLETE;
        }
        for c in known {
            match self.both(pool, all, c) {
                Some(both) => all = both,
                None => complete = false,
            }
        }
        let nothing = self.value(0);
        (all != nothing).then(|| (self.descend(all, nothing, wish), complete))
    }

    /// Whether the last question took more work than it was allowed.
    #[must_use]
    pub fn ran_out(&self) -> bool {
        self.ran_out
    }

    /// How many edges were looked at so far.
    #[must_use]
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Makes ready for a question.
    pub(crate) fn renew(&mut self) {
        if self.graph.len() > MAX_NODES {
            self.graph.clear();
            self.results.clear();
            self.terms.clear();
            self.heavy.clear();
            (self.expansion, self.choices) = Default::default();
        }
        self.results.fit();
        (self.lifts, self.left, self.ran_out) = (LIFTS, QUESTION_WORK, false);
    }

    /// The conjunction of two conditions.
    pub(crate) fn both(&mut self, pool: &Pool, a: Id, b: Id) -> Option<Id> {
        if self.heavy.contains(&(a, b)) {
            self.ran_out = true;
            return None;
        }
        let unused = self.value(0);
        let is_all = self.left >= CONJUNCTION_WORK;
        let both = self.within(|d| d.apply(pool, Op::Binary(Binary::And, 1), [a, b, unused]));
        if both.is_none() && is_all {
            self.heavy.insert((a, b));
        }
        both
    }

    /// One step of a question, if it takes no more work than one may and all together have left.
    pub(crate) fn within(&mut self, step: impl FnOnce(&mut Self) -> Result<Id, TooMuch>) -> Option<Id> {
        let allowed = self.left.min(CONJUNCTION_WORK);
        self.work = allowed;
        let made = self.step(step);
        self.left -= allowed - self.work;
        self.looked_at += u64::from(allowed - self.work);
        self.ran_out |= made.is_none();
        made
    }

    /// Some operations, which may be broken off.
    fn step(&mut self, step: impl FnOnce(&mut Self) -> Result<Id, TooMuch>) -> Option<Id> {
        let made = step(self);
        self.cells.clear();
        self.made.clear();
        made.ok()
    }

    /// A way down to another value than `nothing`, which there is, by variable.
    fn descend(&self, mut at: Id, nothing: Id, wish: impl Fn(Var) -> u8) -> Vec<(Var, u8)> {
        let mut way = Vec::new();
        while let Diagram::Byte(level, edges) = self.graph.node(at) {
            let var = level.var();
            let wanted = wish(var);
            let open = || edges.iter().filter(|e| e.1 != nothing);
            let edge = open().find(|e| e.0.contains(wanted)).or_else(|| open().next());
            let Some(&(set, below)) = edge else { break };
            way.push((var, if set.contains(wanted) { wanted } else { set.min().unwrap_or_default() }));
            at = below;
        }
        way.sort_unstable();
        way
    }

    /// The diagram of a term.
    pub(crate) fn of(&mut self, pool: &mut Pool, t: Term) -> Option<Id> {
        let t = self.expansion.of(pool, t);
        let mut waiting = vec![t];
        while let Some(&t) = waiting.last() {
            if self.terms.contains_key(&t) {
                waiting.pop();
                continue;
            }
            if let Some(simple) = self.simple(pool, t) {
                self.terms.insert(t, Some(simple));
                waiting.pop();
                continue;
            }
            let lifted = if self.lifts > 0 { self.choices.lifted(pool, t) } else { None };
            self.lifts = self.lifts.saturating_sub(lifted.is_some().into());
            let operands: Vec<Term> = match lifted {
                Some(operands) => operands.into(),
                None => pool.node(t).operands().filter(|o| pool.width(*o) > 0).collect(),
            };
            let before = waiting.len();
            waiting.extend(operands.iter().filter(|o| !self.terms.contains_key(o)));
            if waiting.len() == before {
                let op = if lifted.is_some() { Some(Op::Ite) } else { operator(pool, t) };
                let made = op.and_then(|op| self.make(pool, op, &operands));
                self.terms.insert(t, made);
                waiting.pop();
            }
        }
        self.terms.get(&t).copied().flatten()
    }

    /// A constant, a variable, or a condition on one byte.
    fn simple(&mut self, pool: &mut Pool, t: Term) -> Option<Id> {
        if pool.width(t) > NARROW {
            return None;
        }
        if let Some(value) = pool.as_const(t) {
            return Some(self.value(value));
        }
        let &[var] = pool.support_vars(pool.support(t)) else { return None };
        if let Node::Var(_) = pool.node(t) {
            let edges = |d: &mut Self| (0..=255).map(|b| (single(b), d.value(b.into()))).collect();
            let level = Level::new(pool, var);
            return (pool.width(t) == 8).then(|| edges(self)).map(|edges| self.byte(level, edges));
        }
        if pool.width(t) != 1 {
            return None;
        }
        let set = pool.byte_set(t)?;
        let (yes, no) = (self.value(1), self.value(0));
        Some(self.byte(Level::new(pool, var), vec![(set, yes), (set.complement(), no)]))
    }

    /// The diagram of an operator whose operands have theirs.
    fn make(&mut self, pool: &Pool, op: Op, operands: &[Term]) -> Option<Id> {
        let ids: Option<Vec<Id>> = operands.iter().map(|o| self.terms.get(o).copied().flatten()).collect();
        let (ids, unused) = (ids?, self.value(0));
        let of = |i: usize| ids.get(i).copied().unwrap_or(unused);
        self.work = TERM_WORK;
        let made = self.step(|d| d.apply(pool, op, [of(0), of(1), of(2)]));
        self.looked_at += u64::from(TERM_WORK - self.work);
        made
    }

    /// The operator on diagrams: on their values, wherever they end.
    pub(crate) fn apply(&mut self, pool: &Pool, op: Op, of: [Id; 3]) -> Result<Id, TooMuch> {
        if let Some(id) = self.at_once(pool, op, of) {
            return Ok(id);
        }
        if let Some(id) = self.results.get(op, of) {
            return Ok(id);
        }
        if let Some(Comparison { levels: [level, below], classes }) = compare(&self.graph, op, [of[0], of[1]])
        {
            self.work = self.work.checked_sub(classes.len() as u32).ok_or(TooMuch)?;
            let (yes, no) = (self.value(1), self.value(0));
            let edge = |d: &mut Self, set: ByteSet| d.byte(below, vec![(set, yes), (set.complement(), no)]);
            let edges = classes.into_iter().map(|(set, holds)| (set, edge(self, holds))).collect();
            let id = self.byte(level, edges);
            self.results.insert(op, of, id);
            return Ok(id);
        }
        let Some(level) = of.iter().filter_map(|&id| self.top(id)).min() else { return Err(TooMuch) };
        let (cells, made) = (self.cells.len(), self.made.len());
        self.graph.cells(level, of, &mut self.cells);
        for at in cells..self.cells.len() {
            self.work = self.work.checked_sub(1).ok_or(TooMuch)?;
            let (set, below) = self.cells[at];
            let below = self.apply(pool, op, below)?;
            self.made.push((set, below));
        }
        self.cells.truncate(cells);
        let id = self.graph.byte(level, &mut self.made, made);
        self.results.insert(op, of, id);
        Ok(id)
    }

    /// The result where it needs no look at bytes.
    fn at_once(&mut self, pool: &Pool, op: Op, of: [Id; 3]) -> Option<Id> {
        let value = |id: Id| self.graph.as_value(id);
        let [a, b, _] = of;
        match (op, value(a), value(b)) {
            (Op::Ite, Some(c), _) => return Some(if c == 0 { of[2] } else { b }),
            (Op::Ite, ..) => return (b == of[2]).then_some(b),
            (Op::Binary(Binary::And, 1), Some(0), _) | (Op::Binary(Binary::Or, 1), Some(1), _) => {
                return Some(a);
            }
            (Op::Binary(Binary::And, 1), _, Some(0)) | (Op::Binary(Binary::Or, 1), _, Some(1)) => {
                return Some(b);
            }
            (Op::Binary(Binary::And, 1), Some(1), _) | (Op::Binary(Binary::Or, 1), Some(0), _) => {
                return Some(b);
            }
            (Op::Binary(Binary::And, 1), _, Some(1)) | (Op::Binary(Binary::Or, 1), _, Some(0)) => {
                return Some(a);
            }
            _ => {}
        }
        let (x, y) = (value(a)?, value(b)?);
        let result = match op {
            Op::Unary(op, width) => unary(op, width, x),
            Op::Binary(op, width) if op.is_comparison() => binary(op, width, x, y) & 1,
            Op::Binary(op, width) => binary(op, width, x, y),
            Op::Concat(low) => x << low | y,
            Op::Extract(lo, width) => x >> lo & mask(width),
            Op::SExt(from, to) => sign_extend(from, to, x),
            Op::Table(table) => {
                let index = usize::try_from(x).ok();
                let byte = index.and_then(|i| pool.table(table).get(i).copied());
                byte.unwrap_or(0).into()
            }
            Op::Ite => return None,
        };
        Some(self.value(result))
    }

    pub(crate) fn node(&self, id: Id) -> Diagram<'_> {
        self.graph.node(id)
    }

    /// The variable that it looks at first.
    pub(crate) fn top(&self, id: Id) -> Option<Level> {
        self.graph.top(id)
    }

    /// The edges of a diagram as one of this variable, which is its own or comes before.
    pub(crate) fn edges(&self, id: Id, level: Level) -> Vec<Edge> {
        match self.node(id) {
            Diagram::Byte(own, edges) if own == level => edges.to_vec(),
            _ => vec![(ByteSet::FULL, id)],
        }
    }

    pub(crate) fn value(&mut self, value: u128) -> Id {
        self.graph.value(value)
    }

    /// The diagram with these edges; those to one diagram become one.
    pub(crate) fn byte(&mut self, level: Level, mut edges: Vec<Edge>) -> Id {
        edges.retain(|e| !e.0.is_empty());
        self.graph.byte(level, &mut edges, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;

    /// Conditions over three bytes, decided as evaluation of all their values decides them.
    #[test]
    fn a_diagram_says_what_evaluation_says() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..3).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let k = |pool: &mut Pool, w, x| pool.constant(w, x);
        let (ten, six) = (k(&mut pool, 8, 10), k(&mut pool, 8, 6));
        let small: Vec<Term> = v.iter().map(|&x| pool.ult(x, six)).collect();
        let (one, two) = (k(&mut pool, 32, 1), k(&mut pool, 32, 2));
        let token = pool.ite(small[0], one, two);
        let token = pool.ite(small[1], token, one);
        let is_two = pool.eq(token, two);
        let table = pool.const_array(&[9, 8, 7, 6, 5]);
        let index = pool.zext(v[2], 32);
        let read = pool.select(table, index);
        let high = pool.ult(ten, v[1]);
        let sum = pool.add(read, v[0]);
        let (wide, signed) = (pool.zext(sum, 16), pool.sext(v[0], 16));
        let less = pool.binary(Binary::Slt, wide, signed);
        let low = pool.extract(sum, 0, 2);
        let last = pool.extract(v[2], 0, 2);
        let same = pool.eq(low, last);
        let joined = pool.concat(low, last);
        let four = k(&mut pool, 4, 9);
        let nine = pool.eq(joined, four);
        let conditions = [is_two, high, less, same, nine];
        let mut diagrams = Diagrams::default();
        let steps = [0, 1, 3, 5, 6, 7, 9, 10, 11, 127, 128, 200, 255];
        for chosen in 1..1u32 << conditions.len() {
            let asked: Vec<Term> =
                (0..5).filter(|i| chosen >> i & 1 == 1).map(|i| conditions[i as usize]).collect();
            let holds = |pool: &Pool, bytes: [u8; 3]| {
                let values = bytes.iter().enumerate().map(|(i, &b)| (Var(i as u32), b.into()));
                let inputs = Assignment::from_iter(values);
                asked.iter().all(|&c| pool.eval(c, &inputs) == 1)
            };
            match diagrams.solve(&mut pool, &asked, QUESTION_WORK, |_| 0) {
                Some((found, complete)) => {
                    assert!(complete, "these are small");
                    let byte = |i| found.iter().find(|f| f.0 == Var(i)).map_or(0, |f| f.1);
                    assert!(holds(&pool, [byte(0), byte(1), byte(2)]), "{chosen}: {found:?}");
                }
                None => {
                    for (x, y) in steps.iter().flat_map(|&x| steps.iter().map(move |&y| (x, y))) {
                        assert!(!(0..=255).any(|z| holds(&pool, [x, y, z])), "{chosen}: {x} {y}");
                    }
                }
            }
        }
        let (no, yes) = (pool.not(is_two), pool.tru());
        assert_eq!(diagrams.solve(&mut pool, &[is_two, no], QUESTION_WORK, |_| 0), None);
        assert_eq!(diagrams.solve(&mut pool, &[yes], QUESTION_WORK, |_| 0), Some((Vec::new(), true)));
    }

    #[test]
    fn choices_between_inputs_have_small_diagrams() {
        let mut pool = Pool::new();
        let v: Vec<Term> = (0..6).map(|i| pool.var(8, &format!("v{i}"))).collect();
        let letter = pool.constant(8, b'a'.into());
        // The condition of each choice comes after its alternatives.
        let mut choice = v[0];
        for i in 1..5 {
            let small = pool.ult(v[i + 1], letter);
            choice = pool.ite(small, choice, v[i]);
        }
        let is_letter = pool.eq(choice, letter);
        let mut diagrams = Diagrams::default();
        let (found, complete) =
            diagrams.solve(&mut pool, &[is_letter], QUESTION_WORK, |_| 0).expect("possible");
        assert!(complete);
        let inputs = Assignment::from_iter(found.into_iter().map(|(v, b)| (v, b.into())));
        assert_eq!(pool.eval(is_letter, &inputs), 1);
    }

    #[test]
    fn comparisons_of_two_bytes_say_what_evaluation_says() {
        let mut pool = Pool::new();
        let [x, y] = [0, 1].map(|i| pool.var(8, &format!("v{i}")));
        let numbers = [x, y].map(|v| {
            let (wide, signed, eight) = (pool.zext(v, 32), pool.sext(v, 32), pool.constant(32, 8));
            let low = pool.extract(v, 0, 3);
            let low = pool.sext(low, 32);
            [pool.add(wide, eight), pool.sub(signed, eight), low]
        });
        let mut diagrams = Diagrams::default();
        let pairs = numbers[0].iter().flat_map(|&a| numbers[1].iter().flat_map(move |&b| [(a, b), (b, a)]));
        for (a, b) in pairs {
            for op in [Binary::Eq, Binary::Ult, Binary::Ule, Binary::Slt, Binary::Sle] {
                let condition = pool.binary(op, a, b);
                let id = diagrams.of(&mut pool, condition).expect("small");
                for (u, v) in (0..=255).flat_map(|u| [0, 7, 8, 9, 120, 127, 128, 240, 255].map(|v| (u, v))) {
                    let inputs = Assignment::from_iter([(Var(0), u.into()), (Var(1), v.into())]);
                    let below = diagrams.edges(id, Level::new(&pool, Var(0)));
                    let below = below.into_iter().find(|e| e.0.contains(u)).expect("all bytes").1;
                    let ends = diagrams.edges(below, Level::new(&pool, Var(1)));
                    let end = ends.into_iter().find(|e| e.0.contains(v)).expect("all bytes").1;
                    assert_eq!(
                        diagrams.graph.as_value(end),
                        Some(pool.eval(condition, &inputs)),
                        "{op:?} {u} {v}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_has_no_diagram() {
        let mut pool = Pool::new();
        let mut sum = pool.constant(64, 0);
        for i in 0..6 {
            let x = pool.var(8, &format!("v{i}"));
            let wide = pool.zext(x, 64);
            let k = pool.constant(64, 1_000_003);
            let scaled = pool.mul(sum, k);
            sum = pool.add(scaled, wide);
        }
        let k = pool.constant(64, 12_345);
        let hard = pool.eq(sum, k);
        let mut diagrams = Diagrams::default();
        assert_eq!(diagrams.solve(&mut pool, &[hard], QUESTION_WORK, |_| 0), Some((Vec::new(), false)));
        let (x, seven) = (pool.var_term(Var(0)), pool.constant(8, 7));
        let is_seven = pool.eq(x, seven);
        let other = pool.not(is_seven);
        assert_eq!(
            diagrams.solve(&mut pool, &[hard, is_seven], QUESTION_WORK, |_| 0),
            Some((vec![(Var(0), 7)], false))
        );
        assert_eq!(
            diagrams.solve(&mut pool, &[is_seven, hard, other], QUESTION_WORK, |_| 0),
            None,
            "the others contradict"
        );
    }
}
