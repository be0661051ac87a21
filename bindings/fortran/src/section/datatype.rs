//! A section as a datatype.
//!
//! What: count elements of a datatype, taken from the section's elements one after the other, become
//! one element of a datatype that says where they lie.
//!
//! ```text
//! whole elements of a dense datatype in a run    nested hvector of it; hindexed where the count ends early
//! a dense datatype across runs                   hindexed of bytes
//! a datatype with gaps of its own                where it takes its bytes is found by packing positions
//! ```
//!
//! Step before: `entry`. Step after: the C function, with the address, 1 and this datatype.
//! Invariants: the signature of a basic datatype stays where the run is a multiple of it. The datatype is freed
//! after the call; an operation that runs on keeps it (MPI-5.0, section 5.1.9).

use super::{Descriptor, Layout};
use crate::c::symbol as mpi;
use crate::c::{self, Handle, Integer, c_int, c_void, number};
use crate::handle;

/// A buffer, a count and a datatype as C gets them.
pub struct Described {
    address: *mut c_void,
    count: Integer,
    large_count: i64,
    datatype: Integer,
    made: Option<Handle>,
}

impl Described {
    /// Describes `count` elements of a datatype in a section. What C would refuse stays as it is.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor.
    pub unsafe fn new(
        descriptor: *const Descriptor,
        count: impl Into<i64>,
        datatype: Integer,
    ) -> Self {
        let count = count.into();
        // SAFETY: the caller's promise.
        unsafe {
            let mut described = Self {
                address: (*descriptor).address,
                count: Integer::try_from(count).unwrap_or(Integer::MAX),
                large_count: count,
                datatype,
                made: None,
            };
            if Descriptor::is_contiguous(descriptor) || count <= 0 {
                return described;
            }
            if datatype == c::DATATYPE_NULL {
                return described;
            }
            let element = handle::datatype::to_c(datatype);
            if let Some(made) = describe(&Layout::of(descriptor), count, element) {
                described.made = Some(made);
                (described.count, described.large_count) = (1, 1);
                described.datatype = handle::datatype::to_fortran(made);
            }
            described
        }
    }

    /// The first element.
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// The count.
    pub fn count(&self) -> *mut Integer {
        (&raw const self.count).cast_mut()
    }

    /// The count of a large-count function.
    pub fn large_count(&self) -> *mut i64 {
        (&raw const self.large_count).cast_mut()
    }

    /// The datatype.
    pub fn datatype(&self) -> *mut Integer {
        (&raw const self.datatype).cast_mut()
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        if let Some(mut made) = self.made {
            // SAFETY: the datatype is this object's own.
            unsafe { mpi::PMPI_Type_free(&raw mut made) };
        }
    }
}

/// What C says of a datatype.
struct Measure {
    size: i64,
    extent: i64,
    /// Whether one element follows the other without gaps.
    is_dense: bool,
    end: i64,
}

fn measure(datatype: Handle) -> Option<Measure> {
    let (mut size, mut lower, mut extent, mut true_lower, mut true_extent) = (0, 0, 0, 0, 0);
    // SAFETY: the places are this function's; C says whether the datatype is one.
    let codes = unsafe {
        [
            mpi::PMPI_Type_size_c(datatype, &raw mut size),
            mpi::PMPI_Type_get_extent_c(datatype, &raw mut lower, &raw mut extent),
            mpi::PMPI_Type_get_true_extent_c(datatype, &raw mut true_lower, &raw mut true_extent),
        ]
    };
    let is_dense = size == extent && size == true_extent && lower == 0 && true_lower == 0;
    let is_right = codes == [c::SUCCESS; 3] && size > 0 && true_lower >= 0;
    is_right.then_some(Measure {
        size,
        extent,
        is_dense,
        end: true_lower + true_extent,
    })
}

/// A committed datatype for the first `count` elements in a section.
fn describe(layout: &Layout, count: i64, element: Handle) -> Option<Handle> {
    let measure = measure(element)?;
    let run = layout.run as i64;
    let total = count.checked_mul(measure.size)?;
    if total > layout.size() as i64 && measure.is_dense {
        // More than the array has: C is told so by no one, and would read beyond it.
        return None;
    }
    let mut made = match measure.is_dense {
        true if run % measure.size == 0 && total == layout.size() as i64 => {
            nested(layout, element, run / measure.size)?
        }
        true if run % measure.size == 0 => listed(layout, element, measure.size, total)?,
        true if is_in_order(element) => listed(layout, byte(), 1, total)?,
        _ => positions(layout, element, count, &measure)?,
    };
    // SAFETY: the datatype was made here.
    unsafe { (mpi::PMPI_Type_commit(&raw mut made) == c::SUCCESS).then_some(made) }
}

/// C's `MPI_BYTE`.
fn byte() -> Handle {
    handle::datatype::to_c(c::BYTE)
}

/// How a datatype was made, and of how many integers.
fn envelope(datatype: Handle) -> Option<(c_int, c_int)> {
    let (mut integers, mut addresses, mut datatypes, mut combiner) = (0, 0, 0, 0);
    // SAFETY: the places are this function's.
    let code = unsafe {
        mpi::PMPI_Type_get_envelope(
            datatype,
            &raw mut integers,
            &raw mut addresses,
            &raw mut datatypes,
            &raw mut combiner,
        )
    };
    (code == c::SUCCESS).then_some((combiner, integers))
}

/// Whether a dense datatype takes its bytes in the order in which they lie: a predefined one, or a row of them.
fn is_in_order(datatype: Handle) -> bool {
    match envelope(datatype) {
        Some((number::MPI_COMBINER_NAMED, _)) => true,
        Some((number::MPI_COMBINER_DUP | number::MPI_COMBINER_CONTIGUOUS, integers)) => {
            is_made_in_order(datatype, integers)
        }
        _ => false,
    }
}

