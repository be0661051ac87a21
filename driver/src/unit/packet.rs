//! Packets as they stand in the reception FIFO, and the table of their handlers.
//!
//! Before: the reception side has found a record in a lane. After: the handler that
//! the packet's header names has taken what it needs; the record's room goes back.
//!
//! Invariant: a [`Packet`] looks at bytes that a peer wrote and may still be writing,
//! if it misbehaves. So it never gives a reference, only copies, and each access
//! checks the bounds.

use std::cell::Cell;

use pamir_shm::copy::{LINE_DATA_BYTES, copy_line, copy_payload};
use pamir_shm::lane::Arrived;
use pamir_shm::lane::mapped::LaneConsumer;
use pamir_shm::lane::record::RecordHeader;

use crate::unit::UnitError;

/// From this many bytes on, a packet's data starts at a line of its own.
///
/// ```text
/// short:  | word | header | data ...
/// long:   | word | header | (unused) | data, from the second line on ...
/// ```
///
/// Whole lines are written and read faster than lines that are cut in two, and most data takes as many of them. Shorter
/// data takes one line more too often (`docs/decisions/003-records-and-packets.md`).
/// No short packet is as long as a long one, so the payload's length tells which it is.
pub const ALIGNED_BYTES: usize = 192;

/// Where a long packet's data starts in its payload: at the end of the first line.
pub const ALIGNED_AT: usize = pamir_shm::lane::record::ONE_LINE_BYTES;

/// Where the data of a packet with `header_bytes` bytes of header starts, by its data's length.
#[inline(always)]
pub const fn data_start(header_bytes: usize, data_bytes: usize) -> usize {
    if data_bytes < ALIGNED_BYTES {
        header_bytes
    } else {
        ALIGNED_AT
    }
}

/// The kind of the packet that a replenish descriptor sends to its own unit's reception FIFO.
pub const REPLENISH: u8 = u8::MAX;

/// A packet that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    payload: *const u8,
    /// What the record says of itself: with it a packet is two words, which handlers get in registers.
    header: RecordHeader,
    lifetime: std::marker::PhantomData<&'a u8>,
}

impl<'a> Packet<'a> {
    /// The packet in a record of `lane` that is not released yet.
    #[inline(always)]
    pub(super) fn of_record(lane: &'a LaneConsumer, arrived: &'a Arrived) -> Self {
        // SAFETY: `peek` saw that the record lies inside the ring. The packet lives no longer than
        // the borrow of `arrived`, which `release` takes away.
        unsafe { Self::new(lane.payload(arrived), arrived.header) }
    }
}

impl Packet<'_> {
    /// The packet whose payload lies at `payload`, behind `header`.
    ///
    /// # Safety
    ///
    /// `payload` is readable for the header's payload bytes as long as the packet lives.
    #[inline(always)]
    pub(crate) unsafe fn new(payload: *const u8, header: RecordHeader) -> Self {
        Self {
            payload,
            header,
            lifetime: std::marker::PhantomData,
        }
    }

    /// Payload bytes.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.header.payload_bytes()
    }

    /// Where the data starts behind `header_bytes` bytes of header.
    #[inline(always)]
    pub fn data_at(&self, header_bytes: usize) -> usize {
        if self.bytes() < ALIGNED_BYTES + ALIGNED_AT {
            header_bytes
        } else {
            ALIGNED_AT
        }
    }

    /// Data bytes behind `header_bytes` bytes of header.
    #[inline(always)]
    pub fn data_bytes(&self, header_bytes: usize) -> usize {
        self.bytes().saturating_sub(self.data_at(header_bytes))
    }

    /// The packet's auxiliary number.
    #[inline(always)]
    pub fn auxiliary(&self) -> u16 {
        self.header.auxiliary()
    }

    /// The 8-byte word at byte `at`, or 0 where the packet is too short to have it.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u64 {
        if at + 8 > self.bytes() {
            return 0;
        }
        // SAFETY: the eight bytes lie in the payload, which `new` was promised is readable.
        unsafe { self.payload.add(at).cast::<u64>().read_unaligned() }
    }

    /// Data bytes behind a metadata word, if all of the packet is one line and begins with that.
    #[inline(always)]
    pub fn line_data_bytes(&self) -> Option<usize> {
        // A payload that is shorter than a word wraps to a length that no line has.
        let bytes = self.bytes().wrapping_sub(8);
        (bytes <= LINE_DATA_BYTES).then_some(bytes)
    }

    /// Copies the data behind the metadata word of a packet of one line, without a call.
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes, at most what [`Self::line_data_bytes`] has given.
    #[inline(always)]
    pub unsafe fn copy_line_to(&self, target: *mut u8, bytes: usize) {
        // SAFETY: the caller vouches for the target and for the length, which the payload has
        // behind its first word.
        unsafe { copy_line(self.payload.wrapping_add(8), target, bytes) };
    }

    /// Copies the bytes from `at` on to `target`, `bytes` of them or as many as there are.
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes.
    #[inline(always)]
    pub unsafe fn copy_to(&self, at: usize, target: *mut u8, bytes: usize) {
        let bytes = bytes.min(self.bytes().saturating_sub(at));
        // SAFETY: the range lies in the payload; the caller vouches for the target, which
        // is no part of the ring, since the ring is never handed out.
        unsafe {
            copy_payload(
                self.payload.wrapping_add(at),
                target,
                bytes,
                self.header.is_string(),
            )
        };
    }

    /// Lets `scatter` copy the bytes from `at` on to where they belong, `bytes` of them or as
    /// many as there are: for targets that do not lie together.
    ///
    /// # Safety
    ///
    /// `scatter` only copies from the pointer, so many bytes, as raw memory that the origin may
    /// change meanwhile: it makes no reference to them, and keeps the pointer no longer than the call.
    pub unsafe fn scatter(&self, at: usize, bytes: usize, scatter: impl FnOnce(*const u8, usize)) {
        let bytes = bytes.min(self.bytes().saturating_sub(at));
        if bytes != 0 {
            scatter(self.payload.wrapping_add(at), bytes);
        }
    }

    /// The bytes from `at` on, copied.
    pub fn to_vec(&self, at: usize) -> Vec<u8> {
        let bytes = self.bytes().saturating_sub(at);
        let mut copy = Vec::with_capacity(bytes);
        // SAFETY: the vector has the room; exactly `bytes` bytes are written before its
        // length says so.
        unsafe {
            self.copy_to(at, copy.as_mut_ptr(), bytes);
            copy.set_len(bytes);
        }
        copy
    }
}

