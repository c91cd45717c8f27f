//! The program's command line as the user writes it: words of its own, and among them those that make
//! inputs symbolic, as in KLEE's POSIX model.
//!
//! A test names the inputs as KLEE does: `n_args` for how many arguments a `--sym-args` stands for,
//! `arg00`, `arg01`, … for those that are there, `A_data` and `A_data_stat` for the file `A`, `stdin`
//! and `stdin_stat`, `stdout_stat`, `read_fail` and its kin, and `model_version`, which is 1.

use crate::{KObject, KTest};

/// A word, or what stands for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// The word itself.
    Text(String),
    /// From `min` to `max` symbolic arguments of up to `len` bytes; `--sym-arg` is one.
    Symbolic {
        /// The least number of arguments.
        min: usize,
        /// The greatest.
        max: usize,
        /// The most bytes of each.
        len: usize,
    },
}

/// A command line, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// What the program sees, without its name.
    pub words: Vec<Word>,
    /// `--sym-files`: how many, and the size of each.
    pub files: Option<(usize, usize)>,
    /// `--sym-stdin`: the size.
    pub stdin: Option<usize>,
    /// `--sym-file-sizes`: files and standard input may be shorter.
    pub sizes: bool,
    /// `--sym-stdout`.
    pub stdout: bool,
    /// `--max-fail`: how many system calls may fail.
    pub max_fail: u32,
    /// `--non-option`: symbolic arguments do not begin with `-`.
    pub non_option: bool,
}

/// A test has two digits for the number of an argument.
const MAX_ARGS: usize = 100;
/// Files are named by capital letters.
const MAX_FILES: usize = 26;
/// More than any solver will do with.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of x86-64's `struct stat`.
pub const STAT_SIZE: usize = 144;
/// The symbolic part of a `struct stat`, as (offset, length): `st_mode`, of which the permissions are
/// free, the low half of the seconds of `st_mtime`, and `st_size` as far as it is needed.
pub const STAT_FIELDS: [(usize, usize); 3] = [(24, 2), (88, 4), (48, 8)];

impl CommandLine {
    /// Understands the words after the program's name.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let mut line = CommandLine::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or("");
            let mut number = |what: &str, most: usize| {
                let text = rest.next().ok_or_else(|| format!("{word} needs {what}"))?;
                let number = text.parse().map_err(|_| format!("{word}: {what} is no number: `{text}`"))?;
                if number > most { Err(format!("{word}: {what} is at most {most}")) } else { Ok(number) }
            };
            match option {
                "sym-arg" => {
                    let len = number("a length", MAX_BYTES)?;
                    line.words.push(Word::Symbolic { min: 1, max: 1, len });
                }
                "sym-args" => {
                    let min = number("a least number", MAX_ARGS)?;
                    let max = number("a greatest number", MAX_ARGS)?;
                    let len = number("a length", MAX_BYTES)?;
                    if min > max {
                        return Err(format!("{word}: the least number, {min}, is above the greatest, {max}"));
                    }
                    line.words.push(Word::Symbolic { min, max, len });
                }
                "sym-files" if line.files.is_some() => return Err(format!("{word} is given twice")),
                "sym-files" => {
                    let count = number("a number of files", MAX_FILES)?;
                    line.files = Some((count, number("a size", MAX_BYTES)?));
                }
                "sym-stdin" => line.stdin = Some(number("a size", MAX_BYTES)?),
                "sym-file-sizes" => line.sizes = true,
                "sym-stdout" => line.stdout = true,
                "max-fail" => line.max_fail = number("a number of failures", MAX_BYTES)? as u32,
                "fd-fail" => line.max_fail = 1,
                "non-option" => line.non_option = true,
                // What is written is always kept here.
                "save-all-writes" => {}
                _ => line.words.push(Word::Text(word.clone())),
            }
        }
        let most: usize = line.words.iter().map(Word::most_symbolic).sum();
        if most > MAX_ARGS {
            return Err(format!("{most} symbolic arguments are too many: at most {MAX_ARGS}"));
        }
        Ok(line)
    }

    /// Whether anything is symbolic.
    pub fn is_symbolic(&self) -> bool {
        let symbolic = |w: &Word| w.most_symbolic() > 0;
        self.words.iter().any(symbolic)
            || self.files.is_some_and(|f| f.0 > 0)
            || self.stdin.is_some()
            || self.stdout
            || self.max_fail > 0
    }

    /// The names of the symbolic files.
    pub fn file_names(&self) -> impl Iterator<Item = String> + use<> {
        (0..self.files.map_or(0, |f| f.0)).map(|i| char::from(b'A' + i as u8).to_string())
    }

    /// Brings the objects of a path into the form of a test. The engine gives every argument that
    /// there may be an object, and only the symbolic bytes of a `struct stat`, whose rest is `stat`.
    pub fn complete(&self, test: &mut KTest, stat: impl Fn(&str) -> Option<Vec<u8>>) {
        let mut counts = test.objects.iter().filter(|o| is_named(&o.name, "n_args")).map(|o| o.bytes.clone());
        let mut used = Vec::new();
        for word in &self.words {
            if let Word::Symbolic { min, max, .. } = *word {
                let count = if min == max { min } else { counts.next().map_or(min, |b| number(&b)) };
                used.extend((0..max).map(|i| i < count));
            }
        }
        let mut arguments = 0;
        let mut kept = 0;
        test.objects.retain_mut(|o| {
            if !is_argument(&o.name) || arguments >= used.len() {
                return true;
            }
            arguments += 1;
            o.name = format!("arg{kept:02}");
            kept += usize::from(used[arguments - 1]);
            used[arguments - 1]
        });
        for object in &mut test.objects {
            if let Some(mut whole) = object.name.strip_suffix("_stat").and_then(&stat) {
                let mut bytes = object.bytes.iter();
                for (at, len) in STAT_FIELDS {
                    whole[at..at + len].iter_mut().zip(&mut bytes).for_each(|(b, new)| *b = *new);
                }
                object.bytes = whole;
            }
            if is_named(&object.name, "n_args") {
                object.name = "n_args".into();
            }
        }
        if self.is_symbolic() {
            test.objects.push(KObject { name: "model_version".into(), bytes: vec![1, 0, 0, 0] });
        }
    }
}

