//! From text to modules: tokens, tables, globals, and the small parts that everything is made of.

use super::lex::{Kind, Token, lex, unescape};
use crate::index::{Index, Symbol};
use crate::names::{FLOAT_TYPES, named};
use crate::{
    Address, BlockId, Const, FileId, FuncId, Function, Global, GlobalId, Init, Loc, LocId, Module, Reg,
    Reloc, TextId, Type,
};
use std::fmt;

/// Why a text is not a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub col: u32,
    /// What should have been there.
    pub expected: String,
    /// What was there.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: expected {}, found {}", self.line, self.col, self.expected, self.found)
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    /// An error at byte `at` of `text`.
    pub(super) fn new(text: &str, at: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() as u32 + 1,
            col: before[line_start..].chars().count() as u32 + 1,
            expected: expected.into(),
            found: found.into(),
        }
    }
}

/// Reads a module. What it says is not checked: see [`verify`](crate::verify::verify).
///
/// # Errors
/// The first place where the text is not a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let tokens = lex(text)?;
    let mut p = Parser {
        text,
        tokens,
        at: 0,
        m: Module::default(),
        index: Index::default(),
        f: Function::default(),
        call_dst: None,
        comma: false,
    };
    p.module()?;
    Ok(p.m)
}

pub(super) type Parsed<T> = Result<T, ParseError>;

const ITEMS: [&str; 8] =
    ["files", "texts", "locs", "consts", "global", "func", "constructors", "destructors"];
/// The first items of `ITEMS` are tables; others look into them.
const TABLES: usize = 4;

pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    /// The next token.
    at: usize,
    pub(super) m: Module,
    pub(super) index: Index,
    /// The function being read.
    pub(super) f: Function,
    /// The result of the call being read.
    pub(super) call_dst: Option<Reg>,
    /// A comma comes before the next field.
    pub(super) comma: bool,
}

impl<'t> Parser<'t> {
    /// Names can be used before they are introduced and tables stand at the end: symbols are read
    /// first, then the tables, then the rest.
    fn module(&mut self) -> Parsed<()> {
        let items = self.items();
        if items.first().is_none_or(|&(_, start)| start != 0) && self.tokens[0].kind != Kind::End {
            return self.fail("an item (func, global, …)");
        }
        self.symbols(&items)?;
        for table in 0..TABLES {
            for (i, &(_, start)) in items.iter().enumerate().filter(|(_, (item, _))| *item == table) {
                self.at = start + 1;
                self.table(table)?;
                self.end_of_item(items.get(i + 1))?;
            }
        }
        for (i, &(item, start)) in items.iter().enumerate().filter(|(_, (item, _))| *item >= TABLES) {
            self.at = start + 1;
            match ITEMS[item] {
                "global" => self.global()?,
                "func" => self.function()?,
                "constructors" => self.m.constructors = self.functions()?,
                _ => self.m.destructors = self.functions()?,
            }
            self.end_of_item(items.get(i + 1))?;
        }
        Ok(())
    }

    /// The items of the text: which of `ITEMS`, and the token where it begins.
    fn items(&self) -> Vec<(usize, usize)> {
        let mut depth = 0usize;
        let mut items = Vec::new();
        for (i, token) in self.tokens.iter().enumerate() {
            match token.text {
                "{" if token.kind == Kind::Punct => depth += 1,
                "}" if token.kind == Kind::Punct => depth = depth.saturating_sub(1),
                word if depth == 0 && token.kind == Kind::Word => {
                    let named_by_number = self.tokens.get(i + 1).is_some_and(|t| t.text == "#");
                    let item = ITEMS.iter().position(|item| *item == word);
                    items.extend(item.filter(|_| !named_by_number).map(|item| (item, i)));
                }
                _ => {}
            }
        }
        items
    }

    fn symbols(&mut self, items: &[(usize, usize)]) -> Parsed<()> {
        for (item, is_function) in [("func", true), ("global", false)] {
            let starts = items.iter().filter(|(i, _)| ITEMS[*i] == item).map(|&(_, start)| start);
            for (id, start) in starts.enumerate() {
                let id = id as u32;
                self.at = start + 1;
                let name = self.name()?;
                let symbol =
                    if is_function { Symbol::Function(FuncId(id)) } else { Symbol::Global(GlobalId(id)) };
                self.index.name(&name, symbol);
            }
        }
        Ok(())
    }

    fn end_of_item(&self, next: Option<&(usize, usize)>) -> Parsed<()> {
        let end = next.map_or(self.tokens.len() - 1, |&(_, start)| start);
        if self.at == end { Ok(()) } else { self.fail("an item (func, global, …)") }
    }

