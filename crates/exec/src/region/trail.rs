//! The steps that led a state through a region, shared between states.

use rejoin_pattern::Step;
use std::rc::Rc;

/// A persistent sequence of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    len: u32,
    step: Step,
    before: Trail,
}

impl Trail {
    /// Adds a step.
    pub(crate) fn push(&mut self, step: Step) {
        let before = std::mem::take(self);
        *self = Trail(Some(Rc::new(Link { len: before.len() as u32 + 1, step, before })));
    }

    /// How many steps there are.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |l| l.len as usize)
    }

    /// What two trails have in common.
    pub(crate) fn common(a: &Trail, b: &Trail) -> Trail {
        let (mut a, mut b) = (a, b);
        let is_same = |a: &Trail, b: &Trail| match (&a.0, &b.0) {
            (Some(x), Some(y)) => Rc::ptr_eq(x, y),
            (None, None) => true,
            _ => false,
        };
        while !is_same(a, b) {
            let longer = if a.len() >= b.len() { &mut a } else { &mut b };
            let Some(link) = &longer.0 else { break };
            *longer = &link.before;
        }
        a.clone()
    }

    /// The steps, the oldest first.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let links = std::iter::successors(self.0.as_deref(), |l| l.before.0.as_deref());
        let mut steps: Vec<Step> = links.map(|l| l.step).collect();
        steps.reverse();
        steps
    }
}

impl Drop for Trail {
    /// Unlinks iteratively: a long trail must not overflow the stack.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next.and_then(|rc| Rc::try_unwrap(rc).ok()) {
            next = link.before.0.take();
        }
    }
}
