//! The classes of C that a program may use, each of which can be switched off.

/// One class of language features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// `for`, `while` and `do` with `break` and `continue`.
    Loops,
    /// `switch` with fallthrough and case ranges.
    Switch,
    /// Character buffers and the string functions.
    Strings,
    /// Linked lists, search trees, arrays from `malloc`.
    Heap,
    /// Plain calls of functions with arguments of all types.
    Calls,
    /// Calls through tables of function pointers.
    Pointers,
    /// Functions that call themselves.
    Recursion,
    /// 64-bit and 128-bit arithmetic (8 to 32 bits are always there).
    Wide,
    /// Arrays read and written at symbolic indices.
    Index,
    /// Structures, unions, bit-fields, pointers to one of several structures.
    Records,
    /// Jumps forward, backward and into loops.
    Goto,
    /// Planted errors.
    Errors,
    /// Output through `printf` as well as `putchar`.
    Printf,
    /// Loops over an input of several letters, and blocks of symbolic size. Not among `all`: the input is another.
    Buffers,
    /// Floating-point numbers, functions and labels that branches choose: values that no solver knows. Not among
    /// `all`: the programs of seeds are older.
    Chosen,
    /// Inputs that come as arguments, standard input and a file; files, pipes and descriptors. Not among `all`: the
    /// input is another.
    World,
}

/// Every feature with the name that the command line knows it by.
pub const FEATURES: [(Feature, &str); 16] = [
    (Feature::Loops, "loops"),
    (Feature::Switch, "switch"),
    (Feature::Strings, "strings"),
    (Feature::Heap, "heap"),
    (Feature::Calls, "calls"),
    (Feature::Pointers, "pointers"),
    (Feature::Recursion, "recursion"),
    (Feature::Wide, "wide"),
    (Feature::Index, "index"),
    (Feature::Records, "records"),
    (Feature::Goto, "goto"),
    (Feature::Errors, "errors"),
    (Feature::Printf, "printf"),
    (Feature::Buffers, "buffers"),
    (Feature::Chosen, "chosen"),
    (Feature::World, "world"),
];

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Features(u32);

impl Features {
    /// No feature: straight expressions and `if`.
    pub const NONE: Features = Features(0);

    /// Every feature but those that programs have on request only: [`Feature::Buffers`] and later ones.
    pub const ALL: Features = Features((1 << Feature::Buffers as u32) - 1);

    /// Whether `feature` is in the set.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// The set with `feature` added.
    #[must_use]
    pub fn with(self, feature: Feature) -> Self {
        Features(self.0 | 1 << feature as u32)
    }

    /// The set without `feature`.
    #[must_use]
    pub fn without(self, feature: Feature) -> Self {
        Features(self.0 & !(1 << feature as u32))
    }

    /// Reads a list such as `all`, `none`, `loops,heap` or `all,-printf`, left to right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut set = Features::NONE;
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let (name, off) = word.strip_prefix('-').map_or((word, false), |name| (name, true));
            set = match (name, FEATURES.iter().find(|row| row.1 == name)) {
                ("all", _) => Features::ALL,
                ("none", _) => Features::NONE,
                (_, Some(&(feature, _))) if off => set.without(feature),
                (_, Some(&(feature, _))) => set.with(feature),
                _ => {
                    let known = FEATURES.map(|row| row.1).join(", ");
                    return Err(format!("unknown feature `{name}`; known: all, none, {known}"));
                }
            };
        }
        Ok(set)
    }
}

/// The names of a set, with commas.
pub fn names(set: Features) -> String {
    FEATURES.iter().filter(|row| set.has(row.0)).map(|row| row.1).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_left_to_right() {
        assert_eq!(Features::parse("all"), Ok(Features::ALL));
        assert_eq!(Features::parse("loops,heap").map(names), Ok("loops,heap".into()));
        assert_eq!(Features::parse("all,-printf"), Ok(Features::ALL.without(Feature::Printf)));
        assert_eq!(Features::parse(""), Ok(Features::NONE));
        assert!(Features::parse("loop").is_err());
    }
}
