//! The C functions on memory regions, and the transfers that name them, with types and without.
//!
//! Before: `PAMI_Memregion_create`; the program sends the handle to others. After: `PAMI_Rput`
//! and `PAMI_Rget` move data between a region here and one there.

use std::ffi::c_void;

use pamir_transport::one_sided::{Get, Put};

use crate::context::context_of;
use crate::context::endpoint::endpoint_of;
use crate::one_sided::region::{handle_of, local_address, region_of};
use crate::one_sided::typed::{Layouts, null_parameters, start_get, start_put};
use crate::one_sided::{check_bytes, told};
use crate::refusal::{Refusal, answer};
use crate::structures::{
    Code, MemoryRegionHandle, RegionGet, RegionGetTyped, RegionPut, RegionPutTyped,
};

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

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters and regions are readable, and both regions stay until the events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Rput_typed(
    context: *mut c_void,
    parameters: *mut RegionPutTyped,
) -> Code {
    let put = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let RegionPutTyped {
            rma,
            local,
            remote,
            types,
            rdone_fn,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        // SAFETY: the caller vouches for the regions.
        let (source, region) = unsafe {
            (
                layouts.address_in(local)?,
                region_of(remote.mr, "rdma.remote.mr")?,
            )
        };
        let events = [told(object, rma, rma.done_fn), told(object, rma, *rdone_fn)];
        let transfer = layouts.transfer(rma, (region, remote.offset), events);
        // SAFETY: the region is registered memory, and the caller has the context.
        unsafe { start_put(object, transfer, layouts.machine(source)?) }
    };
    answer(put())
}

/// # Safety
///
/// As for [`PAMI_Rput_typed`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Rget_typed(
    context: *mut c_void,
    parameters: *mut RegionGetTyped,
) -> Code {
    let get = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let RegionGetTyped {
            rma,
            local,
            remote,
            types,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        // SAFETY: the caller vouches for the regions.
        let (target, region) = unsafe {
            (
                layouts.address_in(local)?,
                region_of(remote.mr, "rdma.remote.mr")?,
            )
        };
        let events = [None, told(object, rma, rma.done_fn)];
        let transfer = layouts.transfer(rma, (region, remote.offset), events);
        // SAFETY: the region is registered memory, and the caller has the context.
        unsafe { start_get(object, transfer, layouts.machine(target)?) }
    };
    answer(get())
}
