//! Memory regions, and the puts and gets that name them.
//!
//! Before: `PAMI_Memregion_create`; the program sends the handle to others. After: `PAMI_Rput`
//! and `PAMI_Rget` move data between a region here and one there.
//!
//! ```text
//! pami_memregion_t:  word 0..3 the transport's description     word 3 a mark, 0 when destroyed
//! ```

use std::ffi::c_void;

use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};
use pamir_transport::one_sided::{Get, Put};

use crate::context::context_of;
use crate::endpoint::endpoint_of;
use crate::one_sided::{check_bytes, told};
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{MemoryRegionHandle, RegionGet, RegionPlace, RegionPut};

/// What a region's handle that is good ends with.
const MARK: usize = 0x4745_5249_4D41_5021;

fn handle_of(region: MemoryRegion) -> MemoryRegionHandle {
    let mut handle = [MARK; size_of::<MemoryRegionHandle>() / 8];
    let bytes = region.to_bytes();
    for (word, bytes) in handle.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = usize::from_ne_bytes(bytes.try_into().expect("a chunk has eight bytes"));
    }
    handle
}

/// The region that a handle describes.
///
/// # Safety
///
/// `handle` is NULL or readable.
pub unsafe fn region_of(
    handle: *const MemoryRegionHandle,
    argument: &'static str,
) -> Result<MemoryRegion, Refusal> {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { handle.as_ref() };
    let good = handle.filter(|handle| handle[DESCRIPTION_BYTES / 8] == MARK);
    let kind = "memory region";
    let words = good.ok_or(Refusal::Handle { argument, kind })?;
    let mut bytes = [0; DESCRIPTION_BYTES];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    Ok(MemoryRegion::from_bytes(bytes))
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// memory is readable and writable until the region is destroyed; both results are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Memregion_create(
    context: *mut c_void,
    address: *mut c_void,
    bytes_in: usize,
    bytes_out: *mut usize,
    memregion: *mut MemoryRegionHandle,
) -> Code {
    let create = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { context_of(context)? };
        if address.is_null() || bytes_out.is_null() || memregion.is_null() {
            let argument = "address, bytes_out or memregion";
            return Err(Refusal::Null { argument });
        }
        if bytes_in == 0 {
            return Err(Refusal::NoBytes);
        }
        // SAFETY: the caller vouches for the memory, the results, and for having the context.
        unsafe {
            *memregion = handle_of(object.context().register(address.cast(), bytes_in));
            *bytes_out = bytes_in;
        }
        Ok(())
    };
    answer(create())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself;
/// `memregion` is readable and writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Memregion_destroy(
    context: *mut c_void,
    memregion: *mut MemoryRegionHandle,
) -> Code {
    let (argument, kind) = ("memregion", "memory region");
    let destroy = || {
        // SAFETY: the caller vouches for both handles, and for having the context.
        unsafe {
            let region = region_of(memregion, argument)?;
            let known = context_of(context)?.context().deregister(&region);
            *memregion = [0; size_of::<MemoryRegionHandle>() / 8];
            if !known {
                return Err(Refusal::Handle { argument, kind });
            }
        }
        Ok(())
    };
    answer(destroy())
}

/// The region and its address here of a transfer's near end.
///
/// # Safety
///
/// The place's region is NULL or readable.
unsafe fn local_address(place: &RegionPlace, bytes: usize) -> Result<*mut u8, Refusal> {
    // SAFETY: as the caller vouches.
    let region = unsafe { region_of(place.mr, "rdma.local.mr")? };
    let (which, offset) = ("local", place.offset);
    region
        .address_of(offset, bytes)
        .ok_or(Refusal::OutsideRegion {
            which,
            offset,
            bytes,
        })
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters and regions are readable, and both regions stay until the events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Rput(context: *mut c_void, parameters: *mut RegionPut) -> Code {
    let put = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let argument = "parameters";
        let RegionPut {
            rma,
            local,
            remote,
            rdone_fn,
        } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        // SAFETY: the caller vouches for the regions.
        let (source, region) = unsafe {
            (
                local_address(local, rma.bytes)?,
                region_of(remote.mr, "rdma.remote.mr")?,
            )
        };
        let put = Put {
            to: endpoint_of(rma.dest),
            region,
            offset: remote.offset,
            notify: None,
            local: told(object, rma, rma.done_fn),
            remote: told(object, rma, *rdone_fn),
        };
        // SAFETY: the region is registered memory, and the caller has the context.
        unsafe { object.context().put(put, source, rma.bytes)? };
        Ok(())
    };
    answer(put())
}

/// # Safety
///
/// As for [`PAMI_Rput`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Rget(context: *mut c_void, parameters: *mut RegionGet) -> Code {
    let get = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let argument = "parameters";
        let RegionGet { rma, local, remote } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        // SAFETY: the caller vouches for the regions.
        let (target, region) = unsafe {
            (
                local_address(local, rma.bytes)?,
                region_of(remote.mr, "rdma.remote.mr")?,
            )
        };
        let get = Get {
            from: endpoint_of(rma.dest),
            region,
            offset: remote.offset,
            done: told(object, rma, rma.done_fn),
        };
        // SAFETY: the region is registered memory, and the caller has the context.
        unsafe { object.context().get(get, target, rma.bytes)? };
        Ok(())
    };
    answer(get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_back_until_they_are_destroyed() {
        let mut description = [0; DESCRIPTION_BYTES];
        description[9] = 7;
        let region = MemoryRegion::from_bytes(description);
        let mut handle = handle_of(region);
        // SAFETY: the handle is this test's.
        unsafe {
            assert_eq!(region_of(&raw const handle, "").unwrap(), region);
            handle[3] = 0;
            assert!(region_of(&raw const handle, "").is_err());
            assert!(region_of(std::ptr::null(), "").is_err());
        }
    }
}
