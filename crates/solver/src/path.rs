//! The path condition: a leaf of the fork tree, with an index of what it says of every variable.
//!
//! Conditions form a tree through their parent pointers, and a path is a pointer into it. Beside it
//! a path knows, for every variable, the exact set of bytes that the conditions on that variable
//! alone allow, and a *witness*: values that satisfy all conditions. Most questions are answered by
//! these two without a solver. A clone is a few reference counts; a condition on a byte costs a
//! further clone about 250 bytes, and so does each eighth link that a path was shortened past, which
//! keeps what was known there.

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::rc::Rc;

use rejoin_expr::{Assignment, Binary, ByteSet, Node, Pool, Term, Var};
use rustc_hash::FxHashMap;

use crate::chart::{Chart, Entry, SetId};
use crate::scratch::Scratch;

/// Values that are wider than a byte, by variable.
type Wide = Option<Rc<Vec<(Var, u128)>>>;

/// A path condition. Clones share what they have in common.
#[derive(Clone)]
pub struct Path {
    tip: Option<Rc<Link>>,
    chart: Chart,
    wide: Wide,
    root: Rc<Root>,
    standing: Standing,
}

/// How the witness stands to the conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    /// It satisfies them.
    Witnessed,
    /// Nobody has shown it values that satisfy them, but there may be some.
    Unwitnessed,
    /// They contradict each other.
    Contradiction,
}

/// One condition, below those that were assumed before it.
struct Link {
    parent: Option<Rc<Link>>,
    /// The nearest ancestor that is `joint`.
    joint_above: Option<Rc<Link>>,
    cond: Term,
    id: u32,
    depth: u32,
    /// The condition is not on one byte alone, so the chart does not cover it.
    joint: bool,
    /// What the conditions down to this one say of single bytes, if somebody has asked.
    charted: OnceCell<Box<(Chart, Standing)>>,
}

/// A path that becomes shorter leaves its chart at each link whose depth is a multiple of this.
const CHARTED: u32 = 8;

impl Drop for Link {
    /// Long paths must not be dropped by recursion.
    fn drop(&mut self) {
        // An ancestor, which the parent keeps alive: it must not be what is left of it at the end.
        self.joint_above = None;
        let mut next = self.parent.take();
        while let Some(mut link) = next.and_then(|rc| Rc::try_unwrap(rc).ok()) {
            next = link.parent.take();
        }
    }
}

/// What all paths of one fork tree share.
struct Root {
    sets: RefCell<Vec<ByteSet>>,
    set_ids: RefCell<FxHashMap<ByteSet, SetId>>,
    links: Cell<u32>,
    scratch: RefCell<Scratch>,
}

impl Root {
    fn new() -> Self {
        Root {
            sets: RefCell::new(vec![ByteSet::FULL]),
            set_ids: RefCell::new(FxHashMap::from_iter([(ByteSet::FULL, SetId(0))])),
            links: Cell::new(0),
            scratch: RefCell::default(),
        }
    }

    fn set(&self, id: SetId) -> ByteSet {
        self.sets.borrow()[usize::from(id.0)]
    }

    /// The number of a set, unless there are too many of them.
    fn intern(&self, set: ByteSet) -> Option<SetId> {
        let mut sets = self.sets.borrow_mut();
        let mut ids = self.set_ids.borrow_mut();
        if let Some(&id) = ids.get(&set) {
            return Some(id);
        }
        let id = SetId(u16::try_from(sets.len()).ok()?);
        sets.push(set);
        ids.insert(set, id);
        Some(id)
    }
}

/// Values for the variables that satisfy a path, and what was asked of it: the path's witness with
/// some values changed. A variable that no condition mentions is 0.
#[derive(Clone)]
pub struct Model {
    chart: Chart,
    wide: Wide,
    root: Rc<Root>,
    /// Sorted by variable.
    changes: Vec<(Var, u128)>,
}

fn wide_value(wide: &Wide, var: Var) -> Option<u128> {
    let wide = wide.as_ref()?;
    wide.binary_search_by_key(&var, |&(v, _)| v).ok().map(|i| wide[i].1)
}

