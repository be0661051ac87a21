//! Puts and gets between addresses, without a memory region.
//!
//! Before: `PAMI_Put`, `PAMI_Get`. After: the transport moves the data to or from any memory of
//! the other task, which every context opens when it is made.

use std::ffi::c_void;

use pamir_transport::active::Completion;
use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::{Get, Put};

use crate::context::{ContextObject, context_of};
use crate::endpoint::endpoint_of;
use crate::event::Event;
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{Addresses, EventFunction, GetSimple, PutSimple, Transfer};

/// Who is told of a transfer's end.
pub fn told(
    object: &ContextObject,
    transfer: &Transfer,
    function: EventFunction,
) -> Option<Completion> {
    Event::new(object, function, transfer.cookie).map(Event::completion)
}

/// A transfer has bytes.
pub fn check_bytes(transfer: &Transfer) -> Result<(), Refusal> {
    if transfer.bytes == 0 {
        return Err(Refusal::NoBytes);
    }
    Ok(())
}

/// A transfer has both ends.
pub fn check_addresses(addresses: &Addresses) -> Result<(), Refusal> {
    if addresses.local.is_null() || addresses.remote.is_null() {
        let argument = "addr.local or addr.remote";
        return Err(Refusal::Null { argument });
    }
    Ok(())
}

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
