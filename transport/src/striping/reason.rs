//! Why a large message went in one piece: what users ask who expected stripes.
//!
//! Before: a send asks its target, and `division.rs` finds that it is not to be divided. After: the reason is counted, and
//! `PAMIR_SELECTION_REPORT` prints it.

use std::cell::Cell;

/// Why a message that asks its target goes in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// The table says one stripe for its length.
    Short,
    /// Nobody but the rank's own thread could move a stripe.
    NoWorkers,
    /// Its target is on another node.
    OtherNode,
    /// Only the thread that owns the buffer can move it.
    OwnThread,
}

impl Whole {
    /// All reasons, in the order in which they are looked at.
    pub(super) const ALL: [Self; 4] = [
        Self::Short,
        Self::NoWorkers,
        Self::OtherNode,
        Self::OwnThread,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::NoWorkers => {
                "no worker: every processor has a rank, or PAMIR_STRIPE_WORKERS is 0"
            }
            Self::Short => "too short for stripes",
            Self::OtherNode => "to another node",
            Self::OwnThread => "data that only its own thread can move",
        }
    }
}

/// How many messages went in one piece, by reason.
#[derive(Debug, Default)]
pub(super) struct Reasons([Cell<u64>; Whole::ALL.len()]);

impl Reasons {
    /// One more message goes in one piece.
    pub(super) fn count(&self, reason: Whole) {
        let count = &self.0[reason as usize];
        count.set(count.get() + 1);
    }

    /// A line of the reasons; nothing if no message went in one piece.
    pub(super) fn line(&self) -> Option<String> {
        let counted = Whole::ALL.into_iter().zip(&self.0);
        let counted = counted.filter(|(_, count)| count.get() != 0);
        let reasons: Vec<String> = counted
            .map(|(reason, count)| format!("{} ({})", count.get(), reason.words()))
            .collect();
        (!reasons.is_empty()).then(|| reasons.join(", "))
    }
}
