//! Loops over the input's bytes as C.

use super::fit;
use crate::ast::{BlockKind, BufferOp, Expr, Place};

/// The most bytes of a block.
const BLOCK: usize = 9;

/// Whether a byte is in a set.
fn member(byte: &str, set: &str) -> String {
    let tests: Vec<String> = set.chars().map(|c| format!("{byte} == '{c}'")).collect();
    format!("({})", tests.join(" || "))
}

/// The lines of an operation, each expression and place being printed by the functions given. There are `bytes`
/// bytes of input.
pub(super) fn lines(
    op: &BufferOp,
    bytes: usize,
    expr: &dyn Fn(&Expr) -> String,
    place: &dyn Fn(&Place) -> String,
) -> Vec<String> {
    let up_to = |e: &Expr, most: usize| fit(&expr(e), most + 1);
    let length = |e: Option<&Expr>| e.map_or(format!("{bytes}u"), |e| up_to(e, bytes));
    match op {
        BufferOp::Span { to, set, not, by_loop, from, len, step, fatal } => {
            let start = from.as_ref().map_or("0".into(), |e| up_to(e, bytes));
            let mut lines = vec![format!("uint32_t k_ = {start}, n_ = {};", length(len.as_ref()))];
            if *by_loop {
                lines.extend([
                    "while (k_ < n_) {".into(),
                    format!("  const char *c_ = \"{set}\";"),
                    "  while (*c_ && *c_ != (char)x[k_])".into(),
                    "    c_++;".into(),
                    format!("  if ({}*c_)", if *not { "" } else { "!" }),
                    "    break;".into(),
                    format!("  k_ += {step};"),
                    "}".into(),
                ]);
            } else if let Some(fatal) = fatal {
                // Where it ends is decided before the loop is left, so that one turn has an exit of its own.
                let sign = if *not { "" } else { "!" };
                lines.extend([
                    "while (k_ < n_) {".into(),
                    format!("  int how_ = ending({sign}{}, k_ == {fatal});", member("x[k_]", set)),
                    "  if (how_ == 1)".into(),
                    "    break;".into(),
                    "  if (how_ == 2)".into(),
                    format!("    exit({fatal});"),
                    format!("  k_ += {step};"),
                    "}".into(),
                ]);
            } else {
                let sign = if *not { "!" } else { "" };
                lines.push(format!("while (k_ < n_ && {sign}{})", member("x[k_]", set)));
                lines.push(format!("  k_ += {step};"));
            }
            lines.push(format!("{} = k_;", place(to)));
            lines
        }
        BufferOp::SpanBack { to, set } => vec![
            format!("uint32_t k_ = {bytes};"),
            format!("while (k_ > 0 && {})", member("x[k_ - 1]", set)),
            "  k_--;".into(),
            format!("{} = {bytes} - k_;", place(to)),
        ],
        BufferOp::Map { to, set, len } => vec![
            format!("uint8_t q_[{}] = {{0}};", bytes + 1),
            format!("uint32_t k_ = 0, n_ = {};", up_to(len, bytes)),
            format!("while (k_ < n_ && {}) {{", member("x[k_]", set)),
            "  q_[k_] = x[k_] + 1;".into(),
            "  k_++;".into(),
            "}".into(),
            format!("{} = k_ + q_[0] + q_[{}];", place(to), bytes / 2),
        ],
        BufferOp::Block { to, set, kind, size, len, index, may_fail } => {
            let mut lines = vec![format!("uint32_t n_ = {}, k_ = 0;", up_to(size, BLOCK - 1))];
            lines.push(match kind {
                BlockKind::Malloc => "uint8_t *q_ = malloc(n_);".into(),
                BlockKind::Calloc => "uint8_t *q_ = calloc(n_, 1);".into(),
                // An array of no elements is undefined.
                BlockKind::Array => "n_++; uint8_t q_[n_];".into(),
            });
            if *kind != BlockKind::Calloc {
                lines.push("memset(q_, 'b', n_);".into());
            }
            match len {
                Some(len) => lines.extend([
                    format!("uint32_t m_ = {};", up_to(len, bytes)),
                    "memcpy(q_, x, m_ < n_ ? m_ : n_);".into(),
                ]),
                None => lines.extend([
                    format!("while (k_ < n_ && k_ < {bytes} && {}) {{", member("x[k_]", set)),
                    "  q_[k_] = x[k_];".into(),
                    "  k_++;".into(),
                    "}".into(),
                ]),
            }
            lines.extend([
                "uint32_t h_ = k_;".into(),
                format!("for (k_ = 0; k_ < n_ && {}; k_++)", member("q_[k_]", set)),
                "  h_++;".into(),
                format!("int e_ = (int)({});", up_to(index, BLOCK)),
            ]);
            let read = "h_ += ELEM(q_, (int)n_, e_);".to_owned();
            lines.push(if *may_fail { read } else { format!("if (e_ < (int)n_) {read}") });
            if *kind != BlockKind::Array {
                lines.push("free(q_);".into());
            }
            lines.push(format!("{} = h_;", place(to)));
            lines
        }
    }
}
