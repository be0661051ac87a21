//! The ends of a transfer share its chunks: one word that both of them claim chunks from.
//!
//! Before: a large message has been matched, and each end knows where the other's data lies.
//! After: each end copies what it has claimed, through the kernel.
//!
//! ```text
//!   bit 40..64 generation     20..40 back     0..20 front
//!
//!   units    0 ─▶ ─▶ ─▶ front              back ◀─ ◀─ ─ total
//!            the target's chunks           the origin's chunks
//! ```
//!
//! The target takes chunks from the front, the origin from the back, until they meet. Whoever is
//! not there takes none, and the other one copies everything. Lengths are counted in units, whose
//! size both ends compute from the length of the message.
//!
//! | word             | by                          | becomes |
//! |------------------|-----------------------------|---------|
//! | any              | [`ChunkClaims::open`]       | the next generation, nothing claimed |
//! | some is left     | [`ChunkClaims::claim`]      | a chunk less, from the claimer's end |
//! | nothing is left  | [`ChunkClaims::claim`]      | the same: nobody gets a chunk any more |
//! | any              | [`ChunkClaims::close`]      | the next generation: nothing for an end that knows the old one |
//!
//! Invariants: each unit is claimed at most once a generation; once nothing is left, the word
//! stays as it is until the target opens or closes it, so the target learns for certain how much
//! the origin has claimed. The word carries no data: that a chunk has been copied is told by a
//! packet.

use crate::atomic::{AtomicU64, Ordering};

/// The most units that a transfer may have.
pub const MOST_UNITS: u32 = (1 << FIELD_BITS) - 1;

const FIELD_BITS: u32 = 20;
const FIELD: u64 = (1 << FIELD_BITS) - 1;
const GENERATION_SHIFT: u32 = 2 * FIELD_BITS;

/// The end of a transfer that claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The target: from the front.
    Front,
    /// The origin: from the back.
    Back,
}

/// What is copied by whoever has claimed it, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The first unit.
    pub start: u32,
    /// How many.
    pub units: u32,
    /// How many nobody had claimed after that.
    pub left: u32,
}

/// Which transfer a word is used for; an older one's is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation(u32);

impl Generation {
    /// As it travels in a packet: 24 bits.
    pub fn word(self) -> u32 {
        self.0
    }

    /// The generation that a word of a packet stands for.
    pub fn from_word(word: u32) -> Self {
        Self(word & (u32::MAX >> 8))
    }
}

/// The word, in memory that both ends see. Any bits are a state: what makes no sense for a
/// transfer's length leaves nothing to claim.
#[repr(transparent)]
#[derive(Debug)]
pub struct ChunkClaims(AtomicU64);

// SAFETY: transparent around one 64-bit atomic.
#[cfg(not(loom))]
unsafe impl crate::shareable::Shareable for ChunkClaims {}

impl ChunkClaims {
    /// A word that no transfer has used.
    #[cfg(test)]
    fn unused() -> Self {
        Self(AtomicU64::new(0))
    }

    /// At the target: begins a transfer, of which nothing is claimed.
    pub fn open(&self) -> Generation {
        self.next()
    }

    /// At the target: whoever knows the present generation claims nothing any more.
    pub fn close(&self) {
        self.next();
    }

