//! A persistent array: a radix tree whose clones share all untouched nodes.

use std::rc::Rc;

/// Hears of an index and both tables' entries there.
pub type Difference<'a, T> = dyn FnMut(u32, Option<&T>, Option<&T>) + 'a;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

/// A sparse array from `u32` to `T` with O(1) clone; lookup and update touch one node per 4 bits
/// of the largest index in use.
#[derive(Debug)]
pub struct Table<T> {
    root: Option<Rc<Node<T>>>,
    height: u32,
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Table { root: self.root.clone(), height: self.height }
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { root: None, height: 0 }
    }
}

#[derive(Debug)]
enum Node<T> {
    Leaf([Option<T>; FAN]),
    Inner([Option<Rc<Node<T>>>; FAN]),
}

impl<T: Clone> Clone for Node<T> {
    fn clone(&self) -> Self {
        match self {
            Node::Leaf(l) => Node::Leaf(l.clone()),
            Node::Inner(i) => Node::Inner(i.clone()),
        }
    }
}

fn digit(index: u32, level: u32) -> usize {
    (index >> (level * BITS)) as usize % FAN
}

impl<T: Clone> Table<T> {
    /// The entry at `index`.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<&T> {
        if index.checked_shr((self.height + 1) * BITS).unwrap_or(0) != 0 {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut level = self.height;
        loop {
            match &**node {
                Node::Leaf(leaf) => return leaf[digit(index, 0)].as_ref(),
                Node::Inner(inner) => node = inner[digit(index, level)].as_ref()?,
            }
            level -= 1;
        }
    }

    /// The entry at `index`, to be changed; nodes shared with clones are copied first.
    #[inline(always)]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        if index.checked_shr((self.height + 1) * BITS).unwrap_or(0) != 0 {
            return None;
        }
        let mut node = self.root.as_mut()?;
        let mut level = self.height;
        loop {
            match Rc::make_mut(node) {
                Node::Leaf(leaf) => return leaf[digit(index, 0)].as_mut(),
                Node::Inner(inner) => node = inner[digit(index, level)].as_mut()?,
            }
            level -= 1;
        }
    }

    /// Puts `value` at `index`.
    pub fn insert(&mut self, index: u32, value: T) {
        while index.checked_shr((self.height + 1) * BITS).unwrap_or(0) != 0 {
            if let Some(old) = self.root.take() {
                let mut inner = [const { None }; FAN];
                inner[0] = Some(old);
                self.root = Some(Rc::new(Node::Inner(inner)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut slot = &mut self.root;
        loop {
            let node = slot.get_or_insert_with(|| {
                Rc::new(if level == 0 {
                    Node::Leaf([const { None }; FAN])
                } else {
                    Node::Inner([const { None }; FAN])
                })
            });
            match Rc::make_mut(node) {
                Node::Leaf(leaf) => {
                    leaf[digit(index, 0)] = Some(value);
                    return;
                }
                Node::Inner(inner) => slot = &mut inner[digit(index, level)],
            }
            level -= 1;
        }
    }

    /// Takes the entry at `index` away.
    pub fn remove(&mut self, index: u32) -> Option<T> {
        self.get(index)?;
        let mut node = self.root.as_mut()?;
        let mut level = self.height;
        loop {
            match Rc::make_mut(node) {
                Node::Leaf(leaf) => return leaf[digit(index, 0)].take(),
                Node::Inner(inner) => node = inner[digit(index, level)].as_mut()?,
            }
            level -= 1;
        }
    }

    /// All entries by increasing index.
    pub fn for_each(&self, f: &mut dyn FnMut(u32, &T)) {
        if let Some(root) = &self.root {
            visit(root, 0, self.height, f);
        }
    }

    /// Calls `f` with every index at which the two tables may differ; whole shared subtrees are
    /// skipped. Both entries are given.
    pub fn diff(&self, other: &Table<T>, f: &mut Difference<T>) {
        if self.height == other.height {
            diff(self.root.as_ref(), other.root.as_ref(), 0, self.height, f);
        } else {
            self.for_each(&mut |i, t| f(i, Some(t), other.get(i)));
            other.for_each(&mut |i, t| {
                if self.get(i).is_none() {
                    f(i, None, Some(t));
                }
            });
        }
    }
}

fn visit<T>(node: &Node<T>, base: u32, level: u32, f: &mut dyn FnMut(u32, &T)) {
    match node {
        Node::Leaf(leaf) => {
            for (i, t) in leaf.iter().enumerate() {
                if let Some(t) = t {
                    f(base + i as u32, t);
                }
            }
        }
        Node::Inner(inner) => {
            for (i, n) in inner.iter().enumerate() {
                if let Some(n) = n {
                    visit(n, base + ((i as u32) << (level * BITS)), level - 1, f);
                }
            }
        }
    }
}

fn diff<T>(a: Option<&Rc<Node<T>>>, b: Option<&Rc<Node<T>>>, base: u32, level: u32, f: &mut Difference<T>) {
    match (a, b) {
        (None, None) => {}
        (Some(a), None) => visit(a, base, level, &mut |i, t| f(i, Some(t), None)),
        (None, Some(b)) => visit(b, base, level, &mut |i, t| f(i, None, Some(t))),
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
        (Some(a), Some(b)) => match (&**a, &**b) {
            (Node::Leaf(a), Node::Leaf(b)) => {
                for i in 0..FAN {
                    if a[i].is_some() || b[i].is_some() {
                        f(base + i as u32, a[i].as_ref(), b[i].as_ref());
                    }
                }
            }
            (Node::Inner(a), Node::Inner(b)) => {
                for i in 0..FAN {
                    let base = base + ((i as u32) << (level * BITS));
                    diff(a[i].as_ref(), b[i].as_ref(), base, level - 1, f);
                }
            }
            _ => unreachable!("tables of one height have leaves at one level"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_own_content() {
        let mut a = Table::default();
        for i in [0, 5, 17, 300, 70_000, u32::MAX] {
            a.insert(i, i);
        }
        let mut b = a.clone();
        *b.get_mut(300).unwrap() = 1;
        b.remove(17);
        b.insert(18, 18);
        assert_eq!(a.get(300), Some(&300));
        assert_eq!(a.get(17), Some(&17));
        assert_eq!(a.get(18), None);
        assert_eq!(b.get(300), Some(&1));
        assert_eq!(b.get(u32::MAX), Some(&u32::MAX));
        let mut seen = vec![];
        a.diff(&b, &mut |i, x, y| {
            if x != y {
                seen.push(i);
            }
        });
        assert_eq!(seen, [17, 18, 300]);
        assert_eq!(a.get(16), None);
        assert_eq!(Table::<u8>::default().get(3), None);
    }

    #[test]
    fn tables_of_different_height_are_compared() {
        let mut a = Table::default();
        a.insert(1, 'a');
        let mut b = a.clone();
        b.insert(1000, 'b');
        let mut seen = vec![];
        a.diff(&b, &mut |i, x, y| {
            if x != y {
                seen.push((i, x.copied(), y.copied()));
            }
        });
        assert_eq!(seen, [(1000, None, Some('b'))]);
    }
}
