//! What the process of a test gets: its command line, its standard input, its files.

use crate::{
    CommandLine, KTest, RunRecord, Word,
    command_line::{STAT_SIZE, number},
};
use std::path::{Path, PathBuf};

/// What a process gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The command line, program name first.
    pub argv: Vec<Vec<u8>>,
    /// What is on standard input.
    pub stdin: File,
    /// Directories of the machine that it reads.
    pub readable: Vec<PathBuf>,
    /// The directory it starts in, if that is one of the machine's.
    pub directory: Option<PathBuf>,
    /// Files in its directory.
    pub files: Vec<(String, File)>,
    /// What standard output is, if it is a file.
    pub stdout: Option<File>,
    /// Whether memory still allocated at the end is to be reported.
    pub leaks: bool,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
    /// When it was changed last, in seconds since 1970.
    pub modified: u64,
}

/// The time in the world of an analysed program when it starts.
pub const START: u64 = 1_600_000_000;

impl Default for File {
    fn default() -> Self {
        File { bytes: vec![], mode: 0o644, modified: START }
    }
}

impl File {
    /// A file of a test: its content, and what `stat` tells of it.
    fn new(bytes: Vec<u8>, stat: Option<&[u8]>) -> Self {
        let mut file = File { bytes, ..File::default() };
        if let Some(stat) = stat.filter(|s| s.len() == STAT_SIZE) {
            file.mode = number(&stat[24..26]) as u32 & 0o777;
            file.modified = number(&stat[88..96]) as u64;
        }
        file
    }
}

impl Spec {
    /// What the process gets in this test; or what the test lacks for it.
    pub fn new(run: &RunRecord, test: &KTest) -> Result<Self, String> {
        let name = if run.argv0.is_empty() { "program" } else { &run.argv0 };
        let line = CommandLine::parse(&run.args)?;
        let mut arguments = Arguments { test, next: 0, counts: 0 };
        let mut argv = vec![name.as_bytes().to_vec()];
        for word in &line.words {
            match *word {
                Word::Text(ref text) => argv.push(text.as_bytes().to_vec()),
                Word::Symbolic { min, max, .. } => {
                    for _ in 0..arguments.count(min, max)? {
                        argv.push(arguments.take()?);
                    }
                }
            }
        }
        let stdin = match line.stdin {
            Some(_) => test.object("stdin").unwrap_or_default().to_vec(),
            None => run.stdin.clone(),
        };
        let shorter = |mut file: File, stat: Option<&[u8]>| {
            if let Some(stat) = stat.filter(|s| line.sizes && s.len() == STAT_SIZE) {
                file.bytes.truncate(number(&stat[48..56]));
            }
            file
        };
        let file = |name: String| {
            let bytes = test.object(&format!("{name}_data")).unwrap_or_default().to_vec();
            let stat = test.object(&format!("{name}_data_stat"));
            (name, shorter(File::new(bytes, stat), stat))
        };
        let stat = test.object("stdin_stat");
        Ok(Spec {
            argv,
            stdin: shorter(File::new(stdin, stat), stat),
            readable: run.allow_read.clone(),
            directory: run.shared_directory(&line).map(Path::to_owned),
            files: line.file_names().map(file).collect(),
            stdout: line.stdout.then(|| File::new(vec![], test.object("stdout_stat"))),
            leaks: false,
        })
    }
}

/// The symbolic arguments, taken in order.
struct Arguments<'a> {
    test: &'a KTest,
    next: usize,
    counts: usize,
}

