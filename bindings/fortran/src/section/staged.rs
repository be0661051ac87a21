//! A contiguous copy that stands for a section while an operation runs.
//!
//! What: [`Staged::new`] copies in, [`Staged::give_back`] copies out what the operation changed.
//! Why a copy: reductions take no derived datatypes, and buffers of several ranks' parts count in
//! multiples of an extent, which a section of two dimensions has not.
//! Step before: `entry`. Step after: at once, or `pending` when the request is complete.
//! Invariant: a byte that the operation did not write is not written here either: the program may use it.

use super::{Descriptor, Layout};
use crate::c::c_void;

/// A section and its copy; of a contiguous buffer only the address.
pub struct Staged {
    address: *mut c_void,
    copy: Option<Copy>,
}

struct Copy {
    layout: Layout,
    is_written: bool,
    // What C works on, aligned for every type, and what was in it before.
    data: Vec<u128>,
    before: Vec<u128>,
}

// SAFETY: the addresses are the program's buffer and this object's own copy, which are the operation's
// until it is complete, whichever thread completes it.
unsafe impl Send for Staged {}

impl Staged {
    /// Copies a section in.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor, and its elements may be read; written too, if `is_written`.
    pub unsafe fn new(descriptor: *const Descriptor, is_written: bool) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            if Descriptor::is_contiguous(descriptor) {
                return Self {
                    address: (*descriptor).address,
                    copy: None,
                };
            }
            let layout = Layout::of(descriptor);
            let words = layout.size().div_ceil(size_of::<u128>()).max(1);
            let copy = Copy {
                layout,
                is_written,
                data: vec![0; words],
                before: Vec::new(),
            };
            let mut staged = Self {
                address: copy.data.as_ptr().cast_mut().cast(),
                copy: Some(copy),
            };
            staged.take();
            staged
        }
    }

    /// What C works on.
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// Copies the section in.
    pub fn take(&mut self) {
        let Some(copy) = &mut self.copy else { return };
        let (layout, to) = (&copy.layout, copy.data.as_mut_ptr().cast::<u8>());
        for (index, offset) in layout.offsets().enumerate() {
            // SAFETY: `new`'s caller says that the section may be read; the copy has room for all runs.
            unsafe {
                let from = layout.address.wrapping_offset(offset);
                std::ptr::copy_nonoverlapping(from, to.add(index * layout.run), layout.run);
            }
        }
        if copy.is_written {
            copy.before.clone_from(&copy.data);
        }
    }

    /// Copies out what changed.
    pub fn give_back(&mut self) {
        let Some(copy) = &mut self.copy else { return };
        if !copy.is_written {
            return;
        }
        let (layout, run) = (&copy.layout, copy.layout.run);
        let (data, before) = (
            copy.data.as_ptr().cast::<u8>(),
            copy.before.as_ptr().cast::<u8>(),
        );
        for (index, offset) in layout.offsets().enumerate() {
            // SAFETY: both copies have room for all runs; `new`'s caller says that the section may be written.
            unsafe {
                let now = std::slice::from_raw_parts(data.add(index * run), run);
                let then = std::slice::from_raw_parts(before.add(index * run), run);
                let to = layout.address.wrapping_offset(offset);
                for (at, (now, then)) in now.iter().zip(then).enumerate() {
                    if now != then {
                        *to.add(at) = *now;
                    }
                }
            }
        }
    }
}
