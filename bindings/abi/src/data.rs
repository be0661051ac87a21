//! From (address, count, datatype) to memory: what every call with data does first.
//!
//! Before: the arguments of a C call. After: a [`Span`] for the layers below.

use pamir_transport::tagged::buffer::Buffer;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::types::MPI_Datatype;

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
    pub unsafe fn bytes_mut<'a>(self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: as the caller vouches.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
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

/// Sizes of the predefined datatypes without gaps, by handle; 0: not one of them.
static SIZES: [u8; 0x300] = sizes();

const fn sizes() -> [u8; 0x300] {
    let mut sizes = [0; 0x300];
    let lists: [(&[MPI_Datatype], u8); 5] = [
        (&ONE_BYTE, 1),
        (&TWO_BYTES, 2),
        (&FOUR_BYTES, 4),
        (&EIGHT_BYTES, 8),
        (&SIXTEEN_BYTES, 16),
    ];
    let mut list = 0;
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].0.len() {
            sizes[lists[list].0[index].0] = lists[list].1;
            index += 1;
        }
        list += 1;
    }
    sizes[MPI_C_LONG_DOUBLE_COMPLEX.0] = 32;
    sizes[MPI_CXX_LONG_DOUBLE_COMPLEX.0] = 32;
    sizes[MPI_COMPLEX32.0] = 32;
    sizes
}

const ONE_BYTE: [MPI_Datatype; 13] = [
    MPI_PACKED,
    MPI_CHARACTER,
    MPI_C_BOOL,
    MPI_CXX_BOOL,
    MPI_INT8_T,
    MPI_UINT8_T,
    MPI_CHAR,
    MPI_SIGNED_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_BYTE,
    MPI_LOGICAL1,
    MPI_INTEGER1,
    MPI_BYTE,
];
const TWO_BYTES: [MPI_Datatype; 7] = [
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT16_T,
    MPI_UINT16_T,
    MPI_LOGICAL2,
    MPI_INTEGER2,
    MPI_REAL2,
];
const FOUR_BYTES: [MPI_Datatype; 13] = [
    MPI_INT,
    MPI_UNSIGNED,
    MPI_FLOAT,
    MPI_LOGICAL,
    MPI_INTEGER,
    MPI_REAL,
    MPI_WCHAR,
    MPI_INT32_T,
    MPI_UINT32_T,
    MPI_LOGICAL4,
    MPI_INTEGER4,
    MPI_REAL4,
    MPI_COMPLEX4,
];
const EIGHT_BYTES: [MPI_Datatype; 22] = [
    MPI_AINT,
    MPI_COUNT,
    MPI_OFFSET,
    MPI_LONG,
    MPI_LONG_LONG,
    MPI_UNSIGNED_LONG,
    MPI_UNSIGNED_LONG_LONG,
    MPI_DOUBLE,
    MPI_C_FLOAT_COMPLEX,
    MPI_CXX_FLOAT_COMPLEX,
    MPI_COMPLEX,
    MPI_DOUBLE_PRECISION,
    MPI_FLOAT_INT,
    MPI_2INT,
    MPI_2REAL,
    MPI_2INTEGER,
    MPI_INT64_T,
    MPI_UINT64_T,
    MPI_LOGICAL8,
    MPI_INTEGER8,
    MPI_REAL8,
    MPI_COMPLEX8,
];
const SIXTEEN_BYTES: [MPI_Datatype; 9] = [
    MPI_C_DOUBLE_COMPLEX,
    MPI_CXX_DOUBLE_COMPLEX,
    MPI_DOUBLE_COMPLEX,
    MPI_LONG_DOUBLE,
    MPI_2DOUBLE_PRECISION,
    MPI_LOGICAL16,
    MPI_INTEGER16,
    MPI_REAL16,
    MPI_COMPLEX16,
];

/// The memory of `count` elements of a datatype at `address`.
#[inline(always)]
pub fn span(address: *const u8, count: i64, datatype: MPI_Datatype) -> Result<Span> {
    let size = SIZES.get(datatype.0).map_or(0, |size| usize::from(*size));
    if size == 0 || count < 0 {
        return Err(refused(count, datatype));
    }
    Ok(Span {
        address: address.cast_mut(),
        bytes: count as usize * size,
    })
}

#[cold]
fn refused(count: i64, datatype: MPI_Datatype) -> Error {
    if count < 0 {
        return ErrorClass::Count.with(format!("a count is at least 0, not {count}"));
    }
    ErrorClass::Type.with(format!("{:#x} is no datatype", datatype.0))
}
