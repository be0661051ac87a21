//! How a message is divided, as its origin offers it to its target.
//!
//! Before: `division.rs` decides. After: the word goes with the question, and `message.rs` divides the message at both ends
//! as it says.
//!
//! ```text
//! bit 0..32 series     32..48 workers     48..64 stripes
//! ```

use super::MOST_STRIPES;

/// How a message is divided, as both ends know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offered {
    /// Tells the message's submessages from others between the same workers.
    pub(crate) series: u32,
    /// Workers of each end; 0 if the masters move all stripes.
    pub(crate) workers: usize,
    /// Submessages.
    pub(crate) stripes: usize,
}

impl Offered {
    /// As it travels.
    pub(crate) fn word(self) -> u64 {
        u64::from(self.series) | (self.workers as u64) << 32 | (self.stripes as u64) << 48
    }

    /// What a peer's word says, if it makes sense.
    pub(crate) fn from_word(word: u64) -> Option<Self> {
        let offered = Self {
            series: word as u32,
            workers: usize::from((word >> 32) as u16),
            stripes: (word >> 48) as usize,
        };
        (2..=MOST_STRIPES)
            .contains(&offered.stripes)
            .then_some(offered)
    }

    /// Who moves a stripe: the master is 0, worker w is w + 1.
    pub(super) fn mover(self, stripe: usize) -> usize {
        stripe % (self.workers + 1)
    }

    /// The worker that moves a stripe; none if the master does.
    pub(super) fn worker(self, stripe: usize) -> Option<usize> {
        self.mover(stripe).checked_sub(1)
    }
}
