//! Puts and gets between layouts.
//!
//! Before: `PAMI_Put_typed`, `PAMI_Get_typed`, `PAMI_Rput_typed`, `PAMI_Rget_typed`. After: the
//! transport moves the data from one layout to the other; where neither has gaps, as without types.

use std::ffi::c_void;
use std::sync::Arc;

use pamir_transport::active::Completion;
use pamir_transport::gather_scatter::Machine;
use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::scattered::Scattered;

use crate::context::{ContextObject, context_of};
use crate::endpoint::endpoint_of;
use crate::layout::{Layout, layout_of};
use crate::memory_region::region_of;
use crate::one_sided::{check_addresses, check_bytes, told};
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{RegionPlace, Transfer};
use crate::typed_structures::{GetTyped, PutTyped, RegionGetTyped, RegionPutTyped, Types};

/// The layouts of both ends, each of which has data for the transfer.
struct Layouts {
    local: Arc<Layout>,
    remote: Arc<Layout>,
    bytes: usize,
}

impl Layouts {
    fn of(types: &Types, transfer: &Transfer) -> Result<Self, Refusal> {
        check_bytes(transfer)?;
        let (local, remote) = (
            layout_of(types.local, "type.local")?,
            layout_of(types.remote, "type.remote")?,
        );
        let bytes = transfer.bytes;
        for layout in [&local, &remote] {
            layout
                .program
                .reach(bytes)
                .ok_or(Refusal::NoData { bytes })?;
        }
        Ok(Self {
            local,
            remote,
            bytes,
        })
    }

    /// The machine over the memory here.
    ///
    /// # Safety
    ///
    /// What the local layout reaches from the address is good until the events.
    unsafe fn machine(&self, address: *mut u8) -> Result<Machine, Refusal> {
        let bytes = self.bytes;
        let program = self.local.program.covering(bytes);
        let program = program.ok_or(Refusal::NoData { bytes })?;
        // SAFETY: as the caller vouches.
        Ok(unsafe { Machine::new(program, address) })
    }

    /// The address here of a place in a region, in which all of the local layout lies.
    ///
    /// # Safety
    ///
    /// The place's region is NULL or readable.
    unsafe fn address_in(&self, place: &RegionPlace) -> Result<*mut u8, Refusal> {
        // SAFETY: as the caller vouches.
        let region = unsafe { region_of(place.mr, "rdma.local.mr")? };
        let (which, offset, bytes) = ("local", place.offset, self.bytes);
        let reach = self.local.program.reach(bytes);
        let base = reach.and_then(|reach| region.base_of(offset, reach));
        base.ok_or(Refusal::OutsideRegion {
            which,
            offset,
            bytes,
        })
    }

    /// What the transport is told, besides the memory here.
    fn transfer(
        &self,
        rma: &Transfer,
        (region, offset): (MemoryRegion, usize),
        [local, done]: [Option<Completion>; 2],
    ) -> Scattered {
        Scattered {
            to: endpoint_of(rma.dest),
            region,
            offset,
            element: self.remote.program.clone(),
            bytes: self.bytes,
            local,
            done,
        }
    }
}

fn null_parameters() -> Refusal {
    let argument = "parameters";
    Refusal::Null { argument }
}

/// All memory of the other task, at an address.
fn anywhere(address: *mut c_void) -> (MemoryRegion, usize) {
    (MemoryRegion::everything(), address.addr())
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

/// # Safety
///
/// The machine's memory is readable until the events, and the caller has the context.
unsafe fn start_put(
    object: &ContextObject,
    transfer: Scattered,
    machine: Machine,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    unsafe { object.context().put_scattered(transfer, machine)? };
    Ok(())
}

/// # Safety
///
/// The machine's memory is writable until the events, and the caller has the context.
unsafe fn start_get(
    object: &ContextObject,
    transfer: Scattered,
    machine: Machine,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    unsafe { object.context().get_scattered(transfer, machine)? };
    Ok(())
}
