//! From modules to text. Also prints broken modules, so that they can be looked at.

use crate::index::{Index, Symbol};
use crate::names::*;
use crate::table::instructions;
use crate::{
    Address, Arg, Callee, Const, ConstId, DebugVarPlace, EdgeId, FloatType, FuncId, Function, Global,
    GlobalId, Inst, Loc, LocId, Module, Operand, Range, Reg, TextId, Type,
};
use std::fmt::{Display, Write};

/// The text of a module.
#[must_use]
pub fn print(m: &Module) -> String {
    let mut p = Printer::new(m);
    for global in &m.globals {
        p.global(global);
    }
    p.functions("constructors", &m.constructors);
    p.functions("destructors", &m.destructors);
    for f in &m.functions {
        p.function(f);
    }
    p.table("files", m.files.iter(), |p, file| p.string(file.as_bytes()));
    p.table("texts", m.texts.iter(), |p, text| p.string(text.as_bytes()));
    p.table("locs", m.locs.iter(), |p, loc| p.put(loc_text(*loc)));
    p.table("consts", m.consts.iter(), |p, word| p.const_word(*word));
    p.out
}

/// The text of one function.
#[must_use]
pub fn print_function(m: &Module, f: &Function) -> String {
    let mut p = Printer::new(m);
    p.function(f);
    p.out
}

/// The text of instruction `inst` of a function, without location and weight.
#[must_use]
pub fn print_inst(m: &Module, f: &Function, inst: &Inst) -> String {
    let mut p = Printer { m, index: None, f: Some(f), out: String::new(), comma: false };
    p.inst(inst);
    p.out
}

/// Entries of a table per line.
const PER_LINE: usize = 12;

struct Printer<'m> {
    m: &'m Module,
    /// Without it, every constant is written by its content.
    index: Option<Index>,
    f: Option<&'m Function>,
    out: String,
    /// A comma goes before the next field.
    comma: bool,
}

impl<'m> Printer<'m> {
    fn new(m: &'m Module) -> Self {
        Printer { m, index: Some(Index::new(m)), f: None, out: String::new(), comma: false }
    }

    fn put(&mut self, what: impl Display) {
        // Writing to a string does not fail.
        let _ = write!(self.out, "{what}");
    }

    fn table<T>(&mut self, name: &str, entries: impl Iterator<Item = T>, mut put: impl FnMut(&mut Self, T)) {
        let mut entries = entries.enumerate().peekable();
        if entries.peek().is_none() {
            return;
        }
        self.put(format_args!("{name} {{"));
        for (i, entry) in entries {
            self.out.push_str(if i > 0 { "," } else { "" });
            self.out.push_str(if i % PER_LINE == 0 { "\n  " } else { " " });
            put(self, entry);
        }
        self.out.push_str("\n}\n");
    }

