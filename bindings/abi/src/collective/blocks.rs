//! A buffer of one block for each partner, each where the program has it.
//!
//! Before: counts, displacements and datatypes of a `v` or `w` operation. After: one slice and
//! a list of blocks for the algorithms.
//!
//! Where all blocks are contiguous, the slice is the program's own memory from the first block to
//! the end of the last, of which only the blocks are touched; else it is a packed copy. So it is
//! where blocks to be received share bytes ([`BlockList::apart`]): the algorithms want them apart.

use pamir_transport::collective::Blocks;

use super::place::{Place, is_in_place};
use crate::constants::MPI_DATATYPE_NULL;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::state::State;
use crate::state::memory::Span;
use crate::types::MPI_Datatype;

/// The blocks of one side of an operation, resolved once.
pub struct BlockList {
    places: Vec<Place>,
    counts: Vec<usize>,
    displacements: Vec<usize>,
    /// From the first block to the end of the last; `None` where they are to be packed.
    hull: Option<Span>,
}

impl BlockList {
    /// No blocks, for arguments that are not looked at.
    pub fn none() -> Self {
        Self::new(Vec::new())
    }

    /// The blocks at `places`.
    pub fn new(places: Vec<Place>) -> Self {
        let hull = hull(&places);
        Self::within(places, hull)
    }

    /// The blocks at `places` that count from `base`. From `MPI_BOTTOM` they may lie in memory
    /// that has nothing to do with each other, so there they are packed.
    fn based(base: *const u8, places: Vec<Place>) -> Self {
        if base.is_null() && places.iter().any(|place| place.bytes() > 0) {
            return Self::within(places, None);
        }
        Self::new(places)
    }

    /// These blocks for what is received. The standard forbids that they share bytes, but
    /// programs do it with blocks that they do not read: then each is received in a copy, and
    /// shared bytes are in the end those of the last block.
    pub fn apart(self) -> Self {
        if self.hull.is_some() && share_bytes(&self.counts, &self.displacements) {
            return Self::within(self.places, None);
        }
        self
    }

    /// The blocks for which `there` is true; others have no bytes, and stay as they are.
    pub fn only(mut self, there: impl Fn(usize) -> bool) -> Self {
        if (0..self.places.len()).all(&there) {
            return self;
        }
        for (index, place) in self.places.iter_mut().enumerate() {
            if !there(index) {
                *place = Place::NONE;
            }
        }
        Self::new(self.places)
    }

    fn within(places: Vec<Place>, hull: Option<Span>) -> Self {
        let counts: Vec<usize> = places.iter().map(Place::bytes).collect();
        let displacements = match hull {
            Some(hull) => places
                .iter()
                .map(|place| match place {
                    Place::Own(own) if own.bytes > 0 => own.address.addr() - hull.address.addr(),
                    _ => 0,
                })
                .collect(),
            None => counts
                .iter()
                .scan(0, |at, bytes| Some(std::mem::replace(at, *at + bytes)))
                .collect(),
        };
        Self {
            places,
            counts,
            displacements,
            hull,
        }
    }

    /// Lengths and places of the blocks in the bytes of [`Self::open`].
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks::Listed {
            counts: &self.counts,
            displacements: &self.displacements,
        }
    }

    /// The bytes that hold the blocks; a copy holds what the places do if `load`, else zeros.
    ///
    /// # Safety
    ///
    /// As long as the result lives, the places are good for what the operation does with them,
    /// and nobody else changes them.
    pub unsafe fn open(&self, load: bool) -> BlockRoom<'_> {
        let mut copy = Vec::new();
        if self.hull.is_none() {
            copy.resize(self.counts.iter().sum(), 0);
            if load {
                for (place, at) in self.places.iter().zip(&self.displacements) {
                    // SAFETY: the copy has room for each block at its displacement; the caller
                    // vouches for the places.
                    unsafe { place.pack(copy.as_mut_ptr().add(*at)) };
                }
            }
        }
        BlockRoom { list: self, copy }
    }
}

/// The bytes of a list of blocks, as long as an operation runs.
pub struct BlockRoom<'l> {
    list: &'l BlockList,
    /// Empty where the bytes are the program's own.
    copy: Vec<u8>,
}

impl BlockRoom<'_> {
    /// The bytes, to be read.
    pub fn bytes(&self) -> &[u8] {
        match self.list.hull {
            // SAFETY: whoever opened the list vouched for the blocks, and the algorithms touch
            // nothing between them.
            Some(hull) => unsafe { hull.bytes_mut() },
            None => &self.copy,
        }
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self.list.hull {
            // SAFETY: as in `bytes`.
            Some(hull) => unsafe { hull.bytes_mut() },
            None => &mut self.copy,
        }
    }

    /// One block, to be read.
    pub fn block(&self, index: usize) -> &[u8] {
        &self.bytes()[self.list.blocks().range(index)]
    }

    /// One block, to be changed.
    pub fn block_mut(&mut self, index: usize) -> &mut [u8] {
        let range = self.list.blocks().range(index);
        &mut self.bytes_mut()[range]
    }

    /// Puts packed blocks where the program has them.
    pub fn store(self) {
        if self.list.hull.is_some() {
            return;
        }
        for (place, at) in self.list.places.iter().zip(&self.list.displacements) {
            // SAFETY: the copy holds each block at its displacement; whoever opened the list
            // vouched for the places.
            unsafe { place.unpack(self.copy.as_ptr().add(*at)) };
        }
    }
}

