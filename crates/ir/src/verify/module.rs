//! Invariants 1 to 5: symbols, references and globals.

use super::{Report, Rule};
use crate::{Address, Const, FuncId, Global, LocId, Module};
use std::collections::HashSet;

pub(super) fn check(m: &Module, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    let functions = m.functions.iter().map(|f| &f.name);
    for name in functions.chain(m.globals.iter().map(|g| &g.name)).filter(|name| !name.is_empty()) {
        report.check(seen.insert(name), Rule::Symbols, None, || format!("two symbols are named @{name}"));
    }
    for (i, loc) in m.locs.iter().enumerate() {
        report.check(loc.file.index() < m.files.len(), Rule::ModuleReferences, None, || {
            format!("location {i} names file {}", loc.file.0)
        });
    }
    for (i, word) in m.consts.iter().enumerate() {
        if let Const::Address(address) = word {
            let holds = exists(m, *address);
            report.check(holds, Rule::ModuleReferences, None, || format!("constant {i} is {address:?}"));
        }
    }
    for &FuncId(f) in m.constructors.iter().chain(&m.destructors) {
        report.check((f as usize) < m.functions.len(), Rule::ModuleReferences, None, || {
            format!("constructor or destructor {f} is no function")
        });
    }
    for global in &m.globals {
        check_global(m, global, report);
    }
}

fn check_global(m: &Module, g: &Global, report: &mut Report<'_>) {
    report.check(loc_exists(m, g.loc), Rule::ModuleReferences, None, || {
        format!("global @{} is at location {}", g.name, g.loc.0)
    });
    report.check(g.align.is_power_of_two(), Rule::GlobalAlignment, None, || {
        format!("global @{} has alignment {}", g.name, g.align)
    });
    let Some(init) = &g.init else { return };
    report.check(init.bytes.len() as u64 <= g.size, Rule::InitialContent, None, || {
        format!("global @{} has {} bytes, its content {}", g.name, g.size, init.bytes.len())
    });
    let mut free = 0;
    for reloc in &init.relocs {
        let end = reloc.offset.saturating_add(8);
        report.check(reloc.offset >= free && end <= g.size, Rule::InitialAddresses, None, || {
            format!("global @{} has an address at {}", g.name, reloc.offset)
        });
        report.check(exists(m, reloc.address), Rule::ModuleReferences, None, || {
            format!("global @{} holds {:?}", g.name, reloc.address)
        });
        free = end;
    }
}

pub(super) fn loc_exists(m: &Module, loc: LocId) -> bool {
    loc == LocId::NONE || loc.index() < m.locs.len()
}

fn exists(m: &Module, address: Address) -> bool {
    match address {
        Address::Global(g, _) => g.index() < m.globals.len(),
        Address::Function(f, _) => f.index() < m.functions.len(),
        Address::Block(f, b) => m.functions.get(f.index()).is_some_and(|f| b.index() < f.blocks.len()),
    }
}
