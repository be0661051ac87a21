//! From (address, count, datatype) to memory: what every call with data does first.
//!
//! Before: the arguments of a C call. After: a [`Span`] or a `Buffer` for messages, an
//! [`Input`] of contiguous bytes where a message is packed.
//!
//! The sizes of predefined datatypes without gaps stand in a table by handle, so that the
//! common case is one look-up; every other datatype takes the cold way.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, DatatypeError, Named, named};
use pamir_transport::gather_scatter::{Program, RandomAccess};
use pamir_transport::tagged::buffer::Buffer;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::handles::{Kind, Table};
use crate::process::State;
use crate::types::MPI_Datatype;

/// One more than the greatest handle of a predefined datatype.
pub const PREDEFINED: usize = 0x300;

/// The datatypes that a program has handles of.
#[derive(Debug)]
pub struct Datatypes {
    /// Size of predefined datatypes without gaps; 0 for all others.
    sizes: [u8; PREDEFINED],
    predefined: Vec<Option<Rc<Datatype>>>,
    /// Those that the program made.
    pub made: Table<Datatype>,
    names: RefCell<HashMap<usize, Vec<u8>>>,
    fortran: RefCell<HashMap<(i32, i32, i32), MPI_Datatype>>,
}

impl Default for Datatypes {
    fn default() -> Self {
        let mut sizes = [0; PREDEFINED];
        let mut predefined = vec![None; PREDEFINED];
        for (handle, named) in named_handles() {
            let datatype = Datatype::named(named);
            if datatype.dense() {
                sizes[handle.0] = datatype.size() as u8;
            }
            predefined[handle.0] = Some(datatype);
        }
        Self {
            sizes,
            predefined,
            made: Table::new(Kind::Datatype),
            names: RefCell::default(),
            fortran: RefCell::default(),
        }
    }
}

macro_rules! handles_of {
    ($($name:ident)*) => {
        [$((stringify!($name), $name)),*]
    };
}

/// Every predefined datatype with its handle.
pub fn named_handles() -> impl Iterator<Item = (MPI_Datatype, &'static Named)> {
    let handles = handles_of!(
        MPI_AINT MPI_COUNT MPI_OFFSET MPI_PACKED MPI_SHORT MPI_INT MPI_LONG MPI_LONG_LONG_INT
        MPI_UNSIGNED_SHORT MPI_UNSIGNED MPI_UNSIGNED_LONG MPI_UNSIGNED_LONG_LONG MPI_FLOAT
        MPI_C_FLOAT_COMPLEX MPI_CXX_FLOAT_COMPLEX MPI_DOUBLE MPI_C_DOUBLE_COMPLEX
        MPI_CXX_DOUBLE_COMPLEX MPI_LOGICAL MPI_INTEGER MPI_REAL MPI_COMPLEX
        MPI_DOUBLE_PRECISION MPI_DOUBLE_COMPLEX MPI_CHARACTER MPI_LONG_DOUBLE
        MPI_C_LONG_DOUBLE_COMPLEX MPI_CXX_LONG_DOUBLE_COMPLEX MPI_FLOAT_INT MPI_DOUBLE_INT
        MPI_LONG_INT MPI_2INT MPI_SHORT_INT MPI_LONG_DOUBLE_INT MPI_2REAL MPI_2DOUBLE_PRECISION
        MPI_2INTEGER MPI_C_BOOL MPI_CXX_BOOL MPI_WCHAR MPI_INT8_T MPI_UINT8_T MPI_CHAR
        MPI_SIGNED_CHAR MPI_UNSIGNED_CHAR MPI_BYTE MPI_INT16_T MPI_UINT16_T MPI_INT32_T
        MPI_UINT32_T MPI_INT64_T MPI_UINT64_T MPI_LOGICAL1 MPI_INTEGER1 MPI_LOGICAL2
        MPI_INTEGER2 MPI_REAL2 MPI_LOGICAL4 MPI_INTEGER4 MPI_REAL4 MPI_COMPLEX4 MPI_LOGICAL8
        MPI_INTEGER8 MPI_REAL8 MPI_COMPLEX8 MPI_LOGICAL16 MPI_INTEGER16 MPI_REAL16
        MPI_COMPLEX16 MPI_COMPLEX32
    );
    handles.into_iter().map(|(name, handle)| {
        (
            handle,
            named::find(name).expect("every predefined datatype has its row"),
        )
    })
}

impl Datatypes {
    /// The datatype that a handle names, committed or not.
    pub fn get(&self, datatype: MPI_Datatype) -> Result<Rc<Datatype>> {
        let found = match self.predefined.get(datatype.0) {
            Some(predefined) => predefined.clone(),
            None => self.made.get(datatype.0),
        };
        found.ok_or_else(|| no_datatype(datatype))
    }

    /// The predefined datatype that a handle names.
    pub fn predefined(&self, datatype: MPI_Datatype) -> Option<&Datatype> {
        self.predefined.get(datatype.0)?.as_deref()
    }

    /// The handle of a predefined datatype that is in the table.
    pub fn predefined_handle(&self, datatype: &Rc<Datatype>) -> Option<MPI_Datatype> {
        let name = datatype.name()?;
        named_handles()
            .find(|(_, named)| named.name == name)
            .map(|(handle, _)| handle)
    }

    /// The name of a datatype: the program's, or the standard's, or none.
    pub fn name(&self, datatype: MPI_Datatype) -> Vec<u8> {
        if let Some(name) = self.names.borrow().get(&datatype.0) {
            return name.clone();
        }
        let found = self.get(datatype).ok();
        found
            .and_then(|datatype| datatype.name())
            .unwrap_or("")
            .as_bytes()
            .to_vec()
    }