/// As [`is_in_order`], of what the one datatype was that this one is made of.
fn is_made_in_order(datatype: Handle, integers: c_int) -> bool {
    let (mut count, mut address, mut inner): ([c_int; 1], i64, Handle) = ([0], 0, 0);
    // SAFETY: a row has one integer, a copy none; both have one datatype and no address.
    let code = unsafe {
        let (addresses, made) = (&raw mut address, &raw mut inner);
        mpi::PMPI_Type_get_contents(
            datatype,
            integers,
            0,
            1,
            count.as_mut_ptr(),
            addresses,
            made,
        )
    };
    code == c::SUCCESS && is_in_order_and_freed(inner)
}

/// As [`is_in_order`], of a datatype that C gave to keep.
fn is_in_order_and_freed(mut datatype: Handle) -> bool {
    let is_in_order = is_in_order(datatype);
    use number::{MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER, MPI_COMBINER_F90_REAL};
    // Predefined datatypes are not freed.
    let is_predefined = matches!(
        envelope(datatype),
        None | Some((
            number::MPI_COMBINER_NAMED
                | MPI_COMBINER_F90_COMPLEX
                | MPI_COMBINER_F90_INTEGER
                | MPI_COMBINER_F90_REAL,
            _
        ))
    );
    if !is_predefined {
        // SAFETY: C gave the datatype.
        unsafe { mpi::PMPI_Type_free(&raw mut datatype) };
    }
    is_in_order
}

/// The datatype that a constructor of C makes from another; the other is freed if it was made here.
fn make(
    from: Handle,
    owned: bool,
    constructor: impl FnOnce(*mut Handle) -> c_int,
) -> Option<Handle> {
    let mut made = 0;
    let code = constructor(&raw mut made);
    if owned {
        let mut from = from;
        // SAFETY: the datatype was made here, and what was made of it keeps it.
        unsafe { mpi::PMPI_Type_free(&raw mut from) };
    }
    (code == c::SUCCESS).then_some(made)
}

/// A vector of vectors: all runs, each of `length` elements.
fn nested(layout: &Layout, element: Handle, length: i64) -> Option<Handle> {
    // SAFETY: the datatypes are the program's or made here.
    let mut made = make(element, false, |new| unsafe {
        mpi::PMPI_Type_contiguous_c(length, element, new)
    })?;
    for &(extent, stride) in &layout.dimensions {
        let from = made;
        // SAFETY: as above.
        made = make(from, true, |new| unsafe {
            mpi::PMPI_Type_create_hvector_c(extent as i64, 1, stride as i64, from, new)
        })?;
    }
    Some(made)
}

/// A list of runs that ends after `total` bytes.
fn listed(layout: &Layout, element: Handle, size: i64, total: i64) -> Option<Handle> {
    let mut left = total;
    let (mut lengths, mut places) = (Vec::new(), Vec::new());
    for offset in layout.offsets() {
        if left <= 0 {
            break;
        }
        let bytes = left.min(layout.run as i64);
        lengths.push(bytes / size);
        places.push(offset as i64);
        left -= bytes;
    }
    indexed(&mut lengths, &mut places, element)
}

fn indexed(lengths: &mut [i64], places: &mut [i64], element: Handle) -> Option<Handle> {
    let count = lengths.len() as i64;
    // SAFETY: both arrays have `count` elements.
    make(element, false, |new| unsafe {
        mpi::PMPI_Type_create_hindexed_c(
            count,
            lengths.as_mut_ptr(),
            places.as_mut_ptr(),
            element,
            new,
        )
    })
}

/// The bytes that elements with gaps of their own take from a section.
///
/// Packing a buffer that holds each byte's own position tells where the datatype takes its bytes,
/// whatever it was made of: once for each digit of the position.
fn positions(layout: &Layout, element: Handle, count: i64, measure: &Measure) -> Option<Handle> {
    let span = usize::try_from((count - 1) * measure.extent + measure.end).ok()?;
    if span > layout.size() {
        return None;
    }
    let packed = (count * measure.size) as usize;
    let mut taken = vec![0_usize; packed];
    for digit in 0..size_of::<usize>() {
        if digit > 0 && span >> (8 * digit) == 0 {
            break;
        }
        let mut from: Vec<u8> = (0..span)
            .map(|place| (place >> (8 * digit)) as u8)
            .collect();
        let (mut to, mut position) = (vec![0_u8; packed], 0);
        // SAFETY: the buffers have the sizes that C is told.
        let code = unsafe {
            mpi::PMPI_Pack_c(
                from.as_mut_ptr().cast(),
                count,
                element,
                to.as_mut_ptr().cast(),
                packed as i64,
                &raw mut position,
                handle::comm::to_c(c::COMM_SELF),
            )
        };
        if code != c::SUCCESS {
            return None;
        }
        taken
            .iter_mut()
            .zip(to)
            .for_each(|(place, byte)| *place |= usize::from(byte) << (8 * digit));
    }
    let offsets: Vec<_> = layout.offsets().collect();
    let (mut lengths, mut places): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for place in taken {
        let at = offsets[place / layout.run] as i64 + (place % layout.run) as i64;
        match (places.last(), lengths.last_mut()) {
            (Some(last), Some(length)) if last + *length == at => *length += 1,
            _ => {
                places.push(at);
                lengths.push(1);
            }
        }
    }
    indexed(&mut lengths, &mut places, byte())
}
