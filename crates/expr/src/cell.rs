//! How a node is stored: 16 bytes.

use crate::node::{Binary, Node, Term, Unary, Var};

/// A node in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) tag: Tag,
    pub(crate) width: u16,
    pub(crate) a: u32,
    b: u32,
    c: u32,
}

/// The kind of node, as far as it isn't said by the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    /// A constant of at most 64 bits: its halves are `a` and `b`.
    Const,
    /// A constant of 65 to 128 bits: `a` is its place in the side table.
    WideConst,
    Var,
    Unary(Unary),
    Binary(Binary),
    Ite,
    Concat,
    Extract,
    ZExt,
    SExt,
    ConstArray,
    Inputs,
    Store,
    Select,
    Forall,
}

impl Tag {
    /// A number that tells tags apart, for hashing.
    fn code(self) -> u64 {
        match self {
            Tag::Const => 0,
            Tag::WideConst => 1,
            Tag::Var => 2,
            Tag::Ite => 3,
            Tag::Concat => 4,
            Tag::Extract => 5,
            Tag::ZExt => 6,
            Tag::SExt => 7,
            Tag::ConstArray => 8,
            Tag::Store => 9,
            Tag::Select => 10,
            Tag::Inputs => 40,
            Tag::Forall => 41,
            Tag::Unary(op) => 11 + op as u64,
            Tag::Binary(op) => 16 + op as u64,
        }
    }
}

impl Cell {
    pub(crate) fn new(tag: Tag, width: u32, [a, b, c]: [u32; 3]) -> Self {
        debug_assert!(width <= u32::from(u16::MAX));
        Cell { tag, width: width as u16, a, b, c }
    }

    pub(crate) fn constant(width: u32, bits: u64) -> Self {
        Cell::new(Tag::Const, width, [bits as u32, (bits >> 32) as u32, 0])
    }

    pub(crate) fn small_constant(&self) -> u128 {
        u128::from(self.a) | u128::from(self.b) << 32
    }

    /// The cell of a node that is neither a constant nor a variable.
    pub(crate) fn of(node: Node, width: u32) -> Self {
        let (tag, operands) = match node {
            Node::Const(bits) => return Cell::constant(width, bits as u64),
            Node::Var(v) => (Tag::Var, [v.0, 0, 0]),
            Node::Unary(op, a) => (Tag::Unary(op), [a.0, 0, 0]),
            Node::Binary(op, a, b) => (Tag::Binary(op), [a.0, b.0, 0]),
            Node::Ite(c, a, b) => (Tag::Ite, [c.0, a.0, b.0]),
            Node::Concat(hi, lo) => (Tag::Concat, [hi.0, lo.0, 0]),
            Node::Extract(t, lo) => (Tag::Extract, [t.0, lo, 0]),
            Node::ZExt(t) => (Tag::ZExt, [t.0, 0, 0]),
            Node::SExt(t) => (Tag::SExt, [t.0, 0, 0]),
            Node::ConstArray(id) => (Tag::ConstArray, [id, 0, 0]),
            Node::Inputs(id) => (Tag::Inputs, [id, 0, 0]),
            Node::Forall(i, k, body) => (Tag::Forall, [i.0, k.0, body.0]),
            Node::Store(array, index, byte) => (Tag::Store, [array.0, index.0, byte.0]),
            Node::Select(array, index) => (Tag::Select, [array.0, index.0, 0]),
        };
        Cell::new(tag, width, operands)
    }

    /// The node of any cell but a wide constant, whose value is not in the cell.
    pub(crate) fn node(&self) -> Node {
        let (a, b, c) = (Term(self.a), Term(self.b), Term(self.c));
        match self.tag {
            Tag::Const | Tag::WideConst => Node::Const(self.small_constant()),
            Tag::Var => Node::Var(Var(self.a)),
            Tag::Unary(op) => Node::Unary(op, a),
            Tag::Binary(op) => Node::Binary(op, a, b),
            Tag::Ite => Node::Ite(a, b, c),
            Tag::Concat => Node::Concat(a, b),
            Tag::Extract => Node::Extract(a, self.b),
            Tag::ZExt => Node::ZExt(a),
            Tag::SExt => Node::SExt(a),
            Tag::ConstArray => Node::ConstArray(self.a),
            Tag::Inputs => Node::Inputs(self.a),
            Tag::Forall => Node::Forall(a, b, c),
            Tag::Store => Node::Store(a, b, c),
            Tag::Select => Node::Select(a, b),
        }
    }

    /// A multiplicative hash; the table takes its top and bottom bits, so both must depend on all.
    pub(crate) fn hash(&self) -> u64 {
        const K: u64 = 0x9e37_79b9_7f4a_7c15;
        let head = self.tag.code() << 48 | u64::from(self.width) << 32 | u64::from(self.a);
        let tail = u64::from(self.b) << 32 | u64::from(self.c);
        let mixed = (head.wrapping_mul(K).rotate_left(26) ^ tail).wrapping_mul(K);
        (mixed ^ (mixed >> 32)).wrapping_mul(K)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_sixteen_bytes() {
        assert_eq!(size_of::<Cell>(), 16);
    }
}
