//! The arena of terms.
//!
//! A term costs 24 bytes and its slot in the hash table: a cell of 16 bytes, the id of its facts and
//! the id of its set of variables. Facts and sets are interned, because most terms share theirs.

use std::cell::RefCell;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHashMap;

use crate::byteset::ByteSet;
use crate::cell::{Cell, Tag};
use crate::eval::Evaluator;
use crate::facts::{self, Facts, KnownBits};
use crate::node::{Node, Term, Var};
use crate::quantifier::Quantifiers;
use crate::semantics::{NARROW, mask};
use crate::support::{Support, Supports};

/// The arena: makes terms, each once, and knows facts about them.
pub struct Pool {
    cells: Vec<Cell>,
    /// Per term: its facts, an index into `facts`; unused for constants, whose value says it all.
    fact_ids: Vec<u32>,
    supports: Vec<Support>,
    index: HashTable<u32>,
    facts: Vec<Facts>,
    fact_index: HashTable<u32>,
    sets: Supports,
    wide_constants: Vec<u128>,
    wide_constant_index: FxHashMap<u128, u32>,
    pub(crate) tables: Vec<Table>,
    table_index: FxHashMap<Box<[u8]>, u32>,
    pub(crate) quantifiers: Quantifiers,
    variables: Vec<Variable>,
    pub(crate) byte_sets: FxHashMap<Term, ByteSet>,
    /// Storage for `eval`, which would otherwise clear a table as long as the pool each time.
    pub(crate) evaluator: RefCell<Evaluator>,
    /// Terms that were gone over.
    pub(crate) visited: std::cell::Cell<u64>,
    pub(crate) rewriting: bool,
    /// How many rewrite rules are at work inside one another.
    pub(crate) nesting: u32,
    pub(crate) trace: Option<Vec<&'static str>>,
}

struct Variable {
    name: Box<str>,
    term: Term,
    /// Whether its value says which of several paths it is.
    chooses: bool,
}

/// The content of a constant array, with the facts that hold of each of its bytes.
pub(crate) struct Table {
    pub(crate) bytes: Box<[u8]>,
    facts: Facts,
}

