//! Finding entries of a module's tables by content.

use crate::{Const, ConstId, FileId, FuncId, GlobalId, Loc, LocId, Module, TextId};
use std::collections::HashMap;

/// What a symbol names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Function(FuncId),
    Global(GlobalId),
}

/// Maps contents of the module's tables to their first entry. The maps are only ever asked, never
/// iterated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    consts: HashMap<Const, Vec<u32>>,
    locs: HashMap<Loc, LocId>,
    files: HashMap<String, FileId>,
    texts: HashMap<String, TextId>,
    symbols: HashMap<String, Symbol>,
}

impl Index {
    pub(crate) fn new(m: &Module) -> Self {
        let mut index = Index::default();
        for (i, &c) in m.consts.iter().enumerate() {
            index.consts.entry(c).or_default().push(i as u32);
        }
        for (i, &loc) in m.locs.iter().enumerate() {
            index.locs.entry(loc).or_insert(LocId(i as u32));
        }
        for (i, file) in m.files.iter().enumerate() {
            index.files.entry(file.clone()).or_insert(FileId(i as u32));
        }
        for (i, text) in m.texts.iter().enumerate() {
            index.texts.entry(text.clone()).or_insert(TextId(i as u32));
        }
        for (i, f) in m.functions.iter().enumerate() {
            index.name(&f.name, Symbol::Function(FuncId(i as u32)));
        }
        for (i, g) in m.globals.iter().enumerate() {
            index.name(&g.name, Symbol::Global(GlobalId(i as u32)));
        }
        index
    }

    /// Names `symbol`, unless the name is taken: functions come before globals.
    pub(crate) fn name(&mut self, name: &str, symbol: Symbol) {
        self.symbols.entry(name.to_owned()).or_insert(symbol);
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    pub(crate) fn text(&self, text: &str) -> Option<TextId> {
        self.texts.get(text).copied()
    }

    pub(crate) fn loc(&self, loc: Loc) -> Option<LocId> {
        self.locs.get(&loc).copied()
    }

    /// The first run of entries with these words.
    pub(crate) fn constant(&self, m: &Module, words: &[Const]) -> Option<ConstId> {
        let starts = self.consts.get(words.first()?)?;
        starts.iter().find(|&&s| m.consts[s as usize..].starts_with(words)).map(|&s| ConstId(s))
    }

    pub(crate) fn push_const(&mut self, m: &mut Module, word: Const) -> ConstId {
        let id = m.consts.len() as u32;
        self.consts.entry(word).or_default().push(id);
        m.consts.push(word);
        ConstId(id)
    }

    pub(crate) fn push_loc(&mut self, m: &mut Module, loc: Loc) -> LocId {
        let id = LocId(m.locs.len() as u32);
        self.locs.entry(loc).or_insert(id);
        m.locs.push(loc);
        id
    }

    pub(crate) fn push_text(&mut self, m: &mut Module, text: String) -> TextId {
        let id = TextId(m.texts.len() as u32);
        self.texts.entry(text.clone()).or_insert(id);
        m.texts.push(text);
        id
    }

    pub(crate) fn push_file(&mut self, m: &mut Module, file: String) -> FileId {
        let id = FileId(m.files.len() as u32);
        self.files.entry(file.clone()).or_insert(id);
        m.files.push(file);
        id
    }

    pub(crate) fn intern_const(&mut self, m: &mut Module, words: &[Const]) -> ConstId {
        if let Some(id) = self.constant(m, words) {
            return id;
        }
        let id = ConstId(m.consts.len() as u32);
        for &word in words {
            self.push_const(m, word);
        }
        id
    }

    pub(crate) fn intern_loc(&mut self, m: &mut Module, loc: Loc) -> LocId {
        self.loc(loc).unwrap_or_else(|| self.push_loc(m, loc))
    }

    pub(crate) fn intern_text(&mut self, m: &mut Module, text: &str) -> TextId {
        self.text(text).unwrap_or_else(|| self.push_text(m, text.to_owned()))
    }

    pub(crate) fn intern_file(&mut self, m: &mut Module, file: &str) -> FileId {
        match self.files.get(file) {
            Some(&id) => id,
            None => self.push_file(m, file.to_owned()),
        }
    }
}
