//! SMT-LIB 2 text of assertions (logic QF_ABV, or QF_BV without arrays).

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::node::{Binary, Node, Term, Unary};
use crate::pool::Pool;

const ARRAY: &str = "(Array (_ BitVec 32) (_ BitVec 8))";

impl Pool {
    /// A script that asserts the booleans `assertions` and asks whether they can hold together.
    /// A term that is used more than once is defined once, so the text grows with the graph, not
    /// with the tree.
    #[must_use]
    pub fn smtlib(&self, assertions: &[Term]) -> String {
        let order = self.postorder(assertions);
        let mut writer = Writer { pool: self, names: FxHashMap::default(), text: String::new() };
        let arrays = order.iter().any(|&t| self.width(t) == 0);
        let quantified = assertions.iter().any(|&t| self.is_quantified(t));
        let logic = match (quantified, arrays) {
            (true, _) => "ABV",
            (_, true) => "QF_ABV",
            _ => "QF_BV",
        };
        writer.line(&format!("(set-logic {logic})"));
        writer.declare(&order);
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        for operand in order.iter().flat_map(|&t| self.node(t).operands()) {
            *uses.entry(operand).or_default() += 1;
        }
        for &t in &order {
            let is_leaf = matches!(self.node(t), Node::Const(_) | Node::Var(_));
            if !is_leaf && uses.get(&t).is_some_and(|&n| n > 1) && !self.is_open(t) {
                writer.define(t);
            }
        }
        for &t in assertions {
            let body = writer.expression(t);
            writer.line(&format!("(assert (= {body} #b1))"));
        }
        writer.line("(check-sat)");
        writer.text
    }
}

impl Pool {
    /// Does `t` have the index variable of a quantifier outside of it?
    fn is_open(&self, t: Term) -> bool {
        self.support_vars(self.support(t)).iter().any(|&v| self.index_max(v) > 0)
    }
}

struct Writer<'a> {
    pool: &'a Pool,
    /// Text that stands for a term: the symbol of a variable, the name of a definition.
    names: FxHashMap<Term, String>,
    text: String,
}

/// What is left to print of an expression.
enum Part {
    Term(Term),
    Text(String),
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Variables by number, their names as comments; tables as arrays with their bytes stored.
    fn declare(&mut self, order: &[Term]) {
        for &t in order {
            match self.pool.node(t) {
                Node::Var(v) if self.pool.index_max(v) > 0 => {
                    self.names.insert(t, format!("v{}", v.0));
                }
                Node::Var(v) => {
                    if self.names.contains_key(&t) {
                        continue;
                    }
                    let readable: String =
                        self.pool.var_name(v).chars().filter(|c| !c.is_control()).collect();
                    let width = self.pool.width(t);
                    self.line(&format!("(declare-const v{} (_ BitVec {width})) ; {readable}", v.0));
                    self.names.insert(t, format!("v{}", v.0));
                }
                Node::ConstArray(id) => self.define_table(t, id),
                Node::Inputs(id) => self.define_inputs(t, id),
                _ => {}
            }
        }
    }

    fn define_table(&mut self, t: Term, id: u32) {
        let bytes = self.pool.table(id).iter().enumerate().filter(|(_, byte)| **byte != 0);
        let mut body = "(store ".repeat(bytes.clone().count());
        let _ = write!(body, "((as const {ARRAY}) #x00)");
        for (i, byte) in bytes {
            let _ = write!(body, " #x{i:08x} #x{byte:02x})");
        }
        self.line(&format!("(define-fun a{id} () {ARRAY} {body})"));
        self.names.insert(t, format!("a{id}"));
    }

    /// An array that bytes are stored in, whose variables are declared and whose terms are defined first.
    fn define_inputs(&mut self, t: Term, id: u32) {
        let bytes = self.pool.input_table(id);
        let made_of = self.pool.postorder(bytes);
        self.declare(&made_of);
        made_of.iter().for_each(|&u| self.define(u));
        let mut body = "(store ".repeat(bytes.len());
        let _ = write!(body, "((as const {ARRAY}) #x00)");
        for (i, byte) in bytes.iter().enumerate() {
            let _ = write!(body, " #x{i:08x} {})", self.names[byte]);
        }
        self.line(&format!("(define-fun in{id} () {ARRAY} {body})"));
        self.names.insert(t, format!("in{id}"));
    }

    fn define(&mut self, t: Term) {
        if self.names.contains_key(&t) {
            return;
        }
        let sort = match self.pool.width(t) {
            0 => ARRAY.to_owned(),
            width => format!("(_ BitVec {width})"),
        };
        let body = self.expression(t);
        self.line(&format!("(define-fun t{} () {sort} {body})", t.raw()));
        self.names.insert(t, format!("t{}", t.raw()));
    }

    /// The text of `t`, in which named terms are their names.
    fn expression(&self, t: Term) -> String {
        let mut text = String::new();
        let mut pending = vec![Part::Term(t)];
        while let Some(part) = pending.pop() {
            match part {
                Part::Text(part) => text.push_str(&part),
                Part::Term(t) => match self.names.get(&t) {
                    Some(name) => text.push_str(name),
                    None => self.open(t, &mut text, &mut pending),
                },
            }
        }
        text
    }

