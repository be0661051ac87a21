//! Why a large message went in one piece: what users ask who expected stripes.
//!
//! Before: a send asks its target, and `division.rs` finds that it is not to be divided. After: the reason is counted, and
//! `PAMIR_SELECTION_REPORT` prints it.

use super::state::Striping;
use crate::context::Context;

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

impl<C> Striping<C> {
    /// One more message goes in one piece.
    pub(super) fn count_whole(&self, reason: Whole) {
        let count = &self.whole[reason as usize];
        count.set(count.get() + 1);
    }

    /// A line of the reasons; nothing if no message went in one piece.
    fn reasons(&self) -> Option<String> {
        let counted = Whole::ALL.into_iter().zip(&self.whole);
        let counted = counted.filter(|(_, count)| count.get() != 0);
        let reasons: Vec<String> = counted
            .map(|(reason, count)| format!("{} ({})", count.get(), reason.words()))
            .collect();
        (!reasons.is_empty()).then(|| reasons.join(", "))
    }
}

impl Context {
    /// What stripes have moved at this end, and why messages went in one piece, on standard error, if
    /// `PAMIR_SELECTION_REPORT` asks for it.
    pub fn print_striping_report(&self) {
        if !pamir_settings::SELECTION_REPORT.value() {
            return;
        }
        let task = self.task();
        if let Some(line) = self.striping.movers.line() {
            eprintln!("pamir: rank {task}: stripes of messages: {line}");
        }
        if let Some(line) = self.striping.reasons() {
            eprintln!("pamir: rank {task}: large messages in one piece: {line}");
        }
    }
}
