//! A value for some of the variables.

use std::collections::BTreeMap;

use crate::node::Var;

/// Values of variables, by number. Eight bytes and a bit per variable up to the largest one set;
/// the rare value that needs more than 64 bits is kept aside.
#[derive(Clone, Default)]
pub struct Assignment {
    low: Vec<u64>,
    present: Vec<u64>,
    wide: BTreeMap<Var, u128>,
}

impl Assignment {
    /// No variable has a value.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `v`, if it has one.
    #[must_use]
    pub fn get(&self, v: Var) -> Option<u128> {
        let i = v.0 as usize;
        let word = *self.present.get(i / 64)?;
        if word >> (i % 64) & 1 == 0 {
            return None;
        }
        if !self.wide.is_empty()
            && let Some(&value) = self.wide.get(&v)
        {
            return Some(value);
        }
        Some(u128::from(self.low[i]))
    }

    /// Gives `v` a value; the caller keeps it within the variable's width.
    pub fn set(&mut self, v: Var, value: u128) {
        let i = v.0 as usize;
        if i >= self.low.len() {
            self.low.resize(i + 1, 0);
            self.present.resize(i / 64 + 1, 0);
        }
        self.present[i / 64] |= 1 << (i % 64);
        self.low[i] = value as u64;
        if value > u128::from(u64::MAX) {
            self.wide.insert(v, value);
        } else if !self.wide.is_empty() {
            self.wide.remove(&v);
        }
    }

    /// Takes the value of `v` away.
    pub fn unset(&mut self, v: Var) {
        let i = v.0 as usize;
        if let Some(word) = self.present.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
            self.wide.remove(&v);
        }
    }

    /// The variables that have a value, with it, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Var, u128)> + '_ {
        (0..self.low.len() as u32).filter_map(|i| self.get(Var(i)).map(|value| (Var(i), value)))
    }

    /// How many variables have a value.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Has no variable a value?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.present.iter().all(|&word| word == 0)
    }
}

impl PartialEq for Assignment {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Assignment {}

impl std::fmt::Debug for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter().map(|(v, value)| (v.0, value))).finish()
    }
}

impl FromIterator<(Var, u128)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (Var, u128)>>(pairs: I) -> Self {
        let mut a = Assignment::new();
        for (v, value) in pairs {
            a.set(v, value);
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_counts_whatever_its_size() {
        let mut a = Assignment::new();
        a.set(Var(70), 1 << 100);
        a.set(Var(3), 7);
        assert_eq!((a.get(Var(70)), a.get(Var(3)), a.get(Var(4))), (Some(1 << 100), Some(7), None));
        a.set(Var(70), 5);
        assert_eq!(a.iter().collect::<Vec<_>>(), [(Var(3), 7), (Var(70), 5)]);
        a.unset(Var(70));
        assert_eq!(a, Assignment::from_iter([(Var(3), 7)]));
        assert_eq!(a.len(), 1);
    }
}
