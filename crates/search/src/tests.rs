//! Every strategy names pending states only, reaches all of them, and repeats itself for a seed.

use super::*;
use rejoin_explore::{Machine, PickNext, Sink, Step, Worklist, explore};

/// Forks a binary tree: a state is a path of choices.
struct Tree {
    depth: usize,
}

impl Machine for Tree {
    type State = Vec<bool>;
    type Outcome = ();

    fn step(&mut self, s: Vec<bool>) -> Step<Self> {
        if s.len() == self.depth {
            return Step { next: vec![], halted: vec![(s, ())] };
        }
        let arms = if s.len() % 3 == 2 { vec![true] } else { vec![false, true] };
        let next = arms.into_iter().map(|b| s.iter().copied().chain([b]).collect()).collect();
        Step { next, halted: vec![] }
    }

    fn merge(&mut self, _: Vec<Vec<bool>>) -> Vec<bool> {
        unreachable!("nothing is similar")
    }
}

impl Distance for Tree {
    fn goal(&self, s: &Vec<bool>) -> Option<Goal> {
        s.last()?.then_some(Goal { cost: (self.depth - s.len()) as u32, code: 0 })
    }
    fn chase(&self, _: u32) {}
}

impl Order for Tree {
    type Key = Vec<bool>;
    fn key(&self, s: &Vec<bool>) -> Vec<bool> {
        s.clone()
    }
}

#[derive(Default)]
struct Log(Vec<Vec<bool>>);

impl Sink<Tree> for Log {
    fn halted(&mut self, _: &mut Tree, s: Vec<bool>, (): ()) {
        self.0.push(s);
    }
    fn stop(&mut self, _: &mut Tree, _: &Worklist<Vec<bool>>) -> bool {
        false
    }
}

fn order(mut pick: Box<dyn PickNext<Tree>>) -> Vec<Vec<bool>> {
    let mut log = Log::default();
    explore(&mut Tree { depth: 9 }, vec![], &mut *pick, &mut rejoin_explore::Never, &mut log);
    log.0
}

type Make = fn(u64) -> Box<dyn PickNext<Tree>>;

const ALL: [(&str, Make); 8] = [
    ("dfs", |_| Box::new(Dfs::default())),
    ("bfs", |_| Box::new(Bfs::default())),
    ("topological", |_| Box::new(Topological::default())),
    ("random-state", |seed| Box::new(RandomState::new(seed))),
    ("random-path", |seed| Box::new(RandomPath::new(seed))),
    ("coverage", |seed| Box::new(Coverage::new(seed))),
    ("until-covered", |seed| Box::new(UntilCovered::new(seed))),
    ("round-robin", |seed| {
        Box::new(RoundRobin::new(vec![
            Box::new(RandomPath::new(seed)),
            Box::new(Dfs::default()),
            Box::new(Bfs::default()),
            Box::new(RandomState::new(seed)),
            Box::new(Coverage::new(seed)),
        ]))
    }),
];

#[test]
fn every_strategy_reaches_every_leaf_once() {
    let mut expected = order(ALL[0].1(0));
    expected.sort();
    assert_eq!(expected.len(), 64);
    for (name, make) in ALL {
        let mut leaves = order(make(7));
        leaves.sort();
        assert_eq!(leaves, expected, "{name}");
    }
}

#[test]
fn a_seed_fixes_the_order_and_another_changes_it() {
    for (name, make) in ALL {
        assert_eq!(order(make(3)), order(make(3)), "{name}");
    }
    for (name, make) in &ALL[3..] {
        assert_ne!(order(make(3)), order(make(4)), "{name}");
    }
}

#[test]
fn depth_first_finishes_a_path_before_its_sibling() {
    let leaves = order(ALL[0].1(0));
    assert_eq!(leaves[0][..7], leaves[1][..7]);
}

/// Two states that never end, near to and far from code that neither reaches.
struct InVain {
    chases: std::cell::RefCell<[u32; 2]>,
}

impl Machine for InVain {
    type State = Option<usize>;
    type Outcome = ();

    fn step(&mut self, s: Option<usize>) -> Step<Self> {
        let next = if s.is_none() { vec![Some(0), Some(1)] } else { vec![s] };
        Step { next, halted: vec![] }
    }

    fn merge(&mut self, _: Vec<Option<usize>>) -> Option<usize> {
        unreachable!("nothing is similar")
    }
}

impl Distance for InVain {
    fn goal(&self, s: &Option<usize>) -> Option<Goal> {
        let code = (*s)?;
        Some(Goal { cost: [0, 60][code] + self.chases.borrow()[code], code: code as u32 })
    }
    fn chase(&self, code: u32) {
        self.chases.borrow_mut()[code as usize] += 1;
    }
}

struct Turns(u32);

impl Sink<InVain> for Turns {
    fn halted(&mut self, _: &mut InVain, _: Option<usize>, (): ()) {}
    fn stop(&mut self, _: &mut InVain, _: &Worklist<Option<usize>>) -> bool {
        self.0 -= 1;
        self.0 == 0
    }
}

#[test]
fn what_is_chased_in_vain_is_left_for_what_is_further_away() {
    let mut m = InVain { chases: std::cell::RefCell::default() };
    explore(&mut m, None, &mut Coverage::new(1), &mut rejoin_explore::Never, &mut Turns(10_000));
    let [near, far] = m.chases.into_inner();
    assert!(near > far && far > 100, "{near} and {far}");
    assert!(near + far < 1000, "a state that was chosen goes on for some turns: {near} and {far}");
}
