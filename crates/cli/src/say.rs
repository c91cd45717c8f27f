//! Words for people and pipes. Whoever listens may be gone: that is no reason to lose results.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// To standard error. There is nobody to tell that it does not take it.
pub(crate) fn tell(text: impl Display) {
    let _ = write!(io::stderr(), "{text}");
}

/// To standard output. A reader that is gone has read what it wanted.
pub(crate) fn print(text: impl Display) -> Result<(), String> {
    let mut out = io::stdout();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}
