//! The rewrite rules.
//!
//! A rule is a function that sees the operands of one operator and either makes the simpler term or
//! declines. Its documentation states what it matches and the result. Rules are tried in the order
//! of their table. The canonical forms that they lead to:
//!
//! - A constant is the second operand of a commutative operator; `x - y` is `x + -y`.
//! - A shift by a constant is a slice: `x << k` is `concat(extract(x, 0, w-k), 0)`, `x >> k` is a zero
//!   or sign extension of an extract. So are multiplication, division and remainder by a power of
//!   two, and a mask of adjacent ones. `or` and `add` of operands in disjoint bits are concatenations.
//! - Concatenations nest to the right; `concat(0, x)` is `zext x`.
//! - Against a constant, only `x < k` and `k <= x` are used (each the negation of the other),
//!   and equality where it says the same. A comparison is never below a negation, except `eq`.
//! - A boolean chosen by `ite` is a formula of `and`, `or`, `not`; `ite(c, 1, 0)` is `zext c`.
//!
//! A rule never copies work into both branches of a shared term without a bound, so rewriting takes
//! time linear in what it looks at.

use crate::node::{Binary, Term};
use crate::pool::Pool;

mod arith;
mod array;
mod compare;
mod equal;
mod ite;
mod logic;
mod pattern;
mod rebuild;
mod shift;
mod slice;

pub use rebuild::rebuild;

pub(crate) use arith::NEG;
pub(crate) use array::{SELECT, STORE};
pub(crate) use ite::ITE;
pub(crate) use logic::NOT;
pub(crate) use slice::{CONCAT, EXTRACT, SEXT, ZEXT};

/// A named rule with terms to which it applies.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The rule's name.
    pub name: &'static str,
    /// Widths at which the example makes sense.
    pub widths: &'static [u32],
    /// Builds a left side over fresh variables, for a width and any two constants, in a pool
    /// without rewriting. The rule need not match for every choice of constants.
    pub example: fn(&mut Pool, u32, [u128; 2]) -> Term,
}

/// A rule and the function that applies it.
pub(crate) struct Rewrite<F> {
    pub(crate) rule: Rule,
    pub(crate) apply: F,
}

pub(crate) type Apply1 = fn(&mut Pool, Term) -> Option<Term>;
pub(crate) type Apply2 = fn(&mut Pool, Term, Term) -> Option<Term>;
pub(crate) type Apply3 = fn(&mut Pool, Term, Term, Term) -> Option<Term>;
pub(crate) type ApplyExtend = fn(&mut Pool, Term, u32) -> Option<Term>;
pub(crate) type ApplyExtract = fn(&mut Pool, Term, u32, u32) -> Option<Term>;

/// Widths for rules that hold at every width.
const ANY: &[u32] = &[1, 2, 3, 4, 5, 32, 64, 128];
/// Widths for rules that need two bits.
const MULTI: &[u32] = &[2, 3, 4, 5, 32, 64, 128];
/// Widths for rules that need three bits.
const THREE: &[u32] = &[3, 4, 5, 32, 64, 128];
/// Widths for rules that need five bits.
const FIVE: &[u32] = &[5, 32, 64, 128];
/// Widths for examples that have terms of twice the width.
const HALF: &[u32] = &[1, 2, 3, 4, 16, 32, 64];
/// As `HALF`, for rules that need two bits.
const MULTI_HALF: &[u32] = &[2, 3, 4, 16, 32, 64];
/// For rules about booleans.
const BOOL: &[u32] = &[1];
/// For rules about arrays, whose indices have 32 bits whatever the width.
const INDEX: &[u32] = &[3];

/// A table of rules: `name(widths) |pool, width, constants| example;`, where `name` is also the
/// function that applies the rule.
macro_rules! rewrites {
    ($($table:ident: $apply:ty = { $($name:ident($widths:ident) $example:expr;)* })*) => {
        $(pub(crate) const $table: &[$crate::rules::Rewrite<$apply>] = &[$($crate::rules::Rewrite {
            rule: $crate::rules::Rule {
                name: stringify!($name),
                widths: $crate::rules::$widths,
                example: $example,
            },
            apply: $name,
        }),*];)*
    };
}
pub(crate) use rewrites;

/// The rules of a binary operator.
pub(crate) fn of_binary(op: Binary) -> &'static [Rewrite<Apply2>] {
    match op {
        Binary::Add => arith::ADD,
        Binary::Mul => arith::MUL,
        Binary::UDiv => arith::UDIV,
        Binary::URem => arith::UREM,
        Binary::SDiv => arith::SDIV,
        Binary::SRem => arith::SREM,
        Binary::Shl => shift::SHL,
        Binary::LShr => shift::LSHR,
        Binary::AShr => shift::ASHR,
        Binary::And => logic::AND,
        Binary::Or => logic::OR,
        Binary::Xor => logic::XOR,
        Binary::Eq => equal::EQ,
        Binary::Ult => compare::ULT,
        Binary::Ule => compare::ULE,
        Binary::Slt => compare::SLT,
        Binary::Sle => compare::SLE,
    }
}

/// Every rule.
#[must_use]
pub fn all() -> Vec<Rule> {
    let binary = [
        arith::ADD,
        arith::MUL,
        arith::UDIV,
        arith::UREM,
        arith::SDIV,
        arith::SREM,
        shift::SHL,
        shift::LSHR,
        shift::ASHR,
        logic::AND,
        logic::OR,
        logic::XOR,
        equal::EQ,
        compare::ULT,
        compare::ULE,
        compare::SLT,
        compare::SLE,
        CONCAT,
        SELECT,
    ];
    let mut rules = named(NOT);
    rules.extend(named(NEG));
    rules.extend(binary.into_iter().flat_map(named));
    rules.extend(named(ITE));
    rules.extend(named(EXTRACT));
    rules.extend(named(ZEXT));
    rules.extend(named(SEXT));
    rules.extend(named(STORE));
    rules
}

fn named<F>(table: &[Rewrite<F>]) -> Vec<Rule> {
    table.iter().map(|rewrite| rewrite.rule).collect()
}
