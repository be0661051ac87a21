//! MPICH's sentinels: variables of common blocks, and others of `mpi_f08`.
//!
//! ```text
//! mpif.h, mpi   COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(5)
//!               COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE(5), MPI_ERRCODES_IGNORE(1)
//!               COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL       one character each
//!               COMMON /MPIFCMB5/ MPI_UNWEIGHTED   COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY
//! mpi_f08       MPIR_F08_MPI_BOTTOM and its like, module variables of mpi_f08_link_constants
//! ```
//!
//! Step before: `entry`. Step after: the C function.
//! Invariant: C's `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` are what its variables hold.

#![allow(non_upper_case_globals, non_snake_case)]

use super::place::place_of;
use crate::c::{Integer, Status, c_char, c_int, c_void};

macro_rules! variables {
    ($($(#[$about:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$about])* #[unsafe(no_mangle)] pub static mut $name: $type = $value;)*
    };
}

variables! {
    /// `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE`.
    mpipriv1_: [Integer; 7] = [0; 7];
    /// `MPI_STATUSES_IGNORE`, `MPI_ERRCODES_IGNORE`.
    mpipriv2_: [Integer; 6] = [0; 6];
    /// `MPI_ARGVS_NULL`, `MPI_ARGV_NULL`.
    mpiprivc_: [c_char; 2] = [0; 2];
    /// `MPI_UNWEIGHTED`.
    mpifcmb5_: Integer = 0;
    /// `MPI_WEIGHTS_EMPTY`.
    mpifcmb9_: Integer = 0;
    /// `MPI_BOTTOM` of `mpi_f08`.
    MPIR_F08_MPI_BOTTOM: c_int = 0;
    /// `MPI_IN_PLACE` of `mpi_f08`.
    MPIR_F08_MPI_IN_PLACE: c_int = 0;
    /// `MPI_STATUS_IGNORE` of `mpi_f08`.
    MPIR_F08_MPI_STATUS_IGNORE_OBJ: Status = [0; 5];
    /// `MPI_STATUSES_IGNORE` of `mpi_f08`.
    MPIR_F08_MPI_STATUSES_IGNORE_OBJ: Status = [0; 5];
    /// `MPI_ARGV_NULL` of `mpi_f08`.
    __mpi_f08_link_constants_MOD_mpi_argv_null: c_char = 0;
    /// `MPI_ARGVS_NULL` of `mpi_f08`.
    __mpi_f08_link_constants_MOD_mpi_argvs_null: c_char = 0;
    /// `MPI_ERRCODES_IGNORE` of `mpi_f08`.
    __mpi_f08_link_constants_MOD_mpi_errcodes_ignore: Integer = 0;
    /// `MPI_UNWEIGHTED` of `mpi_f08`.
    __mpi_f08_link_constants_MOD_mpi_unweighted: Integer = 0;
    /// `MPI_WEIGHTS_EMPTY` of `mpi_f08`.
    __mpi_f08_link_constants_MOD_mpi_weights_empty: Integer = 0;
}

unsafe extern "C" {
    /// C's `MPI_UNWEIGHTED`.
    static MPI_UNWEIGHTED: *mut c_int;
    /// C's `MPI_WEIGHTS_EMPTY`.
    static MPI_WEIGHTS_EMPTY: *mut c_int;
    /// C's `MPI_F_STATUS_IGNORE`, which C has no value for by itself.
    static mut MPI_F_STATUS_IGNORE: *mut Integer;
    /// C's `MPI_F_STATUSES_IGNORE`.
    static mut MPI_F_STATUSES_IGNORE: *mut Integer;
}

const BOTTOM: usize = 0;
const IN_PLACE: usize = 4;
const STATUS: usize = 8;
const ERRCODES: usize = 20;

/// What C takes where a status is not wanted.
pub const STATUS_IGNORE_OF_C: *mut Status = std::ptr::without_provenance_mut(1);

/// Tells C where the sentinels of `mpif.h` are that it has names for.
pub fn tell_c() {
    let (one, many) = (place_of!(mpipriv1_) + STATUS, place_of!(mpipriv2_));
    // SAFETY: C's variables, which are for this library to write before anybody reads them.
    unsafe {
        MPI_F_STATUS_IGNORE = std::ptr::without_provenance_mut(one);
        MPI_F_STATUSES_IGNORE = std::ptr::without_provenance_mut(many);
    }
}

/// A buffer.
#[inline(always)]
pub fn choice(address: *mut c_void) -> *mut c_void {
    let at = address as usize;
    let place = at.wrapping_sub(place_of!(mpipriv1_));
    if place == BOTTOM || at == place_of!(MPIR_F08_MPI_BOTTOM) {
        std::ptr::null_mut()
    } else if is_in_place(address) {
        std::ptr::without_provenance_mut(usize::MAX)
    } else {
        address
    }
}

/// A buffer that C gives back: no variable of Fortran's stands for one of the library's.
pub fn given_back(buffer: *mut c_void) -> *mut c_void {
    buffer
}

/// Whether an address is that of `MPI_IN_PLACE`.
#[inline(always)]
pub fn is_in_place(address: *mut c_void) -> bool {
    let at = address as usize;
    at.wrapping_sub(place_of!(mpipriv1_)) == IN_PLACE || at == place_of!(MPIR_F08_MPI_IN_PLACE)
}

/// A status to be written.
#[inline(always)]
pub fn status(address: *mut Status) -> *mut Status {
    let at = address as usize;
    let is_ignored = at.wrapping_sub(place_of!(mpipriv1_)) == STATUS
        || at == place_of!(mpipriv2_)
        || at == place_of!(MPIR_F08_MPI_STATUS_IGNORE_OBJ)
        || at == place_of!(MPIR_F08_MPI_STATUSES_IGNORE_OBJ);
    if is_ignored {
        STATUS_IGNORE_OF_C
    } else {
        address
    }
}

/// Statuses to be written. Programs that give `MPI_STATUS_IGNORE` mean the same.
#[inline(always)]
pub fn statuses(address: *mut Status) -> *mut Status {
    status(address)
}

/// Weights of a graph's edges.
pub fn weights(address: *mut c_int) -> *mut c_int {
    let at = address as usize;
    let is_unweighted =
        at == place_of!(mpifcmb5_) || at == place_of!(__mpi_f08_link_constants_MOD_mpi_unweighted);
    let is_empty = at == place_of!(mpifcmb9_)
        || at == place_of!(__mpi_f08_link_constants_MOD_mpi_weights_empty);
    match (is_unweighted, is_empty) {
        // SAFETY: C's variable, which it never writes.
        (true, _) => unsafe { MPI_UNWEIGHTED },
        // SAFETY: as above.
        (_, true) => unsafe { MPI_WEIGHTS_EMPTY },
        _ => address,
    }
}

/// Error codes to be written.
pub fn error_codes(address: *mut c_int) -> *mut c_int {
    let at = address as usize;
    let variable = place_of!(__mpi_f08_link_constants_MOD_mpi_errcodes_ignore);
    match at.wrapping_sub(place_of!(mpipriv2_)) == ERRCODES || at == variable {
        true => std::ptr::null_mut(),
        false => address,
    }
}

/// Whether an argument vector is `MPI_ARGV_NULL` or `MPI_ARGVS_NULL`.
pub fn is_no_arguments(address: *mut c_char) -> bool {
    let at = address as usize;
    at.wrapping_sub(place_of!(mpiprivc_)) < 2
        || at == place_of!(__mpi_f08_link_constants_MOD_mpi_argv_null)
        || at == place_of!(__mpi_f08_link_constants_MOD_mpi_argvs_null)
}
