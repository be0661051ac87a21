//! The C functions of one-sided transfers between addresses, with types and without; read-modify-write; fences.
//!
//! Before: a program's call. After: the transport moves the data to or from any memory of
//! the other task, which every context opens when it is made; a fence tells when it is there.

use std::ffi::c_void;

use crate::context::HeldHandle;
use crate::one_sided::fence::{change_fencing, fence};
use crate::one_sided::typed::{Layouts, anywhere, null_parameters};
use crate::one_sided::{check_addresses, read_modify_write, simple, told};
use crate::refusal::{Refusal, answer};
use crate::structures::pointer::In;
use crate::structures::{
    Code, EventFunction, GetSimple, GetTyped, PutSimple, PutTyped, ReadModifyWrite,
};

/// Puts; the local memory is readable until the event, and the remote one is writable.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Put(context: HeldHandle, parameters: In<PutSimple>) -> Code {
    answer(simple::put(context, parameters, None))
}

/// Gets; the local memory is writable until the event.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Get(context: HeldHandle, parameters: In<GetSimple>) -> Code {
    answer(simple::get(context, parameters, None))
}

/// Modifies an integer of another task; the local one is writable until the event, if it is fetched.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Rmw(context: HeldHandle, parameters: In<ReadModifyWrite>) -> Code {
    let modify = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let argument = "parameters";
        let parameters = parameters.ok_or(Refusal::Null { argument })?;
        read_modify_write::start(object, parameters)
    };
    answer(modify())
}

/// Puts what a type describes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Put_typed(context: HeldHandle, parameters: In<PutTyped>) -> Code {
    let put = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let PutTyped {
            rma,
            addr,
            types,
            rdone_fn,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        check_addresses(addr)?;
        let events = [
            told(&object, rma, rma.done_fn),
            told(&object, rma, *rdone_fn),
        ];
        let transfer = layouts.transfer(rma, anywhere(addr.remote), events);
        Ok(object.put_scattered(transfer, layouts.machine(addr.local)?)?)
    };
    answer(put())
}

/// Gets into what a type describes.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Get_typed(context: HeldHandle, parameters: In<GetTyped>) -> Code {
    let get = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let GetTyped { rma, addr, types } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        check_addresses(addr)?;
        let events = [None, told(&object, rma, rma.done_fn)];
        let transfer = layouts.transfer(rma, anywhere(addr.remote), events);
        Ok(object.get_scattered(transfer, layouts.machine(addr.local)?)?)
    };
    answer(get())
}

/// Opens the fence region of a context.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Fence_begin(context: HeldHandle) -> Code {
    let reason = "a fence region is open already: end it with PAMI_Fence_end";
    let object = context.get();
    answer(object.and_then(|object| change_fencing(&object, true, reason)))
}

/// Closes it.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Fence_end(context: HeldHandle) -> Code {
    let reason = "no fence region is open: call PAMI_Fence_begin before";
    let object = context.get();
    answer(object.and_then(|object| change_fencing(&object, false, reason)))
}

/// Tells when everything is where it should be.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Fence_all(
    context: HeldHandle,
    done_fn: EventFunction,
    cookie: *mut c_void,
) -> Code {
    let object = context.get();
    answer(object.and_then(|object| fence(object, done_fn, cookie, None)))
}

/// The same of what goes to one endpoint.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Fence_endpoint(
    context: HeldHandle,
    done_fn: EventFunction,
    cookie: *mut c_void,
    target: u32,
) -> Code {
    let object = context.get();
    answer(object.and_then(|object| fence(object, done_fn, cookie, Some(target))))
}
