//! Comparisons of two numbers each of which one byte decides, as diagrams.
//!
//! Value by value such a comparison takes 65,536 steps, and its diagram has 256 edges. Its result changes
//! once while one number grows, so for each value of one byte the values of the other are a part of the sorted
//! ones.

use crate::byteset::ByteSet;
use crate::diagram::{Level, Op};
use crate::graph::{Diagram, Edge, Graph, Id};
use crate::node::Binary;
use crate::semantics::binary;

/// A number by the values of the one byte that decides it.
struct Number<'a> {
    level: Level,
    edges: &'a [Edge],
}

impl<'a> Number<'a> {
    fn new(graph: &'a Graph, id: Id) -> Option<Self> {
        match graph.node(id) {
            Diagram::Byte(level, edges) => {
                let is_number = edges.iter().all(|e| graph.as_value(e.1).is_some());
                is_number.then_some(Number { level, edges })
            }
            Diagram::Value(_) => None,
        }
    }

    fn values(&self, graph: &Graph) -> Vec<(ByteSet, u128)> {
        self.edges.iter().filter_map(|e| Some((e.0, graph.as_value(e.1)?))).collect()
    }
}

/// Where a comparison of two numbers holds.
pub(crate) struct Comparison {
    /// The byte that comes first, and the other one.
    pub(crate) levels: [Level; 2],
    /// For each class of values of the first one, those of the other one where it holds.
    pub(crate) classes: Vec<(ByteSet, ByteSet)>,
}

/// The comparison `op` of two numbers of different bytes.
pub(crate) fn compare(graph: &Graph, op: Op, of: [Id; 2]) -> Option<Comparison> {
    let Op::Binary(op, width) = op else { return None };
    if !op.is_comparison() || width < 2 || graph.top(of[0]) == graph.top(of[1]) {
        return None;
    }
    let [a, b] = [Number::new(graph, of[0])?, Number::new(graph, of[1])?];
    let is_swapped = b.level < a.level;
    let (first, second) = if is_swapped { (b, a) } else { (a, b) };
    let is_signed = matches!(op, Binary::Slt | Binary::Sle);
    let key = |v: u128| if is_signed { v ^ 1 << (width - 1) } else { v };
    let mut sorted = second.values(graph);
    sorted.sort_unstable_by_key(|&(_, v)| key(v));
    let mut below = vec![ByteSet::EMPTY];
    sorted.iter().for_each(|&(set, _)| below.push(below[below.len() - 1].union(set)));
    let holds = |x: u128, y: u128| {
        let [x, y] = if is_swapped { [y, x] } else { [x, y] };
        binary(op, width, x, y) & 1 == 1
    };
    let where_it_holds = |x: u128| {
        if op == Binary::Eq {
            let at = sorted.binary_search_by_key(&key(x), |&(_, v)| key(v));
            return at.map_or(ByteSet::EMPTY, |at| sorted[at].0);
        }
        let at_first = holds(x, sorted[0].1);
        let end = sorted.partition_point(|&(_, y)| holds(x, y) == at_first);
        if at_first { below[end] } else { below[end].complement() }
    };
    let classes = first.values(graph).into_iter().map(|(set, x)| (set, where_it_holds(x))).collect();
    Some(Comparison { levels: [first.level, second.level], classes })
}
