//! A submessage's memory: the message's, from an offset on, for whichever thread moves it.
//!
//! Before: a buffer of the master's. After: a buffer of the thread that has the entry, with a
//! machine of its own that has not moved yet; the dummy machine takes it to the offset.
//!
//! Invariant: parts of one message do not overlap, so that no two threads touch a byte.

use pamir_shm::lane::room::LaneRoom;

use crate::gather_scatter::stripes::Submessage;
use crate::tagged::buffer::{Buffer, Noncontiguous};

/// A submessage's memory.
pub(super) enum Part {
    /// Bytes that follow each other, from an exposed address on.
    Contiguous { address: usize, bytes: usize },
    /// What a program describes.
    Scattered(Slice),
}

/// The bytes of a message from an offset on, as if they were all.
pub(super) struct Slice {
    memory: Box<dyn Noncontiguous + Send>,
    submessage: Submessage,
}

impl Part {
    /// The part of `buffer` that belongs to a submessage, as far as the buffer reaches; nothing
    /// if only its owner's thread can move the buffer.
    pub(super) fn of(buffer: &Buffer, submessage: Submessage) -> Option<Self> {
        let Submessage { offset, bytes } = submessage;
        let bytes = bytes.min(buffer.bytes().saturating_sub(offset));
        Some(match buffer {
            Buffer::Contiguous { address, .. } => Self::Contiguous {
                address: address.wrapping_add(offset).expose_provenance(),
                bytes,
            },
            Buffer::Noncontiguous(memory) => Self::Scattered(Slice {
                memory: memory.fork()?,
                submessage: Submessage { offset, bytes },
            }),
        })
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Contiguous { bytes, .. } => *bytes,
            Self::Scattered(slice) => slice.submessage.bytes,
        }
    }

    /// The part as the buffer of a message.
    pub(super) fn into_buffer(self) -> Buffer {
        match self {
            Self::Contiguous { address, bytes } => Buffer::Contiguous {
                address: std::ptr::with_exposed_provenance_mut(address),
                bytes,
            },
            Self::Scattered(slice) => Buffer::Noncontiguous(Box::new(slice)),
        }
    }
}

impl Noncontiguous for Slice {
    fn bytes(&self) -> usize {
        self.submessage.bytes
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        // SAFETY: the part lies in the message; the caller vouches for the rest.
        unsafe { self.memory.pack(self.submessage.offset + at, target, bytes) };
    }

    unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        let at = self.submessage.offset + at;
        // SAFETY: as above.
        unsafe { self.memory.pack_into_lane(at, room, bytes) };
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        let at = self.submessage.offset + at;
        // SAFETY: as above.
        unsafe { self.memory.unpack(at, source, bytes) };
    }
}
