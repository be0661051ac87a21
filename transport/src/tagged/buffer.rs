//! The memory of a message at either end: contiguous, or described by its owner.
//!
//! Before: MPI turns (address, count, datatype) into a [`Buffer`]. After: protocols move
//! bytes between it and packets, by offset within the message.

use pamir_shm::lane::room::LaneRoom;

/// Memory whose bytes do not follow each other; implemented by MPI's datatypes.
///
/// Calls come mostly with `at` where the last call ended; an implementation remembers its
/// place and seeks otherwise.
pub trait Noncontiguous {
    /// Bytes of the message.
    fn bytes(&self) -> usize;

    /// Writes message bytes `at..at + bytes` to `target`.
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes, and the described memory is readable.
    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize);

    /// As [`Self::pack`], into a lane, whose lines are far.
    ///
    /// # Safety
    ///
    /// As for [`Self::pack`]; the room has `bytes` bytes.
    unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        // SAFETY: as the caller vouches.
        unsafe { self.pack(at, room.address(), bytes) };
    }

    /// Takes message bytes `at..at + bytes` from `source`, which may be memory that a peer is
    /// changing: it is copied, each byte once, and never referred to.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes, and the described memory is writable.
    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize);

    /// Two to this power is the most data to put into a packet, where the memory is so slow to
    /// gather that both ends should work at once; always less than the message has. Nothing where
    /// packets may be as long as the engine makes them.
    fn packet_exponent(&self) -> Option<u8> {
        None
    }

    /// The same memory for another thread, with a place of its own that is not remembered from
    /// here: for submessages, which are moved at once. Nothing if only one thread can move it.
    fn fork(&self) -> Option<Box<dyn Noncontiguous + Send>> {
        None
    }
}

/// Bytes that the request keeps itself.
#[derive(Debug)]
pub struct Copied(pub Vec<u8>);

impl Noncontiguous for Copied {
    fn bytes(&self) -> usize {
        self.0.len()
    }

    unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        let piece = &self.0[at..at + bytes];
        // SAFETY: the caller gives room for the bytes, in memory that is not this vector's.
        unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), target, bytes) };
    }

    unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        let piece = &mut self.0[at..at + bytes];
        // SAFETY: the caller vouches for the source.
        unsafe { std::ptr::copy_nonoverlapping(source, piece.as_mut_ptr(), bytes) };
    }
}

/// The memory of a message in this process.
pub enum Buffer {
    /// `bytes` bytes that follow each other.
    Contiguous {
        /// The first byte.
        address: *mut u8,
        /// How many.
        bytes: usize,
    },
    /// Anything else.
    Noncontiguous(Box<dyn Noncontiguous>),
}

impl Buffer {
    /// Bytes that the message has, or for which there is room.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Contiguous { bytes, .. } => *bytes,
            Self::Noncontiguous(memory) => memory.bytes(),
        }
    }

    /// See [`Noncontiguous::packet_exponent`].
    pub fn packet_exponent(&self) -> Option<u8> {
        match self {
            Self::Contiguous { .. } => None,
            Self::Noncontiguous(memory) => memory.packet_exponent(),
        }
    }

    /// Writes message bytes `at..at + bytes` to `target`.
    ///
    /// # Safety
    ///
    /// `at + bytes` is at most [`Self::bytes`]; `target` is writable for `bytes` bytes; the
    /// buffer's memory is readable.
    pub unsafe fn pack(&mut self, at: usize, target: *mut u8, bytes: usize) {
        match self {
            // SAFETY: the range lies in the buffer; the caller vouches for the rest. A user's
            // buffer and the target (a lane or a temporary) never overlap.
            Self::Contiguous { address, .. } => unsafe {
                std::ptr::copy_nonoverlapping(address.add(at), target, bytes);
            },
            // SAFETY: as the caller vouches.
            Self::Noncontiguous(memory) => unsafe { memory.pack(at, target, bytes) },
        }
    }

    /// As [`Self::pack`], into a lane.
    ///
    /// # Safety
    ///
    /// As for [`Self::pack`]; the room has `bytes` bytes.
    pub unsafe fn pack_into_lane(&mut self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        match self {
            // SAFETY: the range lies in the buffer; the caller vouches for the rest.
            Self::Contiguous { address, .. } => unsafe { room.write(address.add(at), bytes) },
            // SAFETY: as the caller vouches.
            Self::Noncontiguous(memory) => unsafe { memory.pack_into_lane(at, room, bytes) },
        }
    }

    /// Takes message bytes `at..at + bytes` from `source`.
    ///
    /// # Safety
    ///
    /// `at + bytes` is at most [`Self::bytes`]; `source` is readable for `bytes` bytes; the
    /// buffer's memory is writable.
    pub unsafe fn unpack(&mut self, at: usize, source: *const u8, bytes: usize) {
        match self {
            // SAFETY: the range lies in the buffer; the caller vouches for the rest.
            Self::Contiguous { address, .. } => unsafe {
                pamir_shm::copy::copy_read(source, address.add(at), bytes);
            },
            // SAFETY: as the caller vouches.
            Self::Noncontiguous(memory) => unsafe { memory.unpack(at, source, bytes) },
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if matches!(self, Self::Contiguous { .. }) {
            "contiguous"
        } else {
            "noncontiguous"
        };
        write!(formatter, "Buffer({kind}, {} bytes)", self.bytes())
    }
}
