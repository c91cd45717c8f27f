//! Global variables, their initial contents, constructors and destructors.

use super::constants::Scalar;
use super::{Gap, Program};
use crate::llvm::{Module, TyKind, Value, ValueKind};
use llvm_sys::LLVMLinkage;
use rejoin_ir::{Address, FuncId, Global, GlobalId, Init, Reloc};

impl Program {
    /// Enters all variables, then fills them: their contents may name each other.
    pub(super) fn lower_globals(&mut self, module: Module) {
        let mut defined = Vec::new();
        let (mut constructors, mut destructors) = (None, None);
        for value in module.globals() {
            let name = value.name();
            match name.as_str() {
                "llvm.global_ctors" => constructors = value.initializer(),
                "llvm.global_dtors" => destructors = value.initializer(),
                _ if name.starts_with("llvm.") || value.section() == "llvm.metadata" => {}
                _ => defined.push((self.enter_global(value, name), value)),
            }
        }
        for (id, value) in defined {
            if let Some(initializer) = value.initializer() {
                // Contents that cannot be written down leave a declaration, whose use is a gap.
                self.ir.globals[id.index()].init = self.contents(initializer).ok();
            }
        }
        self.ir.constructors = constructors.map_or_else(Vec::new, |list| self.by_priority(list, false));
        self.ir.destructors = destructors.map_or_else(Vec::new, |list| self.by_priority(list, true));
    }

    fn enter_global(&mut self, value: Value, name: String) -> GlobalId {
        let id = GlobalId(self.ir.globals.len() as u32);
        let ty = value.content_ty();
        let (size, natural) = if ty.is_sized() { (self.data.size(ty), self.data.align(ty)) } else { (0, 1) };
        let loc = self.global_loc(value);
        self.ir.globals.push(Global {
            name,
            size,
            align: if value.align() == 0 { natural } else { value.align() },
            constant: value.is_global_constant(),
            weak: value.linkage() == LLVMLinkage::LLVMExternalWeakLinkage,
            init: None,
            loc,
        });
        self.globals.insert(value, id);
        id
    }

    fn contents(&mut self, initializer: Value) -> Result<Init, Gap> {
        let mut init = Init::default();
        self.write(initializer, 0, &mut init)?;
        init.relocs.sort_by_key(|r| r.offset);
        Ok(init)
    }

    /// Writes a constant at an offset.
    fn write(&mut self, c: Value, offset: u64, init: &mut Init) -> Result<(), Gap> {
        let ty = c.ty();
        match (c.kind(), ty.kind()) {
            (ValueKind::Undef | ValueKind::Zero, _) => Ok(()),
            (ValueKind::DataArray, _) => {
                put(init, offset, &c.raw_data());
                Ok(())
            }
            (_, TyKind::Struct) => {
                for i in 0..ty.len() as u32 {
                    let field = c.element(i).ok_or("an unknown kind of constant")?;
                    self.write(field, offset + self.data.offset(ty, i), init)?;
                }
                Ok(())
            }
            (_, TyKind::Array) => {
                let stride = self.data.size(ty.element());
                for i in 0..ty.len() {
                    let element = c.element(i as u32).ok_or("an unknown kind of constant")?;
                    self.write(element, offset + i * stride, init)?;
                }
                Ok(())
            }
            _ => self.write_leaves(c, offset, init),
        }
    }

    /// Writes a scalar or a vector.
    fn write_leaves(&mut self, c: Value, offset: u64, init: &mut Init) -> Result<(), Gap> {
        let layout = self.layout(c.ty())?;
        let mut leaves = Vec::new();
        self.leaves_of(c, &mut leaves)?;
        let mut leaves = leaves.into_iter();
        for piece in &layout.pieces {
            let at = offset + piece.offset;
            let mut packed = vec![0u8; piece.bits().div_ceil(8) as usize];
            for (lane, (scalar, ty)) in leaves.by_ref().take(piece.lanes as usize).enumerate() {
                match scalar {
                    Scalar::Undef => {}
                    Scalar::Bits(b) => pack(&mut packed, lane, ty.bits(), &[b]),
                    Scalar::Wide(words) => pack(&mut packed, lane, ty.bits(), &words),
                    Scalar::Address(address) if ty.bits() == 64 => {
                        init.relocs.push(Reloc { offset: at, address });
                    }
                    Scalar::Address(_) => return Err("an address that is cut short".into()),
                }
            }
            put(init, at, &packed);
        }
        Ok(())
    }

    /// The functions of a list of constructors or destructors.
    fn by_priority(&mut self, list: Value, highest_first: bool) -> Vec<FuncId> {
        let mut found = Vec::new();
        for entry in (0..list.ty().len() as u32).filter_map(|i| list.element(i)) {
            let (Some(priority), Some(function)) = (entry.element(0), entry.element(1)) else { continue };
            if let Ok(Scalar::Address(Address::Function(id, 0))) = self.scalar(function) {
                found.push((priority.int_low(), id));
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        if highest_first {
            found.reverse();
        }
        found.into_iter().map(|(_, id)| id).collect()
    }
}

/// Puts the bits of one lane into the bytes of a piece.
fn pack(bytes: &mut [u8], lane: usize, w: u16, words: &[u64]) {
    let w = usize::from(w);
    for bit in 0..w {
        if words[bit / 64] >> (bit % 64) & 1 == 1 {
            let at = lane * w + bit;
            bytes[at / 8] |= 1 << (at % 8);
        }
    }
}

/// Writes bytes; trailing zeros need no room.
fn put(init: &mut Init, offset: u64, bytes: &[u8]) {
    let used = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    let start = offset as usize;
    if used == 0 {
        return;
    }
    if init.bytes.len() < start + used {
        init.bytes.resize(start + used, 0);
    }
    init.bytes[start..start + used].copy_from_slice(&bytes[..used]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_packed_from_the_lowest_bit() {
        let mut bytes = [0u8; 2];
        for (lane, value) in [1u64, 2, 3, 4].into_iter().enumerate() {
            pack(&mut bytes, lane, 4, &[value]);
        }
        assert_eq!(bytes, [0x21, 0x43]);
    }

    #[test]
    fn trailing_zeros_are_not_stored() {
        let mut init = Init::default();
        put(&mut init, 4, &[1, 0, 2, 0, 0]);
        put(&mut init, 100, &[0; 8]);
        assert_eq!(init.bytes, [0, 0, 0, 0, 1, 0, 2]);
    }
}
