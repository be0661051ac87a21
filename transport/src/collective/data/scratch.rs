//! Temporary memory of an algorithm, aligned for every C type.
//!
//! Reductions hand pieces of it to operators, also to the user's own, which see
//! them as arrays of their type; so it starts on a multiple of 16, as memory from
//! `malloc` does. Small amounts lie in the future itself: an 8-byte reduction
//! allocates nothing.
//!
//! Invariant: the memory is initialised (zero) from the start.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::collective::error::CollectiveError;

/// Alignment of temporary memory in bytes: that of C's `max_align_t` on 64-bit machines.
pub const ALIGNMENT_BYTES: usize = 16;

/// Up to this many bytes need no allocation.
pub const INLINE_BYTES: usize = 64;

/// Temporary bytes, zero at first.
pub struct Scratch {
    bytes: usize,
    /// Where the bytes are when there are more than fit inline.
    heap: Option<NonNull<u8>>,
    inline: Inline,
}

// SAFETY: the allocation belongs to this value alone, and `dealloc` may be called on any thread;
// so a collective's future may be polled by whichever thread advances its context.
unsafe impl Send for Scratch {}

#[repr(C, align(16))]
struct Inline([u8; INLINE_BYTES]);

impl Scratch {
    /// `bytes` zero bytes.
    pub fn new(bytes: usize) -> Result<Self, CollectiveError> {
        let heap = if bytes <= INLINE_BYTES {
            None
        } else {
            let layout = Self::layout(bytes).ok_or(CollectiveError::OutOfMemory { bytes })?;
            // SAFETY: the layout's size is not zero, as it is above INLINE_BYTES.
            let memory = unsafe { alloc_zeroed(layout) };
            Some(NonNull::new(memory).ok_or(CollectiveError::OutOfMemory { bytes })?)
        };
        Ok(Self {
            bytes,
            heap,
            inline: Inline([0; INLINE_BYTES]),
        })
    }

    /// A copy of `source`.
    pub fn copy_of(source: &[u8]) -> Result<Self, CollectiveError> {
        let mut scratch = Self::new(source.len())?;
        scratch.copy_from_slice(source);
        Ok(scratch)
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, ALIGNMENT_BYTES).ok()
    }
}

impl Deref for Scratch {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self.heap {
            // SAFETY: `memory` was allocated with `self.bytes` initialised bytes, is owned by this
            // value alone and lives as long as it; the borrow of `self` keeps writers out.
            Some(memory) => unsafe { std::slice::from_raw_parts(memory.as_ptr(), self.bytes) },
            None => &self.inline.0[..self.bytes],
        }
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self.heap {
            // SAFETY: as in `deref`; the exclusive borrow of `self` keeps everybody else out.
            Some(memory) => unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), self.bytes) },
            None => &mut self.inline.0[..self.bytes],
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(memory) = self.heap
            && let Some(layout) = Self::layout(self.bytes)
        {
            // SAFETY: `memory` came from `alloc_zeroed` with this same layout and is freed only here.
            unsafe { dealloc(memory.as_ptr(), layout) };
        }
    }
}
