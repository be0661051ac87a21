//! Read-modify-write of an integer of another task.
//!
//! Before: `PAMI_Rmw`. After: the target does it when it advances; the integer as it was is
//! stored here, if the operation fetches, and the program is told.
//!
//! ```text
//! pami_atomic_t:  bit 0 fetch     bit 1 compare     bits 2..5 set 1, add 2, or 3, and 4, xor 5
//! ```

use std::ffi::c_void;

use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::read_modify_write;
use pamir_transport::one_sided::read_modify_write::{Modification, Width};

use crate::context::ContextObject;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::refusal::Refusal;
use crate::structures::ReadModifyWrite;
use crate::structures::variables::integer_bytes;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Atomic {
    fetches: bool,
    compares: bool,
    modification: Modification,
}

impl Atomic {
    fn of(operation: u32) -> Result<Self, Refusal> {
        let modification = match operation >> 2 {
            0 => Modification::Nothing,
            1 => Modification::Set,
            2 => Modification::Add,
            3 => Modification::Or,
            4 => Modification::And,
            5 => Modification::Xor,
            _ => return Err(Refusal::Atomic { operation }),
        };
        let atomic = Self {
            fetches: operation & 1 != 0,
            compares: operation & 2 != 0,
            modification,
        };
        // Comparing is for modifying, and an operation does something.
        let modifies = modification != Modification::Nothing;
        if !modifies && (atomic.compares || !atomic.fetches) {
            return Err(Refusal::Atomic { operation });
        }
        Ok(atomic)
    }
}

/// The integer at an address.
///
/// # Safety
///
/// The address is readable for the width.
unsafe fn load(address: *const c_void, width: Width) -> u64 {
    // SAFETY: the caller vouches for it.
    unsafe {
        match width {
            Width::Four => address.cast::<u32>().read_unaligned().into(),
            Width::Eight => address.cast::<u64>().read_unaligned(),
        }
    }
}

/// # Safety
///
/// The address is writable for the width.
unsafe fn store(address: *mut c_void, width: Width, integer: u64) {
    // SAFETY: the caller vouches for it.
    unsafe {
        match width {
            Width::Four => address.cast::<u32>().write_unaligned(integer as u32),
            Width::Eight => address.cast::<u64>().write_unaligned(integer),
        }
    }
}

/// # Safety
///
/// As for `PAMI_Rmw`.
pub unsafe fn start(object: &ContextObject, parameters: &ReadModifyWrite) -> Result<(), Refusal> {
    let atomic = Atomic::of(parameters.operation)?;
    let width = match integer_bytes(parameters.type_) {
        Some(4) => Width::Four,
        Some(8) => Width::Eight,
        _ => return Err(Refusal::AtomicType),
    };
    let modifies = atomic.modification != Modification::Nothing;
    for (used, address, argument) in [
        (true, parameters.remote, "remote"),
        (atomic.fetches, parameters.local, "local"),
        (modifies, parameters.value, "value"),
        (atomic.compares, parameters.test, "test"),
    ] {
        if used && address.is_null() {
            return Err(Refusal::Null { argument });
        }
    }
    // SAFETY: what is used is not null, and the caller vouches for it.
    let read = |used: bool, address: *mut c_void| used.then(|| unsafe { load(address, width) });
    let value = read(modifies, parameters.value).unwrap_or(0);
    let compared = read(atomic.compares, parameters.test);
    let event = Event::new(object, parameters.done_fn, parameters.cookie);
    let local = atomic.fetches.then_some(parameters.local);
    let instruction = read_modify_write::ReadModifyWrite {
        to: endpoint_of(parameters.dest),
        region: MemoryRegion::everything(),
        offset: parameters.remote.addr(),
        width,
        compared,
        modification: atomic.modification,
        value,
        done: Some(Box::new(move |_, outcome| {
            if let (Some(local), Ok(before)) = (local, outcome) {
                // SAFETY: `PAMI_Rmw`'s caller vouched for the integer until the event.
                unsafe { store(local, width, before) };
            }
            if let Some(event) = event {
                event.end(outcome.map(|_| ()));
            }
        })),
    };
    // SAFETY: the caller vouches for having the context.
    unsafe { object.context() }.read_modify_write(instruction)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_taken_apart() {
        let (fetches, compares) = (true, true);
        let modification = Modification::Xor;
        let all = Atomic {
            fetches,
            compares,
            modification,
        };
        assert_eq!(Atomic::of(0x17).unwrap(), all);
        let good = [
            0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x05, 0x06, 0x07, 0x15, 0x16,
        ];
        assert!(
            good.into_iter()
                .all(|operation| Atomic::of(operation).is_ok())
        );
        // Nothing at all, comparing without modifying, and what there is not.
        for operation in [0, 2, 3, 0x18, 0x1C, 0x20, u32::MAX] {
            assert!(Atomic::of(operation).is_err(), "{operation:#x}");
        }
    }
}
