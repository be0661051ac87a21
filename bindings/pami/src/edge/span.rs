//! Memory of the program's with its length.
//!
//! Before: an address of C's, and what counts and types of the same call say. After: safe code reads and writes
//! the bytes.
//!
//! Invariant: `bytes` is what the call in which the address was handed in says of it, so its caller vouches for
//! as many, and leaves them to the operation until the event that it names.

use crate::refusal::Refusal;
use crate::structures::pointer::Address;

/// Bytes at an address of the program's.
#[derive(Debug)]
pub struct Span {
    address: Address,
    bytes: usize,
}

impl Span {
    /// No bytes.
    pub const EMPTY: Self = Self {
        address: Address::NULL,
        bytes: 0,
    };

    /// `bytes` bytes at `address`, an argument's.
    ///
    /// # Errors
    ///
    /// [`Refusal::Null`] where there are bytes, and no address.
    pub fn new(address: Address, bytes: usize, argument: &'static str) -> Result<Self, Refusal> {
        if bytes == 0 {
            return Ok(Self::EMPTY);
        }
        if address.is_null() || address.is_in_place() {
            return Err(Refusal::Null { argument });
        }
        Ok(Self { address, bytes })
    }

    /// Where they are.
    pub fn address(&self) -> Address {
        self.address
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Part `index` of equal parts of `bytes` bytes, which the span has.
    pub fn part(&self, index: usize, bytes: usize) -> Self {
        self.at(index * bytes, bytes)
    }

    /// `bytes` bytes from `start` on, which the span has.
    pub fn at(&self, start: usize, bytes: usize) -> Self {
        assert!(
            start
                .checked_add(bytes)
                .is_some_and(|end| end <= self.bytes),
            "a part lies in its span"
        );
        Self {
            address: self.address.at(start as isize),
            bytes,
        }
    }

    /// Whether the two have bytes in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let ends = |span: &Self| {
            let start = span.address.raw().addr();
            (start, start + span.bytes)
        };
        let ((start, end), (others, others_end)) = (ends(self), ends(other));
        self.bytes > 0 && other.bytes > 0 && start < others_end && others < end
    }

    /// The bytes.
    pub fn read(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: not NULL, and the caller vouches for the bytes, which the program does not change meanwhile.
        unsafe { std::slice::from_raw_parts(self.address.raw(), self.bytes) }
    }

    /// The bytes, to write.
    pub fn write(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: not NULL, and the caller vouches for the bytes, which the program does not use meanwhile;
        // an operation has no second span of bytes that it writes.
        unsafe { std::slice::from_raw_parts_mut(self.address.raw(), self.bytes) }
    }

    /// Copies the bytes of `source`, which are as many; they may overlap.
    pub fn copy_from(&self, source: &Self) {
        assert_eq!(self.bytes, source.bytes, "both have as many bytes");
        // SAFETY: as for `write` and `read`; it is a plain move.
        unsafe { std::ptr::copy(source.address.raw(), self.address.raw(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::pointer::vouched::nowhere;

    #[test]
    fn what_is_not_there_is_refused() {
        for address in [Address::NULL, nowhere(usize::MAX)] {
            let refused = Span::new(address, 1, "buf");
            assert!(matches!(refused, Err(Refusal::Null { argument: "buf" })));
            assert_eq!(Span::new(address, 0, "buf").unwrap().bytes(), 0);
        }
    }
}
