//! From text to functions and instructions.

use super::lex::Kind;
use super::parse::{Parsed, Parser};
use crate::canonical::extend;
use crate::names::*;
use crate::table::instructions;
use crate::{
    Arg, Block, Callee, Const, ConstId, Copy, DebugVar, DebugVarPlace, Edge, EdgeId, FloatType, Function,
    Inst, Operand, Param, Range, Reg, Switch, TextId, Type,
};

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Parsed<()> {
        self.f = Function { name: self.name()?, ..Function::default() };
        self.params()?;
        self.f.rets = self.types()?;
        let slots = if self.eat_word("slots") { Some(self.number()?) } else { None };
        self.f.weak = self.eat_word("weak");
        self.f.loc = self.loc_suffix()?;
        if self.eat("{") {
            self.body()?;
        }
        self.f.slots = slots.unwrap_or_else(|| needed_slots(&self.f));
        self.m.functions.push(std::mem::take(&mut self.f));
        Ok(())
    }

    fn params(&mut self) -> Parsed<()> {
        self.punct("(")?;
        while !self.eat(")") {
            if self.eat("...") {
                self.f.variadic = true;
                return self.punct(")");
            }
            let ty = self.any_type()?;
            let reg = self.register()?;
            self.f.params.push(Param { ty, reg });
            if !self.eat(",") && self.peek().text != ")" {
                return self.fail("`,` or `)`");
            }
        }
        Ok(())
    }

    /// `-> i32, i64` or nothing.
    fn types(&mut self) -> Parsed<Vec<Type>> {
        let mut types = Vec::new();
        if self.eat("->") {
            types.push(self.any_type()?);
            while self.eat(",") {
                types.push(self.any_type()?);
            }
        }
        Ok(types)
    }

    fn body(&mut self) -> Parsed<()> {
        while self.eat_word("var") {
            let name = self.text_ref()?;
            let value = self.eat("=");
            if !value {
                self.word("in")?;
            }
            let reg = self.register()?;
            self.word("line")?;
            let place = if value { DebugVarPlace::Value(reg) } else { DebugVarPlace::Object(reg) };
            let line = self.number()?;
            self.f.debug_vars.push(DebugVar { name, place, line });
        }
        while !self.eat("}") {
            match self.block_head()? {
                Some(name) => {
                    let insts = Range { start: self.f.insts.len() as u32, len: 0 };
                    self.f.blocks.push(Block { insts, name });
                }
                None if self.f.blocks.is_empty() => return self.fail("`b0:`"),
                None => self.line()?,
            }
        }
        if self.f.blocks.is_empty() { self.fail_before("a block") } else { Ok(()) }
    }

    /// `b3:` or `b3 "name":`, if that is next.
    fn block_head(&mut self) -> Parsed<Option<Option<TextId>>> {
        let token = self.peek();
        let number = token.text.strip_prefix('b').and_then(|n| n.parse::<usize>().ok());
        if token.kind != Kind::Word || number.is_none() {
            return Ok(None);
        }
        if number != Some(self.f.blocks.len()) {
            return self.fail(format!("block b{}", self.f.blocks.len()));
        }
        self.block()?;
        let named = self.peek().kind == Kind::String || self.peek().text == "#";
        let name = if named { Some(self.text_ref()?) } else { None };
        self.punct(":")?;
        Ok(Some(name))
    }

    /// An instruction with its location and weight.
    fn line(&mut self) -> Parsed<()> {
        let inst = self.inst()?;
        let loc = self.loc_suffix()?;
        let weight = if self.eat("*") { self.number()? } else { 1 };
        self.f.insts.push(inst);
        self.f.locs.push(loc);
        self.f.weights.push(weight);
        if let Some(block) = self.f.blocks.last_mut() {
            block.insts.len += 1;
        }
        Ok(())
    }

    fn inst(&mut self) -> Parsed<Inst> {
        let mut results = Vec::new();
        while self.peek().kind == Kind::Register {
            results.push(self.register()?);
            if !self.eat(",") {
                self.punct("=")?;
                break;
            }
        }
        let name = self.any(Kind::Word, "an instruction")?;
        if name == "call" {
            self.call_dst = results.pop();
        }
        self.comma = false;
        let count = results.len();
        let mut results = results.into_iter();
        macro_rules! parse_rows {
            ($($variant:ident [$names:expr $(, $op:ident)?] ($($def:ident: $def_w:expr),*)
               { $($field:ident: $($label:literal)? $kind:ident $(($arg:expr))?),* })*) => {$(
                #[allow(unused_variables)] // of rows without op
                if let Some(op) = named(&$names[..], name) {
                    $(let $op = op;)?
                    $(let Some($def) = results.next() else {
                        return self.fail_before(format!("more results than {count} before"));
                    };)*
                    if results.next().is_some() {
                        return self.fail_before(format!("fewer results than {count} before"));
                    }
                    $($(self.label($label)?;)? let $field = self.$kind($($arg)?)?;)*
                    return Ok(Inst::$variant { $($op,)? $($def,)* $($field,)* });
                }
            )*};
        }
        instructions!(parse_rows);
        self.fail_before("an instruction")
    }

    fn label(&mut self, label: &str) -> Parsed<()> {
        self.comma = false;
        self.word(label)
    }
}

