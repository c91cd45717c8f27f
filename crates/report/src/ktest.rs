//! KLEE's binary test format.
//!
//! All integers are 32-bit big-endian: magic `KTEST`, version 3, the command line (count, then length
//! and bytes of each word), two fields about symbolic arguments that are written as zero, and the
//! objects (count, then name and bytes, each with its length). KLEE's own reader fails on empty names
//! and empty objects, so the writer leaves empty objects out and names an unnamed one `unnamed`.

use thiserror::Error;

/// A symbolic object and the bytes it has in this test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KObject {
    /// The name given in the program.
    pub name: String,
    /// Its value.
    pub bytes: Vec<u8>,
}

/// A test: a command line and the objects in the order the program asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTest {
    /// The command line, program first.
    pub args: Vec<String>,
    /// The symbolic objects.
    pub objects: Vec<KObject>,
}

/// Why bytes are not a test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KTestError {
    /// It does not begin like one.
    #[error("not a ktest file: it does not begin with KTEST")]
    Magic,
    /// A version later than ours.
    #[error("ktest version {0} is not supported (at most {VERSION})")]
    Version(u32),
    /// It ends too early.
    #[error("ktest file cut off: {what} at byte {at} needs {need} bytes, {left} are left")]
    CutOff {
        /// What was being read.
        what: &'static str,
        /// Where.
        at: usize,
        /// How many bytes it needs.
        need: usize,
        /// How many there are.
        left: usize,
    },
    /// Something follows the last object.
    #[error("{0} bytes after the end of the ktest data")]
    Trailing(usize),
}

const MAGIC: &[u8] = b"KTEST";
const OLD_MAGIC: &[u8] = b"BOUT\n";
const VERSION: u32 = 3;
const FIRST_VERSION_WITH_SYM_ARGVS: u32 = 2;

impl KTest {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_u32(&mut out, VERSION as usize);
        put_u32(&mut out, self.args.len());
        for arg in &self.args {
            put_bytes(&mut out, arg.as_bytes());
        }
        put_u32(&mut out, 0);
        put_u32(&mut out, 0);
        let objects: Vec<&KObject> = self.objects.iter().filter(|o| !o.bytes.is_empty()).collect();
        put_u32(&mut out, objects.len());
        for object in objects {
            let name = if object.name.is_empty() { "unnamed" } else { &object.name };
            put_bytes(&mut out, name.as_bytes());
            put_bytes(&mut out, &object.bytes);
        }
        out
    }

    /// Reads a file's bytes. Text that is not UTF-8 is replaced, never refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KTestError> {
        let mut reader = Reader { bytes, at: 0 };
        let magic = reader.take(MAGIC.len(), "the magic number").map_err(|_| KTestError::Magic)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KTestError::Magic);
        }
        let version = reader.u32("the version")?;
        if version > VERSION {
            return Err(KTestError::Version(version));
        }
        let mut test = KTest::default();
        for _ in 0..reader.u32("the number of arguments")? {
            test.args.push(reader.text("an argument")?);
        }
        if version >= FIRST_VERSION_WITH_SYM_ARGVS {
            reader.u32("symArgvs")?;
            reader.u32("symArgvLen")?;
        }
        for _ in 0..reader.u32("the number of objects")? {
            let name = reader.text("an object's name")?;
            let bytes = reader.block("an object's bytes")?.to_vec();
            test.objects.push(KObject { name, bytes });
        }
        match bytes.len() - reader.at {
            0 => Ok(test),
            more => Err(KTestError::Trailing(more)),
        }
    }

    /// The bytes of the first object with this name.
    pub fn object(&self, name: &str) -> Option<&[u8]> {
        self.objects.iter().find(|o| o.name == name).map(|o| o.bytes.as_slice())
    }
}