    fn list<T>(&mut self, entries: &[T], mut put: impl FnMut(&mut Self, &T)) {
        for (i, entry) in entries.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            put(self, entry);
        }
    }

    fn functions(&mut self, keyword: &str, functions: &[FuncId]) {
        if !functions.is_empty() {
            self.put(format_args!("{keyword} ["));
            self.list(functions, |p, &f| p.symbol(Symbol::Function(f)));
            self.out.push_str("]\n");
        }
    }

    fn global(&mut self, g: &Global) {
        self.out.push_str("global ");
        self.name(&g.name);
        self.put(format_args!(" size {} align {}", g.size, g.align));
        for (set, word) in [(g.constant, " constant"), (g.weak, " weak")] {
            if set {
                self.out.push_str(word);
            }
        }
        if let Some(init) = &g.init {
            self.out.push_str(" init ");
            self.string(&init.bytes);
            if !init.relocs.is_empty() {
                self.out.push_str(" relocs [");
                self.list(&init.relocs, |p, reloc| {
                    p.put(format_args!("{}: ", reloc.offset));
                    p.address(reloc.address);
                });
                self.out.push(']');
            }
        }
        self.loc(g.loc);
        self.out.push('\n');
    }

    fn function(&mut self, f: &'m Function) {
        self.f = Some(f);
        self.signature(f);
        if f.is_declaration() {
            return self.out.push('\n');
        }
        self.out.push_str(" {\n");
        for var in &f.debug_vars {
            self.out.push_str("  var ");
            self.text_ref(var.name);
            let (how, reg) = match var.place {
                DebugVarPlace::Value(reg) => ("=", reg),
                DebugVarPlace::Object(reg) => ("in", reg),
            };
            self.put(format_args!(" {how} %{} line {}\n", reg.0, var.line));
        }
        for (i, block) in f.blocks.iter().enumerate() {
            self.put(format_args!("b{i}"));
            if let Some(name) = block.name {
                self.out.push(' ');
                self.text_ref(name);
            }
            self.out.push_str(":\n");
            for (k, inst) in block.insts.of(&f.insts).iter().enumerate() {
                self.out.push_str("  ");
                self.inst(inst);
                let at = block.insts.start as usize + k;
                self.loc(f.locs.get(at).copied().unwrap_or_default());
                match f.weights.get(at) {
                    None | Some(1) => {}
                    Some(weight) => self.put(format_args!(" *{weight}")),
                }
                self.out.push('\n');
            }
        }
        self.out.push_str("}\n");
    }

    fn signature(&mut self, f: &Function) {
        self.out.push_str("func ");
        self.name(&f.name);
        self.out.push('(');
        self.list(&f.params, |p, param| p.put(format_args!("{} %{}", param.ty, param.reg.0)));
        if f.variadic {
            self.out.push_str(if f.params.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        self.types(&f.rets);
        self.put(format_args!(" slots {}", f.slots));
        if f.weak {
            self.out.push_str(" weak");
        }
        self.loc(f.loc);
    }

    fn types(&mut self, types: &[Type]) {
        if !types.is_empty() {
            self.out.push_str(" -> ");
            self.list(types, |p, ty| p.put(ty));
        }
    }

    fn inst(&mut self, inst: &Inst) {
        self.comma = false;
        macro_rules! print_rows {
            ($($variant:ident [$names:expr $(, $op:ident)?] ($($def:ident: $def_w:expr),*)
               { $($field:ident: $($label:literal)? $kind:ident $(($arg:expr))?),* })*) => {
                match *inst {
                    $(Inst::$variant { $($op,)? $($def,)* $($field,)* } => {
                        self.results(&[$($def),*]);
                        if let Inst::Call { dst, rets, .. } = *inst
                            && (rets.len > 0 || dst.0 > 0)
                        {
                            self.results(&[dst]);
                        }
                        #[allow(clippy::unused_unit, clippy::let_unit_value)] // of rows without op
                        let op = ($($op)?);
                        self.out.push_str(name_of(&$names[..], &op));
                        $($(self.label($label);)? self.$kind($field $(, $arg)?);)*
                    })*
                }
            };
        }
        instructions!(print_rows);
    }

    fn results(&mut self, regs: &[Reg]) {
        if !regs.is_empty() {
            self.list(regs, |p, reg| p.put(format_args!("%{}", reg.0)));
            self.out.push_str(" = ");
        }
    }

    fn label(&mut self, label: &str) {
        self.put(format_args!(" {label}"));
        self.comma = false;
    }
}

/// One method per kind of field in the instruction table.
impl Printer<'_> {
    fn separate(&mut self, comma_after: bool) {
        self.out.push_str(if self.comma { ", " } else { " " });
        self.comma = comma_after;
    }

    fn width(&mut self, w: u16) {
        self.ty(Type::Int(w));
    }

    fn float(&mut self, ty: FloatType) {
        self.ty(Type::Float(ty));
    }

    fn ty(&mut self, ty: Type) {
        self.separate(false);
        self.put(ty);
    }

    fn number(&mut self, n: impl Display) {
        self.separate(true);
        self.put(n);
    }

    fn value(&mut self, operand: Operand, w: u16) {
        self.separate(true);
        self.operand(operand, w);
    }

    fn constant(&mut self, c: ConstId, w: u16) {
        self.separate(true);
        self.const_ref(c, w);
    }

    fn text(&mut self, text: TextId) {
        self.separate(true);
        self.text_ref(text);
    }

    /// Shown before the instruction's name.
    fn call_results(&mut self, _: Reg) {}

    fn callee(&mut self, callee: Callee) {
        self.out.push(' ');
        match callee {
            Callee::Direct(f) => self.symbol(Symbol::Function(f)),
            Callee::Indirect(address) => {
                self.out.push('*');
                self.operand(address, 64);
            }
        }
    }

    fn call_args(&mut self, args: Range) {
        let args: &[Arg] = self.f.map_or(&[], |f| args.of(&f.args));
        self.out.push('(');
        self.list(args, |p, arg| {
            p.put(format_args!("{} ", arg.ty));
            p.operand(arg.value, arg.ty.bits());
            if (arg.byval_size, arg.byval_align) != (0, 0) {
                p.put(format_args!(" byval {} align {}", arg.byval_size, arg.byval_align));
            }
        });
        self.out.push(')');
    }

    fn values(&mut self, values: Range) {
        self.out.push(' ');
        self.call_args(values);
    }

    fn call_rets(&mut self, rets: Range) {
        self.types(self.f.map_or(&[], |f| rets.of(&f.types)));
    }

    fn edge(&mut self, edge: EdgeId) {
        self.separate(true);
        let Some((f, entry)) = self.f.and_then(|f| Some((f, f.edges.get(edge.index())?))) else {
            return self.put(format_args!("edge#{}", edge.0));
        };
        self.put(format_args!("b{}", entry.target.0));
        if entry.copies.len > 0 {
            self.out.push('(');
            self.list(entry.copies.of(&f.copies), |p, copy| {
                p.put(format_args!("%{} = i{} ", copy.dst.0, copy.w));
                p.operand(copy.src, copy.w);
            });
            self.out.push(')');
        }
    }

    fn edge_list(&mut self, edges: Range) {
        self.separate(false);
        self.out.push('[');
        self.comma = false;
        for (i, &edge) in self.f.map_or(&[][..], |f| edges.of(&f.indirect)).iter().enumerate() {
            self.comma = i > 0;
            self.edge(edge);
        }
        self.out.push_str(" ]");
    }

    /// One group of labels per edge, the edges by their first label.
    fn cases(&mut self, table: u32, w: u16) {
        self.separate(false);
        let Some(switch) = self.f.and_then(|f| f.switches.get(table as usize)) else {
            return self.put(format_args!("table#{table}"));
        };
        let mut groups: Vec<(EdgeId, Vec<String>)> = vec![(switch.default, vec!["default".to_owned()])];
        let mut group_of = std::collections::HashMap::from([(switch.default, 0)]);
        for &(value, edge) in &switch.cases {
            let group = *group_of.entry(edge).or_insert_with(|| {
                groups.push((edge, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(case_text(value, w));
        }
        self.out.push('[');
        for (i, (edge, labels)) in groups.iter().enumerate() {
            self.out.push_str(if i > 0 { " | " } else { "" });
            self.list(labels, |p, label| p.put(label));
            self.out.push(':');
            self.comma = false;
            self.edge(*edge);
        }
        self.out.push(']');
    }
}

/// Parts of fields.
impl Printer<'_> {
    fn operand(&mut self, operand: Operand, w: u16) {
        match (operand.as_reg(), operand.as_const()) {
            (Some(reg), _) => self.put(format_args!("%{}", reg.0)),
            (_, Some(c)) => self.const_ref(c, w),
            _ => {}
        }
    }

    /// By content if that finds this very constant, otherwise by number.
    fn const_ref(&mut self, c: ConstId, w: u16) {
        let len = u32::from(w).div_ceil(64);
        let words = Range { start: c.0, len }.of(&self.m.consts);
        let found = match &self.index {
            Some(index) => index.constant(self.m, words) == Some(c),
            None => !words.is_empty(),
        };
        match words {
            [word @ Const::Address(_)] if found && w == 64 => self.const_word(*word),
            _ if found && words.iter().all(|&word| word == Const::Undef) => self.out.push_str("undef"),
            _ => match number_text(words, w).filter(|_| found) {
                Some(number) => self.out.push_str(&number),
                None => self.put(format_args!("#{}", c.0)),
            },
        }
    }

    fn const_word(&mut self, word: Const) {
        match word {
            Const::Bits(_) => self.put(number_text(&[word], 64).unwrap_or_default()),
            Const::Address(address) => self.address(address),
            Const::Undef => self.out.push_str("undef"),
        }
    }

    fn address(&mut self, address: Address) {
        let (symbol, offset) = match address {
            Address::Global(g, offset) => (Symbol::Global(g), offset),
            Address::Function(f, offset) => (Symbol::Function(f), offset),
            Address::Block(f, block) => {
                self.symbol(Symbol::Function(f));
                return self.put(format_args!(":b{}", block.0));
            }
        };
        self.symbol(symbol);
        if offset != 0 {
            self.put(format_args!("{offset:+}"));
        }
    }

    fn symbol(&mut self, symbol: Symbol) {
        let name = match symbol {
            Symbol::Function(FuncId(f)) => self.m.functions.get(f as usize).map(|f| &f.name),
            Symbol::Global(GlobalId(g)) => self.m.globals.get(g as usize).map(|g| &g.name),
        };
        let found = |name: &&String| self.index.as_ref().is_none_or(|i| i.symbol(name) == Some(symbol));
        match (name.filter(found), symbol) {
            (Some(name), _) => self.name(name),
            (None, Symbol::Function(f)) => self.put(format_args!("fn#{}", f.0)),
            (None, Symbol::Global(g)) => self.put(format_args!("global#{}", g.0)),
        }
    }

    fn name(&mut self, name: &str) {
        self.out.push('@');
        if super::lex::is_plain_name(name) { self.out.push_str(name) } else { self.string(name.as_bytes()) }
    }

    fn text_ref(&mut self, text: TextId) {
        let content = self.m.texts.get(text.index());
        let found = |c: &&String| self.index.as_ref().is_none_or(|i| i.text(c) == Some(text));
        match content.filter(found) {
            Some(content) => self.string(content.as_bytes()),
            None => self.put(format_args!("#{}", text.0)),
        }
    }

    fn loc(&mut self, loc: LocId) {
        let content = self.m.locs.get(loc.index()).copied();
        match content.filter(|c| self.index.as_ref().is_none_or(|i| i.loc(*c) == Some(loc))) {
            Some(content) => self.put(format_args!(" !{}", loc_text(content))),
            None if loc == LocId::NONE => {}
            None => self.put(format_args!(" !#{}", loc.0)),
        }
    }

    fn string(&mut self, bytes: &[u8]) {
        self.out.push('"');
        for &b in bytes {
            match b {
                b'"' | b'\\' => self.put(format_args!("\\{b:02x}")),
                b' '..=b'~' => self.out.push(char::from(b)),
                _ => self.put(format_args!("\\{b:02x}")),
            }
        }
        self.out.push('"');
    }
}

fn loc_text(loc: Loc) -> String {
    format!("{}:{}:{}", loc.file.0, loc.line, loc.col)
}

/// Numbers below this are decimal.
const DECIMAL: u64 = 1 << 32;

/// The number with these words, unless it does not fit `w` bits or is not a number.
fn number_text(words: &[Const], w: u16) -> Option<String> {
    let bits = |word: &Const| if let Const::Bits(b) = word { Some(*b) } else { None };
    let words: Vec<u64> = words.iter().map(bits).collect::<Option<_>>()?;
    let (&top, lower) = words.split_last()?;
    let top_bits = u32::from(w) - 64 * lower.len() as u32;
    if top_bits < 64 && top >> top_bits != 0 {
        return None;
    }
    if !lower.is_empty() {
        let digits: String = words.iter().rev().map(|word| format!("{word:016x}")).collect();
        let digits = digits.trim_start_matches('0');
        return Some(format!("0x{}", if digits.is_empty() { "0" } else { digits }));
    }
    let minus = top.wrapping_neg() & (u64::MAX >> (64 - top_bits));
    Some(match top {
        _ if top < DECIMAL.min(1 << (w - 1)) || w == 1 => top.to_string(),
        _ if minus < DECIMAL && top >> (w - 1) == 1 => format!("-{minus}"),
        _ => format!("{top:#x}"),
    })
}

fn case_text(value: u128, w: u16) -> String {
    match u64::try_from(value) {
        Ok(value) if w <= 64 => number_text(&[Const::Bits(value)], w).unwrap_or_else(|| value.to_string()),
        _ => format!("{value:#x}"),
    }
}
