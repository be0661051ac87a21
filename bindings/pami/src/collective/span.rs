//! Buffers of the program's, and lists of counts, as bytes.
//!
//! Before: addresses, types and counts of C. After: [`Span`]s that algorithms read and write, and
//! [`Layout`]s, which say where each member's block lies in one.
//!
//! Invariant: a span is read or written while its operation is under way only, during which the
//! program leaves the buffer to it.

use std::ffi::c_void;

use pamir_transport::collective::Blocks;

use crate::refusal::Refusal;
use crate::structures::Type;
use crate::structures::variables::element_bytes;

/// The address that says that data is sent from where it goes (`PAMI_IN_PLACE`).
const IN_PLACE: usize = usize::MAX;

/// Whether a buffer is `PAMI_IN_PLACE`.
pub fn is_in_place(buffer: *const u8) -> bool {
    buffer.addr() == IN_PLACE
}

/// Bytes of `count` elements of a type.
pub fn bytes_of(type_: Type, count: usize) -> Result<usize, Refusal> {
    let element = element_bytes(type_).ok_or(Refusal::ElementType)?;
    element.checked_mul(count).ok_or(Refusal::Count)
}

/// Bytes at an address of the program's.
#[derive(Clone, Copy)]
pub struct Span {
    address: *mut u8,
    bytes: usize,
}

impl Span {
    /// No bytes.
    pub const EMPTY: Self = Self {
        address: std::ptr::null_mut(),
        bytes: 0,
    };

    /// `bytes` bytes at `address`, an argument's.
    pub fn new(address: *mut u8, bytes: usize, argument: &'static str) -> Result<Self, Refusal> {
        if bytes == 0 {
            return Ok(Self::EMPTY);
        }
        if address.is_null() || is_in_place(address) {
            return Err(Refusal::Null { argument });
        }
        Ok(Self { address, bytes })
    }

    /// Where they are.
    pub fn address(self) -> *mut u8 {
        self.address
    }

    /// How many bytes.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Part `index` of equal parts of `bytes` bytes, which the span has.
    pub fn part(self, index: usize, bytes: usize) -> Self {
        self.at(index * bytes, bytes)
    }

    /// `bytes` bytes from `start` on, which the span has.
    pub fn at(self, start: usize, bytes: usize) -> Self {
        debug_assert!(start + bytes <= self.bytes);
        Self {
            address: self.address.wrapping_add(start),
            bytes,
        }
    }

    /// Whether the two have bytes in common.
    pub fn overlaps(self, other: Self) -> bool {
        let (start, end) = (self.address.addr(), self.address.addr() + self.bytes);
        let (others, others_end) = (other.address.addr(), other.address.addr() + other.bytes);
        self.bytes > 0 && other.bytes > 0 && start < others_end && others < end
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// The operation is under way, and nothing writes to them as long as they are used.
    pub unsafe fn read<'a>(self) -> &'a [u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: not null, and as the caller vouches.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// The bytes, to write.
    ///
    /// # Safety
    ///
    /// The operation is under way, and nothing else uses them as long as these are used.
    pub unsafe fn write<'a>(self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: not null, and as the caller vouches.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }

    /// Copies the bytes of `source`, which are as many; they may overlap.
    ///
    /// # Safety
    ///
    /// The operation is under way, and nothing else uses either.
    pub unsafe fn copy_from(self, source: Self) {
        debug_assert_eq!(self.bytes, source.bytes);
        // SAFETY: as the caller vouches.
        unsafe { std::ptr::copy(source.address, self.address, self.bytes) };
    }
}

/// Numbers of the program's: `size_t`, or `int` in the forms that end in `_int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// `size_t`
    Size,
    /// `int`
    Int,
}

impl Width {
    /// A number that stands where a `size_t` has room for it.
    pub fn number(self, word: usize) -> Result<usize, Refusal> {
        match self {
            Self::Size => Ok(word),
            Self::Int => usize::try_from(word as u32 as i32).map_err(|_| Refusal::Count),
        }
    }

