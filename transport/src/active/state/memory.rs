//! The memory of an active message at either end: one piece, or many.
//!
//! Before: a send or a receive says where the data is, or goes. After: packets are filled from
//! it, or land in it.
//!
//! Invariant: memory that its owner describes is asked for bytes in the order of the message,
//! while no table of the context is borrowed, since its owner's functions may run.

use std::cell::RefCell;
use std::rc::Rc;

use pamir_driver::unit::packet::Packet;
use pamir_shm::lane::room::LaneRoom;

use crate::tagged::buffer::Noncontiguous;

/// Where a message's bytes are at one end.
#[derive(Clone)]
pub(crate) enum Memory {
    /// They follow each other.
    Contiguous(*mut u8),
    /// Their owner knows.
    Scattered(Rc<RefCell<dyn Noncontiguous>>),
}

impl Memory {
    /// Memory that is not contiguous.
    pub(crate) fn scattered(memory: impl Noncontiguous + 'static) -> Self {
        Self::Scattered(Rc::new(RefCell::new(memory)))
    }

    /// The address of one piece; null of many.
    pub(crate) fn address(&self) -> *mut u8 {
        match self {
            Self::Contiguous(address) => *address,
            Self::Scattered(_) => std::ptr::null_mut(),
        }
    }

    /// Whether it is one piece.
    pub(crate) fn is_contiguous(&self) -> bool {
        matches!(self, Self::Contiguous(_))
    }

    /// Writes the message's bytes from `at` on into `room`.
    ///
    /// # Safety
    ///
    /// The memory has `at + bytes` bytes and is readable; `room` has `bytes` bytes.
    pub(crate) unsafe fn pack(&self, at: usize, room: LaneRoom<'_>, bytes: usize) {
        if bytes == 0 {
            return;
        }
        match self {
            // SAFETY: as the caller vouches; a lane is no part of a program's memory.
            Self::Contiguous(address) => unsafe {
                room.write(address.wrapping_add(at), bytes);
            },
            // SAFETY: as the caller vouches.
            Self::Scattered(memory) => unsafe {
                memory.borrow_mut().pack_into_lane(at, room, bytes);
            },
        }
    }

    /// Copies `data` to the message's bytes from `at` on.
    ///
    /// # Safety
    ///
    /// The memory has as many bytes from `at` on, and is writable.
    pub(crate) unsafe fn take(&self, at: usize, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        match self {
            // SAFETY: as the caller vouches; the data is no part of the program's memory.
            Self::Contiguous(address) => unsafe {
                let target = address.wrapping_add(at);
                std::ptr::copy_nonoverlapping(data.as_ptr(), target, data.len());
            },
            // SAFETY: as the caller vouches.
            Self::Scattered(memory) => unsafe {
                memory.borrow_mut().unpack(at, data.as_ptr(), data.len());
            },
        }
    }

    /// Copies a packet's bytes from its byte `from` on to the message's bytes from `at` on.
    ///
    /// # Safety
    ///
    /// The memory has `at + bytes` bytes and is writable.
    pub(crate) unsafe fn land(&self, at: usize, packet: &Packet<'_>, from: usize, bytes: usize) {
        if bytes == 0 {
            return;
        }
        match self {
            // SAFETY: as the caller vouches.
            Self::Contiguous(address) => unsafe {
                packet.copy_to(from, address.wrapping_add(at), bytes);
            },
            // SAFETY: as the caller vouches; unpacking copies raw memory, each byte once, and keeps
            // no pointer.
            Self::Scattered(memory) => unsafe {
                let mut memory = memory.borrow_mut();
                packet.scatter(from, bytes, |source, bytes| {
                    memory.unpack(at, source, bytes)
                });
            },
        }
    }
}
