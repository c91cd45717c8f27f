//! Planted faults: the proof that the oracle has teeth.
//!
//! In a build with the feature `faults`, the environment variable `REJOIN_FAULT` names one of
//! [`ALL`], and the engine then does one thing wrong. In every other build `planted` is a
//! constant `false` and the faults are not there.
//!
//! Each fault has a line in `crates/oracle/teeth.txt`: a generated program, and a mode, that show
//! it: by another outcome or, for those of [`LOSING_MERGES`], by fewer merges. `rejoin-oracle teeth` checks all of them, and `rejoin-oracle teeth --find` looks for the
//! programs.

/// Every fault that can be planted.
pub const ALL: &[&str] = &[
    "drop-else-arm",
    "swap-arms",
    "arm-without-condition",
    "lost-error",
    "no-fork-on-value",
    "core-too-small",
    "sext-as-zext",
    "ult-as-ule",
    "slt-as-ult",
    "swapped-select",
    "sequential-copies",
    "no-division-check",
    "no-shift-check",
    "no-quotient-check",
    "bound-off-by-one",
    "unguarded-store",
    "mux-ignores-low-bit",
    "free-keeps-object",
    "copy-one-byte-less",
    "switch-loses-default",
    "switch-loses-first-case",
    "assume-ignored",
    "exit-code-lost",
    "output-lost",
    "returns-zero",
    "merge-wrong-guard",
    "merge-drops-disjunct",
    "merge-drops-live",
    "merge-before-phi",
    "stale-hash",
    "object-on-both-sides",
    "bound-off-by-one-concrete",
    "extent-ignored",
    "pattern-k-off-by-one",
    "pattern-wrong-stride",
    "pattern-loses-exception",
    "unsound-duplicate",
    "undo-loses-a-part",
    "update-without-negation",
    "coalescing-loses-entry",
    "stale-guard-cache",
    "wrong-key-order",
];

/// Those that change no outcome, but lose merges: states that should meet miss each other.
pub const LOSING_MERGES: &[&str] = &["wrong-key-order"];

/// Whether the fault of this name is planted.
#[cfg(feature = "faults")]
#[must_use]
pub fn planted(name: &str) -> bool {
    use std::sync::OnceLock;
    static FAULT: OnceLock<String> = OnceLock::new();
    assert!(ALL.contains(&name), "{name} has to be in the list");
    FAULT.get_or_init(|| std::env::var("REJOIN_FAULT").unwrap_or_default()) == name
}

/// Whether the fault of this name is planted: never in this build.
#[cfg(not(feature = "faults"))]
#[inline(always)]
#[must_use]
pub fn planted(_: &str) -> bool {
    false
}
