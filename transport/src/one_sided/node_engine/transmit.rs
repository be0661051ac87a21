//! The transmit thread: reads the memory that orders name, a chunk at a time.
//!
//! Before: an order has come to the thread's context, its injection FIFO. After: its bytes are on
//! their way to [`super::receive`].
//!
//! Invariant: every order ends with one chunk that is marked as its last, whatever happens.

use std::sync::mpsc::{Receiver, SyncSender};

use super::orders::{Order, Orders};
use super::threads::{CHUNK_BYTES, Chunk, Outcome, Shared, context_of};
use pamir_driver::memory::kernel_copy::{self, KernelCopyError};
use pamir_driver::unit::UnitError;
use pamir_driver::waiting::ladder::Ladder;

/// Serves orders until the engine is stopped.
pub(super) fn run(
    shared: &Shared,
    filled: &SyncSender<Chunk>,
    buffers: &Receiver<Vec<u8>>,
) -> Result<(), UnitError> {
    let context = context_of(shared, 0)?;
    let orders = context.one_sided.orders.get_or_init(Orders::default);
    let mut ladder = Ladder::new(true);
    while !shared.is_stopped() {
        let mut moved = context.advance()?;
        loop {
            let order = orders.0.borrow_mut().pop_front();
            let Some(order) = order else {
                break;
            };
            transmit(shared, order, filled, buffers);
            moved = true;
        }
        if moved {
            ladder.reset();
        } else {
            shared.pause(&context, &mut ladder)?;
        }
    }
    context.leave()
}

/// Reads all of an order, or up to where the kernel refuses.
fn transmit(
    shared: &Shared,
    order: Order,
    filled: &SyncSender<Chunk>,
    buffers: &Receiver<Vec<u8>>,
) {
    let mut at = 0;
    loop {
        // The receive thread gives each buffer back; without it there is nobody to read for.
        let Ok(mut data) = buffers.recv() else {
            return;
        };
        let bytes = (order.bytes - at).min(CHUNK_BYTES as u64) as usize;
        let outcome = read(shared, &order, at, &mut data, bytes);
        let last = outcome != Outcome::Moved || at + bytes as u64 == order.bytes;
        let chunk = Chunk {
            order,
            at,
            data,
            outcome,
            last,
        };
        if filled.send(chunk).is_err() || last {
            return;
        }
        at += bytes as u64;
    }
}

fn read(shared: &Shared, order: &Order, at: u64, data: &mut Vec<u8>, bytes: usize) -> Outcome {
    data.resize(bytes, 0);
    let (unit, address) = order.from;
    let Some(process) = shared.job.process(unit) else {
        return Outcome::Absent;
    };
    // SAFETY: the vector has so many bytes.
    let copied = unsafe { kernel_copy::read(process, data.as_mut_ptr(), address + at, bytes) };
    outcome_of(copied)
}

/// What a copy of the kernel's means for the order.
pub(super) fn outcome_of(copied: Result<(), KernelCopyError>) -> Outcome {
    match copied {
        Ok(()) => Outcome::Moved,
        Err(KernelCopyError::Refused { errno, .. }) => match errno {
            libc::EFAULT => Outcome::NotMapped,
            libc::ESRCH => Outcome::Left,
            _ => Outcome::Refused,
        },
        Err(_) => Outcome::Refused,
    }
}