/// One method per kind of field in the instruction table; the mirror of the printer's.
impl Parser<'_> {
    fn separate(&mut self, comma_after: bool) -> Parsed<()> {
        let comma = std::mem::replace(&mut self.comma, comma_after);
        if comma { self.punct(",") } else { Ok(()) }
    }

    fn width(&mut self) -> Parsed<u16> {
        match self.ty()? {
            Type::Int(w) => Ok(w),
            _ => self.fail_before("an integer type"),
        }
    }

    fn float(&mut self) -> Parsed<FloatType> {
        match self.ty()? {
            Type::Float(ty) => Ok(ty),
            _ => self.fail_before("a floating-point type"),
        }
    }

    fn ty(&mut self) -> Parsed<Type> {
        self.separate(false)?;
        self.any_type()
    }

    fn value(&mut self, w: u16) -> Parsed<Operand> {
        self.separate(true)?;
        self.operand(w)
    }

    fn constant(&mut self, w: u16) -> Parsed<ConstId> {
        self.separate(true)?;
        self.const_ref(w)
    }

    fn text(&mut self) -> Parsed<TextId> {
        self.separate(true)?;
        self.text_ref()
    }

    fn call_results(&mut self) -> Parsed<Reg> {
        Ok(self.call_dst.take().unwrap_or(Reg(0)))
    }

    fn callee(&mut self) -> Parsed<Callee> {
        if self.eat("*") {
            return self.operand(64).map(Callee::Indirect);
        }
        self.function_ref().map(Callee::Direct)
    }

    fn call_args(&mut self) -> Parsed<Range> {
        self.punct("(")?;
        let mut args = Vec::new();
        while !self.eat(")") {
            let ty = self.any_type()?;
            let value = self.operand(ty.bits())?;
            let mut arg = Arg { value, ty, byval_size: 0, byval_align: 0 };
            if self.eat_word("byval") {
                arg.byval_size = self.number()?;
                self.word("align")?;
                arg.byval_align = self.number()?;
            }
            args.push(arg);
            if !self.eat(",") && self.peek().text != ")" {
                return self.fail("`,` or `)`");
            }
        }
        Ok(extend(&mut self.f.args, &args))
    }

    fn values(&mut self) -> Parsed<Range> {
        self.call_args()
    }

    fn call_rets(&mut self) -> Parsed<Range> {
        let types = self.types()?;
        Ok(extend(&mut self.f.types, &types))
    }

    fn edge(&mut self) -> Parsed<EdgeId> {
        self.separate(true)?;
        let target = self.block()?;
        let mut copies = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                let dst = self.register()?;
                self.punct("=")?;
                self.comma = false;
                let w = self.width()?;
                copies.push(Copy { w, dst, src: self.operand(w)? });
                if !self.eat(",") && self.peek().text != ")" {
                    return self.fail("`,` or `)`");
                }
            }
            self.comma = true;
        }
        let copies = extend(&mut self.f.copies, &copies);
        self.f.edges.push(Edge { target, copies });
        Ok(EdgeId(self.f.edges.len() as u32 - 1))
    }

    fn edge_list(&mut self) -> Parsed<Range> {
        self.separate(false)?;
        self.punct("[")?;
        let mut edges = Vec::new();
        while !self.eat("]") {
            self.comma = !edges.is_empty();
            edges.push(self.edge()?);
        }
        Ok(extend(&mut self.f.indirect, &edges))
    }

    fn cases(&mut self, w: u16) -> Parsed<u32> {
        self.separate(false)?;
        if w > 128 {
            return self.fail("a switch of at most 128 bits");
        }
        self.punct("[")?;
        let mut default = None;
        let mut cases = Vec::new();
        loop {
            let edge = EdgeId(self.f.edges.len() as u32);
            loop {
                if self.eat_word("default") {
                    default = Some(edge);
                } else {
                    cases.push((self.small_number(w)?, edge));
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.punct(":")?;
            self.comma = false;
            self.edge()?;
            if !self.eat("|") {
                break;
            }
        }
        let Some(default) = default else { return self.fail("a `default` edge") };
        self.punct("]")?;
        cases.sort_by_key(|&(value, _)| value);
        self.f.switches.push(Switch { cases, default });
        Ok(self.f.switches.len() as u32 - 1)
    }

    fn operand(&mut self, w: u16) -> Parsed<Operand> {
        if self.peek().kind == Kind::Register {
            return self.register().map(Operand::reg);
        }
        self.const_ref(w).map(Operand::constant)
    }

    fn const_ref(&mut self, w: u16) -> Parsed<ConstId> {
        if self.eat("#") {
            return match self.number()? {
                n if n < 1 << 31 => Ok(ConstId(n)),
                _ => self.fail_before("a smaller number"),
            };
        }
        let words = if self.eat_word("undef") {
            vec![Const::Undef; usize::from(w).div_ceil(64)]
        } else if w == 64 && self.at_address() {
            vec![Const::Address(self.address()?)]
        } else if matches!(self.peek().kind, Kind::Number | Kind::Punct) {
            self.words(w)?
        } else {
            return self.fail("a register or a constant");
        };
        Ok(self.index.intern_const(&mut self.m, &words))
    }

    /// The words of a number, least significant first.
    fn words(&mut self, w: u16) -> Parsed<Vec<Const>> {
        if w <= 128 {
            let value = self.small_number(w)?;
            let words = [Const::Bits(value as u64), Const::Bits((value >> 64) as u64)];
            return Ok(words[..usize::from(w).div_ceil(64)].to_vec());
        }
        let text = self.any(Kind::Number, "a number")?;
        let digits = text.strip_prefix("0x").unwrap_or_default().as_bytes();
        let words: Option<Vec<u64>> = digits.rchunks(16).map(hex_word).collect();
        let Some(mut words) = words.filter(|words| !words.is_empty()) else {
            return self.fail_before("a hexadecimal number");
        };
        let (full, rest) = (usize::from(w) / 64, usize::from(w) % 64);
        let too_long = words.get(full).is_some_and(|word| word >> rest != 0)
            || words.iter().skip(full + 1).any(|&word| word != 0);
        if too_long {
            return self.fail_before(format!("a number of {w} bits"));
        }
        words.resize(usize::from(w).div_ceil(64), 0);
        Ok(words.into_iter().map(Const::Bits).collect())
    }
}

fn hex_word(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |word, &digit| Some(word << 4 | u64::from(char::from(digit).to_digit(16)?)))
}

/// The slots that registers named in a function need.
fn needed_slots(f: &Function) -> u32 {
    let mut slots = 0;
    let mut see = |reg: Reg, w: u16| slots = reg.0.saturating_add(Type::Int(w).slots()).max(slots);
    for param in &f.params {
        see(param.reg, param.ty.bits());
    }
    for inst in &f.insts {
        inst.for_each_def(f, &mut see);
    }
    for copy in &f.copies {
        see(copy.dst, copy.w);
    }
    slots
}