    /// Writes the operator of `t` and leaves its operands for later.
    fn open(&self, t: Term, text: &mut String, pending: &mut Vec<Part>) {
        let (node, width) = (self.pool.node(t), self.pool.width(t));
        let extension = |a: Term| width - self.pool.width(a);
        let (head, tail) = match node {
            Node::Const(bits) => {
                let _ = write!(text, "#b{bits:0width$b}", width = width as usize);
                return;
            }
            Node::Unary(Unary::Not, _) => ("(bvnot".to_owned(), ")"),
            Node::Unary(Unary::Neg, _) => ("(bvneg".to_owned(), ")"),
            Node::Binary(op, _, _) if op.is_comparison() => (format!("(ite ({}", operator(op)), ") #b1 #b0)"),
            Node::Binary(op, _, _) => (format!("({}", operator(op)), ")"),
            Node::Ite(c, a, b) => {
                pending.push(Part::Text(")".to_owned()));
                pending.extend([Part::Term(b), Part::Text(" ".to_owned()), Part::Term(a)]);
                pending.push(Part::Text(" #b1) ".to_owned()));
                pending.push(Part::Term(c));
                text.push_str("(ite (= ");
                return;
            }
            Node::Forall(i, k, body) => {
                let (i, width) = (&self.names[&i], self.pool.width(i));
                let _ = write!(text, "(ite (forall (({i} (_ BitVec {width}))) ");
                let _ = write!(text, "(=> (and (bvule (_ bv1 {width}) {i}) (bvule {i} ");
                pending.push(Part::Text(" #b1))) #b1 #b0)".to_owned()));
                pending.push(Part::Term(body));
                pending.push(Part::Text(")) (= ".to_owned()));
                pending.push(Part::Term(k));
                return;
            }
            Node::Concat(..) => ("(concat".to_owned(), ")"),
            Node::Extract(_, lo) => (format!("((_ extract {} {lo})", lo + width - 1), ")"),
            Node::ZExt(a) => (format!("((_ zero_extend {})", extension(a)), ")"),
            Node::SExt(a) => (format!("((_ sign_extend {})", extension(a)), ")"),
            Node::Store(..) => ("(store".to_owned(), ")"),
            Node::Select(..) => ("(select".to_owned(), ")"),
            // Declared at the start, so they have names.
            Node::Var(_) | Node::ConstArray(_) | Node::Inputs(_) => return,
        };
        text.push_str(&head);
        pending.push(Part::Text(tail.to_owned()));
        for operand in node.operands().rev() {
            pending.extend([Part::Term(operand), Part::Text(" ".to_owned())]);
        }
    }
}

fn operator(op: Binary) -> &'static str {
    match op {
        Binary::Add => "bvadd",
        Binary::Mul => "bvmul",
        Binary::UDiv => "bvudiv",
        Binary::URem => "bvurem",
        Binary::SDiv => "bvsdiv",
        Binary::SRem => "bvsrem",
        Binary::Shl => "bvshl",
        Binary::LShr => "bvlshr",
        Binary::AShr => "bvashr",
        Binary::And => "bvand",
        Binary::Or => "bvor",
        Binary::Xor => "bvxor",
        Binary::Eq => "=",
        Binary::Ult => "bvult",
        Binary::Ule => "bvule",
        Binary::Slt => "bvslt",
        Binary::Sle => "bvsle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_terms_are_defined_once() {
        let mut p = Pool::with_rewriting(false);
        let x = p.var(8, "x\ny");
        let sum = p.add(x, x);
        let square = p.mul(sum, sum);
        let k = p.constant(8, 4);
        let holds = p.eq(square, k);
        let expected = format!(
            "(set-logic QF_BV)\n\
             (declare-const v0 (_ BitVec 8)) ; xy\n\
             (define-fun t{} () (_ BitVec 8) (bvadd v0 v0))\n\
             (assert (= (ite (= (bvmul t{} t{}) #b00000100) #b1 #b0) #b1))\n\
             (check-sat)\n",
            sum.raw(),
            sum.raw(),
            sum.raw()
        );
        assert_eq!(p.smtlib(&[holds]), expected);
    }

    #[test]
    fn arrays_and_slices_are_written_out() {
        let mut p = Pool::with_rewriting(false);
        let (i, c) = (p.var(32, "i"), p.var(1, "c"));
        let table = p.const_array(&[0, 7]);
        let byte = p.extract(i, 8, 8);
        let array = p.store(table, i, byte);
        let chosen = p.ite(c, array, table);
        let read = p.select(chosen, i);
        let wide = p.sext(read, 16);
        let zero = p.constant(16, 0);
        let holds = p.slt(wide, zero);
        let text = p.smtlib(&[holds]);
        assert!(text.starts_with("(set-logic QF_ABV)\n"));
        let table = format!("(store ((as const {ARRAY}) #x00) #x00000001 #x07)");
        assert!(text.contains(&format!("(define-fun a0 () {ARRAY} {table})")), "{text}");
        let read = "(select (ite (= v1 #b1) (store a0 v0 ((_ extract 15 8) v0)) a0) v0)";
        assert!(text.contains(&format!("((_ sign_extend 8) {read})")), "{text}");
    }
}
