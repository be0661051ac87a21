//! Puts and gets between addresses, with whom to tell at the other end, if anybody.
//!
//! Before: `PAMI_Put`, `PAMI_Get`, or the notifying ones of an extension. After: the transport moves the data; the other
//! task's advance calls the function of a dispatch id, where one is named.

use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::{Get, Notification, Put};

use crate::context::HeldHandle;
use crate::context::endpoint::endpoint_of;
use crate::edge::span::Span;
use crate::one_sided::{check_addresses, check_bytes, told};
use crate::refusal::Refusal;
use crate::structures::pointer::In;
use crate::structures::{GetSimple, PutSimple};

const PARAMETERS: Refusal = Refusal::Null {
    argument: "parameters",
};

/// Puts; the local memory is readable until the event, and the remote one is writable.
///
/// # Errors
///
/// What is wrong with the handle, the parameters or the other end.
pub fn put(
    context: HeldHandle,
    parameters: In<PutSimple>,
    notify: Option<Notification>,
) -> Result<(), Refusal> {
    let (object, parameters) = (context.get()?, parameters.get());
    let PutSimple {
        rma,
        addr,
        rdone_fn,
    } = parameters.ok_or(PARAMETERS)?;
    check_bytes(rma)?;
    check_addresses(addr)?;
    let put = Put {
        to: endpoint_of(rma.dest),
        region: MemoryRegion::everything(),
        offset: addr.remote.raw().addr(),
        notify,
        local: told(&object, rma, rma.done_fn),
        remote: told(&object, rma, *rdone_fn),
    };
    object.put(put, &Span::new(addr.local, rma.bytes, "addr.local")?)?;
    Ok(())
}

/// Gets; the local memory is writable until the event.
///
/// # Errors
///
/// As [`put`].
pub fn get(
    context: HeldHandle,
    parameters: In<GetSimple>,
    notify: Option<Notification>,
) -> Result<(), Refusal> {
    let (object, parameters) = (context.get()?, parameters.get());
    let GetSimple { rma, addr } = parameters.ok_or(PARAMETERS)?;
    check_bytes(rma)?;
    check_addresses(addr)?;
    let get = Get {
        from: endpoint_of(rma.dest),
        region: MemoryRegion::everything(),
        offset: addr.remote.raw().addr(),
        notify,
        done: told(&object, rma, rma.done_fn),
    };
    object.get(get, &Span::new(addr.local, rma.bytes, "addr.local")?)?;
    Ok(())
}
