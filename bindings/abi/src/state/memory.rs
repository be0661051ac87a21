//! Memory of the program's: what datatypes describe at an address.
//!
//! Before: [`Datatypes`](super::datatypes::Datatypes) knows the datatype of (address, count, datatype). After: a
//! [`Span`], or a `Buffer` for messages.

use pamir_mpi::datatype::Datatype;
use pamir_transport::gather_scatter::{Program, RandomAccess};
use pamir_transport::tagged::buffer::Buffer;

use crate::error::{ErrorClass, Result};

/// Memory that follows on without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first byte.
    pub address: *mut u8,
    /// How many.
    pub bytes: usize,
}

impl Span {
    /// The bytes themselves, to be written to.
    ///
    /// # Safety
    ///
    /// The memory is good for its bytes, and nobody else uses it as long as the slice lives.
    #[inline(always)]
    pub unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: as the caller vouches.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }

    /// The bytes themselves, to be read.
    ///
    /// # Safety
    ///
    /// The memory is good for its bytes, and nobody changes it as long as the slice lives.
    #[inline(always)]
    pub unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: as the caller vouches.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// As the transport takes it.
    #[inline(always)]
    pub fn buffer(self) -> Buffer {
        Buffer::Contiguous {
            address: self.address,
            bytes: self.bytes,
        }
    }
}

/// No data. Programs describe it as no elements of `MPI_DATATYPE_NULL`, too.
pub const NOTHING: Span = Span {
    address: std::ptr::null_mut(),
    bytes: 0,
};

/// Refuses a null buffer for data whose displacements are not absolute.
pub fn check_address(datatype: &Datatype, address: *const u8, count: usize) -> Result {
    if address.is_null() && count > 0 && datatype.size() > 0 && datatype.is_predefined() {
        let text = format!("the buffer of {count} elements is null");
        return Err(ErrorClass::Buffer.with(text));
    }
    Ok(())
}

/// The memory of `count` elements of a datatype at `address`.
pub fn memory_of(datatype: &Datatype, address: *const u8, count: usize) -> Buffer {
    if let Some((displacement, bytes)) = datatype.contiguous_bytes(count) {
        let address = address.cast_mut().wrapping_offset(displacement as isize);
        return Buffer::Contiguous { address, bytes };
    }
    // SAFETY: the program vouches, by calling with this buffer, that the memory the datatype
    // describes is its to be read or written until the operation is complete, and no other
    // call changes it meanwhile (MPI-5.0 section 3.7.2).
    let machine = unsafe { datatype.machine(count, address.cast_mut()) };
    Buffer::Noncontiguous(Box::new(RandomAccess::new(machine)))
}

/// Lets `run` have the program of so many elements, which is not copied where it is one.
#[inline]
pub fn with_program<T>(datatype: &Datatype, count: usize, run: impl FnOnce(&Program) -> T) -> T {
    match count {
        1 => run(datatype.program()),
        _ => run(&datatype.program().times(count)),
    }
}
