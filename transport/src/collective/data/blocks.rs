//! Where the blocks of the members lie in a buffer.
//!
//! An operation with one count for all has blocks of one length, side by side; a
//! `v` operation lists lengths and displacements. Both are in bytes. A block of
//! length 0 lies nowhere: its displacement is not looked at.
//!
//! ```text
//!   Uniform { bytes: 2 }                       00 11 22
//!   Listed { [1, 0, 2], [3, _, 0] }            22 .  0
//!   Repeated { bytes: 2 }                      xx        (every partner gets the same block)
//! ```

use std::ops::Range;

use crate::collective::error::CollectiveError;

/// Refuses a block of `bytes` bytes that is longer than the room for it.
pub fn check_fits(bytes: usize, expected_bytes: usize) -> Result<(), CollectiveError> {
    if bytes <= expected_bytes {
        return Ok(());
    }
    Err(CollectiveError::WrongLength {
        bytes,
        expected_bytes,
    })
}

/// Where each partner's block lies in a buffer.
#[derive(Debug, Clone, Copy)]
pub enum Blocks<'a> {
    /// Blocks of one length, in the order of partners.
    Uniform {
        /// Bytes of each block.
        bytes: usize,
    },
    /// One block for all partners, at the buffer's start; only for buffers that are sent from.
    Repeated {
        /// Bytes of the block.
        bytes: usize,
    },
    /// A length and a displacement for each partner.
    Listed {
        /// Bytes of each block.
        counts: &'a [usize],
        /// Where each block starts, in bytes from the buffer's start.
        displacements: &'a [usize],
    },
}

impl Blocks<'_> {
    /// Bytes of the block of partner `index`.
    pub fn bytes(&self, index: usize) -> usize {
        match self {
            Self::Uniform { bytes } | Self::Repeated { bytes } => *bytes,
            Self::Listed { counts, .. } => counts[index],
        }
    }

    /// Where the block of partner `index` lies; an empty block lies at 0.
    pub fn range(&self, index: usize) -> Range<usize> {
        let bytes = self.bytes(index);
        if bytes == 0 {
            return 0..0;
        }
        let start = match self {
            Self::Uniform { bytes } => index * bytes,
            Self::Repeated { .. } => 0,
            Self::Listed { displacements, .. } => displacements[index],
        };
        start..start + bytes
    }

    /// Bytes of all blocks of `partners` partners.
    pub fn total_bytes(&self, partners: usize) -> usize {
        (0..partners).map(|index| self.bytes(index)).sum()
    }

    /// Refuses blocks that are not one for each of `partners` partners inside a buffer of
    /// `buffer_bytes`.
    pub fn check(&self, partners: usize, buffer_bytes: usize) -> Result<(), CollectiveError> {
        if let Self::Listed {
            counts,
            displacements,
        } = self
        {
            for blocks in [counts.len(), displacements.len()] {
                if blocks != partners {
                    return Err(CollectiveError::WrongBlockCount { blocks, partners });
                }
            }
        }
        for block in 0..partners {
            let bytes = self.bytes(block);
            let start = match self {
                Self::Uniform { bytes } => bytes.saturating_mul(block),
                Self::Repeated { .. } => 0,
                Self::Listed { displacements, .. } => displacements[block],
            };
            let end_bytes = start.saturating_add(bytes);
            if bytes != 0 && end_bytes > buffer_bytes {
                return Err(CollectiveError::BlockOutside {
                    block,
                    end_bytes,
                    buffer_bytes,
                });
            }
        }
        Ok(())
    }

    /// The partners with a block that is not empty, in the order in which the blocks lie.
    fn in_order(&self, partners: usize) -> Result<Vec<usize>, CollectiveError> {
        let mut order = list_with_capacity(partners)?;
        order.extend((0..partners).filter(|&index| self.bytes(index) != 0));
        // Usually sorted already; then this is one pass.
        order.sort_unstable_by_key(|&index| self.range(index).start);
        Ok(order)
    }

    /// Refuses blocks that share bytes: what is received into one would spoil the other.
    pub fn check_disjoint(&self, partners: usize) -> Result<(), CollectiveError> {
        if matches!(self, Self::Uniform { .. }) {
            return Ok(());
        }
        for pair in self.in_order(partners)?.windows(2) {
            if self.range(pair[1]).start < self.range(pair[0]).end {
                return Err(CollectiveError::BlocksOverlap {
                    first: pair[0],
                    second: pair[1],
                });
            }
        }
        Ok(())
    }

    /// Refuses blocks that do not follow each other without gaps, in the order of partners.
    pub fn check_packed(&self, partners: usize) -> Result<(), CollectiveError> {
        let mut expected_start_bytes = 0;
        for block in (0..partners).filter(|&block| self.bytes(block) != 0) {
            let range = self.range(block);
            if range.start != expected_start_bytes {
                return Err(CollectiveError::BlocksNotPacked {
                    block,
                    start_bytes: range.start,
                    expected_start_bytes,
                });
            }
            expected_start_bytes = range.end;
        }
        Ok(())
    }

    /// The blocks of `partners` partners as slices of `buffer`, all of them at once. The blocks
    /// have been checked against the buffer.
    pub fn split<'b>(
        &self,
        partners: usize,
        mut buffer: &'b mut [u8],
    ) -> Result<Vec<&'b mut [u8]>, CollectiveError> {
        let order = self.in_order(partners)?;
        let mut slices: Vec<&'b mut [u8]> = list_with_capacity(partners)?;
        slices.resize_with(partners, Default::default);
        let mut passed = 0;
        let mut last = 0;
        for index in order {
            let range = self.range(index);
            if range.start < passed {
                return Err(CollectiveError::BlocksOverlap {
                    first: last,
                    second: index,
                });
            }
            let (_, rest) = std::mem::take(&mut buffer).split_at_mut(range.start - passed);
            let (block, rest) = rest.split_at_mut(range.len());
            slices[index] = block;
            buffer = rest;
            passed = range.end;
            last = index;
        }
        Ok(slices)
    }
}

/// An empty list with room for `capacity` values.
pub fn list_with_capacity<T>(capacity: usize) -> Result<Vec<T>, CollectiveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity)
        .map_err(|_| CollectiveError::OutOfMemory {
            bytes: capacity.saturating_mul(size_of::<T>()),
        })?;
    Ok(list)
}

/// Two parts of one buffer that do not overlap: one to send, one to receive into.
pub fn send_and_receive_parts(
    buffer: &mut [u8],
    outgoing: Range<usize>,
    incoming: Range<usize>,
) -> (&[u8], &mut [u8]) {
    if outgoing.is_empty() {
        (&[], &mut buffer[incoming])
    } else if incoming.is_empty() {
        (&buffer[outgoing], &mut [])
    } else if outgoing.start < incoming.start {
        let (low, high) = buffer.split_at_mut(incoming.start);
        (&low[outgoing], &mut high[..incoming.len()])
    } else {
        let (low, high) = buffer.split_at_mut(outgoing.start);
        (&high[..outgoing.len()], &mut low[incoming])
    }
}
