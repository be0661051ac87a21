//! What the transport does with the program's memory: sends of it, receives into it, puts and gets.
//!
//! Before: a call has made a [`Span`] or an [`End`] of what C handed in. After: the transport reads or writes it
//! until the completion, for which its caller vouches.

use std::cell::RefCell;
use std::rc::Rc;

use pamir_transport::active::send::ActiveMessage;
use pamir_transport::active::{ActiveError, Completion, Receive, TransferError, Way};
use pamir_transport::collective::data::scratch::Scratch;
use pamir_transport::gather_scatter::Machine;
use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::scattered::Scattered;
use pamir_transport::one_sided::{Get, Put};

use crate::context::Held;
use crate::edge::span::Span;
use crate::layout::end::End;
use crate::structures::Vector;
use crate::structures::pointer::Address;

impl Held {
    /// Sends a message of one line that goes where the last one went, and whose lane has room; whether
    /// it was that. Both parts that have bytes have an address.
    #[inline(always)]
    pub fn send_again(&self, way: Way, header: (*const u8, usize), data: Vector) -> bool {
        // SAFETY: the caller of the send vouches for both.
        unsafe { self.context().send_again(way, [header, data.part()]) }
    }

    /// Sends a message of one packet to the context with a number, if the lane has room; whether it did. Both
    /// parts that have bytes have an address.
    #[inline(always)]
    pub fn send_at_once(&self, target: usize, way: Way, header: Vector, data: Vector) -> bool {
        let parts = [header.part(), data.part()];
        // SAFETY: the caller of the send vouches for both.
        unsafe { self.context().send_at_once(target, way, parts) }
    }

    /// Sends a header and the bytes of a span, which stay until the completion.
    pub fn send(&self, message: ActiveMessage<'_>, data: &Span) -> Result<(), ActiveError> {
        let source = data.address().raw().cast_const();
        // SAFETY: the caller of the send vouches for the bytes until the completion.
        unsafe { self.context().send_active(message, source, data.bytes()) }
    }

    /// The same of an end.
    pub fn send_end(&self, message: ActiveMessage<'_>, data: End) -> Result<(), ActiveError> {
        // SAFETY: the caller of the send vouches for what the end describes until the completion.
        unsafe {
            match data {
                End::Contiguous(span) => self.send(message, &span),
                End::Scattered(section) => self.context().send_active_scattered(message, section),
                End::Function(memory) => self.context().send_active_scattered(message, *memory),
            }
        }
    }

    /// The same of a copy, which the local completion drops.
    pub fn send_copy(&self, message: ActiveMessage<'_>, copy: Vec<u8>) -> Result<(), ActiveError> {
        let (source, bytes) = (copy.as_ptr(), copy.len());
        let told = message.local;
        let local: Completion = Box::new(move |context, how| {
            drop(copy);
            if let Some(told) = told {
                told(context, how);
            }
        });
        let local = Some(local);
        // SAFETY: the copy lives until the completion drops it.
        unsafe { (self.context()).send_active(ActiveMessage { local, ..message }, source, bytes) }
    }

    /// Registers memory.
    pub fn register(&self, memory: &Span) -> MemoryRegion {
        // SAFETY: the caller of the registration vouches for the memory until it is destroyed.
        unsafe { (self.context()).register(memory.address().raw(), memory.bytes()) }
    }

    /// Puts the bytes of a span.
    pub fn put(&self, put: Put, source: &Span) -> Result<(), ActiveError> {
        let address = source.address().raw().cast_const();
        // SAFETY: the caller of the put vouches for the bytes until the completion.
        unsafe { self.context().put(put, address, source.bytes()) }
    }

    /// Gets as many bytes as a span has.
    pub fn get(&self, get: Get, target: &Span) -> Result<(), ActiveError> {
        // SAFETY: the caller of the get vouches for the bytes until the completion.
        unsafe { (self.context()).get(get, target.address().raw(), target.bytes()) }
    }

    /// Puts what a machine reads.
    pub fn put_scattered(&self, put: Scattered, source: Machine) -> Result<(), ActiveError> {
        // SAFETY: the caller of the put vouches for what the machine reaches.
        unsafe { self.context().put_scattered(put, source) }
    }

    /// Gets what a machine writes.
    pub fn get_scattered(&self, get: Scattered, target: Machine) -> Result<(), ActiveError> {
        // SAFETY: the caller of the get vouches for what the machine reaches.
        unsafe { self.context().get_scattered(get, target) }
    }
}

/// Receives into a span, which stays until the completion.
pub fn receive_into(target: &Span) -> Receive {
    // SAFETY: the caller of the operation vouches for the memory until the completion.
    unsafe { Receive::into(target.address().raw(), target.bytes()) }
}

/// Receives into an end, which stays until the completion.
pub fn receive_end(target: End) -> Receive {
    // SAFETY: the program has vouched for the memory when it named it.
    unsafe {
        match target {
            End::Contiguous(span) => receive_into(&span),
            End::Scattered(section) => Receive::scattered(section),
            End::Function(memory) => Receive::scattered(*memory),
        }
    }
}

/// Receives a message of `bytes` bytes into memory of its own, which `then` is given if all has come.
pub fn receive_copy(bytes: usize, then: impl FnOnce(&[u8]) + 'static) -> Receive {
    let mut whole = vec![0_u8; bytes].into_boxed_slice();
    // SAFETY: the completion owns the memory; it is called when nothing writes there any more.
    let receive = unsafe { Receive::into(whole.as_mut_ptr(), whole.len()) };
    receive.then(move |_, how: Result<(), TransferError>| {
        if how.is_ok() {
            then(&whole);
        }
    })
}

/// Receives into a part of memory that the library shares with the completion. Nobody borrows the memory
/// across an advance until then.
pub fn receive_part(
    whole: &Rc<RefCell<Scratch>>,
    start: usize,
    bytes: usize,
    then: impl FnOnce(Result<(), TransferError>) + 'static,
) -> Receive {
    let kept = Rc::clone(whole);
    let address = whole.borrow_mut()[start..][..bytes].as_mut_ptr();
    // SAFETY: the completion keeps the memory, which does not move in its counted place; an advance, in
    // which nobody borrows it, writes there.
    let receive = unsafe { Receive::into(address, bytes) };
    receive.then(move |_, how| {
        drop(kept);
        then(how);
    })
}

/// The memory of a region here that a transfer names.
pub fn registered(region: &MemoryRegion, offset: usize, bytes: usize) -> Option<Span> {
    let address = region.address_of(offset, bytes)?;
    // SAFETY: whoever registered the region vouches for it until it is destroyed.
    let address = unsafe { Address::vouched(address) };
    Span::new(address, bytes, "rdma.local").ok()
}

/// Where a layout stands in a region here, all of whose reach lies in it.
pub fn registered_base(region: &MemoryRegion, offset: usize, reach: (i64, i64)) -> Option<Address> {
    let address = region.base_of(offset, reach)?;
    // SAFETY: as for `registered`.
    Some(unsafe { Address::vouched(address) })
}
