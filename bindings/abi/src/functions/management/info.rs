//! Info objects: ordered (key, value) hints (MPI-5.0 chapter 10).
//!
//! These functions may be called at any time, also before MPI is initialised and after it
//! is finalized, from any thread. [`crate::state::infos`] has the objects.

use std::ffi::{c_char, c_int};

use pamir_mpi::info::Info;

use crate::argument::{address, array, store, store_string, string};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::state::infos;
use crate::types::*;

/// Gives the program a handle of an info object.
///
/// # Safety
///
/// `target` is null or writable.
pub unsafe fn give(info: Info, target: *mut MPI_Info, name: &str) -> Result {
    address(target, name)?;
    let handle = infos::insert(info);
    // SAFETY: as the caller vouches.
    unsafe { store(target, handle, name) }
}

/// `MPI_Info_create`, section 10.
///
/// # Safety
///
/// `info` is null or writable.
pub unsafe fn info_create(info: *mut MPI_Info) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { give(infos::empty(), info, "info") }
}

/// `MPI_Info_create_env`, section 11.2.1.
///
/// # Safety
///
/// `argv` is null or has `argc` strings; `info` is null or writable.
pub unsafe fn info_create_env(argc: c_int, argv: *mut *mut c_char, info: *mut MPI_Info) -> Result {
    let made = if argc <= 0 || argv.is_null() {
        infos::own_environment()
    } else {
        // SAFETY: the caller vouches for the array and its strings.
        let arguments = unsafe {
            let strings = array(argv, argc, "argv")?.iter();
            let texts = strings.map(|text| string(*text, "argv").map(<[u8]>::to_vec));
            texts.collect::<Result<Vec<_>>>()?
        };
        infos::environment(&arguments)
    };
    // SAFETY: as the caller vouches.
    unsafe { give(made, info, "info") }
}

/// `MPI_Info_set`, section 10.
///
/// # Safety
///
/// `key` and `value` are null or strings.
pub unsafe fn info_set(info: MPI_Info, key: *const c_char, value: *const c_char) -> Result {
    // SAFETY: as the caller vouches.
    let (key, value) = unsafe { (string(key, "key")?, string(value, "value")?) };
    infos::change(info, |own| Ok(own.set(key, value)?))
}

/// `MPI_Info_delete`, section 10.
///
/// # Safety
///
/// `key` is null or a string.
pub unsafe fn info_delete(info: MPI_Info, key: *const c_char) -> Result {
    // SAFETY: as the caller vouches.
    let key = unsafe { string(key, "key")? };
    infos::change(info, |own| Ok(own.delete(key)?))
}

/// `MPI_Info_get`, section 10: at most `valuelen` characters.
///
/// # Safety
///
/// `key` is null or a string; `value` has room for `valuelen` characters and a zero; `flag`
/// is null or writable.
pub unsafe fn info_get(
    info: MPI_Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result {
    // SAFETY: as the caller vouches.
    let key = unsafe { string(key, "key")? };
    address(flag, "flag")?;
    let Ok(room) = usize::try_from(valuelen) else {
        return Err(ErrorClass::Arg.with(format!("{valuelen} is no length of a value")));
    };
    let found = infos::with(info, |info| Ok(info.get(key)?.map(<[u8]>::to_vec)))?;
    // SAFETY: as the caller vouches.
    unsafe {
        if let Some(text) = &found {
            store_string(value, text, room + 1, "value")?;
        }
        store(flag, found.is_some().into(), "flag")
    }
}

/// `MPI_Info_get_string`, section 10.
///
/// # Safety
///
/// `key` is null or a string; `buflen` is null or writable, and `value` has room for as many
/// characters as it says, the zero included; `flag` is null or writable.
pub unsafe fn info_get_string(
    info: MPI_Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result {
    // SAFETY: as the caller vouches.
    let key = unsafe { string(key, "key")? };
    address(buflen, "buflen")?;
    address(flag, "flag")?;
    let found = infos::with(info, |info| Ok(info.get(key)?.map(<[u8]>::to_vec)))?;
    // SAFETY: as the caller vouches.
    unsafe {
        if let Some(text) = &found {
            let Ok(room) = usize::try_from(buflen.read()) else {
                return Err(ErrorClass::Arg.with(format!("{} is no length", buflen.read())));
            };
            if room > 0 {
                store_string(value, text, room, "value")?;
            }
            buflen.write(text.len() as c_int + 1);
        }
        store(flag, found.is_some().into(), "flag")
    }
}

/// `MPI_Info_get_valuelen`, section 10.
///
/// # Safety
///
/// `key` is null or a string; `valuelen` and `flag` are null or writable.
pub unsafe fn info_get_valuelen(
    info: MPI_Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> Result {
    // SAFETY: as the caller vouches.
    let key = unsafe { string(key, "key")? };
    let bytes = infos::with(info, |info| Ok(info.get(key)?.map(<[u8]>::len)))?;
    // SAFETY: as the caller vouches.
    unsafe {
        if let Some(bytes) = bytes {
            store(valuelen, bytes as c_int, "valuelen")?;
        }
        store(flag, bytes.is_some().into(), "flag")
    }
}

/// `MPI_Info_get_nkeys`, section 10.
///
/// # Safety
///
/// `nkeys` is null or writable.
pub unsafe fn info_get_nkeys(info: MPI_Info, nkeys: *mut c_int) -> Result {
    let keys = infos::with(info, |info| Ok(info.key_count()))?;
    // SAFETY: as the caller vouches.
    unsafe { store(nkeys, keys as c_int, "nkeys") }
}

/// `MPI_Info_get_nthkey`, section 10.
///
/// # Safety
///
/// `key` is null or has room for `MPI_MAX_INFO_KEY` characters.
pub unsafe fn info_get_nthkey(info: MPI_Info, n: c_int, key: *mut c_char) -> Result {
    let found = infos::with(info, |info| {
        let keys = info.key_count();
        let index = usize::try_from(n).map_err(|_| {
            ErrorClass::Arg.with(format!("info key {n} does not exist: there are {keys}"))
        })?;
        Ok(info.nth_key(index)?.to_vec())
    })?;
    // SAFETY: as the caller vouches.
    unsafe { store_string(key, &found, MPI_MAX_INFO_KEY as usize, "key").map(|_| ()) }
}

/// `MPI_Info_dup`, section 10.
///
/// # Safety
///
/// `newinfo` is null or writable.
pub unsafe fn info_dup(info: MPI_Info, newinfo: *mut MPI_Info) -> Result {
    let copy = infos::with(info, |info| Ok(info.clone()))?;
    // SAFETY: as the caller vouches.
    unsafe { give(copy, newinfo, "newinfo") }
}

/// `MPI_Info_free`, section 10.
///
/// # Safety
///
/// `info` is null or points to a handle.
pub unsafe fn info_free(info: *mut MPI_Info) -> Result {
    address(info, "info")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { info.read() };
    infos::remove(handle)?;
    // SAFETY: as above.
    unsafe { store(info, MPI_INFO_NULL, "info") }
}
