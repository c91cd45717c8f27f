//! Regular patterns in execution trees, and formulas for them: section 3 of "State Merging with
//! Quantifiers in Symbolic Execution" (Trabish et al., ESEC/FSE 2023).
//!
//! A leaf of an execution tree is the sequence of decisions that led to it. `shape` turns each
//! decision into a number that ignores constants, so that a leaf is a word; `words` partitions words
//! by regular patterns ω1 ω2^k ω3; `synthesis` finds formulas φ1, φ2(x), φ3(x) for a pattern, and
//! terms t(x) for values; `holes` has one file for each kind of function of x that they are made
//! of, `scan` has what is folded over many bytes, and `nested` what is a pattern within a pattern. What is found is
//! checked against the decisions themselves, so a collision of
//! hashes costs a merge and nothing else.
//!
//! Deviations from the paper:
//! 1. Bytes of inputs are variables here, not reads of an array. A variable counts as a read of its
//!    array of inputs at a constant index.
//! 2. Each place where formulas differ has its own term; the paper has one a·x+b for all. Beyond that,
//!    terms may be polynomials, select by x mod p, or change at one value of x.
//! 3. A pattern is found from the longest word that no other pattern generates, by its longest run;
//!    the time is linear in the words, times the longest core that is looked for.
//! 4. A decision is compared in the form in which the program made it, because rewriting turns
//!    `0 < n` into something that `1 < n` is not.
//! 5. A letter of a pattern may be a pattern itself.

mod bounds;
mod holes;
mod nested;
mod scan;
mod shape;
mod synthesis;
mod words;

pub use nested::Family;
pub use scan::scan;
pub use shape::{Compare, Shapes, Step};
pub use synthesis::{Formula, Same, formula, value};
pub use words::{Group, Pattern, partition};