const FALSE: Term = Term(0);
const TRUE: Term = Term(1);

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// An empty pool whose constructors rewrite.
    #[must_use]
    pub fn new() -> Self {
        Self::with_rewriting(true)
    }

    /// An empty pool. Without rewriting every constructor makes exactly the node it is named after
    /// (`sub`, `ne`, `ugt`… are defined by others), so that rules can be checked against it.
    #[must_use]
    pub fn with_rewriting(rewriting: bool) -> Self {
        let mut pool = Pool {
            cells: Vec::new(),
            fact_ids: Vec::new(),
            supports: Vec::new(),
            index: HashTable::new(),
            facts: Vec::new(),
            fact_index: HashTable::new(),
            sets: Supports::new(),
            wide_constants: Vec::new(),
            wide_constant_index: FxHashMap::default(),
            tables: Vec::new(),
            table_index: FxHashMap::default(),
            quantifiers: Quantifiers::default(),
            variables: Vec::new(),
            byte_sets: FxHashMap::default(),
            evaluator: RefCell::default(),
            visited: std::cell::Cell::new(0),
            rewriting,
            nesting: 0,
            trace: None,
        };
        for bits in 0..2 {
            pool.constant(1, bits);
        }
        pool
    }

    /// How many terms were gone over so far, by evaluation and by walks: what that costs, but for the clock.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited.get()
    }

    /// The outermost operator of `t`.
    #[must_use]
    pub fn node(&self, t: Term) -> Node {
        let cell = self.cells[t.index()];
        match cell.tag {
            Tag::WideConst => Node::Const(self.wide_constants[cell.a as usize]),
            _ => cell.node(),
        }
    }

    /// The width of `t` in bits; 0 for arrays.
    #[must_use]
    pub fn width(&self, t: Term) -> u32 {
        u32::from(self.cells[t.index()].width)
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Never: every pool holds the two booleans.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// About how many bytes the pool occupies.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let per_term = size_of::<Cell>() + size_of::<u32>() + size_of::<Support>();
        self.cells.capacity() * per_term
            + self.index.capacity() * 5
            + self.facts.capacity() * size_of::<Facts>()
            + self.sets.memory_bytes()
    }

    /// The constant with the low `width` bits of `bits`. Beyond 128 bits there are no constants:
    /// the result is then a zero extension of one.
    pub fn constant(&mut self, width: u32, bits: u128) -> Term {
        if width > NARROW {
            let low = self.constant(NARROW, bits);
            return self.zext(low, width);
        }
        let bits = bits & mask(width);
        let cell = if width <= 64 {
            Cell::constant(width, bits as u64)
        } else {
            let next = self.wide_constants.len() as u32;
            let id = *self.wide_constant_index.entry(bits).or_insert(next);
            if id == next {
                self.wide_constants.push(bits);
            }
            Cell::new(Tag::WideConst, width, [id, 0, 0])
        };
        self.intern(cell)
    }

    /// The constant true or false.
    pub fn bool(&mut self, b: bool) -> Term {
        if b { TRUE } else { FALSE }
    }

    /// True.
    #[must_use]
    pub fn tru(&self) -> Term {
        TRUE
    }

    /// False.
    #[must_use]
    pub fn fals(&self) -> Term {
        FALSE
    }

    /// A variable unlike all others; the name is for people.
    pub fn var(&mut self, width: u32, name: &str) -> Term {
        let v = self.variables.len() as u32;
        let term = Term(self.cells.len() as u32);
        self.variables.push(Variable { name: name.into(), term, chooses: false });
        self.intern(Cell::new(Tag::Var, width, [v, 0, 0]))
    }

    /// A fresh variable that says which of several paths it is, as k of a pattern does: diagrams look at
    /// it before they look at inputs.
    pub fn choosing_var(&mut self, width: u32, name: &str) -> Term {
        let term = self.var(width, name);
        if let Some(variable) = self.variables.last_mut() {
            variable.chooses = true;
        }
        term
    }

    /// Whether `v` was made to choose between paths, and is no input.
    #[must_use]
    pub fn chooses(&self, v: Var) -> bool {
        self.variables[v.0 as usize].chooses
    }

    /// The term that is just `v`.
    #[must_use]
    pub fn var_term(&self, v: Var) -> Term {
        self.variables[v.0 as usize].term
    }

    /// The name that `v` was made with.
    #[must_use]
    pub fn var_name(&self, v: Var) -> &str {
        &self.variables[v.0 as usize].name
    }

    /// How many variables there are; they are numbered from 0.
    #[must_use]
    pub fn var_count(&self) -> u32 {
        self.variables.len() as u32
    }

    /// The array that holds `bytes`, and zeros beyond them.
    pub fn const_array(&mut self, bytes: &[u8]) -> Term {
        let id = match self.table_index.get(bytes) {
            Some(&id) => id,
            None => {
                let id = self.tables.len() as u32;
                self.tables.push(Table { bytes: bytes.into(), facts: facts::byte_of(bytes) });
                self.table_index.insert(bytes.into(), id);
                id
            }
        };
        self.intern(Cell::new(Tag::ConstArray, 0, [id, 0, 0]))
    }

    /// The bytes of the constant array with this number.
    #[must_use]
    pub fn table(&self, id: u32) -> &[u8] {
        &self.tables[id as usize].bytes
    }

    /// The value of a constant.
    #[must_use]
    pub fn as_const(&self, t: Term) -> Option<u128> {
        let cell = &self.cells[t.index()];
        match cell.tag {
            Tag::Const => Some(cell.small_constant()),
            Tag::WideConst => Some(self.wide_constants[cell.a as usize]),
            _ => None,
        }
    }

    /// Is `t` the constant true?
    #[must_use]
    pub fn is_true(&self, t: Term) -> bool {
        t == TRUE
    }

    /// Is `t` the constant false?
    #[must_use]
    pub fn is_false(&self, t: Term) -> bool {
        t == FALSE
    }

    /// The bits of `t` that no assignment changes; none beyond 128 bits.
    #[must_use]
    pub fn known_bits(&self, t: Term) -> KnownBits {
        let facts = self.facts(t);
        let mask = mask(self.width(t));
        KnownBits { zeros: facts.known.zeros & mask, ones: facts.known.ones }
    }

    /// Bounds of `t` as an unsigned number; of no meaning beyond 128 bits.
    #[must_use]
    pub fn interval(&self, t: Term) -> (u128, u128) {
        let facts = self.facts(t);
        (facts.lo, facts.hi)
    }

    /// The variables of `t`.
    #[must_use]
    pub fn support(&self, t: Term) -> Support {
        self.supports[t.index()]
    }

    /// The variables of a set, in ascending order.
    #[must_use]
    pub fn support_vars(&self, s: Support) -> &[Var] {
        self.sets.vars(s)
    }

    /// The union of two sets of variables.
    pub fn support_union(&mut self, a: Support, b: Support) -> Support {
        self.sets.union(a, b)
    }

    /// Does the value of `t` depend, by its form, on a variable?
    #[must_use]
    pub fn has_var(&self, t: Term) -> bool {
        !self.support(t).is_empty()
    }

    pub(crate) fn facts(&self, t: Term) -> Facts {
        match self.as_const(t) {
            Some(bits) => Facts::constant(bits),
            None => self.facts[self.fact_ids[t.index()] as usize],
        }
    }

    /// The term of this cell, if it exists already.
    pub(crate) fn lookup(&self, cell: &Cell) -> Option<Term> {
        self.index.find(cell.hash(), |&id| self.cells[id as usize] == *cell).map(|&id| Term(id))
    }

    /// The term of this cell. With rewriting, a term that can have only one value is that constant.
    pub(crate) fn intern(&mut self, cell: Cell) -> Term {
        match self.lookup(&cell) {
            Some(t) => t,
            None => self.insert(cell),
        }
    }

    /// As `intern`, for a cell that is known not to be there.
    pub(crate) fn insert(&mut self, cell: Cell) -> Term {
        let facts = self.facts_of(&cell);
        let constant = matches!(cell.tag, Tag::Const | Tag::WideConst);
        let width = u32::from(cell.width);
        if self.rewriting
            && !constant
            && (1..=NARROW).contains(&width)
            && let Some(bits) = facts.value()
        {
            return self.constant(width, bits);
        }
        let id = self.cells.len() as u32;
        let support = self.support_of(&cell);
        self.mark_quantified(&cell, Term(id));
        let fact_id = if constant { 0 } else { self.intern_facts(facts) };
        let Pool { cells, index, .. } = self;
        index.insert_unique(cell.hash(), id, |&id| cells[id as usize].hash());
        self.cells.push(cell);
        self.fact_ids.push(fact_id);
        self.supports.push(support);
        Term(id)
    }

    fn intern_facts(&mut self, facts: Facts) -> u32 {
        let hash = |facts: &Facts| std::hash::BuildHasher::hash_one(&rustc_hash::FxBuildHasher, facts);
        let Pool { facts: all, fact_index, .. } = self;
        let entry =
            fact_index.entry(hash(&facts), |&i| all[i as usize] == facts, |&i| hash(&all[i as usize]));
        match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(slot) => {
                let id = all.len() as u32;
                slot.insert(id);
                all.push(facts);
                id
            }
        }
    }

    /// The set of these variables.
    pub(crate) fn intern_support(&mut self, vars: &[Var]) -> Support {
        self.sets.intern(vars)
    }

    fn support_of(&mut self, cell: &Cell) -> Support {
        let node = match cell.tag {
            Tag::WideConst => return Support::EMPTY,
            _ => cell.node(),
        };
        match node {
            Node::Var(v) => return self.sets.singleton(v),
            Node::Inputs(id) => return self.support_of_inputs(id),
            Node::Forall(i, k, body) => return self.support_of_forall(i, k, body),
            _ => {}
        }
        let mut support = Support::EMPTY;
        for operand in node.operands() {
            support = self.sets.union(support, self.supports[operand.index()]);
        }
        support
    }

    fn facts_of(&self, cell: &Cell) -> Facts {
        let width = u32::from(cell.width);
        let of = |t: Term| self.facts(t);
        let node = match cell.tag {
            Tag::WideConst => return Facts::unknown(width),
            _ => cell.node(),
        };
        let widest = node.operands().map(|t| self.width(t)).fold(width, u32::max);
        if widest > NARROW {
            return Facts::unknown(width);
        }
        match node {
            Node::Unary(op, a) => facts::unary(op, width, of(a)),
            Node::Binary(op, a, b) => facts::binary(op, self.width(a), of(a), of(b)),
            Node::Ite(c, a, b) if width > 0 => facts::ite(of(c), of(a), of(b)),
            Node::Concat(hi, lo) => facts::concat(width, self.width(lo), of(hi), of(lo)),
            Node::Extract(t, lo) => facts::extract(width, lo, of(t)),
            Node::ZExt(t) => of(t),
            Node::SExt(t) => facts::sext(self.width(t), width, of(t)),
            Node::Select(array, _) => match self.node(array) {
                Node::ConstArray(id) => self.tables[id as usize].facts,
                _ => Facts::unknown(width),
            },
            Node::Const(_)
            | Node::Var(_)
            | Node::Ite(..)
            | Node::ConstArray(_)
            | Node::Inputs(_)
            | Node::Store(..)
            | Node::Forall(..) => Facts::unknown(width),
        }
    }
}
