//! The text syntax of modules.
//!
//! ```text
//! func @max(i32 %0, i32 %1) -> i32 slots 4 !0:1:1 {     ; parameters, results, slots, location
//!   var "a" = %0 line 1                                 ; `=` the value, `in` the object behind
//! b0 "entry":
//!   %2 = icmp.slt i32 %0, %1 !0:2:7                     ; location: file, line, column
//!   branch %2, b1(%3 = i32 %1), b1(%3 = i32 %0) *2      ; edges with copies; weight 2
//! b1:
//!   return (i32 %3)
//! }
//! func @puts(ptr %0) -> i32                             ; a declaration
//! global @word size 8 align 8 constant init "\01" relocs [0: @max]
//! files { "max.c" }
//! texts { "a", "entry" }
//! ```
//!
//! The tables of a module (`files`, `texts`, `locs`, `consts`) are written out, and what an
//! instruction takes from them is written where it is used: `-1`, `@word+4`, `@max:b1`, `undef`,
//! `"entry"`, `!0:2:7`. Such an inline entry means the first one of the table with that content
//! and is added if there is none, so hand-written text needs no tables. `#5` is entry 5 as such.
//! Symbols that a name does not find are `fn#3` and `global#3`. Numbers are two's complement at
//! the width of their place; those wider than 64 bits are hexadecimal. Of a call's results only
//! the first register is written, the others follow it. Strings are bytes, with
//! `\hh` for those that are not printable ASCII. A comment starts with `;`.
//!
//! For every module in canonical layout ([`Module::canonicalize`](crate::Module::canonicalize)),
//! parsing what was printed gives an equal module.

mod lex;
mod parse;
mod parse_body;
mod print;

pub use parse::{ParseError, parse};
pub use print::{print, print_function, print_inst};
