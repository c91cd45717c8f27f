//! Two worlds into one, exactly, or not at all.

use crate::fs::Fs;
use crate::node::{Kind, Node, Stream};
use crate::os::Os;
use rejoin_expr::Term;
use rejoin_memory::{Table, Value};
use std::rc::Rc;

/// How two bytes become one: the first where the condition holds, the second elsewhere.
type Pick<'a> = &'a mut dyn FnMut(Value, Value) -> Value;

impl Os {
    /// Whether [`Os::merge`] makes one of the two.
    #[must_use]
    pub fn fits(&self, other: &Os) -> bool {
        let same_process = Rc::ptr_eq(&self.process, &other.process) || self.process == other.process;
        same_process
            && self.standard == other.standard
            && same(&self.files.descriptors, &other.files.descriptors)
            && same(&self.files.opens, &other.files.opens)
            && same_host(&self.fs, &other.fs)
            && fs_pairs(&self.fs, &other.fs).is_some()
    }

    /// The world that is `self` where `condition` holds and `other` elsewhere.
    ///
    /// Bytes of files and pipes are merged by `pick`, outputs of streams by keeping both under the
    /// condition. Clock and randomness go on from the later of the two: the program cannot know
    /// which values are to come. Everything else (names, sizes, positions, descriptors, signals, …)
    /// has to be equal; otherwise the answer is `None` and the two are to be kept apart.
    #[must_use]
    pub fn merge(&self, other: &Os, condition: Term, pick: Pick) -> Option<Os> {
        if !self.fits(other) {
            return None;
        }
        let mut merged = self.clone();
        merged.fs = merge_fs(&self.fs, &other.fs, condition, pick)?;
        merged.clock = self.clock.max(other.clock);
        merged.random = self.random.max(other.random);
        Some(merged)
    }
}

fn same<T: Clone + PartialEq>(a: &Table<T>, b: &Table<T>) -> bool {
    let mut equal = true;
    a.diff(b, &mut |_, a, b| equal &= a == b);
    equal
}

fn same_host(a: &Fs, b: &Fs) -> bool {
    match (&a.host, &b.host) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// The number of a node, and the node in two file systems.
type Pair = (u32, Rc<Node>, Rc<Node>);

/// The nodes in which two file systems differ, if each pair can become one.
fn fs_pairs(a: &Fs, b: &Fs) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    let mut fit = true;
    a.nodes.diff(&b.nodes, &mut |i, a, b| match (a, b) {
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
        (Some(a), Some(b)) if fits(a, b) => pairs.push((i, a.clone(), b.clone())),
        _ => fit = false,
    });
    fit.then_some(pairs)
}

fn merge_fs(a: &Fs, b: &Fs, condition: Term, pick: Pick) -> Option<Fs> {
    let mut merged = a.clone();
    for (i, a, b) in fs_pairs(a, b)? {
        let kind = merge_kind(&a.kind, &b.kind, condition, pick)?;
        merged.nodes.insert(i, Rc::new(Node { meta: a.meta.clone(), kind }));
    }
    Some(merged)
}

/// Whether two nodes differ in nothing but bytes and output.
fn fits(a: &Node, b: &Node) -> bool {
    a.meta == b.meta
        && match (&a.kind, &b.kind) {
            (Kind::File(a), Kind::File(b)) => a.len() == b.len(),
            (Kind::HostFile(a), Kind::HostFile(b)) => a == b,
            (Kind::Dir(a), Kind::Dir(b)) => a == b,
            (Kind::Link(a), Kind::Link(b)) => a == b,
            (Kind::Pipe(a), Kind::Pipe(b)) => a.len() == b.len(),
            (Kind::Stream(a), Kind::Stream(b)) => {
                (a.terminal, a.taken, a.input.len()) == (b.terminal, b.taken, b.input.len())
            }
            (Kind::Device(a), Kind::Device(b)) => a == b,
            _ => false,
        }
}

fn merge_kind(a: &Kind, b: &Kind, condition: Term, pick: Pick) -> Option<Kind> {
    Some(match (a, b) {
        (Kind::File(a), Kind::File(b)) => Kind::File(a.merge(b, pick)?),
        (Kind::Pipe(a), Kind::Pipe(b)) => Kind::Pipe(a.merge(b, pick)),
        (Kind::Stream(a), Kind::Stream(b)) => Kind::Stream(Stream {
            terminal: a.terminal,
            taken: a.taken,
            input: a.input.merge(&b.input, pick)?,
            output: a.output.merge(&b.output, condition),
        }),
        _ => a.clone(),
    })
}
