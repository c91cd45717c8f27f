//! A random walk down the fork tree (Cadar et al., OSDI 2008): at every fork each arm is equally
//! likely, so states near the root are preferred and a loop that forks cannot starve the others.

use crate::Rng;
use rejoin_explore::{Machine, PickNext, StateId, Worklist};

const NONE: u32 = u32::MAX;

/// A node of the fork tree. A leaf is a pending state; inner nodes have at least two children.
struct Node {
    parent: u32,
    children: Vec<u32>,
    state: StateId,
}

/// Random-path search.
pub struct RandomPath {
    rng: Rng,
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    leaf: Vec<u32>,
}

impl RandomPath {
    /// With a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        RandomPath { rng: Rng::new(seed), nodes: Vec::new(), free: Vec::new(), root: NONE, leaf: Vec::new() }
    }

    fn add_leaf(&mut self, parent: u32, state: StateId) -> u32 {
        let node = Node { parent, children: Vec::new(), state };
        let n = match self.free.pop() {
            Some(n) => {
                self.nodes[n as usize] = node;
                n
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        if self.leaf.len() <= state.index() {
            self.leaf.resize(state.index() + 1, NONE);
        }
        self.leaf[state.index()] = n;
        n
    }

    /// Puts `new` (or nothing) where `old` hangs.
    fn relink(&mut self, old: u32, new: u32) {
        let parent = self.nodes[old as usize].parent;
        if new != NONE {
            self.nodes[new as usize].parent = parent;
        }
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        match children.iter_mut().find(|c| **c == old) {
            Some(slot) if new != NONE => *slot = new,
            _ => children.retain(|c| *c != old),
        }
    }

    /// Removes a leaf; a parent left with one child is replaced by it.
    fn remove(&mut self, n: u32) {
        let parent = self.nodes[n as usize].parent;
        self.relink(n, NONE);
        self.free.push(n);
        if parent != NONE
            && let [only] = self.nodes[parent as usize].children[..]
        {
            self.relink(parent, only);
            self.free.push(parent);
        }
    }
}

impl<M: Machine> PickNext<M> for RandomPath {
    fn insert(&mut self, _: &M, id: StateId, _: &M::State) {
        if self.root == NONE {
            self.root = self.add_leaf(NONE, id);
        } else {
            let inner = self.add_leaf(NONE, id);
            let old = self.root;
            self.root = inner;
            let leaf = self.add_leaf(inner, id);
            self.nodes[old as usize].parent = inner;
            self.nodes[inner as usize].children = vec![old, leaf];
        }
    }

    fn replace(&mut self, _: &M, parent: StateId, children: &[(StateId, &M::State)]) {
        let n = self.leaf[parent.index()];
        match children {
            [] => self.remove(n),
            [(id, _)] => {
                self.nodes[n as usize].state = *id;
                self.leaf_of(*id, n);
            }
            _ => {
                let leaves = children.iter().map(|(id, _)| self.add_leaf(n, *id)).collect();
                self.nodes[n as usize].children = leaves;
            }
        }
    }

    fn pick_next(&mut self, _: &M, _: &Worklist<M::State>) -> StateId {
        let mut n = self.root;
        loop {
            let node = &self.nodes[n as usize];
            if node.children.is_empty() {
                return node.state;
            }
            let i = self.rng.below(node.children.len() as u64);
            n = node.children[i as usize];
        }
    }
}

impl RandomPath {
    fn leaf_of(&mut self, state: StateId, n: u32) {
        if self.leaf.len() <= state.index() {
            self.leaf.resize(state.index() + 1, NONE);
        }
        self.leaf[state.index()] = n;
    }
}
