//! Read-modify-write of an integer of another task.
//!
//! Before: `PAMI_Rmw`. After: the target does it when it advances; the integer as it was is
//! stored here, if the operation fetches, and the program is told.
//!
//! ```text
//! pami_atomic_t:  bit 0 fetch     bit 1 compare     bits 2..5 set 1, add 2, or 3, and 4, xor 5
//! ```

use pamir_transport::one_sided::memory_region::MemoryRegion;
use pamir_transport::one_sided::read_modify_write;
use pamir_transport::one_sided::read_modify_write::{Modification, Width};

use crate::context::Held;
use crate::context::endpoint::endpoint_of;
use crate::context::event::Event;
use crate::edge::span::Span;
use crate::refusal::Refusal;
use crate::structures::ReadModifyWrite;
use crate::structures::pointer::Address;
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

/// The integer that a span of its width has.
fn load(memory: &Span) -> u64 {
    let bytes = memory.read();
    let long = bytes.try_into().map(u64::from_ne_bytes);
    long.or_else(|_| {
        bytes
            .try_into()
            .map(|bytes| u32::from_ne_bytes(bytes).into())
    })
    .unwrap_or(0)
}

/// Stores the low bits of an integer, as many as the span has.
fn store(memory: &mut Span, integer: u64) {
    let bytes = memory.bytes();
    if bytes == size_of::<u32>() {
        memory
            .write()
            .copy_from_slice(&(integer as u32).to_ne_bytes());
    } else {
        memory.write().copy_from_slice(&integer.to_ne_bytes());
    }
}

/// Starts an operation.
///
/// # Errors
///
/// What is wrong with the parameters, and what the transport refuses.
pub fn start(object: Held, parameters: &ReadModifyWrite) -> Result<(), Refusal> {
    let atomic = Atomic::of(parameters.operation)?;
    let width = match integer_bytes(parameters.type_) {
        Some(4) => Width::Four,
        Some(8) => Width::Eight,
        _ => return Err(Refusal::AtomicType),
    };
    let modifies = atomic.modification != Modification::Nothing;
    let bytes = match width {
        Width::Four => size_of::<u32>(),
        Width::Eight => size_of::<u64>(),
    };
    if parameters.remote.is_null() {
        let argument = "remote";
        return Err(Refusal::Null { argument });
    }
    let memory = |used: bool, address: Address, argument| {
        let span = used.then(|| Span::new(address, bytes, argument));
        span.transpose()
    };
    let local = memory(atomic.fetches, parameters.local, "local")?;
    let value = memory(modifies, parameters.value, "value")?;
    let test = memory(atomic.compares, parameters.test, "test")?;
    let value = value.as_ref().map_or(0, load);
    let compared = test.as_ref().map(load);
    let event = Event::new(&object, parameters.done_fn, parameters.cookie);
    let instruction = read_modify_write::ReadModifyWrite {
        to: endpoint_of(parameters.dest),
        region: MemoryRegion::everything(),
        offset: parameters.remote.raw().addr(),
        width,
        compared,
        modification: atomic.modification,
        value,
        done: Some(Box::new(move |_, outcome| {
            if let (Some(mut local), Ok(before)) = (local, outcome) {
                store(&mut local, before);
            }
            if let Some(event) = event {
                event.end(outcome.map(|_| ()));
            }
        })),
    };
    object.context().read_modify_write(instruction)?;
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
