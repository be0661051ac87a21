//! The next packet of the lane that carried the last one, without the table of handlers.
//!
//! Before: somebody expects an answer from where the last packet came. After: the packet was used,
//! and its room is given back.
//!
//! ```text
//! take_recent_line ──a line of the kind───────▶ copied: out of its origin's reach
//!   └─(another packet)─▶ take_recent_packet ──▶ used where it lies, in the lane
//! ```
//!
//! Whatever is not wanted stays where it is, and [`MessagingUnit::poll`] gives it to its handler.

use pamir_shm::lane::Watched;
use pamir_shm::lane::record::RecordHeader;

use crate::unit::packet::Packet;
use crate::unit::{MessagingUnit, Owner};

/// A packet that is still in its lane.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    header: RecordHeader,
    /// It came after the first look: its origin waits, probably, and no stream of packets comes.
    pub waited_for: bool,
}

/// What [`MessagingUnit::take_recent_line`] has found.
#[derive(Clone, Copy, Debug)]
pub enum Recent {
    /// No packet.
    Nothing,
    /// Another packet; it is still there.
    Other(Seen),
    /// A line, which was given.
    Taken,
}

impl<O: Owner> MessagingUnit<O> {
    /// The lane in which [`Self::poll`] has found something last.
    #[inline(always)]
    pub fn recent_origin(&self) -> usize {
        self.rotation.recent()
    }

    /// Gives the next packet of the lane that carried the last one to `give`, if it has come, is
    /// one line of `kind` with a metadata word, and `accept` takes it after a look at auxiliary
    /// number, metadata and bytes of data. `give` does not poll. Up to `looks` looks wait for a
    /// packet, a few tens of nanoseconds each.
    #[inline(always)]
    pub fn take_recent_line<A>(
        &self,
        kind: u8,
        looks: u32,
        accept: impl FnOnce(u16, u64, usize) -> Option<A>,
        give: impl FnOnce(A, usize, &[u8]),
    ) -> Recent {
        let origin = self.rotation.recent();
        let lane = &self.origins[origin];
        let arrived = match lane.watch_line(kind, looks) {
            Watched::Line(arrived) => arrived,
            Watched::Other(header, waited_for) => {
                return Recent::Other(Seen { header, waited_for });
            }
            Watched::Nothing => return Recent::Nothing,
        };
        let bytes = arrived.header.payload_bytes() - 8;
        let metadata = lane.first_word(&arrived);
        let Some(accepted) = accept(arrived.header.auxiliary(), metadata, bytes) else {
            return Recent::Other(Seen {
                header: arrived.header,
                waited_for: false,
            });
        };
        let line = lane.line_data(&arrived);
        give(accepted, origin, &line[..bytes]);
        lane.release_line(arrived);
        Recent::Taken
    }

    /// The same for the packet that [`Self::take_recent_line`] has just found, of any length; whether
    /// it was given. `give` gets the address of the data in the lane, which is readable for their
    /// bytes until it returns, as raw memory: a misbehaving origin may still change them.
    #[inline(always)]
    pub fn take_recent_packet<A>(
        &self,
        Seen { header, .. }: Seen,
        kind: u8,
        accept: impl FnOnce(u16, u64, usize) -> Option<A>,
        give: impl FnOnce(A, usize, *const u8),
    ) -> bool {
        let origin = self.rotation.recent();
        let lane = &self.origins[origin];
        // What lies in an exclusive buffer goes the general way.
        let Some(arrived) = lane
            .arrived(header)
            .filter(|_| !header.is_in_exclusive_buffer())
        else {
            return false;
        };
        let packet = Packet::of_record(lane, &arrived);
        let at = packet.data_at(8);
        if header.kind() != kind || header.payload_bytes() < at {
            return false;
        }
        let bytes = header.payload_bytes() - at;
        let Some(accepted) = accept(header.auxiliary(), packet.word(0), bytes) else {
            return false;
        };
        give(accepted, origin, lane.payload(&arrived).wrapping_add(at));
        lane.release(arrived);
        true
    }
}
