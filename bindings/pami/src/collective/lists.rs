//! Lists of counts: where each member's block lies in a buffer.
//!
//! Before: counts, displacements and types of C. After: [`Layout`]s in bytes.

use std::ffi::c_void;

use pamir_transport::collective::Blocks;

use crate::edge::span::Span;
use crate::refusal::Refusal;
use crate::structures::Type;
use crate::structures::pointer::List;
use crate::structures::variables::element_bytes;

/// Bytes of `count` elements of a type.
pub fn bytes_of(type_: Type, count: usize) -> Result<usize, Refusal> {
    let element = element_bytes(type_).ok_or(Refusal::ElementType)?;
    element.checked_mul(count).ok_or(Refusal::Count)
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

    fn numbers(
        self,
        list: List<c_void>,
        count: usize,
        argument: &'static str,
    ) -> Result<Vec<usize>, Refusal> {
        let missing = Refusal::Null { argument };
        match self {
            Self::Size => Ok(list.sizes().get(count).ok_or(missing)?.to_vec()),
            Self::Int => {
                let list = list.integers();
                let numbers = list.get(count).ok_or(missing)?.iter();
                let numbers: Result<_, _> =
                    numbers.map(|number| usize::try_from(*number)).collect();
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
    /// # Errors
    ///
    /// A list that is missing, and numbers that are negative or too large.
    pub fn new(
        width: Width,
        type_: Type,
        members: usize,
        counts: List<c_void>,
        displacements: List<c_void>,
    ) -> Result<Self, Refusal> {
        let (counts, displacements) = (
            width.numbers(counts, members, "typecounts")?,
            width.numbers(displacements, members, "displs")?,
        );
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
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn packed(type_: Type, members: usize, counts: List<usize>) -> Result<Self, Refusal> {
        let argument = "rcounts";
        let counts = counts.get(members).ok_or(Refusal::Null { argument })?;
        let mut layout = Self {
            counts: Vec::with_capacity(members),
            displacements: Vec::with_capacity(members),
        };
        let mut end: usize = 0;
        for count in counts {
            let bytes = bytes_of(type_, *count)?;
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
    pub fn block(&self, buffer: &Span, rank: usize) -> Span {
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
    use crate::structures::pointer::vouched::{address, list, numbers};
    use crate::structures::variables::PAMI_TYPE_SIGNED_INT;

    #[test]
    fn layouts_count_in_elements() {
        let (counts, displacements) = ([2_i32, 0, 1], [3_i32, 99, 0]);
        let (int, width) = (PAMI_TYPE_SIGNED_INT.0, Width::Int);
        let layout = Layout::new(width, int, 3, numbers(&counts), numbers(&displacements)).unwrap();
        assert_eq!(layout.extent().unwrap(), 20);
        let mut buffer = [0_u8; 20];
        let span = Span::new(address(&mut buffer), 20, "buffer").unwrap();
        assert_eq!(layout.block(&span, 0).address(), span.address().at(12));
        assert_eq!(layout.block(&span, 1).bytes(), 0);
        assert!(layout.block(&span, 0).overlaps(&span));
        assert!(!layout.block(&span, 0).overlaps(&layout.block(&span, 2)));
        let negative = [-1_i32; 3];
        let refused = Layout::new(width, int, 3, numbers(&negative), numbers(&counts));
        assert!(matches!(refused, Err(Refusal::Count)));
        let refused = Layout::packed(int, 3, list(&[usize::MAX / 2; 3]));
        assert!(matches!(refused, Err(Refusal::Count)));
    }
}
