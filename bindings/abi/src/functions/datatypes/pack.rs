//! Packing data into contiguous memory and back (MPI-5.0 sections 5.2 and 5.3).
//!
//! Packed data is the bytes of the elements in order, as messages carry them.

use std::ffi::{CStr, c_char, c_void};

use crate::count::Count;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::memory::{Span, check_address};
use crate::types::*;

#[cold]
fn no_room(needed: usize, left: i64) -> Error {
    ErrorClass::Truncate.with(format!("{needed} bytes are needed where {left} are left"))
}

/// The packed bytes in a packing buffer, behind what is already there.
fn packed(buffer: *const c_void, at: usize, bytes: usize, name: &str) -> Result<*mut u8> {
    if buffer.is_null() && bytes > 0 {
        let text = format!("argument {name} is a null pointer, for {bytes} bytes");
        return Err(ErrorClass::Buffer.with(text));
    }
    Ok(buffer.cast::<u8>().wrapping_add(at).cast_mut())
}

/// The position of a packing buffer and the bytes left behind it.
///
/// # Safety
///
/// `position` is readable.
unsafe fn place<C: Count>(position: *const C, size: C) -> Result<(usize, i64)> {
    // SAFETY: the caller vouches for it.
    let at = unsafe { (*position).to_i64() };
    if at < 0 || size.to_i64() < 0 {
        return Err(ErrorClass::Arg.with("a position or a size is negative"));
    }
    Ok((at as usize, size.to_i64() - at))
}

/// `MPI_Pack`.
///
/// # Safety
///
/// The buffers are good for what they are said to hold; `position` is writable.
pub unsafe fn pack<C: Count>(
    inbuf: *const c_void,
    incount: C,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: C,
    position: *mut C,
    comm: MPI_Comm,
) -> Result {
    let state = running()?;
    state.communicator(comm)?;
    state.datatypes.get(datatype)?;
    let mut data = state
        .datatypes
        .buffer(inbuf.cast(), incount.to_i64(), datatype)?;
    let bytes = data.bytes();
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let (at, left) = place(position, outsize)?;
        if bytes as i64 > left {
            return Err(no_room(bytes, left));
        }
        data.pack(0, packed(outbuf, at, bytes, "outbuf")?, bytes);
        position.write(C::from_i64((at + bytes) as i64));
    }
    Ok(())
}

/// `MPI_Unpack`.
///
/// # Safety
///
/// The buffers are good for what they are said to hold; `position` is writable.
pub unsafe fn unpack<C: Count>(
    inbuf: *const c_void,
    insize: C,
    position: *mut C,
    outbuf: *mut c_void,
    outcount: C,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result {
    let state = running()?;
    state.communicator(comm)?;
    state.datatypes.get(datatype)?;
    let mut data =
        state
            .datatypes
            .buffer(outbuf.cast_const().cast(), outcount.to_i64(), datatype)?;
    let bytes = data.bytes();
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let (at, left) = place(position, insize)?;
        if bytes as i64 > left {
            return Err(no_room(bytes, left));
        }
        data.unpack(0, packed(inbuf, at, bytes, "inbuf")?, bytes);
        position.write(C::from_i64((at + bytes) as i64));
    }
    Ok(())
}

fn counted(count: i64) -> Result<usize> {
    usize::try_from(count)
        .map_err(|_| ErrorClass::Count.with(format!("a count is at least 0, not {count}")))
}

fn too_large() -> Error {
    ErrorClass::Count.with("the packed data would be longer than memory can be")
}

/// `MPI_Pack_size`.
///
/// # Safety
///
/// `size` is writable.
pub unsafe fn pack_size<C: Count>(
    incount: C,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut C,
) -> Result {
    let state = running()?;
    state.communicator(comm)?;
    let datatype = state.datatypes.committed(datatype)?;
    let bytes = datatype
        .packed_bytes(counted(incount.to_i64())?)
        .ok_or_else(too_large)?;
    // SAFETY: the caller vouches for it.
    unsafe { size.write(C::from_i64(bytes as i64)) };
    Ok(())
}

/// Refuses every data representation but `external32`.
///
/// # Safety
///
/// `datarep` is a C string.
unsafe fn check_representation(datarep: *const c_char) -> Result {
    if datarep.is_null() {
        return Err(ErrorClass::Arg.with("the argument `datarep` is null"));
    }
    // SAFETY: the caller vouches for it.
    let name = unsafe { CStr::from_ptr(datarep) };
    if name.to_bytes() != b"external32" {
        let text = format!("the data representation is \"external32\", not {name:?}");
        return Err(ErrorClass::Arg.with(text));
    }
    Ok(())
}

/// `MPI_Pack_external`.
///
/// # Safety
///
/// The buffers are good for what they are said to hold; `position` is writable; `datarep` is a
/// C string.
pub unsafe fn pack_external<C: Count, E: Count>(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: C,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: E,
    position: *mut E,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.committed(datatype)?;
    let count = counted(incount.to_i64())?;
    check_address(&datatype, inbuf.cast(), count)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        check_representation(datarep)?;
        let (at, left) = place(position, outsize)?;
        let bytes = datatype.external32_bytes(count).ok_or_else(too_large)?;
        if bytes as i64 > left {
            return Err(no_room(bytes, left));
        }
        let mut machine = datatype.machine(count, inbuf.cast_mut().cast());
        let room = Span {
            address: packed(outbuf, at, bytes, "outbuf")?,
            bytes,
        };
        datatype.pack_external32(count, &mut machine, room.bytes_mut())?;
        position.write(E::from_i64((at + bytes) as i64));
    }
    Ok(())
}

/// `MPI_Unpack_external`.
///
/// # Safety
///
/// As for [`pack_external`].
pub unsafe fn unpack_external<C: Count, E: Count>(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: E,
    position: *mut E,
    outbuf: *mut c_void,
    outcount: C,
    datatype: MPI_Datatype,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.committed(datatype)?;
    let count = counted(outcount.to_i64())?;
    check_address(&datatype, outbuf.cast(), count)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        check_representation(datarep)?;
        let (at, left) = place(position, insize)?;
        let bytes = datatype.external32_bytes(count).ok_or_else(too_large)?;
        if bytes as i64 > left {
            return Err(no_room(bytes, left));
        }
        let mut machine = datatype.machine(count, outbuf.cast());
        let data = Span {
            address: packed(inbuf, at, bytes, "inbuf")?,
            bytes,
        };
        datatype.unpack_external32(count, &mut machine, data.as_bytes())?;
        position.write(E::from_i64((at + bytes) as i64));
    }
    Ok(())
}

/// `MPI_Pack_external_size`.
///
/// # Safety
///
/// `size` is writable; `datarep` is a C string.
pub unsafe fn pack_external_size<C: Count, E: Count>(
    datarep: *const c_char,
    incount: C,
    datatype: MPI_Datatype,
    size: *mut E,
) -> Result {
    let state = running()?;
    let datatype = state.datatypes.committed(datatype)?;
    let bytes = datatype
        .external32_bytes(counted(incount.to_i64())?)
        .ok_or_else(too_large)?;
    // SAFETY: the caller vouches for both.
    unsafe {
        check_representation(datarep)?;
        size.write(E::from_i64(bytes as i64));
    }
    Ok(())
}
