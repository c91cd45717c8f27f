//! What a native run showed: how it ended, what the runtime told, what a sanitizer reported.

use serde::Deserialize;

use crate::ErrorKind;

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Code(u8),
    /// By a signal.
    Signal(i32),
    /// It did not, in the time it had.
    #[default]
    Timeout,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Code(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => match SIGNALS.iter().find(|(n, _)| n == signal) {
                Some((_, name)) => write!(f, "killed by {name}"),
                None => write!(f, "killed by signal {signal}"),
            },
            End::Timeout => f.write_str("still running when its time was up"),
        }
    }
}

const SIGNALS: [(i32, &str); 8] = [
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (24, "SIGXCPU (processor time)"),
    (25, "SIGXFSZ (file size)"),
];

/// A line of the runtime (`runtime/replay/replay.c` says what they mean).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Event {
    /// What happened.
    pub event: String,
    /// Source file.
    pub file: String,
    /// Line in it.
    pub line: u32,
    /// Words.
    pub message: String,
    /// The suffix of a reported error.
    pub suffix: String,
    /// A signal's number.
    pub signal: i32,
    /// Not zero if the fault was beyond the stack.
    pub stack: u32,
}

/// A place in the source: the file's name without directories, and the line.
pub type Place = (String, u32);

/// A sanitizer's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it says, in its own words.
    pub what: String,
    /// The kinds of error this is.
    pub kinds: &'static [ErrorKind],
    /// Where, innermost call first.
    pub places: Vec<Place>,
    /// Whether the program went on: so it does after undefined behaviour.
    pub survived: bool,
}

/// What a native run showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// What the runtime told.
    pub events: Vec<Event>,
    /// What sanitizers reported.
    pub reports: Vec<Report>,
}

impl Observed {
    /// Reads the lines of the runtime and of sanitizers, which share a descriptor.
    pub fn parse(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut observed = Observed::default();
        // Only the first stack of a report tells where the error is; others, where memory came from.
        let mut in_stack = false;
        for line in text.lines() {
            if line.starts_with('{') {
                observed.events.extend(serde_json::from_str::<Event>(line).ok());
            } else if let Some(report) = head(line) {
                observed.reports.push(report);
                in_stack = true;
            } else if line.trim().is_empty() {
                in_stack = false;
            } else if let Some(report) = observed.reports.last_mut().filter(|_| in_stack) {
                report.places.extend(frame(line));
                if line.contains("caused by a WRITE memory access") {
                    report.kinds = &[ErrorKind::Ptr, ErrorKind::ReadOnly];
                }
            }
        }
        observed
    }

    /// The first event of a name.
    pub fn event(&self, name: &str) -> Option<&Event> {
        self.events.iter().find(|e| e.event == name)
    }

    /// The signal that the runtime saw.
    pub fn signal(&self) -> Option<i32> {
        self.event("signal").map(|e| e.signal)
    }

    /// Whether the program began at all.
    pub fn started(&self) -> bool {
        self.event("start").is_some()
    }
}

/// What sanitizers say, by a piece of their text, and what it is here. First match counts.
const REPORTS: [(&str, &[ErrorKind]); 34] = [
    // AddressSanitizer
    ("attempting free on address", &[ErrorKind::Free]),
    ("attempting double-free", &[ErrorKind::Free]),
    ("alloc-dealloc-mismatch", &[ErrorKind::Free]),
    ("Sanitizer: stack-overflow", &[ErrorKind::Stack, ErrorKind::Ptr]),
    ("Sanitizer: FPE", &[ErrorKind::Div]),
    ("Sanitizer: ABRT", &[ErrorKind::Abort]),
    ("Sanitizer: ILL", &[ErrorKind::UnreachableCall, ErrorKind::Abort]),
    ("Sanitizer: TRAP", &[ErrorKind::UnreachableCall, ErrorKind::Abort]),
    ("Sanitizer: SEGV", &[ErrorKind::Ptr]),
    ("Sanitizer: BUS", &[ErrorKind::Ptr]),
    ("buffer-overflow", &[ErrorKind::Ptr]),
    ("buffer-underflow", &[ErrorKind::Ptr]),
    ("use-after", &[ErrorKind::Ptr]),
    ("negative-size-param", &[ErrorKind::Ptr]),
    ("unknown-crash", &[ErrorKind::Ptr]),
    ("wild-", &[ErrorKind::Ptr]),
    // LeakSanitizer and MemorySanitizer
    ("LeakSanitizer: detected memory leaks", &[ErrorKind::Leak]),
    ("use-of-uninitialized-value", &[ErrorKind::Uninit]),
    // UndefinedBehaviorSanitizer
    ("division by zero", &[ErrorKind::Div]),
    ("division of", &[ErrorKind::Div, ErrorKind::Overflow]),
    ("shift exponent", &[ErrorKind::Overshift]),
    ("signed integer overflow", &[ErrorKind::Overflow]),
    ("negation of", &[ErrorKind::Overflow]),
    ("reached an unreachable program point", &[ErrorKind::UnreachableCall]),
    ("end of a value-returning function", &[ErrorKind::MissingReturn]),
    ("declared to never be null", &[ErrorKind::NullableAttribute]),
    ("declared to never return null", &[ErrorKind::NullableAttribute]),
    ("not a valid value for type", &[ErrorKind::InvalidLoad]),
    ("passing zero to", &[ErrorKind::InvalidBuiltinUse]),
    ("incorrect function type", &[ErrorKind::FunctionTypeMismatch]),
    ("out of bounds for type", &[ErrorKind::Ptr]),
    ("of null pointer", &[ErrorKind::Ptr]),
    ("within null pointer", &[ErrorKind::Ptr]),
    ("insufficient space for an object", &[ErrorKind::Ptr]),
];

