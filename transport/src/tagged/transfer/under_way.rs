//! The transfers under way of a context: what is pulled here, and what is pushed to targets.
//!
//! Before: a message is matched ([`super`]), or its target copies it ([`super::push`]). After: an advance takes the next
//! one, and copies a chunk of it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use pamir_driver::job::layout::TRANSFER_SLOTS;
use pamir_driver::memory::kernel_copy::KernelCopyError;
use pamir_driver::unit::UnitError;
use pamir_shm::copy::chunk_claims::{Chunk, ChunkClaims, Generation, MOST_UNITS, Side};
use pamir_shm::segment::PAGE_BYTES;
use pamir_shm::segment::mapped::Mapped;

use crate::protocol::trials::Timed;
use crate::tagged::state::request::RequestId;

/// In a `PUSHED`: the origin could not copy what it had claimed.
pub(super) const FAILED: u16 = 1;

/// The shortest chunk: what a system call for one more costs is not gained by sharing less.
pub(super) const SHORTEST_PIECE_BYTES: usize = 12 * 1024;

/// The shortest chunk of a target that has copied one, and whose origin may not be there.
pub(super) const LATER_PIECE_BYTES: usize = 128 * 1024;

/// Most bytes that are copied as soon as their message is matched, where that is the only one: a little sooner between
/// far cores (`docs/decisions/005-protocols.md`).
pub(super) const AT_ONCE_BYTES: usize = 64 * 1024;

/// The longest chunk: so long the other end may have to wait, or another message.
pub(super) const LONGEST_PIECE_BYTES: usize = 512 * 1024;

/// The transfers under way of one context.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    /// Pulling, the oldest first.
    pub(super) pulls: RefCell<VecDeque<Pull>>,
    /// Copied here, and waiting for what the origin has claimed.
    pub(super) copied: RefCell<Vec<Pull>>,
    /// Pushing, the oldest first.
    pub(super) pushes: RefCell<VecDeque<Push>>,
    /// Sends of which a push has failed; they wait for a `CLEAR_TO_SEND`.
    pub(super) failed: RefCell<Vec<RequestId>>,
    /// For each origin, which words of its lane are taken, as bits; made with the first pull.
    pub(super) slots: RefCell<Vec<u8>>,
    /// Whether a push has ever begun: `FINISHED` and `CLEAR_TO_SEND` need not look otherwise.
    pub(super) has_pushed: Cell<bool>,
}

impl Transfers {
    /// Transfers that an advance goes on with.
    pub(crate) fn under_way(&self) -> usize {
        self.pulls.borrow().len() + self.pushes.borrow().len()
    }

    /// A free word of the lane from `origin`.
    pub(super) fn take_slot(&self, origin: u32, origins: usize) -> Option<usize> {
        let mut slots = self.slots.borrow_mut();
        slots.resize(origins, 0);
        let taken = &mut slots[origin as usize];
        let free = taken.trailing_ones() as usize;
        (free < TRANSFER_SLOTS).then(|| {
            *taken |= 1 << free;
            free
        })
    }

    /// The transfer is over: nobody claims of it any more, and its word may serve another.
    pub(super) fn give_slot_back(&self, origin: u32, slot: Option<Slot>) {
        if let Some(slot) = slot {
            slot.claims.close();
            self.slots.borrow_mut()[origin as usize] &= !(1 << slot.index);
        }
    }
}

/// The word of a transfer.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) index: usize,
    pub(super) claims: Mapped<ChunkClaims>,
    pub(super) generation: Generation,
}

/// The addresses of a transfer's data at both ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    pub(super) local: *mut u8,
    pub(super) remote: u64,
    pub(super) bytes: usize,
}

impl Data {
    /// Bytes of a unit of claims, the same at both ends: a page at least, which the kernel copies as a
    /// whole.
    pub(super) fn unit_bytes(&self) -> usize {
        let least = self.bytes.div_ceil(MOST_UNITS as usize);
        least.next_power_of_two().max(PAGE_BYTES)
    }

    pub(super) fn units(&self) -> u32 {
        self.bytes.div_ceil(self.unit_bytes()) as u32
    }

    /// At least one unit.
    pub(super) fn units_of(&self, bytes: usize) -> u32 {
        (bytes / self.unit_bytes()).max(1) as u32
    }