    /// # Safety
    ///
    /// `list` has `count` numbers.
    unsafe fn numbers(
        self,
        list: *const c_void,
        count: usize,
        argument: &'static str,
    ) -> Result<Vec<usize>, Refusal> {
        if list.is_null() {
            return Err(Refusal::Null { argument });
        }
        match self {
            // SAFETY: as the caller vouches.
            Self::Size => Ok(unsafe { std::slice::from_raw_parts(list.cast(), count) }.to_vec()),
            Self::Int => {
                // SAFETY: as the caller vouches.
                let list: &[i32] = unsafe { std::slice::from_raw_parts(list.cast(), count) };
                let numbers = list.iter().map(|number| usize::try_from(*number));
                let numbers: Result<_, _> = numbers.collect();
                numbers.map_err(|_| Refusal::Count)
            }
        }
    }
}

/// Where each member's block lies in a buffer, in bytes.
pub struct Layout {
    counts: Vec<usize>,
    displacements: Vec<usize>,
}

impl Layout {
    /// Blocks of `counts` elements that begin at `displacements` elements, for `members` members.
    ///
    /// # Safety
    ///
    /// Both lists have as many numbers.
    pub unsafe fn new(
        width: Width,
        type_: Type,
        members: usize,
        counts: *const c_void,
        displacements: *const c_void,
    ) -> Result<Self, Refusal> {
        // SAFETY: as the caller vouches.
        let (counts, displacements) = unsafe {
            (
                width.numbers(counts, members, "typecounts")?,
                width.numbers(displacements, members, "displs")?,
            )
        };
        let in_bytes = |list: Vec<usize>| {
            let bytes = list.into_iter().map(|count| bytes_of(type_, count));
            bytes.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            counts: in_bytes(counts)?,
            displacements: in_bytes(displacements)?,
        })
    }

    /// Blocks one behind the other.
    ///
    /// # Safety
    ///
    /// `counts` has a number for each member.
    pub unsafe fn packed(
        type_: Type,
        members: usize,
        counts: *const usize,
    ) -> Result<Self, Refusal> {
        // SAFETY: as the caller vouches.
        let counts = unsafe { Width::Size.numbers(counts.cast(), members, "rcounts")? };
        let mut layout = Self {
            counts: Vec::with_capacity(members),
            displacements: Vec::with_capacity(members),
        };
        let mut end: usize = 0;
        for count in counts {
            let bytes = bytes_of(type_, count)?;
            layout.counts.push(bytes);
            layout.displacements.push(end);
            end = end.checked_add(bytes).ok_or(Refusal::Count)?;
        }
        Ok(layout)
    }

    /// As algorithms take it.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::Listed {
            counts: &self.counts,
            displacements: &self.displacements,
        }
    }

    /// Bytes of a member's block.
    pub fn bytes(&self, rank: usize) -> usize {
        self.counts[rank]
    }

    /// A member's block in a buffer that has all of them.
    pub fn block(&self, buffer: Span, rank: usize) -> Span {
        if self.counts[rank] == 0 {
            return Span::EMPTY;
        }
        buffer.at(self.displacements[rank], self.counts[rank])
    }

    /// Bytes of a buffer that has all blocks.
    pub fn extent(&self) -> Result<usize, Refusal> {
        let mut extent = 0;
        for (bytes, start) in self.counts.iter().zip(&self.displacements) {
            if *bytes > 0 {
                extent = extent.max(start.checked_add(*bytes).ok_or(Refusal::Count)?);
            }
        }
        Ok(extent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::variables::PAMI_TYPE_SIGNED_INT;

    #[test]
    fn layouts_count_in_elements() {
        let (counts, displacements) = ([2_i32, 0, 1], [3_i32, 99, 0]);
        let lists = [counts, displacements].map(|list| list);
        let (int, width) = (PAMI_TYPE_SIGNED_INT.0, Width::Int);
        let [counts, displacements] = [&lists[0], &lists[1]].map(|list| list.as_ptr().cast());
        // SAFETY: both have three numbers.
        let layout = unsafe { Layout::new(width, int, 3, counts, displacements) }.unwrap();
        assert_eq!(layout.extent().unwrap(), 20);
        let mut buffer = [0_u8; 20];
        let span = Span::new(buffer.as_mut_ptr(), 20, "buffer").unwrap();
        assert_eq!(layout.block(span, 0).address, span.address.wrapping_add(12));
        assert_eq!(layout.block(span, 1).bytes(), 0);
        assert!(layout.block(span, 0).overlaps(span));
        assert!(!layout.block(span, 0).overlaps(layout.block(span, 2)));
        let negative = [-1_i32; 3];
        // SAFETY: both have three numbers.
        let refused = unsafe { Layout::new(width, int, 3, negative.as_ptr().cast(), counts) };
        assert!(matches!(refused, Err(Refusal::Count)));
        let many = [usize::MAX / 2; 3];
        // SAFETY: there are three numbers.
        let refused = unsafe { Layout::packed(int, 3, many.as_ptr()) };
        assert!(matches!(refused, Err(Refusal::Count)));
    }

    #[test]
    fn what_is_not_there_is_refused() {
        for address in [
            std::ptr::null_mut(),
            std::ptr::without_provenance_mut(IN_PLACE),
        ] {
            let refused = Span::new(address, 1, "buf");
            assert!(matches!(refused, Err(Refusal::Null { argument: "buf" })));
            assert_eq!(Span::new(address, 0, "buf").unwrap().bytes(), 0);
        }
    }
}
