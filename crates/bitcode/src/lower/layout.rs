//! How values of an LLVM type fall apart into scalars, and where those are in memory.

use super::{Gap, Program};
use crate::llvm::{Ty, TyKind};
use rejoin_ir::Type;
use std::rc::Rc;

/// Integers wider than this are not lowered.
const MAX_WIDTH: u32 = 8192;

/// Values with more scalars than this are not lowered.
const MAX_LEAVES: usize = 1 << 16;

/// The scalars of a type.
#[derive(Default)]
pub(super) struct Layout {
    /// All scalars, in order.
    pub(super) leaves: Vec<Type>,
    /// How they are loaded and stored.
    pub(super) pieces: Vec<Piece>,
}

/// What one load or store moves.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Where it begins.
    pub(super) offset: u64,
    /// The type of a leaf.
    pub(super) ty: Type,
    /// How many leaves: more than one for vectors whose elements are not whole bytes, which
    /// lie in memory as one integer.
    pub(super) lanes: u32,
}

impl Piece {
    /// Bits in memory.
    pub(super) fn bits(self) -> u32 {
        u32::from(self.ty.bits()) * self.lanes
    }
}

impl Program {
    /// The scalars of a type; of `void`: none.
    pub(super) fn layout(&mut self, ty: Ty) -> Result<Rc<Layout>, Gap> {
        if let Some(layout) = self.layouts.get(&ty) {
            return Ok(layout.clone());
        }
        let mut layout = Layout::default();
        self.collect(ty, 0, &mut layout)?;
        let layout = Rc::new(layout);
        self.layouts.insert(ty, layout.clone());
        Ok(layout)
    }

    fn collect(&self, ty: Ty, offset: u64, into: &mut Layout) -> Result<(), Gap> {
        match ty.kind() {
            TyKind::Void => {}
            TyKind::Struct => {
                for i in 0..ty.len() as u32 {
                    self.collect(ty.field(i), offset + self.data.offset(ty, i), into)?;
                }
            }
            TyKind::Array => {
                let stride = self.data.size(ty.element());
                for i in 0..ty.len() {
                    self.collect(ty.element(), offset + i * stride, into)?;
                }
            }
            TyKind::Vector => collect_vector(ty, offset, into)?,
            _ => {
                let ty = scalar(ty)?;
                into.leaves.push(ty);
                into.pieces.push(Piece { offset, ty, lanes: 1 });
            }
        }
        if into.leaves.len() > MAX_LEAVES {
            return Err("a value of more than 65536 scalars".into());
        }
        Ok(())
    }

    /// How many leaves come before the one that `indices` lead to, and its type.
    pub(super) fn leaf_position(&mut self, mut ty: Ty, indices: &[u32]) -> Result<(usize, Ty), Gap> {
        let mut position = 0;
        for &index in indices {
            if let TyKind::Struct = ty.kind() {
                for i in 0..index {
                    position += self.layout(ty.field(i))?.leaves.len();
                }
                ty = ty.field(index);
            } else {
                ty = ty.element();
                position += self.layout(ty)?.leaves.len() * index as usize;
            }
        }
        Ok((position, ty))
    }

    /// The only scalar of a type, or the one of a vector's elements.
    pub(super) fn lane(&mut self, ty: Ty) -> Result<Type, Gap> {
        self.layout(ty)?.leaves.first().copied().ok_or_else(|| "a value without scalars".into())
    }
}

fn collect_vector(ty: Ty, offset: u64, into: &mut Layout) -> Result<(), Gap> {
    let element = scalar(ty.element())?;
    let (bits, len) = (u64::from(element.bits()), ty.len());
    into.leaves.extend((0..len).map(|_| element));
    if bits.is_multiple_of(8) {
        let pieces = (0..len).map(|i| Piece { offset: offset + i * bits / 8, ty: element, lanes: 1 });
        into.pieces.extend(pieces);
    } else if bits * len <= u64::from(MAX_WIDTH) {
        into.pieces.push(Piece { offset, ty: element, lanes: len as u32 });
    } else {
        return Err(format!("the type {ty}").into());
    }
    Ok(())
}

/// The scalar type that an LLVM type is.
fn scalar(ty: Ty) -> Result<Type, Gap> {
    match ty.kind() {
        TyKind::Int(w) if w <= MAX_WIDTH => Ok(Type::Int(w as u16)),
        TyKind::Float(f) => Ok(Type::Float(f)),
        TyKind::Pointer(0) => Ok(Type::Ptr),
        _ => Err(format!("the type {ty}").into()),
    }
}