impl Arguments<'_> {
    fn take(&mut self) -> Result<Vec<u8>, String> {
        let name = format!("arg{:02}", self.next);
        self.next += 1;
        let bytes = self.test.object(&name).ok_or_else(|| format!("the test has no object `{name}`"))?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Ok(bytes[..end].to_vec())
    }

    /// How many arguments a `--sym-args` stands for: a range of one value needs no object.
    fn count(&mut self, min: usize, max: usize) -> Result<usize, String> {
        if min == max {
            return Ok(min);
        }
        let objects: Vec<_> = self.test.objects.iter().filter(|o| o.name == "n_args").collect();
        let object = objects.get(self.counts).ok_or("the test has no object `n_args`")?;
        self.counts += 1;
        let count = number(&object.bytes);
        if (min..=max).contains(&count) {
            Ok(count)
        } else {
            Err(format!("the test's `n_args` is {count}, not between {min} and {max}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KObject;

    fn spec(args: &[&str], objects: &[(&str, &[u8])]) -> Result<Spec, String> {
        let args = args.iter().map(|a| a.to_string()).collect();
        let objects = objects.iter().map(|(n, b)| KObject { name: n.to_string(), bytes: b.to_vec() });
        let run = RunRecord { argv0: "echo".into(), args, ..RunRecord::default() };
        Spec::new(&run, &KTest { args: vec![], objects: objects.collect() })
    }

    fn argv(spec: Spec) -> Vec<String> {
        spec.argv.into_iter().map(|a| String::from_utf8(a).unwrap()).collect()
    }

    #[test]
    fn symbolic_arguments_take_their_values_in_order() {
        let objects: [(&str, &[u8]); 4] =
            [("n_args", &[2, 0, 0, 0]), ("arg00", b"x\0\0"), ("arg01", b"-n\0"), ("arg02", b"\0\0\0")];
        let got =
            spec(&["-v", "--sym-arg", "2", "-sym-args", "0", "3", "2", "--non-option", "end"], &objects);
        assert_eq!(argv(got.unwrap()), ["echo", "-v", "x", "-n", "", "end"]);
    }

    #[test]
    fn what_the_test_lacks_is_named() {
        assert!(spec(&["--sym-arg", "2"], &[]).unwrap_err().contains("arg00"));
        assert!(spec(&["--sym-args", "0", "2", "2"], &[("n_args", &[9, 0, 0, 0])]).is_err());
        assert_eq!(argv(spec(&["--sym-args", "0", "0", "2"], &[]).unwrap()), ["echo"]);
    }

    #[test]
    fn files_and_standard_input() {
        let mut stat = [0; STAT_SIZE];
        (stat[24], stat[25], stat[88]) = (0x80, 0x81, 9);
        let objects: [(&str, &[u8]); 4] =
            [("stdin", b"in"), ("A_data", b"file"), ("A_data_stat", &stat), ("../x_data", b"no")];
        let got = spec(&["--sym-files", "1", "4", "--sym-stdin", "2", "A"], &objects).unwrap();
        assert_eq!(got.stdin, File { bytes: b"in".to_vec(), ..File::default() });
        let file = File { bytes: b"file".to_vec(), mode: 0o600, modified: 9 };
        assert_eq!(got.files, [("A".to_owned(), file)]);
        assert_eq!(argv(got), ["echo", "A"]);
    }

    #[test]
    fn a_file_of_symbolic_size_has_the_bytes_that_its_stat_tells() {
        let mut stat = [0; STAT_SIZE];
        stat[48] = 2;
        let objects: [(&str, &[u8]); 4] =
            [("stdin", b"in"), ("stdin_stat", &[0; STAT_SIZE]), ("A_data", b"file"), ("A_data_stat", &stat)];
        let words = ["--sym-files", "1", "4", "--sym-stdin", "2", "--sym-file-sizes"];
        let got = spec(&words, &objects).unwrap();
        assert_eq!((&got.stdin.bytes[..], &got.files[0].1.bytes[..]), (&b""[..], &b"fi"[..]));
        // Other tests have what they have: KLEE's may tell any size.
        let got = spec(&words[..5], &objects).unwrap();
        assert_eq!((&got.stdin.bytes[..], &got.files[0].1.bytes[..]), (&b"in"[..], &b"file"[..]));
    }
}
