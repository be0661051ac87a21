//! Datatype constructors, inquiry and decoding; address arithmetic (MPI-5.0 chapter 5).
//!
//! What datatypes mean is `pamir_mpi::datatype`; here arguments are checked and handles given.

pub mod construct;
pub mod decode;
pub mod inquire;

pub use construct::{
    type_contiguous, type_create_darray, type_create_f90_complex, type_create_f90_integer,
    type_create_f90_real, type_create_hindexed, type_create_hindexed_block, type_create_hvector,
    type_create_indexed_block, type_create_resized, type_create_struct, type_create_subarray,
    type_dup, type_indexed, type_vector,
};
pub use decode::{type_get_contents, type_get_contents_c, type_get_envelope, type_get_envelope_c};
pub use inquire::{
    type_get_extent, type_get_extent_x, type_get_name, type_get_true_extent,
    type_get_true_extent_x, type_get_value_index, type_match_size, type_set_name, type_size,
    type_size_x,
};

use std::ffi::c_void;
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, DatatypeError, ErrorClass as DatatypeClass};

use crate::constants::MPI_DATATYPE_NULL;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

impl From<DatatypeError> for Error {
    #[cold]
    fn from(error: DatatypeError) -> Self {
        let class = match error.class() {
            DatatypeClass::Count => ErrorClass::Count,
            DatatypeClass::Dimensions => ErrorClass::Dims,
            DatatypeClass::Type => ErrorClass::Type,
            DatatypeClass::Conversion => ErrorClass::Conversion,
            _ => ErrorClass::Arg,
        };
        class.with(error.to_string())
    }
}

/// Gives a datatype its handle: a predefined one has it already.
pub fn handle_of(state: &State, datatype: Rc<Datatype>) -> MPI_Datatype {
    if let Some(predefined) = state.datatypes.predefined_handle(&datatype) {
        return predefined;
    }
    MPI_Datatype(state.datatypes.made.insert(datatype))
}

/// `MPI_Type_commit`, section 5.1.9.
///
/// # Safety
///
/// `datatype` is readable.
pub unsafe fn type_commit(datatype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for it.
    let datatype = state.datatypes.get(unsafe { *datatype })?;
    if !datatype.is_committed() {
        datatype.commit();
        explain(&state, &datatype);
    }
    Ok(())
}

/// Tells what a datatype compiled to, and how one of it would be sent, where the user has asked
/// for it.
fn explain(state: &State, datatype: &Datatype) {
    if pamir_settings::EXPLAIN_TYPES.value() {
        let (made, program) = (datatype.envelope().combiner, datatype.program());
        let contiguous = datatype.dense();
        let sent = state
            .process
            .context()
            .explain_send(contiguous, datatype.size());
        eprintln!("MPI_Type_commit, made by {made:?}: {program}\n  one is sent by: {sent}");
    }
}

/// `MPI_Type_free`, section 5.1.9. What is under way with the datatype keeps it.
///
/// # Safety
///
/// `datatype` is readable and writable.
pub unsafe fn type_free(datatype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for it.
    let handle = unsafe { *datatype };
    if state.datatypes.get(handle)?.is_predefined() {
        return Err(ErrorClass::Type.with("a predefined datatype is not freed"));
    }
    state.attributes.delete_all_of_datatype(handle)?;
    state.datatypes.forget_name(handle);
    state.datatypes.made.remove(handle.0);
    // SAFETY: as above.
    unsafe { datatype.write(MPI_DATATYPE_NULL) };
    Ok(())
}

/// `MPI_Get_address`, section 5.1.5.
///
/// # Safety
///
/// `address` is writable.
pub unsafe fn get_address(location: *const c_void, address: *mut MPI_Aint) -> Result {
    if address.is_null() {
        return Err(ErrorClass::Arg.with("the argument `address` is null"));
    }
    // SAFETY: the caller vouches for it.
    unsafe { address.write(location as MPI_Aint) };
    Ok(())
}

/// `MPI_Aint_add`, section 5.1.5.
pub fn aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

/// `MPI_Aint_diff`, section 5.1.5.
pub fn aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}
