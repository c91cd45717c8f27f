//! The pending states. Insertion and removal are O(1).

/// Names a state while it is in the worklist.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// As an index, for side tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The pending states by name. Names are used again after a state is gone.
pub struct Worklist<S> {
    slots: Vec<Option<S>>,
    free: Vec<StateId>,
    len: usize,
    largest: usize,
}

impl<S> Default for Worklist<S> {
    fn default() -> Self {
        Worklist { slots: Vec::new(), free: Vec::new(), len: 0, largest: 0 }
    }
}

impl<S> Worklist<S> {
    /// Whether no state is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many states are pending.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The most states that were ever pending.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// The state of that name.
    ///
    /// # Panics
    /// If there is none: a fault of the search.
    #[must_use]
    pub fn get(&self, id: StateId) -> &S {
        self.slots[id.index()].as_ref().expect("the search names pending states")
    }

    /// All pending states, by name.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, &S)> {
        self.slots.iter().enumerate().filter_map(|(i, s)| Some((StateId(i as u32), s.as_ref()?)))
    }

    /// Adds a state under a new name.
    pub fn insert(&mut self, s: S) -> StateId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            StateId(self.slots.len() as u32 - 1)
        });
        self.fill(id, s);
        id
    }

    /// Adds a state under a name that was taken a moment ago.
    pub(crate) fn put_back(&mut self, id: StateId, s: S) -> StateId {
        if let Some(i) = self.free.iter().rposition(|f| *f == id) {
            self.free.swap_remove(i);
        }
        self.fill(id, s);
        id
    }

    fn fill(&mut self, id: StateId, s: S) {
        self.slots[id.index()] = Some(s);
        self.len += 1;
        self.largest = self.largest.max(self.len);
    }

    /// Removes a state.
    ///
    /// # Panics
    /// If there is none of that name: a fault of the search.
    pub fn take(&mut self, id: StateId) -> S {
        let s = self.slots[id.index()].take().expect("the search names pending states");
        self.free.push(id);
        self.len -= 1;
        s
    }

    /// All pending states, in the order of their names.
    pub fn drain(&mut self) -> Vec<S> {
        self.len = 0;
        self.free.clear();
        std::mem::take(&mut self.slots).into_iter().flatten().collect()
    }
}