    /// Gives `copy` the two addresses of a chunk, here and there, and its length in bytes.
    pub(super) fn copy(
        &self,
        chunk: Chunk,
        copy: impl FnOnce(*mut u8, u64, usize) -> Result<(), KernelCopyError>,
    ) -> Result<(), KernelCopyError> {
        let unit_bytes = self.unit_bytes();
        let start = chunk.start as usize * unit_bytes;
        let bytes = (chunk.units as usize * unit_bytes).min(self.bytes - start);
        copy(
            self.local.wrapping_add(start),
            self.remote.wrapping_add(start as u64),
            bytes,
        )
    }
}

/// A matched message whose data this task copies from its origin.
#[derive(Debug)]
pub(super) struct Pull {
    pub(super) origin: u32,
    pub(super) id: RequestId,
    pub(super) origins_request: u64,
    /// Bytes of the message; the data may be cut.
    pub(super) message_bytes: usize,
    pub(super) data: Data,
    /// The origin never copies: it is this task, or shares its processor.
    pub(super) alone: bool,
    pub(super) slot: Option<Slot>,
    /// Units copied from the front.
    pub(super) front: u32,
    /// The origin has written all that it had claimed.
    pub(super) pushed: bool,
    pub(super) timed: Option<Timed>,
}

impl Pull {
    /// Its half is still to be copied, and the other one by the origin, probably.
    pub(super) fn is_fresh(&self) -> bool {
        self.slot.is_some() && self.front == 0
    }

    /// Nobody else copies it, and it takes no longer than a few packets.
    pub(super) fn is_at_once(&self) -> bool {
        self.alone && self.data.bytes <= AT_ONCE_BYTES
    }

    /// The next chunk.
    pub(super) fn claim(&self) -> Option<Chunk> {
        let (total, front) = (self.data.units(), self.front);
        let longest = self.data.units_of(LONGEST_PIECE_BYTES);
        let Some(slot) = &self.slot else {
            let left = total - front;
            let units = left.min(longest);
            let left = left - units;
            let start = front;
            return (units != 0).then_some(Chunk { start, units, left });
        };
        let shortest = self.data.units_of(if front == 0 {
            SHORTEST_PIECE_BYTES
        } else {
            LATER_PIECE_BYTES
        });
        let wanted = |left: u32| {
            // Half of it, the rest being the origin's: now, or when it comes later. Two short halves
            // take longer than the whole.
            let half = left.div_ceil(2);
            let whole = front == 0 && half < shortest;
            let units = if whole { left } else { half.max(shortest) };
            units.min(longest)
        };
        slot.claims
            .claim(slot.generation, Side::Front, total, wanted)
    }

    /// Units that the origin has claimed, now that nothing is left.
    pub(super) fn claimed_by_origin(&self) -> Result<u32, UnitError> {
        let total = self.data.units();
        let claimed = match &self.slot {
            None => Some((self.front, 0)),
            Some(slot) => slot.claims.claimed(slot.generation, total),
        };
        let sound = |&(front, back): &(u32, u32)| front == self.front && front + back == total;
        let reason = "it has claimed chunks that it could not";
        let rank = self.origin;
        let (_, back) = claimed
            .filter(sound)
            .ok_or(UnitError::Packet { rank, reason })?;
        Ok(back)
    }
}

/// A message of this task's whose data its target copies, and this task too.
#[derive(Debug)]
pub(super) struct Push {
    pub(super) target: u32,
    pub(super) id: RequestId,
    pub(super) targets_request: u64,
    pub(super) data: Data,
    pub(super) claims: Mapped<ChunkClaims>,
    pub(super) generation: Generation,
    /// Something was claimed and written.
    pub(super) has_copied: bool,
}

impl Push {
    /// The next chunk: half of what nobody has begun, if others wait.
    pub(super) fn claim(&self, others_wait: bool) -> Option<Chunk> {
        let longest = self.data.units_of(LONGEST_PIECE_BYTES);
        let total = self.data.units();
        let wanted = |left: u32| {
            let halved = others_wait && left == total;
            longest.min(if halved { left / 2 } else { left })
        };
        self.claims
            .claim(self.generation, Side::Back, total, wanted)
    }
}

/// Takes the oldest one that is fresh, or the oldest one; and where it was.
pub(super) fn take_next<T>(
    waiting: &RefCell<VecDeque<T>>,
    is_fresh: impl Fn(&T) -> bool,
) -> Option<(usize, T)> {
    let mut waiting = waiting.borrow_mut();
    let place = waiting.iter().position(is_fresh).unwrap_or(0);
    waiting.remove(place).map(|next| (place, next))
}
