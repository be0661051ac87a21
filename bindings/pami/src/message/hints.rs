//! Hints of a dispatch id that cannot hold.
//!
//! Before: `PAMI_Dispatch_set`. After: hints are refused that are none, or that together ask for an order that messages
//! do not have. All others are hints: shared memory, transfers without packets and progress are what they are.

use crate::refusal::Refusal;
use crate::structures::{DispatchHints, Hint};

/// Refuses hints that are none, or that contradict each other.
pub fn check_hints(hints: DispatchHints) -> Result<(), Refusal> {
    let no = |reason| Err(Refusal::Hints { reason });
    if hints.has_invalid() {
        return no("one of them is PAMI_HINT_INVALID");
    }
    if hints.consistency() == Hint::Enable && hints.long_header() == Hint::Enable {
        return no(
            "a header longer than a packet is overtaken: disable long_header for consistency",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_hints_but_for_contradictions() {
        let hint = |index: u32, value: u32| value << (2 * index);
        for (word, good) in [
            (0, true),
            (hint(9, 1), true),
            (hint(9, 2), true),
            (hint(8, 1), true),
            (hint(6, 1), true),
            (hint(8, 2) | hint(6, 1), true),
            (hint(7, 1), true),
            (hint(5, 1), true),
            (hint(5, 1) | hint(1, 1), false),
            (hint(5, 1) | hint(1, 2), true),
            (hint(3, 3), false),
        ] {
            assert_eq!(check_hints(DispatchHints(word)).is_ok(), good, "{word:#x}");
        }
    }
}