/// Whether two blocks of so many bytes at these displacements share some.
fn share_bytes(counts: &[usize], displacements: &[usize]) -> bool {
    let blocks = counts.iter().zip(displacements);
    let blocks = blocks.filter(|(bytes, _)| **bytes > 0);
    // Usually they are listed in the order in which they lie, and no list is needed.
    let mut passed = 0;
    let ascending = blocks.clone().all(|(bytes, at)| {
        let behind = *at >= passed;
        passed = at + bytes;
        behind
    });
    if ascending {
        return false;
    }
    let mut sorted: Vec<_> = blocks.map(|(bytes, at)| (*at, at + bytes)).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// The memory from the first block to the end of the last, if all are contiguous.
fn hull(places: &[Place]) -> Option<Span> {
    let mut hull: Option<Span> = None;
    for place in places {
        let Place::Own(own) = place else {
            return None;
        };
        if own.bytes == 0 {
            continue;
        }
        let known = hull.unwrap_or(*own);
        let first = if own.address.addr() < known.address.addr() {
            own.address
        } else {
            known.address
        };
        let end = |span: &Span| span.address.addr() + span.bytes;
        hull = Some(Span {
            address: first,
            bytes: end(own).max(end(&known)) - first.addr(),
        });
    }
    Some(hull.unwrap_or(Span {
        address: std::ptr::null_mut(),
        bytes: 0,
    }))
}

/// `blocks` equal blocks of `count` elements, one behind the other.
pub fn equal(
    state: &State,
    address: *const u8,
    count: i64,
    datatype: MPI_Datatype,
    blocks: usize,
) -> Result<BlockList> {
    if count == 0 && datatype == MPI_DATATYPE_NULL {
        return Ok(BlockList::new(vec![Place::NONE; blocks]));
    }
    let step = count.wrapping_mul(state.datatypes.committed(datatype)?.extent());
    let place = |index: usize| {
        block(
            state,
            address,
            step.wrapping_mul(index as i64),
            count,
            datatype,
        )
    };
    let places = (0..blocks).map(place).collect::<Result<_>>()?;
    Ok(BlockList::new(places))
}

/// The blocks of a `v` operation: displacements in extents of one datatype.
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
) -> Result<BlockList> {
    check_arrays(counts, displacements, partners)?;
    let extent = state.datatypes.committed(datatype)?.extent();
    let place = |index| {
        // SAFETY: the caller vouches for the arrays.
        let (count, at) = unsafe {
            let at = (*displacements.add(index)).to_i64();
            ((*counts.add(index)).to_i64(), at)
        };
        block(state, address, at.wrapping_mul(extent), count, datatype)
    };
    let places = (0..partners).map(place).collect::<Result<_>>()?;
    Ok(BlockList::new(places))
}

/// The blocks of a `w` operation: displacements in bytes, a datatype for each block.
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
) -> Result<BlockList> {
    check_arrays(counts, displacements, partners)?;
    check_arrays(datatypes, datatypes, partners)?;
    let place = |index| {
        // SAFETY: the caller vouches for the arrays.
        let (count, at, datatype) = unsafe {
            let at = (*displacements.add(index)).to_i64();
            ((*counts.add(index)).to_i64(), at, *datatypes.add(index))
        };
        block(state, address, at, count, datatype)
    };
    let places = (0..partners).map(place).collect::<Result<_>>()?;
    Ok(BlockList::based(address, places))
}

/// The block `at` bytes behind `base`; one without elements may have any address and datatype.
fn block(
    state: &State,
    base: *const u8,
    at: i64,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Place> {
    if count == 0 {
        return Ok(Place::NONE);
    }
    if (base.is_null() && at == 0) || is_in_place(base) {
        // As the place itself would be, were it not for the displacement. A displacement from
        // MPI_BOTTOM is an address.
        Place::new(state, base, count, datatype)?;
    }
    Place::new(state, base.wrapping_offset(at as isize), count, datatype)
}

/// An array of counts.
///
/// # Safety
///
/// The array has `length` entries.
pub unsafe fn counts<C: Count>(array: *const C, length: usize) -> Result<Vec<usize>> {
    check_arrays(array, array, length)?;
    let count = |index| {
        // SAFETY: the caller vouches for the array.
        let count = unsafe { (*array.add(index)).to_i64() };
        usize::try_from(count).map_err(|_| crate::state::datatypes::negative_count(count))
    };
    (0..length).map(count).collect()
}

fn check_arrays<A, B>(one: *const A, other: *const B, partners: usize) -> Result {
    if partners > 0 && (one.is_null() || other.is_null()) {
        return Err(ErrorClass::Arg.with("an array of counts, displacements or datatypes is null"));
    }
    Ok(())
}