    fn table(&mut self, table: usize) -> Parsed<()> {
        self.punct("{")?;
        while !self.eat("}") {
            match ITEMS[table] {
                "files" => {
                    let file = self.string()?;
                    self.index.push_file(&mut self.m, file);
                }
                "texts" => {
                    let text = self.string()?;
                    self.index.push_text(&mut self.m, text);
                }
                "locs" => {
                    let loc = self.loc()?;
                    self.index.push_loc(&mut self.m, loc);
                }
                _ => {
                    let word = self.const_word()?;
                    self.index.push_const(&mut self.m, word);
                }
            }
            if !self.eat(",") && self.peek().text != "}" {
                return self.fail("`,` or `}`");
            }
        }
        Ok(())
    }

    fn const_word(&mut self) -> Parsed<Const> {
        if self.eat_word("undef") {
            return Ok(Const::Undef);
        }
        match self.peek().kind {
            Kind::Number | Kind::Punct => Ok(Const::Bits(self.small_number(64)? as u64)),
            _ => self.address().map(Const::Address),
        }
    }

    fn functions(&mut self) -> Parsed<Vec<FuncId>> {
        self.punct("[")?;
        let mut functions = Vec::new();
        while !self.eat("]") {
            functions.push(self.function_ref()?);
            if !self.eat(",") && self.peek().text != "]" {
                return self.fail("`,` or `]`");
            }
        }
        Ok(functions)
    }

    fn global(&mut self) -> Parsed<()> {
        let name = self.name()?;
        self.word("size")?;
        let size = self.number()?;
        self.word("align")?;
        let align = self.number()?;
        let constant = self.eat_word("constant");
        let weak = self.eat_word("weak");
        let init = if self.eat_word("init") { Some(self.init()?) } else { None };
        let loc = self.loc_suffix()?;
        self.m.globals.push(Global { name, size, align, constant, weak, init, loc });
        Ok(())
    }

    fn init(&mut self) -> Parsed<Init> {
        let bytes = self.bytes()?;
        let mut relocs = Vec::new();
        if self.eat_word("relocs") {
            self.punct("[")?;
            while !self.eat("]") {
                let offset = self.number()?;
                self.punct(":")?;
                relocs.push(Reloc { offset, address: self.address()? });
                if !self.eat(",") && self.peek().text != "]" {
                    return self.fail("`,` or `]`");
                }
            }
        }
        Ok(Init { bytes, relocs })
    }
}

/// Tokens.
impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    /// The next token; the end is never passed.
    fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at];
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn fail<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        self.fail_at(self.peek(), expected)
    }

    pub(super) fn fail_before<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        self.fail_at(self.tokens[self.at.saturating_sub(1)], expected)
    }

    fn fail_at<T>(&self, token: Token<'_>, expected: impl Into<String>) -> Parsed<T> {
        let found = match token.kind {
            Kind::End => "the end".to_owned(),
            _ => format!("`{}`", token.text),
        };
        Err(ParseError::new(self.text, token.at, expected, found))
    }

    fn is(&self, kind: Kind, text: &str) -> bool {
        self.peek().kind == kind && self.peek().text == text
    }

    /// Takes this punctuation if it is next.
    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let is = self.is(Kind::Punct, punct);
        self.at += usize::from(is);
        is
    }

    pub(super) fn punct(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.fail(format!("`{punct}`")) }
    }

    /// Takes this word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is(Kind::Word, word);
        self.at += usize::from(is);
        is
    }

    pub(super) fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.fail(format!("`{word}`")) }
    }

    pub(super) fn any(&mut self, kind: Kind, expected: &str) -> Parsed<&'t str> {
        if self.peek().kind == kind { Ok(self.next().text) } else { self.fail(expected) }
    }
}

