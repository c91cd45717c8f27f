//! Guards: Boolean functions of branch predicates, as decision diagrams.
//!
//! A guard is a handle; equal handles are equal functions, and `false` is always the handle
//! [`Guard::FALSE`]. What diagrams decide by are *levels*, numbered in the order in which they are met. A
//! level is a byte of the input or an *atom*, a predicate of which nothing is known. Predicates on one
//! byte are sets of its values, so diagrams know which of them exclude each other: a guard over bytes
//! alone that is not `false` is satisfiable, and no solver is asked.
//!
//! All guards share their nodes, and a guard and its negation are the same node.

use rejoin_expr::ByteSet;

/// A Boolean function: a node, and in the lowest bit whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(u32);

impl Guard {
    /// Never.
    pub const FALSE: Guard = Guard(0);
    /// Always.
    pub const TRUE: Guard = Guard(1);

    /// The function of this node.
    pub(crate) fn node(index: u32) -> Guard {
        Guard(index << 1)
    }

    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Guard {
        Guard(bits)
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub(crate) fn negated_if(self, not: bool) -> Guard {
        Guard(self.0 ^ u32::from(not))
    }
}

/// What value summaries need of guards. An operation whose result is too large gives `None`.
pub trait Guards {
    /// The guard that is this atom; `None` if there are too many levels.
    fn atom(&mut self, level: u32) -> Option<Guard>;
    /// The guard that a byte is one of these; `None` if there are too many levels.
    fn byte(&mut self, level: u32, set: ByteSet) -> Option<Guard>;
    /// Both.
    fn and(&mut self, a: Guard, b: Guard) -> Option<Guard>;
    /// The first where `c` holds, the second elsewhere.
    fn choose(&mut self, c: Guard, a: Guard, b: Guard) -> Option<Guard>;
    /// Whether both can hold together: quicker than their conjunction; `None` if that takes too many steps.
    fn meet(&mut self, a: Guard, b: Guard) -> Option<bool>;
    /// Not.
    fn not(&self, a: Guard) -> Guard {
        a.negated_if(true)
    }
    /// A guard that is `g` where `care` holds, and no matter what elsewhere: a constant if it can be. `g` itself if that
    /// takes too many steps.
    fn within(&mut self, g: Guard, care: Guard) -> Guard;
    /// Whether the guard asks for bytes only, so that it can hold unless it is `false`.
    fn is_of_bytes(&self, g: Guard) -> bool;
    /// A way to make the guard, which is not `false`, hold: values of some levels, those wished for where
    /// there is a choice. An atom holds if its value is not 0.
    fn descend(&self, g: Guard, wish: impl Fn(u32) -> u8) -> Vec<(u32, u8)>;
    /// Calls `node(level, edges)` for each node from the leaves up; `leaf` gives the constants. The result
    /// is that of the root.
    fn fold<T: Copy>(&self, g: Guard, leaf: [T; 2], node: impl FnMut(u32, &[(ByteSet, T)]) -> T) -> T;
    /// Nodes of all guards together.
    fn nodes(&self) -> usize;

    /// Either.
    fn or(&mut self, a: Guard, b: Guard) -> Option<Guard> {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b)?;
        Some(self.not(neither))
    }

    /// One of these, joined by pairs: what is near each other has much in common.
    fn any(&mut self, mut guards: Vec<Guard>) -> Option<Guard> {
        while guards.len() > 1 {
            let pairs = guards.chunks(2).map(|pair| match *pair {
                [a, b] => self.or(a, b),
                _ => pair.first().copied(),
            });
            guards = pairs.collect::<Option<_>>()?;
        }
        Some(guards.first().copied().unwrap_or(Guard::FALSE))
    }
}
