//! The profile of a pair of tasks: the facts that decide how large data goes between them.
//!
//! Before: the messaging unit has mapped the pair's lane and exclusive buffers, and the lane has measured the distance.
//! After: `super::route`.
//!
//! | fact | where it comes from |
//! |---|---|
//! | kernel copies | one node, one PID namespace, and no copy was refused |
//! | string stores | the processor: they store to lines of another core without fetching them |
//! | near | the lane's own measurement; it changes when a task is moved |
//! | stripes | the job's workers, and the table of stripes |
//!
//! Invariant: a profile is plain data, so that tests and `pamir explain-send` can ask about pairs that this machine does not
//! have.

use pamir_driver::unit::PART_BYTES;

/// Up to so many bytes, data through an exclusive buffer is faster than any copy by the kernel, between far processors, too,
/// where string stores fetch no lines.
const BUFFER_PREFERRED_BYTES: usize = 64 * 1024;

/// What is known of a pair of tasks, for a message of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairProfile {
    /// The kernel copies between the memories of two different tasks.
    pub kernel_copies: bool,
    /// String stores write lines without fetching them.
    pub string_stores: bool,
    /// The tasks run on near processors.
    pub near: bool,
    /// In how many stripes workers move this message, if it is asked for; 1 if there are no workers.
    pub stripes: usize,
    /// The facts about the processor settle what they can; otherwise all ways are measured.
    pub trusts_processor: bool,
}

impl PairProfile {
    /// Why a message of `bytes` bytes is known to go best in packets, if it is. An origin that does not wait may compute
    /// while its target copies. `exclusive_bytes` is the longest message that fits the exclusive buffer of this end now.
    #[inline(always)]
    pub fn best_in_packets(
        &self,
        bytes: usize,
        waits: bool,
        exclusive_bytes: impl FnOnce() -> usize,
    ) -> Option<Known> {
        if !self.trusts_processor || !self.string_stores {
            return None;
        }
        if bytes <= PART_BYTES {
            return Some(Known::Short);
        }
        if waits && self.near {
            return Some(Known::Near);
        }
        let holds = bytes <= BUFFER_PREFERRED_BYTES && bytes <= exclusive_bytes();
        holds.then_some(Known::ExclusiveBuffer)
    }
}

/// Why packets are known to be the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// One string store is faster than any call of the kernel.
    Short,
    /// The tasks are near, and the origin waits.
    Near,
    /// An exclusive buffer holds the message.
    ExclusiveBuffer,
}

impl Known {
    /// The reason, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Short => "one string store is faster than any call of the kernel",
            Self::Near => "the tasks are near each other, and the sender waits",
            Self::ExclusiveBuffer => "an exclusive buffer holds the message",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZEN_5: PairProfile = PairProfile {
        kernel_copies: true,
        string_stores: true,
        near: false,
        stripes: 1,
        trusts_processor: true,
    };

    #[test]
    fn packets_are_known_to_be_best_where_string_stores_take_lines_over() {
        let far = ZEN_5;
        let near = PairProfile { near: true, ..far };
        for (profile, exclusive_bytes, bytes, waits, known) in [
            (far, 0, PART_BYTES, false, Some(Known::Short)),
            (far, 0, PART_BYTES + 1, true, None),
            (near, 0, PART_BYTES + 1, true, Some(Known::Near)),
            (near, 0, PART_BYTES + 1, false, None),
            (far, 100_000, 64 * 1024, false, Some(Known::ExclusiveBuffer)),
            (far, 100_000, 64 * 1024 + 1, false, None),
            (far, 50_000, 50_001, false, None),
        ] {
            let best = |of: PairProfile| of.best_in_packets(bytes, waits, || exclusive_bytes);
            assert_eq!(best(profile), known);
            for other in [
                PairProfile {
                    string_stores: false,
                    ..profile
                },
                PairProfile {
                    trusts_processor: false,
                    ..profile
                },
            ] {
                assert_eq!(best(other), None);
            }
        }
    }
}