/// The first line of a report.
fn head(line: &str) -> Option<Report> {
    let fatal = line.split_once("==ERROR: ").or_else(|| line.split_once("==WARNING: "));
    let (at, what) = match fatal {
        Some((_, what)) => (None, what),
        None => line.split_once(": runtime error: ").map(|(at, what)| (place(at), what))?,
    };
    let kinds = REPORTS.iter().find(|(text, _)| what.contains(text)).map_or(&[][..], |(_, kinds)| kinds);
    let what = what.split(" (pc ").next().unwrap_or(what).to_owned();
    Some(Report { what, kinds, places: at.into_iter().collect(), survived: fatal.is_none() })
}

/// A line of a stack: `    #0 0x4f in main /dir/a.c:2:50`.
fn frame(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix('#')?;
    rest.contains(" in ").then(|| place(rest)).flatten()
}

/// The place at the end of a text: `…/a.c:2:50`, with or without the column.
fn place(text: &str) -> Option<Place> {
    let numbers: Vec<&str> = text.rsplit(':').take_while(|n| n.parse::<u32>().is_ok()).take(2).collect();
    let line = numbers.last()?.parse().ok()?;
    let tail: usize = numbers.iter().map(|n| n.len() + 1).sum();
    let path = &text[..text.len() - tail];
    Some((file_name(path), line))
}

/// The file's name without directories: builds know the same file by different paths.
pub fn file_name(path: &str) -> String {
    path.rsplit(['/', ' ']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"event":"start"}
/x/a.c:4:7: runtime error: shift exponent 40 is too large for 32-bit type 'int'
    #0 0x1 in f /x/a.c:4:7
    #1 0x2 in main /x/a.c:30

=================================================================
==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7b at pc 0x55 bp 0x7f sp 0x7f
WRITE of size 1 at 0x7bdf thread T0
    #0 0x5642 in operator new(unsigned long) /y/new lib.cc:2:50
    #1 0x7fbf in __libc_start_call_main (/lib/libc.so+0x2d360) (BuildId: 70)
    #2 0x7fbf in main a.c:9:1

allocated by thread T0 here:
    #0 0x5642b6ea7744 in malloc (/x/a+0xd2744) (BuildId: 707)
    #1 0x5642b6eea817 in main /x/a.c:2:33
{"event":"assert","file":"a.c","line":9,"message":"a \"b\""}
{"event":"torn
"#;

    #[test]
    fn events_and_reports_share_a_descriptor() {
        let observed = Observed::parse(TEXT.as_bytes());
        assert!(observed.started());
        assert_eq!(observed.events.len(), 2);
        assert_eq!(observed.event("assert").unwrap().message, "a \"b\"");
        let [shift, overflow] = observed.reports.as_slice() else { panic!("{:?}", observed.reports) };
        assert_eq!(shift.kinds, [ErrorKind::Overshift]);
        assert!(shift.survived);
        let at = |file: &str, line| (file.to_owned(), line);
        assert_eq!(shift.places, [at("a.c", 4), at("a.c", 4), at("a.c", 30)]);
        assert_eq!(overflow.kinds, [ErrorKind::Ptr]);
        assert!(!overflow.survived);
        assert_eq!(overflow.places, [at("lib.cc", 2), at("a.c", 9)]);
    }

    #[test]
    fn only_a_fault_on_writing_may_be_a_write_to_constants() {
        let fault = |access: &str| {
            let text = format!(
                "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5)\n\
                 ==1==The signal is caused by a {access} memory access.\n"
            );
            Observed::parse(text.as_bytes()).reports[0].kinds
        };
        assert!(fault("WRITE").contains(&ErrorKind::ReadOnly));
        assert!(!fault("READ").contains(&ErrorKind::ReadOnly));
    }

    #[test]
    fn places() {
        assert_eq!(place("/d/a.c:2:50"), Some(("a.c".into(), 2)));
        assert_eq!(place("a.c:2"), Some(("a.c".into(), 2)));
        assert_eq!(place("a.c"), None);
        assert_eq!(place(""), None);
        assert_eq!(place("x:99999999999:3"), Some(("x:99999999999".into(), 3)));
    }
}