    /// Begins the next generation: exchanged, so that no claim comes in between.
    fn next(&self) -> Generation {
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let generation = Generation::from_word((word >> GENERATION_SHIFT) as u32 + 1);
            let new = u64::from(generation.0) << GENERATION_SHIFT;
            let exchanged =
                self.0
                    .compare_exchange_weak(word, new, Ordering::AcqRel, Ordering::Acquire);
            match exchanged {
                Ok(_) => return generation,
                Err(changed) => word = changed,
            }
        }
    }

    /// Claims a chunk of a transfer of `total` units: as many as `wanted` says of those that
    /// are left, at least one. `None` if nothing is left, or the transfer is over.
    pub fn claim(
        &self,
        generation: Generation,
        side: Side,
        total: u32,
        wanted: impl Fn(u32) -> u32,
    ) -> Option<Chunk> {
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let (front, back) = self.taken(word, generation, total)?;
            let left = total - front - back;
            if left == 0 {
                return None;
            }
            let shift = match side {
                Side::Front => 0,
                Side::Back => FIELD_BITS,
            };
            let units = wanted(left).clamp(1, left);
            let claimed = word + (u64::from(units) << shift);
            let exchanged =
                self.0
                    .compare_exchange_weak(word, claimed, Ordering::AcqRel, Ordering::Acquire);
            if let Err(changed) = exchanged {
                word = changed;
                continue;
            }
            let start = match side {
                Side::Front => front,
                Side::Back => total - back - units,
            };
            return Some(Chunk {
                start,
                units,
                left: left - units,
            });
        }
    }

    /// Units of a transfer that the target and the origin have claimed; `None` if it is over, or
    /// what the word says cannot be.
    pub fn claimed(&self, generation: Generation, total: u32) -> Option<(u32, u32)> {
        self.taken(self.0.load(Ordering::Acquire), generation, total)
    }

    fn taken(&self, word: u64, generation: Generation, total: u32) -> Option<(u32, u32)> {
        let front = (word & FIELD) as u32;
        let back = (word >> FIELD_BITS & FIELD) as u32;
        let possible = front.checked_add(back).is_some_and(|sum| sum <= total);
        (possible && word >> GENERATION_SHIFT == u64::from(generation.0)).then_some((front, back))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn chunks_meet_in_the_middle() {
        let claims = ChunkClaims::unused();
        let generation = claims.open();
        let claim = |side, units| claims.claim(generation, side, 10, |_| units);
        let chunk = |start, units, left| Some(Chunk { start, units, left });
        assert_eq!(claim(Side::Front, 4), chunk(0, 4, 6));
        assert_eq!(claim(Side::Back, 3), chunk(7, 3, 3));
        assert_eq!(claim(Side::Back, 0), chunk(6, 1, 2));
        assert_eq!(claim(Side::Front, 100), chunk(4, 2, 0));
        assert_eq!(claim(Side::Front, 1), None);
        assert_eq!(claim(Side::Back, 1), None);
        assert_eq!(claims.claimed(generation, 10), Some((6, 4)));
    }

    #[test]
    fn a_claim_is_told_what_is_left() {
        let claims = ChunkClaims::unused();
        let generation = claims.open();
        for left in [9, 5, 3, 2, 1] {
            let claimed = claims.claim(generation, Side::Back, 9, |there| {
                assert_eq!(there, left);
                there / 2
            });
            assert_eq!(claimed.unwrap().left, left - (left / 2).max(1));
        }
    }

    #[test]
    fn an_old_generation_gets_nothing() {
        let claims = ChunkClaims::unused();
        let old = claims.open();
        claims.close();
        assert_eq!(claims.claim(old, Side::Back, 5, |left| left), None);
        assert_eq!(claims.claimed(old, 5), None);
        let new = claims.open();
        assert_ne!(old, new);
        assert_eq!(Generation::from_word(new.word()), new);
        assert!(claims.claim(new, Side::Back, 5, |left| left).is_some());
    }

    #[test]
    fn what_cannot_be_leaves_nothing() {
        for word in [u64::MAX, 7 | 7 << FIELD_BITS | 1 << GENERATION_SHIFT] {
            let claims = ChunkClaims(AtomicU64::new(word));
            let generation = Generation::from_word((word >> GENERATION_SHIFT) as u32);
            assert_eq!(claims.claim(generation, Side::Front, 10, |_| 1), None);
        }
    }

    #[test]
    fn the_longest_transfer_and_the_last_generation_fit() {
        let claims = ChunkClaims(AtomicU64::new(u64::MAX));
        let generation = claims.open();
        assert_eq!(generation.word(), 0);
        let all = |side| claims.claim(generation, side, MOST_UNITS, |left| left);
        assert_eq!(all(Side::Back).unwrap().units, MOST_UNITS);
        assert_eq!(all(Side::Front), None);
        assert_eq!(
            claims.claimed(generation, MOST_UNITS),
            Some((0, MOST_UNITS))
        );
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::sync::Arc;

    const TOTAL: u32 = 3;

    /// Claims until nothing is left; the units that were claimed, as bits.
    fn claim_all(claims: &ChunkClaims, generation: Generation, side: Side) -> u32 {
        let mut bits = 0;
        while let Some(chunk) = claims.claim(generation, side, TOTAL, |left| left / 2) {
            let chunk_bits = ((1 << chunk.units) - 1) << chunk.start;
            assert_eq!(bits & chunk_bits, 0);
            bits |= chunk_bits;
        }
        bits
    }

    /// Both ends claim at once: each unit goes to one of them, and the target knows how many the
    /// origin has as soon as it gets no more itself.
    #[test]
    fn loom_each_unit_is_claimed_once() {
        loom::model(|| {
            let claims = Arc::new(ChunkClaims::unused());
            let generation = claims.open();
            let origin = {
                let claims = claims.clone();
                loom::thread::spawn(move || claim_all(&claims, generation, Side::Back))
            };
            let front = claim_all(&claims, generation, Side::Front);
            let (_, back_units) = claims.claimed(generation, TOTAL).unwrap();
            let back = origin.join().unwrap();
            assert_eq!((front | back, front & back), ((1 << TOTAL) - 1, 0));
            assert_eq!(back.count_ones(), back_units);
        });
    }

    /// The target ends a transfer and begins another with the same word, while the origin is
    /// late: it gets chunks of the first one or none, and none of the second.
    #[test]
    fn loom_a_late_origin_claims_nothing_of_the_next_transfer() {
        loom::model(|| {
            let claims = Arc::new(ChunkClaims::unused());
            let first = claims.open();
            let origin = {
                let claims = claims.clone();
                loom::thread::spawn(move || claim_all(&claims, first, Side::Back))
            };
            let front = claim_all(&claims, first, Side::Front);
            let second = claims.open();
            assert_eq!(claims.claimed(second, TOTAL), Some((0, 0)));
            assert_eq!(claim_all(&claims, second, Side::Front), (1 << TOTAL) - 1);
            let back = origin.join().unwrap();
            assert_eq!((front | back, front & back), ((1 << TOTAL) - 1, 0));
        });
    }

    /// The target takes a transfer back while the origin claims: afterwards the origin gets
    /// nothing.
    #[test]
    fn loom_a_closed_transfer_gives_nothing() {
        loom::model(|| {
            let claims = Arc::new(ChunkClaims::unused());
            let generation = claims.open();
            let origin = {
                let claims = claims.clone();
                loom::thread::spawn(move || {
                    claims.claim(generation, Side::Back, TOTAL, |_| 1);
                })
            };
            claims.close();
            assert_eq!(claims.claimed(generation, TOTAL), None);
            origin.join().unwrap();
            assert_eq!(claim_all(&claims, generation, Side::Back), 0);
        });
    }
}
