//! Which types may lie in a segment.

use crate::atomic::{AtomicU32, AtomicU64};

/// A type that two processes may look at through different mappings.
///
/// # Safety
///
/// The type is `#[repr(C)]` or `#[repr(transparent)]`, has no padding, holds no
/// pointer or reference, every bit pattern is a value of it, and everything that
/// a peer may write while it is borrowed is an atomic.
pub unsafe trait Shareable {}

// SAFETY: an atomic of fixed width: no padding, no pointer, every pattern valid.
unsafe impl Shareable for AtomicU32 {}
// SAFETY: as above.
unsafe impl Shareable for AtomicU64 {}

/// A value in lines of its own, so that two writers never share one.
///
/// 128 bytes, since many processors fetch lines in pairs. Not `crossbeam_utils::CachePadded`, which
/// serves memory of one process: its alignment depends on the target and may change with its
/// version, and two programs that share a segment may be built with different ones.
#[repr(C, align(128))]
#[derive(Debug)]
pub struct LinePadded<T: Shareable> {
    value: T,
}

// SAFETY: repr(C) around one shareable value; the bytes that fill up its lines are
// never looked at.
unsafe impl<T: Shareable> Shareable for LinePadded<T> {}

impl<T: Shareable> std::ops::Deref for LinePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
