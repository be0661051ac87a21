//! Hints of a dispatch id that cannot be followed.
//!
//! Before: `PAMI_Dispatch_set`. After: hints are refused that a library for one machine cannot follow, or that
//! contradict each other.

use crate::refusal::Refusal;
use crate::structures::{DispatchHints, Hint};

/// Hints that a library for one machine cannot follow, or that contradict each other.
pub fn check_hints(hints: DispatchHints) -> Result<(), Refusal> {
    let no = |reason| Err(Refusal::Hints { reason });
    if hints.has_invalid() {
        return no("one of them is PAMI_HINT_INVALID");
    }
    if hints.use_shmem() == Hint::Disable {
        return no("use_shmem cannot be disabled: all messages go through shared memory");
    }
    if hints.use_rdma() == Hint::Enable {
        return no("use_rdma: messages go in packets; PAMI_Rput and PAMI_Rget go without");
    }
    if hints.use_rdma() == Hint::Disable && hints.buffer_registered() == Hint::Enable {
        return no("buffer_registered contradicts use_rdma disabled");
    }
    if hints.remote_async_progress() == Hint::Enable {
        return no("remote_async_progress: a context makes progress when it is advanced");
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
    fn hints_that_cannot_be_followed_are_refused() {
        let hint = |index: u32, value: u32| value << (2 * index);
        for (word, good) in [
            (0, true),
            (hint(9, 1), true),
            (hint(9, 2), false),
            (hint(8, 1), false),
            (hint(6, 1), true),
            (hint(8, 2) | hint(6, 1), false),
            (hint(7, 1), false),
            (hint(5, 1), true),
            (hint(5, 1) | hint(1, 1), false),
            (hint(5, 1) | hint(1, 2), true),
            (hint(3, 3), false),
        ] {
            assert_eq!(check_hints(DispatchHints(word)).is_ok(), good, "{word:#x}");
        }
    }
}
