//! What a file holds: a sparse, persistent array of bytes.

use crate::bytes::Bytes;
use rejoin_memory::{Table, Value};
use std::rc::Rc;

const PAGE: u64 = 4096;

/// The largest size of a file, as on a usual disk of 4 KiB blocks.
pub(crate) const MAX_FILE: u64 = (1 << 44) - PAGE;

/// Clones share all pages that neither has written since. A page may be missing or shorter than
/// its part of the file: the rest is zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    len: u64,
    pages: Table<Rc<Bytes>>,
}

impl Data {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Up to `len` bytes from `offset`; fewer where the file ends.
    pub(crate) fn read(&self, offset: u64, len: u64) -> Bytes {
        let mut out = Bytes::default();
        let end = self.len.min(offset.saturating_add(len));
        let mut at = offset;
        while at < end {
            let start = at % PAGE;
            let stop = PAGE.min(start + (end - at));
            let filled = out.len();
            if let Some(page) = self.pages.get((at / PAGE) as u32) {
                let stop = page.len().min(stop as usize);
                if (start as usize) < stop {
                    out.append(&page.slice(start as usize, stop));
                }
            }
            out.resize(filled + (stop - start) as usize);
            at += stop - start;
        }
        out
    }

    /// Replaces bytes; the file grows as needed. `offset + bytes.len()` is at most [`MAX_FILE`].
    pub(crate) fn write(&mut self, offset: u64, bytes: &Bytes) {
        let end = offset + bytes.len() as u64;
        let mut at = offset;
        while at < end {
            let start = at % PAGE;
            let count = (PAGE - start).min(end - at);
            let from = (at - offset) as usize;
            let piece = bytes.slice(from, from + count as usize);
            self.page(at / PAGE).overwrite(start as usize, &piece);
            at += count;
        }
        if !bytes.is_empty() {
            self.len = self.len.max(end);
        }
    }

    fn page(&mut self, number: u64) -> &mut Bytes {
        let number = number as u32;
        if self.pages.get(number).is_none() {
            self.pages.insert(number, Rc::default());
        }
        let page = self.pages.get_mut(number).expect("was inserted");
        Rc::make_mut(page)
    }

    /// Cuts or extends with zeros.
    pub(crate) fn resize(&mut self, len: u64) {
        if len < self.len {
            let last = len.div_ceil(PAGE);
            let mut beyond = Vec::new();
            self.pages.for_each(&mut |i, _| {
                if u64::from(i) >= last {
                    beyond.push(i);
                }
            });
            for i in beyond {
                self.pages.remove(i);
            }
            let rest = (len % PAGE) as usize;
            if let Some(page) = self.pages.get_mut((len / PAGE) as u32).filter(|p| p.len() > rest) {
                Rc::make_mut(page).resize(rest);
            }
        }
        self.len = len;
    }

    /// Byte by byte, what `pick` makes of two files of one size; `None` if the sizes differ.
    pub(crate) fn merge(&self, other: &Data, pick: &mut dyn FnMut(Value, Value) -> Value) -> Option<Data> {
        if self.len != other.len {
            return None;
        }
        let mut merged = self.clone();
        let empty = Rc::default();
        self.pages.diff(&other.pages, &mut |i, a, b| {
            let (a, b) = (a.unwrap_or(&empty), b.unwrap_or(&empty));
            if !Rc::ptr_eq(a, b) && a != b {
                let len = a.len().max(b.len());
                let (mut a, mut b) = (Bytes::clone(a), Bytes::clone(b));
                a.resize(len);
                b.resize(len);
                merged.pages.insert(i, Rc::new(a.merge(&b, pick)));
            }
        });
        Some(merged)
    }
}

impl From<&Bytes> for Data {
    fn from(bytes: &Bytes) -> Self {
        let mut data = Data::default();
        data.write(0, bytes);
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(data: &Data) -> Vec<u8> {
        data.read(0, data.len()).known().unwrap().to_vec()
    }

    #[test]
    fn holes_read_as_zeros_and_cut_bytes_do_not_come_back() {
        let mut data = Data::default();
        data.write(PAGE - 1, &b"ab"[..].into());
        assert_eq!(data.len(), PAGE + 1);
        assert_eq!(data.read(PAGE - 2, 9).known().unwrap(), b"\0ab");
        data.resize(PAGE);
        data.resize(PAGE + 3);
        assert_eq!(data.read(PAGE - 1, 9).known().unwrap(), b"a\0\0\0");
        data.resize(2);
        data.resize(3);
        assert_eq!(text(&data), [0, 0, 0]);
        data.write(MAX_FILE - 1, &b"z"[..].into());
        assert_eq!(data.read(MAX_FILE - 2, 9).known().unwrap(), b"\0z");
    }

    #[test]
    fn clones_are_independent_and_merge_where_they_differ() {
        let mut a = Data::from(&Bytes::from(&b"hello"[..]));
        let mut b = a.clone();
        a.write(1, &b"u"[..].into());
        b.write(0, &b"j"[..].into());
        assert_eq!((text(&a), text(&b)), (b"hullo".to_vec(), b"jello".to_vec()));
        let mut pairs = vec![];
        let merged = a.merge(&b, &mut |x, y| {
            pairs.push((x.bits().unwrap() as u8, y.bits().unwrap() as u8));
            x
        });
        assert_eq!(pairs, [(b'h', b'j'), (b'u', b'e')]);
        assert_eq!(text(&merged.unwrap()), b"hullo");
        b.resize(9);
        assert!(a.merge(&b, &mut |x, _| x).is_none());
    }
}
