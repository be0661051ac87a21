//! One-sided transfers: puts and gets, by address or by memory region, with types or without; read-modify-write; fences.
//!
//! Before: a program's call, checked. After: the transport moves the data, and tells.
//!
//! | file | what |
//! |---|---|
//! | `region.rs` | handles of memory regions |
//! | `simple.rs` | puts and gets between addresses, notifying or not |
//! | `typed.rs` | transfers between layouts |
//! | `read_modify_write.rs` | an integer of another task |
//! | `fence.rs` | when everything is where it should be |
//!
//! What all transfers have in common is here. A new kind of transfer is a file; its C function goes to
//! `functions/one_sided.rs` or `functions/region.rs`.

pub mod fence;
pub mod read_modify_write;
pub mod region;
pub mod simple;
pub mod typed;

use pamir_transport::active::Completion;

use crate::context::ContextObject;
use crate::context::event::Event;
use crate::refusal::Refusal;
use crate::structures::{Addresses, EventFunction, Transfer};

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
