//! A toy machine whose states are their own denotation: the inputs, and the value of the one
//! variable for each. Whatever is picked and merged, every input must halt exactly once, with the
//! concrete result.

use super::*;
use std::collections::BTreeMap;

type Denotation = BTreeMap<u8, i64>;

#[derive(Clone, Copy)]
enum Inst {
    Add(i64),
    IfLess(i64, usize),
    Goto(usize),
    Halt,
}

struct Toy {
    program: Vec<Inst>,
    merges: usize,
}

struct At {
    loc: usize,
    values: Denotation,
}

impl Machine for Toy {
    type State = At;
    type Outcome = ();

    fn step(&mut self, mut s: At) -> Step<Self> {
        let mut step = Step { next: vec![], halted: vec![] };
        match self.program[s.loc] {
            Inst::Add(k) => {
                s.values.values_mut().for_each(|v| *v += k);
                step.next.push(At { loc: s.loc + 1, ..s });
            }
            Inst::Goto(loc) => step.next.push(At { loc, ..s }),
            Inst::IfLess(k, loc) => {
                let (then, els): (Denotation, Denotation) = s.values.into_iter().partition(|(_, v)| *v < k);
                step.next.extend([At { loc, values: then }, At { loc: s.loc + 1, values: els }]);
                step.next.retain(|s: &At| !s.values.is_empty());
            }
            Inst::Halt => step.halted.push((s, ())),
        }
        step
    }

    fn merge(&mut self, group: Vec<At>) -> At {
        self.merges += 1;
        let total: usize = group.iter().map(|s| s.values.len()).sum();
        let loc = group[0].loc;
        let values: Denotation = group.into_iter().flat_map(|s| s.values).collect();
        assert_eq!(values.len(), total, "arms are disjoint");
        At { loc, values }
    }
}

/// Picks the state with the least or the greatest name.
struct ByName {
    last: bool,
}

impl PickNext<Toy> for ByName {
    fn insert(&mut self, _: &Toy, _: StateId, _: &At) {}
    fn replace(&mut self, _: &Toy, _: StateId, _: &[(StateId, &At)]) {}
    fn pick_next(&mut self, _: &Toy, w: &Worklist<At>) -> StateId {
        let mut ids = w.iter().map(|(id, _)| id);
        if self.last { ids.last() } else { ids.next() }.expect("not empty")
    }
}

/// Merges with everything at the same location.
struct Always;

impl Similar<Toy> for Always {
    fn partners(&mut self, _: &mut Toy, w: &Worklist<At>, s: &At) -> Vec<StateId> {
        w.iter().filter(|(_, t)| t.loc == s.loc).map(|(id, _)| id).collect()
    }
}

#[derive(Default)]
struct Log(Denotation);

impl Sink<Toy> for Log {
    fn halted(&mut self, _: &mut Toy, s: At, (): ()) {
        for (input, value) in s.values {
            assert!(self.0.insert(input, value).is_none(), "input {input} halted twice");
        }
    }
    fn stop(&mut self, _: &mut Toy, _: &Worklist<At>) -> bool {
        false
    }
}

/// `do { if x < 8 { x += 3 } else { x += 5 } } while x < 20; x += 100`
fn toy() -> Toy {
    let program = vec![
        Inst::IfLess(8, 3),
        Inst::Add(5),
        Inst::Goto(4),
        Inst::Add(3),
        Inst::IfLess(20, 0),
        Inst::Add(100),
        Inst::Halt,
    ];
    Toy { program, merges: 0 }
}

fn concrete(mut x: i64) -> i64 {
    loop {
        x += if x < 8 { 3 } else { 5 };
        if x >= 20 {
            return x + 100;
        }
    }
}

#[test]
fn every_strategy_halts_every_input_once_with_the_concrete_result() {
    let inputs: Denotation = (0..16).map(|i| (i, i64::from(i))).collect();
    let expected: Denotation = (0..16).map(|i| (i, concrete(i64::from(i)))).collect();
    let mut merges = 0;
    for last in [false, true] {
        for merging in [false, true] {
            let (mut m, mut log) = (toy(), Log::default());
            let initial = At { loc: 0, values: inputs.clone() };
            let mut similar: Box<dyn Similar<Toy>> = if merging { Box::new(Always) } else { Box::new(Never) };
            let w = explore(&mut m, initial, &mut ByName { last }, &mut *similar, &mut log);
            assert!(w.is_empty());
            assert_eq!(log.0, expected, "last {last} merging {merging}");
            assert!(merging || m.merges == 0);
            merges += m.merges;
        }
    }
    assert!(merges > 0);
}