/// The format has no room for 2^32 bytes; the engine refuses symbolic objects long before that.
fn put_u32(out: &mut Vec<u8>, n: usize) {
    out.extend(u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len());
    out.extend(bytes);
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, need: usize, what: &'static str) -> Result<&'a [u8], KTestError> {
        let rest = &self.bytes[self.at..];
        let taken =
            rest.get(..need).ok_or(KTestError::CutOff { what, at: self.at, need, left: rest.len() })?;
        self.at += need;
        Ok(taken)
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, KTestError> {
        Ok(self.take(4, what)?.iter().fold(0, |n, &byte| n << 8 | u32::from(byte)))
    }

    fn block(&mut self, what: &'static str) -> Result<&'a [u8], KTestError> {
        let len = self.u32(what)?;
        self.take(len as usize, what)
    }

    fn text(&mut self, what: &'static str) -> Result<String, KTestError> {
        Ok(String::from_utf8_lossy(self.block(what)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Written out by hand from the format's description.
    #[test]
    fn the_layout_is_klee_s() {
        let test = KTest {
            args: vec!["p.bc".into()],
            objects: vec![KObject { name: "x".into(), bytes: vec![1, 2] }],
        };
        let mut want = b"KTEST\0\0\0\x03".to_vec();
        want.extend(b"\0\0\0\x01\0\0\0\x04p.bc");
        want.extend([0; 8]);
        want.extend(b"\0\0\0\x01\0\0\0\x01x\0\0\0\x02\x01\x02");
        assert_eq!(test.to_bytes(), want);
        assert_eq!(KTest::from_bytes(&want), Ok(test));
    }

    #[test]
    fn version_1_has_no_symbolic_argument_fields_and_the_old_magic_is_read() {
        let old = b"BOUT\n\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01y\0\0\0\x01\x07";
        assert_eq!(KTest::from_bytes(old).unwrap().object("y"), Some(&[7u8][..]));
    }

    #[test]
    fn what_klee_s_reader_cannot_read_is_not_written() {
        let object = |name: &str, bytes: &[u8]| KObject { name: name.into(), bytes: bytes.to_vec() };
        let test = KTest { args: vec![], objects: vec![object("empty", b""), object("", b"a")] };
        let read = KTest::from_bytes(&test.to_bytes()).unwrap();
        assert_eq!(read.objects, [object("unnamed", b"a")]);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let good = KTest { args: vec!["p".into()], objects: vec![] }.to_bytes();
        assert_eq!(KTest::from_bytes(b"KTES"), Err(KTestError::Magic));
        assert_eq!(KTest::from_bytes(b"KTEST\0\0\0\x09"), Err(KTestError::Version(9)));
        let cut = KTest::from_bytes(&good[..good.len() - 1]).unwrap_err();
        assert!(cut.to_string().contains("the number of objects"), "{cut}");
        assert_eq!(KTest::from_bytes(&[&good[..], b"x"].concat()), Err(KTestError::Trailing(1)));
    }

    #[test]
    fn a_count_of_four_billion_costs_no_memory() {
        let mut huge = b"KTEST\0\0\0\x03".to_vec();
        huge.extend([0xff; 4]);
        assert!(matches!(KTest::from_bytes(&huge), Err(KTestError::CutOff { .. })));
    }

    fn tests() -> impl Strategy<Value = KTest> {
        let object = ("[a-z]{1,9}", proptest::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(name, bytes)| KObject { name, bytes });
        (proptest::collection::vec("[ -~]{0,9}", 0..4), proptest::collection::vec(object, 0..5))
            .prop_map(|(args, objects)| KTest { args, objects })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(test in tests()) {
            prop_assert_eq!(KTest::from_bytes(&test.to_bytes()), Ok(test));
        }

        #[test]
        fn any_bytes_give_an_answer(mut bytes in proptest::collection::vec(any::<u8>(), 0..80), magic: bool) {
            if magic { bytes.splice(0..0, *b"KTEST\0\0\0\x03"); }
            let _ = KTest::from_bytes(&bytes);
        }

        #[test]
        fn a_damaged_file_gives_an_answer(test in tests(), at: usize, value: u8, keep: usize) {
            let mut bytes = test.to_bytes();
            let at = at % bytes.len();
            bytes[at] = value;
            bytes.truncate(keep % (bytes.len() + 1));
            let _ = KTest::from_bytes(&bytes);
        }
    }
}
