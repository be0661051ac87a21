//! The C functions for transfers between addresses, with types and without, and read-modify-write.
//!
//! Before: a program's call. After: the transport moves the data to or from any memory of
//! the other task, which every context opens when it is made.

use std::ffi::c_void;

use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::{Get, Put};

use crate::context::context_of;
use crate::context::endpoint::endpoint_of;
use crate::one_sided::typed::{Layouts, anywhere, null_parameters, start_get, start_put};
use crate::one_sided::{check_addresses, check_bytes, read_modify_write, told};
use crate::refusal::{Refusal, answer};
use crate::structures::{Code, GetSimple, GetTyped, PutSimple, PutTyped, ReadModifyWrite};

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, the local memory is until the event, and the remote one is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Put(context: *mut c_void, parameters: *mut PutSimple) -> Code {
    let put = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let argument = "parameters";
        let PutSimple {
            rma,
            addr,
            rdone_fn,
        } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        check_addresses(addr)?;
        let put = Put {
            to: endpoint_of(rma.dest),
            region: MemoryRegion::everything(),
            offset: addr.remote.addr(),
            notify: None,
            local: told(object, rma, rma.done_fn),
            remote: told(object, rma, *rdone_fn),
        };
        // SAFETY: the caller vouches for the memory, and for having the context.
        unsafe { object.context().put(put, addr.local.cast(), rma.bytes)? };
        Ok(())
    };
    answer(put())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, the local memory is writable until the event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Get(context: *mut c_void, parameters: *mut GetSimple) -> Code {
    let get = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let argument = "parameters";
        let GetSimple { rma, addr } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        check_addresses(addr)?;
        let get = Get {
            from: endpoint_of(rma.dest),
            region: MemoryRegion::everything(),
            offset: addr.remote.addr(),
            done: told(object, rma, rma.done_fn),
        };
        // SAFETY: the caller vouches for the memory, and for having the context.
        unsafe { object.context().get(get, addr.local.cast(), rma.bytes)? };
        Ok(())
    };
    answer(get())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, as are value and test where the operation uses them; the local
/// integer is writable until the event, if it fetches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Rmw(context: *mut c_void, parameters: *mut ReadModifyWrite) -> Code {
    let modify = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let argument = "parameters";
        let parameters = parameters.ok_or(Refusal::Null { argument })?;
        // SAFETY: as the caller vouches.
        unsafe { read_modify_write::start(object, parameters) }
    };
    answer(modify())
}

/// # Safety
///
/// `context` is a context's handle, and the calling thread has the context for itself; the
/// parameters are readable, what the local type describes is until the event, and what the remote
/// one describes is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Put_typed(context: *mut c_void, parameters: *mut PutTyped) -> Code {
    let put = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let PutTyped {
            rma,
            addr,
            types,
            rdone_fn,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        check_addresses(addr)?;
        let events = [told(object, rma, rma.done_fn), told(object, rma, *rdone_fn)];
        let transfer = layouts.transfer(rma, anywhere(addr.remote), events);
        // SAFETY: the caller vouches for the memory, and for having the context.
        unsafe { start_put(object, transfer, layouts.machine(addr.local.cast())?) }
    };
    answer(put())
}

/// # Safety
///
/// As for [`PAMI_Put_typed`], the other way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Get_typed(context: *mut c_void, parameters: *mut GetTyped) -> Code {
    let get = || {
        // SAFETY: the caller vouches for handle and parameters.
        let (object, parameters) = unsafe { (context_of(context)?, parameters.as_ref()) };
        let GetTyped { rma, addr, types } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        check_addresses(addr)?;
        let events = [None, told(object, rma, rma.done_fn)];
        let transfer = layouts.transfer(rma, anywhere(addr.remote), events);
        // SAFETY: the caller vouches for the memory, and for having the context.
        unsafe { start_get(object, transfer, layouts.machine(addr.local.cast())?) }
    };
    answer(get())
}
