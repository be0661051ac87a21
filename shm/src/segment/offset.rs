//! Positions inside a segment.
//!
//! Each process maps a segment at an address of its own, so a pointer means
//! nothing to a peer. An [`Offset`] counts bytes from the segment's start and
//! knows the type that lies there; turning it into a reference checks bounds and
//! alignment ([`crate::segment::Segment::get`]).

use std::marker::PhantomData;

/// Where a `T` lies in a segment: bytes from its start.
pub struct Offset<T> {
    bytes: u64,
    kind: PhantomData<fn() -> T>,
}

impl<T> Offset<T> {
    /// The position `bytes` after the segment's start. Checked when used.
    pub const fn new(bytes: u64) -> Self {
        Self {
            bytes,
            kind: PhantomData,
        }
    }

    /// Bytes from the segment's start.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// The position of element `index` of an array of `T` that starts here.
    pub const fn element(self, index: usize) -> Self {
        Self::new(self.bytes + (index * size_of::<T>()) as u64)
    }
}

impl<T> Clone for Offset<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Offset<T> {}

impl<T> std::fmt::Debug for Offset<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Offset({})", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Offset;

    #[test]
    fn elements_follow_each_other() {
        let first = Offset::<u64>::new(128);
        assert_eq!(first.element(3).bytes(), 152);
    }
}
