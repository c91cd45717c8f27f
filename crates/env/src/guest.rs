//! The border to the engine: how the model reaches the analysed program's memory, asks for
//! decisions, and answers.

use crate::bytes::Bytes;
use crate::errno::Errno;
use rejoin_memory::Value;

/// Why the engine does not do what the model asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The system call fails with this error: `EFAULT` for a bad pointer, `ENOMEM`, ….
    Error(Errno),
    /// The engine abandons the call: it forked the state, or reports an error of the program. The
    /// model stays as it was before the call.
    Stop,
}

/// A call that an injected failure (`--max-fail`) may hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fallible {
    /// `read` and its relatives.
    Read,
    /// `write` and its relatives.
    Write,
    /// `close`.
    Close,
    /// `ftruncate`.
    Ftruncate,
    /// `getcwd`.
    Getcwd,
}

impl Fallible {
    /// All of them.
    pub const ALL: [Fallible; 5] =
        [Fallible::Read, Fallible::Write, Fallible::Close, Fallible::Ftruncate, Fallible::Getcwd];

    /// The name of the symbolic input that decides which call fails, as KLEE names it.
    #[must_use]
    pub fn input_name(self) -> &'static str {
        ["read_fail", "write_fail", "close_fail", "ftruncate_fail", "getcwd_fail"][self as usize]
    }
}

/// The analysed program as the model sees it.
///
/// A call reads and asks first and writes last, so that a call abandoned by [`Fault::Stop`] can be
/// repeated.
pub trait Guest {
    /// Bytes of memory.
    ///
    /// # Errors
    /// When the range is not readable, or the engine stops.
    fn read(&mut self, address: u64, len: u64) -> Result<Bytes, Fault>;

    /// Replaces bytes of memory.
    ///
    /// # Errors
    /// When the range is not writable, or the engine stops.
    fn write(&mut self, address: u64, bytes: &Bytes) -> Result<(), Fault>;

    /// The value of a byte that the model must know; the engine forks over a symbolic one.
    ///
    /// # Errors
    /// When the engine stops.
    fn decide(&mut self, byte: Value) -> Result<u8, Fault>;

    /// Some of the bits of a byte; the engine forks over symbolic ones.
    ///
    /// # Errors
    /// When the engine stops.
    fn decide_bits(&mut self, byte: Value, mask: u8) -> Result<u8, Fault> {
        Ok(self.decide(byte)? & mask)
    }

    /// Whether bytes are these; the engine forks where they may be.
    ///
    /// # Errors
    /// When the engine stops.
    fn matches(&mut self, bytes: &[Value], text: &[u8]) -> Result<bool, Fault> {
        for (&byte, &expected) in bytes.iter().zip(text) {
            if self.decide(byte)? != expected {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a number, its lowest byte first, is this or more; the engine forks where it may be.
    ///
    /// # Errors
    /// When the engine stops.
    fn at_least(&mut self, number: &[Value], least: u64) -> Result<bool, Fault> {
        let mut value = 0;
        for (i, &byte) in number.iter().enumerate() {
            value |= u64::from(self.decide(byte)?) << (8 * i);
        }
        Ok(value >= least)
    }

    /// A value that a byte may have, where it does not matter which. All bytes asked for in one call
    /// may have their values together.
    ///
    /// # Errors
    /// When the engine stops.
    fn sample(&mut self, byte: Value) -> Result<u8, Fault> {
        self.decide(byte)
    }

    /// The bytes before the next NUL, of which there are fewer than `limit`.
    ///
    /// # Errors
    /// `ENAMETOOLONG` beyond the limit; when memory is not readable; when the engine stops.
    fn c_string(&mut self, address: u64, limit: usize) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        while text.len() < limit {
            let byte = self.read(address.wrapping_add(text.len() as u64), 1)?.get(0);
            match self.decide(byte)? {
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
        Err(Fault::Error(Errno::ENAMETOOLONG))
    }

    /// New zeroed memory of `len` bytes, at an address of the engine's choice or exactly at `at`.
    ///
    /// # Errors
    /// `ENOMEM` or `EINVAL` where the engine cannot; when it stops.
    fn map(&mut self, len: u64, at: Option<u64>) -> Result<u64, Fault>;

    /// Takes mapped memory away.
    ///
    /// # Errors
    /// `EINVAL` for what the engine cannot unmap; when it stops.
    fn unmap(&mut self, address: u64, len: u64) -> Result<(), Fault>;

    /// Whether the `nth` call (from 1) of a kind fails. Asked only while failures are left
    /// ([`Os::set_max_fail`](crate::Os::set_max_fail)).
    ///
    /// # Errors
    /// When the engine stops, typically because it forks over the answer.
    fn fails(&mut self, call: Fallible, nth: u32) -> Result<bool, Fault> {
        let _ = (call, nth);
        Ok(false)
    }
}

/// What a system call comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It returns this; errors as negative numbers.
    Value(i64),
    /// The program ends with this exit code.
    Exit(i32),
    /// The program ends by this signal.
    Signal(u32),
    /// The program's own signal handler runs; when it returns, the engine calls
    /// [`Os::end_handler`](crate::Os::end_handler) with `mask` and the system call returns `value`.
    Handler {
        /// The signal.
        signal: u32,
        /// The handler's address.
        address: u64,
        /// What the system call returns afterwards.
        value: i64,
        /// The signal mask afterwards.
        mask: u64,
    },
    /// The program would wait forever: nobody else is there to wake it.
    Blocked,
    /// Not modelled: to be entered in the ledger and answered with `ENOSYS`.
    Unsupported,
    /// The guest stopped the call ([`Fault::Stop`]); nothing has changed.
    Stopped,
}

/// Why a handler did not return a plain value.
pub(crate) enum Stop {
    Error(Errno),
    End(Reply),
}

pub(crate) type Done<T = i64> = Result<T, Stop>;

impl From<Errno> for Stop {
    fn from(e: Errno) -> Self {
        Stop::Error(e)
    }
}

impl From<Fault> for Stop {
    fn from(f: Fault) -> Self {
        match f {
            Fault::Error(e) => Stop::Error(e),
            Fault::Stop => Stop::End(Reply::Stopped),
        }
    }
}
