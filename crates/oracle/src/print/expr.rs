//! Expressions as C. Everything is in parentheses and converted to the type it is used at.

use super::fit;
use crate::ast::{BinOp, Cmp, Expr, Int, Logic, Place, Program, RECORDS, Shape, UnOp};

/// A constant of a type, also as an initialiser.
pub(super) fn constant(ty: Int, value: u128) -> String {
    let (value, name) = (ty.cut(value), ty.name());
    if ty.bits == 128 && value >> 64 != 0 {
        let (high, low) = ((value >> 64) as u64, value as u64);
        return format!("({name})((uint128_t){high:#x}u << 64 | {low:#x}u)");
    }
    if ty.signed && ty.bits <= 64 && value >> (ty.bits - 1) != 0 {
        let magnitude = (1u128 << ty.bits) - value;
        return match ty.bits {
            64 => format!("({name})(-{}ll - 1)", magnitude - 1),
            _ => format!("({name})(-{magnitude}ll)"),
        };
    }
    format!("({name}){value:#x}u")
}

/// An input's name.
pub(super) fn input(program: &Program, index: usize) -> String {
    match program.inputs.shape {
        Shape::Bytes => format!("x{index}"),
        Shape::Array => format!("x[{index}]"),
        Shape::Half if index == 0 => "x".into(),
        Shape::Half => "(x >> 8)".into(),
    }
}

/// A place, to read or to write.
pub(super) fn place(program: &Program, function: usize, place: &Place) -> String {
    let text = |index: &Expr| expr(program, function, index);
    match place {
        Place::Local(i) => format!("v{i}"),
        Place::Param(i) => format!("p{i}"),
        Place::Global(i) => format!("g{i}"),
        Place::LocalElem(i, at) => {
            format!("la{i}[{}]", fit(&text(at), program.functions[function].arrays[*i].init.len()))
        }
        Place::GlobalElem(i, at) => format!("ga{i}[{}]", fit(&text(at), program.arrays[*i].init.len())),
        Place::Field(record, at, field) => format!("s{record}[{}].m{field}", fit(&text(at), RECORDS)),
        Place::Part(log, at) => format!("un.u{log}[{}]", fit(&text(at), 8 >> log)),
    }
}

/// An expression.
pub(super) fn expr(program: &Program, function: usize, e: &Expr) -> String {
    let text = |e: &Expr| expr(program, function, e);
    match e {
        Expr::Const(ty, value) => format!("({})", constant(*ty, *value)),
        Expr::Input(index) => input(program, *index),
        Expr::Counter(index) => format!("i{index}"),
        Expr::Read(from) => place(program, function, from),
        Expr::Un(op, ty, a) => unary(*op, *ty, &text(a)),
        Expr::Bin(op, ty, a, b) => binary(*op, *ty, &text(a), &text(b)),
        Expr::Cmp(op, ty, a, b) => {
            format!("(({ty})({}) {} ({ty})({}))", text(a), comparison(*op), text(b), ty = ty.name())
        }
        Expr::Logic(Logic::And, a, b) => format!("(({}) && ({}))", text(a), text(b)),
        Expr::Logic(Logic::Or, a, b) => format!("(({}) || ({}))", text(a), text(b)),
        Expr::LogicNot(a) => format!("(!({}))", text(a)),
        Expr::Cond(ty, c, a, b) => {
            format!("(({}) ? ({ty})({}) : ({ty})({}))", text(c), text(a), text(b), ty = ty.name())
        }
        Expr::Cast(ty, a) => format!("(({})({}))", ty.name(), text(a)),
    }
}

fn comparison(op: Cmp) -> &'static str {
    match op {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    }
}

fn unary(op: UnOp, ty: Int, a: &str) -> String {
    let (name, wrap, bits) = (ty.name(), ty.wrapping().name(), ty.bits.min(64));
    let narrow = Int { bits, signed: false }.name();
    match op {
        UnOp::Not => format!("(({name})(~({wrap})({a})))"),
        UnOp::Neg => format!("(({name})(0u - ({wrap})({a})))"),
        UnOp::Popcount => format!("(({name})__builtin_popcountll(({narrow})({a})))"),
        UnOp::Bswap if bits == 8 => format!("(({name})({a}))"),
        UnOp::Bswap => format!("(({name})__builtin_bswap{bits}(({narrow})({a})))"),
        UnOp::Bitreverse => format!("(({name})__builtin_bitreverse{bits}(({narrow})({a})))"),
        UnOp::Clz => format!("(({name})__builtin_clzll((uint64_t)({a}) | 1u))"),
        UnOp::Ctz => format!("(({name})__builtin_ctz((uint32_t)({a}) | 0x80000000u))"),
        UnOp::Abs => format!("(({name})abs((int16_t)({a})))"),
    }
}

fn binary(op: BinOp, ty: Int, a: &str, b: &str) -> String {
    let (name, wrap, plain, half) = (ty.name(), ty.wrapping().name(), ty.unsigned().name(), ty.half().name());
    let (sign, bits) = (ty.with_sign().name(), ty.bits);
    let wrapping = |symbol: &str| format!("(({name})(({wrap})({a}) {symbol} ({wrap})({b})))");
    let wide = ty.promoted().with_sign().name();
    let narrow = |symbol: &str| format!("(({name})(({wide})({half})({a}) {symbol} ({wide})({half})({b})))");
    let shift = |ty: &str, symbol: &str| {
        format!("(({name})(({ty})({a}) {symbol} ((uint32_t)({b}) & {}u)))", bits - 1)
    };
    let overflows = |what: &str| {
        let ty = if ty.bits == 128 { "int64_t" } else { name };
        format!("({{ {ty} o_; __builtin_{what}_overflow(({ty})({a}), ({ty})({b}), &o_); }})")
    };
    let divide = |symbol: &str, minus: &str| match (ty.signed, minus) {
        (false, _) => format!("(({name})(({name})({a}) {symbol} ({name})(({name})({b}) | 1u)))"),
        (true, _) => format!("(({name})(({name})({a}) {symbol} ({minus}((({name})({b}) & 7) + 2))))"),
    };
    match op {
        BinOp::Add => wrapping("+"),
        BinOp::Sub => wrapping("-"),
        BinOp::Mul => wrapping("*"),
        BinOp::And => wrapping("&"),
        BinOp::Or => wrapping("|"),
        BinOp::Xor => wrapping("^"),
        BinOp::NarrowAdd => narrow("+"),
        BinOp::NarrowSub => narrow("-"),
        BinOp::NarrowMul => narrow("*"),
        BinOp::Div => divide("/", ""),
        BinOp::Rem => divide("%", ""),
        BinOp::NegDiv => divide("/", "-"),
        BinOp::NegRem => divide("%", "-"),
        BinOp::Shl => shift(wrap, "<<"),
        BinOp::Shr => shift(plain, ">>"),
        BinOp::Sar => shift(sign, ">>"),
        BinOp::Rotl if ty.bits > 64 => shift(wrap, "<<"),
        BinOp::Rotl => format!("(({name})__builtin_rotateleft{}(({plain})({a}), ({plain})({b})))", ty.bits),
        BinOp::AddOverflows => overflows("add"),
        BinOp::SubOverflows => overflows("sub"),
        BinOp::MulOverflows => overflows("mul"),
    }
}