/// The variables that may have a value other than 0, some of them twice. There are fewer than variables: names of
/// summaries have none.
fn valued(parts: [(&Chart, &Wide); 2]) -> Vec<Var> {
    let mut vars = Vec::new();
    for (chart, wide) in parts {
        chart.each_var(&mut |v| vars.push(v));
        vars.extend(wide.iter().flat_map(|w| w.iter().map(|x| x.0)));
    }
    vars
}

impl Model {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, var: Var) -> u128 {
        match self.changes.binary_search_by_key(&var, |&(v, _)| v) {
            Ok(i) => self.changes[i].1,
            Err(_) => wide_value(&self.wide, var).unwrap_or_else(|| self.chart.get(var).byte.into()),
        }
    }

    /// The values of all variables of the pool.
    #[must_use]
    pub fn assignment(&self, pool: &Pool) -> Assignment {
        (0..pool.var_count()).map(|v| (Var(v), self.get(Var(v)))).collect()
    }

    /// The value of a term.
    #[must_use]
    pub fn eval(&self, pool: &Pool, t: Term) -> u128 {
        self.root.scratch.borrow_mut().eval(pool, t, |v| self.get(v))
    }

    /// Where this differs from the witness of the path that was asked about.
    #[must_use]
    pub fn changes(&self) -> &[(Var, u128)] {
        &self.changes
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("changes", &self.changes).finish_non_exhaustive()
    }
}

impl Default for Path {
    fn default() -> Self {
        Self::new()
    }
}

impl Path {
    /// The path without conditions: the root of a new fork tree.
    #[must_use]
    pub fn new() -> Self {
        Self::below(Rc::new(Root::new()))
    }

    fn below(root: Rc<Root>) -> Self {
        Path { tip: None, chart: Chart::default(), wide: None, root, standing: Standing::Witnessed }
    }

