//! Frames and the call stack.

use rejoin_expr::{Pool, Term};
use rejoin_ir::{BlockId, FuncId, Reg};
use rejoin_memory::{ObjectId, Value};
use std::rc::Rc;

/// One activation of a function.
///
/// A slot holds bits, or the number of a term if its mark is set; a value wider than 64 bits that
/// is a term has it in its first slot. The marks are a bitmap behind the slots.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub func: FuncId,
    /// The next instruction; in a caller, the call it waits for.
    pub pc: u32,
    /// The call context, for names of objects.
    pub context: u32,
    /// Some slot may hold a term.
    pub any_symbolic: bool,
    /// On return to this frame no call is completed: it goes on at `pc`.
    pub resume: bool,
    /// Iterations of the loops that are open, by header; kept under `--max-loop` only.
    pub loops: Vec<(BlockId, u32)>,
    /// Iterations of the open loops, outermost first; kept for merging only.
    pub iterations: Vec<u32>,
    /// The state forked in this activation or in what it called.
    pub forked: bool,
    /// A loop has gone round more often than allowed: the path ends here.
    pub is_cut: bool,
    /// Objects that die with the frame.
    pub locals: Vec<ObjectId>,
    /// Variadic arguments.
    pub variadic: Option<Rc<[Variadic]>>,
    slots: Vec<u64>,
    count: u32,
}

/// A variadic argument: bytes as they lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variadic {
    /// Alignment in the argument area.
    pub align: u64,
    /// The bytes, in pieces.
    pub pieces: Vec<(u32, Value)>,
}

impl Frame {
    /// A frame of `count` slots at the start of `func`.
    #[must_use]
    pub fn new(func: FuncId, count: u32, context: u32) -> Self {
        let slots = vec![0; count as usize + (count as usize).div_ceil(64)];
        Frame {
            func,
            pc: 0,
            context,
            any_symbolic: false,
            resume: false,
            loops: Vec::new(),
            iterations: Vec::new(),
            forked: false,
            is_cut: false,
            locals: Vec::new(),
            variadic: None,
            slots,
            count,
        }
    }

    /// The same activation, with nothing in its slots.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        Frame { any_symbolic: false, slots: vec![0; self.slots.len()], ..self.clone() }
    }

    /// The slot's content.
    #[inline]
    #[must_use]
    pub fn word(&self, r: Reg) -> u64 {
        self.slots[r.index()]
    }

    /// Whether the slot holds a term.
    #[inline]
    #[must_use]
    pub fn is_symbolic(&self, r: Reg) -> bool {
        self.any_symbolic && self.slots[(self.count + r.0 / 64) as usize] >> (r.0 % 64) & 1 != 0
    }

    /// The slots, for code that knows that none of them holds a term.
    #[inline]
    pub(crate) fn words(&mut self) -> &mut [u64] {
        debug_assert!(!self.any_symbolic);
        &mut self.slots
    }

    /// Puts bits of at most 64.
    #[inline]
    pub fn set_word(&mut self, r: Reg, bits: u64) {
        self.slots[r.index()] = bits;
        if self.any_symbolic {
            self.slots[(self.count + r.0 / 64) as usize] &= !(1 << (r.0 % 64));
        }
    }

    /// Puts bits of any width up to 128.
    pub fn set_bits(&mut self, r: Reg, w: u16, bits: u128) {
        self.set_word(r, bits as u64);
        if w > 64 {
            self.set_word(Reg(r.0 + 1), (bits >> 64) as u64);
        }
    }

    /// Puts a term.
    pub fn set_term(&mut self, r: Reg, t: Term) {
        self.slots[r.index()] = u64::from(t.raw());
        self.slots[(self.count + r.0 / 64) as usize] |= 1 << (r.0 % 64);
        self.any_symbolic = true;
    }

    /// Puts a value of width `w`.
    pub fn set(&mut self, r: Reg, w: u16, v: Value) {
        match v {
            Value::Bits(b) => self.set_bits(r, w, b),
            Value::Term(t) => self.set_term(r, t),
        }
    }

    /// Puts the image of each term in its place.
    pub(crate) fn map_terms(&mut self, pool: &mut Pool, image: &mut dyn FnMut(&mut Pool, Term) -> Term) {
        for r in (0..self.count).map(Reg) {
            if !self.is_symbolic(r) {
                continue;
            }
            let t = Term::from_raw(self.word(r) as u32);
            let new = image(pool, t);
            match pool.as_const(new) {
                Some(bits) => self.set_bits(r, pool.width(new) as u16, bits),
                None => self.set_term(r, new),
            }
        }
    }

    /// The value of width `w` at `r`.
    #[must_use]
    pub fn get(&self, r: Reg, w: u16) -> Value {
        if self.is_symbolic(r) {
            Value::Term(Term::from_raw(self.word(r) as u32))
        } else if w > 64 {
            Value::Bits(u128::from(self.word(r)) | u128::from(self.word(Reg(r.0 + 1))) << 64)
        } else {
            Value::Bits(u128::from(self.word(r)))
        }
    }
}

/// The frames below the running one, shared between states.
#[derive(Clone, Debug, Default)]
pub struct Callers(Option<Rc<Link>>);

#[derive(Clone, Debug)]
struct Link {
    frame: Frame,
    below: Callers,
    depth: u32,
}

impl Callers {
    /// How many frames.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |l| l.depth)
    }

    /// Puts a frame on top.
    pub fn push(&mut self, frame: Frame) {
        let depth = self.depth() + 1;
        let below = std::mem::take(self);
        *self = Callers(Some(Rc::new(Link { frame, below, depth })));
    }

    /// Takes the top frame.
    pub fn pop(&mut self) -> Option<Frame> {
        let link = self.0.take()?;
        let link = Rc::try_unwrap(link).unwrap_or_else(|shared| (*shared).clone());
        *self = link.below;
        Some(link.frame)
    }

    /// The frames of two stacks of one depth, from the top down, until they are the very same.
    pub fn pairs<'a>(&'a self, other: &'a Callers) -> impl Iterator<Item = (&'a Frame, &'a Frame)> {
        let apart = |p: (&'a Callers, &'a Callers)| match (&p.0.0, &p.1.0) {
            (Some(x), Some(y)) if !Rc::ptr_eq(x, y) => Some((&**x, &**y)),
            _ => None,
        };
        std::iter::successors(apart((self, other)), move |(x, y)| apart((&x.below, &y.below)))
            .map(|(x, y)| (&x.frame, &y.frame))
    }

    /// All but the top frame.
    #[must_use]
    pub fn below(&self) -> Callers {
        self.0.as_ref().map_or_else(Callers::default, |l| l.below.clone())
    }

    /// The frames from the top down.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.0.as_deref(), |l| l.below.0.as_deref()).map(|l| &l.frame)
    }
}

impl Drop for Callers {
    /// Unlinks iteratively: a deep stack must not overflow ours.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut link) => next = link.below.0.take(),
                Err(_) => break,
            }
        }
    }
}
