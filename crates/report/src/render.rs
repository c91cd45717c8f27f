//! A bug, shown as a good compiler shows one.

use std::{fmt::Write, io::IsTerminal, ops::Range};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{Bug, KObject, KTest};

/// Whether to use colours on standard error: only on a terminal, never against `NO_COLOR`.
pub fn use_color() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    !refused && !dumb && std::io::stderr().is_terminal()
}

/// How to show bugs.
pub struct Style<'a> {
    /// With colours.
    pub color: bool,
    /// Finds the text of a source file; `None` if it is not at hand.
    pub source: &'a dyn Fn(&str) -> Option<String>,
}

/// The text for one bug: kind and message, the source line with a caret, the stack, facts about it,
/// the input, and the command that replays it.
pub fn bug(bug: &Bug, test: &KTest, replay: &str, style: &Style) -> String {
    let title = bug.headline();
    let source = if bug.line == 0 { None } else { (style.source)(&bug.file) };
    let at = source.as_deref().and_then(|text| span(text, bug.line, bug.column));
    let place = format!("at {}:{}", bug.file, bug.line);
    let title = Level::ERROR.primary_title(&title).id(bug.kind.name());
    let mut group = Group::with_title(title);
    group = match (&source, at) {
        (Some(text), Some(at)) => group.element(
            Snippet::source(text.as_str())
                .path(bug.file.as_str())
                .annotation(AnnotationKind::Primary.span(at).label(bug.kind.title())),
        ),
        _ if bug.file.is_empty() => group,
        _ => group.element(Level::NOTE.message(&place)),
    };
    let stack = lines("stack:", bug.stack.iter().enumerate().map(|(n, f)| format!("#{n} {f}")));
    let input = lines("input:", test.objects.iter().flat_map(object));
    let replay = format!("replay with: {replay}");
    for note in bug.notes.iter().chain([&stack, &input]).filter(|note| !note.is_empty()) {
        group = group.element(Level::NOTE.message(note));
    }
    group = group.element(Level::HELP.message(&replay));
    renderer(style.color).render(&[group])
}

fn renderer(color: bool) -> Renderer {
    if color { Renderer::styled() } else { Renderer::plain() }
}

/// Where a line and column are in a text: from the column to the end of its word, or the whole line if
/// the column is unknown. `None` if the text has no such line.
fn span(text: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let body = text.lines().nth(line as usize - 1)?;
    let indent = body.len() - body.trim_start().len();
    let from = match column {
        0 => indent,
        column => (column as usize - 1).min(body.len().saturating_sub(1)),
    };
    let from = (0..=from).rev().find(|&i| body.is_char_boundary(i)).unwrap_or(0);
    let rest = &body[from..];
    let len = if column == 0 { rest.trim_end().len() } else { word(rest) };
    Some(start + from..start + from + len)
}

/// The length of the identifier, or else of the one character, at the start of a text.
fn word(text: &str) -> usize {
    let len = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if len > 0 { len } else { text.chars().next().map_or(0, char::len_utf8) }
}

/// A heading and its lines; nothing if there are none.
fn lines(heading: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(String::new(), |mut text, line| {
        let head = if text.is_empty() { heading } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{head}\n  {line}");
        text
    })
}

/// More than a screen of input helps nobody; the file has the rest.
const MAX_ROWS: usize = 32;
const ROW: usize = 16;

/// An object in readable form: a number if it has the size of one, then hexadecimal and text.
fn object(object: &KObject) -> Vec<String> {
    let bytes = &object.bytes;
    let mut text = vec![match number(bytes) {
        Some(n) => format!("{} ({} bytes) = {n}", object.name, bytes.len()),
        None => format!("{} ({} bytes)", object.name, bytes.len()),
    }];
    let rows = bytes.chunks(ROW).enumerate().take(MAX_ROWS).map(|(n, row)| {
        let hex = row.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let ascii: String = row.iter().map(|&b| printable(b)).collect();
        format!("  {:04x}  {hex:<47}  |{ascii}|", n * ROW)
    });
    text.extend(rows);
    if bytes.len() > MAX_ROWS * ROW {
        text.push(format!("  … {} more bytes", bytes.len() - MAX_ROWS * ROW));
    }
    text
}

fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' { byte as char } else { '.' }
}

/// The value of an object that has the size of a C integer, little-endian and signed.
fn number(bytes: &[u8]) -> Option<i64> {
    if ![1, 2, 4, 8].contains(&bytes.len()) {
        return None;
    }
    let unsigned = bytes.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    let shift = 64 - 8 * bytes.len() as u32;
    Some((unsigned << shift) as i64 >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, Frame};

    const SOURCE: &str = "int main(void) {\n\tint é = f();\n  return table[index];\n}\n";

    fn sample(line: u32, column: u32) -> (Bug, KTest) {
        let mut bug = Bug::new(ErrorKind::Ptr, "read of 4 bytes past the end", "a.c", line);
        bug.column = column;
        bug.stack = vec![Frame { function: "main".into(), file: "a.c".into(), line, args: vec![] }];
        bug.notes = vec!["`table` has 40 bytes".into()];
        let test = KTest {
            args: vec![],
            objects: vec![
                KObject { name: "index".into(), bytes: vec![0xfe, 0xff, 0xff, 0xff] },
                KObject { name: "name".into(), bytes: b"ab\0".to_vec() },
            ],
        };
        (bug, test)
    }

    fn show(line: u32, column: u32, color: bool) -> String {
        let (b, test) = sample(line, column);
        let source = |file: &str| (file == "a.c").then(|| SOURCE.to_owned());
        bug(&b, &test, "rejoin replay out/tests/test000001.ktest", &Style { color, source: &source })
    }

    #[test]
    fn everything_a_reader_needs_is_there() {
        let text = show(3, 10, false);
        for part in [
            "error[ptr]: invalid memory access: read of 4 bytes past the end",
            "--> a.c:3:10",
            "return table[index];",
            "^^^^^ invalid memory access",
            "`table` has 40 bytes",
            "#0 main() at a.c:3",
            "index (4 bytes) = -2",
            "0000  61 62 00                                         |ab.|",
            "rejoin replay out/tests/test000001.ktest",
        ] {
            assert!(text.contains(part), "missing {part:?} in\n{text}");
        }
        assert!(!text.contains('\x1b'));
        assert!(show(3, 10, true).contains('\x1b'));
    }

    #[test]
    fn no_line_or_column_is_too_strange_to_show() {
        for line in 0..8 {
            for column in 0..30 {
                assert!(show(line, column, false).contains("past the end"));
            }
        }
    }

    #[test]
    fn spans() {
        let at = |line, column| span(SOURCE, line, column).map(|r| &SOURCE[r]);
        assert_eq!(at(3, 10), Some("table"));
        assert_eq!(at(3, 15), Some("["));
        assert_eq!(at(3, 0), Some("return table[index];"));
        assert_eq!(at(9, 1), None);
    }

    #[test]
    fn numbers_are_signed_little_endian() {
        assert_eq!(number(&[0x80]), Some(-128));
        assert_eq!(number(&[0, 1]), Some(256));
        assert_eq!(number(&[0xff; 8]), Some(-1));
        assert_eq!(number(&[1, 2, 3]), None);
    }

    #[test]
    fn a_large_object_is_cut() {
        let rows = object(&KObject { name: "big".into(), bytes: vec![0; 10_000] });
        assert_eq!(rows.len(), MAX_ROWS + 2);
        assert!(rows.last().unwrap().contains("9488 more bytes"));
    }
}