    /// How many conditions there are.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.tip.as_ref().map_or(0, |t| t.depth as usize)
    }

    /// Is there no condition?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tip.is_none()
    }

    /// Names the last condition uniquely within the fork tree; 0 without conditions.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.tip.as_ref().map_or(0, |t| t.id)
    }

    /// The conditions, the oldest first. Their conjunction is the path condition.
    #[must_use]
    pub fn conditions(&self) -> Vec<Term> {
        self.suffix_since(0)
    }

    /// The numbers of the conditions, each unique within the fork tree, and these, the newest first.
    pub fn newest(&self) -> impl Iterator<Item = (u32, Term)> {
        self.links().map(|l| (l.id, l.cond))
    }

    /// The conditions after the first `depth`, the oldest first.
    #[must_use]
    pub fn suffix_since(&self, depth: usize) -> Vec<Term> {
        let mut suffix: Vec<Term> =
            self.links().take_while(|l| l.depth as usize > depth).map(|l| l.cond).collect();
        suffix.reverse();
        suffix
    }

    /// The numbers of the conditions after the first `depth`, the oldest first: each is unique within
    /// the fork tree.
    #[must_use]
    pub fn ids_since(&self, depth: usize) -> Vec<u32> {
        let mut ids: Vec<u32> = self.links().take_while(|l| l.depth as usize > depth).map(|l| l.id).collect();
        ids.reverse();
        ids
    }

    /// Gives a variable that no condition mentions a value in the witness.
    pub fn give(&mut self, pool: &Pool, var: Var, value: u128) {
        self.set_value(pool, var, value);
    }

    /// The depth of the lowest common ancestor: so many conditions the two paths share.
    #[must_use]
    pub fn lca(&self, other: &Path) -> usize {
        let (mut a, mut b) = (self.tip.as_ref(), other.tip.as_ref());
        while let (Some(x), Some(y)) = (a, b) {
            if Rc::ptr_eq(x, y) {
                return x.depth as usize;
            }
            if x.depth >= y.depth {
                a = x.parent.as_ref();
            }
            if y.depth >= x.depth {
                b = y.parent.as_ref();
            }
        }
        0
    }

    /// The ancestor of this depth, with this path's witness.
    #[must_use]
    pub fn prefix(&self, pool: &mut Pool, depth: usize) -> Path {
        let mut path = Path::below(self.root.clone());
        let mut links: Vec<&Rc<Link>> = Vec::new();
        for link in self.tips().skip_while(|l| l.depth as usize > depth) {
            if let Some(charted) = link.charted.get() {
                (path.chart, path.standing) = (**charted).clone();
                path.tip = Some(link.clone());
                break;
            }
            links.push(link);
        }
        for link in links.into_iter().rev() {
            path.index(pool, link.cond);
            path.tip = Some(link.clone());
            if link.depth.is_multiple_of(CHARTED) {
                link.charted.get_or_init(|| Box::new((path.chart.clone(), path.standing)));
            }
        }
        if self.standing == Standing::Witnessed {
            path.take_values(pool, self);
        }
        path
    }

    /// Values that satisfy all conditions, if some are known.
    #[must_use]
    pub fn witness(&self) -> Option<Model> {
        self.is_witnessed().then(|| self.model(Vec::new()))
    }

    /// The values of a model of another path of this tree, for this one, if they satisfy it and `cond`.
    #[must_use]
    pub fn adopt(&self, pool: &Pool, cond: Term, other: &Model) -> Option<Model> {
        let mine = self.witness()?;
        let mut vars = valued([(&mine.chart, &mine.wide), (&other.chart, &other.wide)]);
        vars.extend(other.changes.iter().map(|c| c.0));
        vars.sort_unstable();
        vars.dedup();
        let differs = |v: &Var| mine.get(*v) != other.get(*v);
        let changes = vars.into_iter().filter(differs).map(|v| (v, other.get(v))).collect();
        self.changed(pool, cond, changes)
    }

    /// The witness with these values changed, which satisfies the path: somebody knows.
    #[must_use]
    pub fn moved(&self, mut changes: Vec<(Var, u128)>) -> Option<Model> {
        changes.sort_unstable();
        self.witness().map(|m| Model { changes, ..m })
    }

    /// The witness with these values changed, if that satisfies the path and `cond`.
    #[must_use]
    pub fn changed(&self, pool: &Pool, cond: Term, mut changes: Vec<(Var, u128)>) -> Option<Model> {
        changes.sort_unstable();
        let model = self.witness().map(|m| Model { changes, ..m })?;
        let holds = |c: Term| model.eval(pool, c) != 0;
        (holds(cond) && self.links().all(|l| holds(l.cond))).then_some(model)
    }

    /// The witness's value of a term, if there is a witness.
    #[must_use]
    pub fn witness_value(&self, pool: &Pool, t: Term) -> Option<u128> {
        self.is_witnessed().then(|| self.eval(pool, t))
    }

    /// The bytes that the conditions on this variable alone allow.
    #[must_use]
    pub fn allowed(&self, var: Var) -> ByteSet {
        self.root.set(self.chart.get(var).set)
    }

    /// Is the condition false whatever the variables are?
    #[must_use]
    pub fn is_contradiction(&self) -> bool {
        self.standing == Standing::Contradiction
    }

    /// Makes `cond` true on this path. Conditions that follow from the byte sets leave no trace.
    ///
    /// The witness stays one if it satisfies the condition, or if a change of one free byte makes
    /// it so; otherwise the path has none until the solver is asked (see [`Path::assume_with`]).
    pub fn assume(&mut self, pool: &mut Pool, cond: Term) {
        for part in conjuncts(pool, cond) {
            if let Some(joint) = self.index(pool, part) {
                let joint_above = self.joints().next().cloned();
                let id = self.root.links.get() + 1;
                self.root.links.set(id);
                let depth = self.depth() as u32 + 1;
                let parent = self.tip.take();
                self.tip = Some(Rc::new(Link {
                    parent,
                    joint_above,
                    cond: part,
                    id,
                    depth,
                    joint,
                    charted: OnceCell::new(),
                }));
            }
        }
    }

    /// Makes `cond` true, and `model` the witness: the answer to the question whether `cond` can be
    /// true on this path.
    pub fn assume_with(&mut self, pool: &mut Pool, cond: Term, model: &Model) {
        for &(var, value) in &model.changes {
            self.set_value(pool, var, value);
        }
        if self.standing == Standing::Unwitnessed {
            self.standing = Standing::Witnessed;
        }
        self.assume(pool, cond);
    }

    /// Updates what is known of the variables. `None`: the condition adds nothing; otherwise
    /// whether it is joint.
    fn index(&mut self, pool: &mut Pool, cond: Term) -> Option<bool> {
        let (mut adds, mut parts) = (false, vec![cond]);
        // Bytes that one part fixes may make others simple.
        loop {
            let (restricts, others) = self.restrict_by(pool, &parts);
            adds |= restricts;
            parts = others;
            if !restricts || parts.is_empty() {
                break;
            }
        }
        let joint = !parts.is_empty();
        if joint {
            self.entangle(pool, cond);
            if self.is_witnessed() && self.eval(pool, cond) == 0 {
                self.lose_witness();
            }
        }
        (adds || joint).then_some(joint)
    }

    /// Updates what is known of single bytes. Does that add anything, and what is on several of them?
    fn restrict_by(&mut self, pool: &mut Pool, conditions: &[Term]) -> (bool, Vec<Term>) {
        let (mut adds, mut others) = (false, Vec::new());
        for &cond in conditions {
            let simple = self.simplify(pool, cond);
            for part in conjuncts(pool, simple) {
                if pool.is_true(part) {
                    continue;
                }
                if pool.is_false(part) {
                    self.standing = Standing::Contradiction;
                    adds = true;
                    continue;
                }
                match byte_condition(pool, part).and_then(|(var, set)| self.restrict(var, set)) {
                    Some(restricts) => adds |= restricts,
                    None => others.push(part),
                }
            }
        }
        (adds, others)
    }

    /// Allows the variable only these bytes. Does that add anything? `None`: no set has a free number.
    fn restrict(&mut self, var: Var, set: ByteSet) -> Option<bool> {
        let mut entry = self.chart.get(var);
        let old = self.root.set(entry.set);
        let new = old.intersect(set);
        if new == old {
            return Some(false);
        }
        entry.set = self.root.intern(new)?;
        if !new.contains(entry.byte) {
            match new.min() {
                None => self.standing = Standing::Contradiction,
                Some(byte) if !entry.entangled => entry.byte = byte,
                Some(_) => self.lose_witness(),
            }
        }
        self.chart.set(var, entry);
        Some(true)
    }

    /// Marks the variables of a condition that is not on one byte alone.
    fn entangle(&mut self, pool: &Pool, cond: Term) {
        for &var in pool.support_vars(pool.support(cond)) {
            let entry = self.chart.get(var);
            if !entry.entangled {
                self.chart.set(var, Entry { entangled: true, ..entry });
            }
        }
    }

    fn lose_witness(&mut self) {
        if self.standing == Standing::Witnessed {
            self.standing = Standing::Unwitnessed;
        }
    }

    fn take_values(&mut self, pool: &Pool, other: &Path) {
        for var in valued([(&self.chart, &self.wide), (&other.chart, &other.wide)]) {
            let value = other.value(var);
            if value != self.value(var) {
                self.set_value(pool, var, value);
            }
        }
        if self.standing == Standing::Unwitnessed {
            self.standing = Standing::Witnessed;
        }
    }

    fn set_value(&mut self, pool: &Pool, var: Var, value: u128) {
        if pool.width(pool.var_term(var)) <= 8 {
            let entry = self.chart.get(var);
            self.chart.set(var, Entry { byte: value as u8, ..entry });
            return;
        }
        let wide = Rc::make_mut(self.wide.get_or_insert_default());
        match wide.binary_search_by_key(&var, |&(v, _)| v) {
            Ok(i) => wide[i].1 = value,
            Err(i) => wide.insert(i, (var, value)),
        }
    }

    /// `cond` with the bytes put in that the path leaves no choice for.
    #[must_use]
    pub fn simplify(&self, pool: &mut Pool, cond: Term) -> Term {
        let fixed = self.fixed(pool, cond);
        if fixed.is_empty() {
            return cond;
        }
        let fixed: Vec<(Var, Term)> =
            fixed.into_iter().map(|(v, byte)| (v, pool.constant(8, byte.into()))).collect();
        let image = |v| fixed.binary_search_by_key(&v, |&(w, _)| w).ok().map(|i| fixed[i].1);
        pool.substitute(cond, &mut { image })
    }

    /// The bytes of a term that the path leaves no choice for, by variable.
    #[must_use]
    pub fn fixed(&self, pool: &Pool, t: Term) -> Vec<(Var, u8)> {
        let only = |v| match self.chart.get(v).set {
            SetId(0) => None,
            id => Some(self.root.set(id)).filter(|s| s.len() == 1).and_then(ByteSet::min),
        };
        pool.support_vars(pool.support(t)).iter().filter_map(|&v| Some((v, only(v)?))).collect()
    }

    pub(crate) fn is_witnessed(&self) -> bool {
        self.standing == Standing::Witnessed
    }

    /// The witness's value of a variable, or what is left of one.
    pub(crate) fn value(&self, var: Var) -> u128 {
        wide_value(&self.wide, var).unwrap_or_else(|| self.chart.get(var).byte.into())
    }

    pub(crate) fn is_entangled(&self, var: Var) -> bool {
        self.chart.get(var).entangled
    }

    /// The witness with these values changed.
    pub(crate) fn model(&self, changes: Vec<(Var, u128)>) -> Model {
        Model { chart: self.chart.clone(), wide: self.wide.clone(), root: self.root.clone(), changes }
    }

    /// The conditions that the byte sets do not cover, the newest first.
    pub(crate) fn joint_conditions(&self) -> impl Iterator<Item = Term> + '_ {
        self.joints().map(|l| l.cond)
    }

    fn eval(&self, pool: &Pool, t: Term) -> u128 {
        self.scratch().eval(pool, t, |v| self.value(v))
    }

    /// Storage for evaluation.
    pub(crate) fn scratch(&self) -> RefMut<'_, Scratch> {
        self.root.scratch.borrow_mut()
    }

    fn tips(&self) -> impl Iterator<Item = &Rc<Link>> {
        std::iter::successors(self.tip.as_ref(), |l| l.parent.as_ref())
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.tips().map(|l| &**l)
    }

    fn joints(&self) -> impl Iterator<Item = &Rc<Link>> {
        let first = self.tip.as_ref().and_then(|t| if t.joint { Some(t) } else { t.joint_above.as_ref() });
        std::iter::successors(first, |l| l.joint_above.as_ref())
    }
}

