//! Lists of counts: where each member's block lies in a buffer.
//!
//! Before: counts, displacements and types of C. After: [`Layout`]s in bytes, and the [`Buffer`] that has the blocks.

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::collective::Blocks;

use crate::collective::buffer::Buffer;
use crate::collective::elements::Elements;
use crate::edge::span::Span;
use crate::layout;
use crate::refusal::Refusal;
use crate::structures::Type;
use crate::structures::pointer::{Address, List};

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
    /// Where elements leave gaps: their type, and where each block stands in the program's memory.
    apart: Option<(Arc<layout::Layout>, Vec<i64>)>,
}

/// Where blocks begin that follow each other.
fn packed_displacements(counts: &[usize]) -> Result<Vec<usize>, Refusal> {
    let mut end: usize = 0;
    let begin = |bytes: &usize| {
        let begin = end;
        end = end.checked_add(*bytes).ok_or(Refusal::Count)?;
        Ok(begin)
    };
    counts.iter().map(begin).collect()
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
        let elements = Elements::of(type_)?;
        let counts = width.numbers(counts, members, "typecounts")?;
        let displacements = width.numbers(displacements, members, "displs")?;
        let bytes = |list: &[usize]| {
            let bytes = list.iter().map(|count| elements.times(*count));
            bytes.collect::<Result<Vec<usize>, Refusal>>()
        };
        let counts = bytes(&counts)?;
        let Elements::Apart(layout) = &elements else {
            let displacements = bytes(&displacements)?;
            return Ok(Self {
                counts,
                displacements,
                apart: None,
            });
        };
        let extent = layout.program.extent();
        let places = displacements.iter().map(|elements| {
            let place = i64::try_from(*elements).ok();
            place
                .and_then(|elements| elements.checked_mul(extent))
                .ok_or(Refusal::Count)
        });
        Ok(Self {
            displacements: packed_displacements(&counts)?,
            counts,
            apart: Some((Arc::clone(layout), places.collect::<Result<_, _>>()?)),
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
        let elements = Elements::of(type_)?;
        let bytes = counts.iter().map(|count| elements.times(*count));
        let counts = bytes.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            displacements: packed_displacements(&counts)?,
            counts,
            apart: None,
        })
    }

    /// The blocks at `address`, an argument's.
    ///
    /// # Errors
    ///
    /// An address that is missing, and lengths beyond memory.
    pub fn buffer(&self, address: Address, argument: &'static str) -> Result<Buffer, Refusal> {
        let extent = self.extent()?;
        let Some((layout, places)) = &self.apart else {
            return Ok(Span::new(address, extent, argument)?.into());
        };
        let mut buffer = Buffer::packed(extent)?;
        for (rank, place) in places.iter().enumerate() {
            let block = (self.displacements[rank], self.counts[rank]);
            let start = if address.is_null() || address.is_in_place() {
                address
            } else {
                address.at(*place as isize)
            };
            buffer.add(layout, start, block, argument)?;
        }
        Ok(buffer)
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

    /// Where a member's block begins in the buffer, in bytes; nowhere in particular if it is empty.
    pub fn start(&self, rank: usize) -> usize {
        if self.counts[rank] == 0 {
            return 0;
        }
        self.displacements[rank]
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
        let buffer = layout.buffer(address(&mut buffer), "buffer").unwrap();
        assert_eq!(buffer.bytes(), 20);
        assert_eq!((layout.start(0), layout.bytes(0)), (12, 8));
        assert_eq!((layout.start(1), layout.bytes(1)), (0, 0));
        let negative = [-1_i32; 3];
        let refused = Layout::new(width, int, 3, numbers(&negative), numbers(&counts));
        assert!(matches!(refused, Err(Refusal::Count)));
        let refused = Layout::packed(int, 3, list(&[usize::MAX / 2; 3]));
        assert!(matches!(refused, Err(Refusal::Count)));
    }
}
