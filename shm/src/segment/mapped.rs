//! A shared value that keeps its mapping alive.

use std::ops::Deref;
use std::sync::Arc;

use crate::segment::offset::Offset;
use crate::segment::{Segment, SegmentError};
use crate::shareable::Shareable;

/// A `T` in a segment, checked once when it is looked up.
#[derive(Debug)]
pub struct Mapped<T: Shareable> {
    value: *const T,
    /// Keeps the mapping that `value` leads into.
    _segment: Arc<Segment>,
}

impl<T: Shareable> Mapped<T> {
    /// The value at `offset` of `segment`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] if it does not lie in the segment.
    pub fn new(segment: &Arc<Segment>, offset: Offset<T>) -> Result<Self, SegmentError> {
        let value: *const T = segment.get(offset)?;
        Ok(Self {
            value,
            _segment: Arc::clone(segment),
        })
    }
}

impl<T: Shareable> Deref for Mapped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: made from a reference into the mapping, which `_segment` keeps in place.
        unsafe { &*self.value }
    }
}

// SAFETY: a `Mapped` is a shared reference to a `T` together with what keeps it in place; the
// segment itself may go to any thread, and a `&T` may where `T` is `Sync`.
unsafe impl<T: Shareable + Sync> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: Shareable + Sync> Sync for Mapped<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::{AtomicU64, Ordering};

    #[test]
    fn the_value_outlives_the_segment_handle() {
        let segment = Arc::new(Segment::create(4096).unwrap());
        let value = Mapped::new(&segment, Offset::<AtomicU64>::new(64)).unwrap();
        assert!(Mapped::new(&segment, Offset::<AtomicU64>::new(4096)).is_err());
        drop(segment);
        value.store(5, Ordering::Relaxed);
        assert_eq!(value.load(Ordering::Relaxed), 5);
    }
}