/// The variable and the set, if the condition is on one byte alone.
pub(crate) fn byte_condition(pool: &mut Pool, cond: Term) -> Option<(Var, ByteSet)> {
    let &[var] = pool.support_vars(pool.support(cond)) else { return None };
    pool.byte_set(cond).map(|set| (var, set))
}

/// The parts of a conjunction, in order.
#[must_use]
pub fn conjuncts(pool: &Pool, cond: Term) -> Vec<Term> {
    let (mut parts, mut todo) = (Vec::new(), vec![cond]);
    while let Some(t) = todo.pop() {
        match pool.node(t) {
            Node::Binary(Binary::And, a, b) if pool.width(t) == 1 => todo.extend([b, a]),
            _ => parts.push(t),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool_with(bytes: u32) -> (Pool, Vec<Term>) {
        let mut pool = Pool::new();
        let vars = (0..bytes).map(|i| pool.var(8, &format!("v{i}"))).collect();
        (pool, vars)
    }

    fn less(pool: &mut Pool, x: Term, limit: u8) -> Term {
        let limit = pool.constant(8, limit.into());
        pool.ult(x, limit)
    }

    #[test]
    fn ancestors_and_suffixes() {
        let (mut pool, v) = pool_with(4);
        let conds: Vec<Term> = v.iter().map(|&x| less(&mut pool, x, 100)).collect();
        let mut root = Path::new();
        root.assume(&mut pool, conds[0]);
        let (mut left, mut right) = (root.clone(), root.clone());
        left.assume(&mut pool, conds[1]);
        left.assume(&mut pool, conds[2]);
        right.assume(&mut pool, conds[3]);
        assert_eq!(
            (left.lca(&right), right.lca(&left), left.lca(&left), left.lca(&Path::new())),
            (1, 1, 3, 0)
        );
        assert_eq!(left.suffix_since(1), conds[1..3]);
        assert_eq!((left.depth(), left.conditions()), (3, conds[..3].to_vec()));
        assert!(left.id() != right.id() && root.id() != 0 && Path::new().is_empty());
        let back = left.prefix(&mut pool, 1);
        assert_eq!((back.conditions(), back.lca(&right), back.id()), (conds[..1].to_vec(), 1, root.id()));
        assert_eq!(back.allowed(Var(1)), ByteSet::FULL);
        assert_eq!(back.allowed(Var(0)).len(), 100);
    }

    #[test]
    fn an_ancestor_is_what_was_assumed_until_then() {
        let (mut pool, v) = pool_with(40);
        let mut longest = Path::new();
        let mut ancestors = vec![longest.clone()];
        for n in 0..40usize {
            let cond = match n % 3 {
                2 => pool.ult(v[(n - n % 7).saturating_sub(1)], v[n]),
                _ => less(&mut pool, v[n], 10 + n as u8),
            };
            let model = longest.model((0..=n).map(|v| (Var(v as u32), v as u128)).collect());
            longest.assume_with(&mut pool, cond, &model);
            ancestors.push(longest.clone());
        }
        assert!(longest.witness().is_some() && !longest.is_contradiction());
        // The second time, charts that the first one left are used.
        for depth in (0..=40).rev().chain(0..=40) {
            let (ancestor, found) = (&ancestors[depth], longest.prefix(&mut pool, depth));
            assert_eq!((found.id(), found.conditions()), (ancestor.id(), ancestor.conditions()));
            for var in (0..40).map(Var) {
                let said = |p: &Path| (p.allowed(var), p.is_entangled(var));
                assert_eq!(said(&found), said(ancestor), "{depth} {var:?}");
                assert_eq!(found.value(var), longest.value(var));
            }
            let holds = |&c: &Term| found.witness_value(&pool, c) == Some(1);
            assert!(found.is_witnessed() && found.conditions().iter().all(holds));
        }
    }

    #[test]
    fn conjunctions_are_split_and_known_conditions_leave_no_trace() {
        let (mut pool, v) = pool_with(2);
        let (a, b) = (less(&mut pool, v[0], 50), less(&mut pool, v[1], 60));
        let both = pool.and(a, b);
        let mut path = Path::new();
        path.assume(&mut pool, both);
        assert_eq!(path.depth(), 2);
        let (weaker, yes) = (less(&mut pool, v[0], 70), pool.tru());
        path.assume(&mut pool, weaker);
        path.assume(&mut pool, yes);
        assert_eq!(path.depth(), 2);
    }

    #[test]
    fn the_witness_follows_free_bytes_and_is_lost_with_entangled_ones() {
        let (mut pool, v) = pool_with(3);
        let mut path = Path::new();
        let low = less(&mut pool, v[0], 10);
        let high = pool.not(low);
        path.assume(&mut pool, high);
        assert_eq!(path.witness().map(|m| m.get(Var(0))), Some(10));
        let ordered = pool.ult(v[1], v[0]);
        path.assume(&mut pool, ordered);
        assert!(path.witness().is_some());
        let reversed = pool.ult(v[0], v[2]);
        path.assume(&mut pool, reversed);
        assert!(path.witness().is_none() && !path.is_contradiction());
    }

    #[test]
    fn values_of_any_width_are_kept() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(100, "x"), pool.var(1, "y"));
        let k = pool.constant(100, 1 << 90);
        let large = pool.ule(k, x);
        let mut path = Path::new();
        let model = path.model(vec![(Var(0), 1 << 95), (Var(1), 1)]);
        path.assume_with(&mut pool, large, &model);
        path.assume_with(&mut pool, y, &path.model(vec![(Var(1), 1)]));
        assert_eq!(path.witness().map(|m| (m.get(Var(0)), m.get(Var(1)))), Some((1 << 95, 1)));
        assert_eq!(path.witness().map(|m| m.assignment(&pool).len()), Some(2));
    }

    #[test]
    fn long_paths_are_dropped_without_recursion() {
        let (mut pool, v) = pool_with(2);
        let mut path = Path::new();
        for i in 0..300_000u32 {
            let k = pool.constant(16, u128::from(i % 60_000));
            let word = pool.concat(v[0], v[1]);
            let cond = pool.ne(word, k);
            let joint_above = path.tip.clone();
            path.tip = Some(Rc::new(Link {
                parent: path.tip.take(),
                joint_above,
                cond,
                id: i,
                depth: i + 1,
                joint: true,
                charted: OnceCell::new(),
            }));
        }
        drop(path);
    }

    #[test]
    fn paths_are_small() {
        assert!(size_of::<Link>() <= 40, "{}", size_of::<Link>());
        assert!(size_of::<Path>() <= 48, "{}", size_of::<Path>());
    }
}
