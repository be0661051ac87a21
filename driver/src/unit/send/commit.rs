//! Handing records over to their targets.
//!
//! Before: a packet is written into the room that was reserved for it in the lane. After: the target can see it, its
//! lines are where it finds them soon, and if it slept, it wakes.

use pamir_shm::lane::record::RecordHeader;
use pamir_shm::lane::{Expected, HANDED_OVER_LINES, Reserved};
use pamir_shm::sleep;

use crate::unit::{MessagingUnit, Owner};

/// The longest record, in lines, that is handed over to who reads it at once. Who waits for nothing yet is not sent
/// anything meanwhile: the target has nothing else to do than to read.
#[inline(always)]
pub(in crate::unit) fn handed_over_lines(owner: &impl Owner) -> u64 {
    if owner.receives() == 0 {
        u64::MAX
    } else {
        HANDED_OVER_LINES
    }
}

impl<O: Owner> MessagingUnit<O> {
    /// Hands a record over to a target. If that has sent something since the last one, the two answer each other, and
    /// the target reads it at once.
    #[inline(always)]
    pub(in crate::unit) fn commit(
        &self,
        target: usize,
        reserved: Reserved,
        kind: u8,
        auxiliary: u16,
        payload_bytes: usize,
    ) {
        let header = RecordHeader::new(kind, auxiliary, payload_bytes as u32);
        self.commit_to(
            target,
            reserved,
            header,
            HANDED_OVER_LINES,
            Expected::Another,
        );
    }

    /// The same; records of at most so many lines are handed over to who reads them at once, and what comes next is
    /// as expected.
    #[inline(always)]
    pub(in crate::unit) fn commit_to(
        &self,
        target: usize,
        reserved: Reserved,
        header: RecordHeader,
        most: u64,
        expected: Expected,
    ) {
        let to = &self.targets[target];
        if header.is_line() {
            to.lane.commit(reserved, header);
        } else {
            let most = if self.is_awaited(target) { most } else { 0 };
            to.lane.commit_to(reserved, header, most, expected);
        }
        to.wake_if_asleep();
    }

    /// Whether a target has sent something since the last record of several lines went to it: then it is likely to wait for
    /// this one.
    #[inline(always)]
    pub(in crate::unit) fn is_awaited(&self, target: usize) -> bool {
        let heard = self.origins[target].consumed();
        self.targets[target].heard.replace(heard) != heard
    }

    /// Wakes `target` if it sleeps: something that it may wait for was stored for it, with
    /// Release, in shared memory.
    #[inline(always)]
    pub fn wake(&self, target: usize) {
        sleep::wake_if_asleep(&self.targets[target].block.sleep);
    }
}