/// What is called for a packet: the owner, the origin's rank, and the packet.
pub type PacketHandler<Owner> = fn(&Owner, u32, Packet<'_>) -> Result<(), UnitError>;

/// Which handler is called for which kind of packet.
pub struct PacketHandlerTable<Owner> {
    handlers: [Cell<PacketHandler<Owner>>; 256],
}

impl<Owner> PacketHandlerTable<Owner> {
    /// A table that calls `otherwise` for every kind until another handler is set.
    pub fn new(otherwise: PacketHandler<Owner>) -> Self {
        Self {
            handlers: std::array::from_fn(|_| Cell::new(otherwise)),
        }
    }

    /// Sets the handler of packets of `kind`.
    pub fn set(&self, kind: u8, handler: PacketHandler<Owner>) {
        self.handlers[usize::from(kind)].set(handler);
    }

    /// The handler of packets of `kind`.
    #[inline(always)]
    pub fn get(&self, kind: u8) -> PacketHandler<Owner> {
        self.handlers[usize::from(kind)].get()
    }
}

impl<Owner> std::fmt::Debug for PacketHandlerTable<Owner> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PacketHandlerTable")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_tells_where_the_data_starts() {
        for header_bytes in [0, 8, 16] {
            for data_bytes in (0..260).chain([1000, 1024, 8192]) {
                let start = data_start(header_bytes, data_bytes);
                let bytes = vec![0; start + data_bytes];
                let header = RecordHeader::new(3, 0, bytes.len() as u32);
                // SAFETY: the vector outlives the packet.
                let packet = unsafe { Packet::new(bytes.as_ptr(), header) };
                assert_eq!(packet.data_at(header_bytes), start);
                assert_eq!(packet.data_bytes(header_bytes), data_bytes);
            }
        }
    }

    #[test]
    fn lines_give_the_data_behind_their_first_word() {
        let bytes: [u8; 56] = std::array::from_fn(|at| at as u8);
        for payload_bytes in 0..=60 {
            let header = RecordHeader::new(3, 0, payload_bytes);
            // SAFETY: what is read lies in the array.
            let packet = unsafe { Packet::new(bytes.as_ptr(), header) };
            let data = packet.line_data_bytes();
            assert_eq!(
                data,
                (8..=56)
                    .contains(&payload_bytes)
                    .then(|| payload_bytes as usize - 8)
            );
            let Some(data) = data else { continue };
            let mut target = [0xFF_u8; 50];
            // SAFETY: so many bytes are writable.
            unsafe { packet.copy_line_to(target.as_mut_ptr(), data) };
            assert_eq!(target[..data], bytes[8..8 + data]);
            assert!(target[data..].iter().all(|byte| *byte == 0xFF));
        }
    }

    #[test]
    fn accesses_stay_inside() {
        let bytes: Vec<u8> = (0..20).collect();
        // SAFETY: the vector outlives the packet.
        let packet = unsafe { Packet::new(bytes.as_ptr(), RecordHeader::new(3, 9, 20)) };
        assert_eq!(packet.word(8).to_ne_bytes(), [8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(packet.word(13), 0);
        assert_eq!(packet.to_vec(17), [17, 18, 19]);
        assert!(packet.to_vec(30).is_empty());
        let mut target = [0xFF_u8; 8];
        // SAFETY: eight bytes are writable.
        unsafe { packet.copy_to(16, target.as_mut_ptr(), 8) };
        assert_eq!(target, [16, 17, 18, 19, 255, 255, 255, 255]);
    }
}
