//! `struct stat` and `struct statx` of a node.

use crate::bytes::Bytes;
use crate::node::{Kind, Node};
use crate::record::Record;

const BLOCK: u64 = 4096;

fn device(node: &Node) -> u64 {
    match &node.kind {
        Kind::Device(d) => d.number(),
        Kind::Stream(s) if s.terminal => 0x8800,
        _ => 0,
    }
}

fn blocks(node: &Node) -> u64 {
    match &node.kind {
        Kind::Link(_) => 0,
        _ => node.size().div_ceil(BLOCK) * (BLOCK / 512),
    }
}

/// Users and groups that a user namespace does not know are shown as this one.
const OVERFLOW: u32 = 65534;

/// x86-64's `struct stat`. In a namespace, only its own user and group are told.
pub(crate) fn stat(node: &Node, namespace: Option<(u32, u32)>) -> Bytes {
    let m = &node.meta;
    let shown = |id: u32, own: u32| if id == own { id } else { OVERFLOW };
    let (uid, gid) = namespace.map_or((m.uid, m.gid), |own| (shown(m.uid, own.0), shown(m.gid, own.1)));
    let mut bytes = Record::new(144)
        .put(0, 8, m.dev)
        .put(8, 8, m.ino)
        .put(16, 8, m.nlink.into())
        .put(24, 4, m.mode.into())
        .put(28, 4, uid.into())
        .put(32, 4, gid.into())
        .put(40, 8, device(node))
        .put(48, 8, node.size())
        .put(56, 8, BLOCK)
        .put(64, 8, blocks(node))
        .put(72, 8, m.accessed.sec as u64)
        .put(80, 8, m.accessed.nsec.into())
        .put(88, 8, m.modified.sec as u64)
        .put(96, 8, m.modified.nsec.into())
        .put(104, 8, m.changed.sec as u64)
        .put(112, 8, m.changed.nsec.into())
        .bytes();
    for &(at, term) in &m.symbols {
        bytes.overwrite(at.into(), &[rejoin_memory::Value::Term(term)].into_iter().collect());
    }
    bytes
}

/// Offset in `stat`, offset in `statx`, length: the fields that are plain copies.
const FIELDS: &[(usize, usize, usize)] = &[
    (56, 4, 4),
    (16, 16, 4),
    (28, 20, 4),
    (32, 24, 4),
    (24, 28, 2),
    (8, 32, 8),
    (48, 40, 8),
    (64, 48, 8),
    (72, 64, 8),
    (80, 72, 4),
    (104, 96, 8),
    (112, 104, 4),
    (88, 112, 8),
    (96, 120, 4),
];

/// `struct statx` with the basic fields.
pub(crate) fn statx(node: &Node, namespace: Option<(u32, u32)>) -> Bytes {
    const BASIC_STATS: u64 = 0x7ff;
    let stat = stat(node, namespace);
    let major = |dev: u64| dev >> 8 & 0xfff;
    let minor = |dev: u64| dev & 0xff | dev >> 12 & 0xff00;
    let (own, special) = (node.meta.dev, device(node));
    let mut bytes = Record::new(256)
        .put(0, 4, BASIC_STATS)
        .put(128, 4, major(special))
        .put(132, 4, minor(special))
        .put(136, 4, major(own))
        .put(140, 4, minor(own))
        .bytes();
    for &(from, to, len) in FIELDS {
        bytes.overwrite(to, &stat.slice(from, from + len));
    }
    bytes
}
