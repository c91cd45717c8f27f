//! Bytes of which some may be symbolic.

use rejoin_expr::Term;
use rejoin_memory::Value;

/// A run of bytes; each is known or a term of 8 bits.
///
/// Known bytes are stored as such, so that a run without symbols costs what a `Vec<u8>` costs.
/// Invariants: `symbols` is sorted by position, and the byte under a symbol is 0.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Bytes {
    plain: Vec<u8>,
    symbols: Vec<(u32, Term)>,
}

impl Bytes {
    /// `len` zeros.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        vec![0; len].into()
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plain.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// The bytes, if none is symbolic.
    #[must_use]
    pub fn known(&self) -> Option<&[u8]> {
        self.symbols.is_empty().then_some(&self.plain[..])
    }

    /// The bytes, with zeros in place of the symbolic ones.
    #[must_use]
    pub fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// The symbolic bytes with their positions, in order.
    #[must_use]
    pub fn symbols(&self) -> &[(u32, Term)] {
        &self.symbols
    }

    /// The byte at `at`; zero beyond the end.
    #[must_use]
    pub fn get(&self, at: usize) -> Value {
        match self.symbols.binary_search_by_key(&(at as u32), |s| s.0) {
            Ok(i) => Value::Term(self.symbols[i].1),
            Err(_) => Value::Bits(u128::from(self.plain.get(at).copied().unwrap_or(0))),
        }
    }

    /// All bytes in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let mut symbols = self.symbols.iter().peekable();
        self.plain.iter().enumerate().map(move |(i, &b)| match symbols.next_if(|s| s.0 as usize == i) {
            Some(s) => Value::Term(s.1),
            None => Value::Bits(u128::from(b)),
        })
    }

    /// Appends one byte.
    pub fn push(&mut self, byte: Value) {
        match byte {
            Value::Bits(b) => self.plain.push(b as u8),
            Value::Term(t) => {
                self.symbols.push((self.plain.len() as u32, t));
                self.plain.push(0);
            }
        }
    }

    /// Appends bytes.
    pub fn append(&mut self, other: &Bytes) {
        let base = self.plain.len() as u32;
        self.plain.extend_from_slice(&other.plain);
        self.symbols.extend(other.symbols.iter().map(|s| (base + s.0, s.1)));
    }

    /// The bytes from `start` up to `end`, both at most the length.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Bytes {
        let from = self.symbols.partition_point(|s| (s.0 as usize) < start);
        let to = self.symbols.partition_point(|s| (s.0 as usize) < end);
        Bytes {
            plain: self.plain[start..end].to_vec(),
            symbols: self.symbols[from..to].iter().map(|s| (s.0 - start as u32, s.1)).collect(),
        }
    }

    /// Cuts or fills with zeros to `len`.
    pub fn resize(&mut self, len: usize) {
        self.plain.resize(len, 0);
        let keep = self.symbols.partition_point(|s| (s.0 as usize) < len);
        self.symbols.truncate(keep);
    }

    /// Replaces the bytes at `at`, growing as needed.
    pub fn overwrite(&mut self, at: usize, other: &Bytes) {
        let end = at + other.len();
        if self.len() < end {
            self.resize(end);
        }
        self.plain[at..end].copy_from_slice(&other.plain);
        let from = self.symbols.partition_point(|s| (s.0 as usize) < at);
        let to = self.symbols.partition_point(|s| (s.0 as usize) < end);
        if from < to || !other.symbols.is_empty() {
            let new = other.symbols.iter().map(|s| (at as u32 + s.0, s.1));
            self.symbols.splice(from..to, new);
        }
    }

    /// Byte by byte, what `pick` makes of two runs of one length; equal bytes stay.
    pub(crate) fn merge(&self, other: &Bytes, pick: &mut dyn FnMut(Value, Value) -> Value) -> Bytes {
        if self == other {
            return self.clone();
        }
        self.iter().zip(other.iter()).map(|(a, b)| if a == b { a } else { pick(a, b) }).collect()
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(plain: Vec<u8>) -> Self {
        Bytes { plain, symbols: Vec::new() }
    }
}

impl From<&[u8]> for Bytes {
    fn from(plain: &[u8]) -> Self {
        plain.to_vec().into()
    }
}

impl FromIterator<Value> for Bytes {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut bytes = Bytes::default();
        values.into_iter().for_each(|v| bytes.push(v));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoin_expr::Pool;

    /// Every operation agrees with the same operation on a plain vector of values.
    #[test]
    fn operations_agree_with_a_vector_of_values() {
        let mut pool = Pool::new();
        let symbols: Vec<Value> = (0..4).map(|i| Value::Term(pool.var(8, &format!("b{i}")))).collect();
        let mut seed = 7u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % n) as usize
        };
        let mut bytes = Bytes::default();
        let mut model: Vec<Value> = Vec::new();
        for _ in 0..3000 {
            let piece: Vec<Value> = (0..random(5))
                .map(|_| if random(2) == 0 { symbols[random(4)] } else { Value::Bits(random(256) as u128) })
                .collect();
            let run: Bytes = piece.iter().copied().collect();
            match random(4) {
                0 => {
                    bytes.append(&run);
                    model.extend(&piece);
                }
                1 => {
                    let at = random(model.len() as u64 + 4);
                    bytes.overwrite(at, &run);
                    let end = at + piece.len();
                    if model.len() < end {
                        model.resize(end, Value::Bits(0));
                    }
                    model[at..end].copy_from_slice(&piece);
                }
                2 => {
                    let len = random(30);
                    bytes.resize(len);
                    model.resize(len, Value::Bits(0));
                }
                _ => {
                    let end = random(model.len() as u64 + 1);
                    let start = random(end as u64 + 1);
                    bytes = bytes.slice(start, end);
                    model = model[start..end].to_vec();
                }
            }
            assert_eq!(bytes.iter().collect::<Vec<_>>(), model);
            assert!((0..model.len()).all(|i| bytes.get(i) == model[i]));
            assert_eq!(bytes.known().is_some(), model.iter().all(|v| v.bits().is_some()));
        }
    }
}
