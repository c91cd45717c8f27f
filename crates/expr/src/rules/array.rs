//! Rules of arrays.

use super::pattern::{tree, vars};
use super::{Apply2, Apply3, rewrites};
use crate::node::{Node, Term};
use crate::pool::Pool;

rewrites! {
    SELECT: Apply2 = {
        select_constant(INDEX) |p, w, [c, _]| {
            let table = p.const_array(b"example");
            let index = p.constant(32, c & ((1 << w) + 1));
            p.select(table, index)
        };
        select_input(INDEX) |p, _, [c, _]| {
            let x: [Term; 2] = vars(p, 8);
            let inputs = p.inputs(&x);
            let index = p.constant(32, c % 3);
            p.select(inputs, index)
        };
        select_store(INDEX) |p, w, _| { let (array, i, _, _) = stored(p, w); p.select(array, i) };
        select_other(INDEX) |p, w, _| { let (array, _, j, _) = stored(p, w); p.select(array, j) };
        select_tree(INDEX) |p, _, [c, d]| {
            let table = p.const_array(b"example");
            let index = tree(p, 32, [c % 9, d % 9]);
            p.select(table, index)
        };
    }
    STORE: Apply3 = {
        store_store(INDEX) |p, w, _| {
            let (array, i, j, byte) = stored(p, w);
            let array = p.store(array, i, byte);
            p.select(array, j)
        };
        store_select(INDEX) |p, w, _| {
            let table = p.const_array(b"example");
            let [i, j] = vars(p, w).map(|x| p.zext(x, 32));
            let byte = p.select(table, i);
            let array = p.store(table, i, byte);
            p.select(array, j)
        };
    }
}

/// An array with a byte stored at an index; the index, one unlike it, and another byte.
fn stored(p: &mut Pool, w: u32) -> (Term, Term, Term, Term) {
    let table = p.const_array(b"example");
    let [x, y] = vars(p, w);
    let (odd, even) = (p.constant(1, 1), p.constant(1, 0));
    let (i, j) = (p.concat(x, odd), p.concat(y, even));
    let (i, j) = (p.zext(i, 32), p.zext(j, 32));
    let [v, other] = [x, y].map(|x| p.zext(x, 8));
    (p.store(table, i, v), i, j, other)
}

/// match: `select(table, k)` · result: the byte
fn select_constant(p: &mut Pool, array: Term, index: Term) -> Option<Term> {
    let Node::ConstArray(id) = p.node(array) else { return None };
    let k = usize::try_from(p.as_const(index)?).ok()?;
    let byte = p.table(id).get(k).copied().unwrap_or(0);
    Some(p.constant(8, byte.into()))
}

/// match: `select(inputs, k)` · result: the variable, or 0 beyond the array
fn select_input(p: &mut Pool, array: Term, index: Term) -> Option<Term> {
    let Node::Inputs(id) = p.node(array) else { return None };
    let k = usize::try_from(p.as_const(index)?).ok()?;
    let var = p.input_table(id).get(k).copied();
    Some(var.unwrap_or_else(|| p.constant(8, 0)))
}

/// match: `select(store(_, i, v), i)` · result: `v`
fn select_store(p: &mut Pool, array: Term, index: Term) -> Option<Term> {
    match p.node(array) {
        Node::Store(_, i, byte) if i == index => Some(byte),
        _ => None,
    }
}

/// match: `select(store(a, i, _), j)`, i and j different by their facts · result: `select(a, j)`
fn select_other(p: &mut Pool, array: Term, index: Term) -> Option<Term> {
    let mut below = array;
    // All such stores in one go: a chain may be longer than rules may nest.
    while let Node::Store(next, i, _) = p.node(below) {
        let same = p.eq(i, index);
        if !p.is_false(same) {
            break;
        }
        below = next;
    }
    (below != array).then(|| p.select(below, index))
}

/// match: `select(table, t)`, t a choice between constants · result: the choice between the bytes
fn select_tree(p: &mut Pool, array: Term, index: Term) -> Option<Term> {
    let Node::ConstArray(_) = p.node(array) else { return None };
    p.map_tree(index, &mut |p, leaf| {
        let at = p.constant(32, leaf);
        p.select(array, at)
    })
}

/// match: `store(store(a, i, _), i, v)` · result: `store(a, i, v)`
fn store_store(p: &mut Pool, array: Term, index: Term, byte: Term) -> Option<Term> {
    match p.node(array) {
        Node::Store(below, i, _) if i == index => Some(p.store(below, i, byte)),
        _ => None,
    }
}

/// match: `store(a, i, select(a, i))` · result: `a`
fn store_select(p: &mut Pool, array: Term, index: Term, byte: Term) -> Option<Term> {
    (p.node(byte) == Node::Select(array, index)).then_some(array)
}
