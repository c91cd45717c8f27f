//! An error of the analysed program with everything known about it, and its `.err` file.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::{ErrorKind, Outcome};

/// One call on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line being executed; 0 if unknown.
    pub line: u32,
    /// Arguments as (name, value); a value that depends on the input is `symbolic`.
    pub args: Vec<(String, String)>,
}

/// An error of the analysed program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// What kind of error.
    pub kind: ErrorKind,
    /// The suffix the program itself chose with `klee_report_error`, instead of the kind's.
    pub suffix: Option<String>,
    /// What happened, in one line.
    pub message: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line in it; 0 if unknown.
    pub line: u32,
    /// Column in it; 0 if unknown.
    pub column: u32,
    /// The stack, innermost call first.
    pub stack: Vec<Frame>,
    /// Facts that help to understand it: the address, the object nearby, values of variables.
    pub notes: Vec<String>,
}

impl Bug {
    /// A bug about which only the essentials are known.
    pub fn new(kind: ErrorKind, message: impl Into<String>, file: impl Into<String>, line: u32) -> Self {
        Bug {
            kind,
            suffix: None,
            message: message.into(),
            file: file.into(),
            line,
            column: 0,
            stack: vec![],
            notes: vec![],
        }
    }

    /// The outcome of the path that ends in this bug.
    pub fn outcome(&self) -> Outcome {
        Outcome::Error {
            kind: self.kind,
            file: self.file.clone(),
            line: self.line,
            message: self.message.clone(),
        }
    }

    /// What kind of error it is and what happened, for people.
    pub fn headline(&self) -> String {
        format!("{}: {}", self.kind.title(), self.message)
    }

    /// The suffix of its file, between the test's name and `.err`. What a program chose is reduced to
    /// characters that cannot leave the directory.
    pub fn suffix(&self) -> String {
        let Some(chosen) = &self.suffix else { return self.kind.name().to_owned() };
        let chosen = chosen.strip_suffix(".err").unwrap_or(chosen);
        let safe: String =
            chosen.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(64).collect();
        if safe.is_empty() { self.kind.name().to_owned() } else { safe }
    }

    /// The text of the `.err` file, line by line as KLEE's scripts expect it. KLEE numbers a frame by
    /// its depth followed by an eight-digit line of its assembly listing; there is no such listing
    /// here, so those digits are zeros.
    pub fn err_text(&self) -> String {
        let mut text = format!("Error: {}\n", self.headline().replace('\n', " "));
        if !self.file.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "File: {}\nLine: {}", self.file, self.line);
        }
        text.push_str("Stack: \n");
        for (depth, frame) in self.stack.iter().enumerate() {
            let _ = writeln!(text, "\t#{depth}00000000 in {frame}");
        }
        if !self.notes.is_empty() {
            text.push_str("Info: \n");
            for note in &self.notes {
                let _ = writeln!(text, "\t{note}");
            }
        }
        text
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let args: Vec<String> = self.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, "{}({})", self.function, args.join(", "))?;
        if self.file.is_empty() { Ok(()) } else { write!(f, " at {}:{}", self.file, self.line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn err_text_has_klee_s_shape() {
        let mut bug = Bug::new(ErrorKind::Ptr, "4 bytes at 0x10", "a.c", 7);
        bug.stack = vec![
            Frame {
                function: "get".into(),
                file: "a.c".into(),
                line: 7,
                args: vec![("i".into(), "symbolic".into()), ("n".into(), "4".into())],
            },
            Frame { function: "main".into(), file: "a.c".into(), line: 20, args: vec![] },
        ];
        bug.notes = vec!["address: 0x10".into()];
        let want = "Error: invalid memory access: 4 bytes at 0x10\nFile: a.c\nLine: 7\nStack: \n\
             \t#000000000 in get(i=symbolic, n=4) at a.c:7\n\t#100000000 in main() at a.c:20\n\
             Info: \n\taddress: 0x10\n";
        assert_eq!(bug.err_text(), want);
    }

    #[test]
    fn a_suffix_cannot_leave_the_directory() {
        let mut bug = Bug::new(ErrorKind::ReportError, "m", "a.c", 1);
        for (chosen, got) in
            [("mine.err", "mine"), ("../../etc/passwd", "etcpasswd"), ("/..", "report_error")]
        {
            bug.suffix = Some(chosen.into());
            assert_eq!(bug.suffix(), got);
        }
    }
}
