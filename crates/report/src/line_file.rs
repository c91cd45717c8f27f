//! Files that only grow, a line at a time, and survive being killed between any two instructions.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};

/// So many bytes may wait.
const PENDING: usize = 1 << 16;

/// A file of lines. Each line is handed to the kernel in one piece, so that a killed process leaves
/// whole lines behind.
#[derive(Debug)]
pub struct LineFile {
    file: File,
    /// The length of all whole lines.
    len: u64,
    /// Whole lines that the kernel has not got yet.
    pending: Vec<u8>,
    /// A write failed halfway (a full disk) and could not be undone: the next line must not continue it.
    torn: bool,
}

impl LineFile {
    /// Opens or creates the file; new lines go to its end.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(LineFile { len: file.metadata()?.len(), file, pending: Vec::new(), torn: false })
    }

    /// Appends one line. Line breaks inside it become spaces.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.append(text.replace('\n', " ").into_bytes())
    }

    /// Appends one value as a line of JSON, which has no line breaks.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.append(serde_json::to_vec(value)?)
    }

    /// Appends one value as a line of JSON, which may wait for [`LineFile::flush`]: for lines that are many
    /// and that a killed process may lose.
    pub fn json_later(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.pending, value)?;
        self.pending.push(b'\n');
        if self.pending.len() >= PENDING { self.flush() } else { Ok(()) }
    }

    /// Hands over the lines that wait.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.pending);
        self.write(lines)
    }

    fn append(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.flush()?;
        self.write(line)
    }

    fn write(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        if self.torn {
            line.insert(0, b'\n');
        }
        let result = self.file.write_all(&line);
        match &result {
            Ok(()) => self.len += line.len() as u64,
            Err(_) => self.torn = self.file.set_len(self.len).is_err(),
        }
        self.torn &= result.is_err();
        result
    }
}

/// Reads a file of JSON lines. A last line without its line break is what a killed process or a full
/// disk leaves: it is ignored. Any other line that cannot be read is an error naming the line.
pub fn read_json_lines<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let bytes = std::fs::read(path)?;
    let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let mut values = vec![];
    for (number, line) in bytes[..whole].split(|&b| b == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let value = serde_json::from_slice(line).map_err(|e| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{}, line {}: {e}", path.display(), number + 1),
            )
        })?;
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_ignored_and_a_bad_one_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let mut file = LineFile::open(&path).unwrap();
        file.json(&1).unwrap();
        file.json(&2).unwrap();
        std::fs::write(&path, [std::fs::read(&path).unwrap(), b"{\"na".to_vec()].concat()).unwrap();
        assert_eq!(read_json_lines::<u32>(&path).unwrap(), [1, 2]);
        std::fs::write(&path, "1\nx\n2\n").unwrap();
        let error = read_json_lines::<u32>(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn a_line_has_no_line_break_inside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut file = LineFile::open(&path).unwrap();
        file.line("a\nb").unwrap();
        drop(file);
        LineFile::open(&path).unwrap().line("c").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a b\nc\n");
    }

    #[test]
    fn lines_that_wait_keep_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let read = || read_json_lines::<u32>(&path).unwrap();
        let mut file = LineFile::open(&path).unwrap();
        file.json_later(&1).unwrap();
        assert!(read().is_empty());
        file.json(&2).unwrap();
        assert_eq!(read(), [1, 2]);
        file.json_later(&3).unwrap();
        file.flush().unwrap();
        assert_eq!(read(), [1, 2, 3]);
        for _ in 0..PENDING {
            file.json_later(&4).unwrap();
        }
        assert!(read().len() > 3);
    }

    #[test]
    fn a_full_disk_is_an_error_and_not_a_panic() {
        let mut full = LineFile::open(Path::new("/dev/full")).unwrap();
        assert!(full.line("x").is_err());
        assert!(full.torn);
    }
}
