//! From text to tokens.

use super::parse::ParseError;

/// What a token is; `text` of the token holds its characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A keyword, a name, a type, a block.
    Word,
    /// Decimal or `0x…`, without sign.
    Number,
    /// `%3`, without the sign.
    Register,
    /// `@name`, without the sign.
    Symbol,
    /// `@"name"`, what is between the quotes.
    QuotedSymbol,
    /// `"…"`, what is between the quotes.
    String,
    /// One character, or `->`, or `...`.
    Punct,
    /// The end of the text.
    End,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    /// Where it begins, in bytes.
    pub(super) at: usize,
}

/// Whether a symbol needs no quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name_byte)
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}

/// All tokens, the last of which is the end.
pub(super) fn lex(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let token = lexer.next()?;
        tokens.push(token);
        if token.kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn next(&mut self) -> Result<Token<'t>, ParseError> {
        self.skip_blank();
        let at = self.at;
        let (kind, text) = match self.rest() {
            [] => (Kind::End, ""),
            [b'"', ..] => (Kind::String, self.quoted()?),
            [b'@', b'"', ..] => {
                self.at += 1;
                (Kind::QuotedSymbol, self.quoted()?)
            }
            [b'@', ..] => (Kind::Symbol, self.after_sign("a name", is_name_byte)?),
            [b'%', ..] => (Kind::Register, self.after_sign("a register number", |b| b.is_ascii_digit())?),
            [b'0'..=b'9', ..] => (Kind::Number, self.while_true(|b| b.is_ascii_alphanumeric())),
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => (Kind::Word, self.while_true(is_name_byte)),
            [b'-', b'>', ..] => (Kind::Punct, self.take(2)),
            [b'.', b'.', b'.', ..] => (Kind::Punct, self.take(3)),
            [b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b':' | b'=', ..]
            | [b'!' | b'*' | b'+' | b'-' | b'#' | b'|', ..] => (Kind::Punct, self.take(1)),
            _ => return Err(ParseError::new(self.text, at, "a token", self.found())),
        };
        Ok(Token { kind, text, at })
    }

    fn skip_blank(&mut self) {
        self.while_true(|b| b.is_ascii_whitespace());
        while let [b';', ..] = self.rest() {
            self.at += self.rest().iter().take_while(|&&b| b != b'\n').count();
            self.while_true(|b| b.is_ascii_whitespace());
        }
    }

    fn take(&mut self, len: usize) -> &'t str {
        let text = &self.text[self.at..self.at + len];
        self.at += len;
        text
    }

    fn while_true(&mut self, belongs: impl Fn(u8) -> bool) -> &'t str {
        let len = self.rest().iter().take_while(|&&b| belongs(b)).count();
        self.take(len)
    }

    fn after_sign(&mut self, expected: &str, belongs: impl Fn(u8) -> bool) -> Result<&'t str, ParseError> {
        self.at += 1;
        match self.while_true(belongs) {
            "" => Err(ParseError::new(self.text, self.at, expected, self.found())),
            text => Ok(text),
        }
    }

    fn quoted(&mut self) -> Result<&'t str, ParseError> {
        let len = self.rest()[1..].iter().take_while(|&&b| b != b'"' && b != b'\n').count();
        if self.rest().get(1 + len) != Some(&b'"') {
            return Err(ParseError::new(self.text, self.at + 1 + len, "the end of the string", "none"));
        }
        let text = self.take(len + 2);
        Ok(&text[1..=len])
    }

    fn found(&self) -> String {
        self.text[self.at..].chars().next().map_or("the end".to_owned(), |c| format!("{c:?}"))
    }
}

/// The bytes of a string; `Err` is the position of a bad escape.
pub(super) fn unescape(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'\\' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let digit = |i: usize| tail.get(i).and_then(|&b| char::from(b).to_digit(16));
        match (digit(0), digit(1)) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => return Err(text.len() - rest.len()),
        }
        rest = &tail[2..];
    }
    Ok(bytes)
}
