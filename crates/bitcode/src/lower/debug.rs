//! Source locations and variables.

use super::Program;
use super::function::Body;
use crate::llvm::{DebugRecord, Metadata, Value, ValueKind};
use llvm_sys::{LLVMDbgRecordKind, LLVMOpcode};
use rejoin_ir::{DebugVar, DebugVarPlace, FileId, Loc, LocId, TextId};
use rustc_hash::FxHashMap;
use std::path::{Component, Path, PathBuf};

/// What has been looked up already: LLVM shares its nodes, and so do we.
#[derive(Default)]
pub(super) struct Tables {
    by_node: FxHashMap<Metadata, LocId>,
    by_place: FxHashMap<Loc, LocId>,
    files_by_node: FxHashMap<Metadata, FileId>,
    files: FxHashMap<String, FileId>,
    variables: FxHashMap<Metadata, (TextId, u32)>,
    plain: FxHashMap<Metadata, bool>,
}

impl Program {
    /// The location of an instruction.
    pub(super) fn loc(&mut self, node: Option<Metadata>) -> LocId {
        let Some(node) = node else { return LocId::NONE };
        if let Some(&id) = self.debug.by_node.get(&node) {
            return id;
        }
        let (line, col, scope) = node.location();
        let id = self.place(scope.and_then(Metadata::scope_file), line, col);
        self.debug.by_node.insert(node, id);
        id
    }

    pub(super) fn function_loc(&mut self, function: Value) -> LocId {
        match function.subprogram() {
            Some(s) => self.place(s.scope_file(), s.subprogram_line(), 0),
            None => LocId::NONE,
        }
    }

    pub(super) fn global_loc(&mut self, global: Value) -> LocId {
        match global.global_debug() {
            Some(v) => self.place(v.variable_file(), v.variable_line(), 0),
            None => LocId::NONE,
        }
    }

    fn place(&mut self, file: Option<Metadata>, line: u32, col: u32) -> LocId {
        let Some(file) = file else { return LocId::NONE };
        let loc = Loc { file: self.file(file), line, col };
        *self.debug.by_place.entry(loc).or_insert_with(|| {
            self.ir.locs.push(loc);
            LocId(self.ir.locs.len() as u32 - 1)
        })
    }

    fn file(&mut self, node: Metadata) -> FileId {
        if let Some(&id) = self.debug.files_by_node.get(&node) {
            return id;
        }
        let (directory, name) = node.file_path();
        let path = normalize(&Path::new(&directory).join(name));
        let files = &mut self.ir.files;
        let id = *self.debug.files.entry(path).or_insert_with_key(|path| {
            files.push(path.clone());
            FileId(files.len() as u32 - 1)
        });
        self.debug.files_by_node.insert(node, id);
        id
    }

    fn variable(&mut self, node: Metadata, near: Value) -> (TextId, u32) {
        if let Some(&known) = self.debug.variables.get(&node) {
            return known;
        }
        let name = node.variable_name(near);
        let known = (self.text(&name), node.variable_line());
        self.debug.variables.insert(node, known);
        known
    }
}

impl Body<'_> {
    /// Notes the source variables that the records in front of an instruction tell of.
    pub(super) fn note_variables(&mut self, instruction: Value) {
        for record in instruction.debug_records() {
            if let Some(var) = self.debug_variable(record) {
                self.add_variable(var);
            }
        }
    }

    fn debug_variable(&mut self, record: DebugRecord) -> Option<DebugVar> {
        let kind = record.kind();
        if kind == LLVMDbgRecordKind::LLVMDbgRecordLabel {
            return None;
        }
        let value = record.value()?;
        let expression = record.expression()?;
        let plain = &mut self.p.debug.plain;
        if !*plain.entry(expression).or_insert_with(|| expression.is_plain_expression(value)) {
            return None;
        }
        let reg = self.known_register(value)?;
        let place = match kind {
            LLVMDbgRecordKind::LLVMDbgRecordDeclare => DebugVarPlace::Object(reg),
            _ => DebugVarPlace::Value(reg),
        };
        let (name, line) = self.p.variable(record.variable()?, value);
        Some(DebugVar { name, place, line })
    }

    fn add_variable(&mut self, var: DebugVar) {
        if self.variables_seen.insert((var.name.0, place_key(var.place))) {
            self.f.debug_vars.push(var);
        }
    }

    /// In code without debug information: the names of parameters, allocas and phis.
    pub(super) fn note_name(&mut self, value: Value) {
        if self.has_debug_info {
            return;
        }
        let (Some(reg), name) = (self.known_register(value), value.name()) else { return };
        if name.is_empty() {
            return;
        }
        let is_alloca = value.kind() == ValueKind::Instruction && value.opcode() == LLVMOpcode::LLVMAlloca;
        let place = if is_alloca { DebugVarPlace::Object(reg) } else { DebugVarPlace::Value(reg) };
        let name = self.p.text(&name);
        self.add_variable(DebugVar { name, place, line: 0 });
    }
}

fn place_key(place: DebugVarPlace) -> (bool, u32) {
    match place {
        DebugVarPlace::Value(reg) => (false, reg.0),
        DebugVarPlace::Object(reg) => (true, reg.0),
    }
}

/// Takes `.` and `..` out of a path, without asking the file system.
fn normalize(path: &Path) -> String {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        assert_eq!(normalize(Path::new("/a/./b/../c.c")), "/a/c.c");
        assert_eq!(normalize(Path::new("../c.c")), "../c.c");
    }
}
