//! A buffer of one block for each partner, each where the program has it.
//!
//! Before: counts, displacements and datatypes of a `v` or `w` operation. After: one slice and
//! a list of blocks for the algorithms.
//!
//! Where all blocks are contiguous, the slice is the program's own memory from the first block to
//! the end of the last, of which only the blocks are touched; else it is a packed copy.

use pamir_transport::collective::Blocks;
use pamir_transport::tagged::buffer::Buffer;

use crate::count::Count;
use crate::data::{Span, buffer};
use crate::error::{ErrorClass, Result};
use crate::process::State;
use crate::types::MPI_Datatype;

/// The blocks of one side of an operation.
pub struct BlockBuffer {
    memory: Memory,
    counts: Vec<usize>,
    displacements: Vec<usize>,
}

enum Memory {
    Own(Span),
    Packed(Vec<u8>, Vec<Buffer>),
}

impl BlockBuffer {
    /// The blocks at `places`, whose contents are packed if `load`.
    ///
    /// # Safety
    ///
    /// The places are good for what the operation does with them as long as this lives.
    pub unsafe fn new(places: Vec<Buffer>, load: bool) -> Self {
        let counts: Vec<usize> = places.iter().map(Buffer::bytes).collect();
        match spans(&places) {
            Some(spans) => Self::own(&spans, counts),
            // SAFETY: as the caller vouches.
            None => unsafe { Self::packed(places, counts, load) },
        }
    }

    fn own(spans: &[Span], counts: Vec<usize>) -> Self {
        let used = || spans.iter().filter(|span| span.bytes > 0);
        let first = used().map(|span| span.address.addr()).min().unwrap_or(0);
        let end = used()
            .map(|span| span.address.addr() + span.bytes)
            .max()
            .unwrap_or(first);
        let address = used().find(|span| span.address.addr() == first);
        let address = address.map_or(std::ptr::null_mut(), |span| span.address);
        let displacements = spans.iter().map(|span| {
            if span.bytes == 0 {
                0
            } else {
                span.address.addr() - first
            }
        });
        let memory = Memory::Own(Span {
            address,
            bytes: end - first,
        });
        Self {
            memory,
            displacements: displacements.collect(),
            counts,
        }
    }

    /// # Safety
    ///
    /// As for [`Self::new`].
    unsafe fn packed(mut places: Vec<Buffer>, counts: Vec<usize>, load: bool) -> Self {
        let mut displacements = Vec::with_capacity(counts.len());
        let mut total = 0;
        for count in &counts {
            displacements.push(total);
            total += count;
        }
        let mut copy = vec![0; total];
        if load {
            for (place, at) in places.iter_mut().zip(&displacements) {
                let bytes = place.bytes();
                // SAFETY: the copy has room for each block at its displacement; the caller
                // vouches for the places.
                unsafe { place.pack(0, copy.as_mut_ptr().add(*at), bytes) };
            }
        }
        Self {
            memory: Memory::Packed(copy, places),
            counts,
            displacements,
        }
    }

    /// Where the blocks lie in the bytes.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::Listed {
            counts: &self.counts,
            displacements: &self.displacements,
        }
    }

    /// Lengths and places of the blocks, and the bytes, to be changed.
    pub fn parts(&mut self) -> (Blocks<'_>, &mut [u8]) {
        let blocks = Blocks::Listed {
            counts: &self.counts,
            displacements: &self.displacements,
        };
        let bytes = match &mut self.memory {
            Memory::Packed(copy, _) => copy.as_mut_slice(),
            // SAFETY: whoever made this vouched for the blocks; the algorithms touch nothing
            // between them.
            Memory::Own(span) => unsafe { span.bytes_mut() },
        };
        (blocks, bytes)
    }

    /// The bytes, to be read.
    pub fn bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Packed(copy, _) => copy,
            // SAFETY: as in `parts`.
            Memory::Own(span) => unsafe { span.bytes_mut() },
        }
    }

    /// One block, to be changed.
    pub fn block_mut(&mut self, index: usize) -> &mut [u8] {
        let range = self.blocks().range(index);
        &mut self.parts().1[range]
    }

    /// One block, to be read.
    pub fn block(&self, index: usize) -> &[u8] {
        &self.bytes()[self.blocks().range(index)]
    }

    /// Puts packed blocks where the program has them.
    pub fn store(self) {
        let Memory::Packed(copy, places) = self.memory else {
            return;
        };
        for (mut place, at) in places.into_iter().zip(self.displacements) {
            let bytes = place.bytes();
            // SAFETY: the copy holds each block at its displacement; whoever made this vouched
            // for the places.
            unsafe { place.unpack(0, copy.as_ptr().add(at), bytes) };
        }
    }
}

fn spans(places: &[Buffer]) -> Option<Vec<Span>> {
    let span = |place: &Buffer| match place {
        Buffer::Contiguous { address, bytes } => Some(Span {
            address: *address,
            bytes: *bytes,
        }),
        Buffer::Noncontiguous(_) => None,
    };
    places.iter().map(span).collect()
}

/// The places of a `v` operation: displacements in extents of one datatype.
///
/// # Safety
///
/// Both arrays have `partners` entries.
pub unsafe fn listed<C: Count, D: Count>(
    state: &State,
    address: *const u8,
    counts: *const C,
    displacements: *const D,
    datatype: MPI_Datatype,
    partners: usize,
) -> Result<Vec<Buffer>> {
    let extent = state.datatypes.committed(datatype)?.extent();
    let place = |index| {
        // SAFETY: the caller vouches for the arrays.
        let (count, at) = unsafe {
            (
                (*counts.add(index)).to_i64(),
                (*displacements.add(index)).to_i64(),
            )
        };
        let address = address.wrapping_offset((at * extent) as isize);
        buffer(state, address, count, datatype)
    };
    check_arrays(counts, displacements, partners)?;
    (0..partners).map(place).collect()
}

/// The places of a `w` operation: displacements in bytes, a datatype for each block.
///
/// # Safety
///
/// All arrays have `partners` entries.
pub unsafe fn typed<C: Count, D: Count>(
    state: &State,
    address: *const u8,
    counts: *const C,
    displacements: *const D,
    datatypes: *const MPI_Datatype,
    partners: usize,
) -> Result<Vec<Buffer>> {
    let place = |index| {
        // SAFETY: the caller vouches for the arrays.
        let (count, at, datatype) = unsafe {
            let at = (*displacements.add(index)).to_i64();
            ((*counts.add(index)).to_i64(), at, *datatypes.add(index))
        };
        buffer(state, address.wrapping_offset(at as isize), count, datatype)
    };
    check_arrays(counts, displacements, partners)?;
    check_arrays(datatypes, datatypes, partners)?;
    (0..partners).map(place).collect()
}

fn check_arrays<A, B>(one: *const A, other: *const B, partners: usize) -> Result {
    if partners > 0 && (one.is_null() || other.is_null()) {
        return Err(ErrorClass::Arg.with("an array of counts, displacements or datatypes is null"));
    }
    Ok(())
}
