//! Value summaries, after MultiSE (Sen, Necula, Gong, Choi: "MultiSE: Multi-path Symbolic Execution
//! using Value Summaries", ESEC/FSE 2015).
//!
//! A value is a set of guarded values `{(φ₁, v₁), …}`: the guards are disjoint and one of them always
//! holds. An assignment on the paths of a guard φ is the guarded update ⊎_φ; an operation is done for
//! every combination of entries that can apply together; equal values are one entry. A guard is a
//! decision diagram over bytes and branch predicates, so that a guard that is `false` costs no solver call.
//! Pointers, functions and floating-point numbers stay concrete under their guards.
//!
//! `guard` is what guards can do, `diagrams` how (`nodes` and `shapes` are what they are made of, `cache` what is remembered), `summary` the operations of the paper's figure 3 on sets of guarded
//! values, `names` puts summaries where the machine keeps values, `atoms` makes guards of terms and
//! terms of guards, `cubes` takes the question whether a guard can hold apart into conjunctions, `order`
//! knows which comparisons contradict each other, `census` counts what merging by terms could have done. The machine is
//! `rejoin-exec`; what it does differently with summaries is in its `summaries.rs`.
//!
//! # How the machine is built
//!
//! An entry (φ, ℓ) of the program counter is a state: ℓ is where the state is, φ its path condition.
//! Its key is (call string, loop iterations, block), and the entry with the least key runs
//! (`rejoin_search::Topological`). Entries with equal keys become one entry, their stores one store:
//! registers, words of memory and return values in which they differ become summaries. Keys can become
//! equal where edges meet and where calls return, so it is only looked at there.
//!
//! A summary in a register or in memory is a *name*, a variable of the term pool of which the table
//! [`Summaries`] knows the entries. That makes three things exact without further code: data that is
//! moved, copied, cut into bytes or put together is a term over names; an operation is done by the
//! machine as on any symbolic value and then expanded over the entries; and whatever has no business
//! with summaries (builtins, system calls, paths, the solver) is given the same term without names.
//!
//! # Figure 3, rule by rule
//!
//! - GUARDED UPDATE is [`Summary::update`]; ⊎ is [`Summary::collect`].
//! - CONSTANT and SYMBOLIC INPUT are the machine's own assignments (deviation 1).
//! - BINARY OPERATION makes a term over names, which [`Summaries::settle`] expands over all pairs; pairs of
//!   constants fold. Floating point is computed on the bits of each pair.
//! - CONDITIONAL: [`Summaries::condition`] is the disjunction over the entries; diagrams are asked first,
//!   the solver only for what enters the program counter, and only about cubes of the guard. Who takes a
//!   merged entry apart along guards of entries that were there before asks nobody: their witnesses are
//!   kept by guard.
//! - LOAD and STORE resolve each entry of the address; a store updates each object under its guard.
//! - NEXTPC is the step of a state.
//!
//! # Deviations from the paper
//!
//! 1. The store is not one table for all entries of the program counter. Each entry has its own, which
//!    is the paper's restricted to the entry's guard; entries that come from one share what they have
//!    not written since. So an update within one entry needs no guard, an entry that is alone runs at
//!    the speed of plain execution, and ⊎ is done where entries meet.
//! 2. Guards that never meet a program counter are don't-cares: an entry that cannot apply under the
//!    reader's path is dropped, and its guard goes to another entry, so that guards still cover
//!    everything.
//! 3. The paper fixes no order; here the least key runs first, so that paths meet as early as they can. The
//!    order changes no outcome: by deviation 1 an entry that is stepped past the place where another one will
//!    come reads and writes its own store alone, and the other one comes there with its own. They miss each
//!    other, and are two entries instead of one. So a wrong order shows in the number of entries and merges, which
//!    `the_least_key_runs_first_so_that_all_paths_meet` and the figures' tests know, and by which the planted fault
//!    `wrong-key-order` is caught.
//! 4. An address is an object and an offset; an offset that is symbolic within an entry is read as a
//!    choice of the words it may reach, which is a term.
//! 5. Where the paper fixes a value and drops the rest, the rest becomes an entry of its own that is
//!    explored when all others have ended.
//! 6. Limits (see [`Limits`]): a summary with too many entries becomes one term, a guard with too many
//!    nodes an atom. A value whose guards take more steps than its paths are worth becomes a term, and so do all
//!    once there are too many nodes. The ledger says so; nothing is lost.
//! 7. Switches and computed calls split the program counter by the entries of their operand, as `if`
//!    does.
//! 8. Diagrams are not over predicates alone. A byte of the input is a level with up to 256 branches, so that
//!    predicates on it exclude each other as they should; nodes are shared between all guards. The diagrams
//!    are our own: those of crates have Boolean variables.
//! 9. A guard that enters the program counter is not asked about as a whole: see `cubes`.
//! 10. Merging ends at places where it took more steps of diagrams than it saves (`rejoin_merge::Paying`);
//!     entries stay apart there.
//! 11. What is outside the machine (files, descriptors, output) is not summarised. States whose outside
//!     can not become one stay apart; output is kept once per guard.

mod atoms;
mod cache;
mod census;
mod cubes;
mod diagrams;
mod guard;
mod names;
mod nodes;
mod order;
mod shapes;
mod summary;

pub use census::Census;
pub use cubes::Verdict;
pub use diagrams::Diagrams;
pub use guard::{Guard, Guards};
pub use names::{Counts, Limits, Summaries};
pub use summary::Summary;
