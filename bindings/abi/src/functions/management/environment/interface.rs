//! Versions, and what C and Fortran are to agree on (MPI-5.0 sections 9.1.1 and 20.3).
//!
//! All of these may be called at any time, also before MPI is initialised.
//!
//! The library is made without a Fortran compiler: it knows nothing of Fortran until a
//! Fortran binding tells it, once.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use pamir_mpi::info::Info;

use crate::argument::{address, store, store_string};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::face;
use crate::functions::management::info;
use crate::state::infos;
use crate::types::*;

/// `MPI_Get_version`, section 9.1.1.
///
/// # Safety
///
/// Both are null or writable.
pub unsafe fn get_version(version: *mut c_int, subversion: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        store(version, MPI_VERSION, "version")?;
        store(subversion, MPI_SUBVERSION, "subversion")
    }
}

/// `MPI_Get_library_version`, section 9.1.1.
///
/// # Safety
///
/// `version` is null or has room for `MPI_MAX_LIBRARY_VERSION_STRING` characters;
/// `resultlen` is null or writable.
pub unsafe fn get_library_version(version: *mut c_char, resultlen: *mut c_int) -> Result {
    address(resultlen, "resultlen")?;
    let text = format!(
        "Pamir {} (MPI {MPI_VERSION}.{MPI_SUBVERSION}, binary interface {}, {})",
        env!("CARGO_PKG_VERSION"),
        match face::name() {
            Some(name) => format!("of {name}"),
            None => format!("{MPI_ABI_VERSION}.{MPI_ABI_SUBVERSION}"),
        },
        std::env::consts::ARCH
    );
    let room = MPI_MAX_LIBRARY_VERSION_STRING as usize;
    // SAFETY: as the caller vouches.
    unsafe {
        let bytes = store_string(version, text.as_bytes(), room, "version")?;
        store(resultlen, bytes, "resultlen")
    }
}

/// `MPI_Abi_get_version`, section 20.2.
///
/// # Safety
///
/// Both are null or writable.
pub unsafe fn abi_get_version(abi_major: *mut c_int, abi_minor: *mut c_int) -> Result {
    // SAFETY: as the caller vouches.
    unsafe {
        store(abi_major, MPI_ABI_VERSION, "abi_major")?;
        store(abi_minor, MPI_ABI_SUBVERSION, "abi_minor")
    }
}

/// `MPI_Abi_get_info`, section 20.2: the sizes of the types that platforms choose.
///
/// # Safety
///
/// `info` is null or writable.
pub unsafe fn abi_get_info(info: *mut MPI_Info) -> Result {
    let mut found = infos::empty();
    for (key, bytes) in [
        ("mpi_aint_size", size_of::<MPI_Aint>()),
        ("mpi_count_size", size_of::<MPI_Count>()),
        ("mpi_offset_size", size_of::<MPI_Offset>()),
    ] {
        found.set(key, bytes.to_string())?;
    }
    // SAFETY: as the caller vouches.
    unsafe { info::give(found, info, "info") }
}

/// The sizes of Fortran's default types that the library's datatypes have, in bytes.
const FORTRAN_SIZES: [(&str, &[u8]); 4] = [
    ("mpi_logical_size", b"4"),
    ("mpi_integer_size", b"4"),
    ("mpi_real_size", b"4"),
    ("mpi_double_precision_size", b"8"),
];

static FORTRAN: Mutex<Option<Info>> = Mutex::new(None);

/// `MPI_Abi_set_fortran_info`, section 20.3.
pub fn abi_set_fortran_info(info: MPI_Info) -> Result {
    let told = infos::hints(info)?;
    for (key, bytes) in FORTRAN_SIZES {
        if let Some(other) = told.get(key)?.filter(|other| *other != bytes) {
            return Err(ErrorClass::Abi.with(format!(
                "{key} is {} in this library, not {}",
                String::from_utf8_lossy(bytes),
                String::from_utf8_lossy(other)
            )));
        }
    }
    let mut known = FORTRAN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.is_some() {
        return Err(ErrorClass::Abi.with("what Fortran's types are like is told once"));
    }
    *known = Some(told);
    Ok(())
}

/// `MPI_Abi_get_fortran_info`, section 20.3: `MPI_INFO_NULL` until it is told.
///
/// # Safety
///
/// `info` is null or writable.
pub unsafe fn abi_get_fortran_info(info: *mut MPI_Info) -> Result {
    let known = FORTRAN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    // SAFETY: as the caller vouches.
    unsafe {
        match known {
            Some(known) => info::give(known, info, "info"),
            None => store(info, MPI_INFO_NULL, "info"),
        }
    }
}

/// By the size of a logical in bytes: the bytes of `.TRUE.` and `.FALSE.`.
static BOOLEANS: Mutex<BTreeMap<usize, [Vec<u8>; 2]>> = Mutex::new(BTreeMap::new());

/// The size of a Fortran logical, checked.
fn logical_bytes(logical_size: c_int) -> Result<usize> {
    match logical_size {
        1 | 2 | 4 | 8 | 16 => Ok(logical_size as usize),
        other => Err(ErrorClass::Arg.with(format!(
            "a Fortran logical has 1, 2, 4, 8 or 16 bytes, not {other}"
        ))),
    }
}

/// `MPI_Abi_set_fortran_booleans`, section 20.3.
///
/// # Safety
///
/// Both are null or the addresses of logicals of `logical_size` bytes.
pub unsafe fn abi_set_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result {
    let bytes = logical_bytes(logical_size)?;
    address(logical_true, "logical_true")?;
    address(logical_false, "logical_false")?;
    let values = [logical_true, logical_false].map(|logical| {
        // SAFETY: it is not null, so the caller vouches for its bytes.
        unsafe { std::slice::from_raw_parts(logical.cast::<u8>(), bytes) }.to_vec()
    });
    let mut known = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains_key(&bytes) {
        return Err(ErrorClass::Abi.with(format!(
            "the values of Fortran's logicals of {bytes} bytes are told once"
        )));
    }
    known.insert(bytes, values);
    Ok(())
}

/// `MPI_Abi_get_fortran_booleans`, section 20.3.
///
/// # Safety
///
/// The first two are null or the addresses of logicals of `logical_size` bytes; `is_set` is
/// null or writable.
pub unsafe fn abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
    is_set: *mut c_int,
) -> Result {
    let bytes = logical_bytes(logical_size)?;
    address(is_set, "is_set")?;
    let known = BOOLEANS.lock().unwrap_or_else(PoisonError::into_inner);
    let values = known.get(&bytes);
    if let Some([yes, no]) = values {
        address(logical_true, "logical_true")?;
        address(logical_false, "logical_false")?;
        // SAFETY: neither is null, so the caller vouches for as many bytes as both have.
        unsafe {
            logical_true.cast::<u8>().copy_from(yes.as_ptr(), bytes);
            logical_false.cast::<u8>().copy_from(no.as_ptr(), bytes);
        }
    }
    // SAFETY: as the caller vouches.
    unsafe { store(is_set, values.is_some().into(), "is_set") }
}
