//! From (address, count, datatype) to memory: what every call with data does first.
//!
//! Before: the arguments of a C call. After: a [`Span`] or a `Buffer` for messages.
//!
//! The sizes of predefined datatypes without gaps stand in a table by handle, so that the
//! common case is one look-up; every other datatype takes the cold way.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, DatatypeError, Named, named};
use pamir_transport::tagged::buffer::Buffer;

use super::handles::{Kind, Table};
use super::memory::{NOTHING, Span, check_address, memory_of};
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
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

    /// The memory of `count` elements of a datatype, if it is a predefined one without gaps.
    #[inline(always)]
    pub fn span(&self, address: *const u8, count: i64, datatype: MPI_Datatype) -> Option<Span> {
        let size = self
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

    /// The memory of `count` elements of any committed datatype at `address`.
    #[inline(always)]
    pub fn buffer(&self, address: *const u8, count: i64, datatype: MPI_Datatype) -> Result<Buffer> {
        match self.span(address, count, datatype) {
            Some(span) => Ok(span.buffer()),
            None => self.derived(address, count, datatype),
        }
    }

    #[cold]
    #[inline(never)]
    fn derived(&self, address: *const u8, count: i64, datatype: MPI_Datatype) -> Result<Buffer> {
        let count = usize::try_from(count).map_err(|_| negative_count(count))?;
        if count == 0 && datatype == MPI_DATATYPE_NULL {
            return Ok(NOTHING.buffer());
        }
        let datatype = self.committed(datatype)?;
        check_address(&datatype, address, count)?;
        Ok(memory_of(&datatype, address, count))
    }

    /// The datatype of data that does not lie together and is at most `most` bytes; none for other
    /// data, and for what [`Self::buffer`] would refuse.
    #[inline]
    pub fn scattered(
        &self,
        count: i64,
        datatype: MPI_Datatype,
        most: usize,
    ) -> Option<(Rc<Datatype>, usize)> {
        let count = usize::try_from(count).ok()?;
        let datatype = self.committed(datatype).ok()?;
        let bytes = datatype.packed_bytes(count)?;
        let other = bytes > most || datatype.contiguous_bytes(count).is_some();
        (!other).then_some((datatype, count))
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
