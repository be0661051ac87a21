//! Sizes, extents and names, sections 5.1.6 to 5.1.8 and 7.8.

use std::ffi::{CStr, c_char, c_int};

use pamir_mpi::datatype::named::{Named, TypeClass, match_size, value_index};

use crate::constants::*;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::datatypes::named_handles;
use crate::types::*;

/// `MPI_Type_size`.
///
/// # Safety
///
/// `size` is writable.
pub unsafe fn type_size<C: Count>(datatype: MPI_Datatype, size: *mut C) -> Result {
    let state = running()?;
    let bytes = state.datatypes.get(datatype)?.size() as i64;
    // SAFETY: the caller vouches for it.
    unsafe { size.write(C::from_i64(bytes)) };
    Ok(())
}

/// `MPI_Type_size_x`.
///
/// # Safety
///
/// `size` is writable.
pub unsafe fn type_size_x(datatype: MPI_Datatype, size: *mut MPI_Count) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_size(datatype, size) }
}

/// `MPI_Type_get_extent`.
///
/// # Safety
///
/// Both results are writable.
pub unsafe fn type_get_extent<E: Count>(
    datatype: MPI_Datatype,
    lb: *mut E,
    extent: *mut E,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.get(datatype)?;
    // SAFETY: the caller vouches for them.
    unsafe {
        lb.write(E::from_i64(datatype.lower_bound()));
        extent.write(E::from_i64(datatype.extent()));
    }
    Ok(())
}

/// `MPI_Type_get_extent_x`.
///
/// # Safety
///
/// Both results are writable.
pub unsafe fn type_get_extent_x(
    datatype: MPI_Datatype,
    lb: *mut MPI_Count,
    extent: *mut MPI_Count,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_get_extent(datatype, lb, extent) }
}

/// `MPI_Type_get_true_extent`.
///
/// # Safety
///
/// Both results are writable.
pub unsafe fn type_get_true_extent<E: Count>(
    datatype: MPI_Datatype,
    true_lb: *mut E,
    true_extent: *mut E,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.get(datatype)?;
    // SAFETY: the caller vouches for them.
    unsafe {
        true_lb.write(E::from_i64(datatype.true_lower_bound()));
        true_extent.write(E::from_i64(datatype.true_extent()));
    }
    Ok(())
}

/// `MPI_Type_get_true_extent_x`.
///
/// # Safety
///
/// Both results are writable.
pub unsafe fn type_get_true_extent_x(
    datatype: MPI_Datatype,
    true_lb: *mut MPI_Count,
    true_extent: *mut MPI_Count,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { type_get_true_extent(datatype, true_lb, true_extent) }
}

/// `MPI_Type_set_name`.
///
/// # Safety
///
/// `type_name` is a C string.
pub unsafe fn type_set_name(datatype: MPI_Datatype, type_name: *const c_char) -> Result {
    let state = running()?;
    state.datatypes.get(datatype)?;
    if type_name.is_null() {
        return Err(ErrorClass::Arg.with("the argument `type_name` is null"));
    }
    // SAFETY: the caller vouches for it.
    let name = unsafe { CStr::from_ptr(type_name) }.to_bytes();
    let longest = MPI_MAX_OBJECT_NAME as usize - 1;
    state
        .datatypes
        .set_name(datatype, &name[..name.len().min(longest)]);
    Ok(())
}

/// `MPI_Type_get_name`.
///
/// # Safety
///
/// `type_name` has `MPI_MAX_OBJECT_NAME` bytes; `resultlen` is writable.
pub unsafe fn type_get_name(
    datatype: MPI_Datatype,
    type_name: *mut c_char,
    resultlen: *mut c_int,
) -> Result {
    let state = running()?;
    let name = if datatype == MPI_DATATYPE_NULL {
        b"MPI_DATATYPE_NULL".as_slice().into()
    } else {
        state.datatypes.get(datatype)?;
        state.datatypes.name(datatype)
    };
    // SAFETY: the caller vouches for both; names are cut when they are set.
    unsafe {
        std::ptr::copy_nonoverlapping(name.as_ptr().cast(), type_name, name.len());
        type_name.add(name.len()).write(0);
        resultlen.write(name.len() as c_int);
    }
    Ok(())
}

fn handle(named: Option<&'static Named>) -> Option<MPI_Datatype> {
    let name = named?.name;
    named_handles()
        .find(|(_, named)| named.name == name)
        .map(|(handle, _)| handle)
}

/// `MPI_Type_match_size`, section 19.1.5.
///
/// # Safety
///
/// `datatype` is writable.
pub unsafe fn type_match_size(
    typeclass: c_int,
    size: c_int,
    datatype: *mut MPI_Datatype,
) -> Result {
    let class = match typeclass {
        MPI_TYPECLASS_INTEGER => TypeClass::Integer,
        MPI_TYPECLASS_REAL => TypeClass::Real,
        MPI_TYPECLASS_COMPLEX => TypeClass::Complex,
        _ => {
            let text = format!("{typeclass} is no MPI_TYPECLASS_ constant");
            return Err(ErrorClass::Arg.with(text));
        }
    };
    let Some(found) = handle(match_size(class, size.into())) else {
        return Err(ErrorClass::Arg.with(format!("no datatype of this class has {size} bytes")));
    };
    // SAFETY: the caller vouches for it.
    unsafe { datatype.write(found) };
    Ok(())
}

/// `MPI_Type_get_value_index`, section 6.9.4.
///
/// # Safety
///
/// `pair_type` is writable.
pub unsafe fn type_get_value_index(
    value_type: MPI_Datatype,
    index_type: MPI_Datatype,
    pair_type: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let value = state.datatypes.get(value_type)?;
    let index = state.datatypes.get(index_type)?;
    let names = value.name().zip(index.name());
    let pair = names.and_then(|(value, index)| handle(value_index(value, index)));
    // SAFETY: the caller vouches for it.
    unsafe { pair_type.write(pair.unwrap_or(MPI_DATATYPE_NULL)) };
    Ok(())
}