impl Word {
    fn most_symbolic(&self) -> usize {
        match self {
            Word::Text(_) => 0,
            Word::Symbolic { max, .. } => *max,
        }
    }
}

/// A little-endian number.
pub(crate) fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b))
}

/// Whether a name is `base`, or what the engine makes of it when it is used again.
fn is_named(name: &str, base: &str) -> bool {
    name.strip_prefix(base).is_some_and(|r| r.is_empty() || r.starts_with('_'))
}

fn is_argument(name: &str) -> bool {
    name.strip_prefix("arg").is_some_and(|n| n.len() >= 2 && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<CommandLine, String> {
        CommandLine::parse(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn words_of_both_sorts() {
        let line = parse(&["-v", "--sym-arg", "2", "-sym-args", "0", "3", "4", "--sym-stdin", "8", "x"]);
        let line = line.unwrap();
        let symbolic = |min, max, len| Word::Symbolic { min, max, len };
        let text = |t: &str| Word::Text(t.into());
        assert_eq!(line.words, [text("-v"), symbolic(1, 1, 2), symbolic(0, 3, 4), text("x")]);
        assert_eq!(line.stdin, Some(8));
        assert!(line.is_symbolic() && !parse(&["-v"]).unwrap().is_symbolic());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (words, what) in [
            (&["--sym-arg"][..], "a length"),
            (&["--sym-args", "2", "x", "1"], "`x`"),
            (&["--sym-args", "2", "1", "1"], "above"),
            (&["--sym-files", "27", "1"], "at most 26"),
            (&["--sym-args", "0", "60", "1", "--sym-args", "0", "60", "1"], "120"),
        ] {
            let message = parse(words).unwrap_err();
            assert!(message.contains(what), "{message}");
        }
    }

    #[test]
    fn a_test_has_only_the_arguments_that_are_there() {
        let line = parse(&["--sym-args", "0", "2", "1", "--sym-arg", "1", "--sym-files", "1", "2"]).unwrap();
        let object = |name: &str, bytes: &[u8]| KObject { name: name.into(), bytes: bytes.to_vec() };
        let mut test = KTest {
            args: vec![],
            objects: vec![
                object("n_args", &[1, 0, 0, 0]),
                object("arg00", b"a\0"),
                object("arg01", b"b\0"),
                object("arg02", b"c\0"),
                object("A_data", b"xy"),
                object("A_data_stat", &[1, 0x81, 9, 0, 0, 0]),
                object("mine_stat", &[5]),
            ],
        };
        line.complete(&mut test, |name| (name == "A_data").then(|| vec![7; STAT_SIZE]));
        let names: Vec<&str> = test.objects.iter().map(|o| o.name.as_str()).collect();
        let expected = ["n_args", "arg00", "arg01", "A_data", "A_data_stat", "mine_stat", "model_version"];
        assert_eq!(names, expected);
        assert_eq!(test.object("arg01"), Some(&b"c\0"[..]));
        let stat = test.object("A_data_stat").unwrap();
        assert_eq!(
            (stat.len(), &stat[23..27], &stat[88..90]),
            (STAT_SIZE, &[7, 1, 0x81, 7][..], &[9, 0][..])
        );
        assert_eq!(test.object("mine_stat"), Some(&[5][..]));
    }

    proptest::proptest! {
        #[test]
        fn any_words_give_an_answer(words in proptest::collection::vec(word(), 0..8)) {
            let _ = CommandLine::parse(&words);
        }
    }

    fn word() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let known = [
            "--sym-arg",
            "-sym-args",
            "--sym-files",
            "--sym-stdin",
            "--sym-stdout",
            "--sym-file-sizes",
            "--max-fail",
            "--fd-fail",
            "--non-option",
            "--",
            "0",
            "3",
            "99999999999999999999",
            "-1",
        ];
        prop_oneof![proptest::sample::select(known.to_vec()).prop_map(str::to_owned), any::<String>()]
    }
}
