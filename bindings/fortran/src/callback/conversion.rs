//! Data representations of files that a program converts in Fortran.
//!
//! ```text
//! C:        int convert(void *user, MPI_Datatype, int count, void *file, MPI_Offset position, void *extra)
//! Fortran:  CONVERT(USERBUF, DATATYPE, COUNT, FILEBUF, POSITION, EXTRA, IERROR)
//! ```
//!
//! Step before: `functions::callback::register_datarep`. Step after: C, when a file is read or written.
//! Invariant: the count has the size that the registering function says.

use super::record::Records;
use crate::c::{self, Handle, Integer, c_int, c_void};
use crate::handle;

/// The procedures of a data representation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Representation {
    /// From the file.
    pub read: usize,
    /// To the file.
    pub write: usize,
    /// The extent of a datatype in the file.
    pub extent: usize,
    /// What the program wants to see again.
    pub extra_state: i64,
}

static REPRESENTATIONS: Records<Representation> = Records::new();

impl Representation {
    /// The address that C carries.
    pub fn address(self) -> *mut c_void {
        REPRESENTATIONS.address(self)
    }
}

type Extent = unsafe extern "C" fn(*mut Integer, *mut i64, *mut i64, *mut Integer);
type Convert = unsafe extern "C" fn(
    *mut c_void,
    *mut Integer,
    *mut c_void,
    *mut c_void,
    *mut i64,
    *mut i64,
    *mut Integer,
);

/// C's extent function.
pub unsafe extern "C" fn extent(datatype: Handle, extent: *mut i64, extra: *mut c_void) -> c_int {
    let (mut datatype, mut code) = (handle::datatype::to_fortran(datatype), c::SUCCESS);
    // SAFETY: C gives back the record's address and a place for the extent.
    unsafe {
        let mut record = *extra.cast::<Representation>();
        let procedure: Extent = std::mem::transmute(record.extent);
        procedure(
            &raw mut datatype,
            extent,
            &raw mut record.extra_state,
            &raw mut code,
        );
    }
    code
}

macro_rules! convert {
    ($name:ident, $procedure:ident, $count:ty) => {
        /// C's conversion function.
        pub unsafe extern "C" fn $name(
            user: *mut c_void,
            datatype: Handle,
            mut count: $count,
            file: *mut c_void,
            mut position: i64,
            extra: *mut c_void,
        ) -> c_int {
            let (mut datatype, mut code) = (handle::datatype::to_fortran(datatype), c::SUCCESS);
            // SAFETY: C gives back the record's address.
            unsafe {
                let mut record = *extra.cast::<Representation>();
                let procedure: Convert = std::mem::transmute(record.$procedure);
                procedure(
                    user,
                    &raw mut datatype,
                    (&raw mut count).cast(),
                    file,
                    &raw mut position,
                    &raw mut record.extra_state,
                    &raw mut code,
                );
            }
            code
        }
    };
}

convert!(read, read, c_int);
convert!(write, write, c_int);
convert!(read_large, read, i64);
convert!(write_large, write, i64);