    /// Names a datatype.
    pub fn set_name(&self, datatype: MPI_Datatype, name: &[u8]) {
        self.names.borrow_mut().insert(datatype.0, name.to_vec());
    }

    /// The handle is about to be freed.
    pub fn forget_name(&self, datatype: MPI_Datatype) {
        self.names.borrow_mut().remove(&datatype.0);
    }

    /// The handle of a Fortran datatype by kind, precision and range, made once.
    pub fn fortran(
        &self,
        wanted: (i32, i32, i32),
        make: impl FnOnce() -> std::result::Result<Rc<Datatype>, DatatypeError>,
    ) -> Result<MPI_Datatype> {
        if let Some(handle) = self.fortran.borrow().get(&wanted) {
            return Ok(*handle);
        }
        let handle = MPI_Datatype(self.made.insert(make()?));
        self.fortran.borrow_mut().insert(wanted, handle);
        Ok(handle)
    }

    /// The datatype that a handle names, which must be committed, since data is to be moved.
    pub fn committed(&self, datatype: MPI_Datatype) -> Result<Rc<Datatype>> {
        let found = self.get(datatype)?;
        if !found.is_committed() {
            let text = "the datatype is not committed: call MPI_Type_commit before it is used to move data";
            return Err(ErrorClass::Type.with(text));
        }
        Ok(found)
    }
}

#[cold]
fn no_datatype(datatype: MPI_Datatype) -> Error {
    let what = if datatype == MPI_DATATYPE_NULL {
        "MPI_DATATYPE_NULL is no datatype that data can have".to_owned()
    } else {
        format!("{:#x} is no datatype, or one that was freed", datatype.0)
    };
    ErrorClass::Type.with(what)
}

/// The error of a count below 0.
#[cold]
pub fn negative_count(count: i64) -> Error {
    ErrorClass::Count.with(format!("a count is at least 0, not {count}"))
}

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

/// The memory of `count` elements of a datatype, if it is a predefined one without gaps.
#[inline(always)]
pub fn span(state: &State, address: *const u8, count: i64, datatype: MPI_Datatype) -> Option<Span> {
    let size = state
        .datatypes
        .sizes
        .get(datatype.0)
        .map_or(0, |size| usize::from(*size));
    if size == 0 || count < 0 || address.is_null() {
        return None;
    }
    Some(Span {
        address: address.cast_mut(),
        bytes: (count as usize).saturating_mul(size),
    })
}

/// No data. Programs describe it as no elements of `MPI_DATATYPE_NULL`, too.
pub const NOTHING: Span = Span {
    address: std::ptr::null_mut(),
    bytes: 0,
};

/// The memory of `count` elements of any committed datatype at `address`.
#[inline(always)]
pub fn buffer(
    state: &State,
    address: *const u8,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Buffer> {
    match span(state, address, count, datatype) {
        Some(span) => Ok(span.buffer()),
        None => derived(state, address, count, datatype),
    }
}

#[cold]
#[inline(never)]
fn derived(
    state: &State,
    address: *const u8,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Buffer> {
    let count = usize::try_from(count).map_err(|_| negative_count(count))?;
    if count == 0 && datatype == MPI_DATATYPE_NULL {
        return Ok(NOTHING.buffer());
    }
    let datatype = state.datatypes.committed(datatype)?;
    check_address(&datatype, address, count)?;
    Ok(memory_of(&datatype, address, count))
}

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

/// The datatype of data that does not lie together and is at most `most` bytes; none for other
/// data, and for what [`buffer`] would refuse.
#[inline]
pub fn scattered(
    state: &State,
    count: i64,
    datatype: MPI_Datatype,
    most: usize,
) -> Option<(Rc<Datatype>, usize)> {
    let count = usize::try_from(count).ok()?;
    let datatype = state.datatypes.committed(datatype).ok()?;
    let bytes = datatype.packed_bytes(count)?;
    let other = bytes > most || datatype.contiguous_bytes(count).is_some();
    (!other).then_some((datatype, count))
}

/// Lets `run` have the program of so many elements, which is not copied where it is one.
#[inline]
pub fn with_program<T>(datatype: &Datatype, count: usize, run: impl FnOnce(&Program) -> T) -> T {
    match count {
        1 => run(datatype.program()),
        _ => run(&datatype.program().times(count)),
    }
}

/// Data that is read, as contiguous bytes: the program's own where they are, else packed.
pub enum Input {
    /// The program's own memory.
    Own(Span),
    /// A packed copy.
    Packed(Vec<u8>),
}

/// Data of a send buffer as contiguous bytes.
///
/// # Safety
///
/// The memory is readable, and not changed as long as the input lives.
pub unsafe fn input(
    state: &State,
    address: *const u8,
    count: i64,
    datatype: MPI_Datatype,
) -> Result<Input> {
    match buffer(state, address, count, datatype)? {
        Buffer::Contiguous { address, bytes } => Ok(Input::Own(Span { address, bytes })),
        Buffer::Noncontiguous(mut memory) => {
            let mut packed = vec![0; memory.bytes()];
            // SAFETY: the vector has room for all bytes; the caller vouches for the memory.
            unsafe { memory.pack(0, packed.as_mut_ptr(), packed.len()) };
            Ok(Input::Packed(packed))
        }
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Packed(packed) => packed,
            // SAFETY: whoever made the input vouched for the memory as long as it lives.
            Self::Own(span) => unsafe { span.as_bytes() },
        }
    }
}
