//! What the process of a test gets: its command line, its standard input, its files.
//!
//! Symbolic arguments and files are objects of the test under the names of KLEE's POSIX model: `n_args`
//! and `arg00`, `arg01`, … for `--sym-arg` and `--sym-args`, `stdin`, and `A_data`, `B_data`, … for the
//! files `A`, `B`, ….

use crate::{KTest, RunRecord};

/// What a process gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The command line, program name first.
    pub argv: Vec<Vec<u8>>,
    /// What is on standard input.
    pub stdin: Vec<u8>,
    /// Files in its directory: name and content.
    pub files: Vec<(String, Vec<u8>)>,
    /// Whether memory still allocated at the end is to be reported.
    pub leaks: bool,
}

/// The words that make inputs symbolic, and how many words follow each. Those whose effect is not an
/// argument of the program are simply left out of its command line.
const SYMBOLIC_WORDS: [(&str, usize); 9] = [
    ("sym-arg", 1),
    ("sym-args", 3),
    ("sym-files", 2),
    ("sym-stdin", 1),
    ("sym-stdout", 0),
    ("save-all-writes", 0),
    ("max-fail", 1),
    ("fd-fail", 0),
    ("non-option", 0),
];

impl Spec {
    /// What the process gets in this test; or what the test lacks for it.
    pub fn new(run: &RunRecord, test: &KTest) -> Result<Self, String> {
        let name = if run.argv0.is_empty() { "program" } else { &run.argv0 };
        let mut arguments = Arguments { test, next: 0, counts: 0 };
        let mut argv = vec![name.as_bytes().to_vec()];
        let mut words = run.args.iter();
        while let Some(word) = words.next() {
            let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or("");
            let Some((option, following)) = SYMBOLIC_WORDS.iter().find(|(name, _)| *name == option) else {
                argv.push(word.as_bytes().to_vec());
                continue;
            };
            let numbers: Vec<usize> =
                words.by_ref().take(*following).filter_map(|w| w.parse().ok()).collect();
            let count = match (*option, numbers.as_slice()) {
                ("sym-arg", _) => 1,
                ("sym-args", &[min, max, _]) => arguments.count(min, max)?,
                _ => 0,
            };
            for _ in 0..count {
                argv.push(arguments.take()?);
            }
        }
        let stdin = test.object("stdin").unwrap_or_default().to_vec();
        let files = test.objects.iter().filter_map(|o| match o.name.strip_suffix("_data") {
            Some(name) if is_file_name(name) => Some((name.to_owned(), o.bytes.clone())),
            _ => None,
        });
        Ok(Spec { argv, stdin, files: files.collect(), leaks: false })
    }
}

/// The model names its files with one capital letter; nothing else may become a path.
fn is_file_name(name: &str) -> bool {
    name.len() == 1 && name.as_bytes()[0].is_ascii_uppercase()
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
        let count = object.bytes.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
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
        let objects: [(&str, &[u8]); 4] =
            [("stdin", b"in"), ("A_data", b"file"), ("A_data_stat", b"x"), ("../x_data", b"no")];
        let got = spec(&["--sym-files", "1", "4", "--sym-stdin", "2", "A"], &objects).unwrap();
        assert_eq!(got.stdin, b"in");
        assert_eq!(got.files, [("A".to_owned(), b"file".to_vec())]);
        assert_eq!(argv(got), ["echo", "A"]);
    }
}
