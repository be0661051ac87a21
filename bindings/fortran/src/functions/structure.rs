//! Structures, and the markers of their bounds.
//!
//! What: `MPI_LB` and `MPI_UB` among the members of a structure said where it begins and ends, until MPI-3.0 removed
//! them for `MPI_Type_create_resized`. C has them no more; old programs in Fortran do.
//!
//! ```text
//! struct(8 at 0: MPI_REAL, 1 at 64: MPI_UB)  -->  resized(struct(8 at 0: MPI_REAL), 0, 64)
//! ```
//!
//! Step before: `entry`, `removed`. Step after: C's constructor, and `MPI_Type_create_resized` if there is a marker.
//! Invariant: a structure without markers is handed on as it is.

// The markers of a lower and an upper bound, which no datatype of the ABI has as its number.
use crate::c::number::{MPI_LB as LOWER, MPI_UB as UPPER};
use crate::c::symbol as mpi;
use crate::c::{self, Handle, Integer, c_int};
use crate::handle;

/// What a structure has without its markers, and the bounds that they say.
#[derive(Default)]
struct Members {
    lengths: Vec<Integer>,
    displacements: Vec<i64>,
    types: Vec<Handle>,
    lower: Option<i64>,
    upper: Option<i64>,
}

impl Members {
    fn add(&mut self, length: Integer, displacement: i64, datatype: Integer) {
        match datatype {
            LOWER => {
                self.lower = Some(self.lower.map_or(displacement, |old| old.min(displacement)))
            }
            UPPER => {
                self.upper = Some(self.upper.map_or(displacement, |old| old.max(displacement)))
            }
            _ => {
                self.lengths.push(length);
                self.displacements.push(displacement);
                self.types.push(handle::datatype::to_c(datatype));
            }
        }
    }

    /// Gives the structure the bounds of its markers; where there is none, it keeps its own.
    unsafe fn resize(&self, made: *mut Handle) -> c_int {
        if self.lower.is_none() && self.upper.is_none() {
            return c::SUCCESS;
        }
        let (mut lower, mut extent) = (0, 0);
        // SAFETY: the datatype was made for this; the places are the caller's and this function's.
        unsafe {
            let mut plain = *made;
            mpi::PMPI_Type_get_extent(plain, &raw mut lower, &raw mut extent);
            let upper = self.upper.unwrap_or(lower + extent);
            let lower = self.lower.unwrap_or(lower);
            let code = mpi::PMPI_Type_create_resized(plain, lower, upper - lower, made);
            mpi::PMPI_Type_free(&raw mut plain);
            code
        }
    }
}

/// `MPI_Type_create_struct`.
pub unsafe fn type_create_struct(
    call: c::MPI_Type_create_struct,
    count: *mut Integer,
    lengths: *mut Integer,
    displacements: *mut i64,
    types: *mut Integer,
    newtype: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments: as many members as it says.
    unsafe {
        let mut members = Members::default();
        for index in 0..usize::try_from(*count).unwrap_or(0) {
            members.add(
                *lengths.add(index),
                *displacements.add(index),
                *types.add(index),
            );
        }
        // A negative count is C's to refuse.
        let number = match *count {
            count if count < 0 => count,
            _ => members.types.len() as Integer,
        };
        let lengths = members.lengths.as_mut_ptr();
        let displacements = members.displacements.as_mut_ptr();
        let types = members.types.as_mut_ptr();
        handle::made(newtype, handle::datatype::to_fortran, |made| {
            match call(number, lengths, displacements, types, made) {
                c::SUCCESS => members.resize(made),
                code => code,
            }
        })
    }
}
