//! Terms of one pool made again in another.

use rustc_hash::FxHashMap;

use crate::node::{Node, Term, Var};
use crate::pool::Pool;

/// Makes `t` of the pool `from` again with the constructors of `into`. Variable number n becomes
/// variable number n of `into`; those that it lacks are added with their widths and names.
pub fn rebuild(from: &Pool, t: Term, into: &mut Pool) -> Term {
    for v in into.var_count()..from.var_count() {
        let v = Var(v);
        into.var(from.width(from.var_term(v)), from.var_name(v));
        into.set_index_max(v, from.index_max(v));
    }
    let mut image: FxHashMap<Term, Term> = FxHashMap::default();
    for u in from.postorder(&[t]) {
        let made = match from.node(u) {
            Node::ConstArray(id) => into.const_array(from.table(id)),
            Node::Inputs(id) => {
                let vars: Vec<Term> = from.input_table(id).iter().map(|t| rebuild(from, *t, into)).collect();
                into.inputs(&vars)
            }
            node => into.make(node, from.width(u), |operand| image[&operand]),
        };
        image.insert(u, made);
    }
    image[&t]
}
