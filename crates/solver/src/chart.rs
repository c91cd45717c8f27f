//! What a path says of each variable, as a persistent radix tree.
//!
//! Two paths that differ in one byte share everything but one leaf and the few nodes above it.
//! Leaf and inner node are of the same size, 56 bytes: sixteen variables, or six children.

use std::rc::Rc;

use rejoin_expr::Var;

const LEAF: u32 = 16;
const FAN: u32 = 6;

/// The number of an interned set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SetId(pub(crate) u16);

/// What is known of one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry {
    /// The bytes that the conditions on this variable alone allow; number 0 is the full set.
    pub(crate) set: SetId,
    /// The witness's value.
    pub(crate) byte: u8,
    /// The variable occurs in a condition that is not on one byte alone.
    pub(crate) entangled: bool,
}

#[derive(Clone)]
enum Node {
    Leaf { sets: [SetId; LEAF as usize], bytes: [u8; LEAF as usize], entangled: u16 },
    Inner([Option<Rc<Node>>; FAN as usize]),
}

impl Node {
    fn empty(height: u8) -> Node {
        match height {
            0 => Node::Leaf { sets: Default::default(), bytes: [0; LEAF as usize], entangled: 0 },
            _ => Node::Inner([const { None }; FAN as usize]),
        }
    }
}

/// A map from variables to entries; a variable that was never set has the default entry.
#[derive(Clone, Default)]
pub(crate) struct Chart {
    root: Option<Rc<Node>>,
    height: u8,
}

/// How many variables a tree of this height holds.
fn capacity(height: u8) -> u64 {
    u64::from(LEAF) * u64::from(FAN).pow(height.into())
}

/// Which child of a node of this height holds the leaf, and the leaf's place below that child.
fn descend(place: u64, height: u8) -> (usize, u64) {
    let below = capacity(height - 1);
    ((place / below) as usize, place % below)
}

impl Chart {
    pub(crate) fn get(&self, var: Var) -> Entry {
        let mut place = u64::from(var.0);
        if place >= capacity(self.height) {
            return Entry::default();
        }
        let (mut node, mut height) = (&self.root, self.height);
        loop {
            match node.as_deref() {
                None => return Entry::default(),
                Some(Node::Leaf { sets, bytes, entangled }) => {
                    let i = place as usize;
                    return Entry { set: sets[i], byte: bytes[i], entangled: entangled >> i & 1 == 1 };
                }
                Some(Node::Inner(children)) => {
                    let child;
                    (child, place) = descend(place, height);
                    node = &children[child];
                    height -= 1;
                }
            }
        }
    }

    /// Calls `visit` with every variable that may have another entry than the default.
    pub(crate) fn each_var(&self, visit: &mut impl FnMut(Var)) {
        fn walk(node: Option<&Node>, height: u8, first: u64, visit: &mut impl FnMut(Var)) {
            match node {
                None => {}
                Some(Node::Leaf { .. }) => (0..LEAF).for_each(|i| visit(Var(first as u32 + i))),
                Some(Node::Inner(children)) => {
                    for (n, child) in children.iter().enumerate() {
                        walk(child.as_deref(), height - 1, first + n as u64 * capacity(height - 1), visit);
                    }
                }
            }
        }
        walk(self.root.as_deref(), self.height, 0, visit);
    }

    pub(crate) fn set(&mut self, var: Var, entry: Entry) {
        let mut place = u64::from(var.0);
        while place >= capacity(self.height) {
            let mut children = [const { None }; FAN as usize];
            children[0] = self.root.take();
            self.height += 1;
            self.root = Some(Rc::new(Node::Inner(children)));
        }
        let (mut node, mut height) = (&mut self.root, self.height);
        loop {
            let shared = node.get_or_insert_with(|| Rc::new(Node::empty(height)));
            match Rc::make_mut(shared) {
                Node::Leaf { sets, bytes, entangled } => {
                    let i = place as usize;
                    sets[i] = entry.set;
                    bytes[i] = entry.byte;
                    *entangled = *entangled & !(1 << i) | u16::from(entry.entangled) << i;
                    return;
                }
                Node::Inner(children) => {
                    let child;
                    (child, place) = descend(place, height);
                    node = &mut children[child];
                    height -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_set_and_copies_share_nothing_visible() {
        let entry = |i: u32| Entry { set: SetId(i as u16), byte: i as u8, entangled: i.is_multiple_of(3) };
        let mut chart = Chart::default();
        assert_eq!(chart.get(Var(1 << 31)), Entry::default());
        let vars = [0, 1, 15, 16, 95, 96, 97, 575, 576, 1000, 70_000, u32::MAX];
        let mut copies = vec![chart.clone()];
        for &v in &vars {
            chart.set(Var(v), entry(v));
            copies.push(chart.clone());
        }
        for (done, copy) in copies.iter().enumerate() {
            for (i, &v) in vars.iter().enumerate() {
                let expected = if i < done { entry(v) } else { Entry::default() };
                assert_eq!(copy.get(Var(v)), expected, "variable {v} after {done} writes");
            }
            let mut seen = Vec::new();
            copy.each_var(&mut |v| seen.push(v.0));
            assert!(seen.is_sorted() && seen.len() <= 16 * done);
            assert!(vars[..done].iter().all(|v| seen.contains(v)), "{done} writes: {seen:?}");
        }
    }

    #[test]
    fn leaf_and_inner_node_are_small() {
        assert!(size_of::<Node>() <= 56);
        assert!(size_of::<Chart>() <= 16);
    }
}
