//! One line of `tests.jsonl`: a test and what it is predicted to do.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;

use crate::{Count, ErrorKind, LedgerEntry, Outcome};

/// A test and its prediction.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Line<'_>")]
pub struct TestRecord {
    /// `test000001`; its input is `tests/test000001.ktest`.
    pub name: String,
    /// How the program is predicted to end.
    pub outcome: Outcome,
    /// What it writes to its standard output.
    pub stdout: Vec<u8>,
    /// What it writes to its standard error.
    pub stderr: Vec<u8>,
    /// How many paths of the program the state of this test stands for.
    pub multiplicity: Count,
    /// Approximations made on this very path.
    pub ledger: Vec<LedgerEntry>,
    /// [`checksum`] of the input the prediction was made for.
    pub input: String,
}

/// The fields in the order and shape of the file: the outcome is flat. Borrowed when written: there are
/// many tests.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    name: Cow<'a, str>,
    outcome: Cow<'a, str>,
    exit_code: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    #[serde(serialize_with = "to_base64", deserialize_with = "cow_from_base64")]
    stdout: Cow<'a, [u8]>,
    #[serde(serialize_with = "to_base64", deserialize_with = "cow_from_base64")]
    stderr: Cow<'a, [u8]>,
    multiplicity: Cow<'a, Count>,
    ledger: Cow<'a, [LedgerEntry]>,
    input: Cow<'a, str>,
}

impl Serialize for TestRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (exit_code, file, line, message) = match &self.outcome {
            Outcome::Exit(code) => (Some(*code), None, None, None),
            Outcome::Error { file, line, message, .. } => (None, Some(file), Some(*line), Some(message)),
            Outcome::Early(why) => (None, None, None, Some(why)),
        };
        let line = Line {
            name: Cow::Borrowed(&self.name),
            outcome: Cow::Borrowed(self.outcome.name()),
            exit_code,
            file: file.map(Into::into),
            line,
            message: message.map(Into::into),
            stdout: Cow::Borrowed(&self.stdout),
            stderr: Cow::Borrowed(&self.stderr),
            multiplicity: Cow::Borrowed(&self.multiplicity),
            ledger: Cow::Borrowed(&self.ledger),
            input: Cow::Borrowed(&self.input),
        };
        line.serialize(serializer)
    }
}

impl TryFrom<Line<'_>> for TestRecord {
    type Error = String;

    fn try_from(line: Line<'_>) -> Result<Self, String> {
        let message = line.message.unwrap_or_default().into_owned();
        let outcome = match &*line.outcome {
            "exit" => Outcome::Exit(line.exit_code.ok_or("an exit without exit_code")?),
            "early" => Outcome::Early(message),
            name => Outcome::Error {
                kind: ErrorKind::from_name(name).ok_or_else(|| format!("unknown outcome `{name}`"))?,
                file: line.file.unwrap_or_default().into_owned(),
                line: line.line.unwrap_or(0),
                message,
            },
        };
        Ok(TestRecord {
            name: line.name.into_owned(),
            outcome,
            stdout: line.stdout.into_owned(),
            stderr: line.stderr.into_owned(),
            multiplicity: line.multiplicity.into_owned(),
            ledger: line.ledger.into_owned(),
            input: line.input.into_owned(),
        })
    }
}

/// Bytes as base64, for serde's `with`.
pub(crate) mod base64_bytes {
    pub(crate) use super::{from_base64 as deserialize, to_base64 as serialize};
}

pub(crate) fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

pub(crate) fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn cow_from_base64<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, [u8]>, D::Error> {
    from_base64(deserializer).map(Cow::Owned)
}

/// A name for the bytes of a test file (FNV-1a, 64 bits): tells a test that was edited after its outcome
/// was predicted. No defence against anyone who wants to deceive.
pub fn checksum(file: &[u8]) -> String {
    let hash = file.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outcome: Outcome) -> TestRecord {
        TestRecord {
            name: "test000001".into(),
            outcome,
            stdout: b"hi\n\xff".to_vec(),
            stderr: vec![],
            multiplicity: u128::MAX.into(),
            ledger: vec![LedgerEntry {
                kind: "timeout".into(),
                file: "a.c".into(),
                line: 3,
                name: "solver".into(),
                count: 2,
                lossy: true,
            }],
            input: checksum(b"KTEST"),
        }
    }

    #[test]
    fn every_outcome_survives_the_file() {
        let error = Outcome::Error {
            kind: ErrorKind::Ptr,
            file: "a.c".into(),
            line: 7,
            message: "out of bounds".into(),
        };
        for outcome in [Outcome::Exit(3), error, Outcome::Early("max-depth".into())] {
            let record = record(outcome);
            let json = serde_json::to_string(&record).unwrap();
            assert!(!json.contains('\n'));
            assert_eq!(serde_json::from_str::<TestRecord>(&json).unwrap(), record);
        }
    }

    #[test]
    fn the_line_has_the_documented_names() {
        let json = serde_json::to_value(record(Outcome::Exit(3))).unwrap();
        assert_eq!(json["outcome"], "exit");
        assert_eq!(json["exit_code"], 3);
        assert_eq!(json["stdout"], "aGkK/w==");
    }

    #[test]
    fn a_line_that_makes_no_sense_is_refused() {
        let good = serde_json::to_string(&record(Outcome::Exit(3))).unwrap();
        for (from, to) in [("\"exit\"", "\"flown\""), (":3,", ":300,"), ("aGkK", "!!!!")] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good);
            assert!(serde_json::from_str::<TestRecord>(&bad).is_err(), "{bad}");
        }
    }
}