/// Parts.
impl Parser<'_> {
    /// A small number of any integer type, decimal or hexadecimal.
    pub(super) fn number<T: TryFrom<i128>>(&mut self) -> Parsed<T> {
        let minus = self.eat("-");
        let text = self.any(Kind::Number, "a number")?;
        let magnitude = match text.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => text.parse(),
        };
        let value = magnitude.ok().map(|m: i128| if minus { -m } else { m });
        match value.and_then(|v| T::try_from(v).ok()) {
            Some(value) => Ok(value),
            None => self.fail_before("a smaller number"),
        }
    }

    /// The two's complement of a number of at most 128 bits.
    pub(super) fn small_number(&mut self, w: u16) -> Parsed<u128> {
        let minus = self.eat("-");
        let text = self.any(Kind::Number, "a number")?;
        let magnitude = match text.strip_prefix("0x") {
            Some(hex) => u128::from_str_radix(hex, 16),
            None => text.parse(),
        };
        let max = u128::MAX.checked_shr(128 - u32::from(w)).unwrap_or(0);
        match magnitude {
            Ok(m) if !minus && m <= max => Ok(m),
            Ok(m) if minus && m <= max / 2 + 1 => Ok(m.wrapping_neg() & max),
            _ => self.fail_before(format!("a number of {w} bits")),
        }
    }

    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let token = self.peek();
        let text = self.any(Kind::String, "a string")?;
        self.unescaped(token, text)
    }

    fn unescaped(&self, token: Token<'_>, text: &str) -> Parsed<Vec<u8>> {
        unescape(text).map_err(|at| {
            let found = text[at..].chars().take(3).collect::<String>();
            ParseError::new(self.text, token.at + 1 + at, "two hexadecimal digits after `\\`", found)
        })
    }

    fn string(&mut self) -> Parsed<String> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes).or_else(|_| self.fail_before("a string of UTF-8"))
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        let token = self.peek();
        match token.kind {
            Kind::Symbol => Ok(self.next().text.to_owned()),
            Kind::QuotedSymbol => {
                let bytes = self.unescaped(token, token.text)?;
                self.next();
                String::from_utf8(bytes).or_else(|_| self.fail_before("a name of UTF-8"))
            }
            _ => self.fail("a symbol (`@name`)"),
        }
    }

    fn symbol(&mut self) -> Parsed<Symbol> {
        if self.eat_word("fn") {
            self.punct("#")?;
            return self.number().map(|f| Symbol::Function(FuncId(f)));
        }
        if self.eat_word("global") {
            self.punct("#")?;
            return self.number().map(|g| Symbol::Global(GlobalId(g)));
        }
        let name = self.name()?;
        match self.index.symbol(&name) {
            Some(symbol) => Ok(symbol),
            None => self.fail_before("the symbol of a function or global of this module"),
        }
    }

    pub(super) fn function_ref(&mut self) -> Parsed<FuncId> {
        match self.symbol()? {
            Symbol::Function(f) => Ok(f),
            Symbol::Global(_) => self.fail_before("the symbol of a function"),
        }
    }

    /// Whether an address comes next.
    pub(super) fn at_address(&self) -> bool {
        let token = self.peek();
        matches!(token.kind, Kind::Symbol | Kind::QuotedSymbol)
            || token.kind == Kind::Word && matches!(token.text, "fn" | "global")
    }

    pub(super) fn address(&mut self) -> Parsed<Address> {
        let symbol = self.symbol()?;
        if let Symbol::Function(f) = symbol
            && self.eat(":")
        {
            return Ok(Address::Block(f, self.block()?));
        }
        let offset = if self.eat("+") || self.is(Kind::Punct, "-") { self.number()? } else { 0 };
        Ok(match symbol {
            Symbol::Function(f) => Address::Function(f, offset),
            Symbol::Global(g) => Address::Global(g, offset),
        })
    }

    pub(super) fn block(&mut self) -> Parsed<BlockId> {
        let text = self.any(Kind::Word, "a block (`b0`)")?;
        match text.strip_prefix('b').and_then(|n| n.parse().ok()) {
            Some(n) => Ok(BlockId(n)),
            None => self.fail_before("a block (`b0`)"),
        }
    }

    pub(super) fn register(&mut self) -> Parsed<Reg> {
        let text = self.any(Kind::Register, "a register (`%0`)")?;
        match text.parse() {
            Ok(n) if n < 1 << 31 => Ok(Reg(n)),
            _ => self.fail_before("a smaller register number"),
        }
    }

    pub(super) fn any_type(&mut self) -> Parsed<Type> {
        let text = self.any(Kind::Word, "a type")?;
        if text == "ptr" {
            return Ok(Type::Ptr);
        }
        let int = text.strip_prefix('i').and_then(|w| w.parse().ok()).map(Type::Int);
        match int.or_else(|| named(FLOAT_TYPES, text).map(Type::Float)) {
            Some(ty) => Ok(ty),
            None => self.fail_before("a type"),
        }
    }

    /// `file:line:column`.
    fn loc(&mut self) -> Parsed<Loc> {
        let file = FileId(self.number()?);
        self.punct(":")?;
        let line = self.number()?;
        self.punct(":")?;
        Ok(Loc { file, line, col: self.number()? })
    }

    pub(super) fn loc_suffix(&mut self) -> Parsed<LocId> {
        if !self.eat("!") {
            return Ok(LocId::NONE);
        }
        if self.eat("#") {
            return self.number().map(LocId);
        }
        let loc = self.loc()?;
        Ok(self.index.intern_loc(&mut self.m, loc))
    }

    pub(super) fn text_ref(&mut self) -> Parsed<TextId> {
        if self.eat("#") {
            return self.number().map(TextId);
        }
        let text = self.string()?;
        Ok(self.index.intern_text(&mut self.m, &text))
    }
}
