//! Messages of one packet that go at once.
//!
//! Before: a send that is done with its data when this is, or a descriptor that needs no more than a packet. After: the
//! packet is in the lane, and its lines are where the target finds them soon; or nothing has happened, and the message
//! waits in the injection FIFO ([`MessagingUnit::submit`]).
//!
//! ```text
//! order of writing   2. metadata, data of the first line │ 1. data behind it │ 3. header, with Release
//! ```

use pamir_shm::lane::Expected;
use pamir_shm::lane::record::{ONE_LINE_BYTES, RecordHeader};

use super::commit::handed_over_lines;
use crate::injection::descriptor::{Descriptor, Operation, Source};
use crate::unit::packet::{ALIGNED_AT, data_start};
use crate::unit::target::reserve;
use crate::unit::{MessagingUnit, Owner, UnitError};

impl<O: Owner> MessagingUnit<O> {
    /// Sends `metadata` and `bytes` bytes at `source` as one packet, at once, or not at
    /// all: false while the lane is full or something waits before it.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes; `bytes` is at most [`Self::packet_bytes`].
    #[inline(always)]
    pub unsafe fn inject_immediate(
        &self,
        owner: &O,
        target: usize,
        kind: u8,
        auxiliary: u16,
        metadata: u64,
        (source, bytes): (*const u8, usize),
    ) -> Result<bool, UnitError> {
        let to = &self.targets[target];
        if to.backlog.get() != 0 {
            return Ok(false);
        }
        if let Some(buffers) = to.exclusive_buffers_for(bytes) {
            let header = RecordHeader::new(kind, auxiliary, 0);
            // SAFETY: as the caller vouches.
            return unsafe {
                self.inject_piece_in_exclusive_buffer(
                    owner,
                    target,
                    buffers,
                    header,
                    metadata,
                    (source, bytes),
                )
            };
        }
        let start = data_start(8, bytes);
        let Some(reserved) = reserve(to, target, start + bytes)? else {
            return Ok(false);
        };
        // The target looks at the first line all the time, and would take it away half written:
        // what lies behind it comes first.
        let behind = behind_first_line(start, bytes);
        // SAFETY: the caller vouches for the source; the record was reserved for the bytes, of
        // which `behind` is at most all.
        unsafe {
            let rest = source.wrapping_add(bytes - behind);
            to.lane
                .write(&reserved, start + bytes - behind, rest, behind);
        }
        to.lane.write_word(&reserved, 0, metadata);
        // SAFETY: as above.
        unsafe { to.lane.write(&reserved, start, source, bytes - behind) };
        let header = RecordHeader::new(kind, auxiliary, (start + bytes) as u32);
        let most = handed_over_lines(owner);
        self.commit_to(target, reserved, header, most, Expected::Another);
        Ok(true)
    }

    /// Injects a descriptor whose data are one packet that can go at once, as it would without a descriptor.
    ///
    /// # Safety
    ///
    /// As for [`Self::submit`].
    pub(in crate::unit) unsafe fn inject_whole(
        &self,
        owner: &O,
        descriptor: &mut Descriptor,
    ) -> Result<bool, UnitError> {
        let bytes = descriptor.bytes as usize;
        let is_short = bytes <= self.packet_bytes.min(self.packet_bytes_of(descriptor));
        let is_whole = descriptor.operation == Operation::MemoryFifo
            && descriptor.source == Source::Memory
            && is_short;
        if !is_whole {
            return Ok(false);
        }
        let data = (descriptor.buffer as *const u8, bytes);
        let (target, kind) = (descriptor.target as usize, descriptor.kind);
        let (auxiliary, metadata) = (descriptor.auxiliary, descriptor.metadata);
        // SAFETY: the caller vouches for the buffer; the length was just checked.
        let sent =
            unsafe { self.inject_immediate(owner, target, kind, auxiliary, metadata, data)? };
        if sent {
            descriptor.injected = descriptor.bytes;
        }
        Ok(sent)
    }
}

/// How many of a packet's last data bytes are written before its first line: all that starts at
/// the second line, and what the lines behind the first hold. The target polls the first line all the time
/// (`docs/decisions/001-lanes.md`).
#[inline(always)]
pub(in crate::unit) fn behind_first_line(start: usize, bytes: usize) -> usize {
    if start == ALIGNED_AT {
        bytes
    } else {
        (start + bytes).saturating_sub(ONE_LINE_BYTES)
    }
}
