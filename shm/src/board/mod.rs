//! Boards: where the members of a geometry post data for each other, round after round.
//!
//! Before: a collective operation's algorithm has data that other members want. After: they
//! look at its post, in shared memory, without a message. A round is one post of every member
//! that has something to say in it; members number rounds alike.
//!
//! ```text
//! member 0   finished │ flag of round 0, 8, ..│ flag of round 1, 9, ..│ ...  [DEPTH]
//! member 1   finished │ flag                  │ flag                  │ ...
//! ```
//!
//! | step | by | effect |
//! |---|---|---|
//! | `has_room` | poster | every member has finished the round that was in this place |
//! | write | poster | nobody looks yet |
//! | `publish` | poster | the flag names the round: the post is there |
//! | `look` | reader | the post, if it is there |
//! | `finish` | reader | the member looks at no post of these rounds any more |
//!
//! The flag says which round it is, so nothing is cleared and nobody waits for a barrier
//! between two rounds: [`DEPTH`] of them are under way at once. What a member has finished
//! stands in its flags too; so who hears from everybody anyway never reads a `finished` word.
//!
//! Invariants:
//! 1. `publish` is a Release store of the flag and pairs with the Acquire load in `look`: who
//!    sees the round sees the post.
//! 2. A place is written for round r only when all members have finished round r - DEPTH. Their
//!    Release stores, of a flag or of `finished`, pair with the Acquire loads here: a post is
//!    overwritten only when it has been read.
//! 3. `finished` is published every [`PUBLISHED_ROUNDS`]. A member that waits for room is at most DEPTH -
//!    PUBLISHED_ROUNDS rounds ahead of what all others have published, so an algorithm that is
//!    never further ahead of its own reading cannot come to a stop.
//! 4. Round numbers wrap; two that are compared are less than 2^31 apart.

#[cfg(not(loom))]
pub mod mapped;

use std::cell::Cell;

use crate::atomic::{AtomicU32, AtomicU64, Ordering};

/// Rounds that are under way at once; a power of two.
pub const DEPTH: u32 = if cfg!(loom) { 2 } else { 8 };

/// After so many rounds a member publishes that it has finished them; a divisor of [`DEPTH`].
pub const PUBLISHED_ROUNDS: u32 = DEPTH / 2;

/// The memory that a board works on.
pub trait BoardMemory {
    /// How many members there are.
    fn members(&self) -> usize;

    /// The flag of a member in one of [`DEPTH`] places.
    fn flag(&self, member: usize, place: u32) -> &AtomicU64;

    /// The last round that a member has said to have finished.
    fn finished(&self, member: usize) -> &AtomicU32;
}

/// What a flag says: which round, how many rounds before it are not finished, how many bytes.
///
/// ```text
/// bits 0..32 round   32..40 rounds behind   40..64 bytes of the post
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flag(u64);

impl Flag {
    const MOST_BEHIND: u32 = 255;

    fn new(round: u32, behind: u32, bytes: u32) -> Self {
        let behind = behind.min(Self::MOST_BEHIND);
        Self(u64::from(round) | u64::from(behind) << 32 | u64::from(bytes) << 40)
    }

    fn round(self) -> u32 {
        self.0 as u32
    }

    fn behind(self) -> u32 {
        (self.0 >> 32) as u32 & 0xff
    }

    fn bytes(self) -> usize {
        (self.0 >> 40) as usize
    }
}

/// One member's end of a board.
#[derive(Debug)]
pub struct Board<M> {
    memory: M,
    member: usize,
    /// The last round that this member has finished.
    finished: Cell<u32>,
    /// The last round that each member is known to have finished.
    known: Box<[Cell<u32>]>,
    /// The lowest of them, as it was when it was last looked for.
    lowest: Cell<u32>,
}

/// The place of a round.
#[inline(always)]
pub fn place(round: u32) -> u32 {
    round & (DEPTH - 1)
}

/// How many rounds `later` lies behind `earlier`; negative if it does not.
#[inline(always)]
fn distance(earlier: u32, later: u32) -> i32 {
    later.wrapping_sub(earlier) as i32
}

impl<M: BoardMemory> Board<M> {
    /// Member `member` of a board whose memory is all zero: round 0 is finished, the first that
    /// is posted is round 1.
    pub fn new(memory: M, member: usize) -> Self {
        let known = (0..memory.members()).map(|_| Cell::new(0)).collect();
        Self {
            memory,
            member,
            finished: Cell::new(0),
            known,
            lowest: Cell::new(0),
        }
    }

    /// The board's memory.
    #[inline(always)]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Which member this is.
    #[inline(always)]
    pub fn member(&self) -> usize {
        self.member
    }

    /// Whether this member may write its post of a round.
    #[inline(always)]
    pub fn has_room(&self, round: u32) -> bool {
        distance(self.lowest.get(), round) <= DEPTH as i32 || self.look_for_room(round)
    }

    #[inline(never)]
    fn look_for_room(&self, round: u32) -> bool {
        let needed = round.wrapping_sub(DEPTH);
        let mut lowest = self.finished.get();
        for (member, known) in self.known.iter().enumerate() {
            if member == self.member {
                continue;
            }
            if distance(needed, known.get()) < 0 {
                // Acquire: pairs with the Release in `finish`.
                let published = self.memory.finished(member).load(Ordering::Acquire);
                self.learn(member, published);
            }
            if distance(lowest, known.get()) < 0 {
                lowest = known.get();
            }
        }
        self.lowest.set(lowest);
        distance(needed, lowest) >= 0
    }

    #[inline(always)]
    fn learn(&self, member: usize, finished: u32) {
        let known = &self.known[member];
        if distance(known.get(), finished) > 0 {
            known.set(finished);
        }
    }

    /// This member's post of `bytes` bytes in a round is written: the others may look.
    #[inline(always)]
    pub fn publish(&self, round: u32, bytes: u32) {
        let behind = round.wrapping_sub(self.finished.get());
        let flag = Flag::new(round, behind, bytes);
        // Release: pairs with the Acquire in `look`.
        self.memory
            .flag(self.member, place(round))
            .store(flag.0, Ordering::Release);
    }

    /// The length in bytes of a member's post in a round, if it is there. What a peer claims is not
    /// checked here.
    #[inline(always)]
    pub fn look(&self, member: usize, round: u32) -> Option<usize> {
        // Acquire: pairs with the Release in `publish`.
        let flag = Flag(
            self.memory
                .flag(member, place(round))
                .load(Ordering::Acquire),
        );
        if flag.round() != round {
            return None;
        }
        if flag.behind() < Flag::MOST_BEHIND {
            self.learn(member, round.wrapping_sub(flag.behind()));
        }
        Some(flag.bytes())
    }

    /// This member looks at no post up to `round` any more. True if that was published, and who
    /// waits for room must be told.
    #[inline(always)]
    pub fn finish(&self, round: u32) -> bool {
        let before = self.finished.replace(round);
        let publishes = before / PUBLISHED_ROUNDS != round / PUBLISHED_ROUNDS;
        if publishes {
            // Release: pairs with the Acquire in `look_for_room`.
            self.memory
                .finished(self.member)
                .store(round, Ordering::Release);
        }
        publishes
    }
}

#[cfg(test)]
mod tests;
