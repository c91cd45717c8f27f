//! Terms for people: infix, compact, on one line.

use std::fmt;

use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;

/// A term to be printed; shared parts are printed as often as they occur, up to a limit.
pub struct Infix<'a> {
    pool: &'a Pool,
    term: Term,
}

/// How many nodes are printed before the rest becomes `…`.
const MAX_NODES: usize = 400;

impl Pool {
    /// `t` as text: `x + 1`, `(a && b)`, `s[3] <u 10`, `x[8..16]`.
    #[must_use]
    pub fn display(&self, t: Term) -> Infix<'_> {
        Infix { pool: self, term: t }
    }
}

/// What is left to print.
enum Part {
    Term(Term),
    Text(&'static str),
    Owned(String),
}

impl fmt::Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A stack of parts instead of recursion: terms can be deep.
        let mut pending = vec![Part::Term(self.term)];
        let mut nodes = 0;
        while let Some(part) = pending.pop() {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Owned(text) => f.write_str(&text)?,
                Part::Term(_) if nodes == MAX_NODES => f.write_str("…")?,
                Part::Term(t) => {
                    nodes += 1;
                    let mut parts = self.parts(t, t == self.term);
                    parts.reverse();
                    pending.extend(parts);
                }
            }
        }
        Ok(())
    }
}

impl Infix<'_> {
    fn parts(&self, t: Term, outermost: bool) -> Vec<Part> {
        use Part::{Owned, Text};
        let pool = self.pool;
        let term = Part::Term;
        match pool.node(t) {
            Node::Const(bits) => vec![Owned(constant(pool.width(t), bits))],
            Node::Var(v) => vec![Owned(pool.var_name(v).to_owned())],
            Node::Unary(op, a) => match (op, pool.node(a)) {
                (Unary::Not, Node::Binary(Binary::Eq, x, y)) => {
                    infix(outermost, vec![term(x), Text(" != "), term(y)])
                }
                (Unary::Not, _) if pool.width(a) == 1 => vec![Text("!"), term(a)],
                (Unary::Not, _) => vec![Text("~"), term(a)],
                (Unary::Neg, _) => vec![Text("-"), term(a)],
            },
            Node::Binary(op, a, b) => {
                infix(outermost, vec![term(a), Text(symbol(op, pool.width(a))), term(b)])
            }
            Node::Ite(c, a, b) => infix(outermost, vec![term(c), Text(" ? "), term(a), Text(" : "), term(b)]),
            Node::Concat(hi, lo) => infix(outermost, vec![term(hi), Text(" . "), term(lo)]),
            Node::Extract(a, lo) => vec![term(a), Owned(format!("[{lo}..{}]", lo + pool.width(t)))],
            Node::ZExt(a) => vec![Owned(format!("zext{}(", pool.width(t))), term(a), Text(")")],
            Node::SExt(a) => vec![Owned(format!("sext{}(", pool.width(t))), term(a), Text(")")],
            Node::ConstArray(id) => vec![Owned(format!("table{id}"))],
            Node::Inputs(id) => {
                let name =
                    pool.input_table(id).first().map_or_else(String::new, |t| pool.display(*t).to_string());
                vec![Owned(name.split('[').next().unwrap_or_default().to_owned())]
            }
            Node::Forall(i, k, body) => infix(
                outermost,
                vec![Text("forall 1 <= "), term(i), Text(" <= "), term(k), Text(": "), term(body)],
            ),
            Node::Store(array, index, byte) => {
                vec![term(array), Text("{"), term(index), Text(" := "), term(byte), Text("}")]
            }
            Node::Select(array, index) => vec![term(array), Text("["), term(index), Text("]")],
        }
    }
}

fn infix(outermost: bool, mut parts: Vec<Part>) -> Vec<Part> {
    if !outermost {
        parts.insert(0, Part::Text("("));
        parts.push(Part::Text(")"));
    }
    parts
}

fn constant(width: u32, bits: u128) -> String {
    match (width, bits) {
        (1, 0) => "false".to_owned(),
        (1, _) => "true".to_owned(),
        (8, 0x20..=0x7e) => format!("{:?}", char::from(bits as u8)),
        (_, 0..10_000) => bits.to_string(),
        _ => format!("{bits:#x}"),
    }
}

fn symbol(op: Binary, width: u32) -> &'static str {
    match op {
        Binary::Add => " + ",
        Binary::Mul => " * ",
        Binary::UDiv => " /u ",
        Binary::URem => " %u ",
        Binary::SDiv => " /s ",
        Binary::SRem => " %s ",
        Binary::Shl => " << ",
        Binary::LShr => " >>u ",
        Binary::AShr => " >>s ",
        Binary::And if width == 1 => " && ",
        Binary::Or if width == 1 => " || ",
        Binary::And => " & ",
        Binary::Or => " | ",
        Binary::Xor => " ^ ",
        Binary::Eq => " == ",
        Binary::Ult => " <u ",
        Binary::Ule => " <=u ",
        Binary::Slt => " <s ",
        Binary::Sle => " <=s ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_reads_like_one() {
        let mut p = Pool::new();
        let (c, n) = (p.var(8, "arg[0]"), p.var(32, "n"));
        let dash = p.constant(8, b'-'.into());
        let other = p.ne(c, dash);
        let three = p.constant(32, 3);
        let sum = p.add(n, three);
        let small = p.ult(sum, three);
        let both = p.and(other, small);
        assert_eq!(p.display(both).to_string(), "(arg[0] != '-') && ((n + 3) <u 3)");
    }

    #[test]
    fn long_terms_are_cut() {
        let mut p = Pool::with_rewriting(false);
        let mut t = p.var(8, "x");
        for _ in 0..100 {
            t = p.add(t, t);
        }
        let text = p.display(t).to_string();
        assert!(text.contains('…') && text.len() < 10_000);
    }
}
