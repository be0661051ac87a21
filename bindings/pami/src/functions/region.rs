//! The C functions on memory regions, and the transfers that name them, with types and without.
//!
//! Before: `PAMI_Memregion_create`; the program sends the handle to others. After: `PAMI_Rput`
//! and `PAMI_Rget` move data between a region here and one there.

use pamir_transport::one_sided::{Get, Put};

use crate::context::HeldHandle;
use crate::context::endpoint::endpoint_of;
use crate::edge::span::Span;
use crate::one_sided::region::{handle_of, local_span, region_of};
use crate::one_sided::typed::{Layouts, null_parameters};
use crate::one_sided::{check_bytes, told};
use crate::refusal::{Refusal, answer};
use crate::structures::pointer::{Address, In, InOut, Out};
use crate::structures::{
    Code, MemoryRegionHandle, RegionGet, RegionGetTyped, RegionPut, RegionPutTyped,
};

/// Registers memory, which is readable and writable until the region is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Memregion_create(
    context: HeldHandle,
    address: Address,
    bytes_in: usize,
    bytes_out: Out<usize>,
    memregion: Out<MemoryRegionHandle>,
) -> Code {
    let create = || {
        let context = context.get()?;
        if address.is_null() || bytes_out.is_null() || memregion.is_null() {
            let argument = "address, bytes_out or memregion";
            return Err(Refusal::Null { argument });
        }
        if bytes_in == 0 {
            return Err(Refusal::NoBytes);
        }
        let memory = Span::new(address, bytes_in, "address")?;
        memregion.put(handle_of(context.register(&memory)));
        bytes_out.put(bytes_in);
        Ok(())
    };
    answer(create())
}

/// Forgets a region.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Memregion_destroy(
    context: HeldHandle,
    mut memregion: InOut<MemoryRegionHandle>,
) -> Code {
    let (argument, kind) = ("memregion", "memory region");
    let mut destroy = || {
        let mut memregion = memregion.get();
        let region = region_of(memregion.as_deref(), argument)?;
        let known = context.get()?.context().deregister(&region);
        if let Some(handle) = memregion.as_mut() {
            **handle = [0; size_of::<MemoryRegionHandle>() / 8];
        }
        if known {
            Ok(())
        } else {
            Err(Refusal::Handle { argument, kind })
        }
    };
    answer(destroy())
}

/// Puts from one region into another; both stay until the events.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Rput(context: HeldHandle, parameters: In<RegionPut>) -> Code {
    let put = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let argument = "parameters";
        let RegionPut {
            rma,
            local,
            remote,
            rdone_fn,
        } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        let source = local_span(local, rma.bytes)?;
        let region = region_of(remote.mr.get(), "rdma.remote.mr")?;
        let put = Put {
            to: endpoint_of(rma.dest),
            region,
            offset: remote.offset,
            notify: None,
            local: told(&object, rma, rma.done_fn),
            remote: told(&object, rma, *rdone_fn),
        };
        object.put(put, &source)?;
        Ok(())
    };
    answer(put())
}

/// Gets from one region into another; both stay until the event.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Rget(context: HeldHandle, parameters: In<RegionGet>) -> Code {
    let get = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let argument = "parameters";
        let RegionGet { rma, local, remote } = parameters.ok_or(Refusal::Null { argument })?;
        check_bytes(rma)?;
        let target = local_span(local, rma.bytes)?;
        let region = region_of(remote.mr.get(), "rdma.remote.mr")?;
        let get = Get {
            from: endpoint_of(rma.dest),
            region,
            offset: remote.offset,
            notify: None,
            done: told(&object, rma, rma.done_fn),
        };
        object.get(get, &target)?;
        Ok(())
    };
    answer(get())
}

/// Puts what a type describes from one region into another.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Rput_typed(context: HeldHandle, parameters: In<RegionPutTyped>) -> Code {
    let put = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let RegionPutTyped {
            rma,
            local,
            remote,
            types,
            rdone_fn,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        let source = layouts.address_in(local)?;
        let region = region_of(remote.mr.get(), "rdma.remote.mr")?;
        let events = [
            told(&object, rma, rma.done_fn),
            told(&object, rma, *rdone_fn),
        ];
        let transfer = layouts.transfer(rma, (region, remote.offset), events);
        Ok(object.put_scattered(transfer, layouts.machine(source)?)?)
    };
    answer(put())
}

/// Gets what a type describes from one region into another.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Rget_typed(context: HeldHandle, parameters: In<RegionGetTyped>) -> Code {
    let get = || {
        let (object, parameters) = (context.get()?, parameters.get());
        let RegionGetTyped {
            rma,
            local,
            remote,
            types,
        } = parameters.ok_or_else(null_parameters)?;
        let layouts = Layouts::of(types, rma)?;
        let target = layouts.address_in(local)?;
        let region = region_of(remote.mr.get(), "rdma.remote.mr")?;
        let events = [None, told(&object, rma, rma.done_fn)];
        let transfer = layouts.transfer(rma, (region, remote.offset), events);
        Ok(object.get_scattered(transfer, layouts.machine(target)?)?)
    };
    answer(get())
}
